"""Files and directories that appear whole or not at all."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

__all__ = ["replace_file", "replace_directory"]


def replace_file(path: str | os.PathLike, write: Callable[[Path], None]) -> None:
    """Calls `write` with a temporary file's path, and puts that file at `path`.

    The data reaches the disk before the name does, so that neither a kill nor a
    power cut leaves half a file under the name.
    """
    path = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        # mkstemp's files are for the owner only; a checkpoint is like any other file.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        _sync(temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


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
