"""Ops created through Python: attributes that have a default may be left out, and what
is wrong ends in an exception."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pocket_mlir._mlir import ir
from pocket_mlir._mlir.dialects import pocket


@pytest.fixture
def values():
    """A function of types that makes values of them, where ops may be created."""
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield lambda *types: [
                ir.Operation.create("test.value", results=[ir.Type.parse(t)]).result for t in types
            ]


def test_inference_uses_defaults(values):
    x, w = values("tensor<1x2x5x5xf32>", "tensor<3x2x3x3xf32>")
    op = pocket.Conv2dOp(x, w)
    assert str(op.result.type) == "tensor<1x3x3x3xf32>"
    assert str(op) == "%2 = pocket.conv2d %0, %1 : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x3x3xf32>"
    assert str(op.attributes["layout"]) == "#pocket<layout nchw>"
    y = ir.Operation.create("pocket.conv2d", operands=[x, w], infer_type=True)
    assert y.verify() and y.result.type == op.result.type
    pool = pocket.MaxPool2dOp(x, kernel=[2, 2], strides=[2, 2])
    assert [str(result.type) for result in pool.results] == ["tensor<1x2x2x2xf32>", "tensor<1x2x2x2xi8>"]


def test_inference_names_what_is_missing(values):
    (x,) = values("tensor<1x2x5x5xf32>")
    with pytest.raises(ir.MLIRError, match="'pocket.max_pool2d' op requires attribute 'kernel'"):
        ir.Operation.create("pocket.max_pool2d", operands=[x], infer_type=True)
    with pytest.raises(ir.MLIRError, match="'pocket.conv2d' op expects 2 or more operands, found 1"):
        ir.Operation.create("pocket.conv2d", operands=[x], infer_type=True)


def test_no_op_crashes():
    check = Path(__file__).with_name("op_builder_check.py")
    run = subprocess.run([sys.executable, check], capture_output=True, text=True)
    last = run.stdout.rstrip().rpartition("\n")[2]
    assert run.returncode == 0, f"{last}\nended with {run.returncode}\n{run.stderr[-2000:]}"
    ops, attempts, refused = map(int, re.findall(r"\d+", last))
    assert ops > 80 and attempts > 100 * ops and refused > attempts / 2
