"""Scaled dot-product attention, whole."""

from __future__ import annotations

import math

import numpy as np

from ..builder import Builder, Tensor
from ..registry import Unsupported, lowers
from .random import DROPOUT_ADVICE


@lowers("torch.aten.scaled_dot_product_attention")
def attention(
    b: Builder,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    dropout: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Tensor:
    if dropout:
        raise Unsupported(
            f"attention dropout with p={dropout}", "attention without dropout", DROPOUT_ADVICE
        )
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    if q.rank < 3:
        q, k, v = (b.unsqueeze(t, 0) for t in (q, k, v))
    if enable_gqa:
        k, v = (_repeat_heads(b, t, q.shape[-3]) for t in (k, v))
    # Everything before the heads is batch; a tensor without heads gets one.
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    batch, heads = (math.prod(lead[:-1]), lead[-1]) if len(lead) > 1 else (lead[0], 1)

    def four(t: Tensor) -> Tensor:
        return b.reshape(b.broadcast(t, (*lead, *t.shape[-2:])), (batch, heads, *t.shape[-2:]))

    if mask is not None and mask.rank != 4:
        if len(lead) == 2:
            mask = b.reshape(mask, [1] * (4 - mask.rank) + list(mask.shape))
        else:
            mask = four(b.reshape(mask, [1] * (len(lead) + 2 - mask.rank) + list(mask.shape)))
    y = b.attention(four(q), four(k), four(v), mask, is_causal, scale)
    return b.reshape(y, b.out.shape)


def _repeat_heads(b: Builder, x: Tensor, heads: int) -> Tensor:
    """Each head of keys or values serves a group of query heads."""
    *lead, groups, rows, width = x.shape
    if groups == heads:
        return x
    spread = b.reshape(x, [*lead, groups, 1, rows, width])
    spread = b.broadcast(spread, [*lead, groups, heads // groups, rows, width])
    return b.reshape(spread, [*lead, heads, rows, width])
