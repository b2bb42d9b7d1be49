"""Reductions over given dimensions."""

from __future__ import annotations

import numpy as np

from ..registry import op


@op("sum")
def sum(x, *, dims, keepdims=False):
    return np.sum(x, axis=tuple(dims), keepdims=keepdims, dtype=x.dtype)


@op("mean")
def mean(x, *, dims, keepdims=False):
    return np.mean(x, axis=tuple(dims), keepdims=keepdims, dtype=x.dtype)


@op("reduce_max")
def reduce_max(x, *, dims, keepdims=False):
    """NaN if there is one."""
    return np.max(x, axis=tuple(dims), keepdims=keepdims)


@op("reduce_min")
def reduce_min(x, *, dims, keepdims=False):
    """NaN if there is one."""
    return np.min(x, axis=tuple(dims), keepdims=keepdims)


@op("argmax")
def argmax(x, *, dim, keepdims=False):
    """The first index of the largest element; NaN counts as the largest."""
    return np.argmax(x, axis=dim, keepdims=keepdims)
