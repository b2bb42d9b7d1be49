"""Losses. Cross entropy is an operation of the dialect, the others compose."""

from __future__ import annotations

from ..builder import Builder, Tensor
from ..registry import lowers

# PyTorch's numbers for "none", "mean" and "sum".
_REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}


def _reduced(b: Builder, x: Tensor, reduction: int) -> Tensor:
    return {0: lambda: x, 1: lambda: b.mean(x), 2: lambda: b.sum(x)}[reduction]()


def _rows_of_classes(b: Builder, x: Tensor) -> Tensor:
    """[N, C, d...] as [N * d..., C]; [C] as [1, C]."""
    if x.rank == 1:
        return b.unsqueeze(x, 0)
    x = b.move(x, 1, x.rank - 1)
    return b.reshape(x, [x.size // x.shape[-1], x.shape[-1]])


@lowers("torch.aten.cross_entropy_loss")
def cross_entropy(
    b: Builder,
    logits: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignore_index: int,
    label_smoothing: float,
) -> Tensor:
    if target.is_float:
        return _cross_entropy_of_probabilities(
            b, logits, target, weight, reduction, label_smoothing
        )
    rows = _rows_of_classes(b, logits)
    classes = b.reshape(target, [target.size])
    if weight is None:
        loss = b.cross_entropy(
            rows, classes, ignore_index, float(label_smoothing), _REDUCTIONS[reduction]
        )
        return b.reshape(loss, b.out.shape)
    log_probabilities = b.log_softmax(rows, 1)
    loss, total = _weighted_nll(b, log_probabilities, classes, weight, ignore_index)
    if label_smoothing:
        valid = b.compare("ne", classes, b.scalar(ignore_index, classes.dtype))
        smooth = b.unary("neg", b.sum(b.mul(log_probabilities, weight), [1]))
        smooth = b.select(valid, smooth, b.scalar(0, rows.dtype))
        smooth = b.mul(smooth, b.scalar(label_smoothing / rows.shape[1], rows.dtype))
        loss = b.add(b.mul(loss, b.scalar(1 - label_smoothing, rows.dtype)), smooth)
    return _normalised(b, loss, total, reduction)


def _cross_entropy_of_probabilities(b, logits, target, weight, reduction, label_smoothing):
    rows, goal = _rows_of_classes(b, logits), _rows_of_classes(b, target)
    if label_smoothing:
        goal = b.add(
            b.mul(goal, b.scalar(1 - label_smoothing, goal.dtype)),
            b.scalar(label_smoothing / rows.shape[1], goal.dtype),
        )
    terms = b.mul(b.log_softmax(rows, 1), goal)
    if weight is not None:
        terms = b.mul(terms, weight)
    loss = b.unary("neg", b.sum(terms, [1]))
    return b.reshape(_reduced(b, loss, reduction), b.out.shape)


def _weighted_nll(b: Builder, log_probabilities, classes, weight, ignore_index: int):
    """Each row's weighted loss, 0 where it is ignored, and the sum of the weights."""
    dtype = log_probabilities.dtype
    valid = b.compare("ne", classes, b.scalar(ignore_index, classes.dtype))
    safe = b.select(valid, classes, b.scalar(0, classes.dtype))
    picked = b.gather(log_probabilities, b.unsqueeze(safe, 1), 1)
    loss = b.unary("neg", b.reshape(picked, [classes.size]))
    share = b.convert(valid, dtype)
    if weight is not None:
        weights = b.embedding(b.unsqueeze(weight, 1), safe)
        share = b.mul(share, b.reshape(weights, [classes.size]))
    zero = b.scalar(0, dtype)
    return b.select(valid, b.mul(loss, share), zero), b.sum(share)


def _normalised(b: Builder, loss: Tensor, total: Tensor, reduction: int) -> Tensor:
    if reduction == 1:
        return b.div(b.sum(loss), total)
    return b.reshape(_reduced(b, loss, reduction), b.out.shape)


@lowers("torch.aten.nll_loss", "torch.aten.nll_loss_nd", "torch.aten.nll_loss2d")
def nll_loss(
    b: Builder, x: Tensor, target: Tensor, weight, reduction: int, ignore_index: int
) -> Tensor:
    rows = _rows_of_classes(b, x)
    classes = b.reshape(target, [target.size])
    loss, total = _weighted_nll(b, rows, classes, weight, ignore_index)
    return _normalised(b, loss, total, reduction)


@lowers("torch.aten.nll_loss_forward", "torch.aten.nll_loss2d_forward")
def nll_loss_forward(b: Builder, x, target, weight, reduction: int, ignore_index: int):
    return nll_loss(b, x, target, weight, reduction, ignore_index), None


@lowers("torch.aten.mse_loss")
def mse(b: Builder, x: Tensor, target: Tensor, reduction: int) -> Tensor:
    difference = b.sub(x, b.convert(target, x.dtype))
    return _reduced(b, b.mul(difference, difference), reduction)


@lowers("torch.aten.l1_loss")
def l1(b: Builder, x: Tensor, target: Tensor, reduction: int) -> Tensor:
    return _reduced(b, b.unary("abs", b.sub(x, b.convert(target, x.dtype))), reduction)


def _half_square(b: Builder, x: Tensor, factor: float) -> Tensor:
    return b.mul(b.mul(x, x), b.scalar(0.5 * factor, x.dtype))


@lowers("torch.aten.huber_loss")
def huber(b: Builder, x: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
    difference = b.sub(x, b.convert(target, x.dtype))
    size = b.unary("abs", difference)
    inside = b.compare("le", size, b.scalar(delta, x.dtype))
    linear = b.mul(
        b.sub(size, b.scalar(0.5 * delta, x.dtype)), b.scalar(delta, x.dtype)
    )
    return _reduced(b, b.select(inside, _half_square(b, difference, 1.0), linear), reduction)


@lowers("torch.aten.smooth_l1_loss")
def smooth_l1(b: Builder, x: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
    if beta == 0:
        return l1(b, x, target, reduction)
    difference = b.sub(x, b.convert(target, x.dtype))
    size = b.unary("abs", difference)
    inside = b.compare("lt", size, b.scalar(beta, x.dtype))
    linear = b.sub(size, b.scalar(0.5 * beta, x.dtype))
    return _reduced(b, b.select(inside, _half_square(b, difference, 1 / beta), linear), reduction)


@lowers("torch.aten.binary_cross_entropy_with_logits")
def bce_with_logits(b: Builder, x, target, weight, pos_weight, reduction: int) -> Tensor:
    target = b.convert(target, x.dtype)
    # -[y log s(x) + (1-y) log(1-s(x))] = softplus(-x) w + (1-y) x, w = 1 + (p-1) y; and
    # softplus(-x) = softplus(x) - x. The threshold is where softplus is x in floats.
    excess = b.unary("softplus", b.unary("neg", x), beta=1.0, threshold=88.0)
    if pos_weight is not None:
        one = b.scalar(1, x.dtype)
        excess = b.mul(excess, b.add(b.mul(b.sub(pos_weight, one), target), one))
    loss = b.add(excess, b.mul(b.sub(b.scalar(1, x.dtype), target), x))
    if weight is not None:
        loss = b.mul(loss, weight)
    return _reduced(b, loss, reduction)


@lowers("torch.aten.binary_cross_entropy")
def bce(b: Builder, x: Tensor, target: Tensor, weight, reduction: int) -> Tensor:
    one, floor = b.scalar(1, x.dtype), b.scalar(-100, x.dtype)
    # PyTorch bounds the logarithms, so that the loss stays finite at 0 and 1.
    hit = b.binary("maximum", b.unary("log", x), floor)
    miss = b.binary("maximum", b.unary("log", b.sub(one, x)), floor)
    loss = b.unary("neg", b.add(b.mul(target, hit), b.mul(b.sub(one, target), miss)))
    if weight is not None:
        loss = b.mul(loss, weight)
    return _reduced(b, loss, reduction)


@lowers("torch.aten.kl_div")
def kl_div(b: Builder, x: Tensor, target: Tensor, reduction: int, log_target: bool) -> Tensor:
    if log_target:
        loss = b.mul(b.unary("exp", target), b.sub(target, x))
    else:
        positive = b.compare("gt", target, b.scalar(0, x.dtype))
        safe = b.select(positive, target, b.scalar(1, x.dtype))
        entropy = b.mul(target, b.unary("log", safe))
        loss = b.sub(entropy, b.mul(target, x))
    return _reduced(b, loss, reduction)
