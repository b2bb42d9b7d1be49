"""Batch norm, layer norm, softmax, and their gradients."""

from __future__ import annotations

import numpy as np

from ..registry import op

# --- Batch norm -------------------------------------------------------------------


def _per_channel(x, values, channel_dim):
    """`values[c]` in the shape that broadcasts against `x`."""
    shape = [1] * x.ndim
    shape[channel_dim] = -1
    return values.reshape(shape)


def _all_but(x, channel_dim):
    return tuple(d for d in range(x.ndim) if d != channel_dim)


@op("batch_norm_inference")
def batch_norm_inference(x, mean, var, scale=None, bias=None, *, epsilon, channel_dim=1):
    mean, var = (_per_channel(x, v, channel_dim) for v in (mean, var))
    y = (x - mean) / np.sqrt(var + epsilon)
    if scale is not None:
        y = y * _per_channel(x, scale, channel_dim) + _per_channel(x, bias, channel_dim)
    return y


@op("batch_norm_training")
def batch_norm_training(x, scale=None, bias=None, *, epsilon, channel_dim=1):
    """Normalised by the batch's own statistics, which are results too; `var` is biased."""
    dims = _all_but(x, channel_dim)
    mean, var = np.mean(x, axis=dims), np.var(x, axis=dims)
    y = batch_norm_inference(x, mean, var, scale, bias, epsilon=epsilon, channel_dim=channel_dim)
    return y, mean, var


@op("batch_norm_reduce_grad")
def batch_norm_reduce_grad(dy, x, mean, *, channel_dim=1):
    """The two sums that every gradient of a batch norm is made of."""
    dims = _all_but(x, channel_dim)
    centered = x - _per_channel(x, mean, channel_dim)
    return dy.sum(axis=dims), (dy * centered).sum(axis=dims)


# --- Layer norm -------------------------------------------------------------------


def _expand(values, x):
    """Leading dimensions' `values` in the shape that broadcasts against `x`."""
    return values.reshape(values.shape + (1,) * (x.ndim - values.ndim))


@op("layer_norm")
def layer_norm(x, scale=None, bias=None, *, axis, epsilon):
    """Normalised over the dimensions from `axis` on; also the mean and 1 / deviation."""
    dims = tuple(range(axis, x.ndim))
    mean = np.mean(x, axis=dims)
    rstd = 1 / np.sqrt(np.var(x, axis=dims) + epsilon)
    y = (x - _expand(mean, x)) * _expand(rstd, x)
    if scale is not None:
        y = y * scale + bias
    return y, mean, rstd


@op("layer_norm_input_grad")
def layer_norm_input_grad(dy, x, mean, rstd, scale=None, *, axis):
    dims = tuple(range(axis, x.ndim))
    rstd = _expand(rstd, x)
    normalised = (x - _expand(mean, x)) * rstd
    g = dy if scale is None else dy * scale
    along_mean = np.mean(g, axis=dims, keepdims=True)
    along_scale = np.mean(g * normalised, axis=dims, keepdims=True)
    return rstd * (g - along_mean - normalised * along_scale)


# --- Softmax ----------------------------------------------------------------------


@op("softmax")
def softmax(x, *, dim):
    e = np.exp(x - np.max(x, axis=dim, keepdims=True))
    return e / np.sum(e, axis=dim, keepdims=True)


@op("softmax_grad")
def softmax_grad(dy, y, *, dim):
    return y * (dy - np.sum(dy * y, axis=dim, keepdims=True))


@op("log_softmax")
def log_softmax(x, *, dim):
    shifted = x - np.max(x, axis=dim, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=dim, keepdims=True))


@op("log_softmax_grad")
def log_softmax_grad(dy, y, *, dim):
    return dy - np.exp(y) * np.sum(dy, axis=dim, keepdims=True)
