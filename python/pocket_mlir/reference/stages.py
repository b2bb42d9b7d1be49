"""Comparing stages of a compilation: which one changed a result?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .interpreter import EvaluationError, find_function, parse, random_arguments, run

__all__ = ["Difference", "compare", "compare_stages"]


@dataclass(frozen=True)
class Difference:
    """The first result in which two programs differ."""

    before: str
    after: str
    result: str
    error: float
    expected: np.ndarray
    got: np.ndarray

    def __str__(self) -> str:
        return (
            f"{self.result} differs between {self.before} and {self.after}: "
            f"largest difference {self.error:.3g} (largest value "
            f"{np.max(np.abs(self.expected), initial=0):.3g})"
        )


def compare(
    before,
    after,
    function: str,
    args: Sequence[Any] | None = None,
    *,
    dtype=np.float64,
    rtol: float = 1e-6,
    names: tuple[str, str] = ("before", "after"),
) -> Difference | None:
    """Run a function of two modules on the same inputs; the first differing result, or None.

    Arguments and results are matched by what they stand for (parameter, state,
    role), and by position where nothing is said. What only one of the two has is
    left out. `args` belong to `before`; by default they are random.
    """
    before, after = parse(before), parse(after)
    if args is None:
        args = random_arguments(before, function)
    known = dict(zip(_identities(before, function, "arg_attrs"), args, strict=True))
    defaults = random_arguments(after, function)
    after_args = [
        known.get(identity, default)
        for identity, default in zip(
            _identities(after, function, "arg_attrs"), defaults, strict=True)
    ]

    expected = dict(zip(
        _identities(before, function, "res_attrs"),
        run(before, function, args, dtype=dtype), strict=True))
    got = dict(zip(
        _identities(after, function, "res_attrs"),
        run(after, function, after_args, dtype=dtype), strict=True))
    for identity, value in expected.items():
        if identity not in got:
            continue
        other = got[identity]
        error = _largest_difference(value, other)
        if not error <= rtol * max(1.0, np.max(np.abs(value), initial=0)):
            return Difference(*names, identity, error, value, other)
    return None


def compare_stages(
    directory,
    function: str,
    args: Sequence[Any] | None = None,
    *,
    dtype=np.float64,
    rtol: float = 1e-6,
) -> Difference | None:
    """Go through the stages that `compile(dump_ir=directory)` wrote, in their order.

    Each one that still is in the pocket dialect and has the function is compared
    with the first such; the first difference is returned, or None.
    """
    stages = []
    for path in sorted(Path(directory).glob("*.mlir")):
        try:
            module = parse(path.read_text())
            find_function(module, function.lstrip("@"))
        except Exception:  # not for us: another dialect, or before the function exists
            continue
        if _only_known_ops(module, function.lstrip("@")):
            stages.append((path.name, module))
    if len(stages) < 2:
        raise EvaluationError(
            f"{directory} holds {len(stages)} stages with @{function.lstrip('@')} in the pocket "
            "dialect, and 2 are needed to compare"
        )
    first_name, first = stages[0]
    if args is None:
        args = random_arguments(first, function)
    for name, module in stages[1:]:
        difference = compare(
            first, module, function, args, dtype=dtype, rtol=rtol, names=(first_name, name))
        if difference:
            return difference
    return None


def _only_known_ops(module, function: str) -> bool:
    from .registry import OPS

    block = find_function(module, function).regions[0].blocks[0]
    return all(
        each.operation.name in OPS or each.operation.name in ("func.call", "func.return")
        for each in block.operations
    )


_IDENTITY = ("pocket.role", "pocket.state", "pocket.param", "pocket.buffer", "pocket.name")


def _identities(module, function: str, kind: str) -> list[str]:
    """What each argument (`arg_attrs`) or result (`res_attrs`) of a function stands for."""
    operation = find_function(parse(module), function.lstrip("@"))
    function_type = operation.attributes["function_type"].value
    count = len(function_type.inputs if kind == "arg_attrs" else function_type.results)
    attrs = list(operation.attributes[kind]) if kind in operation.attributes else []
    identities = []
    for number in range(count):
        said = attrs[number] if attrs else {}
        parts = [f"{key.split('.')[1]} {said[key].value}" for key in _IDENTITY if key in said]
        identities.append(" ".join(parts) or f"{kind[:3]} {number}")
    return identities


def _largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape:
        return float("inf")
    same = (a == b) | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a == b
    with np.errstate(all="ignore"):
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
    difference = np.where(same, 0, np.where(np.isnan(difference), np.inf, difference))
    return float(np.max(difference, initial=0))
