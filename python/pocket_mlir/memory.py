"""The memory report: what a step needs, by kind, before it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["MemoryReport"]

_LABELS = {
    "parameters": "parameters",
    "buffers": "buffers",
    "optimizer_state": "optimizer state",
    "inputs": "inputs and targets",
    "transient": "activations, gradients, workspace",
}


@dataclass(frozen=True)
class MemoryReport:
    """Bytes on the device while a step runs.

    Attributes:
        by_kind: bytes of `parameters`, `buffers`, `optimizer_state`, `inputs` and
            `transient` (the arena that activations, gradients and workspace share, as
            IREE planned it).
        predict_transient: the same arena of `predict`.
    """

    by_kind: Mapping[str, int]
    predict_transient: int = 0

    @property
    def peak_bytes(self) -> int:
        """The most that is in use at one time."""
        return sum(self.by_kind.values())

    def to_json(self) -> dict[str, Any]:
        return {
            "peak_bytes": self.peak_bytes,
            "by_kind": dict(self.by_kind),
            "predict_transient": self.predict_transient,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | str) -> MemoryReport:
        if isinstance(data, str):
            data = json.loads(data)
        return cls(dict(data["by_kind"]), int(data.get("predict_transient", 0)))

    def __str__(self) -> str:
        rows = [(_LABELS.get(kind, kind), size) for kind, size in self.by_kind.items()]
        rows.append(("peak", self.peak_bytes))
        width = max(len(label) for label, _ in rows)
        return "\n".join(f"{label:<{width}}  {size / 1024:>12,.1f} KiB" for label, size in rows)
