"""The meaning of every operation, one file per family.

Importing this package fills `registry.OPS`.
"""

from . import (  # noqa: F401
    attention,
    backward,
    elementwise,
    linear,
    losses,
    movement,
    normalization,
    pooling,
    reductions,
    updates,
)
