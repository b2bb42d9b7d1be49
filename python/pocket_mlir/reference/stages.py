"""Comparing stages of a compilation: which one changed a result?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .interpreter import EvaluationError, find_function, parse, random_arguments, run

__all__ = [
    "Difference",
    "argument_identities",
    "compare",
    "compare_stages",
    "result_identities",
]


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
    known = dict(zip(argument_identities(before, function), args, strict=True))
    defaults = random_arguments(after, function)
    after_args = [
        known.get(identity, default)
        for identity, default in zip(
            argument_identities(after, function), defaults, strict=True)
    ]

    expected = dict(zip(
        result_identities(before, function),
        run(before, function, args, dtype=dtype), strict=True))
    got = dict(zip(
        result_identities(after, function),
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


_IDENTITY = ("role", "state", "param", "buffer", "name")


def argument_identities(module, function: str) -> list[str]:
    """What each argument of a function stands for: `param fc.weight`, `role input name x`."""
    return _identities(module, function, "argument", "arg_attrs", "inputs")


def result_identities(module, function: str) -> list[str]:
    """What each result of a function stands for: `role loss`, `role gradient param fc.weight`."""
    return _identities(module, function, "result", "res_attrs", "results")


def _identities(module, function, noun, attrs_name, types_name):
    # The module must outlive what is read from it: its attributes don't keep it.
    module = parse(module)
    operation = find_function(module, function.lstrip("@"))
    attributes = operation.attributes
    count = len(getattr(attributes["function_type"].value, types_name))
    attrs = list(attributes[attrs_name]) if attrs_name in attributes else [{}] * count
    return [
        " ".join(f"{key} {said[f'pocket.{key}'].value}"
                 for key in _IDENTITY if f"pocket.{key}" in said) or f"{noun} {number}"
        for number, said in enumerate(attrs)
    ]


def _largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape:
        return float("inf")
    same = (a == b) | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a == b
    with np.errstate(all="ignore"):
        difference = np.abs(a.astype(np.float64) - b.astype(np.float64))
    difference = np.where(same, 0, np.where(np.isnan(difference), np.inf, difference))
    return float(np.max(difference, initial=0))
