"""The manifest: what a program's functions take and give.

An argument or result is described by

    {"kind": "parameter", "name": "fc.weight", "shape": [20, 10], "dtype": "f32",
     "layout": null}

with `kind` one of parameter, buffer, state, learning_rate, input, target, loss,
output. `state` names a tensor of optimizer state ("momentum_buffer"); its `name` is
the parameter's, or "" for one of the whole program ("step"). `layout` is a
permutation of the dimensions: see `Entry`. A result with the kind, name and state of
an argument is that argument's new value. Two things may be left out: `initial`, what
a state tensor starts at (0), and `valid`, {"min": 0, "max": 9, "ignore": -100}, which
integers an input or target may hold, with `valid_parts`, a list of the same for slices
of it ({"offsets": [0, 1], "sizes": [8, 15], "strides": [1, 1], "min": 0, ...}). Others
are refused before a program runs, for it would look up something else with them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import BundleError

__all__ = ["FORMAT", "VERSION", "Entry", "Signature", "read_signatures"]

FORMAT = "pocket-bundle"
VERSION = 1

# What belongs to the model and stays on the device from step to step.
MODEL_KINDS = ("parameter", "buffer")
STORED_KINDS = (*MODEL_KINDS, "state")


@dataclass(frozen=True)
class Part:
    """A slice of an integer tensor, and what it may hold."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    lowest: int
    highest: int
    ignored: int | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Part:
        place = (tuple(data[key]) for key in ("offsets", "sizes", "strides"))
        return cls(*place, data["min"], data["max"], data.get("ignore"))

    def of(self, value: np.ndarray) -> np.ndarray:
        """The slice."""
        return value[
            tuple(
                slice(offset, offset + (size - 1) * stride + 1, stride)
                for offset, size, stride in zip(self.offsets, self.sizes, self.strides)
            )
        ]

    def place(self, index: Iterable[int]) -> list[int]:
        """Where an element of the slice stands in the tensor."""
        return [o + i * s for o, i, s in zip(self.offsets, index, self.strides)]


@dataclass(frozen=True)
class Entry:
    """One argument or result.

    `shape` is that of the storage, which may be a permutation (`layout`) of the
    shape that PyTorch knows: storage dimension i is logical dimension layout[i].
    """

    kind: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    state: str | None = None
    layout: tuple[int, ...] | None = None
    initial: float = 0.0
    # For integers that index something: the values that are allowed.
    lowest: int | None = None
    highest: int | None = None
    ignored: int | None = None
    # And in slices of it.
    parts: tuple[Part, ...] = ()

    @property
    def key(self) -> tuple[str, str, str | None]:
        """What tells it from all others; the same for an argument and its new value."""
        return (self.kind, self.name, self.state)

    @property
    def logical_shape(self) -> tuple[int, ...]:
        """The shape in PyTorch."""
        if self.layout is None:
            return self.shape
        shape = [0] * len(self.shape)
        for storage, logical in enumerate(self.layout):
            shape[logical] = self.shape[storage]
        return tuple(shape)

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    def to_storage(self, value: np.ndarray) -> np.ndarray:
        """From PyTorch's layout to the program's."""
        return value if self.layout is None else np.transpose(value, self.layout)

    def to_logical(self, value: np.ndarray) -> np.ndarray:
        """From the program's layout to PyTorch's."""
        return value if self.layout is None else np.transpose(value, np.argsort(self.layout))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        layout = data.get("layout")
        valid = data.get("valid") or {}
        return cls(
            kind=data["kind"],
            name=data.get("name") or "",
            shape=tuple(data["shape"]),
            dtype=data["dtype"],
            state=data.get("state"),
            layout=None if layout is None else tuple(layout),
            initial=float(data.get("initial", 0.0)),
            lowest=valid.get("min"),
            highest=valid.get("max"),
            ignored=valid.get("ignore"),
            parts=tuple(Part.from_json(part) for part in data.get("valid_parts") or ()),
        )


@dataclass(frozen=True)
class Signature:
    """The arguments and results of one function."""

    arguments: tuple[Entry, ...]
    results: tuple[Entry, ...]

    def of_kind(self, *kinds: str) -> list[Entry]:
        return [entry for entry in self.arguments if entry.kind in kinds]


def read_signatures(manifest: Mapping[str, Any]) -> dict[str, Signature]:
    """The functions of a program; `BundleError` when the manifest is not one of ours."""
    if not isinstance(manifest, Mapping) or manifest.get("format") != FORMAT:
        raise BundleError(f"this is no manifest of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise BundleError(
            f"the bundle has version {manifest.get('version')!r} of the format, this package reads version {VERSION}"
        )
    try:
        return {
            name: Signature(_entries(function["arguments"]), _entries(function["results"]))
            for name, function in manifest["functions"].items()
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise BundleError(f"the manifest is not complete: {error!r}") from error


def _entries(data: Iterable[Mapping[str, Any]]) -> tuple[Entry, ...]:
    return tuple(Entry.from_json(entry) for entry in data)
