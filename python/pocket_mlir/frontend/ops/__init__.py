"""The lowerings, one module per family of operations; importing it registers them."""

from . import (  # noqa: F401
    attention,
    conv,
    elementwise,
    indexing,
    linear,
    loss,
    movement,
    norm,
    pool,
    random,
    reduction,
    resize,
)
