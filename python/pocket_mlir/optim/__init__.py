"""Optimizers and learning-rate schedules.

An optimizer here is a description: the compiler turns it into update operations
of the program. The learning rate is no part of it; it is given at each step.
Names and defaults are PyTorch's.

    program = pocket.compile(model, inputs, optimizer=pocket.optim.SGD(momentum=0.9))
    session.fit(batches, epochs=3, lr=pocket.optim.cosine(1e-2, steps=300, warmup=30))
"""

from .optimizers import SGD, AdamW, Optimizer, StateTensor
from .schedules import constant, cosine, linear

__all__ = ["Optimizer", "StateTensor", "SGD", "AdamW", "constant", "cosine", "linear"]
