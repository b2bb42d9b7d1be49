"""Max and average pools, with PyTorch's rules for `ceil_mode` and the divisor."""

from __future__ import annotations

import numpy as np

from ..registry import TensorType, op
from .linear import from_nchw, nchw_shape, tap_window, to_nchw


def pooled_size(size, kernel, stride, padding, dilation, ceil_mode):
    """Length of one pooled dimension.

    With `ceil_mode` the last window may reach past the padded input, but has to
    start within the input or the padding before it.
    """
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    out = (-(-room // stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (out - 1) * stride >= size + padding:
        out -= 1
    return out


def _out_size(size, kernel, strides, padding, dilations, ceil_mode):
    return tuple(
        pooled_size(*each, ceil_mode)
        for each in zip(size, kernel, strides, padding, dilations, strict=True)
    )


def _reach(size, out_size, kernel, strides, padding, dilations):
    """Padding after each dimension that makes room for the last window."""
    return tuple(
        max(0, (out - 1) * s + d * (k - 1) + 1 - n - p)
        for n, out, k, s, p, d in zip(
            size, out_size, kernel, strides, padding, dilations, strict=True)
    )


@op("max_pool2d")
def max_pool2d(x, *, kernel, strides, padding=(0, 0), dilations=(1, 1), ceil_mode=False,
               layout="nchw", result_types: list[TensorType] | None = None):
    """The largest element of each window, and which tap (i * kw + j) it came from.

    The first of equals wins, and the last NaN over everything; padding never does.
    """
    x = to_nchw(x, layout)
    size = x.shape[2:]
    out_size = _out_size(size, kernel, strides, padding, dilations, ceil_mode)
    after = _reach(size, out_size, kernel, strides, padding, dilations)
    widths = ((0, 0), (0, 0), *zip(padding, after, strict=True))
    padded = np.pad(x, widths)
    inside = np.pad(np.ones(x.shape, bool), widths)

    y = np.zeros((*x.shape[:2], *out_size), x.dtype)
    index = np.full(y.shape, -1)
    for tap, (i, j) in enumerate(np.ndindex(*kernel)):
        rows, cols = tap_window((i, j), out_size, strides, dilations)
        seen = padded[:, :, rows, cols]
        better = (index < 0) | (seen > y) | np.isnan(seen)
        wins = inside[:, :, rows, cols] & better
        y = np.where(wins, seen, y)
        index = np.where(wins, tap, index)
    index_type = result_types[1].dtype if result_types else np.int32
    return from_nchw(y, layout), from_nchw(index, layout).astype(index_type)


@op("max_pool2d_grad")
def max_pool2d_grad(dy, index, *, kernel, strides, padding=(0, 0), dilations=(1, 1),
                    ceil_mode=False, layout="nchw", result_types: list[TensorType]):
    dy, index = to_nchw(dy, layout), to_nchw(index, layout)
    n, c, *size = nchw_shape(result_types[0].shape, layout)
    out_size = dy.shape[2:]
    after = _reach(size, out_size, kernel, strides, padding, dilations)
    dx = np.zeros((n, c, *(m + p + a for m, p, a in zip(size, padding, after, strict=True))),
                  dy.dtype)
    for tap, (i, j) in enumerate(np.ndindex(*kernel)):
        rows, cols = tap_window((i, j), out_size, strides, dilations)
        dx[:, :, rows, cols] += np.where(index == tap, dy, 0)
    top, left = padding
    return from_nchw(dx[:, :, top:top + size[0], left:left + size[1]], layout)


def _divisors(size, out, kernel, stride, padding, count_include_pad):
    """How many elements each window of one dimension counts.

    Padding counts with `count_include_pad`; what `ceil_mode` adds beyond never does.
    """
    start = np.arange(out) * stride - padding
    if count_include_pad:
        return np.minimum(start + kernel, size + padding) - start
    return np.minimum(start + kernel, size) - np.maximum(start, 0)


def _divisor(size, out_size, kernel, strides, padding, count_include_pad, dtype):
    rows, cols = (
        _divisors(*each, count_include_pad)
        for each in zip(size, out_size, kernel, strides, padding, strict=True)
    )
    return np.outer(rows, cols).astype(dtype)


@op("avg_pool2d")
def avg_pool2d(x, *, kernel, strides, padding=(0, 0), ceil_mode=False, count_include_pad=True,
               layout="nchw"):
    x = to_nchw(x, layout)
    size = x.shape[2:]
    out_size = _out_size(size, kernel, strides, padding, (1, 1), ceil_mode)
    after = _reach(size, out_size, kernel, strides, padding, (1, 1))
    padded = np.pad(x, ((0, 0), (0, 0), *zip(padding, after, strict=True)))
    y = np.zeros((*x.shape[:2], *out_size), x.dtype)
    for i, j in np.ndindex(*kernel):
        rows, cols = tap_window((i, j), out_size, strides, (1, 1))
        y += padded[:, :, rows, cols]
    y /= _divisor(size, out_size, kernel, strides, padding, count_include_pad, x.dtype)
    return from_nchw(y, layout)


@op("avg_pool2d_grad")
def avg_pool2d_grad(dy, *, kernel, strides, padding=(0, 0), ceil_mode=False,
                    count_include_pad=True, layout="nchw", result_types: list[TensorType]):
    dy = to_nchw(dy, layout)
    n, c, *size = nchw_shape(result_types[0].shape, layout)
    out_size = dy.shape[2:]
    after = _reach(size, out_size, kernel, strides, padding, (1, 1))
    share = dy / _divisor(size, out_size, kernel, strides, padding, count_include_pad, dy.dtype)
    dx = np.zeros((n, c, *(m + p + a for m, p, a in zip(size, padding, after, strict=True))),
                  dy.dtype)
    for i, j in np.ndindex(*kernel):
        rows, cols = tap_window((i, j), out_size, strides, (1, 1))
        dx[:, :, rows, cols] += share
    top, left = padding
    return from_nchw(dx[:, :, top:top + size[0], left:left + size[1]], layout)
