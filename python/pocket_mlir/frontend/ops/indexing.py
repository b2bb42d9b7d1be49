"""Looking things up by index: embeddings, gather, advanced indexing, one-hot."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers


@lowers("torch.aten.embedding")
def embedding(
    b: Builder,
    weight: Tensor,
    indices: Tensor,
    padding_idx: int,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Tensor:
    if scale_grad_by_freq:
        raise Unsupported("scale_grad_by_freq=True", "embeddings with the plain gradient")
    return b.embedding(weight, indices, padding_idx)


@lowers("torch.aten.gather")
def gather(b: Builder, x: Tensor, dim: int, indices: Tensor, sparse_grad: bool) -> Tensor:
    if x.rank == 0:
        return b.broadcast(x, b.out.shape)
    return b.gather(x, indices, b.dim(x, dim))


@lowers("torch.aten.index_select")
def index_select(b: Builder, x: Tensor, dim: int, indices: Tensor) -> Tensor:
    indices = b.reshape(indices, [indices.size])
    return take(b, x, b.dim(x, dim), indices) if x.rank else b.broadcast(x, b.out.shape)


def take(b: Builder, x: Tensor, dim: int, indices: Tensor) -> Tensor:
    """Slices of `x` along `dim`; the dimensions of `indices` take that one's place."""
    front = b.move(x, dim, 0)
    rest = front.shape[1:]
    table = b.reshape(front, [x.shape[dim], math.prod(rest)])
    rows = b.reshape(b.embedding(table, indices), [*indices.shape, *rest])
    n = indices.rank
    # The looked-up dimensions stand in front; put them where `dim` was.
    order = [*range(n, n + dim), *range(n), *range(n + dim, rows.rank)]
    return b.transpose(rows, order)


@lowers("torch.aten.index.Tensor", "torch.aten._unsafe_index.Tensor")
def index(b: Builder, x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    indexed = [d for d, i in enumerate(indices) if i is not None]
    for i in (indices[d] for d in indexed):
        if i.dtype in ("i1", "i8"):
            raise Unsupported(
                f"a boolean mask {i} as an index of {x}",
                "integer indices",
                "the result's size depends on data: use torch.where, or multiply with the mask",
            )
    shape = np.broadcast_shapes(*(indices[d].shape for d in indexed))
    # Several indices are one index into the dimensions they stand on, merged.
    adjacent = indexed == list(range(indexed[0], indexed[-1] + 1))
    position = indexed[0] if adjacent else 0
    rest = [d for d in range(x.rank) if d not in indexed]
    moved = b.transpose(x, [*rest[:position], *indexed, *rest[position:]])
    sizes = [x.shape[d] for d in indexed]
    merged = b.reshape(
        moved,
        [*moved.shape[:position], math.prod(sizes), *moved.shape[position + len(indexed) :]],
    )
    flat = None
    for d, size in zip(indexed, sizes):
        i = _from_the_front(b, b.convert(indices[d], "i64"), size)
        flat = i if flat is None else b.add(b.mul(flat, b.scalar(size, "i64")), i)
    return take(b, merged, position, b.broadcast(flat, shape))


def _from_the_front(b: Builder, index: Tensor, size: int) -> Tensor:
    """Negative indices count from the end."""
    if b.known_non_negative(index):
        return index
    negative = b.compare("lt", index, b.scalar(0, index.dtype))
    return b.select(negative, b.add(index, b.scalar(size, index.dtype)), index)


@lowers("torch.aten.index_put", "torch.aten._unsafe_index_put")
def index_put(b: Builder, x: Tensor, indices, value: Tensor, accumulate: bool) -> Tensor:
    mask = indices[0] if len(indices) == 1 else None
    if mask is None or not mask.is_bool or value.size != 1:
        raise Unsupported(
            f"assignment to {x} by index",
            "x[mask] = number, and assignment to slices",
            "use torch.where, or torch.cat of the parts",
        )
    mask = b.reshape(mask, [*mask.shape, *[1] * (x.rank - mask.rank)])
    value = b.reshape(b.convert(value, x.dtype), [])
    return b.select(mask, b.add(x, value) if accumulate else value, x)


@lowers("torch.aten.one_hot")
def one_hot(b: Builder, x: Tensor, classes: int) -> Tensor:
    steps = b.constant(np.arange(b.out.shape[-1], dtype=np.int64))
    return b.convert(b.compare("eq", b.unsqueeze(x, x.rank), steps), "i64")


@lowers("torch.aten.select_scatter")
def select_scatter(b: Builder, x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    dim = b.dim(x, dim)
    return _replace(b, x, b.unsqueeze(source, dim), dim, index % x.shape[dim], 1, 1)


@lowers("torch.aten.slice_scatter")
def slice_scatter(b: Builder, x: Tensor, source: Tensor, dim, start, end, step: int) -> Tensor:
    dim = b.dim(x, dim)
    size = x.shape[dim]
    start = 0 if start is None else start
    start = min(max(start + size if start < 0 else start, 0), size)
    return _replace(b, x, source, dim, start, source.shape[dim], step)


def _replace(b: Builder, x: Tensor, source: Tensor, dim, start: int, count: int, step: int):
    """`x` with `count` slices along `dim` replaced by those of `source`."""
    source = b.convert(source, x.dtype)
    if step != 1:
        raise Unsupported(f"assignment to every {step}th slice", "assignment to adjacent slices")
    end = start + count
    pieces = [
        b.slice_dim(x, dim, 0, start) if start else None,
        source,
        b.slice_dim(x, dim, end, x.shape[dim] - end) if end < x.shape[dim] else None,
    ]
    return b.concat([piece for piece in pieces if piece is not None], dim)


@lowers(
    "torch.aten.nonzero",
    "torch.aten.masked_select",
    "torch.aten._unique2",
    "torch.aten.unique_dim",
    "torch.aten.unique_consecutive",
)
def data_dependent_shape(b: Builder, x: Tensor, *_: object):
    raise Unsupported(
        f"a result whose size depends on the data of {x}",
        "sizes known at compile time",
        "use torch.where, or compute it in the data pipeline",
    )
