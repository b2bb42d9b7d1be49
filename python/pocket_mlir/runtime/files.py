"""Files and directories that appear whole or not at all, and the safetensors format."""

from __future__ import annotations

import ctypes
import glob
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

__all__ = ["replace_file", "replace_directory", "write_safetensors"]

_SAFETENSORS_TYPES = {
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
}


def write_safetensors(
    path: Path, tensors: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None
) -> None:
    """Writes tensors, one after the other, so that they are in memory only once.

    The safetensors package would write to a temporary file of its own, which a kill
    leaves behind under a name that nobody can tell.
    """
    header: dict = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name, value in tensors.items():
        start, end = end, end + value.nbytes
        header[name] = {
            "dtype": _SAFETENSORS_TYPES[value.dtype.name],
            "shape": list(value.shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for value in tensors.values():
            little = value.dtype.newbyteorder("<")
            file.write(np.ascontiguousarray(value, little).reshape(-1).view(np.uint8).data)


def replace_file(path: str | os.PathLike, write: Callable[[Path], None]) -> None:
    """Calls `write` with a temporary file's path, and puts that file at `path`.

    The data reaches the disk before the name does, so that neither a kill nor a
    power cut leaves half a file under the name.
    """
    path = Path(path)
    _remove_leftovers(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        write(temporary)
        _sync(temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _remove_leftovers(path: Path) -> None:
    """Deletes what processes that were killed on the way to `path` have left."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*-*.tmp"):
        process = leftover.name.removeprefix(f".{path.name}.").split("-")[0]
        try:
            os.kill(int(process), 0)
        except ProcessLookupError:
            leftover.unlink(missing_ok=True)
        except (ValueError, OSError):
            pass  # not one of ours, or somebody else's process


def replace_directory(path: str | os.PathLike, fill: Callable[[Path], None]) -> None:
    """Calls `fill` with a new directory, and puts that directory at `path`."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    try:
        fill(temporary)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o777 & ~mask)
        for file in temporary.iterdir():
            _sync(file)
        _sync(temporary)
        if path.exists():
            if not _exchange(temporary, path):
                # Not atomic: for an instant neither is there.
                aside = temporary.with_suffix(".old")
                os.rename(path, aside)
                os.rename(temporary, path)
                os.rename(aside, temporary)
            shutil.rmtree(temporary)
        else:
            os.rename(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync(path.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems can't sync a directory
    finally:
        os.close(handle)


def _exchange(first: Path, second: Path) -> bool:
    """Swaps two directories' names in one go, where Linux can."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    at_cwd, exchange = -100, 2
    return renameat2(at_cwd, os.fsencode(first), at_cwd, os.fsencode(second), exchange) == 0
