"""The manifest's functions, read from what the module says of its arguments and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import optim
from ._mlir import ir

__all__ = ["build_functions"]


def build_functions(module: ir.Module, optimizer: optim.Optimizer) -> dict[str, Any]:
    """Entries for the arguments and results of every function, by name."""
    initial = {state.name: state.initial for state in optimizer.state()}
    functions = {}
    for operation in module.body.operations:
        if operation.operation.name != "func.func":
            continue
        block = operation.regions[0].blocks[0]
        terminator = block.operations[len(block.operations) - 1]
        arguments = [
            _argument(attributes, argument, initial)
            for argument, attributes in zip(
                block.arguments, _attributes(operation, "arg_attrs", len(block.arguments)), strict=True
            )
        ]
        identities = {(a["kind"], a.get("name"), a.get("state")): a for a in arguments}
        results = [
            _result(attributes, operand, identities)
            for operand, attributes in zip(
                terminator.operands, _attributes(operation, "res_attrs", len(terminator.operands)), strict=True
            )
        ]
        functions[_text(operation.attributes["sym_name"])] = {"arguments": arguments, "results": results}
    return functions


def _attributes(operation, name: str, count: int) -> list[dict[str, Any]]:
    if name not in operation.attributes:
        return [{}] * count
    return [_dictionary(ir.DictAttr(d)) for d in ir.ArrayAttr(operation.attributes[name])]


def _dictionary(attributes) -> dict[str, Any]:
    return {attributes[i].name: attributes[i].attr for i in range(len(attributes))}


def _text(attribute) -> str:
    return ir.StringAttr(attribute).value


def _typed(value: ir.Value) -> dict[str, Any]:
    tensor = ir.RankedTensorType(value.type)
    return {"shape": list(tensor.shape), "dtype": str(tensor.element_type)}


def _identity(attributes: dict[str, Any]) -> dict[str, Any] | None:
    """Kind, name and state, if the attributes name a parameter, a buffer or state."""
    if "pocket.state" in attributes:
        name = _text(attributes["pocket.param"]) if "pocket.param" in attributes else ""
        return {"kind": "state", "name": name, "state": _text(attributes["pocket.state"])}
    if "pocket.param" in attributes:
        return {"kind": "parameter", "name": _text(attributes["pocket.param"])}
    if "pocket.buffer" in attributes:
        return {"kind": "buffer", "name": _text(attributes["pocket.buffer"])}
    return None


def _argument(attributes: dict[str, Any], argument: ir.Value, initial: dict[str, float]) -> dict[str, Any]:
    entry = _identity(attributes)
    if entry is None:
        entry = {"kind": _text(attributes["pocket.role"])}
        if "pocket.name" in attributes:
            entry["name"] = _text(attributes["pocket.name"])
    entry |= _typed(argument)
    if "pocket.layout" in attributes:
        entry["layout"] = list(ir.DenseI64ArrayAttr(attributes["pocket.layout"]))
    if entry["kind"] == "state":
        entry["initial"] = initial.get(entry["state"], 0.0)
    if entry["kind"] in ("input", "target"):
        valid = _valid_indices(argument)
        if valid:
            entry["valid"] = valid
        parts = _valid_parts(argument)
        if parts:
            entry["valid_parts"] = parts
    return entry


def _result(attributes: dict[str, Any], value: ir.Value, identities: dict) -> dict[str, Any]:
    role = _text(attributes["pocket.role"]) if "pocket.role" in attributes else None
    entry = None if role else _identity(attributes)
    if entry is not None:
        argument = identities.get((entry["kind"], entry.get("name"), entry.get("state")))
        if argument and "layout" in argument:
            entry["layout"] = argument["layout"]
    else:
        entry = {"kind": role or "output"}
        if "pocket.name" in attributes:
            entry["name"] = _text(attributes["pocket.name"])
    return entry | _typed(value)


def _valid_indices(argument: ir.Value) -> dict[str, int] | None:
    """What an integer argument may hold, from the ops that look something up with it."""
    if not isinstance(ir.RankedTensorType(argument.type).element_type, ir.IntegerType):
        return None
    valid: dict[str, int] | None = None
    for name, attributes, operands, number in _readers(argument):
        if name == "pocket.embedding" and number == 1:
            found = {"min": 0, "max": ir.RankedTensorType(operands[0].type).shape[0] - 1}
        elif name == "pocket.cross_entropy" and number == 1:
            found = {"min": 0, "max": ir.RankedTensorType(operands[0].type).shape[1] - 1}
            found["ignore"] = ir.IntegerAttr(attributes["ignore_index"]).value if "ignore_index" in attributes else -100
        elif name == "pocket.gather" and number == 1:
            dim = ir.IntegerAttr(attributes["dim"]).value
            found = {"min": 0, "max": ir.RankedTensorType(operands[0].type).shape[dim] - 1}
        else:
            continue
        if valid is None:
            valid = found
        else:
            valid["max"] = min(valid["max"], found["max"])
            if valid.get("ignore") != found.get("ignore"):
                valid.pop("ignore", None)  # one of the readers would look it up
    return valid


def _valid_parts(argument: ir.Value) -> list[dict[str, Any]]:
    """The same for slices of the argument: the columns of a table, labels that are shifted."""
    parts = []
    for use in argument.uses:
        operation = use.owner.operation
        if operation.name == "pocket.slice":
            valid = _valid_indices(operation.results[0])
            if valid:
                place = {k: list(ir.DenseI64ArrayAttr(operation.attributes[k])) for k in ("offsets", "sizes", "strides")}
                parts.append(place | valid)
    return parts


def _readers(value: ir.Value) -> Iterator[tuple[str, Any, Any, int]]:
    """The ops that read the value, looking through what leaves its elements as they are."""
    for use in value.uses:
        operation = use.owner.operation
        if operation.name in ("pocket.reshape", "pocket.transpose", "pocket.broadcast", "pocket.convert"):
            yield from _readers(operation.results[0])
        else:
            yield operation.name, operation.attributes, operation.operands, use.operand_number
