"""The table of operations that the reference interpreter knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = ["OPS", "Op", "TensorType", "call", "op"]


class TensorType(NamedTuple):
    """Shape and element type of a result, for ops that can't infer theirs."""

    shape: tuple[int, ...]
    dtype: np.dtype


@dataclass(frozen=True)
class Op:
    """The meaning of one operation.

    `function` takes the operands as numpy arrays by position and the attributes
    by name, and returns an array, or a tuple of them for several results. An
    attribute that the dialect may leave out has a default. A function with a
    parameter `result_types` is also given the list of `TensorType`s.
    """

    name: str
    function: Callable[..., Any]
    wants_result_types: bool


OPS: dict[str, Op] = {}


def op(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the meaning of the operation `name`.

    A name without a dot belongs to the pocket dialect.
    """
    full_name = name if "." in name else f"pocket.{name}"

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if full_name in OPS:
            raise ValueError(f"{full_name} is registered twice")
        wants_types = "result_types" in inspect.signature(function).parameters
        OPS[full_name] = Op(full_name, function, wants_types)
        return function

    return register


def call(
    name: str,
    operands: list[np.ndarray],
    attributes: dict[str, Any] | None = None,
    result_types: list[TensorType] | None = None,
) -> list[np.ndarray]:
    """Evaluate one operation by name and return its results as a list."""
    entry = OPS[name if "." in name else f"pocket.{name}"]
    keywords = dict(attributes or {})
    if entry.wants_result_types:
        keywords["result_types"] = result_types
    # IEEE semantics: division by zero and overflow are values, not warnings.
    with np.errstate(all="ignore"):
        results = entry.function(*operands, **keywords)
    return [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]
