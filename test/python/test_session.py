"""Sessions: steps, predictions, weights in and out, refused batches."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlp_program
from pocket_mlir import errors, optim
from pocket_mlir.program import Program

THREADS = [1, 2]


@pytest.fixture(params=THREADS)
def session(request):
    with mlp_program.program().session(threads=request.param) as session:
        yield session


def assert_close(got: dict, want: dict, tolerance: float = 2e-5) -> None:
    for name, value in want.items():
        difference = np.abs(np.asarray(got[name]) - value).max() / np.abs(value).max()
        assert difference < tolerance, f"{name}: {difference}"


@pytest.mark.parametrize("lr", [0.02, 2.0])
def test_training_follows_numpy(session, lr):
    twin = mlp_program.Twin(mlp_program.weights())
    for x, target in mlp_program.batches(5):
        assert session.step(x, target, lr=lr) == pytest.approx(twin.step(x, target, lr), rel=1e-4)
    state = session.state_dict()
    assert_close(state, twin.w)
    assert_close(
        {name: s["momentum_buffer"] for name, s in session.optimizer_state_dict()["state"].items()}, twin.m
    )
    # Every parameter has moved by more than rounding.
    start = mlp_program.weights()
    assert all(np.abs(np.asarray(state[name]) - start[name]).max() > 1e-3 for name in start)


def test_predict_sees_each_update(session):
    twin = mlp_program.Twin(mlp_program.weights())
    for x, target in mlp_program.batches(3):
        np.testing.assert_allclose(session.predict(x), twin.forward(x)[1], rtol=1e-4, atol=1e-4)
        session.step(x, target, lr=0.5)
        twin.step(x, target, 0.5)


def test_parameters_stay_in_their_buffers(session):
    before = {key: tensor.address for key, tensor in session._stored.items()}
    for x, target in mlp_program.batches(2):
        session.step(x, target, lr=0.1)
    assert {key: tensor.address for key, tensor in session._stored.items()} == before
    assert not session._calls["train_step"].replaced


def test_predictions_are_not_overwritten_by_later_ones():
    with mlp_program.program().session(threads=1) as session:
        (x1, _), (x2, _) = mlp_program.batches(2)
        first = session.predict(x1)
        kept = first.copy()
        session.predict(x2)
        np.testing.assert_array_equal(first, kept)


def test_steps_cause_no_page_faults(session):
    x, target = mlp_program.batches(1)[0]
    for _ in range(20):
        session.step(x, target, lr=0.01)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(100):
        session.step(x, target, lr=0.01)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 50


def test_measured_peak_is_stored_tensors_and_transients(session):
    x, target = mlp_program.batches(1)[0]
    session.step(x, target, lr=0.01)
    floats = 2 * (16 * 32 + 32 + 4 * 32 + 4) + 8 * 16 + 1
    transients = session._calls["train_step"].function.transient_bytes
    assert transients > 0
    # The loss is the only thing that a step allocates.
    assert session.measured_peak_bytes == 4 * floats + 8 * 8 + transients + 4


def test_two_sessions_are_counted_apart():
    program = mlp_program.program()
    with program.session(threads=1) as first, program.session(threads=1) as second:
        assert first.measured_peak_bytes == second.measured_peak_bytes
        x, target = mlp_program.batches(1)[0]
        first.step(x, target, lr=1.0)
        np.testing.assert_array_equal(np.asarray(second.state_dict()["fc1.bias"]), program.weights["fc1.bias"])


def test_inputs_by_name_and_as_dict():
    with mlp_program.program().session(threads=1) as session:
        x, target = mlp_program.batches(1)[0]
        losses = [
            session.step(x, target, lr=0.0),
            session.step(x=x, target=target, lr=0.0),
            session.step({"x": x, "target": target}, lr=0.0),
            session.step({"x": x}, target, lr=0.0),
            session.step(x.tolist(), target.tolist(), lr=0.0),
        ]
        assert len(set(losses)) == 1


def test_torch_tensors_are_taken_and_given():
    torch = pytest.importorskip("torch")
    with mlp_program.program().session(threads=1) as session:
        x, target = mlp_program.batches(1)[0]
        assert session.step(torch.from_numpy(x), torch.from_numpy(target), lr=0.0) == session.step(x, target, lr=0.0)
        predicted = session.predict(torch.from_numpy(x))
        assert isinstance(predicted, torch.Tensor)
        np.testing.assert_array_equal(predicted.numpy(), session.predict(x))
        assert all(isinstance(value, torch.Tensor) for value in session.state_dict().values())
        with pytest.raises(errors.InvalidInputError, match="input 'x' can't be made an array"):
            session.predict(torch.zeros(8, 16, dtype=torch.bfloat16))


BAD_BATCHES = {
    "shape": (lambda x, t: ((x[:, :3], t), {}), r"input 'x' must be float32\[8, 16\], got float32\[8, 3\]"),
    "batch size": (lambda x, t: ((x[:5], t), {}), r"compiled for batches of 8.*drop_last"),
    "dtype": (lambda x, t: ((x.astype(np.float64), t), {}), r"input 'x' must be float32\[8, 16\], got float64"),
    "target dtype": (lambda x, t: ((x, t.astype(np.float32)), {}), r"target 'target' must be int64\[8\]"),
    "too few": (lambda x, t: ((x,), {}), r"takes 2 tensors \(x, target\), got 1 positional; missing: target"),
    "too many": (lambda x, t: ((x, t, t), {}), r"takes 2 tensors \(x, target\), got 3 positional"),
    "unknown name": (lambda x, t: ((x,), {"label": t}), r"unknown: label"),
    "twice": (lambda x, t: (({"x": x},), {"x": x, "target": t}), r"x is given twice"),
    "class": (lambda x, t: ((x, t + 4), {}), r"target 'target' holds \d at \[0\]; allowed are 0 to 3"),
    "no rate": (lambda x, t: ((x, t), {"lr": None}), r"needs a learning rate"),
    "nan rate": (lambda x, t: ((x, t), {"lr": float("nan")}), r"lr must be finite, got nan"),
    "word rate": (lambda x, t: ((x, t), {"lr": "fast"}), r"lr must be a number"),
    "no array": (lambda x, t: (([[1.0], [1.0, 2.0]], t), {}), r"input 'x' can't be made an array"),
}


@pytest.mark.parametrize("bad", BAD_BATCHES)
def test_a_refused_step_changes_nothing(bad):
    make, message = BAD_BATCHES[bad]
    with mlp_program.program().session(threads=1) as session:
        x, target = mlp_program.batches(1)[0]
        positional, named = make(x, target)
        with pytest.raises(errors.InvalidInputError, match=message):
            session.step(*positional, **{"lr": 0.5, **named})
        assert session.steps == 0
        assert_close(session.state_dict(), mlp_program.weights(), 1e-12)


def test_state_dict_round_trip_and_aliases(session):
    other = mlp_program.weights(seed=5)
    session.load_state_dict(other)
    state = {name: np.asarray(value) for name, value in session.state_dict().items()}
    assert list(state) == [*mlp_program.SHAPES, "tied.bias"]
    for name, shape in mlp_program.SHAPES.items():
        assert state[name].shape == shape and state[name].flags.c_contiguous
        np.testing.assert_array_equal(state[name], other[name])
    np.testing.assert_array_equal(state["tied.bias"], other["fc2.bias"])
    # The other name of a tied parameter serves too.
    renamed = {("tied.bias" if name == "fc2.bias" else name): value + 1 for name, value in other.items()}
    session.load_state_dict(renamed)
    np.testing.assert_array_equal(np.asarray(session.state_dict()["fc2.bias"]), other["fc2.bias"] + 1)


def test_load_state_dict_lists_all_that_is_wrong():
    with mlp_program.program().session(threads=1) as session:
        state = mlp_program.weights(seed=5)
        del state["fc1.bias"]
        state["fc3.weight"] = np.zeros(3, np.float32)
        state["fc1.weight"] = state["fc1.weight"].T
        with pytest.raises(errors.InvalidInputError) as caught:
            session.load_state_dict(state)
        message = str(caught.value)
        assert "missing: fc1.bias" in message
        assert "unexpected: fc3.weight" in message
        assert "fc1.weight must be float32[32, 16], got float32[16, 32]" in message
        assert_close(session.state_dict(), mlp_program.weights(), 1e-12)
        del state["fc1.weight"]
        session.load_state_dict(state, strict=False)
        np.testing.assert_array_equal(np.asarray(session.state_dict()["fc2.weight"]), state["fc2.weight"])
        np.testing.assert_array_equal(
            np.asarray(session.state_dict()["fc1.weight"]), mlp_program.weights()["fc1.weight"]
        )


def test_fit_records_and_learns(tmp_path):
    teacher = np.random.default_rng(9).standard_normal((16, 4))
    data = [(x, (x @ teacher).argmax(1)) for x, _ in mlp_program.batches(20)]
    with mlp_program.program().session(threads=1) as session:
        seen = []
        history = session.fit(
            data,
            epochs=6,
            lr=optim.cosine(0.1, steps=120),
            # The last batch is a small one.
            validation=[*data[:3], (data[3][0][:5], data[3][1][:5])],
            progress=False,
            callback=lambda epoch, history: seen.append(epoch) or (False if epoch == 5 else None),
        )
        assert seen == [1, 2, 3, 4, 5]
        assert len(history.loss) == len(history.lr) == 100 and session.steps == 100
        assert history.metric("loss")[-1] < 0.5 * history.metric("loss")[0]
        assert history.metric("accuracy")[-1] > 0.8
        assert history.lr[0] == 0.1 and history.lr[50] == pytest.approx(optim.cosine(0.1, steps=120)(50))
        pytest.importorskip("matplotlib")
        history.plot(tmp_path / "history.png")
        assert (tmp_path / "history.png").read_bytes()[:4] == b"\x89PNG"


def test_fit_takes_a_sequence_of_rates_and_named_batches():
    with mlp_program.program().session(threads=1) as session:
        data = [{"x": x, "target": target} for x, target in mlp_program.batches(3)]
        assert session.fit(data, lr=[0.3, 0.2, 0.1], progress=True).lr == [0.3, 0.2, 0.1]
        assert session.fit(lambda epoch: iter(data), epochs=2, lr=0.1, progress=False).epochs[1]["epoch"] == 2
        with pytest.raises(errors.InvalidInputError, match="lr has 2 values"):
            session.fit(data, lr=[0.3, 0.2], progress=False)
        with pytest.raises(errors.InvalidInputError, match="iterator"):
            session.fit(iter(data), epochs=2, progress=False)


def test_evaluate_with_own_metric():
    with mlp_program.program().session(threads=1) as session:
        data = mlp_program.batches(2)
        result = session.evaluate(data, {"mean": lambda y, target: y.mean(), "accuracy": "accuracy"})
        assert result["mean"] == pytest.approx(np.mean([session.predict(x).mean() for x, _ in data]), rel=1e-5)


def test_threads_are_checked():
    program = mlp_program.program()
    for wrong in (0, -1, 1.5, True):
        with pytest.raises(errors.InvalidInputError, match="threads"):
            program.session(threads=wrong)
    program.session(threads=2).close()
    with pytest.raises(errors.InvalidInputError, match="this process has 2"):
        program.session(threads=3)


def test_the_default_number_of_threads(monkeypatch):
    program = mlp_program.program()
    monkeypatch.setenv("POCKET_NUM_THREADS", "1")
    assert program.session().threads == 1
    monkeypatch.setenv("POCKET_NUM_THREADS", "many")
    with pytest.raises(errors.InvalidInputError, match="POCKET_NUM_THREADS must be a positive number"):
        program.session()


def test_a_closed_session_says_so():
    session = mlp_program.program().session(threads=1)
    session.close()
    with pytest.raises(errors.RuntimeError, match="closed"):
        session.step(*mlp_program.batches(1)[0], lr=0.1)
    with pytest.raises(errors.RuntimeError, match="closed"):
        session.state_dict()


def test_an_update_that_is_not_in_place_is_taken_over():
    """The compiler leaves some updates out of place; the session then swaps buffers."""
    from pocket_mlir import targets

    text = (mlp_program.FIXTURES / "mlp.mlir").read_text()
    for result in (1, 7):  # fc1.weight, and fc2.weight's momentum
        assert f" {{iree.abi.output = {result} : index}}" in text
        text = text.replace(f" {{iree.abi.output = {result} : index}}", "")
    program = Program(mlp_program.manifest(), targets.compile_to_vmfb(text), mlp_program.weights())
    twin = mlp_program.Twin(mlp_program.weights())
    with program.session(threads=1) as session:
        for x, target in mlp_program.batches(4):
            session.step(x, target, lr=0.5)
            twin.step(x, target, 0.5)
            np.testing.assert_allclose(session.predict(x), twin.forward(x)[1], rtol=1e-3, atol=1e-3)
        assert len(session._calls["train_step"].replaced) == 2
        assert_close(session.state_dict(), twin.w)


def test_device_memory_that_the_host_cannot_map():
    """The way a GPU's tensors are written and read, tried on the host's device."""
    from pocket_mlir.runtime.device import Device

    device = Device("local", 1, mlp_program.compiled().vmfb)
    device.mappable = False
    tensor = device.tensor((2, 3), "f32")
    assert tensor.address is None
    tensor.write(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(tensor.read(), np.arange(6, dtype=np.float32).reshape(2, 3))


def test_layouts_are_permutations_of_torchs():
    from pocket_mlir.runtime.manifest import Entry

    # A convolution's weight, OIHW in PyTorch, HWIO in the program.
    entry = Entry("parameter", "w", (3, 2, 5, 7), "f32", layout=(2, 3, 1, 0))
    assert entry.logical_shape == (7, 5, 3, 2)
    value = np.arange(210).reshape(entry.logical_shape)
    stored = entry.to_storage(value)
    assert stored.shape == entry.shape and stored[2, 1, 4, 6] == value[6, 4, 2, 1]
    np.testing.assert_array_equal(entry.to_logical(stored), value)


def test_the_runtime_needs_no_compiler():
    """Importing what runs on the device imports neither PyTorch nor a compiler."""
    code = (
        "import sys, pocket_mlir, pocket_mlir.program, pocket_mlir.runtime\n"
        "pocket_mlir.load, pocket_mlir.Session\n"
        "bad = [m for m in sys.modules if m.split('.')[0] in ('torch', 'torch_mlir', 'matplotlib')\n"
        "       or m.startswith(('iree.compiler', 'pocket_mlir._mlir', 'pocket_mlir.compiler'))]\n"
        "assert not bad, bad"
    )
    import pocket_mlir

    path = str(Path(pocket_mlir.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"})
