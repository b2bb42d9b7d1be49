"""The hand-written perceptron of fixtures/mlp.mlir as a program, and its twin in numpy.

Tests of the runtime use it: they need no frontend, no autodiff and no PyTorch.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from pocket_mlir import optim, targets
from pocket_mlir.program import Program

FIXTURES = Path(__file__).parent / "fixtures"
SHAPES = {"fc1.weight": (32, 16), "fc1.bias": (32,), "fc2.weight": (4, 32), "fc2.bias": (4,)}


def _entry(kind, name, shape, dtype="f32", **more):
    return {"kind": kind, "name": name, "shape": list(shape), "dtype": dtype, "layout": None, **more}


def _stored(kind, **more):
    entries = [_entry(kind, name, shape, **more) for name, shape in SHAPES.items()]
    # The first weight is stored transposed.
    entries[0].update(shape=[16, 32], layout=[1, 0])
    return entries


def manifest(target: str = "host") -> dict:
    parameters, momenta = _stored("parameter"), _stored("state", state="momentum_buffer")
    x = _entry("input", "x", (8, 16))
    target_entry = _entry("target", "target", (8,), "i64", valid={"min": 0, "max": 3, "ignore": None})
    return {
        "format": "pocket-bundle",
        "version": 1,
        "model": "Perceptron",
        "target": targets.parse(target).to_manifest(),
        "functions": {
            "train_step": {
                "arguments": [*parameters, *momenta, _entry("learning_rate", "lr", ()), x, target_entry],
                "results": [_entry("loss", "loss", ()), *parameters, *momenta],
            },
            "predict": {"arguments": [*parameters, x], "results": [_entry("output", "output0", (8, 4))]},
        },
        "memory": None,
        "optimizer": optim.SGD(momentum=0.9).to_manifest(),
        "compiler": {"pocket_mlir": "0", "iree": "0"},
        "aliases": {"tied.bias": "fc2.bias"},
    }


@functools.cache
def compiled(target: str = "host") -> targets.CompiledModule:
    return targets.compile_module((FIXTURES / "mlp.mlir").read_text(), target)


def weights(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: (rng.standard_normal(shape) * 0.3).astype(np.float32) for name, shape in SHAPES.items()}


def program(seed: int = 0) -> Program:
    return Program(manifest(), compiled().vmfb, weights(seed))


def batches(count: int, seed: int = 1) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal((8, 16)).astype(np.float32), rng.integers(0, 4, 8)) for _ in range(count)
    ]


class Twin:
    """The same training in float64."""

    def __init__(self, start: dict[str, np.ndarray]):
        self.w = {name: value.astype(np.float64) for name, value in start.items()}
        self.m = {name: np.zeros_like(value) for name, value in self.w.items()}

    def forward(self, x):
        h = np.maximum(x @ self.w["fc1.weight"].T + self.w["fc1.bias"], 0)
        return h, h @ self.w["fc2.weight"].T + self.w["fc2.bias"]

    def step(self, x, target, lr):
        x = x.astype(np.float64)
        h, y = self.forward(x)
        z = y - y.max(1, keepdims=True)
        logp = z - np.log(np.exp(z).sum(1, keepdims=True))
        rows = np.arange(len(x))
        dy = np.exp(logp)
        dy[rows, target] -= 1
        dy /= len(x)
        dh = (dy @ self.w["fc2.weight"]) * (h > 0)
        grads = {"fc1.weight": dh.T @ x, "fc1.bias": dh.sum(0), "fc2.weight": dy.T @ h, "fc2.bias": dy.sum(0)}
        for name, grad in grads.items():
            self.m[name] = 0.9 * self.m[name] + grad
            self.w[name] = self.w[name] - lr * self.m[name]
        return -logp[rows, target].mean()
