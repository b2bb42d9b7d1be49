"""Training steps of real models for other processors: compiled to the end, and run where an emulator can."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import emulator
import pocket_mlir as pocket

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import models as zoo  # noqa: E402
from test_training import bert_tiny  # noqa: E402


def mobilenetv2():
    """Model, batch as keyword arguments, targets, loss."""
    torch.manual_seed(0)
    return zoo.MobileNetV2().eval(), {"x": torch.randn(2, 3, 32, 32)}, torch.randint(0, 10, (2,)), "cross_entropy"


def bert():
    torch.manual_seed(0)
    tokens = torch.randint(0, 200, (2, 12))
    return bert_tiny(), {"input_ids": tokens}, {"labels": torch.randint(0, 3, (2,))}, None


MODELS = {"mobilenetv2": mobilenetv2, "bert-tiny": bert}


def compiled(name: str, target: str):
    model, inputs, targets, loss = MODELS[name]()
    program = pocket.compile(model, inputs, loss=loss, example_targets=targets, target=target)
    return program, inputs, targets


def arguments(program, batch, rate: float) -> list[np.ndarray]:
    """What a first step gets, in the program's layouts."""
    values = []
    for entry in program.signatures["train_step"].arguments:
        if entry.kind == "learning_rate":
            value = np.array(rate, np.float32)
        elif entry.kind == "state":
            value = np.full(entry.shape, entry.initial, np.float32)
        elif entry.kind in ("input", "target"):
            value = batch[entry.name]
        else:
            value = entry.to_storage(np.asarray(program.weights[entry.name]))
        values.append(np.array(value, order="C"))  # ascontiguousarray makes a scalar a vector
    return values


@pytest.mark.parametrize("name", MODELS)
def test_cuda_compiles_to_the_end(name):
    program, _, _ = compiled(name, "cuda:sm_87")
    assert b"sm_87" in program.vmfb and b".visible .entry" in program.vmfb
    assert program.manifest["target"]["driver"] == "cuda"


@emulator.needs_emulator
@pytest.mark.parametrize("name", MODELS)
def test_aarch64_step_equals_the_hosts(name, tmp_path):
    program, inputs, targets = compiled(name, "aarch64:cortex-a76")
    batch = {key: value.numpy() for key, value in inputs.items()}
    labels = targets if isinstance(targets, dict) else {"target": targets}
    batch.update({key: value.numpy() for key, value in labels.items()})
    signature = program.signatures["train_step"]
    rate = 0.05
    results = emulator.run(
        program.vmfb, "train_step", arguments(program, batch, rate), len(signature.results), tmp_path
    )
    host, _, _ = compiled(name, "host")
    with host.session(threads=1) as session:
        loss = session.step(**batch, lr=rate)
        state = session.state_dict()
    got = dict(zip([entry.key for entry in signature.results], results, strict=True))
    entries = {entry.key: entry for entry in signature.arguments}
    compared = 0
    for key, value in got.items():
        if key[0] == "loss":
            assert value == pytest.approx(loss, rel=1e-4)
            continue
        want = np.asarray(state[key[1]], dtype=np.float64)
        value = entries[key].to_logical(value)
        # A key's bias gets no gradient but rounding, hence the absolute part.
        assert np.abs(value - want).max() <= 1e-4 * np.abs(want).max() + 1e-7, key
        compared += 1
    assert compared >= len([entry for entry in signature.arguments if entry.kind == "parameter"])
