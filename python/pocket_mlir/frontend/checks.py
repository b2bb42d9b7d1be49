"""Finding what can't be imported, before and while it is lowered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch
from torch.fx import Graph, Node

from ..errors import Offender
from .export import user_path

_NO_LOWERING = "the operations listed in pocket_mlir.frontend.supported_operations()"


class Offenders:
    """Collects complaints; the same one twice in a layer is counted, not repeated."""

    def __init__(self) -> None:
        self._seen: dict[tuple, Offender] = {}
        self._nodes: set[tuple] = set()

    def add(self, offender: Offender, node: str) -> None:
        key = (offender.layer, offender.op, offender.found)
        if (*key, node) in self._nodes:
            return
        self._nodes.add((*key, node))
        known = self._seen.get(key)
        self._seen[key] = replace(known, count=known.count + 1) if known else offender

    def __iter__(self) -> Iterator[Offender]:
        return iter(self._seen.values())

    def __bool__(self) -> bool:
        return bool(self._seen)


# A line of the code that PyTorch generates for a graph: "relu_1 = torch.ops.aten.relu..."
_GENERATED = re.compile(r"^\s*(\w+)\s*=\s*torch\.ops\.", re.MULTILINE)


def node_paths(graph: Graph, inner: Mapping[str, str]) -> dict[str, str]:
    """The module path of each node; "loss" for what stands outside of the model.

    `inner` has the paths of the nodes of a program that was traced as a model.
    """
    paths = {}
    for node in graph.nodes:
        stack = node.meta.get("nn_module_stack") or {}
        path = next(reversed(stack.values()))[0] if stack else ""
        paths[node.name] = "loss" if path == "" else user_path(path)
        generated = inner and _GENERATED.findall(node.meta.get("stack_trace") or "")
        if generated:
            paths[node.name] = inner.get(generated[-1], "")
    return paths


def node_sources(graph: Graph) -> dict[str, str]:
    """The user's line of each node."""
    sources = {}
    for node in graph.nodes:
        lines = (node.meta.get("stack_trace") or "").strip().split("\n")
        files = [line.strip() for line in lines if line.strip().startswith('File "')]
        files = [f for f in files if "/pocket_mlir/frontend/" not in f and '"<eval_with_key' not in f]
        files = [f for f in files if "/torch/" not in f] or files
        file = files[-1] if files else ""
        sources[node.name] = re.sub(r'File "([^"]*)", line (\d+),', r"\1:\2", file)
    return sources


def missing_lowering(layer: str, name: str, found: str, source: str) -> Offender:
    """The complaint about an operation that nothing is registered for."""
    return Offender(
        layer,
        name,
        found,
        _NO_LOWERING,
        "express it by these, compute it in the data pipeline, or add a lowering with "
        "pocket_mlir.frontend.lowers",
        source,
    )


def cut_unreadable(
    graph: Graph, paths: Mapping[str, str], sources: Mapping[str, str], offenders: Offenders
) -> None:
    """Reports dynamic sizes and nested graphs, and cuts them out of the graph.

    What reads them reads a new placeholder instead, so that the rest of the graph can be
    imported, and complained about, in the same go.
    """
    unreadable: dict[Node, None] = {}
    for node in graph.nodes:
        if node.op == "output":
            continue
        complaint = None
        if _is_symbolic(node):
            # Sizes that only follow from other dynamic sizes aren't news.
            if not any(_is_symbolic(source) for source in node.all_input_nodes):
                complaint = (
                    f"a dynamic shape: {_show(node.meta.get('val'))}",
                    "sizes known at compile time",
                    "export without dynamic_shapes and pad to a fixed size; replace boolean masks "
                    "as indices, nonzero, unique and .item() by torch.where or a product with the "
                    "mask",
                )
        elif isinstance(node.target, torch._ops.HigherOrderOperator):
            # A check of PyTorch's own goes along with an operation that has a complaint.
            complaint = None if "check_errors" in _op_name(node) else (
                f"a nested graph or a side effect, resulting in {_show(node.meta.get('val'))}",
                "straight-line programs without side effects",
                "compute both branches and choose with torch.where; unroll loops in Python",
            )
        elif node.op != "get_attr":
            continue
        unreadable[node] = None
        if complaint:
            layer, source = paths[node.name], sources[node.name]
            offenders.add(Offender(layer, _op_name(node), *complaint, source), node.name)
    _cut(graph, unreadable)


def _cut(graph: Graph, unreadable: Mapping[Node, None]) -> None:
    first = next(iter(graph.nodes))

    def stand_in(meta: Mapping) -> Node:
        with graph.inserting_before(first):
            placeholder = graph.placeholder("unreadable")
        placeholder.meta = dict(meta)
        return placeholder

    for node in list(graph.nodes):
        if node in unreadable or not any(s in unreadable for s in node.all_input_nodes):
            continue
        if node.op == "output":
            readable = next(n for n in graph.nodes if n.op == "placeholder" and n not in unreadable)
            for source in node.all_input_nodes:
                if source in unreadable:
                    node.replace_input_with(source, readable)
        else:
            node.replace_all_uses_with(stand_in(node.meta))
    for node in reversed(list(graph.nodes)):
        if node.op != "output" and not node.users and node.op != "placeholder":
            graph.erase_node(node)
    for node in unreadable:
        if node.op == "placeholder" and not node.users:
            graph.erase_node(node)


def _op_name(node: Node) -> str:
    if node.op != "call_function":
        return node.name
    if "with_effects" in str(node.target):
        return str(node.args[1])
    return str(node.target)


def _is_symbolic(node: Node) -> bool:
    value = node.meta.get("val")
    values = value if isinstance(value, (tuple, list)) else [value]
    return any(
        isinstance(v, (torch.SymInt, torch.SymFloat, torch.SymBool))
        or (isinstance(v, torch.Tensor) and any(isinstance(d, torch.SymInt) for d in v.shape))
        for v in values
    )


def _show(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{[str(d) for d in value.shape]}".replace(
            "'", ""
        )
    if isinstance(value, (tuple, list)):
        return ", ".join(_show(v) for v in value if v is not None)
    return "" if value is None else str(value)
