"""Sums, means, extrema, variances and norms along dimensions."""

from __future__ import annotations

import math

from ..builder import Builder, Tensor, require_float
from ..registry import Unsupported, lowers
from .elementwise import _truth


@lowers("torch.aten.sum")
def sum_all(b: Builder, x: Tensor, dtype=None) -> Tensor:
    return sum_dims(b, x, None, False)


@lowers("torch.aten.sum.dim_IntList")
def sum_dims(b: Builder, x: Tensor, dims, keepdims: bool, dtype=None) -> Tensor:
    return b.sum(b.convert(x, b.out.dtype), dims, keepdims)


@lowers("torch.aten.mean")
def mean_all(b: Builder, x: Tensor, dtype=None) -> Tensor:
    return b.mean(b.convert(x, b.out.dtype))


@lowers("torch.aten.mean.dim")
def mean_dims(b: Builder, x: Tensor, dims, keepdims: bool, dtype=None) -> Tensor:
    return b.mean(b.convert(x, b.out.dtype), dims, keepdims)


@lowers("torch.aten.amax")
def amax(b: Builder, x: Tensor, dims, keepdims: bool) -> Tensor:
    return b.reduce("reduce_max", x, dims, keepdims)


@lowers("torch.aten.amin")
def amin(b: Builder, x: Tensor, dims, keepdims: bool) -> Tensor:
    return b.reduce("reduce_min", x, dims, keepdims)


@lowers("torch.aten.max")
def max_all(b: Builder, x: Tensor) -> Tensor:
    return b.reduce("reduce_max", x)


@lowers("torch.aten.min")
def min_all(b: Builder, x: Tensor) -> Tensor:
    return b.reduce("reduce_min", x)


@lowers("torch.aten.max.dim")
def max_dim(b: Builder, x: Tensor, dim: int, keepdims: bool):
    return _extremum(b, x, x, dim, keepdims)


@lowers("torch.aten.min.dim")
def min_dim(b: Builder, x: Tensor, dim: int, keepdims: bool):
    return _extremum(b, x, b.unary("neg", x), dim, keepdims)


def _extremum(b: Builder, x: Tensor, key: Tensor, dim: int, keepdims: bool):
    """Value and index; the gradient goes to that one element, as PyTorch's does."""
    dim = b.dim(x, dim)
    index = b.argmax(key, dim, keepdims=True)
    value = b.gather(x, index, dim)
    return tuple(b.reshape(result, b.out.shape) for result in (value, index))


@lowers("torch.aten.argmax")
def argmax(b: Builder, x: Tensor, dim: int | None, keepdims: bool) -> Tensor:
    if dim is None:
        return b.reshape(b.argmax(b.reshape(x, [x.size]), 0), b.out.shape)
    return b.argmax(x, b.dim(x, dim), keepdims)


@lowers("torch.aten.argmin")
def argmin(b: Builder, x: Tensor, dim: int | None, keepdims: bool) -> Tensor:
    return argmax(b, b.unary("neg", x), dim, keepdims)


@lowers("torch.aten.any", "torch.aten.any.dim", "torch.aten.any.dims")
def any_(b: Builder, x: Tensor, dims=None, keepdims: bool = False) -> Tensor:
    flags = b.convert(_truth(b, x), "f32")
    return _truth(b, b.reduce("reduce_max", flags, dims, keepdims))


@lowers("torch.aten.all", "torch.aten.all.dim", "torch.aten.all.dims")
def all_(b: Builder, x: Tensor, dims=None, keepdims: bool = False) -> Tensor:
    flags = b.convert(_truth(b, x), "f32")
    return _truth(b, b.reduce("reduce_min", flags, dims, keepdims))


def variance(b: Builder, x: Tensor, dims, correction: float | None, keepdims: bool) -> Tensor:
    dims = b.dims(x, dims)
    count = math.prod(x.shape[d] for d in dims)
    centred = b.sub(x, b.mean(x, dims, True))
    total = b.sum(b.mul(centred, centred), dims, keepdims)
    # Not more elements than the correction: PyTorch says infinity or NaN, so do we.
    freedom = max(0.0, count - (1 if correction is None else correction))
    return b.div(total, b.scalar(freedom, x.dtype))


@lowers("torch.aten.var.correction")
def var(b: Builder, x: Tensor, dims, correction, keepdims: bool) -> Tensor:
    return variance(b, x, dims, correction, keepdims)


@lowers("torch.aten.var_mean.correction")
def var_mean(b: Builder, x: Tensor, dims, correction, keepdims: bool):
    return variance(b, x, dims, correction, keepdims), b.mean(x, dims, keepdims)


@lowers("torch.aten.std.correction")
def std(b: Builder, x: Tensor, dims, correction, keepdims: bool) -> Tensor:
    return b.unary("sqrt", variance(b, x, dims, correction, keepdims))


@lowers("torch.aten.logsumexp")
def logsumexp(b: Builder, x: Tensor, dims, keepdims: bool = False) -> Tensor:
    dims = b.dims(x, dims)
    # log_softmax(x) = x - logsumexp(x): stable, and its gradient is at hand.
    if len(dims) == 1 and x.shape[dims[0]] > 0:
        first = b.slice_dim(x, dims[0], 0, 1)
        normalised = b.slice_dim(b.log_softmax(x, dims[0]), dims[0], 0, 1)
        return b.reshape(b.sub(first, normalised), b.out.shape)
    peak = b.unary("stop_gradient", b.reduce("reduce_max", x, dims, True))
    total = b.sum(b.unary("exp", b.sub(x, peak)), dims, True)
    return b.reshape(b.add(b.unary("log", total), peak), b.out.shape)


@lowers("torch.aten.linalg_vector_norm")
def vector_norm(b: Builder, x: Tensor, order, dims, keepdims: bool, dtype=None) -> Tensor:
    x = b.convert(x, b.out.dtype)
    require_float(x, "a vector norm")
    if order == 2:
        return b.unary("sqrt", b.sum(b.mul(x, x), dims, keepdims))
    magnitude = b.unary("abs", x)
    if order == 1:
        return b.sum(magnitude, dims, keepdims)
    if order == math.inf:
        return b.reduce("reduce_max", magnitude, dims, keepdims)
    if order == -math.inf:
        return b.reduce("reduce_min", magnitude, dims, keepdims)
    if order == 0:
        present = b.compare("ne", x, b.scalar(0, x.dtype))
        return b.sum(b.convert(present, x.dtype), dims, keepdims)
    power = b.binary("pow", magnitude, b.scalar(order, x.dtype))
    return b.binary("pow", b.sum(power, dims, keepdims), b.scalar(1 / order, x.dtype))


@lowers("torch.aten.cumsum")
def cumsum(b: Builder, x: Tensor, dim: int, dtype=None) -> Tensor:
    if x.rank == 0:
        return b.convert(x, b.out.dtype)
    dim = b.dim(x, dim)
    size = x.shape[dim]
    if size > 4096:
        raise Unsupported(
            f"a cumulative sum over {size} elements of {x}",
            "up to 4096 elements (it becomes a product with a triangular matrix)",
            "compute it in the data pipeline",
        )
    # A product with a triangle of ones. Integers stay exact: f32 counts to 2^24.
    dtype = b.out.dtype if b.out.is_float else "f32"
    moved = b.move(b.convert(x, dtype), dim, x.rank - 1)
    rows = b.reshape(moved, [x.size // size, size])
    indices = list(range(size))
    triangle = b.constant([[float(i <= j) for j in indices] for i in indices], dtype)
    result = b.reshape(b.matmul(rows, triangle), moved.shape)
    return b.convert(b.move(result, x.rank - 1, dim), b.out.dtype)


@lowers("torch.aten.prod", "torch.aten.prod.dim_int")
def prod(b: Builder, x: Tensor, dim=None, keepdims=False, dtype=None) -> Tensor:
    x = b.convert(x, b.out.dtype)
    if not isinstance(dim, int) or isinstance(dim, bool):
        x, dim = b.reshape(x, [x.size]), 0
    dim = b.dim(x, dim)
    if x.shape[dim] > 64:
        raise Unsupported(f"a product over {x.shape[dim]} elements", "up to 64 elements")
    factors = [b.slice_dim(x, dim, i, 1) for i in range(x.shape[dim])]
    result = factors[0]
    for factor in factors[1:]:
        result = b.mul(result, factor)
    return b.reshape(result, b.out.shape)
