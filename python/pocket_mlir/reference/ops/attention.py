"""Scaled dot-product attention."""

from __future__ import annotations

import math

import numpy as np

from ..registry import op


@op("attention")
def attention(q, k, v, mask=None, *, is_causal=False, scale=None):
    """softmax(q k^T * scale + mask) v, and the probabilities.

    A boolean mask says who takes part, a float one is added. A causal row t
    sees columns 0 to t. A row that sees nothing has probabilities of 0.
    """
    if scale is None:
        scale = 1 / math.sqrt(q.shape[-1])
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    scores = scores.astype(q.dtype)
    largest = scores.max(axis=-1, keepdims=True)
    blind = largest == -np.inf
    e = np.exp(scores - np.where(blind, 0, largest))
    probabilities = np.where(blind, 0, e / e.sum(axis=-1, keepdims=True)).astype(q.dtype)
    return probabilities @ v, probabilities
