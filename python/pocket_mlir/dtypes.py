"""Element types by their names in MLIR."""

from __future__ import annotations

__all__ = ["WIDTHS"]

# Bytes of an element as it is stored: a boolean takes one.
WIDTHS = {"i1": 1, "i8": 1, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "i64": 8, "f64": 8}
