"""Learning-rate schedules: functions of the step number, counted from zero.

Any `callable(step) -> float` serves as a schedule; these are the usual ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..arguments import checked_call
from ..errors import InvalidArgumentError

__all__ = ["constant", "cosine", "linear"]

Schedule = Callable[[int], float]


# What PyTorch's schedulers call them.
_ADVICE = {
    "T_max": "it is called 'steps' here, counted in steps and not in epochs",
    "total_iters": "it is called 'steps' here, counted in steps and not in epochs",
    "eta_min": "it is called 'final' here",
    "optimizer": "a schedule is a function of the step; it is given to session.fit(..., lr=...)",
}


@checked_call(_ADVICE)
def constant(lr: float, warmup: int = 0) -> Schedule:
    """`lr` throughout, after a linear warm-up of `warmup` steps."""
    return _with_warmup(lr, warmup, lambda step: lr)


@checked_call(_ADVICE)
def linear(lr: float, steps: int, warmup: int = 0, final: float = 0.0) -> Schedule:
    """From `lr` down to `final` in a straight line, reached at step `steps`."""
    return _with_warmup(lr, warmup, lambda step: lr + (final - lr) * _progress(step, steps, warmup))


@checked_call(_ADVICE)
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
    try:
        valid = not isinstance(lr, (str, bool)) and 0.0 <= float(lr) < math.inf
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise InvalidArgumentError(f"a schedule's lr must be a number, zero or more, got {lr!r}")
    after(warmup)  # wrong arguments are found here and not at the first step
    return lambda step: lr * (step + 1) / warmup if step < warmup else after(step)
