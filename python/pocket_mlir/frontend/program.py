"""An exported program, read: folded, in the torch dialect, with its edges explained."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.export.graph_signature import InputKind, OutputKind, TensorArgument
from torch.fx import Node

from .checks import Offenders, cut_unreadable, node_paths, node_sources
from .export import Exported, user_path
from .folding import fold_constants, narrowed
from .torch_dialect import TorchFunction, import_graph

# A constant beyond this size is a buffer that travels beside the program, not in it.
_LARGEST_CONSTANT = 1 << 18


@dataclass(frozen=True)
class Slot:
    """What a function argument is: a kind ("parameter", "buffer", "input", "target") and a name."""

    kind: str
    name: str


@dataclass
class State:
    """The parameters and buffers of a model, and the arguments that stand for them."""

    parameters: dict[str, torch.Tensor]
    buffers: dict[str, torch.Tensor]
    aliases: dict[str, str]
    non_persistent: set[str]
    # Buffers that become arguments; the rest are constants or unused.
    used_buffers: dict[str, torch.Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, model: torch.nn.Module) -> State:
        parameters: dict[str, torch.Tensor] = {}
        buffers: dict[str, torch.Tensor] = {}
        aliases: dict[str, str] = {}
        first: dict[int, str] = {}
        for named, known in (
            (model.named_parameters(remove_duplicate=False), parameters),
            (model.named_buffers(remove_duplicate=False), buffers),
        ):
            for name, value in named:
                if id(value) in first:
                    aliases[name] = first[id(value)]
                else:
                    first[id(value)] = name
                    known[name] = value
        persistent = model.state_dict(keep_vars=True)
        non_persistent = {name for name in buffers if name not in persistent}
        state = cls(parameters, buffers, aliases, non_persistent)
        state.used_buffers = {n: v for n, v in buffers.items() if n not in non_persistent}
        return state

    def canonical(self, name: str) -> str:
        return self.aliases.get(name, name)


@dataclass
class Graph:
    """An exported program after folding, in the torch dialect, with its edges explained."""

    function: TorchFunction
    # Per function argument: a slot, the value of a constant, or None for what can't be read.
    arguments: list[Slot | torch.Tensor | None]
    paths: dict[str, str]
    sources: dict[str, str]
    loss: int
    outputs: list[int]
    mutations: dict[str, int]
    output_names: list[str]


def read_program(exported: Exported, state: State, offenders: Offenders) -> Graph:
    """Folds, checks and imports an exported program."""
    program, signature = exported.program, exported.program.graph_signature
    graph = program.graph
    placeholders = {node.name: node for node in graph.nodes if node.op == "placeholder"}
    mutated = {
        spec.target: spec.arg.name
        for spec in signature.output_specs
        if spec.kind is OutputKind.BUFFER_MUTATION
    }
    slots: dict[str, Slot] = {}
    known: dict[Node, torch.Tensor] = {}
    constant_names: dict[str, str] = {}
    leaves = iter(zip(exported.call.names, exported.call.is_target))
    for spec in signature.input_specs:
        name = user_path(spec.target) if spec.target else ""
        if spec.kind is InputKind.USER_INPUT:
            input_name, is_target = next(leaves)
            if isinstance(spec.arg, TensorArgument):
                slots[spec.arg.name] = Slot("target" if is_target else "input", input_name)
            continue
        node = placeholders[spec.arg.name]
        if spec.kind is InputKind.PARAMETER:
            slots[node.name] = Slot("parameter", state.canonical(name))
        elif spec.kind is InputKind.BUFFER and (spec.target in mutated or _is_state(state, name)):
            canonical = state.canonical(name)
            state.used_buffers.setdefault(canonical, state.buffers[canonical])
            slots[node.name] = Slot("buffer", canonical)
        elif spec.kind in (InputKind.BUFFER, InputKind.CONSTANT_TENSOR):
            known[node] = _constant_value(program, spec.target)
            constant_names[node.name] = name
    constants = fold_constants(graph, known)
    paths, sources = node_paths(graph, exported.inner_paths), node_sources(graph)
    cut_unreadable(graph, paths, sources, offenders)
    _drop_python_inputs(graph, slots, constants)
    function = import_graph(graph)
    arguments: list[Slot | torch.Tensor | None] = []
    for node in (n for n in graph.nodes if n.op == "placeholder"):
        if node.name not in constants:
            arguments.append(slots.get(node.name, known.get(node)))
            continue
        value = narrowed(constants[node.name].detach().cpu())
        if value.numel() > _LARGEST_CONSTANT:
            name = constant_names.get(node.name, node.name)
            state.used_buffers[name] = state.buffers[name] = constants[node.name]
            state.non_persistent.add(name)
            arguments.append(Slot("buffer", name))
        else:
            arguments.append(constants[node.name])
    mutations, user = {}, []
    for spec, value in zip(signature.output_specs, function.results, strict=True):
        if spec.kind is OutputKind.BUFFER_MUTATION:
            mutations[state.canonical(user_path(spec.target))] = value
        elif spec.kind is OutputKind.USER_OUTPUT:
            user.append(value)
    return Graph(
        function, arguments, paths, sources, user[0], user[1:], mutations, exported.output_names
    )


def _constant_value(program: torch.export.ExportedProgram, name: str) -> torch.Tensor:
    return program.constants[name] if name in program.constants else program.state_dict[name]


def _is_state(state: State, name: str) -> bool:
    """Whether a buffer belongs to the model's state (and not to its constants)."""
    canonical = state.canonical(name)
    return canonical in state.buffers and canonical not in state.non_persistent


def _drop_python_inputs(graph: torch.fx.Graph, slots, constants) -> None:
    """Removes the placeholders of numbers and None, whose values are in the graph already."""
    for node in list(graph.nodes):
        if node.op == "placeholder" and node.name not in slots and node.name not in constants:
            if not node.users:
                graph.erase_node(node)
