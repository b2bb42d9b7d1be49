"""Runs functions of the pocket dialect in numpy.

This is the meaning of the dialect, not a way to ship results: it is direct and
slow. With `dtype=numpy.float64` a float32 program is evaluated in double
precision, which is the yardstick for gradients.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import PocketError
from . import ops  # noqa: F401  (fills the table)
from .registry import OPS, call
from .types import attribute_value, tensor_type

__all__ = ["EvaluationError", "find_function", "parse", "random_arguments", "run"]

Observer = Callable[[Any, list[np.ndarray]], None]

# How C++ says which of several optional operands are there; the count alone tells.
_BOOKKEEPING = {"operandSegmentSizes", "resultSegmentSizes"}


class EvaluationError(PocketError):
    """A program can't be evaluated: an unknown op, a wrong argument, a wrong type."""


def run(
    module,
    function: str,
    args: Sequence[Any],
    *,
    dtype=None,
    observe: Observer | None = None,
) -> list[np.ndarray]:
    """Run one function of a module and return its results.

    Args:
        module: an `ir.Module` of pocket_mlir's bindings, or the text of one.
        function: its name, with or without the `@`.
        args: one array or number for each argument; converted to its type.
        dtype: evaluate every float in this type instead of its own.
        observe: called with each operation and its results, as they come.
    """
    return _Interpreter(parse(module), dtype, observe).call(function.lstrip("@"), args)


def parse(module):
    """A module as `ir.Module`: parsed if it is text."""
    if not isinstance(module, (str, bytes)):
        return module
    from pocket_mlir._mlir import ir

    context = ir.Context()
    context.allow_unregistered_dialects = True  # reported by name when they are run
    return ir.Module.parse(module, context)


def find_function(module, name: str):
    """The func.func called `name`."""
    names = []
    for each in module.body.operations:
        operation = each.operation
        if operation.name == "func.func":
            names.append(operation.attributes["sym_name"].value)
            if names[-1] == name:
                return operation
    known = ", ".join(f"@{each}" for each in names) or "no function at all"
    raise EvaluationError(f"the module has no function @{name}; it has {known}")


def random_arguments(module, function: str, *, seed: int = 0) -> list[np.ndarray]:
    """Standard normal floats, 0 or 1 for integers, for every argument of a function."""
    rng = np.random.default_rng(seed)
    arguments = []
    module = parse(module)  # held, or what is read from it dangles
    for argument in find_function(module, function.lstrip("@")).regions[0].blocks[0].arguments:
        shape, dtype = tensor_type(argument.type)
        is_float = dtype.kind not in "biu"
        values = rng.standard_normal(shape) if is_float else rng.integers(0, 2, shape)
        arguments.append(np.asarray(values).astype(dtype))
    return arguments


def describe_location(operation) -> str:
    """`features.3.conv` where the location names a layer, else what it says."""
    text = str(operation.location)
    match = re.match(r'loc\("([^"]*)"(?!:)', text)
    return match[1] if match else text


class _Interpreter:
    def __init__(self, module, dtype, observe: Observer | None):
        self.module = module
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.observe = observe

    def call(self, name: str, args: Sequence[Any]) -> list[np.ndarray]:
        function = find_function(self.module, name)
        if not len(function.regions[0].blocks):
            raise EvaluationError(f"@{name} is declared, but has no body")
        block = function.regions[0].blocks[0]
        if len(args) != len(block.arguments):
            raise EvaluationError(
                f"@{name} takes {len(block.arguments)} arguments, and was given {len(args)}"
            )
        values = {}
        for number, (argument, given) in enumerate(zip(block.arguments, args, strict=True)):
            shape, dtype = tensor_type(argument.type, self.dtype)
            array = np.asarray(given)
            if array.shape != shape:
                raise EvaluationError(
                    f"argument {number} of @{name} has shape {array.shape}, and "
                    f"{argument.type} was expected"
                )
            values[argument] = array.astype(dtype)

        for each in block.operations:
            operation = each.operation
            operands = [values[operand] for operand in operation.operands]
            if operation.name == "func.return":
                return operands
            results = self._evaluate(operation, operands)
            values.update(zip(operation.results, results, strict=True))
        raise EvaluationError(f"@{name} has no func.return")

    def _evaluate(self, operation, operands: list[np.ndarray]) -> list[np.ndarray]:
        if operation.name == "func.call":
            return self.call(operation.attributes["callee"].value, operands)
        where = f"{operation.name} at {describe_location(operation)}"
        if operation.name not in OPS:
            raise EvaluationError(f"{where}: the reference interpreter doesn't know this operation")

        types = [tensor_type(result.type, self.dtype) for result in operation.results]
        attributes = _attributes(operation, self.dtype)
        try:
            results = call(operation.name, operands, attributes, types)
        except EvaluationError:
            raise
        except Exception as error:
            raise EvaluationError(
                f"{where}: {error}\n  operands: {', '.join(map(_describe, operands)) or 'none'}"
                f"\n  attributes: {attributes}"
            ) from error
        for number, (array, expected) in enumerate(zip(results, types, strict=True)):
            if (array.shape, array.dtype) != expected:
                raise EvaluationError(
                    f"{where}: result {number} is {_describe(array)}, but its type says "
                    f"{expected.dtype}{list(expected.shape)}"
                )
        if self.observe:
            self.observe(operation, results)
        return results


def _attributes(operation, dtype) -> dict[str, Any]:
    # Only what belongs to the op: a discardable attribute has its dialect's prefix.
    attributes = operation.attributes
    names = [attributes[i].name for i in range(len(attributes))]
    return {
        name: attribute_value(attributes[name], dtype)
        for name in names
        if "." not in name and name not in _BOOKKEEPING
    }


def _describe(array: np.ndarray) -> str:
    return f"{array.dtype}{list(array.shape)}"
