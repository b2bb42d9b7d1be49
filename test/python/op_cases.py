"""The table of operation cases: inputs, attributes and what PyTorch makes of them.

Each `Case` is one operation on given arrays, and a function that does the same in
PyTorch. `test_ops.py` evaluates all of them in the reference interpreter, in
IREE and in PyTorch, forward and gradient. A new op or a new corner is a line here.

Inputs hold zeros, ties and negative numbers on purpose: `grid` draws multiples of
1/4 (so kinks are hit exactly), `normal` and `positive` draw from everywhere.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pocket_mlir.reference.types import Channels

__all__ = ["CASES", "FAMILIES", "Case"]


@dataclass(frozen=True, eq=False)
class Case:
    """One operation on given inputs.

    Attributes:
        op: name in the pocket dialect, without the prefix.
        label: what is particular about this case.
        family: group of cases that are compiled together.
        inputs: numpy arrays; the floats are float32.
        torch: the same in PyTorch: a tensor or a tuple of them, one for each result.
        attributes: by name, as Python values.
        wrt: which inputs to compare gradients for.
        tolerance: largest error of a float32 result, relative to its largest element.
    """

    op: str
    label: str
    family: str
    inputs: tuple[np.ndarray, ...]
    torch: Callable[..., Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    wrt: tuple[int, ...] = ()
    tolerance: float = 1e-5

    @property
    def id(self) -> str:
        return f"{self.op}-{self.label}"

    def tensors(self, dtype) -> list[torch.Tensor]:
        """The inputs as PyTorch tensors, floats in the given type."""
        tensors = [torch.from_numpy(np.array(a)) for a in self.inputs]
        return [t.to(dtype) if t.is_floating_point() else t for t in tensors]

    def evaluate(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        results = self.torch(*tensors)
        return results if isinstance(results, tuple) else (results,)

    @cached_property
    def results(self) -> list[np.ndarray]:
        """PyTorch's results in double precision."""
        return [r.detach().numpy() for r in self.evaluate(*self.tensors(torch.float64))]

    @cached_property
    def result_dtypes(self) -> list[np.dtype]:
        return [
            np.dtype(np.float32) if r.dtype == np.float64 and self.attributes.get("to") != "f64"
            else r.dtype
            for r in self.results
        ]

    @cached_property
    def cotangent(self) -> np.ndarray:
        """What the first result is weighted with in the loss whose gradient is compared."""
        rng = np.random.default_rng(zlib.crc32(b"cotangent" + self.id.encode()))
        return np.asarray(rng.standard_normal(self.results[0].shape), np.float32)

    @cached_property
    def gradients(self) -> dict[int, np.ndarray]:
        """PyTorch's gradients of sum(result 0 * cotangent), in double precision."""
        if not self.wrt:
            return {}
        tensors = self.tensors(torch.float64)
        for number in self.wrt:
            tensors[number].requires_grad_()
        loss = (self.evaluate(*tensors)[0] * torch.from_numpy(self.cotangent)).sum()
        wanted = [tensors[number] for number in self.wrt]
        if not loss.requires_grad:
            return {n: np.zeros(t.shape) for n, t in zip(self.wrt, wanted, strict=True)}
        grads = torch.autograd.grad(loss, wanted, allow_unused=True, materialize_grads=True)
        return {n: g.numpy() for n, g in zip(self.wrt, grads, strict=True)}


CASES: list[Case] = []
_family = ""


def _add(op, label, inputs, function, wrt="floats", tolerance=1e-5, **attributes):
    inputs = tuple(np.asarray(a) for a in inputs)
    if wrt == "floats":
        wrt = tuple(i for i, a in enumerate(inputs) if a.dtype == np.float32)
    CASES.append(Case(op, label, _family, inputs, function, attributes, tuple(wrt or ()), tolerance))


# --- Inputs -----------------------------------------------------------------------

_rng = np.random.default_rng(20261129)


def normal(*shape, scale=1.0):
    return np.asarray(_rng.standard_normal(shape) * scale, np.float32)


def grid(*shape, low=-4, high=4):
    """Multiples of 1/4: exact zeros, exact bounds, and many ties."""
    return np.asarray(_rng.integers(low * 4, high * 4 + 1, shape) / 4, np.float32)


def positive(*shape):
    return np.asarray(_rng.uniform(0.1, 4, shape), np.float32)


def away_from_zero(*shape):
    return np.asarray(positive(*shape) * _rng.choice([-1, 1], shape), np.float32)


def integers(high, *shape, low=0, dtype=np.int64):
    return np.asarray(_rng.integers(low, high, shape), dtype)


def booleans(*shape):
    return np.asarray(_rng.integers(0, 2, shape), bool)


def floats(*values):
    return np.asarray(values, np.float32)


# --- Elementwise, one operand -------------------------------------------------------

_family = "unary"

_SHAPES = [(), (7,), (3, 5), (2, 1, 9), (2, 3, 4, 5), (1, 2, 3, 2, 2), (1,), (33, 3)]
_shapes = itertools.cycle(_SHAPES)

SPECIAL = floats(np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 80.0, -80.0)


def _unary(op, function, draw=grid, special=True, count=2, tolerance=1e-5, label="", wrt="floats",
           **attributes):
    for _ in range(count):
        shape = next(_shapes)
        name = label + ("x".join(map(str, shape)) or "scalar")
        _add(op, name, [draw(*shape)], function, tolerance=tolerance, wrt=wrt, **attributes)
    _add(op, f"{label}dense", [draw(67)], function, tolerance=tolerance, wrt=wrt, **attributes)
    if special:
        _add(op, f"{label}special", [SPECIAL], function, wrt=None, tolerance=tolerance,
             **attributes)


_unary("neg", torch.neg)
_unary("abs", torch.abs)
_unary("exp", torch.exp)
_unary("expm1", torch.expm1)
_unary("expm1", torch.expm1, draw=lambda *s: normal(*s, scale=1e-3), special=False,
       label="tiny-")
_unary("log", torch.log, draw=positive)
_unary("log1p", torch.log1p, draw=positive)
_unary("log1p", torch.log1p, draw=lambda *s: normal(*s, scale=1e-3), special=False,
       label="tiny-")
_unary("sqrt", torch.sqrt, draw=positive)
_unary("rsqrt", torch.rsqrt, draw=positive)
_unary("reciprocal", torch.reciprocal, draw=away_from_zero)
_unary("tanh", torch.tanh)
_unary("sigmoid", torch.sigmoid)
_unary("erf", torch.erf)
_unary("sin", torch.sin, special=False)
_unary("cos", torch.cos, special=False)
_unary("floor", torch.floor)
_unary("ceil", torch.ceil)
_unary("round", torch.round)
_unary("sign", lambda x: torch.where(x.isnan(), x, x.sign()))  # PyTorch gives 0 for NaN
_unary("relu", torch.relu)
_unary("silu", F.silu)
_unary("hardsigmoid", F.hardsigmoid)
_unary("hardswish", F.hardswish)
_unary("softplus", lambda x: F.softplus(x, 1.0, 20.0), beta=1.0, threshold=20.0)
_unary("softplus", lambda x: F.softplus(x, 2.0, 3.0), label="beta2-", beta=2.0, threshold=3.0)
_unary("gelu", F.gelu, approximate="none")
_unary("gelu", lambda x: F.gelu(x, approximate="tanh"), label="tanh-", approximate="tanh")
_unary("leaky_relu", lambda x: F.leaky_relu(x, 0.1), slope=0.1)
_unary("elu", lambda x: F.elu(x, 1.5), alpha=1.5)
_unary("hardtanh", lambda x: F.hardtanh(x, -1.0, 1.0), min=-1.0, max=1.0)
_unary("hardtanh", F.relu6, label="relu6-", draw=lambda *s: grid(*s, low=-2, high=8),
       min=0.0, max=6.0)
_unary("clamp", lambda x: x.clamp(-1.0, 2.0), min=-1.0, max=2.0)
_unary("logical_not", torch.logical_not, draw=booleans, special=False)
_unary("stop_gradient", lambda x: x.detach(), special=False)
_unary("neg", torch.neg, draw=lambda *s: integers(9, *s, low=-9, dtype=np.int32), special=False,
       label="i32-", count=1)
_unary("abs", torch.abs, draw=lambda *s: integers(9, *s, low=-9), special=False, label="i64-",
       count=1)

# --- Elementwise, several operands ----------------------------------------------------

_family = "binary"

_PAIRS = [
    ((), ()),
    ((5,), (5,)),
    ((3, 4), (4,)),
    ((3, 1), (1, 4)),
    ((2, 3, 4), ()),
    ((2, 3, 5, 1), (3, 1, 7)),
    ((1, 2, 1, 2, 3), (2, 1, 3, 1, 3)),
    ((1,), (4, 1, 2)),
]
_pairs = itertools.cycle(_PAIRS)


def _binary(op, function, left=grid, right=grid, count=3, label="", wrt="floats", **attributes):
    for _ in range(count):
        a, b = next(_pairs)
        name = label + "_".join("x".join(map(str, s)) or "scalar" for s in (a, b))
        _add(op, name, [left(*a), right(*b)], function, wrt=wrt, **attributes)


_NAN_LEFT, _NAN_RIGHT = floats(np.nan, 1, np.nan, 0, np.inf), floats(1, np.nan, np.nan, 0, -np.inf)

for _op, _function in {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
    "maximum": torch.maximum, "minimum": torch.minimum,
}.items():
    _binary(_op, _function, right=away_from_zero if _op == "div" else grid, count=4)
    _add(_op, "special", [_NAN_LEFT, _NAN_RIGHT], _function, wrt=None)
    if _op != "div":
        _add(_op, "i64", [integers(9, 3, 4, low=-9), integers(9, 4, low=-9)], _function)
        _add(_op, "i32", [integers(9, 3, 1, low=-9, dtype=np.int32),
                          integers(9, 4, low=-9, dtype=np.int32)], _function)
_add("div", "i64", [integers(50, 6, 7, low=-50), integers(9, 7, low=1) * [1, -1, 1, -1, 1, -1, 1]],
     lambda a, b: torch.div(a, b, rounding_mode="trunc"))
_add("div", "by-zero", [floats(1, -1, 0), floats(0, 0, 0)], torch.div, wrt=None)
_add("maximum", "ties", [grid(40, low=-1, high=1), grid(40, low=-1, high=1)], torch.maximum)
_add("minimum", "ties", [grid(40, low=-1, high=1), grid(40, low=-1, high=1)], torch.minimum)
# The gradient of the exponent takes a logarithm: a positive base.
_binary("pow", torch.pow, left=positive, right=grid)
_add("pow", "negative-base", [grid(31), np.full((31,), 3, np.float32)], torch.pow, wrt=(0,))
_add("pow", "square", [grid(3, 5), floats(2)], torch.pow, wrt=(0,))
_add("pow", "zero-base", [floats(0, 0, 0, 2), floats(2, 1, 3, 0)], torch.pow)
_add("pow", "special", [floats(0, 0, -2, -2, 2, np.inf, 0.5), floats(0, -1, 0.5, -3, 0, 0, 200)],
     torch.pow, wrt=None)
for _op, _function in {"and": torch.bitwise_and, "or": torch.bitwise_or,
                       "xor": torch.bitwise_xor}.items():
    _binary(_op, _function, booleans, booleans, count=2)
    _add(_op, "i32", [integers(99, 5, low=-99, dtype=np.int32),
                      integers(99, 2, 1, low=-99, dtype=np.int32)], _function)
for _predicate in ("eq", "ne", "lt", "le", "gt", "ge"):
    _compare = getattr(torch, _predicate)
    _binary("compare", _compare, count=1, label=f"{_predicate}-", wrt=None, predicate=_predicate)
    _add("compare", f"{_predicate}-special", [_NAN_LEFT, _NAN_RIGHT], _compare, wrt=None,
         predicate=_predicate)
    _add("compare", f"{_predicate}-i64", [integers(4, 3, 5, low=-4), integers(4, 5, low=-4)],
         _compare, predicate=_predicate)
_add("compare", "eq-i1", [booleans(9), booleans(9)], torch.eq, predicate="eq")
_add("select", "same", [booleans(3, 5), grid(3, 5), grid(3, 5)], torch.where)
_add("select", "broadcast", [booleans(3, 1), grid(5), grid()], torch.where)
_add("select", "broadcast-condition", [booleans(4), grid(2, 3, 4), grid(3, 1)], torch.where)
_add("select", "ranks", [booleans(2, 1, 1, 3, 1), grid(4, 1, 5), grid(1, 5)], torch.where)
_add("select", "i64", [booleans(3, 5), integers(9, 3, 5), integers(9, 5)], torch.where)

_TO_TORCH = {"f32": torch.float32, "f16": torch.float16, "i64": torch.int64, "i32": torch.int32,
             "i8": torch.int8, "i1": torch.bool}


def _convert(label, x, to, wrt=None):
    # Double precision stands for every float, so a float result stays one.
    target = torch.float64 if to == "f32" else _TO_TORCH[to]
    _add("convert", label, [x], lambda t: t.to(target), wrt=wrt)


_convert("i64-f32", integers(99, 3, 5, low=-99), "f32")
_convert("i32-f32", integers(99, 7, low=-99, dtype=np.int32), "f32")
_convert("i1-f32", booleans(2, 3), "f32")
_convert("f32-i64", grid(31), "i64")
_convert("f32-i32", grid(31), "i32")
_convert("f32-i1", grid(31, low=-1, high=1), "i1")
_convert("i64-i32", integers(99, 5, low=-99), "i32")
_convert("i32-i64", integers(99, 5, low=-99, dtype=np.int32), "i64")
_convert("i1-i64", booleans(5), "i64")
_convert("i1-i32", booleans(5), "i32")
_convert("i64-i1", integers(3, 9, low=-2), "i1")
_convert("f32-f32", grid(5), "f32", wrt="floats")

# --- Reductions -----------------------------------------------------------------------

_family = "reductions"

_REDUCED = [
    ((), ()),
    ((7,), (0,)),
    ((3, 5), (0,)),
    ((3, 5), (1,)),
    ((3, 5), (0, 1)),
    ((2, 3, 4), (1,)),
    ((2, 3, 4), (0, 2)),
    ((2, 1, 4), (1,)),
    ((2, 3, 4, 5), (0, 2, 3)),
    ((2, 3, 4, 5), (2, 3)),
    ((2, 3, 1, 2, 3), (1, 3)),
    ((33, 65), (1,)),
    ((33, 65), (0,)),
]


def _over(function, x, dims, keepdims):
    return function(x, dim=dims, keepdim=keepdims) if dims else x.clone()


for _index, (_shape, _dims) in enumerate(_REDUCED):
    for _op, _function in {"sum": torch.sum, "mean": torch.mean, "reduce_max": torch.amax,
                           "reduce_min": torch.amin}.items():
        _keep = bool((_index + len(_op)) % 2)
        _name = f"{'x'.join(map(str, _shape)) or 'scalar'}-{''.join(map(str, _dims)) or 'none'}"
        _draw = grid if "reduce" not in _op else lambda *s: grid(*s, low=-1, high=1)
        _add(_op, _name + ("-keep" if _keep else ""), [_draw(*_shape)],
             lambda x, f=_function, d=_dims, k=_keep: _over(f, x, d, k),
             dims=_dims, keepdims=_keep)
for _op, _function in {"reduce_max": torch.amax, "reduce_min": torch.amin}.items():
    _add(_op, "special", [floats(1, np.nan, 2, -np.inf, -np.inf, -np.inf, np.inf, 1, 2)
                          .reshape(3, 3)],
         lambda x, f=_function: f(x, dim=(1,)), wrt=None, dims=(1,), keepdims=False)
_add("sum", "i64", [integers(9, 3, 5, low=-9)], lambda x: x.sum(1), dims=(1,), keepdims=False)
_add("reduce_max", "i64", [integers(9, 3, 5, low=-9)], lambda x: x.amax(1), dims=(1,),
     keepdims=False)
for _shape, _dim, _keep in [((7,), 0, False), ((3, 5), 1, False), ((3, 5), 0, True),
                            ((2, 3, 4), 1, False), ((4, 1), 1, False)]:
    _add("argmax", f"{'x'.join(map(str, _shape))}-{_dim}{'-keep' if _keep else ''}",
         [grid(*_shape, low=-1, high=1)],
         lambda x, d=_dim, k=_keep: x.argmax(d, keepdim=k), wrt=None, dim=_dim, keepdims=_keep)
_add("argmax", "special", [floats(1, np.nan, np.nan, 4, -np.inf, -np.inf, -np.inf, -np.inf)
                           .reshape(2, 4)], lambda x: x.argmax(1), wrt=None, dim=1, keepdims=False)

# --- Movement -------------------------------------------------------------------------

_family = "movement"


def _vjp(function, wrt, cotangent, *inputs):
    """The gradient of `function` for one of its inputs, for the gradient ops' own cases."""
    twice = any(t.requires_grad for t in (cotangent, *inputs))
    inputs = list(inputs)
    inputs[wrt] = inputs[wrt].detach().clone().requires_grad_()
    y = function(*inputs)
    return torch.autograd.grad(y, inputs[wrt], cotangent, create_graph=twice)[0]


for _from, _to in [((), (1,)), ((1, 1), ()), ((6,), (2, 3)), ((2, 3, 4), (6, 4)),
                   ((2, 3, 4), (4, 3, 2)), ((1, 5, 1), (5,)), ((2, 3, 4, 5), (2, 60)),
                   ((4, 6), (2, 2, 3, 2, 1)), ((3, 4), (3, 4))]:
    _add("reshape", f"{'x'.join(map(str, _from)) or 'scalar'}_{'x'.join(map(str, _to)) or 'scalar'}",
         [grid(*_from)], lambda x, s=_to: x.reshape(s))
for _shape, _permutation in [((3, 5), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 3, 4), (0, 2, 1)),
                             ((2, 3, 4, 5), (0, 3, 1, 2)), ((2, 1, 3, 2, 2), (4, 1, 0, 3, 2)),
                             ((4,), (0,))]:
    _add("transpose", "".join(map(str, _permutation)), [grid(*_shape)],
         lambda x, p=_permutation: x.permute(p), permutation=_permutation)
for _from, _to in [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (2, 3)), ((1, 3, 1), (2, 2, 3, 4)),
                   ((4,), (4,)), ((1, 1), (1, 5))]:
    _add("broadcast",
         f"{'x'.join(map(str, _from)) or 'scalar'}_{'x'.join(map(str, _to))}",
         [grid(*_from)], lambda x, s=_to: x.expand(s))

_SLICES = [
    ((7,), (2,), (3,), (1,)),
    ((7,), (0,), (4,), (2,)),
    ((5, 6), (1, 0), (3, 6), (1, 1)),
    ((5, 6), (1, 1), (2, 2), (2, 3)),
    ((2, 3, 4), (0, 2, 1), (2, 1, 2), (1, 1, 2)),
    ((2, 3, 7, 7), (0, 1, 1, 0), (2, 2, 3, 4), (1, 1, 2, 2)),
]


def _slice(x, offsets, sizes, strides):
    return x[tuple(slice(o, o + (n - 1) * s + 1, s)
                   for o, n, s in zip(offsets, sizes, strides, strict=True))]


for _shape, _offsets, _sizes, _strides in _SLICES:
    _args = (_offsets, _sizes, _strides)
    _name = "x".join(map(str, _shape)) + "-" + "".join(map(str, _strides))
    _add("slice", _name, [grid(*_shape)], lambda x, a=_args: _slice(x, *a),
         offsets=_offsets, sizes=_sizes, strides=_strides)
    _add("slice_grad", _name, [grid(*_sizes)],
         lambda dy, n=_shape, a=_args: _vjp(lambda x: _slice(x, *a), 0, dy, dy.new_zeros(n)),
         offsets=_offsets, strides=_strides)
_add("concat", "two", [grid(2, 3), grid(4, 3)], lambda *p: torch.cat(p, 0), dim=0)
_add("concat", "three", [grid(2, 3, 1), grid(2, 1, 1), grid(2, 2, 1)],
     lambda *p: torch.cat(p, 1), dim=1)
_add("concat", "channels", [grid(2, 3, 4, 4), grid(2, 5, 4, 4)], lambda *p: torch.cat(p, 1), dim=1)
_add("concat", "one", [grid(3)], lambda *p: torch.cat(p, 0), dim=0)
_add("concat", "i64", [integers(9, 2), integers(9, 3)], lambda *p: torch.cat(p, 0), dim=0)


def _padded(x, low, high, value):
    widths = [w for pair in reversed(list(zip(low, high, strict=True))) for w in pair]
    return F.pad(x, widths, value=value)


for _shape, _low, _high, _value in [((5,), (1,), (2,), 0.0), ((3, 4), (0, 1), (2, 0), 1.5),
                                    ((2, 3, 4, 4), (0, 0, 1, 2), (0, 0, 1, 0), 0.0),
                                    ((2, 3), (0, 0), (0, 1), -np.inf)]:
    _add("pad", "x".join(map(str, _shape)), [grid(*_shape)],
         lambda x, a=(_low, _high, _value): _padded(x, *a), low=_low, high=_high, value=_value)
for _shape, _dims in [((5,), (0,)), ((3, 4), (1,)), ((2, 3, 4), (0, 2)), ((2, 3, 4, 5), (2, 3))]:
    _add("reverse", "x".join(map(str, _shape)), [grid(*_shape)],
         lambda x, d=_dims: x.flip(d), dims=_dims)

for _name, _indices, _padding in [
    ("vector", integers(7, 5), -1),
    ("matrix", integers(7, 3, 4), -1),
    ("scalar", integers(7), -1),
    ("padding", np.array([[0, 2, 2], [6, 0, 2]]), 2),
    ("i32", integers(7, 3, 4, dtype=np.int32), 0),
]:
    _embed = lambda w, i, p=_padding: F.embedding(i, w, padding_idx=p if p >= 0 else None)
    _add("embedding", _name, [grid(7, 5), _indices], _embed, padding_idx=_padding)
    _add("embedding_grad", _name, [grid(*_indices.shape, 5), _indices],
         lambda dy, i, f=_embed: _vjp(f, 0, dy, dy.new_zeros(7, 5), i),
         wrt=None, padding_idx=_padding)
for _name, _shape, _indices, _dim in [
    ("dim0", (5, 3), integers(5, 2, 3), 0),
    ("dim1", (4, 6), integers(6, 4, 2), 1),
    ("smaller", (4, 6, 2), integers(6, 3, 5, 1), 1),
    ("repeated", (2, 3), np.array([[0, 0, 0, 2], [1, 1, 2, 1]]), 1),
    ("vector", (5,), integers(5, 7), 0),
]:
    _gather = lambda x, i, d=_dim: torch.gather(x, d, i)
    _add("gather", _name, [grid(*_shape), _indices], _gather, dim=_dim)
    _add("gather_grad", _name, [grid(*_indices.shape), _indices],
         lambda dy, i, f=_gather, s=_shape: _vjp(f, 0, dy, dy.new_zeros(s), i), wrt=None, dim=_dim)

# --- Linear ---------------------------------------------------------------------------

_family = "matmul"

for (_batch, _m, _k, _n), _ta, _tb in itertools.chain(
    zip([((), 3, 4, 5), ((2,), 5, 3, 4), ((2, 3), 4, 1, 5), ((), 1, 7, 1)],
        [False] * 4, [False] * 4),
    zip([((), 3, 4, 5), ((2,), 3, 4, 5), ((), 17, 33, 9)], [True] * 3, [False] * 3),
    zip([((), 3, 4, 5), ((2, 2), 3, 4, 5), ((), 33, 64, 10)], [False] * 3, [True] * 3),
    zip([((), 3, 4, 5), ((3,), 2, 5, 2)], [True] * 2, [True] * 2),
):
    _add("matmul", f"{'x'.join(map(str, (*_batch, _m, _k, _n)))}-{'t' if _ta else 'n'}"
                   f"{'t' if _tb else 'n'}",
         [grid(*_batch, *((_k, _m) if _ta else (_m, _k))),
          grid(*_batch, *((_n, _k) if _tb else (_k, _n)))],
         lambda a, b, ta=_ta, tb=_tb: (a.mT if ta else a) @ (b.mT if tb else b),
         transpose_lhs=_ta, transpose_rhs=_tb)

_family = "conv"


def _conv2d(x, w, bias=None, *, strides, padding, dilations, groups, layout):
    top, bottom, left, right = padding
    if layout == "nhwc":
        x, w = x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1)
    y = F.conv2d(F.pad(x, (left, right, top, bottom)), w, bias, strides, 0, dilations, groups)
    return y.permute(0, 2, 3, 1) if layout == "nhwc" else y


#  label: (N, Cin, H, W), (Cout, Kh, Kw), strides, padding, dilations, groups, bias
_CONVS = {
    "1x1": ((2, 3, 5, 4), (6, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1, False),
    "1x1-stride2": ((2, 3, 5, 6), (4, 1, 1), (2, 2), (0, 0, 0, 0), (1, 1), 1, False),
    "1x1-pixel": ((2, 5, 1, 1), (3, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1, True),
    "3x3": ((2, 3, 7, 6), (4, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1, True),
    "3x3-valid": ((1, 2, 5, 5), (3, 3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1, False),
    "3x3-large": ((1, 4, 13, 12), (5, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1, False),
    "3x3-stride2": ((2, 3, 8, 7), (4, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1, True),
    "3x3-stride2-large": ((1, 3, 15, 16), (4, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1, False),
    "3x3-stride2-unread": ((1, 2, 6, 6), (3, 3, 3), (2, 2), (0, 0, 0, 0), (1, 1), 1, False),
    "3x3-asymmetric": ((2, 3, 6, 6), (2, 3, 3), (2, 2), (0, 1, 0, 1), (1, 1), 1, False),
    "3x3-dilated": ((1, 3, 8, 9), (2, 3, 3), (1, 1), (2, 2, 2, 2), (2, 2), 1, True),
    "3x2-mixed": ((2, 2, 9, 7), (3, 3, 2), (2, 1), (1, 0, 2, 1), (1, 3), 1, True),
    "5x5-stride3": ((1, 2, 11, 10), (3, 5, 5), (3, 3), (2, 2, 2, 2), (1, 1), 1, False),
    "7x7-stride2": ((1, 3, 16, 16), (4, 7, 7), (2, 2), (3, 3, 3, 3), (1, 1), 1, False),
    "2x2-patches": ((2, 3, 6, 6), (4, 2, 2), (2, 2), (0, 0, 0, 0), (1, 1), 1, True),
    "1x3-row": ((1, 2, 1, 9), (2, 1, 3), (1, 1), (0, 0, 1, 1), (1, 1), 1, False),
    "groups2": ((2, 4, 6, 5), (6, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 2, True),
    "groups3-stride2": ((1, 6, 7, 7), (3, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 3, False),
    "groups2-1x1": ((2, 4, 3, 3), (4, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 2, False),
    "depthwise": ((2, 5, 7, 6), (5, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 5, True),
    "depthwise-stride2": ((2, 4, 8, 7), (4, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 4, False),
    "depthwise-5x5-stride2": ((1, 3, 9, 9), (3, 5, 5), (2, 2), (2, 2, 2, 2), (1, 1), 3, False),
    "depthwise-dilated": ((1, 3, 9, 9), (3, 3, 3), (1, 1), (2, 2, 2, 2), (2, 2), 3, False),
    "depthwise-multiplier": ((2, 3, 6, 6), (6, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3, False),
    "depthwise-pixel": ((2, 3, 1, 1), (3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 3, False),
}

for (_label, _config), _layout in itertools.product(_CONVS.items(), ("nchw", "nhwc")):
    (_n, _cin, _h, _w), (_cout, _kh, _kw), _strides, _padding, _dilations, _groups, _bias = _config
    _attrs = {"strides": _strides, "padding": _padding, "dilations": _dilations,
              "groups": _groups, "layout": _layout}
    _xs, _ws = (_n, _cin, _h, _w), (_cout, _cin // _groups, _kh, _kw)
    if _layout == "nhwc":
        _xs, _ws = (_n, _h, _w, _cin), (_kh, _kw, _cin // _groups, _cout)
    _x, _weight = grid(*_xs, low=-2, high=2), grid(*_ws, low=-2, high=2)
    _function = lambda *t, a=_attrs: _conv2d(*t, **a)
    _dy = grid(*_function(torch.zeros(_xs), torch.zeros(_ws)).shape, low=-2, high=2)
    _add("conv2d", f"{_label}-{_layout}", [_x, _weight] + ([grid(_cout)] if _bias else []),
         _function, **_attrs)
    if _layout == "nchw":  # the gradient of conv2d covers its gradient ops
        continue
    _add("conv2d_input_grad", f"{_label}-{_layout}", [_dy, _weight],
         lambda dy, w, f=_function, s=_xs: _vjp(f, 0, dy, dy.new_zeros(s), w), **_attrs)
    _add("conv2d_weight_grad", f"{_label}-{_layout}", [_x, _dy],
         lambda x, dy, f=_function, s=_ws: _vjp(f, 1, dy, x, dy.new_zeros(s)), wrt=None, **_attrs)

# --- Pools ----------------------------------------------------------------------------

_family = "pools"


def _to_nchw(x, layout):
    return x.permute(0, 3, 1, 2) if layout == "nhwc" else x


def _from_nchw(x, layout):
    return x.permute(0, 2, 3, 1) if layout == "nhwc" else x


def _max_pool2d(x, *, kernel, strides, padding, dilations, ceil_mode, layout):
    x = _to_nchw(x, layout)
    y, flat = F.max_pool2d(x, kernel, strides, padding, dilations, ceil_mode, return_indices=True)
    # PyTorch's index is that of the pixel; ours is that of the tap in the window.
    row, col = flat // x.shape[3], flat % x.shape[3]
    i = (row - torch.arange(y.shape[2])[:, None] * strides[0] + padding[0]) // dilations[0]
    j = (col - torch.arange(y.shape[3]) * strides[1] + padding[1]) // dilations[1]
    index = (i * kernel[1] + j).to(torch.int8)
    return _from_nchw(y, layout), _from_nchw(index, layout)


def _avg_pool2d(x, *, kernel, strides, padding, ceil_mode, count_include_pad, layout):
    y = F.avg_pool2d(_to_nchw(x, layout), kernel, strides, padding, ceil_mode, count_include_pad)
    return _from_nchw(y, layout)


#  label: (N, C, H, W), kernel, strides, padding, dilations, ceil_mode
_POOLS = {
    "2x2": ((2, 3, 6, 8), (2, 2), (2, 2), (0, 0), (1, 1), False),
    "2x2-odd": ((1, 2, 7, 5), (2, 2), (2, 2), (0, 0), (1, 1), False),
    "2x2-odd-ceil": ((1, 2, 7, 5), (2, 2), (2, 2), (0, 0), (1, 1), True),
    "3x3-stride2-pad": ((2, 2, 8, 9), (3, 3), (2, 2), (1, 1), (1, 1), False),
    "3x3-stride2-pad-ceil": ((1, 2, 8, 7), (3, 3), (2, 2), (1, 1), (1, 1), True),
    "ceil-last-outside": ((1, 1, 5, 4), (1, 2), (3, 3), (0, 1), (1, 1), True),
    "overlap": ((1, 3, 6, 6), (3, 3), (1, 1), (1, 1), (1, 1), False),
    "mixed": ((2, 1, 9, 7), (3, 2), (1, 3), (1, 0), (1, 1), False),
    "global": ((2, 3, 4, 5), (4, 5), (1, 1), (0, 0), (1, 1), False),
    "dilated": ((1, 2, 9, 8), (3, 3), (2, 2), (1, 1), (2, 2), False),
    "dilated-ceil": ((1, 2, 8, 8), (2, 3), (2, 2), (1, 1), (2, 1), True),
    "gaps": ((1, 2, 8, 8), (2, 2), (3, 3), (0, 0), (1, 1), False),
}

for (_label, _config), _layout in itertools.product(_POOLS.items(), ("nchw", "nhwc")):
    (_n, _c, _h, _w), _kernel, _strides, _padding, _dilations, _ceil = _config
    _xs = (_n, _h, _w, _c) if _layout == "nhwc" else (_n, _c, _h, _w)
    _attrs = {"kernel": _kernel, "strides": _strides, "padding": _padding, "ceil_mode": _ceil,
              "layout": _layout}
    _max = {**_attrs, "dilations": _dilations}
    _x = grid(*_xs, low=-1, high=1)  # many ties
    _function = lambda x, a=_max: _max_pool2d(x, **a)
    _add("max_pool2d", f"{_label}-{_layout}", [_x], _function, **_max)
    _y, _index = _function(torch.from_numpy(_x))
    _gradient_ops = _layout == "nhwc"  # elsewhere the gradient of the pool covers them
    if _gradient_ops:
        _add("max_pool2d_grad", f"{_label}-{_layout}", [grid(*_y.shape), _index.numpy()],
             lambda dy, index, f=_function, x=torch.from_numpy(_x).double():
                 _vjp(lambda t: f(t)[0], 0, dy, x.to(dy.dtype)),
             wrt=None, **_max)
    if _dilations != (1, 1):
        continue
    for _include in (True, False):
        _avg = {**_attrs, "count_include_pad": _include}
        _name = f"{_label}-{_layout}" + ("" if _include else "-without-pad")
        _function = lambda x, a=_avg: _avg_pool2d(x, **a)
        _add("avg_pool2d", _name, [grid(*_xs)], _function, **_avg)
        if _gradient_ops:
            _add("avg_pool2d_grad", _name, [grid(*_y.shape)],
                 lambda dy, f=_function, s=_xs: _vjp(f, 0, dy, dy.new_zeros(s)), wrt=None, **_avg)
_nans = grid(1, 1, 6, 6)
_nans[0, 0, 1, 1] = _nans[0, 0, 4, 4] = _nans[0, 0, 4, 5] = np.nan  # the last one of a window wins
_nans[0, 0, 2:4, 2:4] = -np.inf
_lowest = np.full((1, 1, 6, 6), -np.inf, np.float32)
for (_label, _x), _pad, _dilation in itertools.product(
        {"nan": _nans, "lowest": _lowest}.items(), (0, 1), (1, 2)):
    _max = {"kernel": (3, 3), "strides": (2, 2), "padding": (_pad, _pad),
            "dilations": (_dilation, _dilation), "ceil_mode": False, "layout": "nchw"}
    _name = f"{_label}{'-pad' if _pad else ''}{'-dilated' if _dilation > 1 else ''}"
    _add("max_pool2d", _name, [_x], lambda x, a=_max: _max_pool2d(x, **a), **_max)

# --- Norms ----------------------------------------------------------------------------

_family = "norms"

for _label, _shape, _channel in [("4d", (2, 3, 4, 5), 1), ("2d", (6, 4), 1), ("3d", (3, 4, 5), 1),
                                 ("nhwc", (2, 4, 5, 3), 3), ("one", (2, 1, 3, 3), 1)]:
    _c = _shape[_channel]

    def _batch_norm_inference(x, mean, var, scale=None, bias=None, d=_channel):
        y = F.batch_norm(x.movedim(d, 1), mean, var, scale, bias, False, 0.1, 1e-3)
        return y.movedim(1, d)

    def _batch_norm_training(x, scale=None, bias=None, d=_channel):
        y = F.batch_norm(x.movedim(d, 1), None, None, scale, bias, True, 0.1, 1e-3)
        dims = [i for i in range(x.ndim) if i != d]
        return y.movedim(1, d), x.mean(dims), x.var(dims, correction=0)

    def _reduce(dy, x, mean, d=_channel):
        dims = [i for i in range(x.ndim) if i != d]
        centered = x - mean.reshape([-1 if i == d else 1 for i in range(x.ndim)])
        return dy.sum(dims), (dy * centered).sum(dims)

    _attrs = {"epsilon": 1e-3, "channel_dim": _channel}
    _add("batch_norm_inference", _label, [grid(*_shape), grid(_c), positive(_c), grid(_c), grid(_c)],
         _batch_norm_inference, wrt=(0, 3, 4), **_attrs)
    _add("batch_norm_training", _label, [grid(*_shape), grid(_c), grid(_c)],
         _batch_norm_training, **_attrs, tolerance=3e-5)
    _add("batch_norm_reduce_grad", _label, [grid(*_shape), grid(*_shape), grid(_c)], _reduce,
         wrt=None, channel_dim=_channel)
    if _label in ("4d", "nhwc"):
        _add("batch_norm_inference", f"{_label}-plain", [grid(*_shape), grid(_c), positive(_c)],
             _batch_norm_inference, wrt=(0,), **_attrs)
        _add("batch_norm_training", f"{_label}-plain", [grid(*_shape)], _batch_norm_training,
             **_attrs, tolerance=3e-5)
# A mean far from zero: a variance by E[x^2] - E[x]^2 would lose it.
_add("batch_norm_training", "far-mean", [normal(8, 2, 4, 4) + np.float32(1000)],
     lambda x: _batch_norm_training(x, d=1), epsilon=1e-3, channel_dim=1, tolerance=1e-3)

for _label, _shape, _axis in [("2d", (3, 8), 1), ("3d", (2, 3, 16), 2), ("two-dims", (2, 3, 5), 1),
                              ("vector", (9,), 0), ("one", (3, 1), 1)]:
    _normalised = _shape[_axis:]
    _dims = tuple(range(_axis, len(_shape)))

    def _layer_norm(x, scale=None, bias=None, n=_normalised, dims=_dims):
        rstd = (x.var(dims, correction=0) + 1e-5).rsqrt()
        return F.layer_norm(x, n, scale, bias, 1e-5), x.mean(dims), rstd

    # One element: normalised to 0 whatever it was, and huge 1 / deviation.
    _tolerance = 1e-4
    _add("layer_norm", _label, [grid(*_shape), grid(*_normalised), grid(*_normalised)],
         _layer_norm, axis=_axis, epsilon=1e-5, tolerance=_tolerance)
    _add("layer_norm", f"{_label}-plain", [grid(*_shape)], _layer_norm, axis=_axis, epsilon=1e-5,
         tolerance=_tolerance)
    _x = grid(*_shape)
    _, _mean, _rstd = (t.numpy() for t in _layer_norm(torch.from_numpy(_x).double()))
    _stats = [_mean.astype(np.float32), _rstd.astype(np.float32)]

    def _layer_norm_input_grad(dy, x, mean, rstd, scale=None, f=_layer_norm):
        bias = None if scale is None else torch.zeros_like(scale)
        return _vjp(lambda t: f(t, scale, bias)[0], 0, dy, x)

    if _label != "one":  # there, float32 statistics say nothing
        _add("layer_norm_input_grad", _label, [grid(*_shape), _x, *_stats, grid(*_normalised)],
             _layer_norm_input_grad, wrt=None, axis=_axis, tolerance=_tolerance)
        _add("layer_norm_input_grad", f"{_label}-plain", [grid(*_shape), _x, *_stats],
             _layer_norm_input_grad, wrt=None, axis=_axis, tolerance=_tolerance)

for _op, _function in {"softmax": torch.softmax, "log_softmax": torch.log_softmax}.items():
    for _shape, _dim in [((7,), 0), ((3, 5), 1), ((3, 5), 0), ((2, 3, 4, 5), 3), ((2, 3, 4), 1),
                         ((3, 1), 1), ((2, 65), 1)]:
        _name = f"{'x'.join(map(str, _shape))}-{_dim}"
        _at = lambda x, f=_function, d=_dim: f(x, d)
        _add(_op, _name, [grid(*_shape)], _at, dim=_dim)
        _x = torch.from_numpy(grid(*_shape))
        _add(f"{_op}_grad", _name, [grid(*_shape), _at(_x.double()).float().numpy()],
             lambda dy, y, f=_at, x=_x: _vjp(f, 0, dy, x.to(dy.dtype)), wrt=None, dim=_dim)
    _add(_op, "large", [floats(1000, 1001, -1000, 88, 88, 88).reshape(2, 3)],
         lambda x, f=_function: f(x, 1), dim=1)
    _add(_op, "masked", [floats(0, -np.inf, 1, -np.inf).reshape(2, 2)],
         lambda x, f=_function: f(x, 1), wrt=None, dim=1)

# --- Losses ---------------------------------------------------------------------------

_family = "losses"

for _label, _rows, _number, _ignored, _smoothing, _reduction in [
    ("mean", 5, 4, (), 0.0, "mean"),
    ("sum", 5, 4, (), 0.0, "sum"),
    ("none", 5, 4, (), 0.0, "none"),
    ("one-row", 1, 3, (), 0.0, "mean"),
    ("ignored", 6, 4, (1, 4), 0.0, "mean"),
    ("ignored-sum", 6, 4, (0,), 0.0, "sum"),
    ("ignored-none", 6, 4, (0, 5), 0.0, "none"),
    ("smoothing", 5, 4, (), 0.1, "mean"),
    ("smoothing-ignored", 6, 7, (2, 3), 0.2, "mean"),
    ("smoothing-ignored-none", 6, 7, (2, 3), 0.2, "none"),
    ("ignore-class", 8, 3, "class", 0.0, "mean"),
    ("wide", 3, 130, (), 0.0, "mean"),
]:
    _targets = integers(_number, _rows)
    _ignore_index = -100
    if _ignored == "class":
        _ignore_index, _targets[0] = 1, 1
    else:
        _targets[list(_ignored)] = _ignore_index
    _attrs = {"ignore_index": _ignore_index, "label_smoothing": _smoothing, "reduction": _reduction}

    def _cross_entropy(logits, targets, a=_attrs):
        return F.cross_entropy(logits, targets, **a), logits.logsumexp(1)

    _logits = grid(_rows, _number)
    _add("cross_entropy", _label, [_logits, _targets], _cross_entropy, **_attrs)
    _lse = torch.from_numpy(_logits).logsumexp(1).numpy()
    _dloss = grid(_rows) if _reduction == "none" else grid()
    _add("cross_entropy_grad", _label, [_dloss, _logits, _targets, _lse],
         lambda dloss, logits, targets, lse, f=_cross_entropy:
             _vjp(lambda t: f(t, targets)[0], 0, dloss, logits),
         wrt=None, **_attrs)
_attrs = {"ignore_index": -100, "label_smoothing": 0.0, "reduction": "mean"}
_add("cross_entropy", "all-ignored", [grid(2, 3), np.array([-100, -100])],
     lambda x, t, a=_attrs: _cross_entropy(x, t, a), wrt=None, **_attrs)
_add("cross_entropy", "large", [floats(1000, -1000, 0, 200, 200, 200).reshape(2, 3),
                                np.array([1, 2])],
     lambda x, t, a=_attrs: _cross_entropy(x, t, a), **_attrs)

# --- Attention ------------------------------------------------------------------------

_family = "attention"


def _attention(q, k, v, mask=None, *, is_causal=False, scale):
    scores = q @ k.mT * scale
    if is_causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -torch.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    probabilities = torch.softmax(scores.detach(), -1).nan_to_num(0.0)
    if mask is not None and mask.dtype != torch.bool:
        mask = mask.to(q.dtype)
    y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=is_causal, scale=scale)
    return y, probabilities


_mask = booleans(3, 5)
_mask[:, 0] = True
_blind = _mask.copy()
_blind[1] = False
for _label, (_b, _h, _t, _s, _e, _ev), _extra, _causal in [
    ("plain", (2, 2, 3, 5, 4, 4), None, False),
    ("single", (1, 1, 1, 1, 3, 3), None, False),
    ("values", (1, 2, 3, 5, 4, 6), None, False),
    ("square", (2, 3, 8, 8, 4, 4), None, False),
    ("causal", (2, 2, 5, 5, 4, 4), None, True),
    ("causal-wide", (1, 2, 3, 5, 4, 4), None, True),
    ("boolean", (2, 2, 3, 5, 4, 4), _mask, False),
    ("boolean-blind", (1, 2, 3, 5, 4, 4), _blind, False),
    ("boolean-keys", (2, 2, 3, 5, 4, 4),
     np.array([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]], bool).reshape(2, 1, 1, 5), False),
    ("additive", (2, 2, 3, 5, 4, 4), normal(2, 1, 3, 5), False),
    ("additive-heads", (2, 2, 3, 5, 4, 4), normal(1, 2, 3, 5), False),
    ("additive-infinite", (2, 2, 3, 5, 4, 4),
     np.where(_mask, 0, -np.inf).astype(np.float32).reshape(1, 1, 3, 5), False),
]:
    _inputs = [grid(_b, _h, _t, _e, low=-2, high=2), grid(_b, _h, _s, _e, low=-2, high=2),
               grid(_b, _h, _s, _ev)]
    if _extra is not None:
        _inputs.append(_extra.reshape((1,) * (4 - _extra.ndim) + _extra.shape))
    _attrs = {"is_causal": _causal, "scale": 0.5 if _label == "plain" else _e ** -0.5}
    _add("attention", _label, _inputs, lambda *t, a=_attrs: _attention(*t, **a), wrt=(0, 1, 2),
         **_attrs)

# --- Updates --------------------------------------------------------------------------

_family = "updates"


def _sgd(param, grad, lr, buffer=None, **settings):
    p = torch.nn.Parameter(param.clone())
    p.grad = grad.clone()
    optimizer = torch.optim.SGD([p], lr=float(lr), **settings)
    if buffer is not None:
        optimizer.state[p]["momentum_buffer"] = buffer.clone()
    optimizer.step()
    return p.detach() if buffer is None else (p.detach(), optimizer.state[p]["momentum_buffer"])


def _adamw(param, grad, exp_avg, exp_avg_sq, lr, step, *, beta1, beta2, epsilon, weight_decay):
    p = torch.nn.Parameter(param.clone())
    p.grad = grad.clone()
    optimizer = torch.optim.AdamW([p], float(lr), (beta1, beta2), epsilon, weight_decay)
    state = {"step": step.float() - 1, "exp_avg": exp_avg.clone(), "exp_avg_sq": exp_avg_sq.clone()}
    optimizer.state[p].update(state)
    optimizer.step()
    state = optimizer.state[p]
    return p.detach(), state["exp_avg"], state["exp_avg_sq"]


for _label, _shape, _settings in [
    ("plain", (3, 4), {"momentum": 0.0, "nesterov": False, "weight_decay": 0.0}),
    ("decay", (5,), {"momentum": 0.0, "nesterov": False, "weight_decay": 0.1}),
    ("momentum", (3, 4), {"momentum": 0.9, "nesterov": False, "weight_decay": 0.0}),
    ("momentum-decay", (2, 3, 2, 2), {"momentum": 0.9, "nesterov": False, "weight_decay": 0.1}),
    ("nesterov", (3, 4), {"momentum": 0.8, "nesterov": True, "weight_decay": 0.0}),
    ("nesterov-decay", (), {"momentum": 0.8, "nesterov": True, "weight_decay": 0.1}),
]:
    _inputs = [grid(*_shape), grid(*_shape), floats(0.1).reshape(())]
    if _settings["momentum"]:
        _inputs.append(grid(*_shape))
    _add("sgd", _label, _inputs, lambda *t, a=_settings: _sgd(*t, **a), wrt=None, **_settings)
for _label, _shape, _step, _settings in [
    ("first", (3, 4), 1, {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01}),
    ("later", (7,), 12, {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.0}),
    ("late", (2, 3, 2, 2), 5000, {"beta1": 0.8, "beta2": 0.99, "epsilon": 1e-4,
                                 "weight_decay": 0.1}),
    ("scalar", (), 3, {"beta1": 0.0, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01}),
]:
    _add("adamw", _label,
         [grid(*_shape), grid(*_shape), grid(*_shape), positive(*_shape),
          floats(0.01).reshape(()), floats(_step).reshape(())],
         lambda *t, a=_settings: _adamw(*t, **a), wrt=None, **_settings)
_add("assign", "plain", [grid(3, 4), grid(3, 4)], lambda old, new: new.clone(), wrt=None)

_family = "backward"


def booleans(*shape):
    rng = np.random.default_rng(sum(shape))
    return rng.random(shape) < 0.5


def _bytes_of(x, dim):
    """Bit k of byte j is element k * bytes + j."""
    x = x.movedim(dim, -1)
    count = -(-x.shape[-1] // 8)
    bits = F.pad(x, (0, 8 * count - x.shape[-1])).unflatten(-1, (8, count)).to(torch.int32)
    packed = (bits << torch.arange(8, dtype=torch.int32)[:, None]).sum(-2)
    return packed.to(torch.uint8).view(torch.int8).movedim(-1, dim).contiguous()


_add("gradient_seed", "plain", [], lambda: torch.tensor(1.0), wrt=None)
_add("save", "plain", [grid(3, 4)], lambda x: x.clone(), wrt=None)
for _label, _shape, _dim in [("vector", (16,), 0), ("odd", (13,), 0), ("few", (3, 5), 0), ("one", (1, 4), 0),
                             ("inner", (2, 19, 3), 1), ("last", (4, 33), 1), ("images", (8, 6, 6, 4), 0)]:
    _bools = booleans(*_shape)
    _add("pack_bits", _label, [_bools], lambda x, d=_dim: _bytes_of(x, d), wrt=None, dim=_dim)
    _packed = _bytes_of(torch.from_numpy(_bools), _dim).numpy()
    _add("unpack_bits", _label, [_packed], lambda x, b=_bools: torch.from_numpy(b), wrt=None, dim=_dim)
for _label, _shape, _channels in [
    ("first", (6, 3), Channels(0, ((0, 2),))),
    ("middle", (4, 7), Channels(1, ((2, 5),))),
    ("ranges", (4, 9), Channels(1, ((0, 2), (3, 4), (7, 9)))),
    ("rows", (9, 2, 3, 3), Channels(0, ((1, 2), (5, 8)))),
    ("filters", (2, 8, 3, 3), Channels(1, ((0, 1), (6, 8)))),
    ("vector", (10,), Channels(0, ((9, 10),))),
    ("all", (3, 4), Channels(1, ((0, 4),))),
]:
    def _take(x, c=_channels):
        return x.index_select(c.dim, torch.tensor(c.indices))

    def _assign(old, new, c=_channels):
        return old.index_copy(c.dim, torch.tensor(c.indices), new)

    _whole = grid(*_shape)
    _part_shape = list(_shape)
    _part_shape[_channels.dim] = len(_channels.indices)
    _add("take_channels", _label, [_whole], _take, wrt=None, channels=_channels)
    _add("assign_channels", _label, [_whole, normal(*_part_shape)], _assign, wrt=None, channels=_channels)

FAMILIES: dict[str, list[Case]] = {}
for _case in CASES:
    FAMILIES.setdefault(_case.family, []).append(_case)
_duplicates = {c.id for c in CASES if sum(c.id == d.id for d in CASES) > 1}
assert not _duplicates, f"cases of the same name: {sorted(_duplicates)}"
