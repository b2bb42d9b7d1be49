"""The models that benchmarks and accuracy tests share, as people write them in PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def _divisible(value: float, by: int = 8) -> int:
    rounded = max(by, int(value + by / 2) // by * by)
    return rounded + by if rounded < 0.9 * value else rounded


class _ConvNorm(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, activation=nn.ReLU6):
        layers = [
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
        ]
        if activation:
            layers.append(activation(inplace=True))
        super().__init__(*layers)


class _InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        hidden = inputs * expand
        layers = [] if expand == 1 else [_ConvNorm(inputs, hidden, 1)]
        layers += [
            _ConvNorm(hidden, hidden, 3, stride, groups=hidden),
            _ConvNorm(hidden, outputs, 1, activation=None),
        ]
        self.conv = nn.Sequential(*layers)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.conv(x) if self.residual else self.conv(x)


class MobileNetV2(nn.Module):
    """MobileNetV2 (arXiv 1801.04381) of any width."""

    def __init__(self, width=0.35, classes=10):
        super().__init__()
        inputs = _divisible(32 * width)
        layers = [_ConvNorm(3, inputs, 3, 2)]
        for expand, channels, count, stride in [
            (1, 16, 1, 1),
            (6, 24, 2, 2),
            (6, 32, 3, 2),
            (6, 64, 4, 2),
            (6, 96, 3, 1),
            (6, 160, 3, 2),
            (6, 320, 1, 1),
        ]:
            outputs = _divisible(channels * width)
            for i in range(count):
                layers.append(_InvertedResidual(inputs, outputs, stride if i == 0 else 1, expand))
                inputs = outputs
        layers.append(_ConvNorm(inputs, 1280, 1))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(1280, classes)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class _BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = _ConvNorm(inputs, outputs, 3, stride, activation=nn.ReLU)
        self.conv2 = _ConvNorm(outputs, outputs, 3, activation=None)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = _ConvNorm(inputs, outputs, 1, stride, activation=None)

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        return F.relu(self.conv2(self.conv1(x)) + shortcut)


class ResNet18(nn.Module):
    """ResNet-18 (arXiv 1512.03385)."""

    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Sequential(_ConvNorm(3, 64, 7, 2, activation=nn.ReLU), nn.MaxPool2d(3, 2, 1))
        layers, inputs = [], 64
        for outputs, stride in [(64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)]:
            layers.append(_BasicBlock(inputs, outputs, stride))
            inputs = outputs
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        return self.fc(self.layers(self.stem(x)).mean((2, 3)))


class _Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape

        def split(t):
            return t.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

        y = F.scaled_dot_product_attention(split(self.query(x)), split(self.key(x)), split(self.value(x)))
        x = self.norm1(x + self.out(y.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x), approximate="tanh")))


class Transformer(nn.Module):
    """An encoder over embeddings, with a classifier on the first position."""

    def __init__(self, width=256, heads=4, layers=4, classes=4):
        super().__init__()
        self.blocks = nn.Sequential(*[_Block(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.blocks(x)[:, 0])


class DSCNN(nn.Module):
    """Keyword spotting: a convolution and four depthwise-separable ones (arXiv 1711.07128, size S)."""

    def __init__(self, width=64, classes=12):
        super().__init__()

        def norm(conv):
            return nn.Sequential(conv, nn.BatchNorm2d(width), nn.ReLU())

        self.stem = norm(nn.Conv2d(1, width, (10, 4), stride=2, padding=(5, 1), bias=False))
        self.blocks = nn.Sequential(*[
            nn.Sequential(
                norm(nn.Conv2d(width, width, 3, padding=1, groups=width, bias=False)),
                norm(nn.Conv2d(width, width, 1, bias=False)),
            )
            for _ in range(4)
        ])  # fmt: skip
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def build(name: str) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """A model in eval mode (frozen statistics), a batch and targets; the same every time."""
    torch.manual_seed(0)
    if name == "mobilenetv2":
        model, x, classes = MobileNetV2(), torch.randn(8, 3, 128, 128), 10
    elif name == "resnet18":
        model, x, classes = ResNet18(), torch.randn(4, 3, 96, 96), 10
    elif name == "transformer":
        model, x, classes = Transformer(), torch.randn(8, 128, 256), 4
    else:
        raise ValueError(f"unknown model {name!r}: mobilenetv2, resnet18, transformer")
    return model.eval(), x, torch.randint(0, classes, (x.shape[0],))


MODELS = ("mobilenetv2", "transformer", "resnet18")
