"""Optimizers as descriptions, and learning-rate schedules."""

from __future__ import annotations

import math

import pytest

from pocket_mlir import errors, optim


def test_defaults_are_torchs():
    torch = pytest.importorskip("torch")
    parameter = [torch.nn.Parameter(torch.zeros(1))]
    for ours, theirs in (
        (optim.SGD(), torch.optim.SGD(parameter)),
        (optim.AdamW(), torch.optim.AdamW(parameter)),
    ):
        for name, value in vars(ours).items():
            assert theirs.defaults[name] == value, name


def test_pass_options():
    assert optim.SGD(momentum=0.9, nesterov=True, weight_decay=0.01).to_pass_options() == (
        "optimizer=sgd momentum=0.9 nesterov=true weight-decay=0.01"
    )
    assert optim.AdamW(betas=[0.8, 0.99]).to_pass_options() == (
        "optimizer=adamw beta1=0.8 beta2=0.99 epsilon=1e-08 weight-decay=0.01"
    )
    assert optim.SGD().to_manifest() == {"name": "sgd", "momentum": 0.0, "nesterov": False, "weight-decay": 0.0}


def test_state():
    assert optim.SGD().state() == ()
    assert [s.name for s in optim.SGD(momentum=0.5).state()] == ["momentum_buffer"]
    assert [(s.name, s.per_parameter, s.initial) for s in optim.AdamW().state()] == [
        ("exp_avg", True, 0.0),
        ("exp_avg_sq", True, 0.0),
        ("step", False, 0.0),
    ]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: optim.SGD(momentum=-0.1), "momentum must be at least 0, got -0.1"),
        (lambda: optim.SGD(momentum=math.nan), "momentum must be at least 0, got nan"),
        (lambda: optim.SGD(nesterov=True), "needs a momentum"),
        (lambda: optim.SGD(weight_decay="much"), "weight_decay must be a number, got 'much'"),
        (lambda: optim.AdamW(betas=(0.9, 1.0)), r"betas\[1\] must be at least 0 and below 1, got 1.0"),
        (lambda: optim.AdamW(betas=0.9), "betas must be a pair"),
        (lambda: optim.AdamW(eps=math.inf), "eps must be at least 0"),
        (lambda: optim.cosine(0.1, steps=10, warmup=10), "no room"),
    ],
)
def test_wrong_values(make, message):
    with pytest.raises(errors.InvalidArgumentError, match=message):
        make()


def test_schedules():
    assert [optim.constant(0.5)(step) for step in (0, 9)] == [0.5, 0.5]
    warm = optim.linear(1.0, steps=12, warmup=2, final=0.5)
    assert [warm(step) for step in (0, 1, 2, 7, 12, 99)] == [0.5, 1.0, 1.0, 0.75, 0.5, 0.5]
    wave = optim.cosine(1.0, steps=10)
    assert wave(0) == 1.0 and wave(5) == pytest.approx(0.5) and wave(10) == pytest.approx(0.0)
    assert all(wave(step) > wave(step + 1) for step in range(10))
