"""Checkpoints: weights, optimizer state and step count in one safetensors file.

Weights have their PyTorch names, so that other tools can read the file too. A
tensor of optimizer state is called `optimizer/<state>/<parameter>`, or
`optimizer/<state>` when it belongs to no parameter; PyTorch's names hold no slash.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import CheckpointError
from .files import replace_file, write_safetensors
from .inputs import LISTED, listed
from .manifest import Entry

__all__ = ["Content", "save", "load", "check"]

_PREFIX = "optimizer/"

# Of safetensors' element types, those that numpy has.
_READABLE = {"BOOL", "U8", "I8", "U16", "I16", "U32", "I32", "U64", "I64", "F16", "F32", "F64"}


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
        # Neither error names the file that was asked for.
        missing = not Path(path).parent.is_dir()
        reason = f"there is no folder {Path(path).parent}; make it first" if missing else error.strerror or error
        raise CheckpointError(f"can't write {os.fspath(path)}: {reason}") from error


def load(path: str | os.PathLike, optimizer: bool = True) -> Content:
    """Reads a file, or with optimizer=False its weights; a plain file of weights has no more."""
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    if not Path(path).is_file():
        raise CheckpointError(f"no such file: {name}")
    try:
        with safe_open(name, "numpy") as file:
            metadata = file.metadata() or {}
            keys = [key for key in file.keys() if optimizer or not key.startswith(_PREFIX)]
            unread = [f"{key} ({kind})" for key in keys if (kind := file.get_slice(key).get_dtype()) not in _READABLE]
            tensors = {} if unread else {key: file.get_tensor(key) for key in keys}
    except (SafetensorError, OSError, TypeError, AttributeError) as error:
        raise CheckpointError(
            f"{name} is no safetensors file, or a damaged one: {error} (files of torch.save, .pt and .bin, "
            "are another format: load them with torch.load and give the tensors to load_state_dict)"
        ) from error
    if unread:
        raise CheckpointError(
            f"{name} has tensors of types that numpy lacks: {listed(unread)}; save it from the model in "
            "float32: model.float().state_dict()"
        )
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
    content: Content,
    model: Sequence[Entry],
    optimizer: Sequence[Entry],
    aliases: Mapping[str, str],
    optional: Collection[str] = (),
) -> None:
    """Raises unless the file fits a program, with everything that doesn't.

    The weights named in `optional` may be missing.
    """
    weights = content.named(aliases)
    problems = _compare(weights, {e.name: e for e in model if e.name in weights or e.name not in optional})
    advice = ""
    if problems and not any(entry.name in weights for entry in model):
        advice = "\n(no name in it is one of this model's: is it another model's file?)"
    if content.optimizer:
        unfit = _compare(
            {_label(*key): value for key, value in content.optimizer.items()},
            {_label(entry.state or "", entry.name): entry for entry in optimizer},
        )
        if unfit and not problems:
            written = f" (it was written with the optimizer {content.optimizer_name})" * bool(content.optimizer_name)
            advice = f"\nthe weights fit{written}: restore(path, optimizer=False) takes them alone"
        problems += unfit
    if problems:
        raise CheckpointError(f"{content.path} doesn't fit the program:\n" + "\n".join(problems) + advice)


def _label(state: str, name: str) -> str:
    return _PREFIX + (f"{state}/{name}" if name else state)


def _compare(found: Mapping[str, np.ndarray], expected: Mapping[str, Entry]) -> list[str]:
    from .device import DTYPES

    problems = []
    missing = [name for name in expected if name not in found]
    unexpected = [name for name in found if name not in expected]
    if missing:
        problems.append(f"  missing: {listed(missing)}")
    if unexpected:
        problems.append(f"  unexpected: {listed(unexpected)}")
    misfits = []
    for name, entry in expected.items():
        value = found.get(name)
        if value is None:
            continue
        dtype = DTYPES[entry.dtype][0]
        if value.shape != entry.logical_shape or value.dtype != dtype:
            misfits.append(
                f"{name}: must be {dtype}{list(entry.logical_shape)}, is {value.dtype}{list(value.shape)}"
            )
    problems += [f"  {misfit}" for misfit in misfits[:LISTED]]
    if len(misfits) > LISTED:
        problems.append(f"  and {len(misfits) - LISTED} more of another shape or type")
    return problems
