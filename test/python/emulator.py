"""Runs programs for aarch64 on this machine, with IREE's own iree-run-module under
qemu. `make setup-targets` brings what it needs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pocket_mlir.targets import iree

LIBRARIES = Path("/usr/aarch64-linux-gnu")
RUN_MODULE = Path(__file__).parents[2] / ".targets/aarch64/runtime/iree/_runtime_libs/iree-run-module"


def missing() -> str:
    """What is not there, or ""."""
    if shutil.which("qemu-aarch64-static") is None:
        return "qemu-user-static is not installed (make setup-targets)"
    if not (LIBRARIES / "lib/libstdc++.so.6").exists():
        return "the aarch64 C++ library is not installed (make setup-targets)"
    if not RUN_MODULE.exists():
        return "IREE's aarch64 runtime is not unpacked (make setup-targets)"
    return ""


needs_emulator = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


def run(
    vmfb: bytes, function: str, arguments: Sequence[np.ndarray], results: int, folder: Path
) -> list[np.ndarray]:
    """The function's results on an emulated processor."""
    (folder / "program.vmfb").write_bytes(vmfb)
    command = ["qemu-aarch64-static", "-L", LIBRARIES, RUN_MODULE, "--device=local-sync"]
    command += [f"--module={folder / 'program.vmfb'}", f"--function={function}"]
    for i, argument in enumerate(arguments):
        np.save(folder / f"in{i}.npy", argument)
        command.append(f"--input=@{folder / f'in{i}.npy'}")
    command.append(f"--input=&{max(64, iree.transient_bytes(vmfb)[function])}xi8=0")
    command += [f"--output=@{folder / f'out{i}.npy'}" for i in range(results)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return [np.load(folder / f"out{i}.npy") for i in range(results)]
