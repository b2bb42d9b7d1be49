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
        loss: the loss of each step.
        lr: the learning rate of each step.
        epochs: one entry per epoch: {"epoch": n, "loss": mean, "seconds": s, and each
            validation metric by its name}.
    """

    loss: list[float] = field(default_factory=list)
    lr: list[float] = field(default_factory=list)
    epochs: list[dict[str, Any]] = field(default_factory=list)

    def metric(self, name: str) -> list[float]:
        """One value per epoch: of "loss" or of a validation metric."""
        return [epoch[name] for epoch in self.epochs if name in epoch]

    def to_json(self) -> str:
        return json.dumps({"loss": self.loss, "lr": self.lr, "epochs": self.epochs})

    def plot(self, path: str | os.PathLike) -> None:
        """Draws loss and metrics into a picture; the file name's ending says which kind."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise RuntimeError("History.plot needs matplotlib: pip install matplotlib") from None
        names = sorted({k for epoch in self.epochs for k in epoch} - {"epoch", "loss", "seconds", "steps"})
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
            rows = [(epoch["epoch"], epoch[name]) for epoch in self.epochs if name in epoch]
            axes[1].plot(*zip(*rows), marker="o", label=name)
        if names:
            axes[1].set(xlabel="epoch", ylabel=names[0] if len(names) == 1 else "metric")
            axes[1].legend()
        figure.savefig(path)
