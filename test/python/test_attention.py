"""PyTorch's attention layers with every kind of mask: losses and gradients against PyTorch.

The gradients are those that `pocket-autodiff` builds, in the reference interpreter and in
double precision; some cases are compiled and take a real step too.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import pocket_mlir as pocket
from pocket_mlir import frontend, reference
from pocket_mlir._mlir import ir, passmanager

BATCH, LENGTH, WIDTH, HEADS = 2, 5, 8, 2
PIPELINE = "builtin.module(pocket-forward-pipeline,pocket-gradient-pipeline)"

PADDING = torch.zeros(BATCH, LENGTH, dtype=torch.bool)
PADDING[1, 3:] = True
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)


def as_float(mask: torch.Tensor) -> torch.Tensor:
    return torch.zeros(mask.shape).masked_fill(mask, float("-inf"))


class Encoder(nn.Module):
    def __init__(self, dropout=0.0, **options):
        super().__init__()
        options = {"batch_first": True, **options}
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 16, dropout, **options)
        self.encoder = nn.TransformerEncoder(layer, 1)

    def forward(self, x, padding=None, mask=None):
        return self.encoder(x, mask=mask, src_key_padding_mask=padding)


class CausalEncoder(Encoder):
    """The mask is the model's own: a buffer, or made anew in each call, with the hint or without."""

    def __init__(self, where, hint=None):
        super().__init__()
        self.where, self.hint = where, hint
        self.register_buffer("mask", as_float(CAUSAL), persistent=where == "state")

    def forward(self, x):
        made = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.encoder(x, mask=made if self.where == "made" else self.mask, is_causal=self.hint)


class Attention(nn.Module):
    def __init__(self, need_weights, dropout=0.0):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, dropout, batch_first=True)
        self.need_weights = need_weights

    def forward(self, x, padding=None, mask=None):
        y, weights = self.attention(
            x, x, x, key_padding_mask=padding, attn_mask=mask, need_weights=self.need_weights
        )
        return y if weights is None else torch.cat([y, weights], -1)


class Scaled(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.project, self.dropout = nn.Linear(WIDTH, 3 * WIDTH), dropout

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in self.project(x).chunk(3, -1))
        dropout = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout)


MASKS = {
    "no mask": {},
    "bool padding": {"padding": PADDING},
    "float padding": {"padding": as_float(PADDING)},
    "soft padding": {"padding": torch.linspace(-2, 2, BATCH * LENGTH).reshape(BATCH, LENGTH)},
    "bool causal": {"mask": CAUSAL},
    "float causal": {"mask": as_float(CAUSAL)},
    "bool both": {"padding": PADDING, "mask": CAUSAL},
    "float both": {"padding": as_float(PADDING), "mask": as_float(CAUSAL)},
}
LAYERS = {
    "encoder": Encoder,
    "attention": lambda: Attention(need_weights=False),
    "attention with weights": lambda: Attention(need_weights=True),
}
# name: model, inputs by name without x
CASES = {f"{layer}, {mask}": (LAYERS[layer], MASKS[mask]) for layer in LAYERS for mask in MASKS}
CASES |= {
    "encoder, pre-norm": (lambda: Encoder(norm_first=True, activation="gelu"), MASKS["bool both"]),
    "encoder, sequence first": (lambda: Encoder(batch_first=False), MASKS["bool padding"]),
    "causal, made": (lambda: CausalEncoder("made"), {}),
    "causal, made, with the hint": (lambda: CausalEncoder("made", True), {}),
    "causal, constant": (lambda: CausalEncoder("constant"), {}),
    "causal, in the state": (lambda: CausalEncoder("state"), {}),
    "scaled, causal": (Scaled, {}),
}
WITH_DROPOUT = {
    "encoder": (lambda: Encoder(dropout=0.4), MASKS["bool padding"]),
    "attention": (lambda: Attention(True, dropout=0.4), MASKS["float both"]),
    "scaled": (lambda: Scaled(dropout=0.4), {}),
}


def batch(model, masks):
    x = torch.randn(BATCH, LENGTH, WIDTH)
    first = isinstance(model, Encoder) and not model.encoder.layers[0].self_attn.batch_first
    return {"x": x.transpose(0, 1).contiguous() if first else x, **masks}


def loss(outputs, target):
    return ((outputs - target) ** 2).mean()


def pytorch(model, inputs, target):
    """The loss and the gradients by name, in double precision."""
    model = copy.deepcopy(model).double()
    inputs = {k: v.double() if v.is_floating_point() else v for k, v in inputs.items()}
    value = loss(model(**inputs), target.double())
    value.backward()
    return value.item(), {name: p.grad.numpy() for name, p in model.named_parameters()}


def ours(model, inputs, target):
    """The same, by our differentiation."""
    imported = frontend.import_model(model, inputs, loss, example_targets=target)
    module = imported.module
    with module.context:
        passmanager.PassManager.parse(PIPELINE).run(module.operation)
    values = {f"param {name}": value for name, value in imported.parameters.items()}
    values |= {f"buffer {name}": value for name, value in imported.buffers.items()}
    values |= {f"role input name {name}": value.numpy() for name, value in inputs.items()}
    values["role target name target"] = target.numpy()
    function = reference.interpreter.find_function(module, "train_step")
    arguments = []
    for argument, name in zip(
        function.regions[0].blocks[0].arguments, reference.argument_identities(module, "train_step"), strict=True
    ):
        # A weight may be stored transposed.
        shape = tuple(ir.RankedTensorType(argument.type).shape)
        arguments.append(values[name] if values[name].shape == shape else values[name].T)
    results = dict(
        zip(
            reference.result_identities(module, "train_step"),
            reference.run(module, "train_step", arguments, dtype=np.float64),
            strict=True,
        )
    )
    prefix = "role gradient param "
    return results["role loss"], {k.removeprefix(prefix): v for k, v in results.items() if k.startswith(prefix)}


def assert_gradients(got, wanted, tolerance):
    assert set(got) == set(wanted)
    for name, value in wanted.items():
        found = got[name] if got[name].shape == value.shape else got[name].T
        # A key's bias changes no softmax: its gradient is rounding, of about this size.
        scale = max(np.abs(value).max(), 1e-4)
        assert np.abs(found - value).max() <= tolerance * scale, name


def check(model, masks):
    inputs = batch(model, masks)
    target = torch.randn_like(model(**inputs))
    value, gradients = ours(model, inputs, target)
    wanted, wanted_gradients = pytorch(model, inputs, target)
    assert value == pytest.approx(wanted, rel=1e-6)
    assert_gradients(gradients, wanted_gradients, 1e-5)


# Without dropout the modes differ only in the layers' fast paths for inference.
IN_EVAL_MODE = ["encoder, bool both", "encoder, sequence first", "attention with weights, float padding", "causal, made"]


@pytest.mark.parametrize(
    ("name", "mode"), [*((name, "train") for name in CASES), *((name, "eval") for name in IN_EVAL_MODE)]
)
def test_gradients_without_dropout(name, mode):
    torch.manual_seed(0)
    make, masks = CASES[name]
    check(make().train(mode == "train"), masks)


@pytest.mark.parametrize("name", WITH_DROPOUT)
def test_gradients_with_dropout_in_eval_mode(name):
    torch.manual_seed(0)
    make, masks = WITH_DROPOUT[name]
    check(make().eval(), masks)


@pytest.mark.parametrize(
    "name", ["encoder, bool both", "causal, made", "attention with weights, float both", "scaled, causal"]
)
def test_a_compiled_step(name):
    torch.manual_seed(0)
    make, masks = CASES[name]
    model = make().train()
    inputs = batch(model, masks)
    target = torch.randn_like(model(**inputs))
    program = pocket.compile(model, inputs, loss=loss, example_targets=target)
    wanted, gradients = pytorch(model, inputs, target)
    rate = 1024.0  # so that the weights' own rounding disappears in the difference
    with program.session(threads=1) as session:
        before = {k: np.asarray(v, np.float64) for k, v in session.state_dict().items()}
        assert session.step(inputs, target, lr=rate) == pytest.approx(wanted, rel=1e-5)
        after = {k: np.asarray(v, np.float64) for k, v in session.state_dict().items()}
    assert_gradients({k: (before[k] - after[k]) / rate for k in gradients}, gradients, 1e-4)


def test_dropout_in_training_mode_says_what_to_do():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = Encoder(dropout=0.1)
            self.pool = Attention(True, dropout=0.2)
            self.scaled = Scaled(dropout=0.3)

        def forward(self, x):
            return self.scaled(self.pool(self.encoder(x))[..., :WIDTH])

    model, x = Model().train(), torch.randn(BATCH, LENGTH, WIDTH)
    with pytest.raises(pocket.UnsupportedModelError) as caught:
        pocket.compile(model, x, loss="mse")
    offenders = {offender.layer: offender for offender in caught.value.offenders}
    layer = "encoder.encoder.layers.0"
    assert set(offenders) == {
        *(f"{layer}.{name}" for name in ("self_attn", "dropout", "dropout1", "dropout2")),
        "pool.attention",
        "scaled",
    }
    for offender in offenders.values():
        assert "dropout with p=" in offender.found
        assert "set its probability to 0" in offender.advice and ".eval()" in offender.advice
    # Each of the ways that it tells.
    for name in ("dropout", "dropout1", "dropout2"):
        model.get_submodule(f"{layer}.{name}").p = 0.0
    model.get_submodule(f"{layer}.self_attn").dropout = 0.0
    model.pool.attention.eval()
    model.scaled.dropout = 0.0
    frontend.import_model(model, x, "mse")
