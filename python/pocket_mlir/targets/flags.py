"""The options that iree-compile gets, and why."""

from __future__ import annotations

from ..errors import TargetError
from .target import Target

__all__ = ["compiler_flags"]

# What a processor's code is made with. Not data tiling: products carry tiles of our
# own, which it would drop, and it fails on some short ones ("large vector sizes").
_CPU = (
    # Reductions may be vectorized: sums are reordered, as every BLAS does.
    "--iree-llvmcpu-reassociate-fp-reductions=true",
    # Tiles that need more stack than the default.
    "--iree-llvmcpu-stack-allocation-limit=131072",
    # A fifth of the file, and of no use without the IR it points to.
    "--iree-llvmcpu-debug-symbols=false",
)

# Strictly serial, in our order. The other settings may move a read of an old
# weight behind the update that overwrites it: docs/notes-iree-ordering.md.
_SERIAL = "--iree-stream-partitioning-favor=debug"

# Our passes have placed the transposes. IREE's propagation fails on those that read
# one result of an op with several ("expected number of yield values").
_KEEP_TRANSPOSES = "--iree-global-opt-propagate-transposes=false"


def compiler_flags(target: Target) -> list[str]:
    """Every option for a program on that target."""
    flags = [_SERIAL, _KEEP_TRANSPOSES]
    if target.backend == "llvm-cpu":
        flags += [
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            f"--iree-llvmcpu-target-cpu={target.cpu}",
            *_CPU,
        ]
        if target.triple:
            flags.append(f"--iree-llvmcpu-target-triple={target.triple}")
        if target.features:
            flags.append(f"--iree-llvmcpu-target-cpu-features={target.features}")
    elif target.backend == "cuda":
        flags += ["--iree-hal-target-device=cuda", f"--iree-cuda-target={target.cpu}"]
    else:
        raise TargetError(f"target {target.name!r}: unknown backend {target.backend!r}")
    return [*flags, *target.flags]
