"""Random programs: what a pass must not change.

Each program is a chain of movement, elementwise and reduction ops with constants such
as 0 and 1 sprinkled in, where simplifications lurk. The inputs hold NaN and infinities
for the passes that only rewrite, and ordinary numbers for gradients, which are held
against differences in double precision.
"""

from __future__ import annotations

import numpy as np
import pytest
from op_programs import operation_text, pocket_opt, type_text

from pocket_mlir import reference
from pocket_mlir.reference import TensorType, call

UNARY = ["neg", "abs", "relu", "tanh", "sigmoid", "exp", "silu", "hardswish", "floor", "sign",
         "reciprocal", "sqrt", "log", "gelu", "hardsigmoid", "erf", "stop_gradient"]
BINARY = ["add", "sub", "mul", "div", "maximum", "minimum"]
SMOOTH = ["neg", "tanh", "sigmoid", "silu", "gelu", "erf", "sin", "cos", "softplus"]


class Builder:
    """Grows a random program, op by op, and evaluates it on the way for the shapes."""

    def __init__(self, seed: int, smooth: bool):
        self.rng = np.random.default_rng(seed)
        self.unary, self.binary = (SMOOTH, ["add", "sub", "mul"]) if smooth else (UNARY, BINARY)
        self.smooth = smooth
        self.lines: list[str] = []
        self.values: dict[str, np.ndarray] = {}
        self.inputs: list[str] = []
        for _ in range(2):
            self._input(tuple(self.rng.integers(1, 4, self.rng.integers(0, 4))))

    def _input(self, shape):
        values = self.rng.standard_normal(shape)
        if not self.smooth:
            special = self.rng.choice([0.0, 1.0, np.nan, np.inf, -np.inf, -0.0], shape)
            values = np.where(self.rng.random(shape) < 0.2, special, values)
        name = f"%a{len(self.inputs)}"
        self.inputs.append(name)
        self.values[name] = np.asarray(values, np.float32)

    def emit(self, op, operands, attributes=None, shape=None):
        arrays = [self.values[name] for name in operands]
        types = [TensorType(shape, np.dtype(np.float32))] if shape is not None else None
        (result,) = call(op, arrays, attributes, types)
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = " + operation_text(
            op, operands, [self.type(n) for n in operands],
            [type_text(result.shape, result.dtype)], attributes))
        self.values[name] = result
        return name

    def type(self, name):
        return type_text(self.values[name].shape, self.values[name].dtype)

    def constant(self, shape):
        value = float(self.rng.choice([0.0, 1.0, -1.0, 2.0, 0.5]))
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = pocket.constant dense<{value!r}> : "
                          f"{type_text(shape, np.float32)}")
        self.values[name] = np.full(shape, value, np.float32)
        return name

    def pick(self):
        names = [n for n, v in self.values.items() if v.dtype == np.float32]
        # Mostly a recent value, so that chains get long.
        return names[-1 - min(int(self.rng.exponential(1.5)), len(names) - 1)]

    def partner(self, shape):
        """A value that broadcasts against `shape`, often a constant."""
        fitting = [n for n, v in self.values.items() if v.dtype == np.float32 and
                   _broadcasts(shape, v.shape)]
        if not fitting or self.rng.random() < 0.4:
            shape = tuple(n if self.rng.random() < 0.7 else 1 for n in shape)
            return self.constant(shape[self.rng.integers(0, len(shape) + 1):])
        return fitting[self.rng.integers(len(fitting))]

    def step(self):
        x = self.pick()
        shape = self.values[x].shape
        rank, rng = len(shape), self.rng
        kind = rng.choice(["unary", "binary", "binary", "reshape", "transpose", "broadcast",
                           "slice", "pad", "reduce", "concat", "reverse", "select", "unit"])
        if kind == "unary":
            self.emit(rng.choice(self.unary), [x])
        elif kind == "binary":
            pair = [x, self.partner(shape)]
            self.emit(rng.choice(self.binary), pair if rng.random() < 0.7 else pair[::-1])
        elif kind == "reshape":
            size = int(np.prod(shape))
            factors = [d for d in range(1, size + 1) if size % d == 0]
            first = int(rng.choice(factors))
            shapes = [(size,), (first, size // first), (1, *shape), (*shape, 1), shape]
            self.emit("reshape", [x], shape=shapes[rng.integers(len(shapes))])
        elif kind == "transpose" and rank:
            self.emit("transpose", [x], {"permutation": tuple(map(int, rng.permutation(rank)))})
        elif kind == "broadcast" and self.values[x].size < 200:
            leading = (2,) if rng.random() < 0.3 else ()
            self.emit("broadcast", [x], shape=leading + tuple(
                3 if n == 1 and rng.random() < 0.5 else n for n in shape))
        elif kind == "slice" and rank:
            strides = rng.integers(1, 3, rank)
            offsets = np.array([rng.integers(0, n) for n in shape])
            sizes = [rng.integers(1, (n - o - 1) // s + 2)
                     for n, o, s in zip(shape, offsets, strides, strict=True)]
            self.emit("slice", [x], {"offsets": _ints(offsets), "sizes": _ints(sizes),
                                     "strides": _ints(strides)})
        elif kind == "pad" and rank:
            self.emit("pad", [x], {"low": _ints(rng.integers(0, 2, rank)),
                                   "high": _ints(rng.integers(0, 2, rank)),
                                   "value": float(rng.choice([0.0, 1.0]))})
        elif kind == "reduce" and rank:
            dims = tuple(d for d in range(rank) if rng.random() < 0.5)
            ops = ["sum", "mean"] if self.smooth else ["sum", "mean", "reduce_max", "reduce_min"]
            self.emit(rng.choice(ops), [x], {"dims": dims, "keepdims": bool(rng.random() < 0.5)})
        elif kind == "concat" and rank and self.values[x].size < 200:
            self.emit("concat", [x] * int(rng.integers(1, 3)), {"dim": int(rng.integers(rank))})
        elif kind == "reverse" and rank:
            self.emit("reverse", [x], {"dims": tuple(d for d in range(rank) if rng.random() < 0.5)})
        elif kind == "select":
            condition = self.emit("compare", [x, self.partner(shape)],
                                  {"predicate": str(rng.choice(["lt", "ge", "eq", "ne"]))})
            self.emit("select", [condition, x, self.partner(shape)])
        elif kind == "unit":  # x + 0, x * 1 and the like
            constant = self.constant(shape if rng.random() < 0.5 else ())
            self.emit(rng.choice(self.binary), [x, constant])

    def results(self):
        return [n for n, v in self.values.items() if n.startswith("%v") and
                v.dtype == np.float32][-3:]

    def arguments(self):
        return [self.values[name] for name in self.inputs]


def _ints(values):
    return tuple(int(v) for v in values)


def _broadcasts(shape, other):
    try:
        return np.broadcast_shapes(shape, other) == shape
    except ValueError:
        return False


def random_program(seed: int, smooth: bool) -> Builder:
    builder = Builder(seed, smooth)
    while len(builder.lines) < 14:
        builder.step()
    return builder


# --- Rewriting: the same results, bit for bit or nearly --------------------------------

REWRITTEN = 200


def function_text(builder: Builder, name: str) -> str:
    arguments = ", ".join(f"{n}: {builder.type(n)}" for n in builder.inputs)
    results = builder.results()
    types = ", ".join(map(builder.type, results))
    return "\n".join([f"func.func @{name}({arguments}) -> ({types}) {{", *builder.lines,
                      f"  return {', '.join(results)} : {types}", "}"])


@pytest.fixture(scope="module")
def canonicalized():
    programs = [random_program(seed, smooth=False) for seed in range(REWRITTEN)]
    text = "\n".join(function_text(p, f"f{seed}") for seed, p in enumerate(programs))
    after = pocket_opt(text, "--canonicalize", "--cse")
    return programs, reference.parse(text), reference.parse(after)


@pytest.mark.parametrize("seed", range(REWRITTEN))
def test_canonicalize_keeps_the_meaning(seed, canonicalized):
    programs, before, after = canonicalized
    arguments = programs[seed].arguments()
    expected = reference.run(before, f"f{seed}", arguments)
    got = reference.run(after, f"f{seed}", arguments)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


# --- Gradients: against differences --------------------------------------------------------


def forward_text(builder: Builder) -> str:
    arguments = ", ".join(
        f'{n}: {builder.type(n)} {{pocket.param = "{n[1:]}", pocket.needs_grad = true}}'
        for n in builder.inputs)
    # Every value has a part in the loss, so that every input does.
    loss = builder.constant(())
    for y in [n for n, v in builder.values.items() if v.dtype == np.float32]:
        part = builder.emit("sum", [y], {"dims": tuple(range(builder.values[y].ndim))})
        loss = builder.emit("add", [loss, part])
    return "\n".join([
        f'func.func @forward({arguments}) -> (tensor<f32> {{pocket.role = "loss"}}) {{',
        *builder.lines, f"  return {loss} : tensor<f32>", "}"])


@pytest.mark.parametrize("seed", range(60))
def test_gradient_is_the_slope(seed):
    builder = random_program(seed, smooth=True)
    text = forward_text(builder)
    step = pocket_opt(text, "--pocket-autodiff", "--canonicalize")
    point = [a.astype(np.float64) for a in builder.arguments()]
    rng = np.random.default_rng(seed)
    direction = [rng.standard_normal(a.shape) for a in point]

    results = dict(zip(reference.result_identities(step, "train_step"),
                       reference.run(step, "train_step", point, dtype=np.float64), strict=True))
    slope = sum(np.sum(results[f"role gradient param a{number}"] * v)
                for number, v in enumerate(direction))

    module = reference.parse(text)

    def loss(h):
        at = [a + h * v for a, v in zip(point, direction, strict=True)]
        return reference.run(module, "forward", at, dtype=np.float64)[0]

    h = 1e-5
    expected = (loss(h) - loss(-h)) / (2 * h)
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6)
