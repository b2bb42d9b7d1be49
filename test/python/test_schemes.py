"""Schemes: what they select, how they are written, and training under them against PyTorch."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import pocket_mlir as pocket
from pocket_mlir import schemes
from pocket_mlir._mlir import ir
from pocket_mlir.errors import CompileError, InvalidArgumentError
from pocket_mlir.frontend import import_model
from pocket_mlir.schemes import Biases, Channels, Full, LastLayer, Norms, Random, Ratio, Sparse, Union
from pocket_mlir.schemes.channels import choose, count_channels, to_ranges
from pocket_mlir.schemes.layers import forward_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import models as zoo  # noqa: E402


def cnn():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU(),
        nn.Conv2d(8, 12, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5),
    )  # fmt: skip


class Encoder(nn.Module):
    """A small transformer: embeddings, positions, one encoder layer, a head."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.position = nn.Parameter(torch.randn(6, 16) * 0.1)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(16, 5)

    def forward(self, tokens):
        return self.head(self.encoder(self.embed(tokens) + self.position).mean(1))


def encoder():
    torch.manual_seed(0)
    return Encoder()


IMAGES, TOKENS = (torch.zeros(4, 3, 8, 8),), (torch.zeros(4, 6, dtype=torch.long),)


def imported(model, inputs):
    return import_model(model, inputs)


def trained(model, inputs, scheme):
    return trained_by(schemes.resolve(scheme), imported(model, inputs))


def trained_by(scheme, model):
    return schemes.select(scheme, model).trained


def problem(model, inputs, scheme):
    with pytest.raises(InvalidArgumentError) as caught:
        trained(model, inputs, scheme)
    return str(caught.value)


@pytest.fixture(scope="module")
def mobilenet():
    torch.manual_seed(0)
    return imported(zoo.MobileNetV2().eval(), torch.randn(1, 3, 32, 32))


def only(**keywords):
    """A sparse scheme that trains nothing but what is asked for."""
    return Sparse(classifier=False, **keywords)


# -- names and objects --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, scheme",
    [
        ("full", Full()),
        ("last_layer", LastLayer()),
        ("bias_only", Biases()),
        ("norm_only", Norms()),
        ("norm+last", Norms() + LastLayer()),
        ("bias+norm+last", Biases() + (Norms() + LastLayer())),
    ],
)
def test_names(name, scheme):
    assert schemes.resolve(name) == scheme == schemes.resolve(scheme)
    assert schemes.resolve(scheme.to_dict()) == scheme


@pytest.mark.parametrize(
    "scheme, message",
    [
        ("ful", "nearest: full"),
        ("bias+lost", "'bias+lost' is not known; nearest: bias+last"),
        ("tte/mobilenet-49kb", "tte/mobilenetv2-49kb"),
        (Full, "give an object: Full(...)"),
        (3, "scheme is a int"),
        ("nowhere.yaml", "nowhere.yaml can't be read: No such file"),
    ],
)
def test_what_no_scheme_is(scheme, message):
    with pytest.raises(InvalidArgumentError) as caught:
        schemes.resolve(scheme)
    assert message in str(caught.value)


def test_sparse_reports_everything_at_once():
    with pytest.raises(InvalidArgumentError) as caught:
        Sparse(weights={"a": 1.5, "b": float("nan"), "c": [1, 1], "d": [], "e": "x", "f": {"ratio": 1, "of": 2}},
               biases=-1, biases_from=3, classifier="yes", along="depth")  # fmt: skip
    message = str(caught.value)
    for part in ("weights['a']: a ratio is a number from 0 to 1, not 1.5", "weights['b']", "a channel stands twice in [1, 1]",
                 "weights['d']", "weights['e']", "unknown key 'of'", "biases=-1", "biases_from=3", "classifier='yes'",
                 "along='depth'"):  # fmt: skip
        assert part in message
    with pytest.raises(InvalidArgumentError, match="criterion='norm' is not known"):
        Sparse(criterion="norm")
    with pytest.raises(InvalidArgumentError, match='seed=3 goes with criterion="random"'):
        Sparse(seed=3)
    assert Sparse(criterion=Random(3)) == Sparse(criterion="random", seed=3)


# -- layers and selection ----------------------------------------------------------------


def test_layers_of_mobilenet(mobilenet):
    model = schemes.read_layers(mobilenet)
    convs = model.of_kind("conv", "depthwise")
    assert len(convs) == 52 and len(model.of_kind("depthwise")) == 17 and len(model.of_kind("norm")) == 52
    assert [c.name for c in convs[:3]] == ["features.0.0", "features.1.conv.0.0", "features.1.conv.1.0"]
    assert all(c.channel_bias.name == c.norm.name + ".bias" for c in convs)
    assert [(layer.name, layer.kind) for layer in model.layers if layer.is_last] == [("classifier", "linear")]


def test_layers_of_an_encoder():
    model = schemes.read_layers(imported(encoder(), TOKENS))
    assert [(layer.name, layer.kind) for layer in model.layers] == [
        ("embed", "embedding"), ("position", "other"), ("encoder.layers.0.self_attn", "linear"),
        ("encoder.layers.0.self_attn.out_proj", "linear"), ("encoder.layers.0.norm1", "norm"),
        ("encoder.layers.0.linear1", "linear"), ("encoder.layers.0.linear2", "linear"),
        ("encoder.layers.0.norm2", "norm"), ("head", "linear"),
    ]  # fmt: skip
    # A norm that reads a sum is no bias of the layer before it.
    assert not any(layer.norm for layer in model.layers)


class Odd(nn.Module):
    """Layers whose parts are operations of their own, and channels in unusual places."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 8, 3, bias=False)
        self.group = nn.GroupNorm(2, 8)
        self.grouped = nn.Conv1d(8, 8, 3, groups=2)
        self.up = nn.ConvTranspose1d(8, 6, 3)
        self.rms = nn.RMSNorm(6)
        self.normed = nn.utils.parametrizations.weight_norm(nn.Linear(6, 6))
        self.left, self.right = nn.Linear(6, 3), nn.Linear(6, 3, bias=False)
        self.plain = nn.Parameter(torch.randn(6, 6))  # [in, out]

    def forward(self, x):
        x = self.up(self.grouped(self.group(self.conv(x)).relu())).mean(2)
        x = self.normed(self.rms(x) @ self.plain)
        return self.left(x) + self.right(x)


def test_layers_are_read_from_operations():
    model = imported(Odd(), torch.zeros(2, 4, 16))
    layers = {layer.name: layer for layer in schemes.read_layers(model).layers}
    dims = {name: (layer.kind, layer.input_dim, layer.output_dim) for name, layer in layers.items()}
    assert dims["conv"] == ("conv", 1, 0) and dims["up"] == ("conv", 0, 1)
    assert dims["plain"] == ("linear", 0, 1) and dims["left"] == ("linear", 1, 0)
    assert layers["conv"].channel_bias.name == "group.bias" and layers["grouped"].groups == 2
    assert layers["rms"].kind == layers["group"].kind == "norm"
    assert len(layers["normed"].weights) == 2 and layers["normed"].bias.name == "normed.bias"
    assert {n for n, layer in layers.items() if layer.is_last} == {"left", "right"}
    message = problem(Odd(), torch.zeros(2, 4, 16), only(weights={"normed": 0.5, "grouped": 0.5}))
    assert "a convolution in 2 groups" in message and 'along="output"' in message
    assert "which of its dimensions holds channels can't be told" in message
    part = trained(Odd(), torch.zeros(2, 4, 16), only(weights={"grouped": Ratio(0.5, "output"), "normed": 1}))
    assert part["grouped.weight"].dim == 0 and len(part) == 3


def test_tied_weights_belong_to_the_module_that_reads_them():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(10, 8), nn.Linear(8, 10)
            self.head.weight = self.embed.weight

        def forward(self, x):
            return self.head(self.embed(x).mean(1))

    inputs = torch.zeros(2, 4, dtype=torch.long)
    assert trained(Tied(), inputs, "last_layer") == {"embed.weight": True, "head.bias": True}
    assert trained(Tied(), inputs, only(weights={"head.weight": [2]}))["embed.weight"].indices == (2,)
    message = problem(Tied(), inputs, only(weights={"head": 0.5, "embed": 0.5}))

    class Untied(Tied):
        """One name for the weight that is read as an embedding first, then in a product."""

        def __init__(self):
            super().__init__()
            self.head = None

        def forward(self, x):
            return self.embed(x).mean(1) @ self.embed.weight.T

    found = trained(Untied(), inputs, only(weights={"embed": [2, 9]}))
    assert found == {"embed.weight": schemes.ChannelSet(0, (2, 9))}
    assert "weights['head'] and weights['embed'] both choose embed.weight, and differ" in message


@pytest.mark.parametrize(
    "selector, expected",
    [
        ("0", ["0"]),
        ("0.weight", ["0"]),
        ("[03]", ["0", "3"]),
        ("type:depthwise", ["3"]),
        ("type:norm", ["1"]),
        ("conv:0", ["0"]),
        ("conv:-1", ["5"]),
        ("conv:1..", ["3", "5"]),
        ("conv:0..2", ["0", "3"]),
        ("last:2", ["5", "9"]),
        ("depth:0.5..", ["5", "9"]),
        ("depth:0..0.25", ["0"]),
        ("*", ["0", "3", "5", "9"]),
    ],
)
def test_selectors(selector, expected):
    found = trained(cnn(), IMAGES, only(weights={selector: 1}))
    assert found == {f"{name}.weight": True for name in expected}


def test_path_selects_everything_below(mobilenet):
    chosen = schemes.select(only(weights={"features.12": 1}), mobilenet).trained
    assert list(chosen) == [f"features.12.conv.{i}.0.weight" for i in range(3)]


def test_one_layer_goes_before_several():
    assert trained(cnn(), IMAGES, only(weights={"*": 0, "5": 1})) == {"5.weight": True}
    assert trained(cnn(), IMAGES, only(weights={"5": 1, "*": 0})) == {"5.weight": True}
    assert trained(cnn(), IMAGES, only(weights={"5": 1, "conv:2": 1})) == {"5.weight": True}


def test_biases():
    model = cnn()
    assert set(trained(model, IMAGES, "bias_only")) == {"1.bias", "3.bias", "5.bias", "9.bias"}
    assert set(trained(model, IMAGES, only(biases=3))) == {"3.bias", "5.bias", "9.bias"}
    # Before the last layer, which is trained anyhow; the first convolution's is its norm's.
    assert set(trained(model, IMAGES, Sparse(biases=3))) == {"1.bias", "3.bias", "5.bias", "9.bias", "9.weight"}
    assert set(trained(model, IMAGES, only(biases_from="conv:1"))) == {"3.bias", "5.bias", "9.bias"}
    assert set(trained(model, IMAGES, only(biases=["0", "type:linear"]))) == {"1.bias", "9.bias"}
    assert "biases=4: the model has 3 of them before the last layer" in problem(model, IMAGES, Sparse(biases=4))
    assert set(trained(encoder(), TOKENS, "norm_only")) == {
        f"encoder.layers.0.norm{i}.{p}" for i in (1, 2) for p in ("weight", "bias")
    }


@pytest.mark.parametrize(
    "scheme, message",
    [
        (only(weights={"features": 1}), "weights['features']: there is no such layer"),
        (only(weights={"2": 1}), "weights['2']: this module has no parameters"),
        (only(weights={"7*": 1}), "weights['7*']: there is no such layer"),
        (only(weights={"conv:3": 1}), "the model has 3 of these, conv:0 to conv:2"),
        (only(weights={"type:embedding": 1}), "its layers are of the kinds conv, depthwise, linear, norm"),
        (only(weights={"typ:conv": 1}), "typ: is not known; nearest: type:"),
        (only(weights={"5": [12]}), "there is no channel 12; it has 8 along dimension 1"),
        (only(weights={"5": 1, "conv:2": 0.5}), "both choose 5.weight, and differ"),
        (only(), "it trains nothing; scheme=\"last_layer\" would train 9.weight and 9.bias"),
        (only(biases_from="11"), "biases_from='11': there is no such layer"),
    ],
)
def test_what_does_not_fit(scheme, message):
    assert message in problem(cnn(), IMAGES, scheme)


def test_nearest_names_and_all_problems(mobilenet):
    with pytest.raises(InvalidArgumentError) as caught:
        schemes.select(Sparse(weights={"features.12.conv.0.9": 1, "clasifier": 1}), mobilenet)
    message = str(caught.value)
    assert "features.12.conv.0.0" in message and "nearest: classifier" in message


def test_frozen_parameters_stay_frozen():
    model = cnn()
    for name in ("5.weight", "5.bias", "9.bias"):
        model.get_parameter(name).requires_grad_(False)
    for scheme in ("full", "bias+last", only(weights={"*": 1}, biases_from="0")):
        assert not {"5.weight", "5.bias", "9.bias"} & set(trained(model, IMAGES, scheme))
    message = problem(model, IMAGES, only(weights={"5": 1}, biases=["5"]))
    assert "5.weight has requires_grad=False and stays frozen" in message and "5.bias has" in message
    for parameter in model[9].parameters():
        parameter.requires_grad_(False)
    assert "it trains nothing (4 of 9 parameters have requires_grad=False)" in problem(model, IMAGES, "last_layer")


# -- channels ------------------------------------------------------------------------------


def test_counts():
    assert [count_channels(r, 10) for r in (0, 0.01, 0.25, 0.35, 0.349, 1)] == [0, 1, 3, 4, 3, 10]
    assert count_channels(0.29, 50) == 15  # 14.5; the product of the doubles is 14.499...
    assert to_ranges([3, 4, 5, 8]) == [(3, 6), (8, 9)] and to_ranges([]) == []


def test_criteria():
    weight = np.random.default_rng(0).normal(size=(6, 8, 3, 3)).astype(np.float32)
    norms = [np.linalg.norm(weight[:, c]) for c in range(8)]
    assert choose(weight, 1, 3, "largest_norm", 0, "a") == sorted(sorted(range(8), key=lambda c: -norms[c])[:3])
    assert choose(np.ones((4, 6)), 1, 2, "largest_norm", 0, "a") == [0, 1]
    assert choose(weight, 1, 3, "first", 0, "a") == [0, 1, 2]
    drawn = [choose(weight, 1, 4, "random", seed, name) for seed, name in ((0, "a"), (0, "a"), (1, "a"), (0, "b"))]
    assert drawn[0] == drawn[1] == sorted(set(drawn[0])) and len({tuple(d) for d in drawn}) > 1


def test_ratios_on_a_model():
    model = cnn()
    found = trained(model, IMAGES, only(weights={
        "0": 0.34, "3": 0.25, "5": Ratio(0.5, "output", "first"), "9": {"channels": [4, 0, 1], "along": "output"}}))  # fmt: skip
    weights = {n: p.detach().double().numpy() for n, p in model.named_parameters()}
    by_input = np.sqrt((weights["0.weight"] ** 2).sum((0, 2, 3)))
    assert found["0.weight"] == schemes.ChannelSet(1, (int(by_input.argmax()),))
    by_depthwise = np.sqrt((weights["3.weight"] ** 2).sum((1, 2, 3)))
    assert found["3.weight"] == schemes.ChannelSet(0, tuple(sorted(np.argsort(-by_depthwise)[:2].tolist())))
    assert found["5.weight"] == schemes.ChannelSet(0, tuple(range(6)))
    assert found["9.weight"].to_attribute() == "#pocket.channels<dim = 0, [0 to 2], [4 to 5]>"
    # All of the channels are the whole weight, and a part and the whole make the whole.
    assert trained(model, IMAGES, only(weights={"3": list(range(8))})) == {"3.weight": True}
    assert trained(model, IMAGES, only(weights={"9": 0.5}) + LastLayer())["9.weight"] is True
    both = only(weights={"9": [0]}) + only(weights={"9": [3]})
    assert trained(model, IMAGES, both)["9.weight"] == schemes.ChannelSet(1, (0, 3))
    crossed = only(weights={"9": [0]}) + only(weights={"9": [0]}, along="output")
    assert "channels along dimension 1 and along dimension 0" in problem(model, IMAGES, crossed)
    assert trained(encoder(), TOKENS, only(weights={"embed": [1, 2]}))["embed.weight"].dim == 0


def test_annotations():
    model = imported(cnn(), IMAGES)
    before = str(model.module).partition("@predict")[2]
    schemes.apply(Sparse(weights={"5": [1, 2, 5]}), model)
    entries = [ir.DictAttr(e) for e in ir.ArrayAttr(forward_of(model.module).attributes["arg_attrs"])]
    found = {ir.StringAttr(e["pocket.param"]).value: str(e["pocket.needs_grad"]) for e in entries if "pocket.param" in e}
    assert found.pop("5.weight") == "#pocket.channels<dim = 1, [1 to 3], [5 to 6]>"
    assert {name for name, value in found.items() if value == "true"} == {"9.weight", "9.bias"}
    assert set(found.values()) == {"true", "false"}
    assert str(model.module).partition("@predict")[2] == before


# -- files ----------------------------------------------------------------------------------

SPARSE = Sparse(
    weights={"0": 0.5, "3": Channels([1, 2]), "5": Ratio(0.25, "output", Random(3)), "9": Channels([0], "output")},
    biases=["conv:1"], biases_from="5", classifier=False, along="output", criterion="random", seed=7,
)  # fmt: skip


@pytest.mark.parametrize("scheme", [Full(), SPARSE, Sparse(biases=3), Norms() + SPARSE + LastLayer()])
def test_files_give_back_what_was_saved(scheme, tmp_path):
    path = tmp_path / "scheme.yaml"
    scheme.save(path)
    assert schemes.load(path) == scheme == schemes.resolve(str(path)) == schemes.resolve(path)
    assert list(tmp_path.iterdir()) == [path]
    assert schemes.Scheme.from_dict(json.loads(json.dumps(scheme.to_dict()))) == scheme


@pytest.mark.parametrize(
    "text, message",
    [
        ("scheme: sparse\nweigths: {a: 1}\n", "line 2: weigths: unknown key; nearest: weights"),
        ("scheme: sparse\nweights:\n  a: 1\n  b: 2\n", "line 4: weights: b: a ratio is a number from 0 to 1, not 2"),
        ("weights:\n  a: 1\n  a: 0\n", "line 3: weights: a: it stands in line 2 and in line 3"),
        ("scheme: full\nbiases: 3\n", "line 2: biases: unknown key"),
        ("scheme: sparce\n", "line 1: scheme: 'sparce' is not known; nearest: sparse"),
        ("scheme: union\nschemes:\n- last_layer\n- scheme: norm\n", "line 4: schemes: 1: scheme: 'norm' is not known"),
        ("weights: 3\n", "line 1: weights: give a dict"),
        ("classifier: 1\n", "line 1: classifier: give True or False"),
        ("- full\n", "line 1: a scheme is a dict"),
        ("", "line 1: a scheme is a dict"),
        ("a: [1\n", "this is no YAML"),
    ],
)
def test_files_that_are_no_schemes(text, message, tmp_path):
    path = tmp_path / "scheme.yaml"
    path.write_text(text)
    with pytest.raises(InvalidArgumentError) as caught:
        schemes.load(path)
    assert message in str(caught.value) and str(path) in str(caught.value)


def test_published(mobilenet):
    assert schemes.published() == [
        f"tte/{name}kb" for name in (
            "mcunet-49", "mcunet-74", "mcunet-99", "mcunet-148", "mobilenetv2-49", "mobilenetv2-73", "mobilenetv2-99",
            "proxyless-49", "proxyless-98")]  # fmt: skip
    for name in schemes.published():
        assert schemes.resolve(name).classifier and schemes.resolve(name).biases >= 16
    chosen = schemes.select(schemes.resolve("tte/mobilenetv2-49kb"), mobilenet).trained
    weights = {n: p if p is True else (p.dim, len(p.indices)) for n, p in chosen.items() if not n.endswith("bias")}
    assert weights == {
        "features.13.conv.0.0.weight": True, "features.14.conv.0.0.weight": True,
        "features.14.conv.2.0.weight": (1, 48), "features.15.conv.0.0.weight": (1, 7),
        "features.16.conv.0.0.weight": (1, 7), "features.17.conv.0.0.weight": (1, 7),
        "features.17.conv.1.0.weight": (0, 42), "classifier.weight": True,
    }  # fmt: skip
    # The lowest bias is that of the lowest weight's convolution: nothing below is reached.
    biases = [n for n in chosen if n.endswith("bias")]
    assert len(biases) == 17 and "features.13.conv.0.1.bias" in biases and "features.12.conv.2.1.bias" not in biases


# -- the table -----------------------------------------------------------------------------


def test_report():
    report = schemes.describe(cnn(), IMAGES, Sparse(weights={"5": [1, 2]}))
    rows = {row.layer: row for row in report.rows}
    assert [row.layer for row in report.rows] == ["0", "1", "3", "5", "9"]
    assert rows["5"].ratio == 0.25 and rows["5"].gradient_bytes == 4 * 2 * 12 and rows["5"].weight
    assert rows["9"].gradient_bytes == 4 * (60 + 5) and rows["9"].bias and not rows["0"].weight
    assert rows["0"].bias is None and report.gradient_bytes == 96 + 260 and report.trained_parameters == 89
    assert rows["0"].cost.gradient_flops == 0 and rows["0"].cost.saved_bytes == 0
    assert rows["0"].cost.forward_flops == 2 * 4 * 8 * 64 * 27
    assert rows["5"].cost.gradient_flops > 0 and report.total.saved_bytes > 0
    lines = str(report).splitlines()
    assert lines[0] == "sparse on Sequential: 89 of 485 parameters trained (18.4%)"
    assert len(lines) == 3 + 5 + 2 and report.channels() == "5.weight: dim 1, 1-2"


def test_less_is_kept():
    """What is kept and computed backward on a MobileNetV2, against the full update."""

    def cost(scheme):
        torch.manual_seed(0)
        report = schemes.describe(zoo.MobileNetV2().eval(), torch.randn(1, 3, 128, 128), scheme)
        # With the momentum that SGD keeps for every gradient.
        return report.total, report.total.saved_bytes + 2 * report.gradient_bytes

    full, everything = cost("full")
    biases, _ = cost("bias_only")
    sparse, chosen = cost("tte/mobilenetv2-49kb")
    assert 12 * biases.saved_bytes <= full.saved_bytes
    assert 15 * chosen <= everything
    assert sparse.gradient_flops < biases.gradient_flops < full.gradient_flops
    assert full.forward_flops <= sparse.forward_flops <= 1.05 * full.forward_flops


def test_the_documented_example(mobilenet, tmp_path, monkeypatch):
    """docs/schemes.md: the object, the file that it is saved as, and the layers it names."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "schemes.md").read_text()
    blocks = [block.partition("\n") for block in text.split("```")[1::2]]
    (code,) = (body for kind, _, body in blocks if kind == "python" and "Sparse(" in body)
    (file,) = (body for kind, _, body in blocks if kind == "yaml")
    monkeypatch.chdir(tmp_path)
    scope = {"pocket": pocket}
    exec(code, scope)
    assert schemes.load("scheme.yaml") == scope["scheme"]
    assert len(trained_by(scope["scheme"], mobilenet)) > 4
    Path("file.yaml").write_text(file)
    written = schemes.load("file.yaml")
    assert written.weights.items() >= scope["scheme"].weights.items()
    assert "features.15.conv.0.0.weight" in trained_by(written, mobilenet)


def test_the_base_is_no_scheme():
    with pytest.raises(TypeError, match="abstract"):
        schemes.Scheme()


def test_costs_that_are_not_known_are_dashes():
    from pocket_mlir.schemes.table import build_report

    model = imported(cnn(), IMAGES)
    assert schemes.read_costs(model.module) == {}
    report = build_report(Full(), schemes.select(Full(), model), {})
    assert report.total is None and report.rest is None and str(report).splitlines()[-1].split()[-3:] == ["-"] * 3


# -- training ------------------------------------------------------------------------------


def reference_steps(model, names, batches, lr, dtype):
    model = copy.deepcopy(model).to(dtype)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name in names)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr, momentum=0.9)
    for x, y in batches:
        optimizer.zero_grad()
        F.cross_entropy(model(x.to(dtype) if x.is_floating_point() else x), y).backward()
        optimizer.step()
    return {k: v.detach().double().numpy() for k, v in model.state_dict().items()}


@pytest.mark.parametrize("scheme", ["full", "last_layer", "bias_only", "norm_only", "norm+last", "bias+last",
                                    Sparse(weights={"depth:0.5..": 1}, biases_from="depth:0.5..")], ids=str)  # fmt: skip
@pytest.mark.parametrize("make", [cnn, encoder])
def test_training_agrees_with_pytorch(make, scheme):
    """Twenty steps: what is trained is PyTorch's, everything else is what it was, bit by bit."""
    model = make()
    torch.manual_seed(1)
    batches = []
    for _ in range(20):
        x = torch.randn(4, 3, 8, 8) if make is cnn else torch.randint(0, 20, (4, 6))
        batches.append((x, torch.randint(0, 5, (4,))))
    names = set(trained(model, (batches[0][0],), scheme))
    program = pocket.compile(model, batches[0][0], optimizer=pocket.optim.SGD(momentum=0.9), scheme=scheme)
    assert schemes.resolve(program.manifest["scheme"]) == schemes.resolve(scheme)
    session = program.session(threads=1)
    for x, y in batches:
        session.step(x, y, lr=0.02)
    got = {k: np.asarray(v) for k, v in session.state_dict().items()}
    session.close()
    exact = reference_steps(model, names, batches, 0.02, torch.float64)
    single = reference_steps(model, names, batches, 0.02, torch.float32)
    initial = {k: v.numpy() for k, v in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        if name not in names:
            np.testing.assert_array_equal(got[name], initial[name], err_msg=name)
            continue
        scale = np.abs(exact[name]).max()
        error, error32 = (np.abs(state[name] - exact[name]).max() / scale for state in (got, single))
        assert error <= max(3 * error32, 1e-4), (name, error, error32)
        assert np.any(got[name] != initial[name]), name


def test_compile_complains_before_anything_slow(monkeypatch):
    with pytest.raises(InvalidArgumentError, match="nearest: last_layer"):
        pocket.compile(None, None, scheme="last_leyer")
    monkeypatch.setattr("pocket_mlir.compiler.lower_to_linalg", None)
    with pytest.raises(CompileError, match="there is no such layer"):
        pocket.compile(cnn(), IMAGES, scheme=Sparse(weights={"nowhere": 1}))


def test_unions_are_flat():
    assert Union((Full(), Union((Norms(), Full())))).schemes == (Full(), Norms())
    with pytest.raises(TypeError):
        Full() + "last"
