"""The interpreter's operations, called directly, against PyTorch in double precision."""

import numpy as np
import pytest
from op_cases import CASES

from pocket_mlir.reference import OPS, TensorType, call


def as_double(array):
    return array.astype(np.float64) if array.dtype == np.float32 else array


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_result(case):
    types = [TensorType(r.shape, r.dtype) for r in case.results]
    results = call(case.op, [as_double(a) for a in case.inputs], case.attributes, types)
    # Statistics that are inputs were rounded to float32.
    rtol = 1e-5 if "input_grad" in case.op or "softmax_grad" in case.op or "entropy_grad" in case.op else 1e-9
    for got, expected in zip(results, case.results, strict=True):
        assert got.shape == expected.shape
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_single_precision_stays_single(case):
    types = [TensorType(r.shape, d) for r, d in zip(case.results, case.result_dtypes, strict=True)]
    for got, expected in zip(call(case.op, list(case.inputs), case.attributes, types), types,
                             strict=True):
        assert (got.shape, got.dtype) == expected


def test_every_operation_has_a_case():
    assert {name.removeprefix("pocket.") for name in OPS if name.startswith("pocket.")} - {
        "constant"} == {case.op for case in CASES}
