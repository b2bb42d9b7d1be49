"""Is this the machine that a program was compiled for?

A program with instructions that the processor lacks would end the process without
a word, so this is found out before it is loaded.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from ..errors import TargetError

__all__ = ["check_runnable"]

_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}

# LLVM's feature names, and Linux's where they differ. Others are not looked at:
# either every processor has them, or the compiler has no use for them.
_FEATURES = {
    "x86_64": {
        "avx": "avx",
        "avx2": "avx2",
        "fma": "fma",
        "f16c": "f16c",
        "bmi2": "bmi2",
        "avxvnni": "avx_vnni",
        "avx512f": "avx512f",
        "avx512bw": "avx512bw",
        "avx512dq": "avx512dq",
        "avx512vl": "avx512vl",
        "avx512vnni": "avx512_vnni",
        "avx512bf16": "avx512_bf16",
        "avx512fp16": "avx512_fp16",
        "amx-tile": "amx_tile",
    },
    "aarch64": {
        "dotprod": "asimddp",
        "fullfp16": "asimdhp",
        "i8mm": "i8mm",
        "bf16": "bf16",
        "sve": "sve",
        "sve2": "sve2",
        "sme": "sme",
    },
}


def check_runnable(target: Mapping[str, Any]) -> None:
    """Raises `TargetError` when a program for `target` can't run here."""
    if target.get("driver", "local") != "local":
        return
    machine = _machine()
    wanted = str(target.get("triple") or machine).split("-")[0]
    if wanted != machine:
        raise TargetError(
            f"the program was compiled for {target.get('name', wanted)} ({wanted}), "
            f"and this machine is {machine}; compile it with target=\"host\" here"
        )
    have = _cpu_flags()
    if have is None:
        return
    known = _FEATURES.get(machine, {})
    needed = [f[1:] for f in str(target.get("features") or "").split(",") if f.startswith("+")]
    lacking = [name for name in needed if name in known and known[name] not in have]
    if lacking:
        raise TargetError(
            f"the program was compiled for a processor ({target.get('cpu', '?')}) with "
            f"{', '.join(lacking)}, which this one lacks; compile it with target=\"host\" here"
        )


def _machine() -> str:
    machine = platform.machine().lower()
    return _ARCHITECTURES.get(machine, machine)


def _cpu_flags() -> set[str] | None:
    """The processor's features as Linux lists them, or None where they can't be known."""
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return set(value.split())
    except OSError:
        pass
    return None
