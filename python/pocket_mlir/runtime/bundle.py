"""Bundles: a directory with everything that a device needs to train.

    manifest.json         what the program takes and gives, for what machine
    program.vmfb          the program
    weights.safetensors   parameters and buffers, in PyTorch's names and layouts
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BundleError
from .files import replace_directory, write_safetensors
from .manifest import read_signatures

__all__ = ["save", "load"]

MANIFEST = "manifest.json"
PROGRAM = "program.vmfb"
WEIGHTS = "weights.safetensors"


def save(
    path: str | os.PathLike,
    manifest: Mapping[str, Any],
    vmfb: bytes,
    weights: Mapping[str, np.ndarray],
) -> None:
    """Writes a bundle; one that was there before is replaced, whole or not at all."""
    path = Path(path)
    if path.exists() and not (path.is_dir() and (not any(path.iterdir()) or (path / MANIFEST).exists())):
        raise BundleError(f"{path} exists and is no bundle; it is left alone")

    def fill(folder: Path) -> None:
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        (folder / PROGRAM).write_bytes(vmfb)
        write_safetensors(folder / WEIGHTS, {name: np.asarray(value) for name, value in weights.items()})

    try:
        replace_directory(path, fill)
    except OSError as error:
        raise BundleError(f"can't write the bundle {path}: {error}") from error


def load(path: str | os.PathLike) -> tuple[dict[str, Any], bytes, Mapping[str, np.ndarray]]:
    """Reads a bundle: manifest, program and weights (read from the file when they are used)."""
    path = Path(path)
    if not path.is_dir():
        raise BundleError(f"no bundle at {path}")
    missing = [name for name in (MANIFEST, PROGRAM, WEIGHTS) if not (path / name).is_file()]
    if missing:
        raise BundleError(f"{path} is no bundle, or a damaged one: it has no {', '.join(missing)}")
    try:
        manifest = json.loads((path / MANIFEST).read_text())
    except ValueError as error:
        raise BundleError(f"{path / MANIFEST} can't be read: {error}") from error
    read_signatures(manifest)
    return manifest, (path / PROGRAM).read_bytes(), _FileWeights(path / WEIGHTS)


class _FileWeights(Mapping):
    """The tensors of a safetensors file, each read when asked for: a session copies
    them to the device one by one, so that they are never in memory twice."""

    def __init__(self, path: Path):
        from safetensors import SafetensorError

        self._path = path
        try:
            with self._open() as file:
                self._names = list(file.keys())
        except (SafetensorError, OSError) as error:
            raise BundleError(f"{path} can't be read: {error}") from error

    def _open(self):
        from safetensors import safe_open

        return safe_open(os.fspath(self._path), "numpy")

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(name)
        with self._open() as file:
            return file.get_tensor(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
