"""Update operations: new values of parameters, optimizer state and buffers."""

from __future__ import annotations

import numpy as np

from ..registry import op


@op("sgd")
def sgd(param, grad, lr, buffer=None, *, momentum=0.0, nesterov=False, weight_decay=0.0):
    """torch.optim.SGD without dampening; the momentum buffer starts at zero."""
    if weight_decay:
        grad = grad + weight_decay * param
    if buffer is None:
        return param - lr * grad
    buffer = momentum * buffer + grad
    step = grad + momentum * buffer if nesterov else buffer
    return param - lr * step, buffer


def _bias_correction(beta, step):
    """1 - beta ** step, without the digits that float32 would lose to cancellation."""
    return -np.expm1(step * float(np.log(beta)))


@op("adamw")
def adamw(param, grad, exp_avg, exp_avg_sq, lr, step, *, beta1=0.9, beta2=0.999, epsilon=1e-8,
          weight_decay=0.01):
    """torch.optim.AdamW; `step` counts this one, so the first is 1."""
    param = param * (1 - lr * weight_decay)
    exp_avg = beta1 * exp_avg + (1 - beta1) * grad
    exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) * grad * grad
    deviation = np.sqrt(exp_avg_sq / _bias_correction(beta2, step)) + epsilon
    param = param - lr / _bias_correction(beta1, step) * exp_avg / deviation
    return param, exp_avg, exp_avg_sq


@op("assign")
def assign(old, new):
    """`new`, which takes the place of `old`."""
    return new
