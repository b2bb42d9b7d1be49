"""Targets: what a program is compiled for, and the step from linalg to machine code.

    target = pocket.targets.parse("aarch64:cortex-a76")
    module = pocket.targets.compile_module(mlir_text, target)

`target` is where one description of a machine lives, `flags` holds the options
that IREE gets for it, `iree` runs the compiler and `inplace` checks what IREE
made of the updates in place.
"""

from ..arguments import unknown_attribute
from .target import Target, known_targets, parse

__all__ = [
    "Target",
    "parse",
    "known_targets",
    "CompiledModule",
    "compile_module",
    "compile_to_vmfb",
]


def __getattr__(name: str):
    # The device only needs the description, and has no compiler.
    if name in ("CompiledModule", "compile_module", "compile_to_vmfb"):
        from . import iree

        return getattr(iree, name)
    raise unknown_attribute(__name__, name, __all__)
