"""Time of a training step, against PyTorch and JAX doing the same step.

    python benchmarks/step_time.py [--models mobilenetv2 transformer resnet18] [--threads 1]
    python benchmarks/step_time.py --models mobilenetv2 --scheme tte/mobilenetv2-49kb

Every contender is a process of its own, all with the same number of threads, and they take
turns: one round of each, over and over, so that a change in the machine's speed meets all of
them. The figures are the medians over the rounds of the ratios to each rival. PyTorch
runs with both memory layouts and with its allocator tuned (no mmap, nothing trimmed);
otherwise page faults would slow it down. JAX is optional (requirements-benchmarks.txt).

With a scheme, PyTorch has requires_grad=False on what the scheme leaves frozen (of a weight that
trains in part it trains the whole, having no other way), and pocket-full updates everything.

Nothing is measured unless the losses of all contenders' first three steps agree.
benchmarks/README.md says how to read what is printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

LR = 0.01
CONTENDERS = ("pocket", "pocket-full", "torch", "torch-channels-last", "torch-compile", "jax")
# Of losses, relative. Rounding in another order makes far less; a different model far more.
TOLERANCE = 1e-2
REQUIREMENTS = Path(__file__).resolve().parent.parent / "requirements-benchmarks.txt"
# glibc keeps what is freed instead of giving it back to the system.
TUNED_MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_TOP_PAD_": "268435456"}


def pocket_step(name: str, threads: int, scheme: str):
    import models
    import pocket_mlir as pocket

    model, x, y = models.build(name)
    begin = time.perf_counter()
    program = pocket.compile(model, (x,), loss="cross_entropy", example_targets=y, scheme=scheme)
    compiled = time.perf_counter() - begin
    session = program.session(threads=threads)
    x, y = x.numpy(), y.numpy()
    return lambda: session.step(x, y, lr=LR), compiled


def torch_step(name: str, threads: int, trained: list | None, channels_last: bool = False, compiled: bool = False):
    # What torch.compile compiles, it compiles in the first step.
    import models
    import torch

    torch.set_num_threads(threads)
    model, x, y = models.build(name)
    if channels_last and x.dim() == 4:
        model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
    for parameter_name, parameter in model.named_parameters():
        parameter.requires_grad_(trained is None or parameter_name in trained)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=LR, foreach=True)
    run = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(run(x), y)
        loss.backward()
        optimizer.step()
        return float(loss)

    return step, 0.0


def jax_step(name: str, threads: int):
    # The number of threads is in the environment (jax_environment), the compiling in the first step.
    import jax_models
    import models

    return jax_models.Trainer(name, *models.build(name), LR).step, 0.0


def jax_environment(threads: int) -> dict:
    """What makes XLA's CPU client use so many threads: in jaxlib 0.10.2, this variable alone.

    --xla_cpu_multi_thread_eigen=false, intra_op_parallelism_threads and OMP_NUM_THREADS leave
    it with a pool of a thread for every processor.
    """
    return {"JAX_PLATFORMS": "cpu", "PJRT_NPROC": str(threads)}


def trained_by(scheme: str, name: str) -> list | None:
    """The parameters that a scheme trains, in whole or in part; None: all."""
    if scheme == "full":
        return None
    import models
    from pocket_mlir import schemes
    from pocket_mlir.frontend import import_model

    model, x, _ = models.build(name)
    return sorted(schemes.select(schemes.resolve(scheme), import_model(model, (x,))).trained)


def worker(contender: str, name: str, threads: int, scheme: str, trained: list | None) -> None:
    make = {
        "pocket": lambda n, t: pocket_step(n, t, scheme),
        "pocket-full": lambda n, t: pocket_step(n, t, "full"),
        "torch": lambda n, t: torch_step(n, t, trained),
        "torch-channels-last": lambda n, t: torch_step(n, t, trained, channels_last=True),
        "torch-compile": lambda n, t: torch_step(n, t, trained, compiled=True),
        "jax": jax_step,
    }[contender]
    step, setup = make(name, threads)
    begin = time.perf_counter()
    losses = [step()]
    setup += time.perf_counter() - begin
    losses += [step() for _ in range(2)]
    print(json.dumps({"setup": setup, "losses": losses}), flush=True)
    for line in sys.stdin:
        steps = int(line)
        begin, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            step()
        wall, processor = time.perf_counter() - begin, time.process_time() - processor
        print(json.dumps({"wall": wall / steps, "processor": processor / steps}), flush=True)


def start(contender: str, name: str, threads: int, *scheme) -> subprocess.Popen:
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), **TUNED_MALLOC)
    if contender == "jax":
        environment |= jax_environment(threads)
    command = [sys.executable, "-W", "ignore", __file__, "--worker", contender, name, str(threads), *map(json.dumps, scheme)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def answer(process: subprocess.Popen):
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"a contender ended with code {process.wait()}")
    return json.loads(line)


def check_losses(name: str, setup: dict) -> None:
    """Ends the run if contenders do not train the same model. PyTorch is right, if it takes part."""
    truth = "torch" if "torch" in setup else next(iter(setup))
    wanted = setup[truth]["losses"]
    wrong = [
        f"  {contender}: {answer['losses']}"
        for contender, answer in setup.items()
        # Not `>`: a loss that is no number is wrong.
        if not all(abs(a - b) <= TOLERANCE * abs(b) for a, b in zip(answer["losses"], wanted, strict=True))
    ]
    if wrong:
        raise SystemExit(
            f"{name}: the losses of the first steps differ by more than {TOLERANCE:g}, nothing was measured\n"
            + "\n".join([f"  {truth}: {wanted}", *wrong])
        )


def measure(name: str, threads: int, rounds: int, steps: int, contenders, scheme: str) -> dict:
    trained = trained_by(scheme, name)
    processes, setup = {}, {}
    for contender in contenders:
        processes[contender] = start(contender, name, threads, scheme, trained)
        setup[contender] = answer(processes[contender])
    check_losses(name, setup)
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
        return worker(sys.argv[2], sys.argv[3], int(sys.argv[4]), *map(json.loads, sys.argv[5:]))
    from models import MODELS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), choices=CONTENDERS)
    parser.add_argument("--scheme", default="full", help="what is trained; see docs/schemes.md")
    options = parser.parse_args()
    # JAX has no scheme, and without one pocket-full would be pocket.
    others = ("pocket-full",) if options.scheme == "full" else ("jax",)
    options.contenders = [contender for contender in options.contenders if contender not in others]
    if "jax" in options.contenders and importlib.util.find_spec("jax") is None:
        options.contenders.remove("jax")
        print("jax is skipped: it is not installed in this environment. To measure it too:")
        print(f"  {sys.executable} -m pip install -r {REQUIREMENTS}")
        if not options.contenders:
            raise SystemExit("nothing is left to measure")
    for name in options.models:
        result = measure(name, options.threads, options.rounds, options.steps, options.contenders, options.scheme)
        times, setup = result["times"], result["setup"]
        walls = {contender: [t["wall"] for t in times[contender]] for contender in times}
        print(f"\n{name}, scheme {options.scheme}, {options.threads} thread(s), {options.rounds} rounds of {options.steps} steps")
        for contender in options.contenders:
            busy = sum(t["processor"] for t in times[contender]) / sum(walls[contender])
            line = f"  {contender:<20} {statistics.median(walls[contender]) * 1e3:8.2f} ms   {busy:4.2f} threads busy"
            line += f"   ready after {setup[contender]['setup']:5.1f} s"
            print(line + "   losses " + " ".join(f"{loss:.5f}" for loss in setup[contender]["losses"]))
            if busy > options.threads * 1.05:
                print(f"  {contender} used more than {options.threads} thread(s): its time is not comparable")
        if "pocket" in walls:
            for rival in (c for c in options.contenders if c != "pocket"):
                ratio = statistics.median(r / p for r, p in zip(walls[rival], walls["pocket"], strict=True))
                print(f"  pocket is {ratio:.2f}x as fast as {rival}")


if __name__ == "__main__":
    main()
