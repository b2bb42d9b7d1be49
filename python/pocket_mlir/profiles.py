"""What dominates a program: which of `targets.flags.PROFILES` it is compiled with."""

from __future__ import annotations

from ._mlir import ir

__all__ = ["choose_profile"]

# Contractions shorter than this gain nothing from packed operands.
_PACKED = 64


def choose_profile(module: ir.Module) -> str:
    """Weighs the multiply-adds of a module's products and convolutions."""
    work = {"matmul": 0, "depthwise": 0, "dense-conv": 0}
    pointwise = narrow = 0

    def visit(operation: ir.Operation) -> ir.WalkResult:
        nonlocal pointwise, narrow
        if operation.name == "pocket.matmul":
            macs, inner = _matmul(operation)
            work["matmul"] += macs
            narrow += macs if inner < _PACKED else 0
        elif operation.name == "pocket.conv2d":
            groups = ir.IntegerAttr(operation.attributes["groups"]).value
            macs, kernel = _conv(operation)
            if groups > 1:
                work["depthwise"] += macs
            elif kernel == 1:
                pointwise += macs
            else:
                work["dense-conv"] += macs
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if work["depthwise"]:
        # Small kernels over few channels: what surrounds the products counts.
        return "depthwise"
    work["dense-conv"] += pointwise
    if work["dense-conv"] > work["matmul"]:
        return "dense-conv"
    return "matmul" if work["matmul"] > 4 * narrow else "plain"


def _shape(value: ir.Value) -> list[int]:
    return list(ir.RankedTensorType(value.type).shape)


def _elements(shape: list[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _matmul(operation: ir.Operation) -> tuple[int, int]:
    """Multiply-adds, and how many go into one element."""
    shape = _shape(operation.operands[0])
    inner = shape[-2] if "transpose_lhs" in operation.attributes else shape[-1]
    return _elements(_shape(operation.results[0])) * inner, inner


def _conv(operation: ir.Operation) -> tuple[int, int]:
    """Multiply-adds, and the number of taps."""
    filter_shape = _shape(operation.operands[1])
    nhwc = "nhwc" in str(operation.attributes["layout"])
    taps = filter_shape[0] * filter_shape[1] if nhwc else filter_shape[2] * filter_shape[3]
    channels = filter_shape[2] if nhwc else filter_shape[1]
    return _elements(_shape(operation.results[0])) * channels * taps, taps
