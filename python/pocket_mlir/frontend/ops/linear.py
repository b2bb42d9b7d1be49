"""Linear layers and matrix products; batch dimensions are made equal explicitly."""

from __future__ import annotations

import math

import numpy as np

from ..builder import Builder, Tensor
from ..registry import lowers


@lowers("torch.aten.linear")
def linear(b: Builder, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    y = b.matmul(_rows(b, x), weight, transpose_rhs=True)
    if bias is not None:
        y = b.add(y, bias)
    return b.reshape(y, b.out.shape)


def _rows(b: Builder, x: Tensor) -> Tensor:
    """`x` as a matrix of its last dimension."""
    return b.reshape(x, [math.prod(x.shape[:-1]), x.shape[-1]])


@lowers("torch.aten.mm", "torch.aten.bmm")
def mm(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.matmul(x, y)


@lowers("torch.aten.addmm", "torch.aten.baddbmm")
def addmm(b: Builder, bias: Tensor, x: Tensor, y: Tensor, beta: float, alpha: float) -> Tensor:
    return _axpby(b, bias, b.matmul(x, y), beta, alpha)


@lowers("torch.aten.addmv")
def addmv(b: Builder, bias: Tensor, x: Tensor, y: Tensor, beta: float, alpha: float) -> Tensor:
    return _axpby(b, bias, matmul(b, x, y), beta, alpha)


def _axpby(b: Builder, bias: Tensor, product: Tensor, beta: float, alpha: float) -> Tensor:
    if alpha != 1:
        product = b.mul(product, b.scalar(alpha, product.dtype))
    if beta == 0:
        return product
    if beta != 1:
        bias = b.mul(bias, b.scalar(beta, bias.dtype))
    return b.add(product, bias)


@lowers("torch.aten.matmul", "torch.aten.mv", "torch.aten.dot")
def matmul(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    shape = b.out.shape
    if x.rank == 1:
        x = b.unsqueeze(x, 0)
    if y.rank == 1:
        y = b.unsqueeze(y, 1)
    if y.rank == 2:
        # One matrix for the whole batch: the batch is more rows.
        return b.reshape(b.matmul(_rows(b, x), y), shape)
    lead = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = b.broadcast(x, (*lead, *x.shape[-2:]))
    y = b.broadcast(y, (*lead, *y.shape[-2:]))
    return b.reshape(b.matmul(x, y), shape)


@lowers("torch.aten.outer")
def outer(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.mul(b.unsqueeze(x, 1), b.unsqueeze(y, 0))
