"""The decomposition table given to `torch.export`.

PyTorch's own table takes apart every composite operation. Ours is that table
less everything that has a lowering: norms, GELU, attention, losses arrive whole,
because a gradient written by hand beats one assembled from a dozen small
operations, and what we don't know is still reduced to small operations we do.
"""

from __future__ import annotations

import torch

from .registry import LOWERINGS, dialect_name

# Each of these is a view or a copy that PyTorch would turn into another one.
_KEEP = {"torch.aten.detach"}


def decomposition_table():
    """The operations that PyTorch shall take apart, and how."""
    table = torch.export.default_decompositions()
    for op in list(table.keys()):
        name = dialect_name(op)
        if name in LOWERINGS or name in _KEEP:
            del table[op]
    return table
