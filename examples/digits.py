"""The data and the model of the digits example.

scikit-learn ships 1,797 handwritten digits of 8x8 pixels. The classes 0-4 play the data
that a model was trained on before it was shipped; 5-9 are what the device's user writes.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn

PRETRAINED = Path(__file__).parent / "data" / "digits_0to4.safetensors"
IMAGE_SIZE = 32


def load_digits(first: int) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The five digits from `first` on as (images, labels 0-4), for training and held out.

    Whether an image is held out depends on its pixels only, one in four.
    """
    from sklearn.datasets import load_digits as load

    data = load()
    chosen = (data.target >= first) & (data.target < first + 5)
    pixels = data.images[chosen].astype(np.float32)
    labels = (data.target[chosen] - first).astype(np.int64)
    images = torch.nn.functional.interpolate(
        torch.from_numpy(pixels)[:, None], size=(IMAGE_SIZE, IMAGE_SIZE), mode="bilinear"
    )
    images = (images.numpy() - 4.9) / 6.0  # mean and deviation of the pixels, which go from 0 to 16
    held_out = np.array([zlib.crc32(image.tobytes()) % 4 == 0 for image in pixels])
    return (images[~held_out], labels[~held_out]), (images[held_out], labels[held_out])


def batches(images: np.ndarray, labels: np.ndarray, size: int, order: np.random.Generator | None = None):
    """A list of (images, labels): shuffled full batches, or without `order` everything in turn."""
    if order is None:
        return [(images[i : i + size], labels[i : i + size]) for i in range(0, len(labels), size)]
    rows = order.permutation(len(labels))[: len(labels) // size * size].reshape(-1, size)
    return [(images[batch], labels[batch]) for batch in rows]


class ConvNorm(nn.Sequential):
    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1, act: bool = True):
        layers = [
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
        ]
        super().__init__(*layers, *([nn.ReLU6()] if act else []))


class InvertedResidual(nn.Module):
    """MobileNetV2's block: widen by 1x1, filter each channel alone, narrow by 1x1."""

    def __init__(self, inputs: int, outputs: int, stride: int, expand: int):
        super().__init__()
        hidden = inputs * expand
        self.block = nn.Sequential(
            *([ConvNorm(inputs, hidden, 1)] if expand > 1 else []),
            ConvNorm(hidden, hidden, 3, stride, groups=hidden),
            ConvNorm(hidden, outputs, 1, act=False),
        )
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.block(x) if self.residual else self.block(x)


class DigitNet(nn.Module):
    """A small MobileNetV2."""

    # expand, channels, blocks, stride of the first
    STAGES = [(1, 12, 1, 1), (4, 16, 2, 2), (4, 24, 3, 2), (4, 32, 2, 1)]

    def __init__(self, classes: int = 5):
        super().__init__()
        layers: list[nn.Module] = [ConvNorm(1, 16, 3, stride=2)]
        channels = 16
        for expand, outputs, blocks, stride in self.STAGES:
            for block in range(blocks):
                layers.append(InvertedResidual(channels, outputs, stride if block == 0 else 1, expand))
                channels = outputs
        layers.append(ConvNorm(channels, 128, 1))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(128, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x).mean((2, 3)))


def accuracy(model: nn.Module, images: np.ndarray, labels: np.ndarray) -> float:
    """The part of the images that a PyTorch model classifies rightly, in evaluation mode."""
    model.eval()
    with torch.no_grad():
        return float((model(torch.from_numpy(images)).argmax(1).numpy() == labels).mean())
