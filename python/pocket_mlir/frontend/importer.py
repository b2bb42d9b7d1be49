"""Walks the torch dialect and builds functions of the pocket dialect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from .._mlir import ir
from .._mlir.dialects import func
from ..errors import Offender
from . import ops  # noqa: F401  (registers the lowerings)
from .builder import Builder, Tensor, TensorType
from .checks import Offenders, missing_lowering
from .export import Call
from .folding import narrowed
from .program import Graph, Slot, State
from .registry import LOWERINGS, Unsupported
from .torch_dialect import TorchOp, dtype_of, tensor_type


# IREE's code for it calls functions that no library has, on processors without instructions.
_BF16 = Unsupported(
    "a computation in bfloat16",
    "computations in float32",
    "leave out torch.autocast(...), .bfloat16() and .to(torch.bfloat16) here",
)


_MISFIT_ADVICE = (
    "see that the model runs in PyTorch with these examples; if it does, this is a mistake of "
    "Pocket MLIR's, and worth a report"
)


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
        except Unsupported:  # tensors.py has said so
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
            elif argument is None:
                self.values[number] = self._stand_in(self.graph.function.types[number])
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
            except ir.MLIRError as error:
                # An operand that doesn't fit: often of a type that was complained about, else
                # something that PyTorch lets pass while it traces.
                if not self.offenders:
                    found = str(error).strip().split("\n")[-1].strip()
                    refused = Unsupported(found, "operands that fit", _MISFIT_ADVICE)
                    self._complain(refused, path, op.name.removeprefix("torch."), op.node)
                results = None
            except Exception as error:
                error.add_note(f"while lowering {op.name} of the layer {path or self.name!r}")
                raise
            if results is not None and self._begins_bf16(op, results):
                self._complain(_BF16, path, op.name.removeprefix("torch."), op.node)
            if results is None:
                results = [self._stand_in(text) for text in op.types]
        for number, result, text in zip(op.results, results, op.types, strict=True):
            self.values[number] = result
            if result is None and text.startswith("!torch.vtensor"):
                self.missing[number] = op.name.removeprefix("torch.")

    def _begins_bf16(self, op: TorchOp, results: Sequence[object]) -> bool:
        """Whether bfloat16 comes up here, and not with an operand: that one was complained about."""

        def has_bf16(values: Iterable[object]) -> bool:
            return any(isinstance(value, Tensor) and value.dtype == "bf16" for value in values)

        return has_bf16(results) and not has_bf16(self.values.get(number) for number in op.operands)

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
                missing_lowering(path, op.name.removeprefix("torch."), found, source), op.node
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
