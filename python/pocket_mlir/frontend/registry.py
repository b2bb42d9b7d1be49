"""Which torch operation is lowered by which function.

A lowering is a function `(builder, *operands)`: one operand per operand of the
torch dialect's operation, a `Tensor` for a tensor and a Python value for
anything constant. It returns a `Tensor`, or a sequence with one entry per result
(`None` for a result that nothing may use).

An operation that has an entry here reaches it whole; PyTorch decomposes the
others first (decompositions.py).
"""

from __future__ import annotations

from collections.abc import Callable

Lowering = Callable[..., object]

LOWERINGS: dict[str, Lowering] = {}


def lowers(*names: str) -> Callable[[Lowering], Lowering]:
    """Registers the lowering of the torch dialect operations `names`."""

    def register(function: Lowering) -> Lowering:
        for name in names:
            if name in LOWERINGS:
                raise ValueError(f"{name} is lowered twice")
            LOWERINGS[name] = function
        return function

    return register


class Unsupported(Exception):
    """Raised by a lowering that can't take what it was given; becomes an `Offender`."""

    def __init__(self, found: str, supported: str = "", advice: str = ""):
        super().__init__(found)
        self.found = found
        self.supported = supported
        self.advice = advice


def dialect_name(target: object) -> str:
    """The torch dialect's name of an FX call target ("torch.aten.add.Tensor")."""
    schema = getattr(target, "_schema", None)
    if schema is None:
        return f"torch.{target}"
    name = "torch." + schema.name.replace("::", ".")
    return f"{name}.{schema.overload_name}" if schema.overload_name else name
