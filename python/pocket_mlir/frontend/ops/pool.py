"""Max and average pooling, also adaptive; one-dimensional ones get a unit dimension."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers


def _pair(value: Sequence[int], spatial: int) -> list[int]:
    """PyTorch's list of one or two numbers as two; a 1-D pool gets the neutral one first."""
    return list(value) * spatial if len(value) == 1 else list(value)


def _lift(b: Builder, x: Tensor, spatial: int) -> Tensor:
    """`x` as [batch, channels, height, width]."""
    if spatial == 1:
        x = b.unsqueeze(x, x.rank - 1)
    return b.unsqueeze(x, 0) if x.rank == 3 else x


def _window(spatial: int, neutral: int, value: Sequence[int]) -> list[int]:
    value = _pair(value, spatial)
    return [neutral, *value] if spatial == 1 else value


def _max_pool(spatial: int):
    def lower(b: Builder, x, kernel, stride, padding, dilation, ceil_mode) -> Tensor:
        y = b.max_pool2d(
            _lift(b, x, spatial),
            _window(spatial, 1, kernel),
            _window(spatial, 1, stride or kernel),
            _window(spatial, 0, padding),
            _window(spatial, 1, dilation),
            ceil_mode,
        )
        return b.reshape(y, b.out.shape)

    return lower


lowers("torch.aten.max_pool1d")(_max_pool(1))
lowers("torch.aten.max_pool2d")(_max_pool(2))


@lowers("torch.aten.max_pool2d_with_indices")
def max_pool_with_indices(b: Builder, *operands):
    # The index PyTorch returns is another one than ours; nothing may read it.
    return _max_pool(2)(b, *operands), None


def _avg_pool(spatial: int):
    def lower(
        b: Builder, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor=None
    ) -> Tensor:
        if divisor is not None:
            raise Unsupported(
                f"divisor_override={divisor}",
                "the size of the window as the divisor",
                "multiply the result with a constant instead",
            )
        y = b.avg_pool2d(
            _lift(b, x, spatial),
            _window(spatial, 1, kernel),
            _window(spatial, 1, stride or kernel),
            _window(spatial, 0, padding),
            ceil_mode,
            count_include_pad,
        )
        return b.reshape(y, b.out.shape)

    return lower


lowers("torch.aten.avg_pool1d")(_avg_pool(1))
lowers("torch.aten.avg_pool2d")(_avg_pool(2))


def _adaptive_avg_pool(spatial: int):
    def lower(b: Builder, x: Tensor, size: Sequence[int]) -> Tensor:
        inner, outer = x.shape[-spatial:], b.out.shape[-spatial:]
        dims = list(range(x.rank - spatial, x.rank))
        if all(o == 1 for o in outer):
            return b.mean(x, dims, keepdims=True)
        if all(i % o == 0 for i, o in zip(inner, outer)):
            kernel = [i // o for i, o in zip(inner, outer)]
            return _avg_pool(spatial)(b, x, kernel, kernel, [0], False, True)
        for dim, o in zip(dims, outer):
            x = _pool_by_matrix(b, x, dim, o)
        return x

    return lower


def _pool_by_matrix(b: Builder, x: Tensor, dim: int, size: int) -> Tensor:
    """Means over unequal windows of one dimension, as a product with a constant matrix."""
    length = x.shape[dim]
    matrix = np.zeros((length, size), np.float32)
    for i in range(size):
        start, end = i * length // size, -(-(i + 1) * length // size)
        matrix[start:end, i] = 1 / (end - start)
    moved = b.move(x, dim, x.rank - 1)
    rows = b.reshape(moved, [x.size // length, length])
    y = b.matmul(rows, b.constant(matrix, x.dtype))
    return b.move(b.reshape(y, [*moved.shape[:-1], size]), x.rank - 1, dim)


lowers("torch.aten.adaptive_avg_pool1d")(_adaptive_avg_pool(1))
lowers("torch.aten.adaptive_avg_pool2d", "torch.aten._adaptive_avg_pool2d")(_adaptive_avg_pool(2))


def _adaptive_max_pool(spatial: int):
    def lower(b: Builder, x: Tensor, size: Sequence[int]):
        inner, outer = x.shape[-spatial:], b.out.shape[-spatial:]
        if any(i % o for i, o in zip(inner, outer)):
            raise Unsupported(
                f"{list(inner)} pooled to {list(outer)}",
                "output sizes that divide the input's",
                "choose another output size, or nn.MaxPool2d",
            )
        kernel = [i // o for i, o in zip(inner, outer)]
        return _max_pool(spatial)(b, x, kernel, kernel, [0], [1], False), None

    return lower


lowers("torch.aten.adaptive_max_pool1d")(_adaptive_max_pool(1))
lowers("torch.aten.adaptive_max_pool2d")(_adaptive_max_pool(2))


@lowers(
    "torch.aten.max_pool3d",
    "torch.aten.max_pool3d_with_indices",
    "torch.aten.avg_pool3d",
    "torch.aten.adaptive_avg_pool3d",
)
def pool3d(b: Builder, x: Tensor, *_: object) -> Tensor:
    raise Unsupported(f"a 3-D pool of {x}", "1-D and 2-D pools")
