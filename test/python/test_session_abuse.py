"""A session in the hands of somebody who has not read the documentation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import mlp_program
import pocket_mlir
from pocket_mlir import errors

PATHS = os.pathsep.join([str(Path(pocket_mlir.__file__).parent.parent), str(Path(__file__).parent)])


@pytest.fixture
def session():
    with mlp_program.program().session(threads=1) as session:
        yield session


def state_of(session) -> dict[str, np.ndarray]:
    return {name: np.asarray(value).copy() for name, value in session.state_dict().items()}


# Batches and rates.


def test_forms_of_one_batch_give_one_loss(session):
    torch = pytest.importorskip("torch")
    x, target = mlp_program.batches(1)[0]
    wide = np.zeros((8, 32), np.float32)
    wide[:, ::2] = x
    forms = [
        (x, target),
        (wide[:, ::2], target),  # every second column of something larger
        (np.asfortranarray(x), target[::-1].copy()[::-1]),
        (torch.from_numpy(wide)[:, ::2], torch.from_numpy(target)),
        (torch.from_numpy(x).requires_grad_(), target),
        (x.tolist(), target.tolist()),
        (tuple(map(tuple, x.tolist())), target),
        ([row for row in x], target),
    ]
    assert len({session.step(*form, lr=0.0) for form in forms}) == 1


BAD = {
    "int32 labels": (lambda x, t: (x, t.astype(np.int32)), r"'target' must be int64\[8\], got int32\[8\]; convert it"),
    "float64": (lambda x, t: (x.astype(np.float64), t), r"'x' must be float32\[8, 16\], got float64.*convert it to float32"),
    "integers": (lambda x, t: (x.astype(np.int64), t), r"'x' must be float32.*got int64"),
    "negative label": (lambda x, t: (x, t - 4), r"'target' holds -\d at \[0\]; allowed are 0 to 3"),
    "huge label": (lambda x, t: (x, [2**40] * 8), r"'target' holds 1099511627776 at \[0\]"),
    "label beyond 64 bits": (lambda x, t: (x, [2**70] * 8), r"'target'"),
    "float labels": (lambda x, t: (x, [0.5] * 8), r"'target' must be int64\[8\], got float64"),
    "none": (lambda x, t: (None, t), r"'x' must be float32\[8, 16\], got object"),
    "words": (lambda x, t: (x, ["cat"] * 8), r"'target' must be int64\[8\], got <U3"),
    "one example": (lambda x, t: (x[0], t[:1]), r"'x' must be float32\[8, 16\], got float32\[16\]"),
    "empty": (lambda x, t: (x[:0], t[:0]), r"'x' must be float32\[8, 16\], got float32\[0, 16\]"),
    "swapped": (lambda x, t: (t, x), r"'x' must be float32"),
    "big-endian": (lambda x, t: (x.astype(">f4"), t), r"'x' must be float32\[8, 16\], got >f4"),
    "in a tuple": (lambda x, t: ((x, t),), r"takes 2 tensors \(x, target\), got 1 positional; missing: target"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_batch_is_refused_and_the_next_one_is_taken(session, bad):
    make, message = BAD[bad]
    x, target = mlp_program.batches(1)[0]
    before = state_of(session)
    with pytest.raises(errors.InvalidInputError, match=message):
        session.step(*make(x, target), lr=0.5)
    for name, value in state_of(session).items():
        np.testing.assert_array_equal(value, before[name])
    with mlp_program.program().session(threads=1) as other:
        assert session.step(x, target, lr=0.5) == other.step(x, target, lr=0.5)


def test_torch_tensors_that_are_no_arrays(session):
    torch = pytest.importorskip("torch")
    x, target = mlp_program.batches(1)[0]
    for bad, message in (
        (torch.zeros(8, 16, dtype=torch.bfloat16), r"'x' can't be made an array.*\.float\(\)"),
        (torch.zeros(8, 16).to_sparse(), "'x' can't be made an array"),
        (torch.zeros(8, 16, device="meta"), "'x' can't be made an array"),
        (torch.zeros(8, 16, dtype=torch.float16), "'x' must be float32.*got float16"),
    ):
        with pytest.raises(errors.InvalidInputError, match=message):
            session.step(bad, target, lr=0.1)
    with pytest.raises(errors.InvalidInputError, match=r"load_state_dict: fc1.bias can't be made an array.*\.float\(\)"):
        session.load_state_dict({"fc1.bias": torch.zeros(32, dtype=torch.bfloat16)}, strict=False)
    with pytest.raises(errors.InvalidInputError, match="a dict of tensors by name, got a str"):
        session.load_state_dict("model.safetensors")


def test_integers_that_a_narrow_type_cannot_hold():
    from pocket_mlir.runtime.inputs import as_array
    from pocket_mlir.runtime.manifest import Entry

    entry = Entry("input", "ids", (2,), "i32")
    np.testing.assert_array_equal(as_array(entry, [1, 2], "step"), [1, 2])
    with pytest.raises(errors.InvalidInputError, match="'ids' holds numbers that int32 can't"):
        as_array(entry, [1, 2**32 + 1], "step")


def test_learning_rates(session):
    torch = pytest.importorskip("torch")
    batch = mlp_program.batches(1)[0]
    session.step(*batch, lr=0.25)
    wanted = state_of(session)
    for rate in (np.float64(0.25), np.array(0.25), torch.tensor(0.25), torch.tensor(0.25, requires_grad=True), 1 / 4):
        with mlp_program.program().session(threads=1) as other:
            other.step(*batch, lr=rate)
            for name, value in state_of(other).items():
                np.testing.assert_array_equal(value, wanted[name])
    bad = {
        "lr must be zero or more, got -0.1": -0.1,
        "lr must be finite, got nan": torch.tensor(float("nan")),
        "lr must be finite, got inf": float("inf"),
        "lr must fit into a float32": 1e39,
        r"lr must be a number, got a Tensor of shape \[2\]": torch.tensor([0.1, 0.2]),
        r"lr must be a number, got a ndarray of shape \[1\]": np.array([0.1]),
        "lr must be a number, got '0.1'": "0.1",
        "lr must be a number, got 1j": 1j,
        "needs a learning rate": None,
    }
    for message, rate in bad.items():
        with pytest.raises(errors.InvalidInputError, match=message):
            session.step(*batch, lr=rate)
    for rate in (-0.1, lambda step: float("nan"), [0.1, -1.0], "fast"):
        with pytest.raises(errors.InvalidInputError, match="lr must be"):
            session.fit([batch, batch], lr=rate, progress=False)


# fit and evaluate.


def test_fit_with_nothing_to_do(session):
    data = mlp_program.batches(2)
    assert session.fit(data, epochs=0, progress=False).epochs == [] and session.steps == 0
    with pytest.raises(errors.InvalidInputError, match="no batches in epoch 1"):
        session.fit([], progress=False)
    with pytest.raises(errors.InvalidInputError, match="no batches in epoch 2"):
        session.fit(lambda epoch: data if epoch == 0 else [], epochs=2, progress=False)
    with pytest.raises(errors.InvalidInputError, match="evaluate: no batches"):
        session.evaluate([])


def test_fit_refuses_what_it_cannot_use_before_it_trains(session):
    data = mlp_program.batches(2)
    x, target = data[0]
    for arguments, message in (
        (((x, target), 2.5), "epochs must be a number.*got 2.5"),
        ((x, target), r"epochs must be a number, zero or more, got an array of shape \[8\]; inputs and targets come"),
        ((data, -1), "epochs must be a number, zero or more, got -1"),
        ((data, True), "got True"),
        ((3,), "batches is a int and can't be run through"),
        ((lambda: data,), "takes no such argument; give a callable"),
        ((lambda epoch: 3,), r"batches\(0\) gave a int"),
        ((iter(data), 2), "run through once only"),
    ):
        with pytest.raises(errors.InvalidInputError, match=message):
            session.fit(*arguments, progress=False)
    for options, message in (
        ({"validation": 3}, "validation is a int"),
        ({"validation": iter(data)}, "validation is an iterator.*validate_first=False"),
        ({"validation": data, "metrics": "f1"}, 'metrics must be "accuracy"'),
    ):
        with pytest.raises(errors.InvalidInputError, match=message):
            session.fit(data, progress=False, **options)
    assert session.steps == 0
    with pytest.raises(errors.InvalidInputError, match="the batches have none"):
        session.evaluate([(x,)])


def test_fit_takes_generators_that_serve_once(session):
    data = mlp_program.batches(3)
    assert len(session.fit((batch for batch in data), progress=False).loss) == 3
    history = session.fit(data, validation=(b for b in data), validate_first=False, progress=False)
    assert history.initial == {} and len(history.metric("accuracy")) == 1


def test_fit_evaluates_before_it_trains(session, tmp_path):
    data = mlp_program.batches(3)
    before = session.evaluate(data)
    history = session.fit(data, epochs=2, lr=0.3, validation=data, progress=False)
    assert history.initial == before
    assert history.metric("accuracy") == [epoch["accuracy"] for epoch in history.epochs]
    assert [epoch["epoch"] for epoch in history.epochs] == [1, 2]
    assert '"initial": {"accuracy"' in history.to_json()
    assert session.fit(data, progress=False).initial == {}
    pytest.importorskip("matplotlib")
    history.plot(tmp_path / "history.svg")
    assert (tmp_path / "history.svg").stat().st_size


def test_a_last_smaller_batch(session):
    data = mlp_program.batches(3)
    x, target = data[2]
    with pytest.raises(errors.InvalidInputError, match="compiled for batches of 8.*drop_last=True"):
        session.fit([*data[:2], (x[:5], target[:5])], progress=False)
    # The two before it have counted.
    assert session.steps == 2
    assert session.fit(data, progress=False).loss[0] != session.fit(data, progress=False).loss[0]


def test_an_exception_in_the_data_or_a_callback_passes_through(session):
    data = mlp_program.batches(3)

    def failing():
        yield data[0]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        session.fit(failing(), progress=True)
    with pytest.raises(ZeroDivisionError):
        session.fit(data, callback=lambda epoch, history: 1 / 0, progress=True)
    assert session.steps == 4
    session.step(*data[0], lr=0.1)


# Interruptions, threads, processes.


@pytest.mark.parametrize("exception", [KeyboardInterrupt, TimeoutError])
def test_a_signal_while_a_step_runs_keeps_the_step(session, exception):
    """Python calls a signal's handler when the device has finished; the step has to be counted first."""

    def handler(*_):
        raise exception

    class Context:
        """The device's context, during whose work a signal comes."""

        def __init__(self, real):
            self.real = real

        def invoke(self, *arguments):
            self.real.invoke(*arguments)
            os.kill(os.getpid(), signal.SIGALRM)

    data = mlp_program.batches(3)
    with mlp_program.program().session(threads=1) as straight:
        for x, target in data:
            straight.step(x, target, lr=0.3)
        wanted = state_of(straight)
    before = signal.signal(signal.SIGALRM, handler)
    real = session._device._context
    try:
        session.step(*data[0], lr=0.3)
        session._device._context = Context(real)
        with pytest.raises(exception):
            session.fit(data[1:2], lr=0.3, progress=False)
    finally:
        session._device._context = real
        signal.signal(signal.SIGALRM, before)
    assert session.steps == 2
    session.step(*data[2], lr=0.3)
    for name, value in state_of(session).items():
        np.testing.assert_array_equal(value, wanted[name])


def test_interruptions_at_any_time_leave_whole_steps():
    """With updates that are not in place too: their new values are taken over after the run."""
    from pocket_mlir import targets
    from pocket_mlir.program import Program

    text = (mlp_program.FIXTURES / "mlp.mlir").read_text()
    for result in (1, 7):
        text = text.replace(f" {{iree.abi.output = {result} : index}}", "")
    program = Program(mlp_program.manifest(), targets.compile_to_vmfb(text), mlp_program.weights())
    data = mlp_program.batches(3000)
    contents = lambda session: b"".join(value.tobytes() for value in state_of(session).values())  # noqa: E731
    with program.session(threads=1) as straight:
        states = [contents(straight)]
        for x, target in data:
            straight.step(x, target, lr=0.01)
            states.append(contents(straight))
    interrupted = 0
    handler = signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError))
    try:
        for attempt in range(40):
            with program.session(threads=1) as session:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0003 * attempt)
                    session.fit(data, lr=0.01, progress=False)
                except TimeoutError:
                    interrupted += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                assert contents(session) == states[session.steps]
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert interrupted >= 30
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_device_that_fails_spoils_the_session(session, tmp_path):
    class Context:
        def invoke(self, *arguments):
            raise ValueError("out of memory")

    batch = mlp_program.batches(1)[0]
    session._device._context = Context()
    for use in (lambda: session.step(*batch, lr=0.1), lambda: session.predict(batch[0]), lambda: session.save(tmp_path / "a")):
        with pytest.raises(errors.RuntimeError, match="may be half updated.*restore a checkpoint.*out of memory"):
            use()
    assert session.steps == 0 and not (tmp_path / "a").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_sessions_in_several_threads(workers):
    program = mlp_program.program()
    data = mlp_program.batches(100)

    def train(results):
        with program.session(threads=workers) as session:
            losses = [session.step(x, target, lr=0.05) for x, target in data]
            results.append((losses, session.measured_peak_bytes))

    expected, got = [], []
    train(expected)
    threads = [threading.Thread(target=train, args=(got,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Each has what is its own: weights, and the count of its memory.
    assert got == expected * 4


def test_one_session_in_several_threads(session):
    data = mlp_program.batches(40)
    errors_seen = []

    def train():
        try:
            for x, target in data:
                session.step(x, target, lr=0.01)
                session.predict(x)
        except Exception as error:
            errors_seen.append(error)

    threads = [threading.Thread(target=train) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors_seen and session.steps == 120


FORKED = """
import os, sys
import mlp_program

threads = int(sys.argv[1])
program = mlp_program.program()
x, target = mlp_program.batches(1)[0]
session = program.session(threads=threads)
expected = session.step(x, target, lr=0.0)
child = os.fork()
if child == 0:
    try:
        if threads == 1:
            assert session.step(x, target, lr=0.0) == expected
            session.step(x, target, lr=0.5)
        else:
            for use in (lambda: session.step(x, target, lr=0.0), lambda: program.session(threads=threads)):
                try:
                    use()
                except RuntimeError as error:
                    assert "forked" in str(error) and "spawn" in str(error), error
                else:
                    raise AssertionError("no error")
        # One thread works, with weights of its own.
        assert program.session(threads=1).step(x, target, lr=0.0) > 0
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(1)
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
assert session.step(x, target, lr=0.0) == expected
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fork_works_or_says_why_not(threads):
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(threads)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": PATHS},
    )
    assert done.returncode == 0, done.stderr
