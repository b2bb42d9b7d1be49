"""Where the time of a training step goes: a table of its kernels.

    python benchmarks/profile_step.py transformer [--group] [--most 30]

Each line is a kernel of IREE's: its time in a step, how often it runs, the least time of
one run, and for products their speed. The least and not the mean, because a machine that
does other things too only ever adds. `--group` adds the kernels of a kind up.

The step runs in iree-benchmark-module, on one thread, with random matrices and inputs: with
constant ones, layer norm yields zeros, and denormal numbers take their own time. Vectors
are constant, so a figure that depends on values (a loss) means nothing.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from models import MODELS  # noqa: E402
from step_time import TUNED_MALLOC  # noqa: E402

DTYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64, "i32": np.int32, "i1": np.bool_, "i8": np.int8}


def tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def linalg_of(model: str, folder: Path) -> Path:
    """The training step as IREE gets it."""
    import models
    import pocket_mlir as pocket

    module, x, y = models.build(model)
    pocket.compile(module, (x,), loss="cross_entropy", example_targets=y, dump_ir=folder)
    return next(folder.glob("*-linalg.mlir"))


def inputs_of(text: str, folder: Path) -> list[str]:
    """Options with a file of random numbers for each argument of @train_step."""
    signature = re.search(r"func\.func (?:public )?@train_step\((.*?)\) ->", text, re.S).group(1)
    rng = np.random.default_rng(0)
    options = []
    for i, (shape, dtype) in enumerate(re.findall(r"%arg\d+: tensor<((?:\d+x)*)(\w+)>", signature)):
        sizes = [int(size) for size in shape.split("x")[:-1]]
        if dtype.startswith("f"):
            # Vectors may be variances; a scalar is the learning rate.
            value = 0.05 * rng.standard_normal(sizes) if len(sizes) > 1 else np.full(sizes, 0.5 if sizes else 1e-3)
        else:
            value = np.ones(sizes)
        file = folder / f"{i}.npy"
        np.save(file, np.asarray(value, DTYPES[dtype]))
        options.append(f"--input=@{file}")
    return options


def kernels_of(model: str) -> tuple[list[dict], int]:
    """The kernels' statistics, and how many steps they are over."""
    from pocket_mlir import targets
    from pocket_mlir.targets.flags import compiler_flags

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        source = linalg_of(model, folder)
        program, profile = folder / "program.vmfb", folder / "profile.ireeprof"
        flags = compiler_flags(targets.parse("host"))
        subprocess.run([tool("iree-compile"), source, "-o", program, *flags], check=True)
        command = [
            tool("iree-benchmark-module"), f"--module={program}", "--device=local-sync", "--function=train_step",
            "--benchmark_min_time=2s", "--device_profiling_mode=host-execution,executable-metadata,queue-events",
            f"--device_profiling_output={profile}", *inputs_of(source.read_text(), folder),
        ]  # fmt: skip
        environment = os.environ | TUNED_MALLOC
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        table = subprocess.run(
            [tool("iree-profile"), "dispatch", "--format=jsonl", profile], check=True, capture_output=True, text=True
        ).stdout
    rows = [json.loads(line) for line in table.splitlines()]
    kernels = [row for row in rows if row.get("type") == "host_dispatch_group"]
    return kernels, functools.reduce(math.gcd, [kernel["count"] for kernel in kernels])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--group", action="store_true", help="add the kernels of a kind up")
    parser.add_argument("--most", type=int, default=30, help="lines to show")
    options = parser.parse_args()
    kernels, steps = kernels_of(options.model)
    lines = defaultdict(lambda: [0.0, 0, 0, ""])
    for kernel in kernels:
        key, least = kernel["key"], kernel["min_ns"] / 1e6
        product = re.search(r"matmul_like_(\d+(?:x\d+)*)_f32", key)
        speed = f"{2 * math.prod(map(int, product.group(1).split('x'))) / kernel['min_ns']:.0f} GF/s" if product else ""
        if options.group:
            key, speed = re.sub(r"_\d+(x\d+)*", "", re.sub(r".*dispatch_\d+_", "", key)), ""
        line = lines[key]
        runs = kernel["count"] // steps
        line[0] += least * runs
        line[1] += runs
        line[2] += 1
        line[3] = speed
    total = sum(line[0] for line in lines.values())
    print(f"{total:.1f} ms a step, {len(kernels)} kernels, {sum(k['count'] for k in kernels) // steps} runs")
    for key, (time, runs, count, speed) in sorted(lines.items(), key=lambda item: -item[1][0])[: options.most]:
        each = f"{count} kernels" if options.group else f"{time / runs:.3f} ms each"
        print(f"{time:8.2f} ms  {runs:4d} runs  {each:>14}  {key} {speed}")


if __name__ == "__main__":
    main()
