"""Reading the torch dialect: torch-mlir's fx importer, and Python views of what it built.

Nothing else in the package touches torch-mlir.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch.fx import Graph
from torch_mlir import ir
from torch_mlir.dialects import torch as torch_dialect
from torch_mlir.extras.fx_importer import FxImporter

from .builder import TensorType
from .registry import Unsupported

_TENSOR = re.compile(r"!torch\.vtensor<\[([-\d,?]*)\],(\w+)>")

_ELEMENT = {
    "f64": "f64",
    "f32": "f32",
    "f16": "f16",
    "bf16": "bf16",
    "si64": "i64",
    "si32": "i32",
    "si8": "i8",
    "i1": "i1",
}

DTYPES = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int8: "i8",
    torch.bool: "i1",
}


@dataclass
class TorchOp:
    """An operation of the torch dialect; operands and results are indices of values."""

    name: str
    node: str
    operands: list[int]
    results: list[int]
    types: list[str]
    constant: object = None


@dataclass
class TorchFunction:
    """The body of an imported function."""

    arguments: list[int] = field(default_factory=list)
    # The types of the arguments.
    types: list[str] = field(default_factory=list)
    operations: list[TorchOp] = field(default_factory=list)
    results: list[int] = field(default_factory=list)

    def live(self, wanted: set[int]) -> Iterator[TorchOp]:
        """The operations that the values `wanted` come from, in order."""
        kept: list[TorchOp] = []
        needed = set(wanted)
        for operation in reversed(self.operations):
            if needed.intersection(operation.results):
                needed.update(operation.operands)
                kept.append(operation)
        return reversed(kept)


def import_graph(graph: Graph) -> TorchFunction:
    """Runs the fx importer over `graph`; each operation remembers the node it came from."""
    for node in graph.nodes:
        # The importer keeps a stack trace's file and line and nothing else of a node, so the
        # node's name travels as a file.
        node.meta["stack_trace"] = f'File "{node.name}", line 1,'
    context = ir.Context()
    torch_dialect.register_dialect(context)
    importer = FxImporter(context=context)
    function = importer.import_stateless_graph(graph, func_name="forward")
    return _read(function)


def _read(function) -> TorchFunction:
    block = function.regions[0].blocks[0]
    numbers: dict[ir.Value, int] = {}

    def number(value: ir.Value) -> int:
        return numbers.setdefault(value, len(numbers))

    result = TorchFunction(
        arguments=[number(argument) for argument in block.arguments],
        types=[str(argument.type) for argument in block.arguments],
    )
    for operation in block.operations:
        operation = operation.operation
        operands = [number(operand) for operand in operation.operands]
        if operation.name in ("func.return", "return"):
            result.results = operands
            break
        name = operation.name
        if name == "torch.operator":
            name = ir.StringAttr(operation.attributes["name"]).value
        result.operations.append(
            TorchOp(
                name=name,
                node=_node_name(operation.location),
                operands=operands,
                results=[number(value) for value in operation.results],
                types=[str(value.type) for value in operation.results],
                constant=_constant(operation),
            )
        )
    return result


def _node_name(location: ir.Location) -> str:
    return getattr(location, "filename", "")


def _constant(operation: ir.Operation) -> object:
    """The Python value of a torch.constant operation."""
    if not operation.name.startswith("torch.constant."):
        return None
    if operation.name == "torch.constant.none" or "value" not in operation.attributes:
        return None
    value = operation.attributes["value"]
    if operation.name == "torch.constant.bool":
        return bool(ir.IntegerAttr(value).value)
    if operation.name == "torch.constant.int":
        integer = ir.IntegerAttr(value).value
        # torch-mlir reads 64 bits without a sign.
        return integer - 2**64 if integer >= 2**63 else integer
    if operation.name == "torch.constant.float":
        return float(ir.FloatAttr(value).value)
    return ir.StringAttr(value).value


def tensor_type(text: str) -> TensorType | None:
    """The tensor type written as `text`; None for lists, numbers and the like."""
    match = _TENSOR.fullmatch(text)
    if match is None:
        if text.startswith("!torch.vtensor"):
            raise Unsupported(f"a tensor of type {text}", _DTYPE_NOTE)
        return None
    shape, element = match.groups()
    if element not in _ELEMENT:
        raise Unsupported(f"a tensor of type {element}", _DTYPE_NOTE, "convert it with .to()")
    return TensorType(tuple(int(d) for d in shape.split(",") if d), _ELEMENT[element])


_DTYPE_NOTE = "float32, float16, int64, int32, int8, bool"


def dtype_of(dtype: torch.dtype) -> str:
    """MLIR's spelling of a PyTorch element type."""
    if dtype not in DTYPES:
        raise Unsupported(f"a tensor of type {dtype}", _DTYPE_NOTE, "convert it with .to()")
    return DTYPES[dtype]
