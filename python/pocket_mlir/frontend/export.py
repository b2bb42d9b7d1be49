"""From a module, example inputs and a loss to an exported program of PyTorch's.

The model and its loss are wrapped into one module, so that one export traces both.
What PyTorch can't export is translated into the same error as what we can't
compile, with the layer and the line it happened on.
"""

from __future__ import annotations

import inspect
import io
import logging
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils import _pytree as pytree
from torch.utils.data import DataLoader, Dataset

from .. import losses
from ..errors import InvalidArgumentError, Offender, UnsupportedModelError
from .decompositions import decomposition_table
from .tree import Tree, flatten

# Keyword arguments by which models that compute their own loss take the targets.
_TARGET_KEYWORDS = {"label", "labels", "target", "targets", "start_positions", "end_positions"}

LossFunction = Callable[..., torch.Tensor]


@dataclass
class Call:
    """How the model is called: example values, and a name for each tensor among them."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    targets: tuple[Any, ...]
    # One entry per leaf, in the order of the exported program's inputs.
    names: list[str] = field(default_factory=list)
    leaves: list[Any] = field(default_factory=list)
    is_target: list[bool] = field(default_factory=list)

    def example(self, name: str) -> torch.Tensor:
        """The example value of an input or target."""
        return self.leaves[self.names.index(name)]


@dataclass
class Exported:
    """An exported program that returns the loss and then the outputs."""

    program: torch.export.ExportedProgram
    call: Call
    output_names: list[str]
    output_tree: Tree
    # When the model was an exported program itself: the module path of each of its nodes.
    inner_paths: dict[str, str] = field(default_factory=dict)


class _WithLoss(nn.Module):
    """A model together with its loss; returns the loss and every output tensor."""

    def __init__(self, model: nn.Module, loss: LossFunction | None, record: dict):
        super().__init__()
        self.model = model
        self.loss = loss
        # A closure and not an attribute: tracing must not look like changing the module.
        self._note = lambda **entries: record.update(entries)

    def forward(self, args: tuple, kwargs: dict, targets: tuple):
        outputs = self.model(*args, **kwargs)
        loss = None
        if self.loss is not None:
            loss = self.loss(outputs, *targets)
        else:
            loss, outputs = _own_loss(outputs)
        _check_loss(loss, own=self.loss is None)
        tensors, names, tree = flatten(outputs)
        self._note(names=names, tree=tree)
        return (loss, *tensors)


def _own_loss(outputs: Any) -> tuple[Any, Any]:
    """The loss a model returns itself, and the other outputs."""
    if isinstance(outputs, torch.Tensor) and outputs.dim() == 0:
        return outputs, None
    if isinstance(outputs, Mapping) and isinstance(outputs.get("loss"), torch.Tensor):
        return outputs["loss"], {k: v for k, v in outputs.items() if k != "loss"}
    if isinstance(outputs, (tuple, list)) and outputs:
        first = outputs[0]
        if isinstance(first, torch.Tensor) and first.dim() == 0:
            return first, type(outputs)(outputs[1:]) if type(outputs) in (tuple, list) else None
    loss = getattr(outputs, "loss", None)
    if isinstance(loss, torch.Tensor):
        return loss, {k: v for k, v in vars(outputs).items() if k != "loss"}
    raise InvalidArgumentError(
        "loss=None means that the model returns its own loss, but it returns "
        f"{_describe(outputs)} and no scalar tensor among it. Pass loss=..., or call the model "
        "with the keyword that makes it compute a loss (labels=... for transformers' models)"
    )


def _check_loss(loss: Any, own: bool) -> None:
    whose = "the model's own loss" if own else "the loss"
    if not isinstance(loss, torch.Tensor):
        raise InvalidArgumentError(f"{whose} is {_describe(loss)}; it must be a scalar tensor")
    if loss.dim() != 0:
        raise InvalidArgumentError(
            f"{whose} has the shape {list(loss.shape)}; it must be a scalar: reduce it with .mean()"
        )
    if not loss.is_floating_point():
        raise InvalidArgumentError(f"{whose} has the type {loss.dtype}; it must be floating point")


def _describe(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {list(value.shape)}"
    if isinstance(value, Mapping):
        return f"a {type(value).__name__} of {', '.join(map(str, value))}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"


# -- calling the model ------------------------------------------------------------------


def resolve_loss(loss: Any) -> LossFunction | None:
    """The loss as a callable; None when the model brings its own."""
    if loss is None:
        return None
    if isinstance(loss, str):
        return losses.named(loss)
    if isinstance(loss, type):
        raise InvalidArgumentError(f"the loss is the class {loss.__name__}; give an object: {loss.__name__}()")
    if callable(loss):
        if isinstance(loss, nn.Module) and any(True for _ in loss.parameters()):
            raise InvalidArgumentError(
                f"the loss {type(loss).__name__} has parameters of its own, which nothing would "
                "train: make it a part of the model"
            )
        return loss
    if isinstance(loss, (torch.Tensor, np.ndarray)):
        raise InvalidArgumentError(
            f"the loss is an array of shape {list(loss.shape)}; targets come with the batches: "
            "session.step(x, y, lr=0.1). Where the loss can't tell what they look like, give "
            "example_targets=..."
        )
    raise InvalidArgumentError(
        f"loss={loss!r}: give a name ({', '.join(losses.NAMES)}), an object of pocket_mlir.losses, "
        "a callable of the outputs and the targets, or None when the model returns its own loss"
    )


def _check_needs_no_targets(loss: Callable) -> None:
    """A loss of one's own says nothing about its targets; without an example it gets none."""
    try:
        signature = inspect.signature(loss.forward if isinstance(loss, nn.Module) else loss)
    except (TypeError, ValueError):  # built in: found out by tracing
        return
    try:
        signature.bind(None)
    except TypeError:
        name = getattr(loss, "__name__", type(loss).__name__)
        raise InvalidArgumentError(
            f"the loss {name}{signature} takes targets, and no example of them was given; "
            "add example_targets=..., with the shape and dtype that they will have"
        ) from None


def make_call(
    model: nn.Module, example_inputs: Any, loss: LossFunction | None, example_targets: Any
) -> Call:
    """Sorts the examples into positional, keyword and target arguments, and names them."""
    if isinstance(example_inputs, Mapping):
        args, kwargs = (), dict(example_inputs)
    elif isinstance(example_inputs, (tuple, list)):
        args, kwargs = tuple(example_inputs), {}
    else:
        args, kwargs = (example_inputs,), {}
    _check_examples(model, args, kwargs)
    args, kwargs, example_targets = pytree.tree_map_only(
        np.ndarray, torch.as_tensor, (args, kwargs, example_targets)
    )
    targets: tuple[Any, ...] = ()
    target_keywords = set(_TARGET_KEYWORDS) if loss is None else set()
    extra = 0
    if example_targets is not None:
        if loss is None and isinstance(example_targets, Mapping):
            kwargs |= example_targets
            target_keywords |= set(example_targets)
        else:
            if isinstance(example_targets, Mapping):
                example_targets = tuple(example_targets.values())
            if not isinstance(example_targets, (tuple, list)):
                example_targets = (example_targets,)
            if loss is None:
                args += tuple(example_targets)
                extra = len(example_targets)
            else:
                targets = tuple(example_targets)
    elif isinstance(loss, losses.Loss):
        targets = loss.example_targets(_probe(model, args, kwargs))
    elif loss is not None:
        _check_needs_no_targets(loss)
    args, kwargs, targets = _apart(model, (args, kwargs, targets))
    call = Call(args, kwargs, targets)

    def add(name: str, value: Any, is_target: bool) -> None:
        for path, leaf in pytree.tree_flatten_with_path(value)[0]:
            keys = [str(getattr(k, "key", getattr(k, "idx", getattr(k, "name", k)))) for k in path]
            call.names.append(".".join([name, *keys]))
            call.leaves.append(leaf)
            call.is_target.append(is_target)

    for i, (name, value) in enumerate(zip(_positional_names(model, len(args)), args)):
        add(name, value, is_target=i >= len(args) - extra)
    for name, value in kwargs.items():
        add(name, value, is_target=name in target_keywords)
    for i, value in enumerate(targets):
        add("target" if len(targets) == 1 else f"target{i}", value, is_target=True)
    return call


def _check_examples(model: nn.Module, args: tuple, kwargs: dict) -> None:
    """Among the examples there is a tensor, and the model can be called with them."""
    leaves = pytree.tree_leaves((args, kwargs))
    if any(isinstance(leaf, (torch.Tensor, np.ndarray)) for leaf in leaves):
        _check_binds(model, args, kwargs)
        return
    found = ", ".join(dict.fromkeys(type(leaf).__name__ for leaf in leaves)) or "nothing"
    data = next((leaf for leaf in leaves if isinstance(leaf, (DataLoader, Dataset))), None)
    advice = "give one batch of inputs, for example torch.randn(8, 3, 32, 32)"
    if data is not None:
        advice = "give one batch of its inputs: x, y = next(iter(loader)), and then x"
    raise InvalidArgumentError(
        f"example_inputs holds no tensor, but {found}; {advice} (a tensor, a tuple of tensors, or a "
        "dict of keyword arguments)"
    )


def _check_binds(model: nn.Module, args: tuple, kwargs: dict) -> None:
    try:
        signature = inspect.signature(model.forward)
    except (TypeError, ValueError):  # built in: found out by tracing
        return
    try:
        signature.bind_partial(*args, **kwargs)
    except TypeError as error:
        advice = "a tuple holds the arguments by position, a dict those by name"
        if len(args) > 1:
            advice += (
                "; targets are no inputs: they come with the batches, and example_targets=... says "
                "what they look like"
            )
        raise InvalidArgumentError(
            f"example_inputs doesn't fit {type(model).__name__}.forward({', '.join(signature.parameters)}): "
            f"{error}; {advice}"
        ) from None


def _apart(model: nn.Module, values: Any) -> Any:
    """The same examples, no two of them one object.

    PyTorch's trace knows a tensor by its identity: with one object as the input and the
    target, or as an input and a parameter, the program would read one of them for both.
    """
    seen = {id(tensor) for tensor in (*model.parameters(), *model.buffers())}

    def own(value: torch.Tensor) -> torch.Tensor:
        if id(value) in seen:
            value = value.detach()
        seen.add(id(value))
        return value

    return pytree.tree_map_only(torch.Tensor, own, values)


def _positional_names(model: nn.Module, count: int) -> list[str]:
    names: list[str] = []
    try:
        parameters = list(inspect.signature(model.forward).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    for parameter in parameters:
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}{i}" for i in range(count - len(names))]
    names += [f"input{i}" for i in range(len(names), count)]
    return names[:count]


def _probe(model: nn.Module, args: tuple, kwargs: dict) -> Any:
    """Runs the model once, in eval mode, to see what its outputs look like."""
    try:
        with mode(model, training=False), torch.no_grad():
            return model(*args, **kwargs)
    except Exception as error:
        raise _translated(error, model, model) from error


@contextmanager
def mode(model: nn.Module, training: bool):
    """Puts every submodule into a mode, and each back into its own afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    try:
        for module, _ in modes:
            module.training = training
        yield
    finally:
        for module, was in modes:
            module.training = was


# -- exporting --------------------------------------------------------------------------


def export(model: nn.Module, loss: LossFunction | None, call: Call) -> Exported:
    """Exports the model in the mode it is in, and takes apart what has no lowering."""
    record: dict[str, Any] = {}
    wrapper = _WithLoss(model, loss, record)
    wrapper.training = model.training
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(_exportable(model))
        try:
            with _without_graphs():
                program = torch.export.export(
                    wrapper, (call.args, call.kwargs, call.targets), strict=False
                )
            _keep_no_grad(program.graph_module)
            program = program.run_decompositions(decomposition_table())
        except (InvalidArgumentError, UnsupportedModelError):
            raise
        except Exception as error:
            raise _translated(error, model, wrapper) from error
    inner_paths = getattr(model, "_pocket_paths", {})
    return Exported(program, call, record["names"], record["tree"], inner_paths)


@contextmanager
def _quiet():
    """Keeps PyTorch's warnings and logs of a trace to itself; its errors are translated."""
    logger = logging.getLogger("torch")
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            logger.setLevel(level)


@contextmanager
def _without_graphs():
    """Keeps the graph back that PyTorch prints when a trace fails; other output passes."""
    graph, printed = None, io.StringIO()
    try:
        with redirect_stderr(printed):
            yield
    except Exception as error:
        graph = getattr(error, "partial_fx_graph", None)
        raise
    finally:
        text = printed.getvalue()
        if graph is not None:
            text = text.replace(f"{graph}\n", "")
        if text and sys.stderr is not None:
            sys.stderr.write(text)


@contextmanager
def _exportable(model: nn.Module):
    """Sets what stands in the way of an export aside, for as long as it takes."""
    with ExitStack() as stack:
        # The fused inference path of nn.TransformerEncoder has no gradient.
        fast = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)
        stack.callback(torch.backends.mha.set_fastpath_enabled, fast)
        # Whether a mask is the causal one, nn.TransformerEncoder finds out from its values.
        # That only picks a faster kernel; the mask itself is applied either way.
        transformer = nn.modules.transformer
        stack.callback(setattr, transformer, "_detect_is_causal_mask", transformer._detect_is_causal_mask)
        transformer._detect_is_causal_mask = _causal_if_said
        stack.enter_context(torch.enable_grad())
        config = getattr(model, "config", None)
        if getattr(config, "use_cache", None):
            # A cache of keys and values is of no use to a training step.
            config.use_cache = False
            stack.callback(setattr, config, "use_cache", True)
        for module in model.modules():
            if _is_cumulative(module):
                module.forward = _cumulative_batch_norm.__get__(module)
                stack.callback(module.__dict__.pop, "forward")
        yield


def _causal_if_said(mask: Any, is_causal: bool | None = None, size: int | None = None) -> bool:
    """PyTorch's `_detect_is_causal_mask` without looking into the mask."""
    return is_causal is True


def _is_cumulative(module: nn.Module) -> bool:
    return (
        isinstance(module, nn.modules.batchnorm._BatchNorm)
        and module.training
        and module.track_running_stats
        and module.momentum is None
    )


def _cumulative_batch_norm(self, x: torch.Tensor) -> torch.Tensor:
    """Batch norm with momentum=None, without reading the step counter into Python."""
    self._check_input_dim(x)
    self.num_batches_tracked.add_(1)
    y = nn.functional.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)
    with torch.no_grad():
        share = 1.0 / self.num_batches_tracked.to(x.dtype)
        dims = [d for d in range(x.dim()) if d != 1]
        var, mean = torch.var_mean(x, dims)
        self.running_mean.add_((mean - self.running_mean) * share)
        self.running_var.add_((var - self.running_var) * share)
    return y


def _keep_no_grad(module: torch.fx.GraphModule) -> None:
    """Detaches what `torch.no_grad` blocks produce: the decomposition dissolves the blocks."""
    graph = module.graph
    for node in list(graph.nodes):
        if node.op != "call_function" or "wrap_with_set_grad_enabled" not in str(node.target):
            continue
        if node.args[0] is not False:
            continue
        for result in list(node.users):
            value = result.meta.get("val")
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                continue
            with graph.inserting_after(result):
                detached = graph.call_function(torch.ops.aten.detach.default, (result,))
            detached.meta = dict(result.meta)
            result.replace_all_uses_with(
                detached, lambda user: user is not detached and user.op != "output"
            )
    module.recompile()


# -- explaining failures ------------------------------------------------------------------

_DATA_DEPENDENT = re.compile(
    r"data-dependent|DataDependent|GuardOnDataDependent|unbacked|Could not extract specialized|"
    r"\.item\(\)|aten\._local_scalar_dense",
)


def _translated(error: Exception, model: nn.Module, wrapper: nn.Module) -> UnsupportedModelError:
    """PyTorch's complaint as ours, with the layer and the user's line."""
    layer, source, code = _blame(error, wrapper)
    text = str(error).strip()
    kind = type(error).__name__
    if _DATA_DEPENDENT.search(text) or _DATA_DEPENDENT.search(kind):
        offender = Offender(
            layer=layer,
            op="data-dependent control flow" + (f": {code}" if code else ""),
            found="a Python decision, or a size, that depends on the values of a tensor",
            supported="a graph and sizes that are the same for every batch",
            advice=(
                "compute both sides and choose with torch.where; switch off layer-drop "
                "(layerdrop=0.0 in the model's config); move the decision out of forward"
            ),
            source=source,
        )
    elif "ynamic" in text and ("shape" in text or "dim" in text):
        offender = Offender(
            layer=layer,
            op="dynamic shape" + (f": {code}" if code else ""),
            found=_first_line(text),
            supported="sizes known at compile time",
            advice="pad the batch to a fixed size, and compile once per size",
            source=source,
        )
    else:
        offender = Offender(
            layer=layer,
            op=f"PyTorch can't trace it ({kind})" + (f": {code}" if code else ""),
            found=_first_line(text),
            supported="modules that torch.export.export(model, inputs, strict=False) takes",
            advice=(
                "see that model(*example_inputs) and the loss run in PyTorch with these examples; "
                "the error of PyTorch stands above, as the cause of this one"
            ),
            source=source,
        )
    note = "PyTorch stops at the first of these: there may be more behind it."
    return UnsupportedModelError(model_name(model), [offender], note)


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0].strip()
    return line if len(line) <= 200 else line[:197] + "..."


def _blame(error: Exception, wrapper: nn.Module) -> tuple[str, str, str]:
    """The innermost layer of the model on the stack, and the user's line in it."""
    paths = {id(module): path for path, module in wrapper.named_modules()}
    layer, source, code = "", "", ""
    frames = list(traceback.walk_tb(error.__traceback__))
    inside = False
    for frame, line in frames:
        owner = frame.f_locals.get("self")
        path = paths.get(id(owner)) if isinstance(owner, nn.Module) else None
        filename = frame.f_code.co_filename
        if path is not None and frame.f_code.co_name not in ("_call_impl", "_wrapped_call_impl"):
            layer, inside = path, True
        library = "/torch/" in filename and "/torch/nn/modules/" not in filename
        if inside and not library and not filename.startswith("<"):
            if filename == __file__:
                continue
            source = f"{filename}:{line} in {frame.f_code.co_name}"
            code = (traceback.linecache.getline(filename, line) or "").strip()
    return user_path(layer), source, code


def user_path(path: str) -> str:
    """A path in the wrapper as the path in the user's model; the loss is called "loss"."""
    if path == "model" or path == "":
        return ""
    return path.removeprefix("model.")


def model_name(model: nn.Module) -> str:
    """The name that messages and manifests call the model by."""
    return getattr(model, "_pocket_name", None) or type(model).__name__
