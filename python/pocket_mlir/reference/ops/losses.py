"""Cross entropy of class indices."""

from __future__ import annotations

import numpy as np

from ..registry import op


def _counted(targets, ignore_index, dtype):
    """Which rows count, a class that can be looked up for each row, how many count."""
    kept = targets != ignore_index
    return kept, np.where(kept, targets, 0), kept.sum().astype(dtype)


@op("cross_entropy")
def cross_entropy(logits, targets, *, ignore_index=-100, label_smoothing=0.0, reduction="mean"):
    """The loss, and the log of each row's sum of exponentials.

    The mean is over the rows that are not ignored: NaN when all are.
    """
    kept, classes, count = _counted(targets, ignore_index, logits.dtype)
    largest = logits.max(axis=1)
    logsumexp = largest + np.log(np.exp(logits - largest[:, None]).sum(axis=1))
    picked = logsumexp - logits[np.arange(len(classes)), classes]
    average = logsumexp - logits.mean(axis=1)
    rows = np.where(kept, (1 - label_smoothing) * picked + label_smoothing * average, 0)
    rows = rows.astype(logits.dtype)
    loss = {"none": rows, "sum": rows.sum(), "mean": rows.sum() / count}[reduction]
    return loss, logsumexp


@op("cross_entropy_grad")
def cross_entropy_grad(dloss, logits, targets, logsumexp, *, ignore_index=-100,
                       label_smoothing=0.0, reduction="mean"):
    kept, classes, count = _counted(targets, ignore_index, logits.dtype)
    rows, number = logits.shape
    wanted = np.full(logits.shape, label_smoothing / number, logits.dtype)
    wanted[np.arange(rows), classes] += 1 - label_smoothing
    per_row = {"none": dloss, "sum": dloss, "mean": dloss / count}[reduction]
    per_row = np.where(kept, per_row, 0).astype(logits.dtype)
    dlogits = (np.exp(logits - logsumexp[:, None]) - wanted) * per_row[:, None]
    return np.where(kept[:, None], dlogits, 0)
