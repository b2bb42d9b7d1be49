"""Targets: their names, and programs compiled for them."""

from __future__ import annotations

import numpy as np
import pytest

import emulator
import mlp_program
from pocket_mlir import errors, targets
from pocket_mlir.targets import iree


def test_names():
    assert targets.parse("host").driver == "local"
    a76 = targets.parse("aarch64:cortex-a76")
    assert (a76.triple, a76.cpu, a76.backend) == ("aarch64-unknown-linux-gnu", "cortex-a76", "llvm-cpu")
    orin = targets.parse("cuda:sm_87")
    assert (orin.driver, orin.backend, orin.cpu) == ("cuda", "cuda", "sm_87")
    assert targets.parse(a76) is a76
    for name in targets.known_targets():
        assert targets.parse(name).name == name


@pytest.mark.parametrize(
    "name, message",
    [
        ("hots", "did you mean 'host'"),
        ("aarch64:cortexa76", "did you mean 'aarch64:cortex-a76'"),
        ("aarch64", r"unknown target.*known targets?: host, aarch64:<cpu> \(cpu: generic, cortex-a53"),
        ("cuda:sm87", "did you mean 'cuda:sm_87'"),
        ("bare-metal:cortex-m7", "not supported yet"),
        (7, "a target is a name"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(errors.TargetError, match=f"(?is){message}"):
        targets.parse(name)


def test_host_is_recorded_by_its_processor():
    target = mlp_program.compiled().target
    assert target.name == "host" and target.cpu != "host" and target.triple
    assert all(feature.startswith("+") for feature in target.features.split(","))


def test_transient_arguments_are_added_to_public_functions():
    text = """
      func.func @a() -> tensor<1xf32> {
      func.func @b(%x: tensor<1xf32> {pocket.param = "a)(\\"b"}, %y: tuple<f32, (f32) -> f32>) {
      func.func public @c(%x: f32) {
      func.func private @d(%x: f32) {
    """
    got = [line.strip() for line in iree.add_transient_arguments(text).strip().splitlines()]
    extra = "%pocket_transients: !hal.buffer {iree.abi.transients}"
    assert got == [
        f"func.func @a({extra}) -> tensor<1xf32> {{",
        'func.func @b(%x: tensor<1xf32> {pocket.param = "a)(\\"b"}, %y: tuple<f32, (f32) -> f32>, ' + extra + ") {",
        f"func.func public @c(%x: f32, {extra}) {{",
        "func.func private @d(%x: f32) {",
    ]
    with pytest.raises(errors.CompileError, match="ends within a function's arguments"):
        iree.add_transient_arguments("func.func @a(%x: f32")


def test_errors_of_iree_are_short():
    bad = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %nothing : tensor<4xf32>\n}"
    with pytest.raises(errors.CompileError, match="IREE could not compile the program for host: error: use of undeclared") as caught:
        targets.compile_module(bad)
    assert len(str(caught.value)) < 400 and caught.value.details


def test_a_failure_of_the_code_generator_is_looked_for_again_with_verification(monkeypatch):
    text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = math.tanh %x : tensor<4xf32>\n  return %y : tensor<4xf32>\n}"
    run = iree._run

    def crash_unless_verifying(arguments, target):
        if "--verify=false" in arguments:
            raise errors.CompileError("crashed")
        run([*arguments, *more], target)

    monkeypatch.setattr(iree, "_run", crash_unless_verifying)
    more = []
    assert targets.compile_module(text).vmfb
    more = ["--no-such-option"]
    with pytest.raises(errors.CompileError, match="no-such-option"):
        targets.compile_module(text)


def test_dumps_of_the_phases(tmp_path):
    text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = math.tanh %x : tensor<4xf32>\n  return %y : tensor<4xf32>\n}"
    targets.compile_module(text, dump_dir=tmp_path)
    assert any("flow" in path.name for path in tmp_path.iterdir())
    assert any("hal" in path.name for path in tmp_path.iterdir())


def test_cuda_compiles_to_the_end():
    module = mlp_program.compiled("cuda:sm_87")
    assert b"sm_87" in module.vmfb and b".visible .entry" in module.vmfb


@pytest.mark.parametrize("cpu", ["cortex-a76"])
@emulator.needs_emulator
def test_aarch64_results_equal_the_hosts(cpu, tmp_path):
    module = mlp_program.compiled(f"aarch64:{cpu}")
    assert "+dotprod" in module.target.features and module.target.cpu == cpu
    (x, target), start = mlp_program.batches(1)[0], mlp_program.weights()
    names = list(mlp_program.SHAPES)
    stored = [start["fc1.weight"].T.copy(), *(start[name] for name in names[1:])]
    momenta = [np.zeros_like(value) for value in stored]
    results = emulator.run(
        module.vmfb, "train_step", [*stored, *momenta, np.array(2.0, np.float32), x, target], 9, tmp_path
    )
    with mlp_program.program().session(threads=1) as session:
        loss = session.step(x, target, lr=2.0)
        state = session.state_dict()
    assert results[0] == pytest.approx(loss, rel=1e-5)
    for name, got in zip(names, results[1:5]):
        got = got.T if name == "fc1.weight" else got
        np.testing.assert_allclose(got, np.asarray(state[name]), rtol=1e-4, atol=1e-5)
