"""Batches from the user, checked and turned into arrays.

Everything is checked before a program runs: a step that fails here has changed
no weight.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arguments import did_you_mean
from ..errors import InvalidInputError
from .device import DTYPES
from .manifest import Entry, Part

__all__ = ["LISTED", "bind_batch", "as_array", "as_learning_rate", "is_torch", "listed", "to_numpy", "torch_if_loaded"]

# How many names a message spells out.
LISTED = 10


def torch_if_loaded():
    """PyTorch when the process has imported it already, else None: it is never imported here."""
    return sys.modules.get("torch")


def is_torch(value: Any) -> bool:
    torch = torch_if_loaded()
    return torch is not None and isinstance(value, torch.Tensor)


def to_numpy(value: Any, label: str) -> np.ndarray:
    """`value` as an array of its own type; a tensor on this machine's processor is not copied."""
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    # Of a tensor only its own errors are caught: a signal's handler may raise any other here.
    # What else objects convert with may raise anything.
    expected = (TypeError, ValueError, RuntimeError) if is_torch(value) else Exception
    try:
        return value.detach().cpu().numpy() if is_torch(value) else np.asarray(value)
    except expected as error:
        advice = "; convert it with .float()" if "bfloat16" in str(getattr(value, "dtype", "")) else ""
        raise InvalidInputError(f"{label} can't be made an array: {error}{advice}") from error


def listed(names: Sequence[str], most: int = LISTED) -> str:
    """The names, or the first of them and how many there are more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def bind_batch(
    entries: Sequence[Entry], positional: Sequence[Any], named: Mapping[str, Any], what: str
) -> list[np.ndarray]:
    """The arrays for `entries`, from positional and keyword arguments.

    A dict among the positional arguments stands for keyword arguments, as a
    tokenizer gives them.
    """
    values: dict[str, Any] = {}
    rest: list[Any] = []
    for value in positional:
        if isinstance(value, Mapping):
            _merge(values, value, what)
        else:
            rest.append(value)
    _merge(values, named, what)

    names = [entry.name for entry in entries]
    unexpected = [name for name in values if name not in names]
    free = [name for name in names if name not in values]
    if unexpected or len(rest) != len(free):
        given = [f"{len(rest)} positional"] if rest or not values else []
        given += [", ".join(values)] if values else []
        problem = f"got {' and '.join(given)}"
        if unexpected:
            problem += f"; unknown: {', '.join(f'{name}{did_you_mean(name, free)}' for name in unexpected)}"
        elif len(rest) < len(free):
            problem += f"; missing: {', '.join(free[len(rest) :])}"
        tensors = f"{len(entries)} tensor{'s' * (len(entries) != 1)}"
        raise InvalidInputError(
            f"{what} takes {tensors} ({', '.join(names)}), {problem}{_call_advice(what, rest, len(free), unexpected)}"
        )
    values.update(zip(free, rest))
    return [as_array(entry, values[entry.name], what) for entry in entries]


def _call_advice(what: str, rest: Sequence[Any], free: int, unexpected: Sequence[str]) -> str:
    """What to do about the usual mistakes in a call of step or predict."""
    if any(str(name) in ("learning_rate", "rate", "LR") for name in unexpected):
        return "; the learning rate is called lr: step(..., lr=0.1)"
    if len(rest) == 1 and free > 1 and isinstance(rest[0], (tuple, list)) and len(rest[0]) == free:
        return f"; a batch in a {type(rest[0]).__name__} is unpacked by {what}(*batch)"
    if len(rest) > free and not unexpected:
        if what == "predict":
            return "; predict takes no targets (evaluate does)"
        if isinstance(rest[-1], (int, float)):
            return "; the learning rate is given by name: step(..., lr=0.1)"
    return ""


def _merge(values: dict[str, Any], more: Mapping[str, Any], what: str) -> None:
    for name, value in more.items():
        if name in values:
            raise InvalidInputError(f"{what}: {name} is given twice")
        values[name] = value


def as_array(entry: Entry, value: Any, what: str) -> np.ndarray:
    """`value` as an array of exactly the shape and type that the program was compiled for."""
    label = f"{what}: {entry.kind} {entry.name!r}"
    array = to_numpy(value, label)
    expected = DTYPES[entry.dtype][0]
    if array.dtype != expected and isinstance(value, (bool, int, float, list, tuple)):
        # Python's numbers have no width of their own.
        if np.can_cast(array.dtype, expected, "same_kind"):
            narrow = array.astype(expected)
            if expected.kind in "iu" and not np.array_equal(narrow, array):
                raise InvalidInputError(f"{label} holds numbers that {expected} can't")
            array = narrow
    if array.shape != entry.shape or array.dtype != expected:
        advice = _advice(entry, array) if array.shape != entry.shape else f"; convert it to {expected}"
        raise InvalidInputError(
            f"{label} must be {_describe(expected, entry.shape)}, got {_describe(array.dtype, array.shape)}{advice}"
        )
    _check_range(entry, array, label)
    return array


def _describe(dtype: np.dtype, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]"


def _advice(entry: Entry, array: np.ndarray) -> str:
    expected, found = entry.shape, array.shape
    if array.dtype.kind in "OUS":
        return "; give numbers: an array, a tensor or nested lists"
    if len(expected) == len(found) + 1 and expected[1:] == found:
        if expected[0] == 1:
            return "; the batch dimension is missing: x[None] adds it"
        return (
            f"; this is one example, and the program was compiled for batches of {expected[0]}: put as many "
            "together (a DataLoader does, or numpy.stack)"
        )
    is_index = entry.kind == "target" and DTYPES[entry.dtype][0].kind == "i"
    if is_index and found[:-1] == expected and array.dtype.kind == "f":
        return "; the targets are class indices: of one-hot rows, target.argmax(-1)"
    if math.prod(expected) == math.prod(found):
        return f"; reshape it, for example by .reshape({', '.join(map(str, expected))}), or transpose it"
    if len(expected) == len(found) and expected[1:] == found[1:]:
        return (
            f"; the program was compiled for batches of {expected[0]}: give such batches "
            "(a DataLoader does with drop_last=True) or compile for another size"
        )
    return ""


def _check_range(entry: Entry, array: np.ndarray, label: str) -> None:
    """Raises for an integer that the program would look something up with, and not find it."""
    place = _outside(array, entry.lowest, entry.highest, entry.ignored)
    if place is not None:
        _refuse(label, array[place], list(place), entry)
    for part in entry.parts:
        values = part.of(array)
        place = _outside(values, part.lowest, part.highest, part.ignored)
        if place is not None:
            _refuse(label, values[place], part.place(place), part)


def _outside(
    array: np.ndarray, low: int | None, high: int | None, ignored: int | None
) -> tuple[int, ...] | None:
    """Where the first number stands that is not allowed."""
    if array.size == 0:
        return None
    if (low is None or array.min() >= low) and (high is None or array.max() <= high):
        return None
    bad = np.zeros(array.shape, bool)
    if low is not None:
        bad |= array < low
    if high is not None:
        bad |= array > high
    if ignored is not None:
        bad &= array != ignored
    return tuple(int(i) for i in np.argwhere(bad)[0]) if bad.any() else None


def _refuse(label: str, value: Any, place: list[int], allowed: Entry | Part) -> None:
    more = "" if allowed.ignored is None else f" and {allowed.ignored}"
    raise InvalidInputError(
        f"{label} holds {value} at {place}; allowed are {allowed.lowest} to {allowed.highest}{more}"
    )


def as_learning_rate(lr: Any) -> float:
    """A number that serves as one; a NaN would spoil every weight."""
    try:
        if isinstance(lr, (str, bytes)) or getattr(lr, "ndim", 0):
            raise TypeError
        value = float(lr.detach() if is_torch(lr) else lr)
    except (TypeError, ValueError, OverflowError):
        shape = getattr(lr, "shape", None)
        given = f"{lr!r}" if not shape else f"a {type(lr).__name__} of shape {list(shape)}"
        if callable(lr) and not isinstance(lr, type):
            given = "a function; step takes a number, fit(..., lr=schedule) a schedule"
        elif hasattr(lr, "param_groups") or hasattr(lr, "get_last_lr"):
            given = (
                f"PyTorch's {type(lr).__name__}; give the number, and for a schedule pocket.optim.constant, "
                "linear or cosine to fit, or any callable(step)"
            )
        raise InvalidInputError(f"lr must be a number, got {given}") from None
    if not math.isfinite(value):
        raise InvalidInputError(f"lr must be finite, got {value}")
    if abs(value) > float(np.finfo(np.float32).max):
        raise InvalidInputError(f"lr must fit into a float32, got {value}")
    if value < 0:
        raise InvalidInputError(f"lr must be zero or more, got {value}; to climb, minimize the negative loss")
    return value
