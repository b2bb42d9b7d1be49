"""The optimizers, as descriptions that the compiler reads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import InvalidArgumentError

__all__ = ["Optimizer", "StateTensor", "SGD", "AdamW"]


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


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
