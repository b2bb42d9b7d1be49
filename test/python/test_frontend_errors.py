"""What can't be compiled: one error, every offender, with its layer and what to do."""

import numpy as np
import pytest
import torch
from torch import nn

import frontend_models as models
import pocket_mlir as pocket
from pocket_mlir import InvalidArgumentError, UnsupportedModelError, frontend


def offenders(model, inputs, loss="cross_entropy", **options):
    with pytest.raises(UnsupportedModelError) as caught:
        frontend.import_model(model, inputs, loss, **options)
    for offender in caught.value.offenders:
        assert offender.op in str(caught.value)
        assert (offender.layer or "<model>") in str(caught.value)
        assert offender.supported and offender.advice
    return caught.value


class Bad(nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x.view(-1, 2, 2)).reshape(x.shape) + torch.atan(x)


def test_all_offenders_are_listed():
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), Bad(), nn.Dropout(0.1), Bad())
    error = offenders(model, (torch.randn(2, 8),))
    found = [(o.layer, o.op) for o in error.offenders]
    assert [layer for layer, op in found if "dropout" in op] == ["1", "3"]
    assert ("2", "aten.atan") in found and ("4", "aten.atan") in found
    assert {layer for layer, op in found if "inv" in op} == {"2", "4"}
    assert "dropout with p=0.5" in str(error) and "dropout with p=0.1" in str(error)
    assert "test_frontend_errors.py" in str(error)


def test_the_same_complaint_is_counted():
    class Twice(nn.Module):
        def forward(self, x):
            return torch.atan(torch.atan(x))

    error = offenders(Twice(), (torch.randn(2, 8),))
    assert [o.count for o in error.offenders] == [2]
    assert "(x2)" in str(error)


def test_dropout_of_transformers_is_named():
    model = models.bert()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.1
    error = offenders(model.train(), models.bert_inputs(), None)
    assert "bert.embeddings.dropout" in {o.layer for o in error.offenders}
    assert ".eval()" in str(error)


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        if x.sum() > 0:
            x = x + 1
        return self.fc(x)


def test_data_dependent_control_flow_names_layer_and_line():
    error = offenders(nn.Sequential(nn.Linear(8, 8), Branch()), (torch.randn(2, 8),))
    (offender,) = error.offenders
    assert offender.layer == "1"
    assert "data-dependent" in offender.op and "if x.sum() > 0" in offender.op
    assert "test_frontend_errors.py" in offender.source and "forward" in offender.source
    assert "torch.where" in offender.advice


def test_layer_drop():
    class LayerDrop(nn.Module):
        def forward(self, x):
            return x if self.training and torch.rand([]) < 0.1 else x * 2

    error = offenders(nn.Sequential(LayerDrop()), (torch.randn(2, 8),))
    assert error.offenders[0].layer == "0" and "layerdrop" in error.offenders[0].advice


def test_shapes_that_depend_on_data():
    class Mask(nn.Module):
        def forward(self, x):
            return x[x > 0].sum() * x

    error = offenders(nn.Sequential(Mask()), (torch.randn(2, 8),))
    assert {o.layer for o in error.offenders} == {"0"}


def test_dynamic_shapes_of_an_exported_program():
    batch = torch.export.Dim("batch", min=2, max=8)
    x = torch.randn(4, 10)
    program = torch.export.export(models.mlp(), (x,), dynamic_shapes=({0: batch},))
    # The example fixes the size: an exported program with a dynamic one compiles for it.
    imported = frontend.import_model(program, (x,))
    assert imported.inputs[0].shape == (4, 10)


def test_control_flow_in_the_graph():
    class Cond(nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    error = offenders(nn.Sequential(Cond(), nn.Dropout(0.5)), (torch.randn(2, 8),))
    assert [o.layer for o in error.offenders] == ["0", "1"]
    assert error.offenders[0].layer == "0" and "nested graph" in error.offenders[0].found


def test_a_model_that_fails_in_pytorch():
    error = offenders(nn.Sequential(nn.Linear(4, 4), nn.Linear(5, 2)), (torch.randn(2, 4),), "mse")
    assert error.offenders[0].layer == "1"
    assert error.__cause__ is not None


def test_element_types():
    error = offenders(nn.Linear(4, 4).to(torch.complex64), (torch.randn(2, 4) + 0j,), "mse")
    assert any("complex" in o.found for o in error.offenders)


@pytest.mark.parametrize(
    "loss, targets, message",
    [
        ("cross-entropy", None, "unknown loss 'cross-entropy'"),
        (lambda y, t: (y - t) ** 2, torch.zeros(2, 5), "must be a scalar"),
        (lambda y, t: 3, torch.zeros(2, 5), "must be a scalar tensor"),
        (None, None, "returns its own loss"),
        (7, None, "give a name"),
        (nn.Linear(2, 2), torch.zeros(2, 5), "parameters of its own"),
    ],
)
def test_losses_that_do_not_fit(loss, targets, message):
    with pytest.raises(InvalidArgumentError, match=message):
        frontend.import_model(models.mlp(), (torch.randn(2, 10),), loss, targets)


def test_a_model_keeps_its_mode_and_state_after_a_failure():
    model = nn.Sequential(nn.BatchNorm1d(8), Branch()).train()
    model[0].eval()
    offenders(model, (torch.randn(2, 8),))
    assert model.training and not model[0].training and model[1].training
    assert int(model[0].num_batches_tracked) == 0


@pytest.mark.parametrize(
    "loss, message",
    [
        (nn.CrossEntropyLoss(), r"the loss CrossEntropyLoss\(.*takes targets.*example_targets"),
        (lambda outputs, targets: ((outputs - targets) ** 2).mean(), "takes targets.*example_targets"),
        (pocket.losses.MSE, r"is the class MSE; give an object: MSE\(\)"),
    ],
)
def test_losses_that_miss_something(loss, message):
    with pytest.raises(InvalidArgumentError, match=message):
        pocket.compile(nn.Linear(4, 3), torch.randn(2, 4), loss=loss)


def test_a_loss_of_the_outputs_alone_needs_no_targets():
    program = pocket.compile(nn.Linear(4, 3), torch.randn(2, 4), loss=lambda outputs: outputs.square().mean())
    assert program.session().step(np.zeros((2, 4), np.float32), lr=0.1) >= 0
