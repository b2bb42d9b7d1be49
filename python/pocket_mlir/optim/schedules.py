"""Learning-rate schedules: functions of the step number, counted from zero.

Any `callable(step) -> float` serves as a schedule; these are the usual ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..errors import InvalidArgumentError

__all__ = ["constant", "cosine", "linear"]

Schedule = Callable[[int], float]


def constant(lr: float, warmup: int = 0) -> Schedule:
    """`lr` throughout, after a linear warm-up of `warmup` steps."""
    return _with_warmup(lr, warmup, lambda step: lr)


def linear(lr: float, steps: int, warmup: int = 0, final: float = 0.0) -> Schedule:
    """From `lr` down to `final` in a straight line, reached at step `steps`."""
    return _with_warmup(lr, warmup, lambda step: lr + (final - lr) * _progress(step, steps, warmup))


def cosine(lr: float, steps: int, warmup: int = 0, final: float = 0.0) -> Schedule:
    """From `lr` down to `final` along half a cosine, reached at step `steps`."""

    def decayed(step: int) -> float:
        wave = 0.5 * (1.0 + math.cos(math.pi * _progress(step, steps, warmup)))
        return final + (lr - final) * wave

    return _with_warmup(lr, warmup, decayed)


def _progress(step: int, steps: int, warmup: int) -> float:
    """The part of the decay that is done: 0 at the end of the warm-up, 1 at `steps`."""
    if steps <= warmup:
        raise InvalidArgumentError(f"a schedule of {steps} steps has no room for {warmup} of warm-up")
    return min(1.0, (step - warmup) / (steps - warmup))


def _with_warmup(lr: float, warmup: int, after: Schedule) -> Schedule:
    """Rises over `warmup` steps; the first step already moves, the last reaches `lr`."""
    after(warmup)  # wrong arguments are found here and not at the first step
    return lambda step: lr * (step + 1) / warmup if step < warmup else after(step)
