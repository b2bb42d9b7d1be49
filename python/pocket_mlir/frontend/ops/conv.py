"""Convolutions. One-dimensional ones are two-dimensional with a unit dimension."""

from __future__ import annotations

from collections.abc import Sequence

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers

_SUPPORTED = "conv1d and conv2d: groups, stride, dilation, zero padding"


@lowers("torch.aten.conv2d")
def conv2d(b: Builder, x, weight, bias, stride, padding, dilation, groups) -> Tensor:
    return _conv(b, x, weight, bias, stride, padding, dilation, groups)


@lowers("torch.aten.conv1d")
def conv1d(b: Builder, x, weight, bias, stride, padding, dilation, groups) -> Tensor:
    return _conv(b, x, weight, bias, stride, padding, dilation, groups)


@lowers("torch.aten.conv2d.padding", "torch.aten.conv1d.padding")
def conv_same(b: Builder, x, weight, bias, stride, padding: str, dilation, groups) -> Tensor:
    """`padding` is "same" or "valid"; an odd remainder goes to the end, as in PyTorch."""
    spatial = weight.rank - 2
    pairs = [(0, 0)] * spatial
    if padding == "same":
        totals = [
            d * (k - 1) for d, k in zip(_per_dim(dilation, spatial), weight.shape[2:])
        ]
        pairs = [(total // 2, total - total // 2) for total in totals]
    return _conv(b, x, weight, bias, stride, pairs, dilation, groups)


@lowers("torch.aten.convolution")
def convolution(
    b: Builder, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups
) -> Tensor:
    if transposed:
        _transposed(b, x, weight)
    return _conv(b, x, weight, bias, stride, padding, dilation, groups)


@lowers("torch.aten.conv3d", "torch.aten.conv3d.padding")
def conv3d(b: Builder, x, weight, *_: object) -> Tensor:
    raise Unsupported(f"a 3-D convolution of {x}", _SUPPORTED)


@lowers(
    "torch.aten.conv_transpose1d",
    "torch.aten.conv_transpose2d.input",
    "torch.aten.conv_transpose3d.input",
)
def _transposed(b: Builder, x, weight, *_: object) -> Tensor:
    raise Unsupported(
        f"a transposed convolution of {x} by {weight}",
        _SUPPORTED,
        "upsample (nn.Upsample) and convolve instead",
    )


def _per_dim(value: Sequence[int], n: int) -> list[int]:
    return list(value) * n if len(value) == 1 else list(value)


def _conv(b: Builder, x, weight, bias, stride, padding, dilation, groups: int) -> Tensor:
    spatial = weight.rank - 2
    if spatial not in (1, 2):
        raise Unsupported(f"a {spatial}-D convolution of {x}", _SUPPORTED)
    strides, dilations = _per_dim(stride, spatial), _per_dim(dilation, spatial)
    pairs = [p if isinstance(p, tuple) else (p, p) for p in _per_dim(padding, spatial)]
    shape = b.out.shape
    if x.rank == spatial + 1:
        x = b.unsqueeze(x, 0)
    if spatial == 1:
        x, weight = b.unsqueeze(x, 2), b.unsqueeze(weight, 2)
        strides, dilations, pairs = [1, *strides], [1, *dilations], [(0, 0), *pairs]
    flat = [amount for pair in pairs for amount in pair]
    y = b.conv2d(x, weight, bias, strides, flat, dilations, groups)
    return b.reshape(y, shape)
