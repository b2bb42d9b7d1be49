"""Whole models through the frontend, against PyTorch."""

import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import frontend_models as models
from frontend_check import check, close, run
from pocket_mlir import frontend, losses


def function(imported, name="forward"):
    return next(
        f.operation
        for f in imported.module.body.operations
        if f.operation.attributes["sym_name"].value == name
    )


def arguments(imported, name="forward"):
    """The attributes of the arguments, as text by attribute name."""
    found = []
    for attributes in function(imported, name).attributes["arg_attrs"]:
        named = [attributes[i] for i in range(len(attributes))]
        found.append({a.name: str(a.attr).strip('"') for a in named})
    return found


def operations(imported, name="forward"):
    return [op.operation for op in function(imported, name).regions[0].blocks[0].operations]


# -- whole models -----------------------------------------------------------------------


@pytest.mark.parametrize("name", models.MODELS)
def test_training_mode(name):
    torch.manual_seed(0)
    make, inputs, loss = models.MODELS[name]
    check(make().train(), inputs(), loss)


@pytest.mark.parametrize("name", ["mobilenetv2", "encoder"])
def test_eval_mode(name):
    torch.manual_seed(0)
    make, inputs, loss = models.MODELS[name]
    check(make().eval(), inputs(), loss)


def test_minilm():
    torch.manual_seed(0)
    mask = torch.ones(2, 8, dtype=torch.long)
    mask[1, 6:] = 0
    inputs = {"input_ids": models.ids(2, 8, vocabulary=30000), "attention_mask": mask}

    def pooled(outputs, target):
        return F.mse_loss(outputs.last_hidden_state.mean(1), target)

    imported = check(
        models.minilm().eval(), inputs, pooled, targets=[torch.randn(2, 384)], tolerance=1e-4
    )
    assert imported.name == "BertModel"
    assert [s.name for s in imported.predict_outputs] == ["last_hidden_state", "pooler_output"]


# -- arguments --------------------------------------------------------------------------


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 6)
        self.decoder = nn.Linear(6, 12, bias=False)
        self.decoder.weight = self.embed.weight
        self.norm = nn.LayerNorm(6)

    def forward(self, tokens):
        # The norm is used twice, and the table for reading and for writing.
        return self.decoder(self.norm(self.norm(self.embed(tokens)).tanh()))


def test_tied_parameters_are_one_argument():
    imported = check(Tied(), (models.ids(3, vocabulary=12),), "cross_entropy")
    assert imported.aliases == {"decoder.weight": "embed.weight"}
    assert list(imported.parameters) == ["embed.weight", "norm.weight", "norm.bias"]


def test_frozen_parameters_need_no_gradient():
    model = models.mlp()
    model[0].weight.requires_grad = False
    imported = frontend.import_model(model, (torch.randn(2, 10),))
    flags = {a["pocket.param"]: a["pocket.needs_grad"] for a in arguments(imported)[:4]}
    assert flags == {"0.weight": "false", "0.bias": "true", "2.weight": "true", "2.bias": "true"}


def test_arguments_come_in_the_agreed_order():
    imported = frontend.import_model(models.MobileNetV2(), (torch.randn(2, 3, 16, 16),))
    kinds = [
        {"pocket.param": "parameter", "pocket.buffer": "buffer"}.get(key) or a[key]
        for a in arguments(imported)
        for key in ("pocket.param", "pocket.buffer", "pocket.role")
        if key in a
    ]
    order = ["parameter", "buffer", "input", "target"]
    assert kinds == sorted(kinds, key=order.index)
    assert set(kinds) == set(order)
    model = models.MobileNetV2()
    assert list(imported.parameters) == [name for name, _ in model.named_parameters()]
    assert list(imported.buffers) == [name for name, _ in model.named_buffers()]
    assert [s.name for s in imported.inputs] == ["x"]
    assert [(s.name, s.shape, s.dtype) for s in imported.targets] == [("target", (2,), "i64")]
    assert "target" not in {a.get("pocket.role") for a in arguments(imported, "predict")}


def test_operations_carry_the_path_of_their_layer():
    imported = frontend.import_model(models.MobileNetV2(), (torch.randn(2, 3, 16, 16),))
    paths = {op.name: str(op.location) for op in operations(imported) if op.name != "func.return"}
    assert paths["pocket.matmul"] == 'loc("classifier.1")'
    assert paths["pocket.cross_entropy"] == 'loc("loss")'
    assert paths["pocket.mean"] == 'loc("MobileNetV2")'
    convolutions = [str(op.location) for op in operations(imported) if op.name == "pocket.conv2d"]
    assert convolutions[:3] == [
        'loc("features.0")',
        'loc("features.3.conv.0")',
        'loc("features.3.conv.3")',
    ]


def test_composites_arrive_whole():
    imported = frontend.import_model(models.Encoder(), (models.ids(2, 8),))
    names = [op.name for op in operations(imported)]
    assert names.count("pocket.attention") == 2
    assert names.count("pocket.layer_norm") == 4
    assert names.count("pocket.gelu") == 2
    assert names.count("pocket.cross_entropy") == 1
    assert "pocket.softmax" not in names and "pocket.exp" not in names


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("positions", torch.arange(16)[None], persistent=False)
        self.register_buffer("scale", torch.full((4,), 2.0))
        self.table = nn.Embedding(16, 4)
        self.offsets = torch.tensor([1.0, 2.0, 3.0, 4.0])

    def forward(self, x):
        places = self.positions[:, : x.shape[1]]
        causal = torch.ones(x.shape[1], x.shape[1]).tril() > 0
        x = (x + self.table(places) + self.offsets) * self.scale
        return torch.where(causal, x @ x.mT, 0.0).sum(-1)


def test_constants_fold_and_persistent_buffers_stay():
    imported = check(Positions(), (torch.randn(2, 5, 4),), "mse")
    assert list(imported.buffers) == ["scale"]
    names = [op.name for op in operations(imported)]
    assert not {"pocket.compare", "pocket.slice", "pocket.convert"} & set(names)


class LargeTable(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(600, 600), persistent=False)
        self.fc = nn.Linear(600, 3)

    def forward(self, x):
        return self.fc(x @ self.table)


def test_large_constants_are_buffers():
    imported = check(LargeTable(), (torch.randn(2, 600),), "cross_entropy", tolerance=1e-3)
    assert list(imported.buffers) == ["table"]
    assert imported.non_persistent == {"table"}


def test_cumulative_batch_norm():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6, momentum=None), nn.Linear(6, 3))
    with torch.no_grad():
        model(torch.randn(8, 4))
    check(model.train(), (torch.randn(8, 4),), "cross_entropy")


class PartlyWithoutGradient(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            teacher = self.a(x)
        return teacher * self.b(x) + self.b(x).detach()


def test_no_grad_and_detach_stop_gradients():
    imported = check(PartlyWithoutGradient(), (torch.randn(2, 4),), "mse")
    assert [op.name for op in operations(imported)].count("pocket.stop_gradient") == 2


class Keywords(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, *, mask=None, scale=1.0, extra=None):
        x = x * scale if mask is None else x * mask * scale
        return {"logits": self.fc(x + extra["shift"]), "hidden": (x, [x + 1])}


def test_keyword_inputs_and_structured_outputs():
    inputs = {
        "x": torch.randn(2, 4),
        "mask": torch.rand(2, 4) > 0.5,
        "scale": 2.0,
        "extra": {"shift": torch.randn(4)},
    }
    model = Keywords()
    imported = frontend.import_model(model, inputs)
    assert [s.name for s in imported.inputs] == ["x", "mask", "extra.shift"]
    named = {"x": inputs["x"], "mask": inputs["mask"], "extra.shift": inputs["extra"]["shift"]}
    results = run(imported, "predict", {k: v.numpy() for k, v in named.items()})
    tree = frontend.unflatten(imported.output_tree, results)
    expected = model(**inputs)
    close(tree["logits"], expected["logits"], "logits")
    close(tree["hidden"][0], expected["hidden"][0], "hidden 0")
    close(tree["hidden"][1][0], expected["hidden"][1][0], "hidden 1")
    assert [s.name for s in imported.predict_outputs] == ["logits", "hidden.0", "hidden.1.0"]


# -- losses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "loss",
    [
        "mse",
        "l1",
        losses.Huber(delta=0.5),
        losses.SmoothL1(beta=0.3, reduction="sum"),
        losses.BCEWithLogits(pos_weight=[1.0, 2.0, 3.0, 4.0, 5.0]),
        losses.CrossEntropy(ignore_index=1, label_smoothing=0.1),
        losses.CrossEntropy(weight=[1.0, 2.0, 3.0, 4.0, 5.0]),
    ],
    ids=str,
)
def test_named_losses(loss):
    torch.manual_seed(0)
    check(models.mlp().eval(), (torch.randn(4, 10),), loss)


def test_callable_losses():
    def loss(outputs, target, weight):
        return ((outputs - target) ** 2 * weight).sum() / weight.sum()

    targets = [torch.randn(4, 5), torch.rand(4, 1)]
    imported = check(models.mlp().eval(), (torch.randn(4, 10),), loss, targets=targets)
    assert [s.name for s in imported.targets] == ["target0", "target1"]
    check(models.mlp().eval(), (torch.randn(4, 10),), nn.MSELoss(), targets=targets[:1])


def test_a_model_with_its_own_loss():
    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x, target):
            y = self.fc(x)
            return F.cross_entropy(y, target), y

    imported = frontend.import_model(
        Own().eval(), (torch.randn(2, 4),), None, example_targets=torch.tensor([0, 1])
    )
    assert [s.name for s in imported.inputs] == ["x"]
    assert [s.name for s in imported.targets] == ["target"]
    assert [s.name for s in imported.predict_inputs] == ["x"]


def test_sequence_targets_of_cross_entropy():
    model = nn.Sequential(nn.Embedding(9, 4), nn.Linear(4, 9))
    tokens = models.ids(2, 5, vocabulary=9)
    check(model.eval(), (tokens,), losses.CrossEntropy(), targets=[tokens])


# -- exported programs ---------------------------------------------------------------------


def test_exported_program():
    torch.manual_seed(0)
    model, x = models.MobileNetV2().eval(), torch.randn(2, 3, 16, 16)
    program = torch.export.export(model, (x,))
    imported = frontend.import_model(program, (x,))
    assert imported.name == "MobileNetV2"
    assert list(imported.parameters) == [name for name, _ in model.named_parameters()]
    assert [str(op.location) for op in operations(imported) if op.name == "pocket.conv2d"][1] == (
        'loc("features.3.conv.0")'
    )
    result = run(imported, "predict", {"x": x.numpy()})
    close(result[0], model(x), "prediction")


def test_supported_operations_are_listed():
    names = frontend.supported_operations()
    assert "aten.conv2d" in names and "aten.scaled_dot_product_attention" in names
    assert all(re.fullmatch(r"\w+\.\w+(\.\w+)?", name) for name in names)
    assert np.all(np.array(names) == np.array(sorted(names)))
