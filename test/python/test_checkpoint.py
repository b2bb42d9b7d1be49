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
from pocket_mlir.program import Program

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


def test_weights_alone_ask_before_they_start_the_optimizer_afresh(tmp_path):
    from safetensors.numpy import save_file

    other = mlp_program.weights(seed=3)
    other["tied.bias"] = other.pop("fc2.bias")
    save_file(other, tmp_path / "plain.safetensors")
    with mlp_program.program().session(threads=1) as session:
        session.step(*mlp_program.batches(1)[0], lr=0.3)
        before = state_of(session)
        message = r"no optimizer state.*\(sgd\) keeps momentum_buffer: restore\(path, optimizer=False\)"
        with pytest.raises(errors.CheckpointError, match=message):
            session.restore(tmp_path / "plain.safetensors")
        assert_equal_bits(state_of(session), before)
        assert session.steps == 1
        session.restore(tmp_path / "plain.safetensors", optimizer=False)
        assert session.steps == 0
        np.testing.assert_array_equal(np.asarray(session.state_dict()["fc2.bias"]), other["tied.bias"])
        buffers = session.optimizer_state_dict()["state"]
        assert all(not np.asarray(values["momentum_buffer"]).any() for values in buffers.values())


def test_saving_and_taking_weights_alone(tmp_path):
    from safetensors.numpy import load_file

    data = mlp_program.batches(3)
    with mlp_program.program().session(threads=1) as session:
        for x, target in data:
            session.step(x, target, lr=0.3)
        trained = {name: np.asarray(value).copy() for name, value in session.state_dict().items()}
        session.save(tmp_path / "weights", optimizer=False)
        session.save(tmp_path / "all")
        assert set(load_file(tmp_path / "weights")) == set(mlp_program.SHAPES)
        assert (tmp_path / "weights").stat().st_size < 0.6 * (tmp_path / "all").stat().st_size
    # Both files serve for the weights alone, and go on alike: from an optimizer at zero.
    losses = []
    for name in ("weights", "all"):
        with mlp_program.program().session(threads=1) as session:
            session.step(*data[0], lr=0.3)
            session.restore(tmp_path / name, optimizer=False)
            assert session.steps == 0
            for key, value in session.state_dict().items():
                np.testing.assert_array_equal(np.asarray(value), trained[key])
            losses.append([session.step(x, target, lr=0.3) for x, target in data])
    assert losses[0] == losses[1]
    with mlp_program.program().session(threads=1) as session:
        with pytest.raises(errors.CheckpointError, match="no optimizer state"):
            session.restore(tmp_path / "weights")


def with_a_non_persistent_buffer() -> Program:
    """The program, as if PyTorch kept fc2.bias out of the state_dict."""
    manifest = {**mlp_program.manifest(), "non_persistent": ["fc2.bias"], "aliases": {}}
    return Program(manifest, mlp_program.compiled().vmfb, mlp_program.weights())


def test_buffers_that_pytorch_does_not_save_need_not_be_there(tmp_path):
    from safetensors.numpy import load_file, save_file

    program = with_a_non_persistent_buffer()
    names = set(mlp_program.SHAPES) - {"fc2.bias"}
    other = {name: value for name, value in mlp_program.weights(seed=3).items() if name in names}
    save_file(other, tmp_path / "plain")
    with program.session(threads=1) as session:
        assert set(session.state_dict()) == names
        session.load_state_dict(session.state_dict())
        session.step(*mlp_program.batches(1)[0], lr=0.3)
        session.save(tmp_path / "weights", optimizer=False)
        assert set(load_file(tmp_path / "weights")) == names
        session.save(tmp_path / "all")
        before = session._read(session._entries[("parameter", "fc2.bias", None)]).copy()
        session.restore(tmp_path / "plain", optimizer=False)
        bias = session._read(session._entries[("parameter", "fc2.bias", None)])
        np.testing.assert_array_equal(bias, program.weights["fc2.bias"])
        session.restore(tmp_path / "all")
        bias = session._read(session._entries[("parameter", "fc2.bias", None)])
        np.testing.assert_array_equal(bias, before)


def test_weights_of_pytorch_are_taken(tmp_path):
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    weights = {name: torch.tensor(value) for name, value in mlp_program.weights(seed=3).items()}
    save_file(weights, tmp_path / "model.safetensors")
    with mlp_program.program().session(threads=1) as session:
        session.restore(tmp_path / "model.safetensors", optimizer=False)
        for name, value in weights.items():
            np.testing.assert_array_equal(np.asarray(session.state_dict()[name]), value.numpy())
        for dtype, message in (
            (torch.bfloat16, r"types that numpy lacks: fc1.bias \(BF16\).*model.float\(\)"),
            (torch.float16, r"fc1.weight: must be float32\[32, 16\], is float16"),
        ):
            save_file({name: value.to(dtype) for name, value in weights.items()}, tmp_path / "half.safetensors")
            with pytest.raises(errors.CheckpointError, match=message):
                session.restore(tmp_path / "half.safetensors", optimizer=False)
        torch.save(weights, tmp_path / "model.pt")
        with pytest.raises(errors.CheckpointError, match="no safetensors file.*torch.load"):
            session.restore(tmp_path / "model.pt", optimizer=False)


def test_another_models_file_is_told_in_a_few_lines(tmp_path):
    from safetensors.numpy import save_file

    strange = {f"layer{i}.weight": np.zeros((2, 2), np.float32) for i in range(300)}
    save_file(strange, tmp_path / "other")
    with mlp_program.program().session(threads=1) as session:
        with pytest.raises(errors.CheckpointError) as caught:
            session.restore(tmp_path / "other", optimizer=False)
        message = str(caught.value)
        assert "missing: fc1.weight, fc1.bias" in message and "and 290 more" in message
        assert "another model's file?" in message and len(message) < 1000
        with pytest.raises(errors.InvalidInputError, match="and 290 more"):
            session.load_state_dict(strange)


def test_another_optimizers_file_is_told_apart(tmp_path):
    from pocket_mlir.runtime import checkpoint

    weights = mlp_program.weights(seed=3)
    state = {("exp_avg", name): value for name, value in weights.items()}
    checkpoint.save(tmp_path / "adam", weights, state, 7, "adamw")
    with mlp_program.program().session(threads=1) as session:
        message = r"(?s)unexpected: optimizer/exp_avg/fc1.*weights fit \(.*optimizer adamw\).*optimizer=False"
        with pytest.raises(errors.CheckpointError, match=message):
            session.restore(tmp_path / "adam")
        session.restore(tmp_path / "adam", optimizer=False)
        np.testing.assert_array_equal(np.asarray(session.state_dict()["fc1.weight"]), weights["fc1.weight"])


def test_a_full_disk_leaves_the_old_file(tmp_path):
    import resource

    with mlp_program.program().session(threads=1) as session:
        session.save(tmp_path / "a.safetensors")
        content = (tmp_path / "a.safetensors").read_bytes()
        session.step(*mlp_program.batches(1)[0], lr=0.3)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        # To a process that may write no more than this, every disk is full.
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) // 2, limits[1]))
        try:
            with pytest.raises(errors.CheckpointError, match="can't write .*a.safetensors: File too large"):
                session.save(tmp_path / "a.safetensors")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (tmp_path / "a.safetensors").read_bytes() == content
        assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]
        with pytest.raises(errors.CheckpointError, match=r"can't write .*: there is no folder .*nowhere; make it"):
            session.save(tmp_path / "nowhere" / "a.safetensors")
        with pytest.raises(errors.CheckpointError, match="can't write .*: Is a directory"):
            session.save(tmp_path)


def test_a_restore_that_is_cut_off_is_noticed(tmp_path, monkeypatch):
    from pocket_mlir.runtime.device import Tensor

    write, written = Tensor.write, []

    def interrupted(self, value):
        written.append(self)
        if len(written) == 3:
            raise KeyboardInterrupt
        write(self, value)

    with mlp_program.program().session(threads=1) as session:
        session.save(tmp_path / "a")
        monkeypatch.setattr(Tensor, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.restore(tmp_path / "a")
        monkeypatch.undo()
        for use in (
            lambda: session.step(*mlp_program.batches(1)[0], lr=0.1),
            lambda: session.predict(mlp_program.batches(1)[0][0]),
            lambda: session.save(tmp_path / "b"),
        ):
            with pytest.raises(errors.RuntimeError, match="half old and half new"):
                use()
        session.restore(tmp_path / "a")
        session.step(*mlp_program.batches(1)[0], lr=0.1)


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
