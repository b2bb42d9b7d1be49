"""Evaluates at import what doesn't depend on inputs, parameters or persistent buffers.

Position ids, causal masks, rotary tables: models compute them anew in every call, from
sizes and from non-persistent buffers. PyTorch itself evaluates them here, on the exported
graph, and the importer sees constants.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

import torch
from torch.fx import Graph, Node

# Checks that hold for every batch of the compiled sizes, or that belong to PyTorch.
_ASSERTIONS = ("_assert", "sym_constrain_range", "assert_")


def fold_constants(graph: Graph, known: Mapping[Node, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Replaces what follows from `known` alone by new placeholders.

    Returns the values of the placeholders that stand for constants, by name: the new
    ones and those of `known` that are still read. Placeholders nobody reads stay.
    """
    values: dict[Node, object] = dict(known)
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if any(word in str(node.target) for word in _ASSERTIONS) and not node.users:
            graph.erase_node(node)
            continue
        if _is_foldable(node, values):
            args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
            with torch.no_grad():
                values[node] = node.target(*args, **kwargs)
    return _replace(graph, values, known)


def _is_foldable(node: Node, values: Mapping[Node, object]) -> bool:
    if any(argument not in values for argument in node.all_input_nodes):
        return False
    if node.target is operator.getitem:
        return True
    if not isinstance(node.target, torch._ops.OpOverload):
        return False
    tags = node.target.tags
    if torch.Tag.nondeterministic_seeded in tags or node.target._schema.is_mutable:
        return False
    # Without inputs only what makes tensors (arange, full, ...) is a constant.
    return "val" in node.meta


def _replace(
    graph: Graph, values: Mapping[Node, object], known: Mapping[Node, torch.Tensor]
) -> dict[str, torch.Tensor]:
    constants: dict[str, torch.Tensor] = {}
    first = next(iter(graph.nodes))
    for node, value in values.items():
        if not isinstance(value, torch.Tensor):
            continue
        outside = [user for user in node.users if user not in values]
        if not outside:
            continue
        if node in known:
            constants[node.name] = value
            continue
        with graph.inserting_before(first):
            constant = graph.placeholder(f"constant_{node.name}")
        constant.meta = dict(node.meta)
        node.replace_all_uses_with(constant, lambda user: user in outside)
        constants[constant.name] = value
    for node in reversed(list(graph.nodes)):
        if node.op == "call_function" and not node.users:
            graph.erase_node(node)
    return constants


def narrowed(value: torch.Tensor) -> torch.Tensor:
    """`value` with every dimension that only repeats itself cut to size 1."""
    for dim in range(value.dim()):
        if value.shape[dim] > 1:
            first = value.narrow(dim, 0, 1)
            if value.stride(dim) == 0 or bool((value == first).all()):
                value = first
    return value
