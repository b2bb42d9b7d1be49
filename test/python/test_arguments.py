"""What a person's first mistakes are answered with: what is there, the nearest of it, what to do."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import numpy as np
import pytest
import torch
from torch import nn

import mlp_program
import pocket_mlir as pocket
from pocket_mlir import InvalidArgumentError, InvalidInputError, TargetError
from pocket_mlir.arguments import checked_call, nearest

X, Y = torch.randn(2, 4), torch.tensor([0, 1])


def model() -> nn.Module:
    return nn.Linear(4, 3)


def says(error: type[Exception], call, *words: str) -> None:
    """`call` raises `error`, and its message has the words, in that order."""
    with pytest.raises(error) as caught:
        call()
    assert re.search(".*".join(map(re.escape, words)), str(caught.value), re.DOTALL), str(caught.value)


def case(call, *words: str):
    return pytest.param(call, words, id=inspect.getsource(call).strip().split("lambda: ")[-1].split('", ')[0][:60])


# The helpers.


@pytest.mark.parametrize(
    "name, known, wanted",
    [
        ("optimiser", ["loss", "optimizer"], "optimizer"),
        ("smoothing", ["ignore_index", "label_smoothing"], "label_smoothing"),
        ("crossentropy", ["mse", "cross_entropy"], "cross_entropy"),
        ("BCE", ["mse", "bce_with_logits"], "bce_with_logits"),
        ("0.weigth", ["0.bias", "0.weight"], "0.weight"),
        ("x", ["input_ids", "index"], None),
        ("gamma", ["momentum", "nesterov"], None),
        ("anything", [], None),
    ],
)
def test_the_nearest_name(name, known, wanted):
    assert nearest(name, known) == wanted


def test_a_checked_call_names_everything_that_is_wrong_at_once():
    @checked_call({"old": "it is called 'first' here"}, positional="give them by name")
    def work(first, second=2, *, third=None):
        """Works."""
        return first, second, third

    assert work(1) == (1, 2, None) and work(1, third=3) == (1, 2, 3)
    assert work.__name__ == "work" and work.__doc__ == "Works." and "third" in str(inspect.signature(work))
    says(
        InvalidArgumentError,
        lambda: work(1, 2, "a", b"b", old=1, thrid=2, second=3),
        "work: takes at most 2 arguments by position, got str, bytes beyond; give them by name",
        "unknown argument 'old': it is called 'first' here",
        "unknown argument 'thrid' (did you mean 'third'?)",
        "'second' is given twice",
        "It takes first, second=2, third=None",
    )
    says(InvalidArgumentError, lambda: work(third=1), "'first' is missing")

    @checked_call(error=InvalidInputError)
    def failing(value):
        raise TypeError("its own")

    with pytest.raises(TypeError, match="its own"):
        failing(1)
    says(InvalidInputError, lambda: failing(), "'value' is missing")


# Names in modules.


@pytest.mark.parametrize(
    "call, words",
    [
        case(lambda: pocket.complie, "pocket", "'complie'; did you mean 'compile'?"),
        case(lambda: pocket.SGD, "it is pocket.optim.SGD"),
        case(lambda: pocket.CrossEntropy, "it is pocket.losses.CrossEntropy"),
        case(lambda: pocket.optim.Adam, "AdamW(weight_decay=0.0) is Adam"),
        case(lambda: pocket.optim.RMSprop, "AdamW", "Known: SGD, AdamW, constant, cosine, linear"),
        case(lambda: pocket.optim.lr_scheduler, "pocket.optim.constant, linear and cosine", "session.fit(batches, lr="),
        case(lambda: pocket.optim.Sgd, "did you mean 'SGD'?"),
        case(lambda: pocket.losses.CrossEntropyLoss, "did you mean 'CrossEntropy'?"),
        case(lambda: pocket.losses.NLLLoss, "before log_softmax"),
        case(lambda: pocket.targets.Taget, "did you mean 'Target'?"),
    ],
)
def test_unknown_names(call, words):
    says(pocket.UnknownNameError, call, *words)


@pytest.mark.parametrize("module", [pocket, pocket.optim, pocket.losses, pocket.targets])
def test_modules_without_a_name_are_modules_as_others(module):
    assert not hasattr(module, "no_such_name") and getattr(module, "no_such_name", 7) == 7
    with pytest.raises(AttributeError) as caught:
        module.__no_such_name__
    assert type(caught.value) is AttributeError
    assert inspect.getdoc(module) and inspect.unwrap(module) is module
    for name in module.__all__:
        assert getattr(module, name) is not None
    for name, where in pocket._ELSEWHERE.items():
        assert name in getattr(pocket, where).__all__


def test_options_are_copied_and_pickled():
    for value in (pocket.optim.SGD(momentum=0.9), pocket.optim.AdamW(eps=1e-6), pocket.losses.Huber(delta=0.5)):
        assert copy.deepcopy(value) == value == pickle.loads(pickle.dumps(value))
        assert hash(value) == hash(copy.copy(value))


# Optimizers, schedules, losses.


@pytest.mark.parametrize(
    "call, words",
    [
        case(lambda: pocket.optim.SGD(lr=0.1), "'lr': the learning rate is given to every step", "fit(..., lr=0.1)", "pocket.optim.constant", "It takes momentum=0.0"),
        case(lambda: pocket.optim.SGD(model().parameters(), lr=0.1), "no argument by position, got generator", "pocket.compile", "SGD(momentum=0.9)", "'lr': the learning rate"),
        case(lambda: pocket.optim.SGD(0.9), "no argument by position, got float", "by name"),
        case(lambda: pocket.optim.AdamW(model().parameters()), "got generator", "AdamW(weight_decay=0.01)"),
        case(lambda: pocket.optim.AdamW(weigth_decay=0.1), "did you mean 'weight_decay'?"),
        case(lambda: pocket.optim.cosine(0.1), "cosine: 'steps' is missing"),
        case(lambda: pocket.optim.cosine(0.1, T_max=9), "'T_max': it is called 'steps' here"),
        case(lambda: pocket.optim.linear("0.1", steps=9), "lr must be a number, zero or more, got '0.1'"),
        case(lambda: pocket.optim.constant(float("nan")), "lr must be a number, zero or more, got nan"),
        case(lambda: pocket.losses.CrossEntropy(smoothing=0.1), "did you mean 'label_smoothing'?"),
        case(lambda: pocket.losses.CrossEntropy(torch.ones(3)), "no argument by position, got Tensor", "weight=None"),
        case(lambda: pocket.losses.CrossEntropy(label_smoothing=2.0), "label_smoothing must be between 0 and 1, got 2.0"),
    ],
)
def test_options(call, words):
    says(InvalidArgumentError, call, *words)


def test_schedules_take_numbers_of_any_kind():
    for rate in (1, np.float32(1.0), torch.tensor(1.0)):
        assert float(pocket.optim.cosine(rate, steps=10)(0)) == 1.0


# compile.


def compiled(*arguments, **options):
    return pocket.compile(*arguments, **options)


@pytest.mark.parametrize(
    "call, words",
    [
        case(lambda: compiled(model()), "compile: 'example_inputs' is missing"),
        case(lambda: compiled(model(), X, optimiser=1), "did you mean 'optimizer'?"),
        case(lambda: compiled(model(), X, lr=0.1), "'lr': the learning rate is given to every step"),
        case(lambda: compiled(model(), X, targets=Y), "example_targets=..."),
        case(lambda: compiled(model(), X, device="cuda"), "target=..."),
        case(lambda: compiled(model(), X, optimizer="adamw"), "the name 'adamw'", "pocket.optim.AdamW()"),
        case(lambda: compiled(model(), X, optimizer="adam"), "pocket.optim.AdamW(weight_decay=0.0)"),
        case(lambda: compiled(model(), X, optimizer="lion"), "pocket.optim.SGD() or pocket.optim.AdamW()"),
        case(lambda: compiled(model(), X, optimizer=torch.optim.SGD(model().parameters(), 0.1, momentum=0.9)), "torch.optim", "pocket.optim.SGD(momentum=0.9)", "every step"),
        case(lambda: compiled(model(), X, optimizer=torch.optim.Adam(model().parameters(), betas=(0.8, 0.9))), "pocket.optim.AdamW(betas=(0.8, 0.9), weight_decay=0.0)"),
        case(lambda: compiled(model(), X, optimizer=torch.optim.Adam(model().parameters(), weight_decay=0.1)), "AdamW(weight_decay=0.0)", "for SGD only"),
        case(lambda: compiled(model(), X, optimizer=torch.optim.AdamW), "the class AdamW", "the object pocket.optim.AdamW()"),
        case(lambda: compiled(model(), X, optimizer=pocket.optim.SGD), "the class SGD", "the object pocket.optim.SGD()"),
        case(lambda: compiled(model(), X, optimizer=pocket.optim.Optimizer()), "is the base"),
        case(lambda: compiled(model(), X, Y), "an array of shape [2]", "example_targets"),
        case(lambda: compiled(model(), X, "crossentropy"), "did you mean 'cross_entropy'?"),
        case(lambda: compiled(model(), X, dump_ir=3), "dump_ir=3", "path of a directory"),
        case(lambda: compiled(nn.Linear, X), "the class Linear", "Linear(...)"),
        case(lambda: compiled(X, model()), "model is a Tensor", "nn.Module"),
        case(lambda: compiled(model(), (X, Y)), "Linear.forward(input)", "too many", "targets are no inputs"),
        case(lambda: compiled(model(), {"input_ids": X}), "Linear.forward(input)", "'input_ids'", "a dict those by name"),
        case(lambda: compiled(model(), X.tolist()), "no tensor, but float", "torch.randn"),
        case(lambda: compiled(model(), (2, 4)), "no tensor, but int"),
        case(lambda: compiled(model(), None), "no tensor, but NoneType"),
        case(lambda: compiled(model(), torch.utils.data.DataLoader([X])), "no tensor, but DataLoader", "next(iter(loader))"),
    ],
)
def test_compile(call, words):
    says(InvalidArgumentError, call, *words)


@pytest.mark.parametrize("name", ["cpu", "native", "x86_64"])
def test_this_machine_by_other_names(name):
    says(TargetError, lambda: compiled(model(), X, target=name), "did you mean 'host'?")


# Sessions.


@pytest.fixture(scope="module")
def program():
    return mlp_program.program()


@pytest.fixture
def session(program):
    with program.session(threads=1) as session:
        yield session


def test_step_and_predict(session):
    x, target = mlp_program.batches(1)[0]
    rows = np.eye(4, dtype=np.float32)[target]
    for call, *words in (
        (lambda: session.step(x, target), "needs a learning rate: step(..., lr=0.01)"),
        (lambda: session.step(x, target, 0.1), "got 3 positional", "by name: step(..., lr=0.1)"),
        (lambda: session.step(x, target, learning_rate=0.1), "unknown: learning_rate", "called lr"),
        (lambda: session.step((x, target), lr=0.1), "missing: target", "unpacked by step(*batch)"),
        (lambda: session.step(x, tagret=target, lr=0.1), "unknown: tagret (did you mean 'target'?)"),
        (lambda: session.step(x[0], target, lr=0.1), "float32[16]", "one example", "batches of 8"),
        (lambda: session.step(x.T, target, lr=0.1), "float32[16, 8]", ".reshape(8, 16)", "transpose"),
        (lambda: session.step(x, rows, lr=0.1), "float32[8, 4]", "target.argmax(-1)"),
        (lambda: session.step(x, target[:, None], lr=0.1), "int64[8, 1]", ".reshape(8)"),
        (lambda: session.step("x", target, lr=0.1), "give numbers"),
        (lambda: session.step(x, target, lr=pocket.optim.constant(0.1)), "got a function", "fit(..., lr=schedule)"),
        (lambda: session.predict(x, target), "takes 1 tensor (x), got 2 positional", "no targets"),
        (lambda: session.predict(xx=x), "unknown: xx"),
    ):
        says(InvalidInputError, call, *words)
    assert session.steps == 0


def test_fit_and_evaluate(session):
    x, target = mlp_program.batches(1)[0]
    data = [(x, target)]
    parameter = torch.optim.SGD([nn.Parameter(torch.zeros(1))], 0.1)
    for call, *words in (
        (lambda: session.fit((x, target)), "this tuple is one", "[(x, target)]"),
        (lambda: session.fit([torch.from_numpy(x), torch.from_numpy(target)]), "this list is one", "[(x, target)]"),
        (lambda: session.fit(data, epoch=3), "did you mean 'epochs'?"),
        (lambda: session.fit(data, optimizer=3), "pocket.compile(..., optimizer=...)"),
        (lambda: session.fit(), "'batches' is missing"),
        (lambda: session.fit(data, validation=(x, target)), "validation takes many batches", "[(x, target)]"),
        (lambda: session.fit(data, callback=3), "callback must be a callable(epoch, history), got 3"),
        (lambda: session.fit(data, lr=parameter), "PyTorch's SGD", "pocket.optim.constant"),
        (lambda: session.fit(data, lr=torch.optim.lr_scheduler.StepLR(parameter, 1)), "PyTorch's StepLR", "callable(step)"),
        (lambda: session.fit([], progress=False), "no batches in epoch 1", "drop_last=True"),
        (lambda: session.evaluate((x, target)), "evaluate takes many batches", "[(x, target)]"),
        (lambda: session.evaluate(x, target), "an array of shape [8]", "evaluate([(x, target)])"),
    ):
        says(InvalidInputError, call, *words)
    assert session.steps == 0


def test_fit_takes_a_data_loader(session):
    data = [(torch.from_numpy(x), torch.from_numpy(target)) for x, target in mlp_program.batches(3)]
    rows = torch.utils.data.TensorDataset(*(torch.cat(parts) for parts in zip(*data)))
    loader = torch.utils.data.DataLoader(rows, batch_size=8)
    assert len(session.fit(loader, epochs=2, progress=False).loss) == 6


def test_weights(session):
    state = mlp_program.weights(seed=5)
    before = {name: np.asarray(value).copy() for name, value in session.state_dict().items()}
    for call, *words in (
        (lambda: session.load_state_dict({f"module.{n}": v for n, v in state.items()}), "unexpected: module.fc1.weight", "prefix off", "removeprefix('module.')"),
        (lambda: session.load_state_dict({"model": state, "epoch": 3}), "load_state_dict(state['model'])"),
        (lambda: session.load_state_dict({"fc1.weigth": state["fc1.weight"]}, strict=False), "fc1.weigth (did you mean 'fc1.weight'?)"),
        (lambda: session.load_state_dict({"a.b": state["fc1.weight"]}, strict=False), "unexpected: a.b", "another model's"),
        (lambda: session.load_state_dict(model()), "got a Linear", "state_dict()"),
        (lambda: session.load_optimizer_state_dict({"state": {}, "param_groups": []}), "PyTorch's optimizer"),
        (lambda: session.load_optimizer_state_dict(None), "optimizer_state_dict()", "got a NoneType"),
    ):
        says(InvalidInputError, call, *words)
    for name, value in session.state_dict().items():
        np.testing.assert_array_equal(np.asarray(value), before[name])


def test_what_is_elsewhere(program, session):
    for call, *words in (
        (lambda: session.train, "no 'train'", "predict and evaluate are in evaluation mode"),
        (lambda: session.backward, "forward, backward and update"),
        (lambda: session.parameters, "state_dict()"),
        (lambda: session.predcit, "did you mean 'predict'?"),
        (lambda: program.step, "program.session().step(...)"),
        (lambda: program.sesion, "did you mean 'session'?"),
    ):
        says(AttributeError, call, *words)
    says(InvalidInputError, lambda: program.session(device="cuda"), "'device'", "target=...")
    says(InvalidInputError, lambda: pocket.Session(model()), "got a Linear", ".session()")
    assert not hasattr(session, "forward") and not hasattr(program, "fit")
    assert copy.copy(program).signatures == program.signatures
