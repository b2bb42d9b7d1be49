"""Optimizers and learning-rate schedules.

An optimizer here is a description: the compiler turns it into update operations
of the program. The learning rate is no part of it; it is given at each step.
Names and defaults are PyTorch's.

    program = pocket.compile(model, inputs, optimizer=pocket.optim.SGD(momentum=0.9))
    session.fit(batches, epochs=3, lr=pocket.optim.cosine(1e-2, steps=300, warmup=30))
"""

from ..arguments import unknown_attribute
from .optimizers import SGD, AdamW, Optimizer, StateTensor, as_optimizer
from .schedules import constant, cosine, linear

__all__ = ["Optimizer", "StateTensor", "SGD", "AdamW", "as_optimizer", "constant", "cosine", "linear"]

_SCHEDULES = (
    "schedules are pocket.optim.constant, linear and cosine, or any callable(step): "
    "session.fit(batches, lr=pocket.optim.cosine(0.1, steps=300))"
)
_ADVICE = {
    "Adam": "AdamW(weight_decay=0.0) is Adam",
    "NAdam": "AdamW is the nearest to it",
    "RAdam": "AdamW is the nearest to it",
    "Adamax": "AdamW is the nearest to it",
    "RMSprop": "AdamW too divides by the gradient's root mean square",
    "Adagrad": "AdamW too divides by the gradient's root mean square",
    "lr_scheduler": _SCHEDULES,
    "CosineAnnealingLR": _SCHEDULES,
    "LinearLR": _SCHEDULES,
    "StepLR": _SCHEDULES,
    "LambdaLR": _SCHEDULES,
    "OneCycleLR": _SCHEDULES,
}


def __getattr__(name: str):
    raise unknown_attribute(__name__, name, ["SGD", "AdamW", "constant", "cosine", "linear"], _ADVICE)
