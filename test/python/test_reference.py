"""The reference interpreter: running functions, its errors, comparing stages."""

import numpy as np
import pytest

from pocket_mlir import reference

PROGRAM = """
func.func @scaled(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %scale = pocket.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
  %y = pocket.mul %x, %scale : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
func.func @forward(%w: tensor<2x3xf32> {pocket.param = "fc.weight", pocket.needs_grad = true},
                   %x: tensor<3xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<2x3xf32> {pocket.role = "output", pocket.name = "output0"}) {
  %0 = pocket.add %w, %x : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = call @scaled(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = pocket.relu %1 : tensor<2x3xf32> loc("features.3.relu")
  %3 = pocket.sum %2 dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %3, %2 : tensor<f32>, tensor<2x3xf32>
}
"""

W = np.arange(6, dtype=np.float32).reshape(2, 3)
X = np.array([1, -1, 0.1], np.float32)


def test_run_follows_calls_and_constants():
    loss, y = reference.run(PROGRAM, "forward", [W, X])
    expected = np.maximum((W + X) * np.array([1, -2, 0.5], np.float32), 0)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_allclose(loss, expected.sum())
    assert y.dtype == loss.dtype == np.float32
    assert loss.shape == ()


def test_run_takes_a_parsed_module_and_lists():
    module = reference.parse(PROGRAM)
    loss, _ = reference.run(module, "@forward", [[[0, 0, 0], [0, 0, 0]], [1, -1, 2]])
    assert loss == 2 * (1 + 2 + 1)


def test_dtype_evaluates_in_double_precision():
    loss, y = reference.run(PROGRAM, "forward", [W, X], dtype=np.float64)
    assert y.dtype == loss.dtype == np.float64
    np.testing.assert_array_equal(y[:, 2], (W[:, 2].astype(float) + X[2].astype(float)) * 0.5)


def test_dtype_leaves_integers_and_booleans():
    text = """
    func.func @f(%x: tensor<3xi64>, %y: tensor<3xf32>) -> (tensor<3xi64>, tensor<3xi1>, tensor<3xf32>) {
      %0 = pocket.add %x, %x : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
      %1 = pocket.compare gt %x, %0 : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %2 = pocket.convert %0 : (tensor<3xi64>) -> tensor<3xf32>
      return %0, %1, %2 : tensor<3xi64>, tensor<3xi1>, tensor<3xf32>
    }"""
    results = reference.run(text, "f", [[1, 2, -3], [0, 0, 0]], dtype=np.float64)
    assert [r.dtype for r in results] == [np.int64, np.bool_, np.float64]
    np.testing.assert_array_equal(results[1], [False, False, True])


def test_constants_of_every_type():
    text = """
    func.func @f() -> (tensor<2x2xi1>, tensor<3xi1>, tensor<2xi64>, tensor<2xi8>, tensor<0xf32>, tensor<f32>, tensor<2xf64>) {
      %0 = pocket.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
      %1 = pocket.constant dense<true> : tensor<3xi1>
      %2 = pocket.constant dense<-5> : tensor<2xi64>
      %3 = pocket.constant dense<[-1, 127]> : tensor<2xi8>
      %4 = pocket.constant dense<> : tensor<0xf32>
      %5 = pocket.constant dense<0xFF800000> : tensor<f32>
      %6 = arith.constant dense<[1.5, 2.5]> : tensor<2xf64>
      return %0, %1, %2, %3, %4, %5, %6 : tensor<2x2xi1>, tensor<3xi1>, tensor<2xi64>, tensor<2xi8>, tensor<0xf32>, tensor<f32>, tensor<2xf64>
    }"""
    results = reference.run(text, "f", [])
    expected = [[[True, False], [True, True]], [True] * 3, [-5, -5], [-1, 127], [], -np.inf, [1.5, 2.5]]
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_array_equal(got, want)
    assert [str(r.dtype) for r in results] == [
        "bool", "bool", "int64", "int8", "float32", "float32", "float64"]


def test_observe_sees_every_operation():
    seen = []
    reference.run(PROGRAM, "forward", [W, X],
                  observe=lambda operation, results: seen.append((operation.name, results[0].shape)))
    assert seen == [("pocket.add", (2, 3)), ("pocket.constant", (3,)), ("pocket.mul", (2, 3)),
                    ("pocket.relu", (2, 3)), ("pocket.sum", ())]


def test_unknown_operation_is_named_with_its_layer():
    text = """
    func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
      %0 = "test.frobnicate"(%x) : (tensor<3xf32>) -> tensor<3xf32> loc("features.3.conv")
      return %0 : tensor<3xf32>
    }"""
    with pytest.raises(reference.EvaluationError, match=r"test\.frobnicate at features\.3\.conv"):
        reference.run(text, "f", [X])


@pytest.mark.parametrize(("function", "args", "message"), [
    ("forward", [W], "@forward takes 2 arguments, and was given 1"),
    ("forward", [W, W], r"argument 1 of @forward has shape \(2, 3\), and tensor<3xf32>"),
    ("backward", [], "no function @backward; it has @scaled, @forward"),
])
def test_wrong_use_is_explained(function, args, message):
    with pytest.raises(reference.EvaluationError, match=message):
        reference.run(PROGRAM, function, args)


def test_compare_finds_the_first_differing_result():
    assert reference.compare(PROGRAM, PROGRAM, "forward") is None
    changed = PROGRAM.replace("dense<[1.0, -2.0, 0.5]>", "dense<[1.0, -2.0, 0.6]>")
    difference = reference.compare(PROGRAM, changed, "forward", [W, X])
    assert difference.result == "role loss"
    assert "between before and after" in str(difference)


def test_compare_matches_by_identity():
    # The arguments in another order, one result less.
    other = """
    func.func @forward(%x: tensor<3xf32> {pocket.role = "input", pocket.name = "x"},
                       %w: tensor<2x3xf32> {pocket.param = "fc.weight", pocket.needs_grad = true})
        -> (tensor<2x3xf32> {pocket.role = "output", pocket.name = "output0"}) {
      %scale = pocket.constant dense<[1.0, -2.0, 0.5]> : tensor<3xf32>
      %0 = pocket.add %x, %w : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      %1 = pocket.mul %0, %scale : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      %2 = pocket.relu %1 : tensor<2x3xf32>
      return %2 : tensor<2x3xf32>
    }"""
    assert reference.compare(PROGRAM, other, "forward") is None
    assert reference.compare(PROGRAM, other.replace("add %x", "sub %x"), "forward") is not None


def test_compare_stages_names_the_stage(tmp_path):
    (tmp_path / "00-import.mlir").write_text(PROGRAM)
    (tmp_path / "01-harmless.mlir").write_text(PROGRAM.replace("%scale", "%factor"))
    (tmp_path / "02-linalg.mlir").write_text("func.func @other() { return }")
    (tmp_path / "03-broken.mlir").write_text(PROGRAM.replace("pocket.relu", "pocket.tanh"))
    with pytest.raises(reference.EvaluationError, match="holds 0 stages"):
        reference.compare_stages(tmp_path, "train_step")
    difference = reference.compare_stages(tmp_path, "forward")
    assert (difference.before, difference.after) == ("00-import.mlir", "03-broken.mlir")
    (tmp_path / "03-broken.mlir").unlink()
    assert reference.compare_stages(tmp_path, "forward") is None
