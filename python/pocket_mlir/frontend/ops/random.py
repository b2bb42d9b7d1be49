"""Dropout and other randomness: the identity where it is off, unsupported where it is on."""

from __future__ import annotations

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers

DROPOUT_ADVICE = (
    "set its probability to 0 (p of nn.Dropout, dropout of nn.MultiheadAttention, the argument of a "
    "call in forward, the dropout entries of the model's config), or call .eval() on this layer "
    "before compiling"
)


def _dropout(b: Builder, x: Tensor, p: float, training: bool) -> Tensor:
    if p and training:
        raise Unsupported(
            f"dropout with p={p} in training mode on {x}",
            "dropout with p=0 or in eval mode",
            DROPOUT_ADVICE,
        )
    return x


lowers(
    "torch.aten.dropout",
    "torch.aten.alpha_dropout",
    "torch.aten.feature_dropout",
    "torch.aten.feature_alpha_dropout",
)(_dropout)


@lowers("torch.aten.native_dropout")
def native_dropout(b: Builder, x: Tensor, p: float, training: bool):
    return _dropout(b, x, p, training), None


@lowers("torch.aten.rrelu")
def rrelu(b: Builder, x: Tensor, low: float, high: float, training: bool, *_: object) -> Tensor:
    if training:
        raise Unsupported("rrelu in training mode", "rrelu in eval mode", "use nn.LeakyReLU")
    return b.unary("leaky_relu", x, slope=(low + high) / 2)


@lowers(
    "torch.aten.rand",
    "torch.aten.rand_like",
    "torch.aten.randn",
    "torch.aten.randn_like",
    "torch.aten.randint",
    "torch.aten.randint.low",
    "torch.aten.randperm",
    "torch.aten.bernoulli",
    "torch.aten.bernoulli.p",
    "torch.aten.multinomial",
    "torch.aten.uniform",
    "torch.aten.normal_functional",
    "torch.aten.normal.float_float",
)
def noise(b: Builder, *_: object) -> Tensor:
    raise Unsupported(
        f"random numbers as {b.out}",
        "deterministic models",
        "pass the random tensor as an input of the model",
    )
