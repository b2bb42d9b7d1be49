"""Operations of the backward pass: where it begins, what it keeps, chosen channels."""

from __future__ import annotations

import numpy as np

from ..registry import TensorType, op
from ..types import Channels


@op("gradient_seed")
def gradient_seed(*, result_types: list[TensorType]):
    return np.ones(result_types[0].shape, result_types[0].dtype)


@op("save")
def save(x):
    return x


@op("pack_bits")
def pack_bits(x, *, dim):
    """Bit k of byte j is element k * bytes + j along `dim`; zero where there is none."""
    x = np.moveaxis(x, dim, 0)
    count = -(-len(x) // 8)
    bits = np.zeros((8 * count, *x.shape[1:]), np.uint8)
    bits[: len(x)] = x
    packed = np.packbits(bits.reshape(8, count, *x.shape[1:]), axis=0, bitorder="little")[0]
    return np.moveaxis(packed, 0, dim).view(np.int8)


@op("unpack_bits")
def unpack_bits(x, *, dim, result_types: list[TensorType]):
    x = np.moveaxis(np.ascontiguousarray(x).view(np.uint8), dim, 0)
    bits = np.unpackbits(x[None], axis=0, bitorder="little").reshape(-1, *x.shape[1:])
    return np.moveaxis(bits[: result_types[0].shape[dim]], 0, dim).astype(np.bool_)


@op("take_channels")
def take_channels(x, *, channels: Channels):
    return np.take(x, channels.indices, axis=channels.dim)


@op("assign_channels")
def assign_channels(old, new, *, channels: Channels):
    """`old` with `new` in place of the channels."""
    result = np.moveaxis(np.array(old), channels.dim, 0)
    result[channels.indices] = np.moveaxis(new, channels.dim, 0)
    return np.moveaxis(result, 0, channels.dim)
