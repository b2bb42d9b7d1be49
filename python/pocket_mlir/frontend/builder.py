"""Builds operations of the pocket dialect.

`Tensor` is a typed handle on an SSA value; `Builder` has one method per dialect
operation, in the words of the dialect, and below them the small combinations that
several lowerings need.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .._mlir import ir
from .._mlir.dialects import pocket
from .registry import Unsupported

_NUMPY = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.bool_,
}


@dataclass(frozen=True)
class TensorType:
    """Shape and element type, the latter as MLIR spells it."""

    shape: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{d}x' for d in self.shape)}{self.dtype}>"

    @property
    def is_float(self) -> bool:
        return self.dtype in ("f64", "f32", "f16", "bf16")

    @property
    def is_bool(self) -> bool:
        return self.dtype == "i1"

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Tensor(TensorType):
    """An SSA value with its type at hand."""

    value: ir.Value

    def __init__(self, value: ir.Value):
        type_ = ir.RankedTensorType(value.type)
        super().__init__(tuple(type_.shape), str(type_.element_type))
        object.__setattr__(self, "value", value)

    # Two values of one type are not the same value.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def type(self) -> TensorType:
        return TensorType(self.shape, self.dtype)


class Builder:
    """Appends operations to the current insertion point and location.

    Attributes that have a default are written out too: the bindings hand an
    operation to its type inference before the defaults are filled in.

    `outs` holds the types that PyTorch gives to the results of the operation that
    is being lowered; `out` is the first of them.
    """

    def __init__(self) -> None:
        self.outs: list[TensorType] = []
        self._non_negative: set[ir.Value] = set()

    @property
    def out(self) -> TensorType:
        return self.outs[0]

    # -- types and operations -------------------------------------------------

    @staticmethod
    def mlir_type(shape: Iterable[int], dtype: str) -> ir.Type:
        return ir.RankedTensorType.get(list(shape), ir.Type.parse(dtype))

    @staticmethod
    def _one(operation: ir.OpView) -> Tensor:
        return Tensor(operation.operation.results[0])

    @staticmethod
    def _all(operation: ir.OpView) -> tuple[Tensor, ...]:
        return tuple(Tensor(result) for result in operation.operation.results)

    # -- constants -----------------------------------------------------------

    def constant(self, array: np.ndarray | Sequence, dtype: str | None = None) -> Tensor:
        """A constant with the values of `array` (converted to `dtype`)."""
        array = np.asarray(array, None if dtype is None else _NUMPY[dtype])
        if dtype is None:
            dtype = next(d for d, t in _NUMPY.items() if array.dtype == t)
        type_ = self.mlir_type(array.shape, dtype)
        element = type_.element_type
        if array.size and (array == array.flat[0]).all():
            first = array.flat[0]
            attribute = (
                ir.FloatAttr.get(element, float(first))
                if dtype.startswith("f")
                else ir.IntegerAttr.get(element, int(first))
            )
            value = ir.DenseElementsAttr.get_splat(type_, attribute)
        elif dtype == "i1":
            flags = ir.BoolAttr.get(False), ir.BoolAttr.get(True)
            value = ir.DenseElementsAttr.get([flags[int(v)] for v in array.flat], type=type_)
        else:
            value = ir.DenseElementsAttr.get(np.ascontiguousarray(array), type=type_)
        result = self._one(pocket.ConstantOp(value))
        if array.size and array.dtype.kind in "iu" and array.min() >= 0:
            self._non_negative.add(result.value)
        return result

    def known_non_negative(self, x: Tensor) -> bool:
        """Whether `x` is a constant of integers none of which is negative."""
        return x.value in self._non_negative

    def scalar(self, value: float, dtype: str) -> Tensor:
        """A rank-0 constant; broadcasting elementwise operations take it anywhere."""
        if dtype == "bf16":
            return self.convert(self.scalar(value, "f32"), dtype)
        return self.constant(np.array(value), dtype)

    def full(self, shape: Sequence[int], value: float, dtype: str) -> Tensor:
        return self.broadcast(self.scalar(value, dtype), shape)

    def tensor(self, value: Tensor | float | int | bool, dtype: str) -> Tensor:
        """`value`, a tensor or a Python number, as a tensor of element type `dtype`."""
        if isinstance(value, Tensor):
            return self.convert(value, dtype)
        return self.scalar(value, dtype)

    # -- elementwise ---------------------------------------------------------

    def unary(self, name: str, x: Tensor, **attributes: object) -> Tensor:
        """`pocket.<name>` of one operand."""
        return self._one(_operation(name)(x.value, **attributes))

    def binary(self, name: str, a: Tensor, b: Tensor) -> Tensor:
        """`pocket.<name>` of two operands, broadcast against each other."""
        return self._one(_operation(name)(a.value, b.value))

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("add", a, b)

    def sub(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("sub", a, b)

    def mul(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("mul", a, b)

    def div(self, a: Tensor, b: Tensor) -> Tensor:
        return self.binary("div", a, b)

    def gelu(self, x: Tensor, approximate: str) -> Tensor:
        return self.unary("gelu", x, approximate=pocket.GeluApproximation[approximate.upper()])

    def compare(self, predicate: str, a: Tensor, b: Tensor) -> Tensor:
        return self._one(pocket.CompareOp(pocket.Predicate[predicate.upper()], a.value, b.value))

    def select(self, condition: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return self._one(pocket.SelectOp(condition.value, a.value, b.value))

    def convert(self, x: Tensor, dtype: str) -> Tensor:
        if x.dtype == dtype:
            return x
        return self._one(pocket.ConvertOp(self.mlir_type(x.shape, dtype), x.value))

    # -- reductions ----------------------------------------------------------

    def reduce(
        self, name: str, x: Tensor, dims: Iterable[int] | None = None, keepdims: bool = False
    ) -> Tensor:
        """`sum`, `mean`, `reduce_max`, `reduce_min` over `dims` (all when None or empty)."""
        dims = self.dims(x, dims)
        if not dims:
            return x
        return self._one(_operation(name)(x.value, dims, keepdims=keepdims))

    def sum(self, x: Tensor, dims: Iterable[int] | None = None, keepdims: bool = False) -> Tensor:
        return self.reduce("sum", x, dims, keepdims)

    def mean(self, x: Tensor, dims: Iterable[int] | None = None, keepdims: bool = False) -> Tensor:
        return self.reduce("mean", x, dims, keepdims)

    def argmax(self, x: Tensor, dim: int, keepdims: bool = False) -> Tensor:
        return self._one(pocket.ArgmaxOp(x.value, dim, keepdims=keepdims))

    # -- movement ------------------------------------------------------------

    def reshape(self, x: Tensor, shape: Iterable[int]) -> Tensor:
        shape = tuple(shape)
        if shape == x.shape:
            return x
        return self._one(pocket.ReshapeOp(self.mlir_type(shape, x.dtype), x.value))

    def transpose(self, x: Tensor, permutation: Iterable[int]) -> Tensor:
        permutation = [int(p) for p in permutation]
        if permutation == list(range(x.rank)):
            return x
        return self._one(pocket.TransposeOp(x.value, permutation))

    def broadcast(self, x: Tensor, shape: Iterable[int]) -> Tensor:
        shape = tuple(int(size) for size in shape)
        if shape == x.shape:
            return x
        return self._one(pocket.BroadcastOp(self.mlir_type(shape, x.dtype), x.value))

    def slice_dim(self, x: Tensor, dim: int, start: int, size: int, step: int = 1) -> Tensor:
        """`size` slices along `dim`, from `start` on, every `step`th."""
        if size == x.shape[dim]:
            return x
        offsets, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        offsets[dim], sizes[dim], strides[dim] = start, size, step
        return self._one(pocket.SliceOp(x.value, offsets, sizes, strides))

    def concat(self, tensors: Sequence[Tensor], dim: int) -> Tensor:
        # What has no elements adds none.
        tensors = [t for t in tensors if t.shape[dim]] or tensors[:1]
        if len(tensors) == 1:
            return tensors[0]
        return self._one(pocket.ConcatOp([t.value for t in tensors], dim))

    def pad(self, x: Tensor, low: Sequence[int], high: Sequence[int], value: float) -> Tensor:
        if not any(low) and not any(high):
            return x
        return self._one(pocket.PadOp(x.value, low, high, value=float(value)))

    def reverse(self, x: Tensor, dims: Iterable[int]) -> Tensor:
        return self._one(pocket.ReverseOp(x.value, list(dims)))

    # -- gathering -----------------------------------------------------------

    def embedding(self, weight: Tensor, indices: Tensor, padding_idx: int = -1) -> Tensor:
        return self._one(
            pocket.EmbeddingOp(weight.value, indices.value, padding_idx=padding_idx)
        )

    def gather(self, x: Tensor, indices: Tensor, dim: int) -> Tensor:
        return self._one(pocket.GatherOp(x.value, indices.value, dim))

    # -- linear --------------------------------------------------------------

    def matmul(
        self, a: Tensor, b: Tensor, transpose_lhs: bool = False, transpose_rhs: bool = False
    ) -> Tensor:
        return self._one(
            pocket.MatmulOp(
                a.value, b.value, transpose_lhs=transpose_lhs, transpose_rhs=transpose_rhs
            )
        )

    def conv2d(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        strides: Sequence[int],
        padding: Sequence[int],
        dilations: Sequence[int],
        groups: int,
    ) -> Tensor:
        """`padding` is top, bottom, left, right."""
        return self._one(
            pocket.Conv2dOp(
                x.value,
                weight.value,
                bias=_value(bias),
                strides=strides,
                padding=padding,
                dilations=dilations,
                groups=groups,
                layout=pocket.Layout.NCHW,
            )
        )

    def conv2d_input_grad(
        self,
        x: Tensor,
        weight: Tensor,
        shape: Sequence[int],
        strides: Sequence[int],
        padding: Sequence[int],
        dilations: Sequence[int],
        groups: int,
    ) -> Tensor:
        """The gradient of a convolution for its input, which has `shape`."""
        return self._one(
            pocket.Conv2dInputGradOp(
                self.mlir_type(shape, x.dtype),
                x.value,
                weight.value,
                strides=strides,
                padding=padding,
                dilations=dilations,
                groups=groups,
                layout=pocket.Layout.NCHW,
            )
        )

    # -- pools ---------------------------------------------------------------

    def max_pool2d(
        self,
        x: Tensor,
        kernel: Sequence[int],
        strides: Sequence[int],
        padding: Sequence[int],
        dilations: Sequence[int],
        ceil_mode: bool,
    ) -> Tensor:
        return self._one(
            pocket.MaxPool2dOp(
                x.value,
                kernel,
                strides,
                padding=padding,
                dilations=dilations,
                ceil_mode=ceil_mode,
                layout=pocket.Layout.NCHW,
            )
        )

    def avg_pool2d(
        self,
        x: Tensor,
        kernel: Sequence[int],
        strides: Sequence[int],
        padding: Sequence[int],
        ceil_mode: bool,
        count_include_pad: bool,
    ) -> Tensor:
        return self._one(
            pocket.AvgPool2dOp(
                x.value,
                kernel,
                strides,
                padding=padding,
                ceil_mode=ceil_mode,
                count_include_pad=count_include_pad,
                layout=pocket.Layout.NCHW,
            )
        )

    # -- norms, softmax, attention, losses --------------------------------------
    # Scale and bias of a norm come together or not at all.

    def batch_norm_inference(
        self,
        x: Tensor,
        mean: Tensor,
        var: Tensor,
        scale: Tensor | None,
        bias: Tensor | None,
        epsilon: float,
    ) -> Tensor:
        return self._one(
            pocket.BatchNormInferenceOp(
                x.value,
                mean.value,
                var.value,
                epsilon,
                scale=_value(scale),
                bias=_value(bias),
                channel_dim=1,
            )
        )

    def batch_norm_training(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, epsilon: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The result, the batch's mean, and its (biased) variance."""
        return self._all(
            pocket.BatchNormTrainingOp(
                x.value, epsilon, scale=_value(scale), bias=_value(bias), channel_dim=1
            )
        )

    def layer_norm(
        self, x: Tensor, scale: Tensor | None, bias: Tensor | None, axis: int, epsilon: float
    ) -> Tensor:
        return self._one(
            pocket.LayerNormOp(x.value, axis, epsilon, scale=_value(scale), bias=_value(bias))
        )

    def log_softmax(self, x: Tensor, dim: int) -> Tensor:
        return self.unary("log_softmax", x, dim=dim)

    def cross_entropy(
        self,
        logits: Tensor,
        targets: Tensor,
        ignore_index: int,
        label_smoothing: float,
        reduction: str,
    ) -> Tensor:
        return self._one(
            pocket.CrossEntropyOp(
                logits.value,
                targets.value,
                ignore_index=ignore_index,
                label_smoothing=label_smoothing,
                reduction=pocket.LossReduction[reduction.upper()],
            )
        )

    def attention(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        is_causal: bool,
        scale: float,
    ) -> Tensor:
        return self._one(
            pocket.AttentionOp(
                q.value, k.value, v.value, scale, mask=_value(mask), is_causal=is_causal
            )
        )

    def assign(self, old: Tensor, new: Tensor) -> Tensor:
        return self._one(pocket.AssignOp(old.value, new.value))

    # -- combinations --------------------------------------------------------

    @staticmethod
    def dim(x: TensorType, dim: int) -> int:
        """`dim` counted from the front."""
        return dim % max(x.rank, 1)

    @staticmethod
    def dims(x: TensorType, dims: Iterable[int] | int | None) -> list[int]:
        """`dims` counted from the front and sorted; all of them when none are given."""
        if isinstance(dims, int):
            dims = [dims]
        dims = list(dims or [])
        return sorted(d % x.rank for d in dims) if dims and x.rank else list(range(x.rank))

    def unsqueeze(self, x: Tensor, dim: int) -> Tensor:
        shape = list(x.shape)
        shape.insert(dim % (x.rank + 1), 1)
        return self.reshape(x, shape)

    def swap(self, x: Tensor, a: int, b: int) -> Tensor:
        """Transposes two dimensions."""
        permutation = list(range(x.rank))
        if x.rank:
            permutation[a], permutation[b] = permutation[b], permutation[a]
        return self.transpose(x, permutation)

    def move(self, x: Tensor, source: int, destination: int) -> Tensor:
        """Moves one dimension, the others keep their order."""
        permutation = [d for d in range(x.rank) if d != source]
        permutation.insert(destination, source)
        return self.transpose(x, permutation)

    def placeholder(self, type_: TensorType) -> Tensor:
        """A stand-in for the result of something unsupported, so that the walk goes on."""
        operation = ir.Operation.create(
            "builtin.unrealized_conversion_cast",
            results=[self.mlir_type(type_.shape, type_.dtype)],
            operands=[],
        )
        return Tensor(operation.result)

    @contextmanager
    def producing(self, outs: Sequence[TensorType]):
        """Sets `outs` while an operation is lowered."""
        saved, self.outs = self.outs, list(outs)
        try:
            yield self
        finally:
            self.outs = saved


def _operation(name: str) -> type[ir.OpView]:
    """The class of `pocket.<name>`."""
    return getattr(pocket, "".join(part.capitalize() for part in name.split("_")) + "Op")


def _value(tensor: Tensor | None) -> ir.Value | None:
    return None if tensor is None else tensor.value


def require_float(x: TensorType, what: str) -> None:
    """Complains unless `x` is a floating point tensor."""
    if not x.is_float:
        raise Unsupported(
            f"{what} on {x}", "floating point tensors", "convert the tensor with .float() first"
        )
