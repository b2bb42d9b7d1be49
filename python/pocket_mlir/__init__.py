"""Pocket MLIR: an ahead-of-time compiler for training neural networks on the device.

    import pocket_mlir as pocket

    program = pocket.compile(model, example_inputs, optimizer=pocket.optim.SGD(momentum=0.9))
    session = program.session()
    loss = session.step(x, y, lr=1e-2)

Names are loaded when they are first used, because the half that runs on the
device (`load`, `Program`, `Session`, `runtime`) must work where neither PyTorch
nor the compiler is installed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from . import errors
from .arguments import unknown_attribute
from .errors import (
    BundleError,
    CheckpointError,
    CompileError,
    InvalidArgumentError,
    InvalidInputError,
    PocketError,
    RuntimeError,
    TargetError,
    UnknownNameError,
    UnsupportedModelError,
)

if TYPE_CHECKING:
    from . import losses, optim, runtime, schemes, targets
    from .compiler import compile
    from .memory import MemoryReport
    from .program import Program, load
    from .runtime.history import History
    from .runtime.session import Session

__version__ = "0.1.0"

__all__ = [
    "compile",
    "load",
    "Program",
    "Session",
    "History",
    "MemoryReport",
    "losses",
    "optim",
    "runtime",
    "schemes",
    "targets",
    "errors",
    "BundleError",
    "CheckpointError",
    "CompileError",
    "InvalidArgumentError",
    "InvalidInputError",
    "PocketError",
    "RuntimeError",
    "TargetError",
    "UnknownNameError",
    "UnsupportedModelError",
]

_MODULES = {"losses", "optim", "runtime", "schemes", "targets", "reference"}
_OBJECTS = {
    "compile": "compiler",
    "load": "program",
    "MemoryReport": "memory",
    "Program": "program",
    "Session": "runtime.session",
    "History": "runtime.history",
}

# Not looked up in the modules: this is asked while they are being imported, too.
_ELSEWHERE = {
    **dict.fromkeys(("SGD", "AdamW", "constant", "cosine", "linear"), "optim"),
    **dict.fromkeys(("CrossEntropy", "MSE", "L1", "Huber", "SmoothL1", "BCEWithLogits"), "losses"),
    **dict.fromkeys(("Target", "known_targets"), "targets"),
}


def __getattr__(name: str):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _OBJECTS:
        value = getattr(importlib.import_module(f".{_OBJECTS[name]}", __name__), name)
        globals()[name] = value
        return value
    advice = {name: f"it is pocket.{_ELSEWHERE[name]}.{name}"} if name in _ELSEWHERE else {}
    raise unknown_attribute(__name__, name, __all__, advice)


def __dir__():
    return sorted({*globals(), *__all__})
