"""Convolutions. One-dimensional ones are two-dimensional with a unit dimension."""

from __future__ import annotations

from collections.abc import Sequence

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers

_SUPPORTED = "1-D and 2-D convolutions: groups, stride, dilation, zero padding, transposed"
_ADVICE = "replace it by 2-D convolutions, folding the third dimension into the batch or channels"


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
        return conv_transpose(
            b, x, weight, bias, stride, padding, output_padding, groups, dilation
        )
    return _conv(b, x, weight, bias, stride, padding, dilation, groups)


@lowers("torch.aten.conv_transpose1d", "torch.aten.conv_transpose2d.input")
def conv_transpose(
    b: Builder, x, weight, bias, stride, padding, output_padding, groups, dilation
) -> Tensor:
    """A transposed convolution is the gradient of a convolution for its input."""
    spatial = weight.rank - 2
    x, weight, strides, pairs, dilations = _two_dimensional(
        b, x, weight, stride, padding, dilation
    )
    # The output's padding is in PyTorch's result shape already.
    size = [1, b.out.shape[-1]] if spatial == 1 else list(b.out.shape[-2:])
    shape = [x.shape[0], weight.shape[1] * groups, *size]
    flat = [amount for pair in pairs for amount in pair]
    y = b.conv2d_input_grad(x, weight, shape, strides, flat, dilations, groups)
    if bias is not None:
        y = b.add(y, b.reshape(bias, [bias.size, 1, 1]))
    return b.reshape(y, b.out.shape)


@lowers(
    "torch.aten.conv3d", "torch.aten.conv3d.padding", "torch.aten.conv_transpose3d.input"
)
def conv3d(b: Builder, x, weight, *_: object) -> Tensor:
    raise Unsupported(f"a 3-D convolution of {x}", _SUPPORTED, _ADVICE)


def _per_dim(value: Sequence[int], n: int) -> list[int]:
    return list(value) * n if len(value) == 1 else list(value)


def _two_dimensional(b: Builder, x, weight, stride, padding, dilation):
    """Operands and options with a batch, and with a unit dimension when they have one only.

    `padding` is a number, or a pair of numbers, per dimension.
    """
    spatial = weight.rank - 2
    if spatial not in (1, 2):
        raise Unsupported(f"a {spatial}-D convolution of {x}", _SUPPORTED, _ADVICE)
    strides, dilations = _per_dim(stride, spatial), _per_dim(dilation, spatial)
    pairs = [p if isinstance(p, tuple) else (p, p) for p in _per_dim(padding, spatial)]
    if x.rank == spatial + 1:
        x = b.unsqueeze(x, 0)
    if spatial == 1:
        x, weight = b.unsqueeze(x, 2), b.unsqueeze(weight, 2)
        strides, dilations, pairs = [1, *strides], [1, *dilations], [(0, 0), *pairs]
    return x, weight, strides, pairs, dilations


def _conv(b: Builder, x, weight, bias, stride, padding, dilation, groups: int) -> Tensor:
    x, weight, strides, pairs, dilations = _two_dimensional(
        b, x, weight, stride, padding, dilation
    )
    flat = [amount for pair in pairs for amount in pair]
    y = b.conv2d(x, weight, bias, strides, flat, dilations, groups)
    return b.reshape(y, b.out.shape)
