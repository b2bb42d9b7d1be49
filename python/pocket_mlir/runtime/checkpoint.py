"""Checkpoints: weights, optimizer state and step count in one safetensors file.

Weights have their PyTorch names, so that other tools can read the file too. A
tensor of optimizer state is called `optimizer/<state>/<parameter>`, or
`optimizer/<state>` when it belongs to no parameter; PyTorch's names hold no slash.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import CheckpointError
from .files import replace_file, write_safetensors
from .manifest import Entry

__all__ = ["Content", "save", "load", "check"]

_PREFIX = "optimizer/"


@dataclass(frozen=True)
class Content:
    """What a file holds. The optimizer's keys are (state, parameter's name or "")."""

    path: str
    model: dict[str, np.ndarray]
    optimizer: dict[tuple[str, str], np.ndarray]
    steps: int
    optimizer_name: str

    def named(self, aliases: Mapping[str, str]) -> dict[str, np.ndarray]:
        """The weights by the program's names: a tied parameter has several."""
        values: dict[str, np.ndarray] = {}
        for name, value in self.model.items():
            values.setdefault(aliases.get(name, name), value)
        return values


def save(
    path: str | os.PathLike,
    model: Mapping[str, np.ndarray],
    optimizer: Mapping[tuple[str, str], np.ndarray],
    steps: int,
    optimizer_name: str,
) -> None:
    """Writes the file, whole or not at all."""
    tensors = {name: value for name, value in model.items()}
    for (state, name), value in optimizer.items():
        tensors[_PREFIX + (f"{state}/{name}" if name else state)] = value
    metadata = {
        "format": "pocket-checkpoint",
        "version": "1",
        "steps": str(steps),
        "optimizer": optimizer_name,
    }
    try:
        replace_file(path, lambda temporary: write_safetensors(temporary, tensors, metadata))
    except OSError as error:
        raise CheckpointError(f"can't write {os.fspath(path)}: {error}") from error


def load(path: str | os.PathLike) -> Content:
    """Reads a file; a plain file of weights has no optimizer state."""
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    if not Path(path).is_file():
        raise CheckpointError(f"no such file: {name}")
    try:
        with safe_open(name, "numpy") as file:
            metadata = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}
    except (SafetensorError, OSError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{name} is no safetensors file, or a damaged one: {error}") from error
    if metadata.get("format") == "pocket-checkpoint" and metadata.get("version") != "1":
        raise CheckpointError(f"{name} has version {metadata.get('version')} of the format, this package reads 1")
    optimizer = {}
    for key in [key for key in tensors if key.startswith(_PREFIX)]:
        state, _, parameter = key[len(_PREFIX) :].partition("/")
        optimizer[(state, parameter)] = tensors.pop(key)
    try:
        steps = int(metadata.get("steps", 0))
    except ValueError:
        raise CheckpointError(f"{name}: the step count is {metadata['steps']!r}") from None
    return Content(name, tensors, optimizer, steps, metadata.get("optimizer", ""))


def check(
    content: Content, model: Sequence[Entry], optimizer: Sequence[Entry], aliases: Mapping[str, str]
) -> None:
    """Raises unless the file fits a program, with everything that doesn't."""
    problems = _compare(content.named(aliases), {entry.name: entry for entry in model})
    if content.optimizer:
        problems += _compare(
            {_label(*key): value for key, value in content.optimizer.items()},
            {_label(entry.state or "", entry.name): entry for entry in optimizer},
        )
    if problems:
        advice = ""
        if content.optimizer and content.optimizer_name:
            advice = f"\n(the file was written with the optimizer {content.optimizer_name})"
        raise CheckpointError(f"{content.path} doesn't fit the program:\n" + "\n".join(problems) + advice)


def _label(state: str, name: str) -> str:
    return _PREFIX + (f"{state}/{name}" if name else state)


def _compare(found: Mapping[str, np.ndarray], expected: Mapping[str, Entry]) -> list[str]:
    from .device import DTYPES

    problems = []
    missing = [name for name in expected if name not in found]
    unexpected = [name for name in found if name not in expected]
    if missing:
        problems.append(f"  missing: {', '.join(missing)}")
    if unexpected:
        problems.append(f"  unexpected: {', '.join(unexpected)}")
    for name, entry in expected.items():
        value = found.get(name)
        if value is None:
            continue
        dtype = DTYPES[entry.dtype][0]
        if value.shape != entry.logical_shape or value.dtype != dtype:
            problems.append(
                f"  {name}: must be {dtype}{list(entry.logical_shape)}, is {value.dtype}{list(value.shape)}"
            )
    return problems
