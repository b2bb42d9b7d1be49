"""From a PyTorch model to a program: `compile`."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import optim, schemes, targets
from ._mlir import ir, passmanager
from .arguments import checked_call
from .dtypes import WIDTHS
from .errors import CompileError, InvalidArgumentError
from .frontend import ImportedModel, import_model
from .manifest_builder import build_functions
from .memory import MemoryReport
from .program import Program
from .progress import LOGGER, Progress
from .runtime.manifest import FORMAT, VERSION
from .targets.iree import transient_bytes

if TYPE_CHECKING:
    import torch

__all__ = ["compile", "training_stages", "lower_to_linalg"]


def training_stages(optimizer: optim.Optimizer, vector_bits: int = 256) -> list[tuple[str, str]]:
    """The stages from `@forward` to linalg: a name, and the pipeline of `pocket-opt` behind it."""
    return [
        ("forward", "pocket-forward-pipeline"),
        ("gradients", "pocket-gradient-pipeline"),
        ("updates", f"pocket-update-pipeline{{{optimizer.to_pass_options()}}}"),
        ("schedule", "pocket-schedule-pipeline"),
        ("linalg", f"pocket-linalg-pipeline{{vector-bits={vector_bits}}}"),
    ]


class _Dump:
    """Writes the program after every stage: `03-updates.mlir`."""

    def __init__(self, directory: str | os.PathLike | None):
        self.directory = None if directory is None else Path(directory)
        self.count = 0
        if self.directory:
            self.directory.mkdir(parents=True, exist_ok=True)

    def __call__(self, name: str, text: ir.Module | str) -> None:
        if self.directory:
            if isinstance(text, ir.Module):
                # Weights stand in files of their own; constants are cut short.
                text = text.operation.get_asm(large_elements_limit=64)
            (self.directory / f"{self.count:02d}-{name}.mlir").write_text(text)
        self.count += 1


def run_pipeline(module: ir.Module, stage: str, pipeline: str) -> None:
    """Runs passes on a module; what they complain about becomes a `CompileError`, with the layers."""
    try:
        with module.context:
            passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
    except ir.MLIRError as error:
        lines = [f"{d.message} [at {_layer(d.location)}]" for d in error.error_diagnostics]
        raise CompileError(f"{stage}: " + ("; ".join(lines) or str(error))) from None


def _layer(location: ir.Location) -> str:
    text = str(location)
    return text[len("loc(") : -1].strip('"') if text.startswith("loc(") else text


def lower_to_linalg(
    module: ir.Module,
    optimizer: optim.Optimizer,
    vector_bits: int = 256,
    dump: _Dump | None = None,
    progress: Progress | None = None,
) -> tuple[str, ir.Module]:
    """Runs every stage on a module with `@forward`.

    Returns the linalg text for IREE, and the module as it was after scheduling, which
    still says what each argument is.
    """
    dump = dump or _Dump(None)
    progress = progress or Progress(False)
    scheduled = module
    stages = training_stages(optimizer, vector_bits)
    for title, group in itertools.groupby(stages, lambda stage: _title(stage[0])):
        with progress.stage(title):
            for name, pipeline in group:
                run_pipeline(module, name, pipeline)
                if name == "schedule":
                    with module.context:
                        scheduled = ir.Module.parse(module.operation.get_asm(enable_debug_info=True))
                dump(name, module)
    return module.operation.get_asm(), scheduled


def _title(stage: str) -> str:
    """What a stage is called to the user: what it is for, not how many pipelines it takes."""
    return "differentiate" if stage in ("forward", "gradients") else "lower"


_RATE = "the learning rate is given to every step: session.step(..., lr=0.1) or session.fit(..., lr=0.1)"
_TARGETS = "what the targets look like is example_targets=...; target=... is the machine"
_TRAINING = "training is program.session().fit(batches, epochs=3, lr=0.1)"
_ADVICE = {
    "lr": _RATE,
    "learning_rate": _RATE,
    "criterion": "it is called 'loss' here",
    "y": _TARGETS,
    "labels": _TARGETS,
    "targets": _TARGETS,
    "inputs": "it is called 'example_inputs' here",
    "x": "it is called 'example_inputs' here",
    "epochs": _TRAINING,
    "batches": _TRAINING,
    "batch_size": "the batch's size is that of example_inputs",
    "device": 'what the program is for is target=..., for example "host" or "aarch64:cortex-a76"',
    "threads": "threads are the session's: program.session(threads=2)",
}


@checked_call(_ADVICE)
def compile(
    model: torch.nn.Module | torch.export.ExportedProgram,
    example_inputs: Any,
    loss: Any = "cross_entropy",
    example_targets: Any = None,
    optimizer: optim.Optimizer | None = None,
    scheme: Any = "full",
    target: str | targets.Target = "host",
    checkpointing: Any = None,
    accumulate: int = 1,
    memory_budget: Any = None,
    dump_ir: str | os.PathLike | None = None,
    progress: bool | None = None,
) -> Program:
    """Compiles a model's training step.

    Args:
        model: an `nn.Module` in training or eval mode, or an exported program.
            Parameters with `requires_grad=False` stay as they are.
        example_inputs: a tensor, a tuple of tensors, or a dict of keyword arguments; the
            program is for exactly these shapes.
        loss: a name ("cross_entropy", "mse", "l1", "huber", "smooth_l1",
            "bce_with_logits"), an object of `pocket.losses`, a callable of the model's
            outputs and the targets, or None when the model returns its loss.
        example_targets: a tensor or a tuple of tensors, where the loss can't tell.
        optimizer: an object of `pocket.optim`; SGD without momentum by default. The
            learning rate is given to every step.
        scheme: what is trained: a name ("full", "last_layer", "bias_only", "norm_only",
            "bias+last", a published one such as "tte/mobilenetv2-49kb"), an object of
            `pocket.schemes`, or the path of a YAML file. "full" is every parameter that
            requires a gradient; the others stay frozen under every scheme.
        target: "host", "aarch64:<cpu>", "cuda:<sm>" or a `pocket.targets.Target`.
        checkpointing, accumulate, memory_budget: not there yet; leave the defaults.
        dump_ir: a directory for the IR after every stage.
        progress: print a line per stage, with its seconds, to stderr; None does so when
            stderr is a terminal. The logger "pocket_mlir" has the same at level INFO.

    Raises:
        UnsupportedModelError: with everything in the model that can't be compiled.
        CompileError: for anything else that stands in the way.
    """
    optimizer = optim.as_optimizer(optimizer)
    scheme = schemes.resolve(scheme)
    for name, value, default in (
        ("checkpointing", checkpointing, None),
        ("accumulate", accumulate, 1),
        ("memory_budget", memory_budget, None),
    ):
        if value != default:
            raise InvalidArgumentError(f"{name}={value!r} is not supported yet; leave it {default!r}")
    target = targets.parse(target)
    if dump_ir is not None and not isinstance(dump_ir, (str, os.PathLike)):
        raise InvalidArgumentError(f"dump_ir={dump_ir!r}; give the path of a directory, or None")
    dump = _Dump(dump_ir)
    if progress is not None and not isinstance(progress, bool):
        raise InvalidArgumentError(f"progress={progress!r}; give True, False, or None for what stderr is")
    progress = Progress(progress)

    with ir.Context() as context:
        # Tiles leave as attributes of IREE's, which our MLIR does not know.
        context.allow_unregistered_dialects = True
        with progress.stage("import"):
            imported = import_model(model, example_inputs, loss, example_targets, context=context)
            dump("import", imported.module)
        _check_trained(imported)
        selection = schemes.apply(scheme, imported)
        try:
            linalg, scheduled = lower_to_linalg(imported.module, optimizer, target.vector_bits, dump, progress)
        except CompileError as error:
            if _UNREACHED in str(error):
                raise CompileError(_unreached(imported, list(selection.trained))) from None
            raise
        functions = build_functions(scheduled, optimizer)
    names = {
        name: [entry.get("name") or entry["kind"] for entry in function["arguments"]]
        for name, function in functions.items()
    }
    with progress.stage("IREE code generation"):
        compiled = targets.compile_module(
            linalg,
            target,
            argument_names=names,
            dump_dir=None if dump_ir is None else Path(dump_ir) / "iree",
        )
    report = _memory(functions, compiled)
    LOGGER.info("compiled %s for %s in %.1f s", imported.name, target.name, progress.seconds)
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "model": imported.name,
        "target": compiled.target.to_manifest(),
        "functions": functions,
        "memory": report.to_json(),
        "optimizer": optimizer.to_manifest(),
        "scheme": scheme.to_dict(),
        "aliases": imported.aliases,
        "non_persistent": sorted(imported.non_persistent),
        "output_tree": imported.output_tree,
        "compiler": _versions(),
    }
    return Program(manifest, compiled.vmfb, _weights(imported), report)


# What `pocket-autodiff` says when all gradients are cut off.
_UNREACHED = "no trained parameter reaches the loss"


def _check_trained(imported: ImportedModel) -> None:
    if imported.trained:
        return
    why = "it has no parameters"
    if imported.parameters:
        names = list(imported.parameters)
        why = (
            f"none of its {len(names)} parameters has requires_grad=True; set it on those that shall "
            f"be trained, for example model.get_parameter({names[-1]!r}).requires_grad_(True)"
        )
    raise CompileError(f"{imported.name} has nothing to train: {why}")


def _unreached(imported: ImportedModel, trained: list[str]) -> str:
    names = trained[:5] + ["..."] * (len(trained) > 5)
    return (
        f"{imported.name} has nothing to train: the loss depends on none of the parameters that the scheme "
        f"trains ({', '.join(names)}); look for detach(), torch.no_grad() or a function "
        "without a gradient (argmax, a comparison) between them and the loss"
    )


def _weights(imported: ImportedModel) -> dict[str, np.ndarray]:
    return {**imported.parameters, **imported.buffers}


def _memory(functions: dict[str, Any], compiled: targets.CompiledModule) -> MemoryReport:
    kinds = {
        "parameter": "parameters",
        "buffer": "buffers",
        "state": "optimizer_state",
        "input": "inputs",
        "target": "inputs",
        "learning_rate": "inputs",
    }
    by_kind = dict.fromkeys(["parameters", "buffers", "optimizer_state", "inputs", "transient"], 0)
    for entry in functions["train_step"]["arguments"]:
        by_kind[kinds[entry["kind"]]] += _bytes(entry)
    transient = transient_bytes(compiled.vmfb)
    by_kind["transient"] = transient.get("train_step", 0)
    return MemoryReport(by_kind, transient.get("predict", 0))


def _bytes(entry: dict[str, Any]) -> int:
    return int(np.prod(entry["shape"], dtype=np.int64)) * WIDTHS[entry["dtype"]]


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    from . import __version__

    return {"pocket_mlir": __version__, "iree": version("iree-base-compiler")}
