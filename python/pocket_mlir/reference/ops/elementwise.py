"""Elementwise operations.

NaN passes through every one of them, comparisons of sizes included: `relu`,
`maximum`, `clamp` and their like return NaN for NaN, as PyTorch does.
"""

from __future__ import annotations

import math

import numpy as np

from ..registry import TensorType, op

# --- Unary -------------------------------------------------------------------

for _name, _function in {
    "neg": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "sign": np.sign,
    "tanh": np.tanh,
    "sin": np.sin,
    "cos": np.cos,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,  # halves go to the even neighbour
    "logical_not": np.logical_not,
}.items():
    op(_name)(lambda x, f=_function: f(x))


@op("stop_gradient")
def stop_gradient(x):
    return x


@op("rsqrt")
def rsqrt(x):
    return 1 / np.sqrt(x)


@op("reciprocal")
def reciprocal(x):
    return 1 / x


@op("sigmoid")
def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@op("erf")
def erf(x):
    # numpy has no erf, and the reference is not to need scipy.
    return np.array([math.erf(v) for v in x.ravel()], x.dtype).reshape(x.shape)


@op("relu")
def relu(x):
    return np.maximum(x, 0)


@op("silu")
def silu(x):
    return x * sigmoid(x)


@op("hardsigmoid")
def hardsigmoid(x):
    return np.clip(x + 3, 0, 6) / 6


@op("hardswish")
def hardswish(x):
    return x * np.clip(x + 3, 0, 6) / 6


@op("softplus")
def softplus(x, *, beta=1.0, threshold=20.0):
    scaled = x * beta
    return np.where(scaled > threshold, x, np.log1p(np.exp(scaled)) / beta)


@op("gelu")
def gelu(x, *, approximate="none"):
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + np.tanh(inner))
    return 0.5 * x * (1 + erf(x * math.sqrt(0.5)))


@op("leaky_relu")
def leaky_relu(x, *, slope=0.01):
    return np.where(x > 0, x, x * slope)


@op("elu")
def elu(x, *, alpha=1.0):
    return np.where(x > 0, x, np.expm1(x) * alpha)


# Equal in value; their gradients differ at the bounds, where hardtanh has none
# and clamp passes it on.
@op("hardtanh")
@op("clamp")
def clamp(x, *, min=-np.inf, max=np.inf):
    return np.minimum(np.maximum(x, x.dtype.type(min)), x.dtype.type(max))


# --- Binary, with numpy's broadcasting ----------------------------------------


@op("add")
def add(a, b):
    return a + b


@op("sub")
def sub(a, b):
    return a - b


@op("mul")
def mul(a, b):
    return a * b


@op("div")
def div(a, b):
    """The quotient; that of integers is rounded towards zero."""
    if np.issubdtype(a.dtype, np.integer):
        return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)
    return a / b


op("pow")(lambda a, b: np.power(a, b))
op("maximum")(lambda a, b: np.maximum(a, b))
op("minimum")(lambda a, b: np.minimum(a, b))
op("and")(lambda a, b: np.bitwise_and(a, b))
op("or")(lambda a, b: np.bitwise_or(a, b))
op("xor")(lambda a, b: np.bitwise_xor(a, b))

_COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@op("compare")
def compare(a, b, *, predicate):
    """False for NaN, but for `ne`, which is true."""
    return _COMPARISONS[predicate](a, b)


@op("select")
def select(condition, a, b):
    return np.where(condition, a, b)


@op("convert")
def convert(x, *, result_types: list[TensorType]):
    """To another element type; floats become integers towards zero, anything but 0 is true."""
    return x.astype(result_types[0].dtype)


# --- Constants ------------------------------------------------------------------


@op("arith.constant")
@op("constant")
def constant(*, value):
    return value
