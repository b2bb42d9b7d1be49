"""The structure of a model's outputs, as plain data that a session without torch can read.

A tree is an index into the list of output tensors, `None`, `{"tuple": [...]}`,
`{"list": [...]}` or `{"dict": {key: ...}}`. It can be written as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import torch

Tree = Any


def flatten(value: Any) -> tuple[list[torch.Tensor], list[str], Tree]:
    """The tensors in `value`, their names, and its structure.

    What holds no tensor (caches, numbers, strings) is left out.
    """
    tensors: list[torch.Tensor] = []
    names: list[str] = []

    def visit(node: Any, path: str) -> Tree:
        if isinstance(node, torch.Tensor):
            tensors.append(node)
            names.append(path)
            return len(tensors) - 1
        if isinstance(node, Mapping):
            items = {str(k): visit(v, f"{path}.{k}" if path else str(k)) for k, v in node.items()}
            items = {k: v for k, v in items.items() if v is not None}
            return {"dict": items} if items else None
        if is_dataclass(node) and not isinstance(node, type):
            return visit({f.name: getattr(node, f.name) for f in fields(node)}, path)
        if isinstance(node, (tuple, list)):
            kind = "list" if isinstance(node, list) else "tuple"
            items = [visit(v, f"{path}.{i}" if path else f"output{i}") for i, v in enumerate(node)]
            return {kind: items} if any(item is not None for item in items) else None
        return None

    tree = visit(value, "")
    return tensors, [name or "output0" for name in names], tree


def unflatten(tree: Tree, tensors: Sequence[Any]) -> Any:
    """The structure with `tensors` in it."""
    if tree is None:
        return None
    if isinstance(tree, int):
        return tensors[tree]
    ((kind, items),) = tree.items()
    if kind == "dict":
        return {key: unflatten(item, tensors) for key, item in items.items()}
    values = [unflatten(item, tensors) for item in items]
    return values if kind == "list" else tuple(values)
