"""The loops around `Session.step` and `Session.predict`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInputError
from .history import History
from .inputs import as_learning_rate, is_torch

if TYPE_CHECKING:
    from .session import Session

__all__ = ["fit", "evaluate"]


def fit(
    session: Session,
    batches: Iterable[Any] | Callable[[int], Iterable[Any]],
    epochs: int,
    lr: float | Callable[[int], float] | Sequence[float],
    validation: Iterable[Any] | None,
    metrics: Any,
    validate_first: bool,
    progress: bool,
    callback: Callable[[int, History], Any] | None,
) -> History:
    """See `Session.fit`."""
    _check_epochs(epochs)
    if callback is not None and not callable(callback):
        raise InvalidInputError(f"fit: callback must be a callable(epoch, history), got {callback!r}")
    _check_no_batch(session, batches, "fit")
    _check_source(batches, epochs, "batches", "a list, a DataLoader or a callable(epoch)")
    if validation is not None:
        _check_source(
            validation,
            epochs + bool(validate_first),
            "validation",
            "a list or a DataLoader (validate_first=False saves the first of the evaluations)",
        )
        _check_no_batch(session, validation, "fit: validation")
        _metrics(metrics)  # what is wrong with them is found before the first step
    schedule = _schedule(lr, session.steps)
    history = History()
    if validation is not None and validate_first and epochs:
        history.initial = evaluate(session, validation, metrics)
    for epoch in range(epochs):
        source = _epoch_source(batches, epoch)
        started = time.perf_counter()
        total, count = 0.0, 0
        with _Bar(progress, source, f"epoch {epoch + 1}/{epochs}") as bar:
            for batch in source:
                rate = schedule(session.steps)
                loss = session.step(*_positional(batch), lr=rate)
                history.loss.append(loss)
                history.lr.append(rate)
                total, count = total + loss, count + 1
                bar.advance(loss=total / count, lr=rate)
        if not count:
            raise InvalidInputError(
                f"fit: no batches in epoch {epoch + 1}: the data is empty, has been run through already, or is "
                "shorter than one batch (a DataLoader with drop_last=True)"
            )
        record = {
            "epoch": epoch + 1,
            "loss": total / count,
            "steps": count,
            "seconds": time.perf_counter() - started,
        }
        if validation is not None:
            record.update(evaluate(session, validation, metrics))
        history.epochs.append(record)
        if callback is not None and callback(epoch + 1, history) is False:
            break
    return history


def _check_epochs(epochs: Any) -> None:
    if isinstance(epochs, bool) or not isinstance(epochs, (int, np.integer)) or epochs < 0:
        given = f"{epochs!r}" if np.ndim(epochs) == 0 else f"an array of shape {list(np.shape(epochs))}"
        raise InvalidInputError(
            f"fit: epochs must be a number, zero or more, got {given}; inputs and targets come "
            "together, as batches: fit([(x, target), ...], epochs=3)"
        )


def _check_no_batch(session: Session, source: Any, what: str) -> None:
    """Raises for one batch in the place of many: (x, target) instead of [(x, target)]."""
    signature = session.program.signatures.get("train_step")
    entries = signature.of_kind("input", "target") if signature else []
    shapes = [tuple(e.shape) for e in entries]
    if len(shapes) < 2 or not isinstance(source, (tuple, list)) or len(source) != len(shapes):
        return
    if all(hasattr(value, "dtype") and tuple(value.shape[1:]) == s[1:] for value, s in zip(source, shapes)):
        names = ", ".join(e.name for e in entries)
        raise InvalidInputError(
            f"{what} takes many batches, and this {type(source).__name__} is one, of ({names}); "
            f"give a list of batches: [({names})], or a DataLoader"
        )


def _check_source(source: Any, times: int, name: str, instead: str) -> None:
    """Raises unless `source` can be run through that often."""
    if callable(source) and name == "batches":
        return
    try:
        once = iter(source) is source
    except TypeError:
        raise InvalidInputError(
            f"fit: {name} is a {type(source).__name__} and can't be run through; give {instead}"
        ) from None
    if once and times > 1:
        raise InvalidInputError(
            f"fit: {name} is an iterator and can be run through once only; give {instead}"
        )


def _epoch_source(batches: Any, epoch: int) -> Iterable[Any]:
    """The batches of one epoch."""
    if not callable(batches):
        return batches
    try:
        inspect.signature(batches).bind(epoch)
    except TypeError:
        raise InvalidInputError(
            "fit: batches is called with the number of the epoch, and takes no such argument; "
            "give a callable(epoch), for example lambda epoch: make_batches()"
        ) from None
    except ValueError:
        pass  # a callable without a signature: the call itself will tell
    source = batches(epoch)
    if not isinstance(source, Iterable):
        raise InvalidInputError(
            f"fit: batches({epoch}) gave a {type(source).__name__}; it must give the batches of an epoch"
        )
    return source


def evaluate(session: Session, batches: Iterable[Any], metrics: Any) -> dict[str, float]:
    """See `Session.evaluate`."""
    functions = _metrics(metrics)
    signature = session.program.signatures.get("predict")
    if signature is None:
        raise InvalidInputError("evaluate: this program has no function 'predict'")
    inputs = signature.of_kind("input")
    _check_no_batch(session, batches, "evaluate")
    sums = dict.fromkeys(functions, 0.0)
    rows = 0
    for batch in batches:
        given, targets = _split(batch, [entry.name for entry in inputs])
        size, filled = _fill(given, inputs)
        outputs = session.predict(*filled)
        outputs = tuple(_first_rows(o, size) for o in (outputs if isinstance(outputs, tuple) else (outputs,)))
        targets = [_numpy(target) for target in targets]
        for name, function in functions.items():
            result = function(outputs[0] if len(outputs) == 1 else outputs, *targets)
            sums[name] += float(result) * size
        rows += size
    if not rows:
        raise InvalidInputError("evaluate: no batches")
    return {name: total / rows for name, total in sums.items()}


def accuracy(outputs: Any, targets: Any = None) -> float:
    """How many of the largest logits are the target's."""
    if targets is None:
        raise InvalidInputError(
            "accuracy compares with targets, and the batches have none: give (input, target), or a "
            "metric of your own"
        )
    logits = outputs[0] if isinstance(outputs, tuple) else outputs
    return float(np.mean(np.argmax(_numpy(logits), axis=-1) == _numpy(targets)))


def _metrics(metrics: Any) -> dict[str, Callable]:
    if isinstance(metrics, str) and metrics == "accuracy":
        return {"accuracy": accuracy}
    if isinstance(metrics, Mapping):
        return {name: accuracy if function == "accuracy" else function for name, function in metrics.items()}
    if callable(metrics):
        return {getattr(metrics, "__name__", "metric"): metrics}
    given = repr(metrics)
    if hasattr(metrics, "shape"):
        given = f"an array of shape {list(metrics.shape)}; inputs and targets come together: evaluate([(x, target)])"
    raise InvalidInputError(
        f'metrics must be "accuracy", a callable(outputs, *targets) or a dict of them, got {given}'
    )


def _schedule(lr: Any, first: int) -> Callable[[int], float]:
    if callable(lr):
        return lambda step: as_learning_rate(lr(step))
    if isinstance(lr, Sequence) and not isinstance(lr, str) or isinstance(lr, np.ndarray) and lr.ndim:
        rates = [as_learning_rate(rate) for rate in lr]

        def look_up(step: int) -> float:
            if step - first >= len(rates):
                raise InvalidInputError(f"fit: lr has {len(rates)} values, and this is step {step - first + 1}")
            return rates[step - first]

        return look_up
    rate = as_learning_rate(lr)
    return lambda step: rate


def _positional(batch: Any) -> tuple:
    """A batch as positional arguments: (x, y), a dict, or a single tensor."""
    return tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)


def _split(batch: Any, names: list[str]) -> tuple[list[Any], list[Any]]:
    """The inputs, in order, and the targets of a batch."""
    values: dict[str, Any] = {}
    rest: list[Any] = []
    for part in _positional(batch):
        if isinstance(part, Mapping):
            values.update(part)
        else:
            rest.append(part)
    inputs = []
    for name in names:
        if name in values:
            inputs.append(values.pop(name))
        elif rest:
            inputs.append(rest.pop(0))
        else:
            raise InvalidInputError(f"evaluate: a batch lacks input {name!r}")
    return inputs, [*rest, *values.values()]


def _fill(given: list[Any], entries: Sequence[Any]) -> tuple[int, list[Any]]:
    """The batch's size, and its inputs filled up to the size that was compiled."""
    sizes = {np.shape(value)[0] if np.ndim(value) else None for value in given}
    size = sizes.pop() if len(sizes) == 1 else None
    full = {entry.shape[0] if entry.shape else None for entry in entries}
    if size is None or len(full) != 1 or not (0 < size < (next(iter(full)) or 0)):
        return size or 1, given
    count = next(iter(full)) - size
    return size, [np.concatenate([v, np.repeat(v[-1:], count, axis=0)]) for v in map(_numpy, given)]


def _first_rows(output: Any, size: int) -> Any:
    return output[:size] if np.ndim(output) and len(output) > size else output


def _numpy(value: Any) -> np.ndarray:
    return value.detach().cpu().numpy() if is_torch(value) else np.asarray(value)


class _Bar:
    """A progress bar, or nothing where tqdm is not installed or not wanted."""

    def __init__(self, wanted: bool, source: Any, title: str):
        self._bar = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            total = len(source) if hasattr(source, "__len__") else None
            self._bar = tqdm(total=total, desc=title, unit="step", leave=True)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, loss: float, lr: float) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(f"loss {loss:.4f}, lr {lr:.2e}", refresh=False)
            self._bar.update()
