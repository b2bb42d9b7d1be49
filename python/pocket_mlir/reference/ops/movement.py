"""Operations that move elements without computing: shapes, slices, look-ups."""

from __future__ import annotations

import numpy as np

from ..registry import TensorType, op


@op("reshape")
def reshape(x, *, result_types: list[TensorType]):
    return x.reshape(result_types[0].shape)


@op("transpose")
def transpose(x, *, permutation):
    return np.transpose(x, permutation)


@op("broadcast")
def broadcast(x, *, result_types: list[TensorType]):
    return np.broadcast_to(x, result_types[0].shape)


@op("reverse")
def reverse(x, *, dims):
    return np.flip(x, tuple(dims))


@op("concat")
def concat(*parts, dim):
    return np.concatenate(parts, axis=dim)


@op("pad")
def pad(x, *, low, high, value=0.0):
    widths = list(zip(low, high, strict=True))
    return np.pad(x, widths, constant_values=x.dtype.type(value)) if widths else x


def _window(offsets, sizes, strides):
    """The index of `sizes` elements from `offsets` on, `strides` apart."""
    return tuple(
        slice(offset, offset + (size - 1) * stride + 1 if size else offset, stride)
        for offset, size, stride in zip(offsets, sizes, strides, strict=True)
    )


@op("slice")
def slice_(x, *, offsets, sizes, strides):
    return x[_window(offsets, sizes, strides)]


@op("slice_grad")
def slice_grad(dy, *, offsets, strides, result_types: list[TensorType]):
    """The gradient of `slice`: `dy` set into zeros."""
    shape, _ = result_types[0]
    dx = np.zeros(shape, dy.dtype)
    dx[_window(offsets, dy.shape, strides)] = dy
    return dx


# --- Look-ups -------------------------------------------------------------------


@op("embedding")
def embedding(weight, indices, *, padding_idx=-1):
    """Row `indices[...]` of `weight`. The padding row is read like any other."""
    return weight[indices]


@op("embedding_grad")
def embedding_grad(dy, indices, *, padding_idx=-1, result_types: list[TensorType]):
    """The gradient of `embedding`; none reaches the padding row."""
    shape, _ = result_types[0]
    dweight = np.zeros(shape, dy.dtype)
    np.add.at(dweight, indices, dy)
    if padding_idx >= 0:
        dweight[padding_idx] = 0
    return dweight


def _gather_index(indices, dim):
    """The full index of torch.gather: own position, but `indices` along `dim`."""
    index = list(np.indices(indices.shape, sparse=True))
    index[dim] = indices
    return tuple(index)


@op("gather")
def gather(x, indices, *, dim):
    """torch.gather: `indices` may be smaller than `x` in the other dimensions."""
    return x[_gather_index(indices, dim)]


@op("gather_grad")
def gather_grad(dy, indices, *, dim, result_types: list[TensorType]):
    shape, _ = result_types[0]
    dx = np.zeros(shape, dy.dtype)
    np.add.at(dx, _gather_index(indices, dim), dy)
    return dx
