"""The losses that `compile(loss=...)` knows by name, as objects with options.

    pocket_mlir.compile(model, x, loss="cross_entropy")
    pocket_mlir.compile(model, x, loss=pocket_mlir.losses.CrossEntropy(label_smoothing=0.1))
    pocket_mlir.compile(model, x, loss=lambda y, t: ((y - t) ** 2).mean(), example_targets=t)

Any callable of the model's outputs and the targets serves as a loss: it is traced
together with the model. The objects here are such callables that also know what
their targets look like, so that `example_targets` need not be given.

Importing this module doesn't import torch; calling a loss does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from .arguments import checked_call, unknown_attribute, unknown_name
from .errors import InvalidArgumentError

__all__ = [
    "Loss",
    "CrossEntropy",
    "MSE",
    "L1",
    "Huber",
    "SmoothL1",
    "BCEWithLogits",
    "named",
    "NAMES",
]


def _tensor(outputs: Any) -> Any:
    """The tensor to take the loss of: the output itself, or its logits."""
    if isinstance(outputs, Mapping):
        if "logits" in outputs:
            return outputs["logits"]
        tensors = list(outputs.values())
    elif hasattr(outputs, "logits"):  # a named tuple, a dataclass
        return outputs.logits
    elif isinstance(outputs, (tuple, list)):
        tensors = list(outputs)
    elif is_dataclass(outputs):
        tensors = [getattr(outputs, f.name) for f in fields(outputs)]
    else:
        return outputs
    # Caches, numbers and None are no outputs.
    tensors = [value for value in tensors if hasattr(value, "dtype")]
    if len(tensors) == 1:
        return tensors[0]
    raise InvalidArgumentError(
        f"the model has {len(tensors)} outputs and none of them is called 'logits'; give the loss "
        "as a callable of the outputs and the targets, for example "
        "loss=lambda outputs, target: torch.nn.functional.cross_entropy(outputs[0], target)"
    )


_BY_NAME = "options are given by name, the outputs and the targets come from the model and the batches"


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Base of the named losses. `reduction` is "mean" or "sum"."""

    reduction: str = "mean"

    def __post_init__(self) -> None:
        if self.reduction not in ("mean", "sum"):
            raise InvalidArgumentError(
                f"reduction={self.reduction!r}: a loss to train with is one number, "
                "so the reduction is 'mean' or 'sum'"
            )

    def __call__(self, outputs: Any, target: Any) -> Any:
        return self.compute(_tensor(outputs), target)

    def compute(self, prediction: Any, target: Any) -> Any:
        """The loss of one tensor."""
        raise NotImplementedError

    def example_targets(self, outputs: Any) -> tuple[Any, ...]:
        """Targets that fit these outputs; their values don't matter."""
        import torch

        return (torch.zeros_like(_tensor(outputs)),)


@checked_call(positional=_BY_NAME)
@dataclass(frozen=True, kw_only=True)
class CrossEntropy(Loss):
    """Cross entropy of logits and class indices.

    Logits are [N, C] with targets [N], or [N, C, d...] with targets [N, d...], as
    in `torch.nn.functional.cross_entropy`; logits [N, d..., C] are understood too when
    the targets have the shape [N, d...]. Class probabilities are targets of the
    logits' own shape.
    """

    ignore_index: int = -100
    label_smoothing: float = 0.0
    weight: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.label_smoothing <= 1.0:
            raise InvalidArgumentError(f"label_smoothing must be between 0 and 1, got {self.label_smoothing!r}")

    def compute(self, prediction: Any, target: Any) -> Any:
        import torch
        import torch.nn.functional as F

        probabilities = target.is_floating_point()
        by_torch = (prediction.shape[0], *prediction.shape[2:])
        if (
            not probabilities
            and prediction.dim() > 2
            and tuple(target.shape) != by_torch
            and target.shape == prediction.shape[:-1]
        ):
            prediction = prediction.reshape(-1, prediction.shape[-1])
            target = target.reshape(-1)
        weight = self.weight
        if weight is not None:
            weight = torch.as_tensor(weight, dtype=prediction.dtype)
        return F.cross_entropy(
            prediction,
            target,
            weight=weight,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            reduction=self.reduction,
        )

    def example_targets(self, outputs: Any) -> tuple[Any, ...]:
        import torch

        shape = _tensor(outputs).shape
        return (torch.zeros((shape[0], *shape[2:]) if len(shape) > 1 else (), dtype=torch.long),)


@checked_call(positional=_BY_NAME)
@dataclass(frozen=True, kw_only=True)
class MSE(Loss):
    """Mean squared error."""

    def compute(self, prediction: Any, target: Any) -> Any:
        import torch.nn.functional as F

        return F.mse_loss(prediction, target, reduction=self.reduction)


@checked_call(positional=_BY_NAME)
@dataclass(frozen=True, kw_only=True)
class L1(Loss):
    """Mean absolute error."""

    def compute(self, prediction: Any, target: Any) -> Any:
        import torch.nn.functional as F

        return F.l1_loss(prediction, target, reduction=self.reduction)


@checked_call(positional=_BY_NAME)
@dataclass(frozen=True, kw_only=True)
class Huber(Loss):
    """Squared below `delta`, linear beyond it."""

    delta: float = 1.0

    def compute(self, prediction: Any, target: Any) -> Any:
        import torch.nn.functional as F

        return F.huber_loss(prediction, target, reduction=self.reduction, delta=self.delta)


@checked_call(positional=_BY_NAME)
@dataclass(frozen=True, kw_only=True)
class SmoothL1(Loss):
    """Huber's loss divided by `beta`."""

    beta: float = 1.0

    def compute(self, prediction: Any, target: Any) -> Any:
        import torch.nn.functional as F

        return F.smooth_l1_loss(prediction, target, reduction=self.reduction, beta=self.beta)


@checked_call(positional=_BY_NAME)
@dataclass(frozen=True, kw_only=True)
class BCEWithLogits(Loss):
    """Binary cross entropy of logits and targets between 0 and 1."""

    pos_weight: Any = None

    def compute(self, prediction: Any, target: Any) -> Any:
        import torch
        import torch.nn.functional as F

        pos_weight = self.pos_weight
        if pos_weight is not None:
            pos_weight = torch.as_tensor(pos_weight, dtype=prediction.dtype)
        return F.binary_cross_entropy_with_logits(
            prediction, target, pos_weight=pos_weight, reduction=self.reduction
        )


NAMES: dict[str, type[Loss]] = {
    "cross_entropy": CrossEntropy,
    "mse": MSE,
    "l1": L1,
    "huber": Huber,
    "smooth_l1": SmoothL1,
    "bce_with_logits": BCEWithLogits,
}


def named(name: str) -> Loss:
    """The loss of that name, with its default options."""
    try:
        return NAMES[name]()
    except KeyError:
        raise InvalidArgumentError(
            f"{unknown_name('loss', name, list(NAMES))}. Any callable of the outputs and the targets "
            "serves too, and loss=None when the model returns its own loss"
        ) from None


def __getattr__(name: str):
    known = [kind.__name__ for kind in NAMES.values()]
    raise unknown_attribute(__name__, name, known, dict.fromkeys(("NLLLoss", "NLL"), _NLL))


_NLL = "CrossEntropy takes the logits, before log_softmax; any callable(outputs, targets) serves too"
