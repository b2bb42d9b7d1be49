"""The optimizers, as descriptions that the compiler reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..arguments import checked_call, nearest
from ..errors import InvalidArgumentError

__all__ = ["Optimizer", "StateTensor", "SGD", "AdamW", "as_optimizer"]


@dataclass(frozen=True)
class StateTensor:
    """A tensor that an optimizer keeps from step to step.

    `per_parameter` tensors have the shape of the parameter they belong to; the
    others are one scalar for the whole program.
    """

    name: str
    per_parameter: bool = True
    initial: float = 0.0


@dataclass(frozen=True)
class Optimizer:
    """Base of the optimizers.

    `name` is the optimizer's name in the pass `pocket-attach-optimizer` and in a
    bundle's manifest.
    """

    name: ClassVar[str]

    def to_attributes(self) -> dict[str, Any]:
        """The options of `pocket-attach-optimizer`, by name, without `optimizer`."""
        raise NotImplementedError

    def state(self) -> tuple[StateTensor, ...]:
        """The tensors kept from step to step, in the order of the program's arguments."""
        raise NotImplementedError

    def to_pass_options(self) -> str:
        """The option text of the pass: `optimizer=sgd momentum=0.9 ...`."""
        options = {"optimizer": self.name, **self.to_attributes()}
        return " ".join(f"{key}={_option(value)}" for key, value in options.items())

    def to_manifest(self) -> dict[str, Any]:
        """The entry in a bundle's manifest."""
        return {"name": self.name, **self.to_attributes()}


def _option(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # The shortest text that gives the same double again.
    return repr(value) if isinstance(value, float) else str(value)


def _check(optimizer: str, name: str, value: float, low: float, high: float) -> None:
    """Raises unless low <= value < high, NaN included."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidArgumentError(f"{optimizer}: {name} must be a number, got {value!r}")
    if not low <= value < high:
        bound = f"at least {low:g}" + ("" if math.isinf(high) else f" and below {high:g}")
        raise InvalidArgumentError(f"{optimizer}: {name} must be {bound}, got {value!r}")


_RATE = (
    "the learning rate is given to every step: session.step(..., lr=0.1) or session.fit(..., lr=0.1); "
    "schedules are pocket.optim.constant, linear and cosine"
)
_PARAMETERS = "the parameters are the model's own with requires_grad=True; pocket.compile(model, ...) finds them"
_ADVICE = {"lr": _RATE, "learning_rate": _RATE, "params": _PARAMETERS, "parameters": _PARAMETERS}
_BY_NAME = f"options are given by name; {_PARAMETERS}"


@checked_call(_ADVICE, positional=f"{_BY_NAME}: SGD(momentum=0.9)")
@dataclass(frozen=True, kw_only=True)
class SGD(Optimizer):
    """Stochastic gradient descent, as `torch.optim.SGD`.

    `weight_decay` is added to the gradient (L2). With a momentum the buffer
    starts at zero, which equals PyTorch's first step for a dampening of zero.
    """

    momentum: float = 0.0
    nesterov: bool = False
    weight_decay: float = 0.0

    name: ClassVar[str] = "sgd"

    def __post_init__(self) -> None:
        _check("SGD", "momentum", self.momentum, 0.0, math.inf)
        _check("SGD", "weight_decay", self.weight_decay, 0.0, math.inf)
        if self.nesterov and not self.momentum:
            raise InvalidArgumentError("SGD: nesterov=True needs a momentum above zero")

    def to_attributes(self) -> dict[str, Any]:
        return {
            "momentum": float(self.momentum),
            "nesterov": bool(self.nesterov),
            "weight-decay": float(self.weight_decay),
        }

    def state(self) -> tuple[StateTensor, ...]:
        return (StateTensor("momentum_buffer"),) if self.momentum else ()


@checked_call(_ADVICE, positional=f"{_BY_NAME}: AdamW(weight_decay=0.01)")
@dataclass(frozen=True, kw_only=True)
class AdamW(Optimizer):
    """Adam with decoupled weight decay, as `torch.optim.AdamW`."""

    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 1e-2

    name: ClassVar[str] = "adamw"

    def __post_init__(self) -> None:
        try:
            beta1, beta2 = self.betas
        except (TypeError, ValueError):
            raise InvalidArgumentError(
                f"AdamW: betas must be a pair of numbers, got {self.betas!r}"
            ) from None
        # A list is what JSON gives; the dataclass stays hashable.
        object.__setattr__(self, "betas", (beta1, beta2))
        _check("AdamW", "betas[0]", beta1, 0.0, 1.0)
        _check("AdamW", "betas[1]", beta2, 0.0, 1.0)
        _check("AdamW", "eps", self.eps, 0.0, math.inf)
        _check("AdamW", "weight_decay", self.weight_decay, 0.0, math.inf)

    def to_attributes(self) -> dict[str, Any]:
        return {
            "beta1": float(self.betas[0]),
            "beta2": float(self.betas[1]),
            "epsilon": float(self.eps),
            "weight-decay": float(self.weight_decay),
        }

    def state(self) -> tuple[StateTensor, ...]:
        return (
            StateTensor("exp_avg"),
            StateTensor("exp_avg_sq"),
            StateTensor("step", per_parameter=False),
        )


_OPTIMIZERS: dict[str, type[Optimizer]] = {"SGD": SGD, "AdamW": AdamW}


def as_optimizer(value: Any) -> Optimizer:
    """The optimizer that an argument of `compile` stands for; None is SGD without momentum.

    Raises:
        InvalidArgumentError: with what to write instead, for PyTorch's optimizers with
            their own options.
    """
    if value is None:
        return SGD()
    if isinstance(value, Optimizer):
        if type(value) is Optimizer:
            raise InvalidArgumentError(f"pocket.optim.Optimizer is the base of the optimizers; give {_known()}")
        return value
    if isinstance(value, str):
        found, options = f"the name {value!r}", {}
        near = nearest(value, [*_OPTIMIZERS, "Adam"])
    elif isinstance(value, type):
        found, options, near = f"the class {value.__name__}", {}, value.__name__
    else:
        # PyTorch's keep their options in `defaults`.
        options = getattr(value, "defaults", None)
        options = options if isinstance(options, Mapping) else {}
        near = type(value).__name__
        found = f"an object of the class {type(value).__module__}.{near}"
    raise InvalidArgumentError(f"optimizer is {found}; give {_spelled(near, options)}")


def _known() -> str:
    return " or ".join(f"pocket.optim.{name}()" for name in _OPTIMIZERS)


def _spelled(name: str | None, options: Mapping[str, Any]) -> str:
    """How that optimizer of PyTorch's is written here."""
    note = ""
    if name == "Adam":
        if options.get("weight_decay"):
            note = ", and a weight decay that is added to the gradient, as Adam's, is there for SGD only"
        name, options = "AdamW", {**options, "weight_decay": 0.0}
    if name not in _OPTIMIZERS:
        return _known()
    kind = _OPTIMIZERS[name]
    given = [
        f"{field.name}={options[field.name]!r}"
        for field in fields(kind)
        if options.get(field.name, field.default) != field.default
    ]
    return f"the object pocket.optim.{name}({', '.join(given)}); the learning rate is given to every step{note}"
