"""Arithmetic, comparisons, activations, selection and casts."""

from __future__ import annotations

import math

from ..builder import Builder, Tensor, require_float
from ..registry import Unsupported, lowers

# -- one operand ------------------------------------------------------------------


def _unary(torch_name: str, name: str) -> None:
    def lower(b: Builder, x: Tensor, *_: object) -> Tensor:
        if name in ("floor", "ceil", "round") and not x.is_float:
            return x
        return b.unary(name, b.convert(x, b.out.dtype))

    lowers(f"torch.aten.{torch_name}")(lower)


for _torch_name, _name in {
    "neg": "neg",
    "abs": "abs",
    "exp": "exp",
    "expm1": "expm1",
    "log": "log",
    "log1p": "log1p",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "reciprocal": "reciprocal",
    "tanh": "tanh",
    "sigmoid": "sigmoid",
    "erf": "erf",
    "sin": "sin",
    "cos": "cos",
    "floor": "floor",
    "ceil": "ceil",
    "round": "round",
    "sign": "sign",
    "sgn": "sign",
    "relu": "relu",
    "silu": "silu",
    "hardsigmoid": "hardsigmoid",
    "hardswish": "hardswish",
}.items():
    _unary(_torch_name, _name)


@lowers("torch.aten.square")
def square(b: Builder, x: Tensor) -> Tensor:
    return b.mul(x, x)


@lowers("torch.aten.trunc")
def trunc(b: Builder, x: Tensor) -> Tensor:
    return b.mul(b.unary("sign", x), b.unary("floor", b.unary("abs", x)))


@lowers("torch.aten.log2")
def log2(b: Builder, x: Tensor) -> Tensor:
    return b.mul(b.unary("log", x), b.scalar(1 / math.log(2), x.dtype))


@lowers("torch.aten.log10")
def log10(b: Builder, x: Tensor) -> Tensor:
    return b.mul(b.unary("log", x), b.scalar(1 / math.log(10), x.dtype))


@lowers("torch.aten.exp2")
def exp2(b: Builder, x: Tensor) -> Tensor:
    return b.unary("exp", b.mul(x, b.scalar(math.log(2), x.dtype)))


@lowers("torch.aten.tan")
def tan(b: Builder, x: Tensor) -> Tensor:
    return b.div(b.unary("sin", x), b.unary("cos", x))


@lowers("torch.aten.sinh")
def sinh(b: Builder, x: Tensor) -> Tensor:
    difference = b.sub(b.unary("exp", x), b.unary("exp", b.unary("neg", x)))
    return b.mul(difference, b.scalar(0.5, x.dtype))


@lowers("torch.aten.cosh")
def cosh(b: Builder, x: Tensor) -> Tensor:
    total = b.add(b.unary("exp", x), b.unary("exp", b.unary("neg", x)))
    return b.mul(total, b.scalar(0.5, x.dtype))


# -- activations with options -------------------------------------------------------


@lowers("torch.aten.gelu")
def gelu(b: Builder, x: Tensor, approximate: str) -> Tensor:
    return b.gelu(x, approximate)


@lowers("torch.aten.leaky_relu")
def leaky_relu(b: Builder, x: Tensor, slope: float) -> Tensor:
    return b.unary("leaky_relu", x, slope=float(slope))


@lowers("torch.aten.elu")
def elu(b: Builder, x: Tensor, alpha: float, scale: float, input_scale: float) -> Tensor:
    if input_scale != 1:
        # elu(x) takes the exponential of input_scale * x, and of x on the positive side.
        scaled = b.mul(x, b.scalar(input_scale, x.dtype))
        negative = b.mul(b.unary("expm1", scaled), b.scalar(alpha * scale, x.dtype))
        positive = b.mul(x, b.scalar(scale, x.dtype))
        return b.select(b.compare("gt", x, b.scalar(0, x.dtype)), positive, negative)
    y = b.unary("elu", x, alpha=float(alpha))
    return y if scale == 1 else b.mul(y, b.scalar(scale, x.dtype))


@lowers("torch.aten.celu")
def celu(b: Builder, x: Tensor, alpha: float) -> Tensor:
    return elu(b, x, alpha, 1.0, 1.0 / alpha)


@lowers("torch.aten.selu")
def selu(b: Builder, x: Tensor) -> Tensor:
    return elu(b, x, 1.6732632423543772, 1.0507009873554805, 1.0)


@lowers("torch.aten.hardtanh")
def hardtanh(b: Builder, x: Tensor, low: float, high: float) -> Tensor:
    return b.unary("hardtanh", x, min=float(low), max=float(high))


@lowers("torch.aten.relu6")
def relu6(b: Builder, x: Tensor) -> Tensor:
    return hardtanh(b, x, 0.0, 6.0)


@lowers("torch.aten.softplus")
def softplus(b: Builder, x: Tensor, beta: float, threshold: float) -> Tensor:
    return b.unary("softplus", x, beta=float(beta), threshold=float(threshold))


@lowers("torch.aten.log_sigmoid")
def log_sigmoid(b: Builder, x: Tensor) -> Tensor:
    # A threshold far out: below it softplus is exact, beyond it so is the identity.
    return b.unary("neg", softplus(b, b.unary("neg", x), 1.0, 88.0))


@lowers("torch.aten.mish")
def mish(b: Builder, x: Tensor) -> Tensor:
    return b.mul(x, b.unary("tanh", softplus(b, x, 1.0, 20.0)))


@lowers("torch.aten.glu")
def glu(b: Builder, x: Tensor, dim: int) -> Tensor:
    dim = b.dim(x, dim)
    half = x.shape[dim] // 2
    gate = b.unary("sigmoid", b.slice_dim(x, dim, half, half))
    return b.mul(b.slice_dim(x, dim, 0, half), gate)


@lowers("torch.aten.prelu")
def prelu(b: Builder, x: Tensor, weight: Tensor) -> Tensor:
    if x.rank > 1 and weight.size > 1:
        weight = b.reshape(weight, [weight.size] + [1] * (x.rank - 2))
    elif x.rank != 1:
        weight = b.reshape(weight, [])
    positive = b.compare("gt", x, b.scalar(0, x.dtype))
    return b.select(positive, x, b.mul(weight, x))


@lowers("torch.aten.threshold")
def threshold(b: Builder, x: Tensor, limit: float, value: float) -> Tensor:
    above = b.compare("gt", x, b.scalar(limit, x.dtype))
    return b.select(above, x, b.scalar(value, x.dtype))


# -- two operands -------------------------------------------------------------------


def _arithmetic(name: str):
    def lower(b: Builder, x, y, alpha: float | Tensor = 1) -> Tensor:
        dtype = b.out.dtype
        y = b.tensor(y, dtype)
        if alpha != 1:
            y = b.mul(y, b.scalar(alpha, dtype))
        x = b.tensor(x, dtype)
        if dtype == "i1":
            # Booleans add as "or" and multiply as "and".
            return b.binary({"add": "or", "mul": "and"}[name], x, y)
        return b.binary(name, x, y)

    return lower


for _name in ("add", "sub", "mul"):
    lowers(f"torch.aten.{_name}.Tensor", f"torch.aten.{_name}.Scalar")(_arithmetic(_name))


@lowers("torch.aten.rsub.Tensor", "torch.aten.rsub.Scalar")
def rsub(b: Builder, x: Tensor, y, alpha: float = 1) -> Tensor:
    return _arithmetic("sub")(b, y, x, alpha)


@lowers("torch.aten.div.Tensor", "torch.aten.div.Scalar")
def div(b: Builder, x, y) -> Tensor:
    return b.div(b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype))


@lowers("torch.aten.div.Tensor_mode", "torch.aten.div.Scalar_mode")
def div_mode(b: Builder, x, y, mode: str | None) -> Tensor:
    if mode is None:
        return div(b, x, y)
    if not b.out.is_float:
        return _integer_division(b, x, y, mode)[0]
    quotient = div(b, x, y)
    return b.unary("floor", quotient) if mode == "floor" else trunc(b, quotient)


@lowers("torch.aten.floor_divide", "torch.aten.floor_divide.Scalar")
def floor_divide(b: Builder, x, y) -> Tensor:
    return div_mode(b, x, y, "floor")


def _integer_division(b: Builder, x, y, mode: str) -> tuple[Tensor, Tensor]:
    """Quotient and remainder of integers, rounded down or towards zero."""
    dtype = b.out.dtype
    x, y = b.tensor(x, dtype), b.tensor(y, dtype)
    quotient = b.div(x, y)  # towards zero, as integer division of the dialect is
    remainder = b.sub(x, b.mul(quotient, y))
    if mode == "floor":
        zero = b.scalar(0, dtype)
        inexact = b.compare("ne", remainder, zero)
        opposite = b.compare("lt", b.mul(remainder, y), zero)
        wrong = b.binary("and", inexact, opposite)
        quotient = b.select(wrong, b.sub(quotient, b.scalar(1, dtype)), quotient)
        remainder = b.select(wrong, b.add(remainder, y), remainder)
    return quotient, remainder


@lowers("torch.aten.remainder.Scalar", "torch.aten.remainder.Tensor")
def remainder(b: Builder, x, y) -> Tensor:
    if not b.out.is_float:
        return _integer_division(b, x, y, "floor")[1]
    x, y = b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype)
    return b.sub(x, b.mul(b.unary("floor", b.div(x, y)), y))


@lowers("torch.aten.fmod.Scalar", "torch.aten.fmod.Tensor")
def fmod(b: Builder, x, y) -> Tensor:
    if not b.out.is_float:
        return _integer_division(b, x, y, "trunc")[1]
    x, y = b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype)
    return b.sub(x, b.mul(trunc(b, b.div(x, y)), y))


@lowers("torch.aten.pow.Tensor_Scalar")
def pow_scalar(b: Builder, x: Tensor, exponent: float) -> Tensor:
    x = b.convert(x, b.out.dtype)
    # The powers that models use, without a logarithm and right for negative bases.
    if exponent == 0:
        return b.full(x.shape, 1, x.dtype)
    if exponent == 1:
        return x
    if exponent == 0.5:
        return b.unary("sqrt", x)
    if exponent == -0.5:
        return b.unary("rsqrt", x)
    if exponent == -1:
        return b.unary("reciprocal", x)
    if exponent in (2, 3, 4):
        y = b.mul(x, x)
        return {2: lambda: y, 3: lambda: b.mul(y, x), 4: lambda: b.mul(y, y)}[exponent]()
    require_float(x, f"pow with exponent {exponent}")
    return b.binary("pow", x, b.scalar(exponent, x.dtype))


@lowers("torch.aten.pow.Tensor_Tensor", "torch.aten.pow.Scalar")
def pow_tensor(b: Builder, x, y: Tensor) -> Tensor:
    require_float(b.out, "pow with a tensor exponent")
    return b.binary("pow", b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype))


@lowers("torch.aten.maximum")
def maximum(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.binary("maximum", b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype))


@lowers("torch.aten.minimum")
def minimum(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.binary("minimum", b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype))


@lowers("torch.aten.clamp")
def clamp(b: Builder, x: Tensor, low: float | None, high: float | None) -> Tensor:
    x = b.convert(x, b.out.dtype)
    if not x.is_float:
        if low is not None:
            x = b.binary("maximum", x, b.scalar(low, x.dtype))
        if high is not None:
            x = b.binary("minimum", x, b.scalar(high, x.dtype))
        return x
    low = -math.inf if low is None else float(low)
    high = math.inf if high is None else float(high)
    return b.unary("clamp", x, min=low, max=high)


@lowers("torch.aten.clamp_min")
def clamp_min(b: Builder, x: Tensor, low: float) -> Tensor:
    return clamp(b, x, low, None)


@lowers("torch.aten.clamp_max")
def clamp_max(b: Builder, x: Tensor, high: float) -> Tensor:
    return clamp(b, x, None, high)


@lowers("torch.aten.clamp.Tensor")
def clamp_tensor(b: Builder, x: Tensor, low: Tensor | None, high: Tensor | None) -> Tensor:
    # The gradient passes at the bounds, so these are selections and no maxima.
    x = b.convert(x, b.out.dtype)
    if low is not None:
        low = b.convert(low, x.dtype)
        x = b.select(b.compare("lt", x, low), low, x)
    if high is not None:
        high = b.convert(high, x.dtype)
        x = b.select(b.compare("gt", x, high), high, x)
    return x


# -- comparisons and logic ----------------------------------------------------------

_ORDER = ["i1", "i8", "i32", "i64", "f16", "bf16", "f32", "f64"]


def _common(b: Builder, x, y) -> tuple[Tensor, Tensor]:
    """Both operands in the wider element type, as PyTorch compares them."""
    if not isinstance(y, Tensor):
        dtype = x.dtype
        if isinstance(y, float) and not x.is_float:
            dtype = "f32"
        elif x.is_bool and not isinstance(y, bool):
            dtype = "i64"
        return b.convert(x, dtype), b.scalar(y, dtype)
    if not isinstance(x, Tensor):
        y, x = _common(b, y, x)
        return x, y
    dtype = max(x.dtype, y.dtype, key=_ORDER.index)
    return b.convert(x, dtype), b.convert(y, dtype)


def _comparison(predicate: str):
    def lower(b: Builder, x, y) -> Tensor:
        return b.compare(predicate, *_common(b, x, y))

    return lower


for _predicate in ("eq", "ne", "lt", "le", "gt", "ge"):
    lowers(f"torch.aten.{_predicate}.Tensor", f"torch.aten.{_predicate}.Scalar")(
        _comparison(_predicate)
    )


@lowers("torch.aten.isnan")
def isnan(b: Builder, x: Tensor) -> Tensor:
    return b.compare("ne", x, x)


@lowers("torch.aten.isinf")
def isinf(b: Builder, x: Tensor) -> Tensor:
    return b.compare("eq", b.unary("abs", x), b.scalar(math.inf, x.dtype))


def _truth(b: Builder, x: Tensor) -> Tensor:
    return x if x.is_bool else b.compare("ne", x, b.scalar(0, x.dtype))


@lowers("torch.aten.logical_not")
def logical_not(b: Builder, x: Tensor) -> Tensor:
    return b.unary("logical_not", _truth(b, x))


@lowers("torch.aten.bitwise_not")
def bitwise_not(b: Builder, x: Tensor) -> Tensor:
    if x.is_bool:
        return b.unary("logical_not", x)
    return b.sub(b.scalar(-1, x.dtype), x)


def _logical(name: str):
    def lower(b: Builder, x: Tensor, y: Tensor) -> Tensor:
        return b.binary(name, _truth(b, x), _truth(b, y))

    return lower


def _bitwise(name: str):
    def lower(b: Builder, x, y) -> Tensor:
        return b.binary(name, b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype))

    return lower


for _name in ("and", "or", "xor"):
    lowers(f"torch.aten.logical_{_name}")(_logical(_name))
    lowers(
        f"torch.aten.bitwise_{_name}.Tensor",
        f"torch.aten.bitwise_{_name}.Scalar",
        f"torch.aten.__{_name}__.Tensor",
        f"torch.aten.__{_name}__.Scalar",
    )(_bitwise(_name))


# -- selection ----------------------------------------------------------------------


@lowers(
    "torch.aten.where.self",
    "torch.aten.where.ScalarOther",
    "torch.aten.where.ScalarSelf",
    "torch.aten.where.Scalar",
)
def where(b: Builder, condition: Tensor, x, y) -> Tensor:
    return b.select(_truth(b, condition), b.tensor(x, b.out.dtype), b.tensor(y, b.out.dtype))


@lowers("torch.aten.masked_fill.Scalar", "torch.aten.masked_fill.Tensor")
def masked_fill(b: Builder, x: Tensor, mask: Tensor, value) -> Tensor:
    return b.select(mask, b.tensor(value, x.dtype), x)


# -- casts and copies ---------------------------------------------------------------


def cast(b: Builder, x: Tensor, dtype: str) -> Tensor:
    """`x` as element type `dtype`; to a boolean by comparison with zero, as PyTorch does."""
    return _truth(b, x) if dtype == "i1" else b.convert(x, dtype)


@lowers(
    "torch.aten._to_copy",
    "torch.aten.to.dtype",
    "torch.aten.to.dtype_layout",
    "torch.aten.to.device",
    "torch.aten.type_as",
    "torch.prims.convert_element_type",
)
def to(b: Builder, x: Tensor, *_: object) -> Tensor:
    return cast(b, x, b.out.dtype)


@lowers(
    "torch.aten.clone",
    "torch.aten.contiguous",
    "torch.aten.alias",
    "torch.aten.lift_fresh_copy",
    "torch.aten.positive",
    "torch.aten.real",
)
def identity(b: Builder, x: Tensor, *_: object) -> Tensor:
    return x


@lowers("torch.aten.copy")
def copy(b: Builder, old: Tensor, new: Tensor, non_blocking: bool) -> Tensor:
    return b.broadcast(cast(b, new, b.out.dtype), b.out.shape)


@lowers("torch.aten.detach")
def detach(b: Builder, x: Tensor) -> Tensor:
    return b.unary("stop_gradient", x) if x.is_float else x


@lowers("torch.aten.fill.Scalar", "torch.aten.fill.Tensor")
def fill(b: Builder, x: Tensor, value) -> Tensor:
    return b.broadcast(b.tensor(value, x.dtype), x.shape)


@lowers("torch.aten.full_like", "torch.aten.new_full")
def full_like(b: Builder, x: Tensor, *arguments: object) -> Tensor:
    # full_like(x, value, ...) and new_full(x, size, value, ...)
    value = next(a for a in arguments if not isinstance(a, list))
    return b.full(b.out.shape, value, b.out.dtype)


def _filled(value: float):
    def lower(b: Builder, *_: object) -> Tensor:
        return b.full(b.out.shape, value, b.out.dtype)

    return lower


for _name, _value in {"zeros": 0, "ones": 1, "empty": 0}.items():
    lowers(f"torch.aten.{_name}_like", f"torch.aten.new_{_name}")(_filled(_value))


@lowers("torch.aten.atan2", "torch.aten.atan", "torch.aten.asin", "torch.aten.acos")
def inverse_trigonometry(b: Builder, *_: object) -> Tensor:
    raise Unsupported(
        str(b.out),
        "sin, cos, tan, sinh, cosh, tanh",
        "compute it outside of the model, or express it by these",
    )
