"""Upsampling: nearest neighbour by repetition or lookup, bilinear by constant matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..builder import Builder, Tensor
from ..registry import lowers
from .indexing import take


def _nearest_source(size: int, out: int, scale: float | None, exact: bool) -> np.ndarray:
    ratio = 1 / scale if scale else size / out
    steps = np.arange(out) + (0.5 if exact else 0.0)
    return np.minimum(np.floor(steps * np.float32(ratio)), size - 1).astype(np.int64)


def _nearest(exact: bool):
    def lower(b: Builder, x: Tensor, size, *scales: object) -> Tensor:
        out = b.out.shape[2:]
        scales = scales[0] if scales and isinstance(scales[0], list) else list(scales)
        scales = scales if len(scales) == len(out) else [None] * len(out)
        for dim, (target, scale) in enumerate(zip(out, scales), start=2):
            length = x.shape[dim]
            if target % length == 0:
                before, after = x.shape[: dim + 1], x.shape[dim + 1 :]
                spread = b.broadcast(
                    b.unsqueeze(x, dim + 1), [*before, target // length, *after]
                )
                x = b.reshape(spread, [*before[:-1], target, *after])
            else:
                source = _nearest_source(length, target, scale, exact)
                x = take(b, x, dim, b.constant(source))
        return x

    return lower


lowers(
    *(f"torch.aten.upsample_nearest{rank}d{suffix}" for rank in "123" for suffix in ("", ".vec"))
)(_nearest(exact=False))
lowers(
    *(
        f"torch.aten._upsample_nearest_exact{rank}d{suffix}"
        for rank in "123"
        for suffix in ("", ".vec")
    )
)(_nearest(exact=True))


def _linear_matrix(size: int, out: int, align_corners: bool, scale: float | None) -> np.ndarray:
    """The [size, out] matrix of linear interpolation along one dimension."""
    matrix = np.zeros((size, out), np.float64)
    for i in range(out):
        if align_corners:
            at = i * (size - 1) / (out - 1) if out > 1 else 0.0
        else:
            at = max((i + 0.5) * (1 / scale if scale else size / out) - 0.5, 0.0)
        low = min(math.floor(at), size - 1)
        high = min(low + 1, size - 1)
        matrix[low, i] += 1 - (at - low)
        matrix[high, i] += at - low
    return matrix


@lowers(
    "torch.aten.upsample_linear1d.vec",
    "torch.aten.upsample_linear1d",
    "torch.aten.upsample_bilinear2d.vec",
    "torch.aten.upsample_bilinear2d",
)
def linear(b: Builder, x: Tensor, size, align_corners: bool, *scales: object) -> Tensor:
    out = b.out.shape[2:]
    given: Sequence = scales[0] if scales and isinstance(scales[0], list) else list(scales)
    given = given if len(given) == len(out) else [None] * len(out)
    for dim, (target, scale) in enumerate(zip(out, given), start=2):
        matrix = _linear_matrix(x.shape[dim], target, align_corners, scale)
        moved = b.move(x, dim, x.rank - 1)
        rows = b.reshape(moved, [x.size // x.shape[dim], x.shape[dim]])
        y = b.matmul(rows, b.constant(matrix, x.dtype))
        x = b.move(b.reshape(y, [*moved.shape[:-1], target]), x.rank - 1, dim)
    return x
