"""Time of a training step, against PyTorch doing the same step.

    python benchmarks/step_time.py [--models mobilenetv2 transformer resnet18] [--threads 1]

Every contender is a process of its own, all with the same number of threads, and they take
turns: one round of each, over and over, so that a change in the machine's speed meets all of
them. The figure is the median over the rounds of the ratio to the fastest PyTorch. PyTorch
runs with both memory layouts and with its allocator tuned (no mmap, nothing trimmed);
otherwise page faults would slow it down.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

LR = 0.01
CONTENDERS = ("pocket", "torch", "torch-channels-last", "torch-compile")
# glibc keeps what is freed instead of giving it back to the system.
TUNED_MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_TOP_PAD_": "268435456"}


def pocket_step(name: str, threads: int):
    import models
    import pocket_mlir as pocket

    model, x, y = models.build(name)
    begin = time.perf_counter()
    program = pocket.compile(model, (x,), loss="cross_entropy", example_targets=y)
    compiled = time.perf_counter() - begin
    session = program.session(threads=threads)
    x, y = x.numpy(), y.numpy()
    return lambda: session.step(x, y, lr=LR), compiled


def torch_step(name: str, threads: int, channels_last: bool = False, compiled: bool = False):
    # What torch.compile compiles, it compiles in the first step.
    import models
    import torch

    torch.set_num_threads(threads)
    model, x, y = models.build(name)
    if channels_last and x.dim() == 4:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=LR, foreach=True)
    run = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(run(x), y)
        loss.backward()
        optimizer.step()
        return float(loss)

    return step, 0.0


def worker(contender: str, name: str, threads: int) -> None:
    make = {
        "pocket": pocket_step,
        "torch": torch_step,
        "torch-channels-last": lambda n, t: torch_step(n, t, channels_last=True),
        "torch-compile": lambda n, t: torch_step(n, t, compiled=True),
    }[contender]
    step, setup = make(name, threads)
    begin = time.perf_counter()
    losses = [step()]
    setup += time.perf_counter() - begin
    losses += [step() for _ in range(2)]
    print(json.dumps({"setup": setup, "losses": losses}), flush=True)
    for line in sys.stdin:
        steps = int(line)
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        print(json.dumps((time.perf_counter() - begin) / steps), flush=True)


def start(contender: str, name: str, threads: int) -> subprocess.Popen:
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), **TUNED_MALLOC)
    command = [sys.executable, "-W", "ignore", __file__, "--worker", contender, name, str(threads)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def answer(process: subprocess.Popen):
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"a contender ended with code {process.wait()}")
    return json.loads(line)


def measure(name: str, threads: int, rounds: int, steps: int, contenders) -> dict:
    processes, setup = {}, {}
    for contender in contenders:
        processes[contender] = start(contender, name, threads)
        setup[contender] = answer(processes[contender])
    times = {contender: [] for contender in contenders}
    for _ in range(rounds):
        for contender, process in processes.items():
            process.stdin.write(f"{steps}\n")
            process.stdin.flush()
            times[contender].append(answer(process))
    for process in processes.values():
        process.stdin.close()
        process.wait()
    return {"times": times, "setup": setup}


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        return worker(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", default=["mobilenetv2", "transformer", "resnet18"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), choices=CONTENDERS)
    options = parser.parse_args()
    for name in options.models:
        result = measure(name, options.threads, options.rounds, options.steps, options.contenders)
        times = result["times"]
        print(f"\n{name}, {options.threads} thread(s), {options.rounds} rounds of {options.steps} steps")
        rivals = [c for c in options.contenders if c.startswith("torch")]
        for contender in options.contenders:
            setup = result["setup"][contender]
            line = f"  {contender:<20} {statistics.median(times[contender]) * 1e3:8.2f} ms"
            line += f"   ready after {setup['setup']:5.1f} s   losses {setup['losses'][0]:.5f} .. {setup['losses'][-1]:.5f}"
            print(line)
        if "pocket" in times and rivals:
            for rival in rivals:
                ratio = statistics.median(r / p for r, p in zip(times[rival], times["pocket"], strict=True))
                print(f"  pocket is {ratio:.2f}x as fast as {rival}")


if __name__ == "__main__":
    main()
