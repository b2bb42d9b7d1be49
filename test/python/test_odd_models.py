"""Models with unusual parameters, buffers and outputs: right, or one error that says what to do."""

from __future__ import annotations

import collections
import copy
import dataclasses

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import pocket_mlir as pocket
from pocket_mlir import frontend, reference

X, TARGET = torch.linspace(-1, 1, 8).reshape(2, 4), torch.tensor([0, 2])


def linear(dtype=torch.float32):
    torch.manual_seed(0)
    return nn.Linear(4, 3).to(dtype)


class Model(nn.Module):
    """A linear layer, tensors besides, and what `function` makes of both."""

    def __init__(self, function, parameters=None, buffers=None):
        super().__init__()
        self.fc = linear()
        for name, value in (parameters or {}).items():
            setattr(self, name, nn.Parameter(value))
        for name, value in (buffers or {}).items():
            self.register_buffer(name, value)
        self.function = function

    def forward(self, x):
        return self.function(self, self.fc(x))


def plain(model, y):
    return y


def overlapping():
    base = torch.randn(4, 3)
    return {"a": base[:2], "b": base[1:3]}


# name: model, input, target, then for each offender the op, found and the advice
REFUSED = {
    "bfloat16": (
        lambda: linear(torch.bfloat16), X.bfloat16(), TARGET,
        [("parameters of type torch.bfloat16", "weight, bias", "model.float()"),
         ("input of type torch.bfloat16", "[2, 4]", "input.float()")]),
    "float16": (
        lambda: linear(torch.float16), X.half(), TARGET,
        [("parameters of type torch.float16", "weight, bias", "model.float()")]),
    "float64": (
        lambda: linear(torch.float64), X.double(), TARGET,
        [("parameters of type torch.float64", "weight, bias", "model.float()"),
         ("input of type torch.float64", "[2, 4]", "input.float()")]),
    "many": (
        lambda: nn.Sequential(*[nn.Linear(4, 4).double() for _ in range(5)]), X.double(), TARGET,
        [("parameters of type torch.float64", "2.bias and 4 more", "model.float()"),
         ("input of type torch.float64", "[2, 4]", "input.float()")]),
    "float64 input of a float32 model": (
        linear, X.double(), TARGET,
        [("input of type torch.float64", "[2, 4]", "input.float()")]),
    "complex parameter": (
        lambda: Model(lambda m, y: y * m.c.abs(), {"c": torch.ones(3, dtype=torch.complex64)}), X, TARGET,
        [("parameters of type torch.complex64", "c", "real and imaginary parts")]),
    "float64 buffer": (
        lambda: Model(lambda m, y: y * m.b.float(), {}, {"b": torch.ones(3).double()}), X, TARGET,
        [("buffers of type torch.float64", "b", "model.float()")]),
    "bfloat16 buffer nobody reads": (
        lambda: Model(plain, {}, {"b": torch.ones(3).bfloat16()}), X, TARGET,
        [("buffers of type torch.bfloat16", "b", "model.float()")]),
    "uint8 buffer": (
        lambda: Model(lambda m, y: y * m.b, {}, {"b": torch.ones(3, dtype=torch.uint8)}), X, TARGET,
        [("buffers of type torch.uint8", "b", "value.to(torch.int32)")]),
    "uint8 input": (
        lambda: nn.Sequential(Cast(torch.float32), linear()), X.to(torch.uint8), TARGET,
        [("input of type torch.uint8", "[2, 4]", "input.float()")]),
    "no values": (
        lambda: nn.Linear(4, 3, device="meta"), X, TARGET,
        [("parameters without values", "weight, bias", "to_empty"), ("PyTorch can't trace", "meta", "")]),
    "partly the same memory": (
        lambda: Model(lambda m, y: y * m.a.sum(0) * m.b.sum(0), overlapping()), X, TARGET,
        [("parameters in the same memory", "a, b", "nn.Parameter(value.clone())")]),
    "tied by data": (
        lambda: tied_by_data(), X, TARGET, [("parameters in the same memory", "0.weight, 1.weight", "b.weight = a.weight")]),
    "a buffer in a parameter's memory": (
        lambda: with_view(), X, TARGET, [("parameters in the same memory", "fc.weight, view", "clone")]),
    "expanded": (
        lambda: Model(lambda m, y: y * m.e, {"e": torch.ones(1).expand(3)}), X, TARGET,
        [("repeats its own memory", "e", "expand it in forward")]),
}  # fmt: skip


class Cast(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        return x.to(self.dtype)


def tied_by_data():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model[1].weight.data = model[0].weight.data.t()
    return model


def with_view():
    model = Model(lambda m, y: y + m.view.sum())
    model.register_buffer("view", model.fc.weight.detach()[:1])
    return model


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    make, x, target, expected = REFUSED[name]
    with pytest.raises(pocket.UnsupportedModelError) as caught:
        pocket.compile(make(), x, example_targets=target)
    for offender, (op, found, advice) in zip(caught.value.offenders, expected, strict=True):
        assert op in offender.op and found in offender.found and advice in offender.advice, str(caught.value)


def test_what_pytorch_refuses_before_it_is_traced():
    """A named loss runs the model first; what the user gave is told, and not only where PyTorch failed."""
    with pytest.raises(pocket.UnsupportedModelError) as caught:
        pocket.compile(linear(), X.double())
    first, second = caught.value.offenders
    assert first.advice.endswith("input.float()") and "same dtype" in second.found
    with pytest.raises(pocket.UnsupportedModelError, match="parameters without values"):
        pocket.compile(nn.Linear(4, 3, device="meta"), X)


def test_operands_that_do_not_fit_and_that_tracing_lets_pass():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = linear()

        def forward(self, x):
            return F.linear(x.half(), self.fc.weight)

    with pytest.raises(pocket.UnsupportedModelError) as caught:
        pocket.compile(Mixed(), X, example_targets=TARGET)
    (offender,) = caught.value.offenders
    assert offender.op == "aten.linear" and "found 'tensor<2x4xf16>' and 'tensor<3x4xf32>'" in offender.found


def test_bfloat16_within_is_found_where_it_begins():
    class Autocast(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = linear(), nn.Linear(3, 3)

        def forward(self, x):
            return self.second(self.first(x).to(torch.bfloat16).relu().float())

    with pytest.raises(pocket.UnsupportedModelError) as caught:
        pocket.compile(Autocast(), X)
    (offender,) = caught.value.offenders
    assert offender.found == "a computation in bfloat16" and "autocast" in offender.advice
    assert "test_odd_models.py" in offender.source
    with torch.autocast("cpu", dtype=torch.bfloat16), pytest.raises(pocket.UnsupportedModelError, match="bfloat16"):
        pocket.compile(linear(), X)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (nn.ReLU, "ReLU has nothing to train: it has no parameters"),
        (lambda: linear().requires_grad_(False), r"none of its 2 parameters has requires_grad=True; set it.*'bias'"),
        (lambda: Model(lambda m, y: y.detach()), r"the loss depends on none .*\(fc.weight, fc.bias\); look for detach"),
        (lambda: torch.jit.script(linear()), "model is a torch.jit module"),
        (lambda: torch.relu, "model is a builtin_function_or_method; give an nn.Module"),
    ],
)
def test_nothing_to_train(make, message):
    with pytest.raises(pocket.CompileError, match=message):
        pocket.compile(make(), X, loss="cross_entropy")


# What is unusual and right. One program of many kinds, since each takes seconds to compile.


class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.fc, self.unused = nn.Linear(4, 3), nn.Linear(5, 5)
        self.scalar = nn.Parameter(torch.tensor(1.5))
        self.empty, self.unread = nn.Parameter(torch.zeros(0, 3)), nn.Parameter(torch.zeros(3, 0))
        self.strided = nn.Parameter(torch.randn(3, 4).t())
        base = torch.randn(4, 6)
        # Apart, in one storage, and interleaved in it.
        self.left, self.right = nn.Parameter(base[:, :3]), nn.Parameter(base[:, 3:])
        self.frozen = nn.Parameter(torch.ones(1).expand(3), requires_grad=False)
        for dtype in (torch.int8, torch.int32, torch.int64, torch.bool, torch.float16):
            self.register_buffer(str(dtype).removeprefix("torch."), torch.tensor([1, 0, 1]).to(dtype))
        self.register_buffer("nothing", torch.zeros(0))
        self.register_buffer("not_saved", torch.ones(3), persistent=False)

    def forward(self, x):
        y = self.fc(x) * self.scalar + x @ self.strided + x @ self.left * (x @ self.right)
        y = torch.cat([y, self.empty]) + self.not_saved * self.frozen
        return y + self.int8.float() * self.int32 + self.int64 * self.bool + self.float16.float()


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
def test_unusual_parameters_and_buffers(optimizer, tmp_path):
    ours, theirs = {
        "sgd": (pocket.optim.SGD(momentum=0.9), lambda p: torch.optim.SGD(p, 0.1, momentum=0.9)),
        "adamw": (pocket.optim.AdamW(), lambda p: torch.optim.AdamW(p, 0.1)),
    }[optimizer]
    model = Odd()
    twin = copy.deepcopy(model)
    stepper = theirs([p for p in twin.parameters() if p.requires_grad])
    program = pocket.compile(model, X[:1], optimizer=ours)
    program.save(tmp_path / "bundle")
    with pocket.load(tmp_path / "bundle").session(threads=1) as session:
        for _ in range(2):  # of batches of one
            stepper.zero_grad()
            loss = F.cross_entropy(twin(X[:1]), TARGET[:1])
            loss.backward()
            stepper.step()
            assert session.step(X[:1], TARGET[:1], lr=0.1) == pytest.approx(loss.item(), rel=1e-5)
        session.save(tmp_path / "file")
        session.restore(tmp_path / "file")
        state, wanted = session.state_dict(), twin.state_dict()
        assert set(state) == set(wanted) and "not_saved" not in state
        for name, value in wanted.items():
            assert state[name].dtype == value.dtype and state[name].shape == value.shape, name
            np.testing.assert_allclose(state[name].numpy(), value.numpy(), rtol=1e-4, atol=1e-5, err_msg=name)
        model.frozen = nn.Parameter(model.frozen.clone(), requires_grad=False)  # PyTorch can't write to it
        model.load_state_dict(state)


Pair = collections.namedtuple("Pair", "logits hidden")


@dataclasses.dataclass
class Output:
    hidden: torch.Tensor
    logits: torch.Tensor
    cache: object = None


OUTPUTS = {
    "a dict": lambda y: {"hidden": y * 2, "logits": y},
    "a named tuple": lambda y: Pair(y, y * 2),
    "a dataclass": lambda y: Output(y * 2, y),
    "a list of one": lambda y: [y],
    "a dict of one and a number": lambda y: {"scores": y, "n": 3},
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_named_loss_finds_the_logits(name):
    model = Model(lambda m, y: OUTPUTS[name](y))
    imported = frontend.import_model(model, X)
    functions = {f.attributes["sym_name"].value: f for f in imported.module.body.operations}
    assert "pocket.cross_entropy" in str(functions["forward"])
    assert [t.shape for t in imported.targets] == [(2,)]


def test_several_outputs_come_in_the_models_order():
    model = Model(lambda m, y: Output(y * 2, y))
    with pocket.compile(model, X).session(threads=1) as session:
        hidden, logits = session.predict(X)
        torch.testing.assert_close(logits, model.fc(X).detach())
        torch.testing.assert_close(hidden, 2 * model.fc(X).detach())
        assert session.step(X, TARGET, lr=0.0) == pytest.approx(F.cross_entropy(logits, TARGET).item())


def test_several_outputs_without_logits_ask_for_a_callable():
    with pytest.raises(pocket.InvalidArgumentError, match="2 outputs and none of them is called 'logits'.*callable"):
        frontend.import_model(Model(lambda m, y: (y, y * 2)), X)


# Inputs.


def test_one_tensor_as_several_examples():
    """As input and target, as two inputs, as an input and a parameter: they stay several."""

    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2, 4))

        def forward(self, a, b, c):
            return a * 2 + b * 3 + c * 5 + self.weight * 7

    model = Several()
    x = model.weight.data
    imported = frontend.import_model(
        model, (x, x, model.weight), lambda y, target: ((y - target) ** 2).sum(), example_targets=x
    )
    a, b, c, target, weight = (torch.full((2, 4), value).numpy() for value in (0.1, 0.2, 0.3, 0.4, 0.5))
    loss, output = reference.run(imported.module, "forward", [weight, a, b, c, target])
    np.testing.assert_allclose(output, a * 2 + b * 3 + c * 5 + weight * 7, rtol=1e-6)
    np.testing.assert_allclose(loss, ((output - target) ** 2).sum(), rtol=1e-6)
    assert [spec.name for spec in imported.predict_inputs] == ["a", "b", "c"]


def test_indices_in_slices_are_checked_where_they_are_read():
    class Tables(nn.Module):
        """A table of categories with a column each, and a language model's shifted labels."""

        def __init__(self):
            super().__init__()
            self.small, self.large = nn.Embedding(3, 4), nn.Embedding(50, 4)

        def forward(self, columns):
            return self.small(columns[:, 0]) + self.large(columns[:, 1])

    def loss(y, labels):
        return F.cross_entropy(y, labels[:, 1])

    columns, labels = torch.tensor([[2, 49], [0, 7]]), torch.tensor([[99, 3], [-5, -100]])
    program = pocket.compile(Tables(), columns, loss=loss, example_targets=labels)
    with program.session(threads=1) as session:
        # What the loss does not read may be anything.
        session.step(columns, labels, lr=0.1)
        for bad, message in (
            ((columns.flip(1), labels), r"'columns' holds 49 at \[0, 0\]; allowed are 0 to 2"),
            ((columns + torch.tensor([0, 1]), labels), r"'columns' holds 50 at \[0, 1\]; allowed are 0 to 49"),
            ((columns, labels + 1), r"'target' holds 4 at \[0, 1\]; allowed are 0 to 3 and -100"),
        ):
            with pytest.raises(pocket.InvalidInputError, match=message):
                session.step(*bad, lr=0.1)


def test_indices_out_of_range_are_refused():
    class Lookup(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.fc = nn.Embedding(7, 4), nn.Linear(4, 5)

        def forward(self, ids, columns):
            return self.fc(self.table(ids.long())).gather(1, columns)

    ids, columns = torch.tensor([0, 6], dtype=torch.int32), torch.tensor([[0, 4, 1], [2, 3, 4]])
    with pocket.compile(Lookup(), (ids, columns)).session(threads=1) as session:
        session.step(ids, columns, TARGET, lr=0.1)
        with pytest.raises(pocket.InvalidInputError, match=r"'ids' holds 7 at \[1\]; allowed are 0 to 6"):
            session.step(ids + 1, columns, TARGET, lr=0.1)
        with pytest.raises(pocket.InvalidInputError, match=r"'columns' holds 5 at \[0, 1\]; allowed are 0 to 4"):
            session.predict(ids, columns + 1)
        with pytest.raises(pocket.InvalidInputError, match=r"'target' holds 3 at \[1\]; allowed are 0 to 2 and -100"):
            session.step(ids, columns, TARGET + 1, lr=0.1)
