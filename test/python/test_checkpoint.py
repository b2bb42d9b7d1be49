"""Checkpoints: everything comes back, nothing is ever half written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import mlp_program
import pocket_mlir
from pocket_mlir import errors

PATHS = os.pathsep.join([str(Path(pocket_mlir.__file__).parent.parent), str(Path(__file__).parent)])


def state_of(session) -> dict[str, np.ndarray]:
    state = {name: np.asarray(value).copy() for name, value in session.state_dict().items()}
    for name, values in session.optimizer_state_dict()["state"].items():
        for key, value in values.items():
            state[f"{name}.{key}"] = np.asarray(value).copy()
    return state


def assert_equal_bits(first: dict, second: dict) -> None:
    assert first.keys() == second.keys()
    for name in first:
        assert first[name].tobytes() == second[name].tobytes(), name


@pytest.mark.parametrize("threads", [1, 2])
def test_resuming_goes_on_bit_for_bit(tmp_path, threads):
    program = mlp_program.program()
    data = mlp_program.batches(8)
    with program.session(threads=threads) as straight:
        losses = [straight.step(x, t, lr=0.3) for x, t in data]
        expected = state_of(straight)
    with program.session(threads=threads) as first:
        begun = [first.step(x, t, lr=0.3) for x, t in data[:4]]
        first.save(tmp_path / "half.safetensors")
    with program.session(threads=threads) as second:
        second.restore(tmp_path / "half.safetensors")
        assert second.steps == 4
        begun += [second.step(x, t, lr=0.3) for x, t in data[4:]]
        assert begun == losses
        assert_equal_bits(state_of(second), expected)


def test_other_tools_read_the_weights(tmp_path):
    from safetensors import safe_open
    from safetensors.numpy import load_file

    with mlp_program.program().session(threads=1) as session:
        session.step(*mlp_program.batches(1)[0], lr=0.3)
        session.save(tmp_path / "a.safetensors")
        tensors = load_file(tmp_path / "a.safetensors")
        for name, value in session.state_dict().items():
            if name != "tied.bias":
                np.testing.assert_array_equal(tensors[name], np.asarray(value))
        assert tensors["optimizer/momentum_buffer/fc1.weight"].shape == (32, 16)
        with safe_open(tmp_path / "a.safetensors", "numpy") as file:
            assert file.metadata()["steps"] == "1" and file.metadata()["optimizer"] == "sgd"


def test_plain_weights_start_the_optimizer_afresh(tmp_path):
    from safetensors.numpy import save_file

    other = mlp_program.weights(seed=3)
    other["tied.bias"] = other.pop("fc2.bias")
    save_file(other, tmp_path / "plain.safetensors")
    with mlp_program.program().session(threads=1) as session:
        session.step(*mlp_program.batches(1)[0], lr=0.3)
        session.restore(tmp_path / "plain.safetensors")
        assert session.steps == 0
        np.testing.assert_array_equal(np.asarray(session.state_dict()["fc2.bias"]), other["tied.bias"])
        buffers = session.optimizer_state_dict()["state"]
        assert all(not np.asarray(values["momentum_buffer"]).any() for values in buffers.values())


def test_optimizer_state_round_trip():
    program = mlp_program.program()
    with program.session(threads=1) as first, program.session(threads=1) as second:
        data = mlp_program.batches(4)
        for x, target in data[:2]:
            first.step(x, target, lr=0.3)
        second.load_state_dict(first.state_dict())
        second.load_optimizer_state_dict(first.optimizer_state_dict())
        for x, target in data[2:]:
            assert first.step(x, target, lr=0.3) == second.step(x, target, lr=0.3)
        assert second.steps == 4
        broken = first.optimizer_state_dict()
        del broken["state"]["fc1.bias"]
        with pytest.raises(errors.InvalidInputError, match="missing: fc1.bias.momentum_buffer"):
            second.load_optimizer_state_dict(broken)


def test_wrong_files_are_refused_and_change_nothing(tmp_path):
    from safetensors.numpy import save_file

    with mlp_program.program().session(threads=1) as session:
        session.save(tmp_path / "good.safetensors")
        before = state_of(session)
        content = (tmp_path / "good.safetensors").read_bytes()
        (tmp_path / "short.safetensors").write_bytes(content[:-10])
        (tmp_path / "empty.safetensors").write_bytes(b"")
        other = mlp_program.weights()
        other["fc1.weight"] = other["fc1.weight"][:5]
        other["extra"] = np.zeros(1, np.float32)
        del other["fc2.weight"]
        save_file(other, tmp_path / "other.safetensors")
        cases = {
            "absent": "no such file",
            "short": "damaged",
            "empty": "damaged",
            "other": r"(?s)missing: fc2.weight.*unexpected: extra.*fc1.weight: must be float32\[32, 16\], is float32\[5, 16\]",
        }
        for name, message in cases.items():
            with pytest.raises(errors.CheckpointError, match=message):
                session.restore(tmp_path / f"{name}.safetensors")
        assert_equal_bits(state_of(session), before)
        with pytest.raises(errors.CheckpointError, match="can't write"):
            session.save(tmp_path / "no-such-folder" / "x.safetensors")
        assert not [p for p in tmp_path.iterdir() if p.suffix == ".tmp"]


def test_every_element_type_is_written(tmp_path):
    from safetensors.numpy import load_file

    from pocket_mlir.runtime.device import DTYPES
    from pocket_mlir.runtime.files import write_safetensors

    tensors = {name: np.arange(6).reshape(2, 3).astype(dtype) for name, (dtype, _) in DTYPES.items()}
    tensors |= {"scalar": np.array(3, np.int64), "none": np.zeros((0, 4), np.float32)}
    tensors |= {"transposed": np.arange(6, dtype=np.float32).reshape(2, 3).T, "big": np.arange(3, dtype=">f4")}
    write_safetensors(tmp_path / "all", tensors, {"a": "ä"})
    loaded = load_file(tmp_path / "all")
    assert loaded.keys() == tensors.keys()
    for name, value in tensors.items():
        assert loaded[name].shape == value.shape
        np.testing.assert_array_equal(loaded[name], value)


SAVER = """
import sys, time
import numpy as np
from pocket_mlir.runtime import checkpoint

path, generation = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
while True:
    generation += 1
    # Every tensor of a file holds its generation, so that a mixture would show.
    tensors = {f"w{i}": np.full(200_000, generation, np.float32) for i in range(8)}
    checkpoint.save(path, tensors, {("m", "w0"): tensors["w0"]}, generation, "sgd")
"""


def test_a_kill_while_saving_leaves_a_whole_file(tmp_path):
    from pocket_mlir.runtime import checkpoint

    path = tmp_path / "weights.safetensors"
    rng = np.random.default_rng(0)
    for attempt in range(8):
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(path), str(1000 * attempt)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": PATHS},
        )
        saver.stdout.readline()
        # Long enough for a first file, then at any point of a save.
        deadline = time.monotonic() + 20
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(rng.uniform(0.0, 0.08))
        saver.send_signal(signal.SIGKILL)
        saver.wait()
        saver.stdout.close()
        content = checkpoint.load(path)
        assert len(content.model) == 8
        for value in [*content.model.values(), *content.optimizer.values()]:
            assert (value == content.steps).all()
    # The next save clears away what the kills have left.
    checkpoint.save(path, {}, {}, 0, "")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
