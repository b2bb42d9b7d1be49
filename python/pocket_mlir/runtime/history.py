"""What happened during training."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from ..errors import RuntimeError

__all__ = ["History"]


@dataclass
class History:
    """The record of a call of `Session.fit`.

    Attributes:
        loss: the loss of each step, before its update: `loss[0]` is that of the weights
            that the training started from, on the first batch.
        lr: the learning rate of each step.
        epochs: one entry per epoch, counted from 1: {"epoch": n, "loss": mean, "steps": k,
            "seconds": s, and each validation metric by its name}.
        initial: each validation metric by its name, before the first step; empty without
            `validation`, or with `validate_first=False`.
    """

    loss: list[float] = field(default_factory=list)
    lr: list[float] = field(default_factory=list)
    epochs: list[dict[str, Any]] = field(default_factory=list)
    initial: dict[str, float] = field(default_factory=dict)

    def metric(self, name: str) -> list[float]:
        """One value per epoch: of "loss" or of a validation metric.

        The value before training is not among them; it is `initial[name]`.
        """
        return [epoch[name] for epoch in self.epochs if name in epoch]

    def to_json(self) -> str:
        return json.dumps(
            {"loss": self.loss, "lr": self.lr, "epochs": self.epochs, "initial": self.initial}
        )

    def plot(self, path: str | os.PathLike) -> None:
        """Draws loss and metrics into a picture; the file name's ending says which kind."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise RuntimeError("History.plot needs matplotlib: pip install matplotlib") from None
        rows = [{"epoch": 0, **self.initial}, *self.epochs]
        names = sorted({k for row in rows for k in row} - {"epoch", "loss", "seconds", "steps"})
        # A Figure of its own leaves pyplot's global state, and its window system, alone.
        figure = Figure(figsize=(10 if names else 6, 4), layout="constrained")
        axes = figure.subplots(1, 2 if names else 1, squeeze=False)[0]
        axes[0].plot(range(1, len(self.loss) + 1), self.loss, alpha=0.4, label="step")
        ends, end = [], 0
        for epoch in self.epochs:
            end += epoch.get("steps", 0)
            ends.append(end)
        axes[0].plot(ends, self.metric("loss"), marker="o", label="epoch mean")
        axes[0].set(xlabel="step", ylabel="loss")
        axes[0].legend()
        for name in names:
            points = [(row["epoch"], row[name]) for row in rows if name in row]
            axes[1].plot(*zip(*points), marker="o", label=name)
        if names:
            axes[1].set(xlabel="epoch", ylabel=names[0] if len(names) == 1 else "metric")
            axes[1].legend()
        figure.savefig(path)
