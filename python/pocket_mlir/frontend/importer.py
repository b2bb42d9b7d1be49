"""Walks the torch dialect and builds functions of the pocket dialect."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch.export.graph_signature import InputKind, OutputKind, TensorArgument
from torch.fx import Node

from .._mlir import ir
from .._mlir.dialects import func
from ..errors import Offender
from . import ops  # noqa: F401  (registers the lowerings)
from .builder import Builder, Tensor, TensorType
from .export import Call, Exported, user_path
from .folding import fold_constants, narrowed
from .registry import LOWERINGS, Unsupported, dialect_name
from .torch_dialect import TorchFunction, TorchOp, dtype_of, import_graph, tensor_type

# A constant beyond this size is a buffer that travels beside the program, not in it.
_LARGEST_CONSTANT = 1 << 18

_NO_LOWERING = "the operations listed in pocket_mlir.frontend.supported_operations()"


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
    # Per function argument: a slot, or the value of a constant.
    arguments: list[Slot | torch.Tensor]
    paths: dict[str, str]
    sources: dict[str, str]
    loss: int
    outputs: list[int]
    mutations: dict[str, int]
    output_names: list[str]


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

    def __iter__(self):
        return iter(self._seen.values())

    def __bool__(self) -> bool:
        return bool(self._seen)


def read_program(exported: Exported, state: State, offenders: Offenders) -> Graph | None:
    """Folds, checks and imports an exported program; None when it can't be imported."""
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
        else:
            table = program.constants
            known[node] = table[spec.target] if spec.target in table else program.state_dict[spec.target]
            constant_names[node.name] = name
    constants = fold_constants(graph, known)
    paths, sources = _paths(graph), _sources(graph)
    if _report_unreadable(graph, paths, sources, offenders):
        return None
    _drop_python_inputs(graph, slots, constants)
    function = import_graph(graph)
    arguments: list[Slot | torch.Tensor] = []
    for node in (n for n in graph.nodes if n.op == "placeholder"):
        if node.name not in constants:
            arguments.append(slots.get(node.name) or known[node])
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


def _is_state(state: State, name: str) -> bool:
    """Whether a buffer belongs to the model's state (and not to its constants)."""
    canonical = state.canonical(name)
    return canonical in state.buffers and canonical not in state.non_persistent


def _paths(graph: torch.fx.Graph) -> dict[str, str]:
    """The module path of each node; "loss" for what stands outside of the model."""
    paths = {}
    for node in graph.nodes:
        stack = node.meta.get("nn_module_stack") or {}
        path = next(reversed(stack.values()))[0] if stack else ""
        paths[node.name] = "loss" if path == "" else user_path(path)
    return paths


def _sources(graph: torch.fx.Graph) -> dict[str, str]:
    """The user's line of each node."""
    sources = {}
    for node in graph.nodes:
        lines = (node.meta.get("stack_trace") or "").strip().split("\n")
        files = [line.strip() for line in lines if line.strip().startswith('File "')]
        files = [f for f in files if "/torch/" not in f] or files
        file = files[-1] if files else ""
        sources[node.name] = re.sub(r'File "([^"]*)", line (\d+),', r"\1:\2", file)
    return sources


def _report_unreadable(graph, paths, sources, offenders: Offenders) -> bool:
    """Reports dynamic sizes and nested graphs, and everything without a lowering beside them."""
    found = False
    missing = []
    for node in graph.nodes:
        if node.op == "output":
            continue
        value = node.meta.get("val")
        values = value if isinstance(value, (tuple, list)) else [value]
        symbolic = [v for v in values if _is_symbolic(v)]
        layer, source = paths[node.name], sources[node.name]
        name = _op_name(node)
        if symbolic:
            offender = Offender(
                layer,
                name,
                f"a dynamic shape: {_show(symbolic[0])}",
                "sizes known at compile time",
                "export without dynamic_shapes and pad to a fixed size; replace boolean masks as "
                "indices, nonzero, unique and .item() by torch.where or a product with the mask",
                source,
            )
            offenders.add(offender, node.name)
            found = True
        elif node.op == "get_attr" or isinstance(node.target, torch._ops.HigherOrderOperator):
            if node.op == "get_attr":
                continue
            offender = Offender(
                layer,
                name,
                "control flow inside of the graph",
                "straight-line programs",
                "compute both branches and choose with torch.where; unroll the loop in Python",
                source,
            )
            offenders.add(offender, node.name)
            found = True
        elif node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload):
            if dialect_name(node.target) not in LOWERINGS:
                missing.append((node, _missing(layer, name, _show(value), source)))
    if found:
        for node, offender in missing:
            offenders.add(offender, node.name)
    return found


def _missing(layer: str, name: str, found: str, source: str) -> Offender:
    return Offender(
        layer,
        name,
        found,
        _NO_LOWERING,
        "express it by these, compute it in the data pipeline, or add a lowering with "
        "pocket_mlir.frontend.lowers",
        source,
    )


def _op_name(node: Node) -> str:
    return str(node.target) if node.op == "call_function" else node.name


def _is_symbolic(value: object) -> bool:
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return True
    return isinstance(value, torch.Tensor) and any(isinstance(d, torch.SymInt) for d in value.shape)


def _show(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{[str(d) for d in value.shape]}".replace(
            "'", ""
        )
    if isinstance(value, (tuple, list)):
        return ", ".join(_show(v) for v in value if v is not None)
    return "" if value is None else str(value)


def _drop_python_inputs(graph: torch.fx.Graph, slots, constants) -> None:
    """Removes the placeholders of numbers and None, whose values are in the graph already."""
    for node in list(graph.nodes):
        if node.op == "placeholder" and node.name not in slots and node.name not in constants:
            if not node.users:
                graph.erase_node(node)


# -- building ---------------------------------------------------------------------------


class FunctionBuilder:
    """Builds one function of the pocket dialect from a graph."""

    def __init__(self, graph: Graph, call: Call, state: State, name: str, offenders: Offenders):
        self.graph = graph
        self.call = call
        self.state = state
        self.name = name
        self.offenders = offenders
        self.builder = Builder()
        self.values: dict[int, object] = {}
        # Results that exist in PyTorch and that no lowering makes.
        self.missing: dict[int, str] = {}

    def build(self, function_name: str, *, training: bool) -> ir.Operation:
        """Appends the function to the current insertion point.

        With `training` it returns the loss, the outputs and the new buffers, and
        takes every input and target; without, the outputs from what they need.
        """
        graph = self.graph
        wanted = [graph.loss, *graph.outputs, *graph.mutations.values()]
        if not training:
            wanted = graph.outputs or [graph.loss]
        live = list(graph.function.live(set(wanted)))
        slots = self._slots(training, {v for op in live for v in op.operands} | set(wanted))
        types = [self._slot_type(slot) for slot in slots]
        operation = func.FuncOp(
            function_name,
            ([self.builder.mlir_type(t.shape, t.dtype) for t in types], []),
            loc=ir.Location.name(self.name),
        )
        block = operation.add_entry_block()
        arguments = {slot: Tensor(value) for slot, value in zip(slots, block.arguments)}
        with ir.InsertionPoint(block), ir.Location.name(self.name):
            self._bind_arguments(arguments)
            for op in live:
                self._lower(op)
            results, attributes = self._results(training, arguments)
            func.ReturnOp([result.value for result in results])
        function_type = ir.FunctionType.get(
            [argument.type for argument in block.arguments],
            [result.value.type for result in results],
        )
        operation.attributes["function_type"] = ir.TypeAttr.get(function_type)
        operation.attributes["arg_attrs"] = ir.ArrayAttr.get(
            [self._slot_attributes(slot, training) for slot in slots]
        )
        operation.attributes["res_attrs"] = ir.ArrayAttr.get(attributes)
        return operation

    # -- arguments and results -----------------------------------------------------

    def _slots(self, training: bool, used: set[int]) -> list[Slot]:
        slots = [Slot("parameter", name) for name in self.state.parameters]
        slots += [Slot("buffer", name) for name in self.state.used_buffers]
        rest = []
        for number, argument in zip(self.graph.function.arguments, self.graph.arguments):
            if isinstance(argument, Slot) and argument.kind in ("input", "target"):
                # A target that the outputs depend on (a decoder's input) is an input of predict.
                if training or argument.kind == "input" or number in used:
                    rest.append(argument)
        return slots + sorted(rest, key=lambda slot: slot.kind == "target")

    def _slot_value(self, slot: Slot) -> torch.Tensor | None:
        if slot.kind == "parameter":
            return self.state.parameters[slot.name]
        if slot.kind == "buffer":
            return self.state.used_buffers[slot.name]
        return self.call.example(slot.name)

    def _slot_type(self, slot: Slot) -> TensorType:
        value = self._slot_value(slot)
        try:
            return TensorType(tuple(value.shape), dtype_of(value.dtype))
        except Unsupported as error:
            self._complain(error, slot.name, slot.kind, slot.name)
            return TensorType(tuple(value.shape), "f32")

    def _slot_attributes(self, slot: Slot, training: bool) -> ir.Attribute:
        text = ir.StringAttr.get
        if slot.kind == "parameter":
            needs_grad = self.state.parameters[slot.name].requires_grad
            entries = {
                "pocket.param": text(slot.name),
                "pocket.needs_grad": ir.BoolAttr.get(needs_grad),
            }
        elif slot.kind == "buffer":
            entries = {"pocket.buffer": text(slot.name)}
        else:
            role = slot.kind if training else "input"
            entries = {"pocket.role": text(role), "pocket.name": text(slot.name)}
        return ir.DictAttr.get(entries)

    def _bind_arguments(self, arguments: Mapping[Slot, Tensor]) -> None:
        for number, argument in zip(self.graph.function.arguments, self.graph.arguments):
            if isinstance(argument, Slot):
                self.values[number] = arguments.get(argument)
            else:
                # Built when it is first read: a constant nobody reads isn't there.
                self.values[number] = argument

    def _results(self, training: bool, arguments: Mapping[Slot, Tensor]):
        graph, results, attributes = self.graph, [], []
        text = ir.StringAttr.get

        def add(value: Tensor, **entries: str) -> None:
            results.append(value)
            attributes.append(
                ir.DictAttr.get({f"pocket.{k}": text(v) for k, v in entries.items()})
            )

        if training or not graph.outputs:
            role = {"role": "loss"} if training else {"role": "output", "name": "loss"}
            add(self._value(graph.loss), **role)
        for name, number in zip(graph.output_names, graph.outputs):
            add(self._value(number), role="output", name=name)
        if training:
            for name, number in graph.mutations.items():
                old = arguments[Slot("buffer", name)]
                add(self.builder.assign(old, self._value(number)), buffer=name)
        return results, attributes

    # -- operations ------------------------------------------------------------------

    def _value(self, number: int) -> object:
        value = self.values[number]
        if isinstance(value, torch.Tensor):
            value = self.values[number] = self._constant(value)
        return value

    def _constant(self, value: torch.Tensor) -> Tensor:
        small = narrowed(value.detach().cpu())
        dtype = dtype_of(value.dtype)
        if dtype == "bf16":
            constant = self.builder.convert(self.builder.constant(small.float().numpy()), dtype)
        else:
            constant = self.builder.constant(np.array(small.numpy()), dtype)
        return self.builder.broadcast(constant, value.shape)

    def _lower(self, op: TorchOp) -> None:
        if op.name.startswith("torch.constant."):
            self.values[op.results[0]] = op.constant
            return
        if op.name in ("torch.prim.ListConstruct", "torch.prim.TupleConstruct"):
            self.values[op.results[0]] = [self._value(number) for number in op.operands]
            return
        path = self.graph.paths.get(op.node, "")
        with ir.Location.name(path or self.name):
            try:
                results = self._dispatch(op)
            except Unsupported as error:
                self._complain(error, path, op.name.removeprefix("torch."), op.node)
                results = None
            except Exception as error:
                error.add_note(f"while lowering {op.name} of the layer {path or self.name!r}")
                raise
            if results is None:
                results = [self._stand_in(text) for text in op.types]
        for number, result, text in zip(op.results, results, op.types, strict=True):
            self.values[number] = result
            if result is None and text.startswith("!torch.vtensor"):
                self.missing[number] = op.name.removeprefix("torch.")

    def _dispatch(self, op: TorchOp) -> Sequence[object] | None:
        """The results of an operation; None when it had to be complained about."""
        for number in op.operands:
            if number in self.missing:
                raise Unsupported(
                    f"it reads a result of {self.missing[number]} that isn't computed",
                    "the main result of that operation",
                )
        operands = [self._value(number) for number in op.operands]
        if op.name == "torch.prim.ListUnpack":
            return operands[0]
        if op.name == "torch.aten.__getitem__.t":
            return operands[0] and [operands[0][operands[1]]]
        lowering = LOWERINGS.get(op.name)
        if lowering is None:
            path, source = self.graph.paths.get(op.node, ""), self.graph.sources.get(op.node, "")
            found = ", ".join(str(o) for o in operands if isinstance(o, Tensor))
            self.offenders.add(
                _missing(path, op.name.removeprefix("torch."), found, source), op.node
            )
            return None
        with self.builder.producing([tensor_type(text) for text in op.types]):
            result = lowering(self.builder, *operands)
        if op.types == ["!torch.list<vtensor>"]:
            return [list(result)]
        return [result] if isinstance(result, Tensor) else list(result)

    def _stand_in(self, text: str) -> Tensor | None:
        """Something of the right type in place of an unsupported operation's result."""
        try:
            type_ = tensor_type(text)
        except Unsupported:
            type_ = TensorType((), "f32")
        return self.builder.placeholder(type_) if type_ else None

    def _complain(self, error: Unsupported, path: str, op: str, node: str) -> None:
        offender = Offender(
            path, op, error.found, error.supported, error.advice, self.graph.sources.get(node, "")
        )
        self.offenders.add(offender, node)
