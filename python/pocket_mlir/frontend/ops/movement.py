"""Operations that only move elements: views, permutations, slices, padding."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..builder import Builder, Tensor
from ..registry import lowers


@lowers(
    "torch.aten.view",
    "torch.aten.reshape",
    "torch.aten._unsafe_view",
    "torch.aten._reshape_alias",
    "torch.aten.flatten.using_ints",
    "torch.aten.unflatten.int",
    "torch.aten.unsqueeze",
    "torch.aten.squeeze",
    "torch.aten.squeeze.dim",
    "torch.aten.squeeze.dims",
)
def reshape(b: Builder, x: Tensor, *_: object) -> Tensor:
    return b.reshape(x, b.out.shape)


@lowers("torch.aten.permute")
def permute(b: Builder, x: Tensor, dims: Sequence[int]) -> Tensor:
    return b.transpose(x, [b.dim(x, d) for d in dims])


@lowers("torch.aten.transpose.int")
def transpose(b: Builder, x: Tensor, first: int, second: int) -> Tensor:
    return b.swap(x, b.dim(x, first), b.dim(x, second))


@lowers("torch.aten.t", "torch.aten.numpy_T")
def t(b: Builder, x: Tensor) -> Tensor:
    return b.transpose(x, reversed(range(x.rank)))


@lowers("torch.aten.expand", "torch.aten.broadcast_to", "torch.aten.expand_as")
def expand(b: Builder, x: Tensor, *_: object) -> Tensor:
    return b.broadcast(x, b.out.shape)


@lowers("torch.aten.repeat")
def repeat(b: Builder, x: Tensor, repeats: Sequence[int]) -> Tensor:
    return tile(b, x, repeats)


def tile(b: Builder, x: Tensor, repeats: Sequence[int]) -> Tensor:
    """`x` repeated along each dimension: an interleaved broadcast and a reshape."""
    shape = [1] * (len(repeats) - x.rank) + list(x.shape)
    paired = [part for size in shape for part in (1, size)]
    full = [part for times, size in zip(repeats, shape) for part in (times, size)]
    spread = b.broadcast(b.reshape(x, paired), full)
    return b.reshape(spread, [times * size for times, size in zip(repeats, shape)])


@lowers("torch.aten.repeat_interleave.self_int")
def repeat_interleave(b: Builder, x: Tensor, times: int, dim: int | None, size=None) -> Tensor:
    if dim is None:
        x, dim = b.reshape(x, [x.size]), 0
    dim = b.dim(x, dim)
    spread = b.unsqueeze(x, dim + 1)
    shape = list(spread.shape)
    shape[dim + 1] = times
    return b.reshape(b.broadcast(spread, shape), b.out.shape)


@lowers("torch.aten.slice.Tensor")
def slice_(b: Builder, x: Tensor, dim: int, start, end, step: int) -> Tensor:
    dim = b.dim(x, dim)
    size = x.shape[dim]
    start = 0 if start is None else start
    start = min(max(start + size if start < 0 else start, 0), size)
    return b.slice_dim(x, dim, start, b.out.shape[dim], step)


@lowers("torch.aten.narrow")
def narrow(b: Builder, x: Tensor, dim: int, start: int, length: int) -> Tensor:
    dim = b.dim(x, dim)
    return b.slice_dim(x, dim, start % x.shape[dim] if start < 0 else start, length)


@lowers("torch.aten.select.int")
def select(b: Builder, x: Tensor, dim: int, index: int) -> Tensor:
    dim = b.dim(x, dim)
    return b.reshape(b.slice_dim(x, dim, index % x.shape[dim], 1), b.out.shape)


@lowers("torch.aten.unbind.int")
def unbind(b: Builder, x: Tensor, dim: int):
    dim = b.dim(x, dim)
    shape = [*x.shape[:dim], *x.shape[dim + 1 :]]
    return [b.reshape(b.slice_dim(x, dim, i, 1), shape) for i in range(x.shape[dim])]


def _split(b: Builder, x: Tensor, sizes: Sequence[int], dim: int) -> list[Tensor]:
    pieces, offset = [], 0
    for size in sizes:
        pieces.append(b.slice_dim(x, dim, offset, size))
        offset += size
    return pieces


@lowers("torch.aten.split.Tensor", "torch.aten.unsafe_split.Tensor")
def split(b: Builder, x: Tensor, size: int, dim: int):
    dim = b.dim(x, dim)
    total = x.shape[dim]
    return _split(b, x, [min(size, total - at) for at in range(0, total, size)], dim)


@lowers(
    "torch.aten.split_with_sizes",
    "torch.aten.split.sizes",
    "torch.aten.unsafe_split_with_sizes",
)
def split_with_sizes(b: Builder, x: Tensor, sizes: Sequence[int], dim: int):
    return _split(b, x, sizes, b.dim(x, dim))


@lowers("torch.aten.chunk")
def chunk(b: Builder, x: Tensor, chunks: int, dim: int):
    size = math.ceil(x.shape[b.dim(x, dim)] / chunks)
    return split(b, x, size, dim)


@lowers("torch.aten.cat")
def cat(b: Builder, tensors: Sequence[Tensor], dim: int) -> Tensor:
    # PyTorch ignores empty vectors here, whatever the others' rank.
    tensors = [t for t in tensors if t.shape != (0,)] or list(tensors)
    tensors = [b.convert(t, b.out.dtype) for t in tensors]
    return b.concat(tensors, b.dim(tensors[0], dim))


@lowers("torch.aten.stack")
def stack(b: Builder, tensors: Sequence[Tensor], dim: int) -> Tensor:
    dim = dim % b.out.rank
    return b.concat([b.unsqueeze(b.convert(t, b.out.dtype), dim) for t in tensors], dim)


@lowers("torch.aten.flip")
def flip(b: Builder, x: Tensor, dims: Sequence[int]) -> Tensor:
    return b.reverse(x, b.dims(x, dims)) if dims else x


@lowers("torch.aten.roll")
def roll(b: Builder, x: Tensor, shifts, dims) -> Tensor:
    if not dims:
        flat = roll(b, b.reshape(x, [x.size]), shifts, [0])
        return b.reshape(flat, x.shape)
    for shift, dim in zip(shifts, dims):
        dim = b.dim(x, dim)
        size = x.shape[dim]
        shift %= size
        if shift:
            tail = b.slice_dim(x, dim, size - shift, shift)
            x = b.concat([tail, b.slice_dim(x, dim, 0, size - shift)], dim)
    return x


# -- padding --------------------------------------------------------------------------


@lowers("torch.aten.constant_pad_nd")
def constant_pad(b: Builder, x: Tensor, amounts: Sequence[int], value: float) -> Tensor:
    return pad(b, x, amounts, "constant", value)


@lowers("torch.aten.pad")
def pad(b: Builder, x: Tensor, amounts: Sequence[int], mode: str, value) -> Tensor:
    """`amounts` as PyTorch has them: pairs, the last dimension first; negative ones crop."""
    low, high = [0] * x.rank, [0] * x.rank
    for i in range(len(amounts) // 2):
        low[x.rank - 1 - i], high[x.rank - 1 - i] = amounts[2 * i : 2 * i + 2]
    for dim in range(x.rank):
        before, after = min(low[dim], 0), min(high[dim], 0)
        x = b.slice_dim(x, dim, -before, x.shape[dim] + before + after)
    low, high = [max(n, 0) for n in low], [max(n, 0) for n in high]
    if mode == "constant":
        return b.pad(x, low, high, value or 0.0)
    for dim in range(x.rank):
        if low[dim] or high[dim]:
            x = _extend(b, x, dim, low[dim], high[dim], mode)
    return x


def _extend(b: Builder, x: Tensor, dim: int, low: int, high: int, mode: str) -> Tensor:
    """Pads one dimension with the tensor's own elements."""
    size = x.shape[dim]

    def repeated(at: int, times: int) -> Tensor:
        edge = b.slice_dim(x, dim, at, 1)
        shape = list(edge.shape)
        shape[dim] = times
        return b.broadcast(edge, shape)

    pieces = [x]
    if low:
        pieces.insert(
            0,
            {
                "reflect": lambda: b.reverse(b.slice_dim(x, dim, 1, low), [dim]),
                "replicate": lambda: repeated(0, low),
                "circular": lambda: b.slice_dim(x, dim, size - low, low),
            }[mode](),
        )
    if high:
        pieces.append(
            {
                "reflect": lambda: b.reverse(b.slice_dim(x, dim, size - 1 - high, high), [dim]),
                "replicate": lambda: repeated(size - 1, high),
                "circular": lambda: b.slice_dim(x, dim, 0, high),
            }[mode]()
        )
    return b.concat(pieces, dim)


def _pad_family(name: str, mode: str, ranks: str) -> None:
    def lower(b: Builder, x: Tensor, amounts: Sequence[int]) -> Tensor:
        return pad(b, x, amounts, mode, None)

    lowers(*(f"torch.aten.{name}{rank}d" for rank in ranks))(lower)


_pad_family("reflection_pad", "reflect", "123")
_pad_family("replication_pad", "replicate", "123")


# -- neighbourhoods ---------------------------------------------------------------------


@lowers("torch.aten.pixel_shuffle")
def pixel_shuffle(b: Builder, x: Tensor, factor: int) -> Tensor:
    *lead, channels, height, width = x.shape
    n = len(lead)
    split = b.reshape(x, [*lead, channels // factor**2, factor, factor, height, width])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return b.reshape(b.transpose(split, order), b.out.shape)


@lowers("torch.aten.pixel_unshuffle")
def pixel_unshuffle(b: Builder, x: Tensor, factor: int) -> Tensor:
    *lead, channels, height, width = x.shape
    n = len(lead)
    split = b.reshape(x, [*lead, channels, height // factor, factor, width // factor, factor])
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return b.reshape(b.transpose(split, order), b.out.shape)


@lowers("torch.aten.channel_shuffle")
def channel_shuffle(b: Builder, x: Tensor, groups: int) -> Tensor:
    n, channels, *spatial = x.shape
    split = b.reshape(x, [n, groups, channels // groups, *spatial])
    return b.reshape(b.swap(split, 1, 2), x.shape)


@lowers("torch.aten.diagonal")
def diagonal(b: Builder, x: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    first, second = b.dim(x, dim1), b.dim(x, dim2)
    rest = [d for d in range(x.rank) if d not in (first, second)]
    moved = b.transpose(x, [*rest, first, second])
    rows, columns = moved.shape[-2:]
    length = b.out.shape[-1]
    start = offset if offset >= 0 else -offset * columns
    flat = b.reshape(moved, [*moved.shape[:-2], rows * columns])
    # Element i of the diagonal stands at start + i * (columns + 1) of the flat matrix.
    return b.slice_dim(flat, flat.rank - 1, start, length, columns + 1)


def _triangle(keep):
    def lower(b: Builder, x: Tensor, diagonal: int) -> Tensor:
        rows, columns = x.shape[-2:]
        mask = b.constant(keep(np.ones((rows, columns), np.bool_), diagonal))
        return b.select(mask, x, b.scalar(0, x.dtype))

    return lower


lowers("torch.aten.tril")(_triangle(np.tril))
lowers("torch.aten.triu")(_triangle(np.triu))


@lowers("torch.aten.unfold")
def unfold(b: Builder, x: Tensor, dim: int, size: int, step: int) -> Tensor:
    dim = b.dim(x, dim)
    count = (x.shape[dim] - size) // step + 1
    taps = [b.slice_dim(x, dim, i, count, step) for i in range(size)]
    return b.concat([b.unsqueeze(tap, x.rank) for tap in taps], x.rank)
