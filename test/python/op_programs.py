"""Makes one program of many op cases: so that the start-up of the compilers is paid
once for a family of ops, not for each case.

`@predict` returns every result of every case. The loss of `@forward` is the sum of
result 0 times a fixed cotangent over the cases: `pocket-autodiff` makes the gradients
of that.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from op_cases import Case

from pocket_mlir.reference.types import Channels

__all__ = ["forward_text", "operation_text", "pocket_opt", "predict_text", "program_arguments", "type_text"]

_ELEMENTS = {"float16": "f16", "float32": "f32", "float64": "f64", "bool": "i1", "int8": "i8",
             "int32": "i32", "int64": "i64"}

# Attributes that are there or not; other booleans are true or false.
_UNIT_ATTRIBUTES = {"keepdims", "transpose_lhs", "transpose_rhs", "ceil_mode", "is_causal",
                    "nesterov"}
_ENUMS = {"layout": "layout", "predicate": "predicate", "approximate": "gelu",
          "reduction": "reduction"}
# Ops with several optional operands say which are there: names of those that may miss.
_OPTIONAL_OPERANDS = {"conv2d": (2, 1), "batch_norm_inference": (3, 2),
                      "batch_norm_training": (1, 2), "layer_norm": (1, 2)}


def type_text(shape: Sequence[int], dtype) -> str:
    return f"tensor<{'x'.join([*map(str, shape), _ELEMENTS[np.dtype(dtype).name]])}>"


def _float_text(value: float) -> str:
    if not np.isfinite(value):
        return f"0x{np.float64(value).view(np.uint64):X}"
    return repr(value) if "." in repr(value) else repr(value).replace("e", ".0e")


def _attribute_text(name: str, value) -> str | None:
    if name in _UNIT_ATTRIBUTES:
        return name if value else None
    if isinstance(value, Channels):
        return f"{name} = {value}"
    if name in _ENUMS:
        return f"{name} = #pocket<{_ENUMS[name]} {value}>"
    if isinstance(value, bool):
        return f"{name} = {'true' if value else 'false'}"
    if isinstance(value, int):
        return f"{name} = {value} : i64"
    if isinstance(value, float):
        return f"{name} = {_float_text(value)} : f64"
    return f"{name} = array<i64{': ' if value else ''}{', '.join(map(str, value))}>"


def operation_text(op, operands, operand_types, result_types, attributes=None):
    entries = [_attribute_text(name, value) for name, value in (attributes or {}).items()]
    if op in _OPTIONAL_OPERANDS:
        needed, optional = _OPTIONAL_OPERANDS[op]
        there = [1] * needed + [int(len(operands) > needed)] * optional
        entries.append(f"operandSegmentSizes = array<i32: {', '.join(map(str, there))}>")
    entries = [entry for entry in entries if entry]
    properties = f" <{{{', '.join(entries)}}}>" if entries else ""
    return (f'"pocket.{op}"({", ".join(operands)}){properties} : '
            f'({", ".join(operand_types)}) -> ({", ".join(result_types)})')


def case_text(case: Case, number: int, operands: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The op of a case: its line, the names of its results and their types."""
    operand_types = [type_text(a.shape, a.dtype) for a in case.inputs]
    result_types = [type_text(r.shape, d)
                    for r, d in zip(case.results, case.result_dtypes, strict=True)]
    count = len(result_types)
    names = [f"%c{number}" + (f"#{i}" if count > 1 else "") for i in range(count)]
    line = operation_text(case.op, operands, operand_types, result_types, case.attributes)
    left = f"%c{number}" + (f":{count}" if count > 1 else "")
    return f'    {left} = {line} loc("{case.id}")', names, result_types


def _arguments(cases: Sequence[Case], gradients: bool):
    """(name, array, attributes) of every argument, parameters first."""
    parameters, inputs = [], []
    for number, case in enumerate(cases):
        for position, array in enumerate(case.inputs):
            name = f"{number}.{position}"
            if gradients and position in case.wrt:
                parameters.append(
                    (name, array, f'{{pocket.param = "{name}", pocket.needs_grad = true}}'))
            else:
                inputs.append(
                    (name, array, f'{{pocket.role = "input", pocket.name = "{name}"}}'))
        if gradients:
            name = f"{number}.cotangent"
            inputs.append((name, case.cotangent,
                           f'{{pocket.role = "input", pocket.name = "{name}"}}'))
    return parameters + inputs


def program_arguments(cases: Sequence[Case], gradients: bool) -> list[np.ndarray]:
    """The arguments of `@predict`, or those of `@forward` and so of `@train_step`."""
    return [array for _, array, _ in _arguments(cases, gradients)]


def _signature(cases, gradients):
    return ",\n    ".join(
        f"%a{name.replace('.', '_')}: {type_text(array.shape, array.dtype)} {attributes}"
        for name, array, attributes in _arguments(cases, gradients)
    )


def _operands(case, number):
    return [f"%a{number}_{position}" for position in range(len(case.inputs))]


def forward_text(cases: Sequence[Case]) -> str:
    """`@forward`: the loss whose gradients are compared."""
    lines, losses = [], []
    for number, case in enumerate(cases):
        line, names, types = case_text(case, number, _operands(case, number))
        lines.append(line)
        rank = len(case.results[0].shape)
        lines.append(f"    %w{number} = " + operation_text(
            "mul", [names[0], f"%a{number}_cotangent"], [types[0], types[0]], [types[0]]))
        lines.append(f"    %l{number} = " + operation_text(
            "sum", [f"%w{number}"], [types[0]], ["tensor<f32>"], {"dims": tuple(range(rank))}))
        losses.append(f"%l{number}")
    total = losses[0]
    for number, loss in enumerate(losses[1:]):
        lines.append(f"    %t{number} = " + operation_text(
            "add", [total, loss], ["tensor<f32>"] * 2, ["tensor<f32>"]))
        total = f"%t{number}"
    body = "\n".join(lines)
    return (f'  func.func @forward(\n    {_signature(cases, True)}\n  ) -> '
            f'(tensor<f32> {{pocket.role = "loss"}}) {{\n{body}\n'
            f'    return {total} : tensor<f32>\n  }}')


def predict_text(cases: Sequence[Case], constant: bool = False) -> str:
    """`@predict`: every result of every case, of arguments or of constants."""
    lines, names, types = [], [], []
    if constant:
        lines += [_constant_text(f"%a{name.replace('.', '_')}", array)
                  for name, array, _ in _arguments(cases, gradients=False)]
    for number, case in enumerate(cases):
        line, its_names, its_types = case_text(case, number, _operands(case, number))
        lines.append(line)
        names += its_names
        types += its_types
    results = ", ".join(f'{t} {{pocket.role = "output", pocket.name = "output{i}"}}'
                        for i, t in enumerate(types))
    signature = "" if constant else f"\n    {_signature(cases, gradients=False)}\n  "
    body = "\n".join(lines)
    return (f'  func.func @predict({signature}) -> ({results}) {{\n'
            f'{body}\n    return {", ".join(names)} : {", ".join(types)}\n  }}')


def _constant_text(name: str, array: np.ndarray) -> str:
    if array.dtype == bool:
        elements = json.dumps(array.tolist())
    else:
        elements = f'"0x{array.tobytes().hex().upper()}"'
    return f"    {name} = pocket.constant dense<{elements}> : {type_text(array.shape, array.dtype)}"


# --- Tools ------------------------------------------------------------------------------


# The built one, or the installed one where the tests run against a wheel.
_BUILT = Path(__file__).parents[2] / "build" / "bin" / "pocket-opt"
_POCKET_OPT = os.environ.get("POCKET_OPT") or (str(_BUILT) if _BUILT.exists() else "pocket-opt")


def pocket_opt(text: str, *options: str) -> str:
    """The module after `pocket-opt`; what it complains of as an error."""
    done = subprocess.run([_POCKET_OPT, "--allow-unregistered-dialect", *options, "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"pocket-opt {' '.join(options)} failed:\n{done.stderr[:4000]}")
    return done.stdout
