"""From MLIR types and attributes to numpy and Python."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from .registry import TensorType

__all__ = ["Channels", "attribute_value", "element_dtype", "tensor_type"]

_DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
}


class Channels(NamedTuple):
    """`#pocket.channels<dim = 1, [0 to 4], [6 to 8]>`: half-open ranges along a dimension."""

    dim: int
    ranges: tuple[tuple[int, int], ...]

    @property
    def indices(self) -> list[int]:
        return [i for begin, end in self.ranges for i in range(begin, end)]

    def __str__(self) -> str:
        ranges = ", ".join(f"[{begin} to {end}]" for begin, end in self.ranges)
        return f"#pocket.channels<dim = {self.dim}, {ranges}>"


def element_dtype(type_text: str, float_dtype=None) -> np.dtype:
    """The numpy type of an MLIR element type; `float_dtype` stands for every float."""
    if float_dtype is not None and re.fullmatch(r"b?f\d+", type_text):
        return np.dtype(float_dtype)
    if type_text == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(_DTYPES[type_text])


def tensor_type(mlir_type, float_dtype=None) -> TensorType:
    """Shape and numpy type of a ranked tensor type; a scalar type counts as rank 0."""
    shape = tuple(mlir_type.shape) if hasattr(mlir_type, "shape") else ()
    element = getattr(mlir_type, "element_type", mlir_type)
    return TensorType(shape, element_dtype(str(element), float_dtype))


def attribute_value(attribute, float_dtype=None) -> Any:
    """A Python value for an attribute: number, string, tuple or numpy array."""
    kind = type(attribute).__name__
    if kind.startswith("Dense") and kind.endswith("ElementsAttr"):
        return _dense_array(attribute, float_dtype)
    if kind.startswith("Dense") and kind.endswith("ArrayAttr"):
        return tuple(attribute)
    if kind == "ArrayAttr":
        return tuple(attribute_value(each, float_dtype) for each in attribute)
    if kind == "UnitAttr":
        return True
    if hasattr(attribute, "value"):
        return attribute.value
    if str(attribute).startswith("#pocket.channels<"):
        dim, *bounds = (int(number) for number in re.findall(r"\d+", str(attribute)))
        return Channels(dim, tuple(zip(bounds[::2], bounds[1::2], strict=True)))
    # An enum of the dialect: `#pocket<layout nhwc>`, `#pocket.layout<nhwc>`.
    text = str(attribute)
    match = re.fullmatch(r"#\w+(?:\.\w+)?<(?:\w+ )?(\w+)>", text)
    return match[1] if match else text


def _dense_array(attribute, float_dtype) -> np.ndarray:
    shape, dtype = tensor_type(attribute.type)
    if getattr(attribute, "is_splat", False):
        element = attribute.get_splat_value()
        array = np.full(shape, attribute_value(element), dtype)
    else:
        array = np.array(attribute)
        if array.dtype != dtype and array.dtype.itemsize == dtype.itemsize:
            array = array.view(dtype)
        array = array.astype(dtype).reshape(shape)
    return array.astype(tensor_type(attribute.type, float_dtype).dtype)
