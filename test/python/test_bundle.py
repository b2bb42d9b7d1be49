"""Bundles: saved, loaded where there is no compiler, and refused when damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlp_program
import pocket_mlir
from pocket_mlir import errors
from pocket_mlir.memory import MemoryReport
from pocket_mlir.program import Program

MEMORY = {"peak_bytes": 1234, "by_kind": {"parameters": 1000, "transient": 234}, "predict_transient": 64}

# Trains from a bundle with everything that a device lacks made impossible to import.
ON_DEVICE = """
import importlib.abc, json, sys

class Blocker(importlib.abc.MetaPathFinder):
    blocked = ("torch", "torch_mlir", "iree.compiler", "pocket_mlir._mlir", "pocket_mlir.compiler",
               "pocket_mlir.frontend", "matplotlib", "tqdm", "transformers")
    def find_spec(self, name, path=None, target=None):
        if any(name == b or name.startswith(b + ".") for b in self.blocked):
            raise ImportError(f"{name} is not on the device")

sys.meta_path.insert(0, Blocker())
import numpy as np
import pocket_mlir as pocket

program = pocket.load(sys.argv[1])
report = program.memory
assert isinstance(report, pocket.MemoryReport) and report.peak_bytes == 1234, report
assert str(report).splitlines()[-1].split() == ["peak", "1.2", "KiB"]
with program.session(threads=1) as session:
    rng = np.random.default_rng(1)
    data = [(rng.standard_normal((8, 16)).astype(np.float32), rng.integers(0, 4, 8)) for _ in range(3)]
    history = session.fit(data, epochs=2, lr=0.1, validation=data)
    session.save(sys.argv[2])
    session.restore(sys.argv[2])
    state = session.state_dict()
    assert all(isinstance(value, np.ndarray) for value in state.values())
    print(json.dumps([history.loss, history.epochs[-1]["accuracy"]]))
"""


def test_training_without_torch_or_compiler(tmp_path):
    manifest = {**mlp_program.manifest(), "memory": MEMORY}
    Program(manifest, mlp_program.compiled().vmfb, mlp_program.weights()).save(tmp_path / "bundle")
    result = subprocess.run(
        [sys.executable, "-c", ON_DEVICE, str(tmp_path / "bundle"), str(tmp_path / "tuned.safetensors")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(pocket_mlir.__file__).parent.parent)},
    )
    assert result.returncode == 0, result.stderr
    losses, accuracy = json.loads(result.stdout)
    data = mlp_program.batches(3)
    with mlp_program.program().session(threads=1) as session:
        # The same batches: `batches` draws x and target in this order too.
        expected = session.fit(data, epochs=2, lr=0.1, validation=data, progress=False)
        assert losses == expected.loss and accuracy == expected.epochs[-1]["accuracy"]


def test_a_loaded_bundle_has_the_compilers_memory_report(tmp_path):
    report = MemoryReport.from_json(MEMORY)
    manifest = {**mlp_program.manifest(), "memory": report.to_json()}
    program = Program(manifest, mlp_program.compiled().vmfb, mlp_program.weights(), report)
    program.save(tmp_path / "bundle")
    loaded = pocket_mlir.load(tmp_path / "bundle").memory
    assert type(loaded) is MemoryReport and loaded == program.memory and str(loaded) == str(program.memory)
    assert mlp_program.program().memory is None
    with pytest.raises(errors.BundleError, match="memory report can't be read"):
        Program({**manifest, "memory": {"peak_bytes": 3}}, b"", {})


def test_saving_replaces_a_bundle_and_nothing_else(tmp_path):
    bundle = tmp_path / "deep" / "bundle"
    mlp_program.program(seed=0).save(bundle)
    mlp_program.program(seed=1).save(bundle)
    loaded = pocket_mlir.load(bundle)
    assert sorted(p.name for p in bundle.iterdir()) == ["manifest.json", "program.vmfb", "weights.safetensors"]
    assert [p.name for p in bundle.parent.iterdir()] == ["bundle"]
    for name, value in mlp_program.weights(seed=1).items():
        np.testing.assert_array_equal(loaded.weights[name], value)
    assert loaded.manifest == mlp_program.manifest() and loaded.aliases == {"tied.bias": "fc2.bias"}
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("...")
    with pytest.raises(errors.BundleError, match="is no bundle; it is left alone"):
        mlp_program.program().save(precious)
    assert (precious / "thesis.txt").exists()


def test_damaged_bundles_are_refused(tmp_path):
    bundle = tmp_path / "bundle"

    def broken(change) -> str:
        mlp_program.program().save(bundle)
        change()
        with pytest.raises(errors.BundleError) as caught:
            pocket_mlir.load(bundle).session(threads=1)
        return str(caught.value)

    def edit(**changes):
        path = bundle / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    assert "no program.vmfb" in broken(lambda: (bundle / "program.vmfb").unlink())
    vmfb = mlp_program.compiled().vmfb
    assert "can't load the program" in broken(lambda: (bundle / "program.vmfb").write_bytes(vmfb[:999]))
    assert "can't be read" in broken(lambda: (bundle / "manifest.json").write_text("{"))
    assert "version 99" in broken(lambda: edit(version=99))
    assert "no manifest of a pocket-bundle" in broken(lambda: edit(format="zip"))
    assert "not complete" in broken(lambda: edit(functions={"train_step": {}}))
    assert "can't be read" in broken(lambda: (bundle / "weights.safetensors").write_bytes(b"123"))
    with pytest.raises(errors.BundleError, match="no bundle at"):
        pocket_mlir.load(tmp_path / "nowhere")


def test_a_program_for_another_machine_is_refused(tmp_path):
    manifest = mlp_program.manifest("aarch64:cortex-a76")
    other = "aarch64" if os.uname().machine != "aarch64" else "x86_64"
    manifest["target"]["triple"] = f"{other}-unknown-linux-gnu"
    with pytest.raises(errors.TargetError, match=f"compiled for .*{other}.*this machine"):
        Program(manifest, mlp_program.compiled().vmfb, mlp_program.weights()).session()


def test_missing_instructions_are_found(monkeypatch):
    from pocket_mlir.runtime import host

    monkeypatch.setattr(host, "_machine", lambda: "x86_64")
    monkeypatch.setattr(host, "_cpu_flags", lambda: {"avx", "avx2", "fma"})
    target = {"name": "host", "triple": "x86_64-linux", "cpu": "znver4", "driver": "local", "features": "+avx2,+fma"}
    host.check_runnable(target)
    with pytest.raises(errors.TargetError, match="with avx512f, avx512bw, which this one lacks"):
        host.check_runnable({**target, "features": "+avx2,+avx512f,+avx512bw,+made-up"})
