"""The layers of an imported model, read from the operations of `@forward`.

What a parameter is to the model (a convolution's weight, a bias, a norm's scale), which
of its dimensions hold channels and what comes after what: all of it follows from the
operations that read it, in the order they run. Names only say what a layer is called.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .._mlir import ir
from .._mlir.dialects import pocket  # noqa: F401  (gives operations their named operands)
from ..dtypes import WIDTHS
from ..frontend import ImportedModel

__all__ = ["Parameter", "Layer", "ModelLayers", "read_layers", "forward_of", "KINDS", "CONVOLUTIONS", "MATRICES"]

CONVOLUTIONS = ("conv", "depthwise")
MATRICES = (*CONVOLUTIONS, "linear", "embedding")
KINDS = (*MATRICES, "norm", "other")


@dataclass(frozen=True)
class Parameter:
    """A parameter of `@forward`: its argument number, and whether it requires a gradient."""

    name: str
    argument: int
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * WIDTHS[self.dtype]


@dataclass(eq=False)
class Layer:
    """Operations with parameters: one weight, or what a weight is computed from, and a bias.

    Attributes:
        name: the module path, or the weight's own name where a module has several weights.
        path: the module path.
        kind: one of `KINDS`; "other" is a parameter that is neither a weight nor a bias.
        weights: the weight; several (or a read that is no product's) when it is computed from them.
        bias: what is added to the result, one number per channel.
        input_dim, output_dim: the weight's dimensions that hold the input's and the
            result's channels; None where the weight is not read as it is.
        groups: a convolution's groups.
        norm: the norm that alone reads the result.
        is_last: whether no layer with a weight matrix comes after it on the way to the outputs.
        depth: the share of the weight matrices that run before it, from 0 to 1.
    """

    name: str
    path: str
    kind: str
    weights: tuple[Parameter, ...] = ()
    bias: Parameter | None = None
    input_dim: int | None = None
    output_dim: int | None = None
    groups: int = 1
    norm: Layer | None = None
    is_last: bool = False
    depth: float = 0.0
    order: int = 0

    @property
    def channel_bias(self) -> Parameter | None:
        """The bias of the result's channels: the layer's own, else that of the norm behind it."""
        return self.bias or (self.norm.bias if self.norm else None)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.weights + ((self.bias,) if self.bias else ())


@dataclass
class ModelLayers:
    """The layers of a model in the order they run.

    `modules` are the paths of all modules that compute something, with or without
    parameters; `aliases` the further names of tied parameters.
    """

    name: str
    layers: list[Layer]
    parameters: dict[str, Parameter]
    aliases: dict[str, str] = field(default_factory=dict)
    modules: set[str] = field(default_factory=set)

    def of_kind(self, *kinds: str) -> list[Layer]:
        return [layer for layer in self.layers if layer.kind in kinds]

    def parameter(self, name: str) -> Parameter | None:
        return self.parameters.get(self.aliases.get(name, name))


def read_layers(imported: ImportedModel) -> ModelLayers:
    """Reads the layers of an imported model."""
    return _Reader(imported).read()


def path_of(location: ir.Location) -> str:
    """The module path that an operation's location carries."""
    text = str(location)
    return text[len("loc(") : -1].strip('"') if text.startswith("loc(") else text


def _container(name: str) -> str:
    return name.rpartition(".")[0]


@dataclass(frozen=True)
class _Source:
    """A value made of parameters and constants alone.

    `dims` says for each of its dimensions which one of the parameter it is, where it is
    one parameter's value, moved.
    """

    parameters: tuple[Parameter, ...]
    dims: tuple[int | None, ...] | None = None


@dataclass
class _Result:
    """A value that is a layer's result, so far: a bias, a scale or a norm may follow.

    `layer` is None for a normalization whose scale, if it has one, comes next; `product`
    is the layer whose result was normalized.
    """

    layer: Layer | None
    product: Layer | None = None


_MOVES = ("pocket.reshape", "pocket.transpose", "pocket.convert")


class _Reader:
    def __init__(self, imported: ImportedModel):
        self.imported = imported
        self.function = forward_of(imported.module)
        self.block = self.function.regions[0].blocks[0]
        self.names: dict[str, list[str]] = {}
        for alias, name in imported.aliases.items():
            self.names.setdefault(name, [name]).append(alias)
        self.sources: dict[ir.Value, _Source] = {}
        self.results: dict[ir.Value, _Result] = {}
        self.layers: dict[tuple, Layer] = {}
        # Layer of each operation that applies a weight matrix, by its first result.
        self.matrices: dict[ir.Value, Layer] = {}
        # The operation at hand, and the one that reads a value first.
        self.number = 0
        self.first_read: dict[ir.Value, int] = {}
        self.parameters = self._read_arguments()

    def _read_arguments(self) -> dict[str, Parameter]:
        trained, found = set(self.imported.trained), {}
        attributes = ir.ArrayAttr(self.function.attributes["arg_attrs"])
        for number, (argument, entries) in enumerate(zip(self.block.arguments, attributes, strict=True)):
            entries = ir.DictAttr(entries)
            if "pocket.param" in entries:
                name = ir.StringAttr(entries["pocket.param"]).value
                tensor = ir.RankedTensorType(argument.type)
                shape = tuple(tensor.shape)
                found[name] = Parameter(name, number, shape, str(tensor.element_type), name in trained)
                self.sources[argument] = _Source((found[name],), tuple(range(len(shape))))
            elif "pocket.buffer" in entries:
                self.sources[argument] = _Source(())
        return found

    def read(self) -> ModelLayers:
        modules = set()
        operations = [operation.operation for operation in self.block.operations]
        for number, operation in enumerate(operations):
            self.number = number
            for operand in operation.operands:
                self.first_read.setdefault(operand, number)
            modules.add(path_of(operation.location))
            if not self._read_source(operation):
                self._read_operation(operation)
        self._add_rest()
        self._find_last(operations)
        layers = self._named()
        aliases = dict(self.imported.aliases)
        return ModelLayers(self.imported.name, layers, self.parameters, aliases, modules)

    # -- what is made of parameters --------------------------------------------------

    def _read_source(self, operation: ir.Operation) -> bool:
        operands = list(operation.operands)
        if operation.name == "pocket.embedding":
            return False  # a layer also where the rows it looks up are known, as positions are
        if not all(operand in self.sources for operand in operands) or len(operation.results) != 1:
            return False
        sources = [self.sources[operand] for operand in operands]
        parameters = tuple(dict.fromkeys(p for source in sources for p in source.parameters))
        dims = _moved(operation, sources[0].dims) if len(sources) == 1 and sources[0].dims else None
        self.sources[operation.results[0]] = _Source(parameters, dims)
        return True

    def _source(self, value: ir.Value | None) -> _Source | None:
        """The parameters that `value` is made of, if it is made of any and of nothing else."""
        source = self.sources.get(value) if value is not None else None
        return source if source and source.parameters else None

    def _vector(self, value: ir.Value | None) -> Parameter | None:
        """The parameter that `value` is, if that is one number per channel."""
        source = self._source(value)
        if source is None or len(source.parameters) != 1:
            return None
        parameter = source.parameters[0]
        return parameter if math.prod(parameter.shape) == max(parameter.shape, default=1) else None

    # -- layers --------------------------------------------------------------------------

    def _read_operation(self, operation: ir.Operation) -> None:
        name = operation.name
        if name in ("pocket.conv2d", "pocket.conv2d_input_grad"):
            self._read_convolution(operation)
        elif name == "pocket.matmul":
            self._read_product(operation)
        elif name == "pocket.embedding":
            self._add_matrix(operation, "embedding", operation.operands[0], 0, 1)
        elif name in ("pocket.batch_norm_inference", "pocket.batch_norm_training", "pocket.layer_norm"):
            self._read_norm(operation)
        elif name in ("pocket.add", "pocket.mul", "pocket.div"):
            self._read_arithmetic(operation)
        elif name in _MOVES and operation.operands[0] in self.results:
            self.results[operation.results[0]] = self.results[operation.operands[0]]

    def _read_convolution(self, operation: ir.Operation) -> None:
        transposed = operation.name == "pocket.conv2d_input_grad"
        filter = operation.operands[1]
        groups = ir.IntegerAttr(operation.attributes["groups"]).value if "groups" in operation.attributes else 1
        shape = ir.RankedTensorType(filter.type).shape
        # [outputs, inputs / groups, ...]; a transposed one's is [inputs, outputs / groups, ...].
        depthwise = groups > 1 and shape[1] == 1 and shape[0] == groups
        inputs, outputs = (0, 1) if transposed else (1, 0)
        if depthwise:
            inputs = outputs = 0
        layer = self._add_matrix(operation, "depthwise" if depthwise else "conv", filter, inputs, outputs)
        if layer:
            layer.groups = groups
            if not transposed:
                layer.bias = self._vector(operation.opview.bias)

    def _read_product(self, operation: ir.Operation) -> None:
        for number, operand in enumerate(operation.operands):
            if not self._source(operand):
                continue
            rank = len(ir.RankedTensorType(operand.type).shape)
            swapped = ("transpose_lhs", "transpose_rhs")[number] in operation.attributes
            # lhs is [M, K], rhs [K, N]: the input's channels are K.
            summed_last = (number == 0) != swapped
            inputs, outputs = (rank - 1, rank - 2) if summed_last else (rank - 2, rank - 1)
            self._add_matrix(operation, "linear", operand, inputs, outputs)

    def _read_norm(self, operation: ir.Operation) -> None:
        view = operation.opview
        product = self._alone(operation.operands[0])
        weight, bias = self._vectors(view.scale), self._vector(view.bias)
        layer = self._add_norm(operation, weight, bias, product) if weight or bias else None
        self.results[operation.results[0]] = _Result(layer, product)

    def _vectors(self, value: ir.Value | None) -> tuple[Parameter, ...]:
        source = self._source(value)
        return source.parameters if source else ()

    def _alone(self, value: ir.Value) -> Layer | None:
        """The layer that `value` is the result of, if it has a matrix and nothing else reads it."""
        result = self.results.get(value)
        if result is None or result.layer is None or result.layer.kind == "norm":
            return None
        return result.layer if sum(1 for _ in value.uses) == 1 else None

    def _read_arithmetic(self, operation: ir.Operation) -> None:
        """A bias, the scale or the bias of a composed norm, or the normalization of an RMS norm."""
        result = operation.results[0]
        for value, other in (operation.operands, tuple(operation.operands)[::-1]):
            before, vector = self.results.get(value), self._vector(other)
            if before is None or vector is None:
                continue
            if operation.name == "pocket.add":
                self._add_bias(operation, before, vector)
            elif operation.name == "pocket.mul" and before.layer is None:
                layer = self._add_norm(operation, (vector,), None, before.product)
                self.results[result] = _Result(layer, before.product)
            return
        if _normalizes(operation):
            self.results[result] = _Result(None)

    def _add_bias(self, operation: ir.Operation, before: _Result, vector: Parameter) -> None:
        layer = before.layer
        if layer is None:
            layer = self._add_norm(operation, (), vector, before.product)
        elif layer.bias not in (None, vector):
            return
        elif layer.kind == "embedding":
            return
        layer.bias = vector
        self.results[operation.results[0]] = _Result(layer, before.product)

    def _add_norm(self, operation, weights, bias, product: Layer | None) -> Layer:
        layer = self._add(operation, "norm", weights or (bias,), is_bias=not weights)
        layer.bias = bias or layer.bias
        if len(weights) == 1 and len(weights[0].shape) == 1:
            layer.input_dim = layer.output_dim = 0
        if product is not None:
            product.norm = layer
        return layer

    def _add_matrix(self, operation, kind: str, operand: ir.Value, inputs: int, outputs: int) -> Layer | None:
        source = self._source(operand)
        if source is None:
            return None
        layer = self._add(operation, kind, source.parameters, is_direct=source.dims is not None)
        if source.dims and layer.input_dim is None:
            layer.input_dim, layer.output_dim = source.dims[inputs], source.dims[outputs]
        self.matrices[operation.results[0]] = layer
        self.results[operation.results[0]] = _Result(layer)
        return layer

    def _add(self, operation, kind: str, parameters: Sequence[Parameter], *, is_direct=True, is_bias=False) -> Layer:
        """The layer of these parameters; the same one where they are read again."""
        where = path_of(operation.location)
        path = where
        if is_direct:
            # A tied parameter belongs to the module that reads it, if one of its names says so.
            containers = [_container(n) for n in self.names.get(parameters[0].name, [parameters[0].name])]
            path = where if where in containers else containers[0]
        key = (path, kind, tuple(p.name for p in parameters))
        if key not in self.layers:
            weights = () if is_bias else tuple(parameters)
            self.layers[key] = Layer("", path, kind, weights, order=self.number)
        return self.layers[key]

    def _add_rest(self) -> None:
        """Parameters that are nobody's weight or bias, where they are first read."""
        known = {p for layer in self.layers.values() for p in layer.parameters}
        for parameter in self.parameters.values():
            if parameter not in known:
                argument = self.block.arguments[parameter.argument]
                order = self.first_read.get(argument, self.number)
                layer = Layer(parameter.name, _container(parameter.name), "other", (parameter,), order=order)
                if len(parameter.shape) == 1:
                    layer.input_dim = layer.output_dim = 0
                self.layers[("other", parameter.name)] = layer

    def _find_last(self, operations: Sequence[ir.Operation]) -> None:
        """Marks the layers with a matrix that no other one follows on the way to the outputs."""
        terminator = operations[-1]
        roles = [_role(entries) for entries in ir.ArrayAttr(self.function.attributes["res_attrs"])]
        role = "output" if "output" in roles else "loss"
        needed = {v for v, r in zip(terminator.operands, roles, strict=True) if r == role}
        for operation in reversed(operations[:-1]):
            if any(result in needed for result in operation.results):
                needed.update(operation.operands)
        followed: set[Layer] = set()
        nearest: dict[ir.Value, set[Layer]] = {}
        for operation in operations[:-1]:
            if not any(result in needed for result in operation.results):
                continue
            before = set().union(*(nearest.get(operand, set()) for operand in operation.operands))
            layer = self.matrices.get(operation.results[0]) if len(operation.results) else None
            if layer is not None:
                layer.is_last = True
                followed |= before
                before = {layer}
            for result in operation.results:
                nearest[result] = before
        for layer in followed:
            layer.is_last = False

    def _named(self) -> list[Layer]:
        """The layers in order, each with its name, place and depth."""
        layers = sorted(self.layers.values(), key=lambda layer: layer.order)
        several: dict[str, int] = {}
        for layer in layers:
            several[layer.path] = several.get(layer.path, 0) + (layer.kind != "other")
        matrices = sum(layer.kind in MATRICES for layer in layers)
        before = 0
        for order, layer in enumerate(layers):
            alone = several[layer.path] == 1 and layer.path
            layer.order, layer.name = order, layer.name or (layer.path if alone else layer.parameters[0].name)
            layer.depth = before / max(matrices, 1) if layer.kind in MATRICES else max(before - 1, 0) / max(matrices, 1)
            before += layer.kind in MATRICES
        return layers


def forward_of(module: ir.Module) -> ir.Operation:
    """The function `@forward` of an imported module."""
    for operation in module.body.operations:
        operation = operation.operation
        if operation.name == "func.func" and ir.StringAttr(operation.attributes["sym_name"]).value == "forward":
            return operation
    raise ValueError("the module has no @forward")


def _role(entries: ir.Attribute) -> str:
    entries = ir.DictAttr(entries)
    return ir.StringAttr(entries["pocket.role"]).value if "pocket.role" in entries else ""


def _moved(operation: ir.Operation, dims: tuple[int | None, ...]) -> tuple[int | None, ...] | None:
    """`dims` of the operand as those of the result, if the operation leaves the elements alone."""
    if operation.name == "pocket.convert":
        return dims
    if operation.name == "pocket.transpose":
        return tuple(dims[i] for i in ir.DenseI64ArrayAttr(operation.attributes["permutation"]))
    if operation.name == "pocket.reshape":
        old = list(ir.RankedTensorType(operation.operands[0].type).shape)
        new = list(ir.RankedTensorType(operation.results[0].type).shape)
        # A dimension stays what it is where as much comes before it and it is as large.
        places = {(math.prod(old[:i]), size): dims[i] for i, size in reversed(list(enumerate(old)))}
        return tuple(places.get((math.prod(new[:i]), size)) for i, size in enumerate(new))
    return None


def _normalizes(operation: ir.Operation) -> bool:
    """Whether this is x / sqrt(...) or x rsqrt(...), as RMS norms have it."""
    wanted = "pocket.sqrt" if operation.name == "pocket.div" else "pocket.rsqrt"
    operands = list(operation.operands)[1:] if operation.name == "pocket.div" else list(operation.operands)
    return operation.name != "pocket.add" and any(_maker(operand) == wanted for operand in operands)


def _maker(value: ir.Value) -> str:
    """The operation that computes `value`, before it was moved."""
    while not isinstance(value.owner, ir.Block):
        operation = value.owner.operation
        if operation.name not in (*_MOVES, "pocket.broadcast"):
            return operation.name
        value = operation.operands[0]
    return ""
