"""The exceptions that Pocket MLIR raises.

Everything derives from `PocketError`, in two branches: `CompileError` for what
is found while a model becomes a program, `RuntimeError` for what is found while
a program runs. Each message says what is wrong, where, and what to do about it.

This module imports nothing outside the standard library: the part of the
package that runs on the device uses it too.
"""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "PocketError",
    "CompileError",
    "InvalidArgumentError",
    "UnknownNameError",
    "UnsupportedModelError",
    "Offender",
    "RuntimeError",
    "InvalidInputError",
    "CheckpointError",
    "BundleError",
    "TargetError",
]


class PocketError(Exception):
    """Base of every error that Pocket MLIR raises on purpose."""


class CompileError(PocketError):
    """A model, scheme, optimizer or target can't be compiled as asked."""


class InvalidArgumentError(CompileError, ValueError):
    """An argument of `compile` is wrong: a loss, a scheme, an option, a target list."""


class UnknownNameError(InvalidArgumentError, AttributeError):
    """A module of this package has no such name. An AttributeError too, so that `hasattr` works."""


@dataclass(frozen=True)
class Offender:
    """One thing in a model that can't be compiled.

    Attributes:
        layer: module path of the layer it belongs to ("" is the model itself).
        op: the operation as PyTorch names it.
        found: what was met there: types, shapes, option values.
        supported: what would have been accepted.
        advice: what to do next.
        source: the user's line, as "file:line in function", when it is known.
        count: how often the same complaint was met in this layer.
    """

    layer: str
    op: str
    found: str = ""
    supported: str = ""
    advice: str = ""
    source: str = ""
    count: int = 1

    def __str__(self) -> str:
        times = f" (x{self.count})" if self.count > 1 else ""
        lines = [f"{self.layer or '<model>'}: {self.op}{times}"]
        for label, text in (
            ("found", self.found),
            ("supported", self.supported),
            ("do", self.advice),
            ("at", self.source),
        ):
            if text:
                lines.append(f"    {label + ':':<11}{text}")
        return "\n".join(lines)


class UnsupportedModelError(CompileError):
    """The model holds things that can't be compiled; all of them are listed.

    `offenders` is the list, in the order of the program.
    """

    def __init__(self, model: str, offenders: Sequence[Offender], note: str = ""):
        self.model = model
        self.offenders = list(offenders)
        self.note = note
        n = len(self.offenders)
        what = "1 thing in it is" if n == 1 else f"{n} things in it are"
        message = f"can't compile {model}: {what} not supported"
        body = "\n".join(
            "  " + line for offender in self.offenders for line in str(offender).split("\n")
        )
        super().__init__("\n".join(part for part in (message, body, note) if part))


class RuntimeError(PocketError, builtins.RuntimeError):
    """A compiled program can't run as asked."""


class InvalidInputError(RuntimeError, ValueError):
    """A batch, weight or option given to a session doesn't fit its program."""


class CheckpointError(RuntimeError):
    """A file of weights or optimizer state can't be read, or doesn't fit."""


class BundleError(RuntimeError):
    """A saved program can't be read."""


class TargetError(CompileError, RuntimeError):
    """A target is unknown, can't be compiled for, or isn't this machine."""
