"""Brings a PyTorch model into the pocket dialect.

    imported = import_model(model, (x,), loss="cross_entropy")
    print(imported.module)

The way through: `torch.export` traces the model together with its loss (export.py); what
PyTorch can compute now is computed (folding.py); torch-mlir's fx importer makes the torch
dialect of it (torch_dialect.py); each of its operations is lowered by the function
registered for it (registry.py, ops/) and built in the pocket dialect (builder.py, importer.py).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from .._mlir import ir
from ..errors import InvalidArgumentError, UnsupportedModelError
from . import ops  # noqa: F401  (registers the lowerings)
from .checks import Offenders
from .export import Exported, export, make_call, mode, model_name, resolve_loss
from .importer import FunctionBuilder
from .program import Graph, State, read_program
from .registry import LOWERINGS, Unsupported, lowers
from .tensors import check_buffers, check_inputs, check_parameters
from .tree import Tree, unflatten

__all__ = [
    "import_model",
    "ImportedModel",
    "TensorSpec",
    "lowers",
    "supported_operations",
    "unflatten",
    "Unsupported",
]


@dataclass(frozen=True)
class TensorSpec:
    """Name, shape and element type (as MLIR spells it) of an input, target or output."""

    name: str
    shape: tuple[int, ...]
    dtype: str


@dataclass
class ImportedModel:
    """A model in the pocket dialect, with what is needed to run it and to read it back.

    Attributes:
        module: an MLIR module with `@forward` and `@predict`.
        name: the class of the model.
        parameters: initial values by PyTorch's names, in the order of the arguments.
        buffers: the same for the buffers.
        trained: the parameters that require a gradient.
        aliases: further names of tied parameters, and the name that holds the value.
        non_persistent: buffers that PyTorch keeps out of the `state_dict`.
        inputs: the inputs of `@forward`, in order.
        targets: its targets, in order; for a model with its own loss these are the
            keyword arguments (`labels`) that only the loss reads.
        outputs: the outputs of `@forward`.
        predict_inputs: the inputs of `@predict`.
        predict_outputs: its outputs.
        output_tree: how the outputs of `@predict` make up what the model returns; see
            `unflatten`.
    """

    module: ir.Module
    name: str
    parameters: dict[str, np.ndarray]
    buffers: dict[str, np.ndarray]
    trained: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    non_persistent: set[str] = field(default_factory=set)
    inputs: list[TensorSpec] = field(default_factory=list)
    targets: list[TensorSpec] = field(default_factory=list)
    outputs: list[TensorSpec] = field(default_factory=list)
    predict_inputs: list[TensorSpec] = field(default_factory=list)
    predict_outputs: list[TensorSpec] = field(default_factory=list)
    output_tree: Tree = None


def supported_operations() -> list[str]:
    """The PyTorch operations that have a lowering; others are decomposed into these if they can."""
    return sorted(name.removeprefix("torch.") for name in LOWERINGS)


def import_model(
    model: torch.nn.Module | torch.export.ExportedProgram,
    example_inputs: Any,
    loss: Any = "cross_entropy",
    example_targets: Any = None,
    *,
    context: ir.Context | None = None,
) -> ImportedModel:
    """Imports a model and its loss.

    Args:
        model: a module, in training or eval mode, or an exported program. It is not changed.
        example_inputs: a tensor, a tuple of positional arguments, or a dict of keyword arguments.
        loss: a name (`pocket_mlir.losses.NAMES`), an object of `pocket_mlir.losses`, any
            callable of the model's outputs and the targets, or None when the model returns
            its own loss.
        example_targets: a tensor or a tuple of them; named losses derive them from the outputs.
            With loss=None, a dict of keyword arguments of the model, or further positional ones.
        context: the MLIR context to build in, with the pocket dialect loaded.

    Raises:
        UnsupportedModelError: with everything in the model that can't be compiled.
        InvalidArgumentError: when the loss or the examples don't fit.
    """
    if isinstance(model, torch.export.ExportedProgram):
        model = _module_of(model)
    if not isinstance(model, torch.nn.Module):
        if isinstance(model, type):
            raise InvalidArgumentError(f"model is the class {model.__name__}; give an object: {model.__name__}(...)")
        raise InvalidArgumentError(
            f"model is a {type(model).__name__}; give an nn.Module or an ExportedProgram"
        )
    if isinstance(model, torch.jit.ScriptModule):
        raise InvalidArgumentError(
            "model is a torch.jit module, which can't be traced; give the nn.Module it was made from"
        )
    name = model_name(model)
    loss_function = resolve_loss(loss)
    call, offenders = None, Offenders()
    try:
        call = make_call(model, example_inputs, loss_function, example_targets)
        # The call may have filled in lazy parameters.
        state = State.of(model)
        check_parameters(state, offenders)
        check_inputs(call, offenders)
        exported = export(model, loss_function, call)
        forward = read_program(exported, state, offenders)
        predicted, predict = exported, forward
        if any(module.training for module in model.modules()) and not _is_fixed(model):
            with mode(model, training=False):
                predicted = export(model, loss_function, call)
            predict = read_program(predicted, state, offenders)
        check_buffers(state, offenders)
    except UnsupportedModelError as error:
        if call is None:
            # It was tried out, to see what its targets look like, and failed.
            check_parameters(State.of(model), offenders)
            check_inputs(make_call(model, example_inputs, None, None), offenders)
        if offenders:
            # What PyTorch gave up at often follows from these.
            raise UnsupportedModelError(name, [*offenders, *error.offenders], error.note) from error
        raise

    context = context or new_context()
    with context, ir.Location.name(name):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            forward_op = _build(forward, exported, state, name, offenders, training=True)
            predict_op = _build(predict, predicted, state, name, offenders, training=False)
        if offenders:
            raise UnsupportedModelError(name, list(offenders))
        module.operation.verify()
        inputs, targets, outputs = _specs(forward_op)
        predict_inputs, _, predict_outputs = _specs(predict_op)
    return ImportedModel(
        module=module,
        name=name,
        parameters={n: _numpy(v) for n, v in state.parameters.items()},
        buffers={n: _numpy(v) for n, v in state.used_buffers.items()},
        trained=[n for n, v in state.parameters.items() if v.requires_grad],
        aliases=dict(state.aliases),
        non_persistent={n for n in state.non_persistent if n in state.used_buffers},
        inputs=inputs,
        targets=targets,
        outputs=outputs,
        predict_inputs=predict_inputs,
        predict_outputs=predict_outputs,
        output_tree=predicted.output_tree if predict.outputs else 0,
    )


def new_context() -> ir.Context:
    """A context with the dialects that a model is imported into."""
    return ir.Context()


def _build(graph: Graph, exported: Exported, state, name, offenders, *, training: bool):
    builder = FunctionBuilder(graph, exported.call, state, name, offenders)
    return builder.build("forward" if training else "predict", training=training)


def _specs(function) -> tuple[list[TensorSpec], list[TensorSpec], list[TensorSpec]]:
    """The inputs, targets and outputs, read from the attributes of a function."""
    found: dict[str, list[TensorSpec]] = {"input": [], "target": [], "output": []}
    type_ = function.type
    edges = [
        *zip(type_.inputs, function.attributes["arg_attrs"]),
        *zip(type_.results, function.attributes["res_attrs"]),
    ]
    for tensor, attributes in edges:
        attributes = ir.DictAttr(attributes)
        if "pocket.role" not in attributes or "pocket.name" not in attributes:
            continue
        tensor = ir.RankedTensorType(tensor)
        role = ir.StringAttr(attributes["pocket.role"]).value
        name = ir.StringAttr(attributes["pocket.name"]).value
        found[role].append(TensorSpec(name, tuple(tensor.shape), str(tensor.element_type)))
    return found["input"], found["target"], found["output"]


def _numpy(value: torch.Tensor) -> np.ndarray:
    value = value.detach().cpu()
    if value.dtype == torch.bfloat16:
        import ml_dtypes

        return value.view(torch.int16).numpy().view(ml_dtypes.bfloat16).copy()
    return np.array(value.contiguous().numpy())


def _module_of(program: torch.export.ExportedProgram) -> torch.nn.Module:
    """An exported program as a module that can be traced together with a loss."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = program.module(check_guards=False)
    # What re-tracing would lose: the name of the model and the layer of each node.
    module._pocket_name, module._pocket_paths = "ExportedProgram", {}
    for node in program.graph.nodes:
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        if stack:
            module._pocket_paths[node.name] = stack[-1][0]
            kind = stack[0][1]
            kind = kind if isinstance(kind, str) else kind.__name__
            module._pocket_name = kind.rsplit(".", 1)[-1]
    return module


def _is_fixed(model: torch.nn.Module) -> bool:
    """Whether the model is an exported program, which has the one mode it was exported in."""
    return isinstance(model, torch.fx.GraphModule) and hasattr(model, "_pocket_name")
