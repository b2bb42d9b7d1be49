"""The options that iree-compile gets, and why.

A profile says what dominates a program. Which one is best was measured; a wrong
one costs time, never correctness.
"""

from __future__ import annotations

import difflib

from ..errors import TargetError
from .target import Target

__all__ = ["PROFILES", "compiler_flags"]

# Packs the operands of matmuls for the cache.
_DATA_TILING = "--iree-opt-data-tiling"
# Tiles that need more stack than the default.
_STACK = "--iree-llvmcpu-stack-allocation-limit=131072"
# Reductions may be vectorized: sums are reordered, as every BLAS does.
_REASSOCIATE = "--iree-llvmcpu-reassociate-fp-reductions=true"
# Padding becomes part of the convolution that reads it (2-4 % on CNNs).
_FUSE_PADDING = "--iree-dispatch-creation-enable-fuse-padding-into-linalg-consumer-ops"

PROFILES: dict[str, tuple[str, ...]] = {
    # Transformers, MLPs: packed operands double a matmul's speed.
    "matmul": (_DATA_TILING, _REASSOCIATE, _STACK),
    # MobileNets: data tiling would slow the 1x1 convolutions down.
    "depthwise": (_REASSOCIATE, _FUSE_PADDING),
    # ResNets.
    "dense-conv": (_DATA_TILING, _REASSOCIATE, _FUSE_PADDING, _STACK),
    # Contractions that carry tiles of our own: packing would drop them.
    "tiled": (_REASSOCIATE, _STACK),
    # What every program can be compiled with.
    "plain": (_REASSOCIATE, _STACK),
}

# Strictly serial, in our order. The other settings may move a read of an old
# weight behind the update that overwrites it: docs/notes-iree-ordering.md.
_SERIAL = "--iree-stream-partitioning-favor=debug"

# Our passes have placed the transposes. IREE's propagation fails on those that read
# one result of an op with several ("expected number of yield values").
_KEEP_TRANSPOSES = "--iree-global-opt-propagate-transposes=false"


def compiler_flags(target: Target, profile: str = "plain") -> list[str]:
    """Every option for a program of that profile on that target."""
    if profile not in PROFILES:
        close = difflib.get_close_matches(profile, PROFILES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise TargetError(f"unknown profile {profile!r}{hint} (known: {', '.join(PROFILES)})")
    flags = [_SERIAL, _KEEP_TRANSPOSES]
    if target.backend == "llvm-cpu":
        flags += [
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            f"--iree-llvmcpu-target-cpu={target.cpu}",
            # A fifth of the file, and of no use without the IR it points to.
            "--iree-llvmcpu-debug-symbols=false",
        ]
        if target.triple:
            flags.append(f"--iree-llvmcpu-target-triple={target.triple}")
        if target.features:
            flags.append(f"--iree-llvmcpu-target-cpu-features={target.features}")
        flags += PROFILES[profile]
    elif target.backend == "cuda":
        # The profiles are choices for a processor's caches and vectors.
        flags += ["--iree-hal-target-device=cuda", f"--iree-cuda-target={target.cpu}"]
    else:
        raise TargetError(f"target {target.name!r}: unknown backend {target.backend!r}")
    return [*flags, *target.flags]
