"""Every scheme on real models, twenty steps against PyTorch with the same mask.

In PyTorch the whole model is differentiated and, after each step, what the scheme does not
train is put back. What is trained may be three times as far from double precision as
PyTorch's single precision is in the farther of two roundings, or 1e-4 of the largest value;
everything else keeps its bits.
"""

from __future__ import annotations

import copy
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import pocket_mlir as pocket
from pocket_mlir import schemes
from pocket_mlir.frontend import import_model
from pocket_mlir.schemes import Channels, Ratio, Sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import models as zoo  # noqa: E402
from test_training import bert_tiny, roundings  # noqa: E402


def mobilenetv2():
    return with_norms(zoo.MobileNetV2().eval())


def dscnn():
    return with_norms(zoo.DSCNN().eval())


def with_norms(model):
    """Norms as after some training: from zero, a bias would be measured against next to nothing."""
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.normal_(module.bias, std=0.3)
    return model


def batches(make, count):
    """(keyword or positional inputs, target) of each step."""
    torch.manual_seed(1)
    for _ in range(count):
        if make is bert_tiny:
            yield {"input_ids": torch.randint(0, 200, (4, 8))}, torch.randint(0, 3, (4,))
        elif make is dscnn:
            yield (torch.randn(4, 1, 49, 10),), torch.randint(0, 12, (4,))
        else:
            yield (torch.randn(4, 3, 32, 32),), torch.randint(0, 10, (4,))


# Of each model an early layer, a depthwise or embedding one, and a late one, with ranges
# at the edges and in between.
CHANNELS = {
    mobilenetv2: {
        "features.0.0": Channels([0, 2], "input"),
        "features.3.conv.1.0": [0, 5, 6, 7, 20],
        "features.12.conv.0.0": Ratio(0.5, "output"),
        "features.16.conv.2": Ratio(0.25, criterion=schemes.Random(3)),
        "features.17.conv.0.0": Ratio(0.3, "input", "first"),
    },
    dscnn: {
        "stem.0": Channels([1, 2, 63], "output"),
        "blocks.1.0.0": [0, 63],
        "blocks.2.1.0": Ratio(0.5),
        "blocks.3.1.0": Ratio(0.125, "output", schemes.Random(1)),
        "head": Channels([0, 4, 5], "output"),
    },
    bert_tiny: {
        "bert.embeddings.word_embeddings": [0, 1, 7, 8, 9, 50, 199],
        "bert.encoder.layer.0.attention.self.query": Ratio(0.25),
        "bert.encoder.layer.0.attention.self.value": Ratio(0.5, "output", "first"),
        "bert.encoder.layer.1.intermediate.dense": Ratio(0.25, criterion=schemes.Random(2)),
        "bert.encoder.layer.1.output.dense": Channels([0, 31, 32, 127], "output"),
    },
}
SCHEMES = {
    **dict.fromkeys(("last_layer", "bias_only", "norm_only", "norm+last", "bias+last")),
    "channels": lambda make: Sparse(weights=CHANNELS[make], classifier=make is not dscnn),
    "channels+biases": lambda make: Sparse(weights=CHANNELS[make], biases=4, classifier=make is not dscnn),
    "full": None,
}
OPTIMIZERS = {
    "sgd": (pocket.optim.SGD(momentum=0.9, weight_decay=0.01),
            lambda p: torch.optim.SGD(p, 0.01, momentum=0.9, weight_decay=0.01), 0.01),
    "adamw": (pocket.optim.AdamW(eps=1e-3), lambda p: torch.optim.AdamW(p, 1e-3, eps=1e-3), 1e-3),
}  # fmt: skip


def masks(model, trained):
    """By parameter, what trains: booleans of its shape."""
    result = {}
    for name, parameter in model.named_parameters():
        mask = torch.zeros(parameter.shape, dtype=torch.bool)
        part = trained.get(name, False)
        if part is True:
            mask[:] = True
        elif part is not False:
            mask.index_fill_(part.dim, torch.tensor(part.indices), True)
        result[name] = mask
    return result


def reference(model, mask, steps, make_optimizer, dtype):
    model = copy.deepcopy(model).to(dtype)
    if not isinstance(steps[0][0], dict) and not steps[0][0][0].is_contiguous():
        model = model.to(memory_format=torch.channels_last)
    initial = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimizer = make_optimizer(model.parameters())
    for inputs, target in steps:
        optimizer.zero_grad()
        if isinstance(inputs, dict):
            outputs = model(**inputs).logits
        else:
            outputs = model(*(x.to(dtype) for x in inputs))
        F.cross_entropy(outputs, target).backward()
        optimizer.step()
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                parameter.copy_(torch.where(mask[name], parameter, initial[name]))
    return {name: parameter.detach().double().numpy() for name, parameter in model.named_parameters()}


def loss(outputs, target):
    return F.cross_entropy(getattr(outputs, "logits", outputs), target)


def check(make, scheme, optimizer, steps=20):
    torch.manual_seed(0)
    model = make()
    data = list(batches(make, steps))
    inputs, target = data[0]
    ours, theirs, rate = OPTIMIZERS[optimizer]
    program = pocket.compile(model, inputs, example_targets=target, loss=loss, optimizer=ours, scheme=scheme)
    trained = schemes.select(schemes.resolve(scheme), import_model(model, inputs)).trained
    mask = masks(model, trained)
    assert any(m.any() for m in mask.values())
    session = program.session(threads=1)
    for inputs, target in data:
        if isinstance(inputs, dict):
            session.step(**inputs, target=target, lr=rate)
        else:
            session.step(*inputs, target, lr=rate)
    got = {name: np.asarray(value) for name, value in session.state_dict().items()}
    state = session.optimizer_state_dict()["state"]
    session.close()
    exact = reference(model, mask, data, theirs, torch.float64)
    singles = [reference(model, mask, each, theirs, torch.float32) for each in roundings(data)]
    for name, parameter in model.named_parameters():
        initial, moves = parameter.detach().numpy(), mask[name].numpy()
        np.testing.assert_array_equal(got[name][~moves], initial[~moves], err_msg=name)
        assert (name in state) == bool(moves.any()), name
        if not moves.any():
            continue
        for values in state[name].values():
            # State is kept for what is trained only.
            assert np.asarray(values).size == moves.sum(), name
        scale = np.abs(exact[name]).max()
        error, *errors32 = (np.abs(each[name] - exact[name]).max() / scale for each in (got, *singles))
        assert error <= max(3 * max(errors32), 1e-4), (name, error, errors32)
        gone = np.abs(exact[name] - initial)[moves].max()
        assert gone == 0 or np.any(got[name][moves] != initial[moves]), name


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("make", [mobilenetv2, dscnn, bert_tiny], ids=lambda make: make.__name__)
def test_twenty_steps_agree_with_pytorch(make, scheme):
    check(make, SCHEMES[scheme](make) if SCHEMES[scheme] else scheme, "sgd")


@pytest.mark.parametrize("make", [dscnn, bert_tiny], ids=lambda make: make.__name__)
def test_adamw_on_channels(make):
    check(make, SCHEMES["channels+biases"](make), "adamw")


@pytest.mark.parametrize("name", [name for name in schemes.published() if "mobilenetv2" in name])
def test_published(name):
    check(mobilenetv2, name, "sgd")
