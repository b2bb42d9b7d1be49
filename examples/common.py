"""What the examples share: a fair comparison with PyTorch, and a plot."""

from __future__ import annotations

import ctypes
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "out"


def keep_freed_memory() -> None:
    """Makes glibc keep what is freed, for PyTorch's sake: its steps then cause no page faults.

    Our session allocates once and gains nothing from it. Without this PyTorch would be
    slower than it need be. Elsewhere than on glibc nothing happens.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    m_trim_threshold, m_top_pad, m_mmap_threshold = -1, -2, -3
    mallopt(m_mmap_threshold, 1 << 30)
    mallopt(m_trim_threshold, 2**31 - 1)
    mallopt(m_top_pad, 64 << 20)


def compare_speed(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int, steps: int
) -> tuple[float, float]:
    """Milliseconds per step of both, the median of rounds taken in turn.

    Turns, because a machine's speed drifts: whatever slows it down hits both.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for function in (ours, theirs):
        function()
    for _ in range(rounds):
        for function, measured in zip((ours, theirs), times):
            started = time.perf_counter()
            for _ in range(steps):
                function()
            measured.append((time.perf_counter() - started) / steps * 1e3)
    return statistics.median(times[0]), statistics.median(times[1])


def plot(
    path: Path,
    title: str,
    loss: Sequence[float],
    epoch_ends: Sequence[int],
    accuracies: Sequence[float],
    baseline: tuple[str, float],
    reference_loss: Sequence[float] | None = None,
) -> None:
    """Draws the loss of each step and the held-out accuracy before and after each epoch."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(10, 4), layout="constrained", dpi=120)
    figure.suptitle(title)
    left, right = figure.subplots(1, 2)
    steps = range(1, len(loss) + 1)
    left.plot(steps, loss, linewidth=3, alpha=0.5, label="Pocket MLIR")
    if reference_loss is not None:
        left.plot(steps, reference_loss, color="black", linewidth=0.8, linestyle="--", label="PyTorch, same batches")
    left.set(xlabel="step", ylabel="training loss (cross entropy)", ylim=(0, None))
    left.legend()
    left.grid(alpha=0.3)

    right.plot([0, *epoch_ends], accuracies, marker="o", label="held out")
    name, value = baseline
    right.axhline(value, color="gray", linestyle=":", label=f"{name} ({value:.0%})")
    right.set(xlabel="step", ylabel="accuracy on the held-out split", ylim=(0, 1.02))
    right.yaxis.set_major_formatter(PercentFormatter(1.0))
    right.legend(loc="lower right")
    right.grid(alpha=0.3)

    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
