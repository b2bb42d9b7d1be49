"""The description of a target, and the names that targets go by."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

from ..arguments import nearest
from ..errors import TargetError

__all__ = ["Target", "parse", "known_targets"]

# Processors that the names "aarch64:<cpu>", "cuda:<sm>" and "bare-metal:<cpu>"
# may carry. Another one can be described by a Target of one's own.
AARCH64_CPUS = (
    "generic",
    "cortex-a53",
    "cortex-a55",
    "cortex-a57",
    "cortex-a72",
    "cortex-a73",
    "cortex-a75",
    "cortex-a76",
    "cortex-a77",
    "cortex-a78",
    "cortex-a78ae",
    "cortex-a710",
    "cortex-x1",
    "cortex-x2",
    "neoverse-n1",
    "neoverse-n2",
    "neoverse-v1",
    "apple-m1",
)
# What IREE 3.13 knows; not sm_53 nor sm_90.
CUDA_ARCHITECTURES = ("sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89")
BARE_METAL_CPUS = ("cortex-m4", "cortex-m7", "cortex-m33", "cortex-m55")
# What PyTorch and others call this machine.
_SYNONYMS = dict.fromkeys(("cpu", "native", "local", "x86_64", "x86-64"), "host")


@dataclass(frozen=True)
class Target:
    """One machine to compile for.

    Attributes:
        name: the name it goes by, as given to `pocket.compile`.
        backend: IREE's code generator: "llvm-cpu" or "cuda".
        driver: IREE's runtime driver: "local" or "cuda".
        triple: LLVM's target triple; "" is this machine's.
        cpu: LLVM's processor name, "host" for this machine's, or the CUDA architecture.
        features: processor features on top of the processor's own, LLVM's
            spelling ("+dotprod,+fp16").
        flags: further options of iree-compile.
        vector_bits: width of the vector registers that our tiles are chosen for; 0
            where the code generator chooses.
    """

    name: str
    backend: str
    driver: str
    triple: str = ""
    cpu: str = ""
    features: str = ""
    flags: tuple[str, ...] = ()
    vector_bits: int = 0

    def to_manifest(self) -> dict[str, Any]:
        """The entry in a bundle's manifest."""
        return {
            "name": self.name,
            "triple": self.triple or f"{platform.machine()}-unknown-linux-gnu",
            "cpu": self.cpu,
            "features": self.features,
            "driver": self.driver,
        }


def known_targets() -> list[str]:
    """Every name that `parse` takes."""
    return (
        ["host"]
        + [f"aarch64:{cpu}" for cpu in AARCH64_CPUS]
        + [f"cuda:{sm}" for sm in CUDA_ARCHITECTURES]
    )


def parse(name: str | Target) -> Target:
    """The target of that name: "host", "aarch64:<cpu>" or "cuda:<sm>"."""
    if isinstance(name, Target):
        return name
    if not isinstance(name, str):
        raise TargetError(f"a target is a name or a pocket.targets.Target, got {name!r}")
    kind, _, model = name.partition(":")
    if name == "host":
        return Target(name, backend="llvm-cpu", driver="local", cpu="host", vector_bits=_host_vector_bits())
    if kind == "aarch64" and model in AARCH64_CPUS:
        return Target(
            name,
            backend="llvm-cpu",
            driver="local",
            triple="aarch64-unknown-linux-gnu",
            cpu=model,
            vector_bits=128,
        )
    if kind == "cuda" and model in CUDA_ARCHITECTURES:
        return Target(name, backend="cuda", driver="cuda", triple="nvptx64-nvidia-cuda", cpu=model)
    if kind == "bare-metal":
        raise TargetError(
            f"target {name!r} is not supported yet: programs without an operating system "
            f"(for example bare-metal:{BARE_METAL_CPUS[1]}) come later; use one of {_summary()}"
        )
    # A bare family ("aarch64") is near to all of its processors, and means none of them.
    near = _SYNONYMS.get(name) or nearest(name, known_targets())
    if near and (near == "host" or ":" in name):
        raise TargetError(f"unknown target {name!r}; did you mean {near!r}? Known targets: {_summary()}")
    raise TargetError(f"unknown target {name!r}; known targets: {_summary()}")


def _host_vector_bits() -> int:
    """This machine's widest vectors; a wrong guess costs time and nothing else."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return 128
    try:
        with open("/proc/cpuinfo") as file:
            wide = "avx512f" in file.read()
    except OSError:
        wide = False
    return 512 if wide else 256


def _summary() -> str:
    return (
        "host, "
        f"aarch64:<cpu> (cpu: {', '.join(AARCH64_CPUS)}), "
        f"cuda:<sm> (sm: {', '.join(CUDA_ARCHITECTURES)})"
    )
