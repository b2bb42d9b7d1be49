"""A session: one program at work on one device, with its weights."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import BundleError, InvalidInputError, RuntimeError
from . import checkpoint, training
from .device import Device, Function, Tensor
from .history import History
from .inputs import as_learning_rate, bind_batch, is_torch, torch_if_loaded
from .manifest import MODEL_KINDS, STORED_KINDS, Entry, Signature

if TYPE_CHECKING:
    from ..program import Program

__all__ = ["Session"]


class Session:
    """Trains and predicts with one set of weights, which stay on the device.

    A step moves only the batch in and the loss out. `predict` reads the very
    buffers that `step` updates. A session may be used from several threads; its
    calls then take turns.
    """

    def __init__(self, program: Program, threads: int | None = None):
        self._program = program
        self._lock = threading.RLock()
        self._steps = 0
        self._peak_bytes = 0
        self._broken: str | None = None
        self._device: Device | None = None
        device = Device(program.manifest["target"].get("driver", "local"), threads, program.vmfb)
        self._device = device
        # Parameters, buffers and optimizer state, by Entry.key.
        self._stored: dict[tuple, Tensor] = {}
        self._entries: dict[tuple, Entry] = {}
        # Inputs, targets and the learning rate: written before each call.
        self._fed: dict[tuple, Tensor] = {}
        self._calls: dict[str, _Call] = {}
        for name, signature in program.signatures.items():
            self._allocate(signature)
            self._calls[name] = _Call(device.function(name), signature)
        self._load_initial(program.weights)
        if "train_step" in self._calls:
            self._bind(self._calls["train_step"])
        self._peak_bytes = device.resident_bytes

    def _allocate(self, signature: Signature) -> None:
        for entry in signature.arguments:
            stored = entry.kind in STORED_KINDS
            place = self._stored if stored else self._fed
            # The functions share what has the same name, if it also has the same form:
            # a batch to predict on may be larger than one to train on.
            key = entry.key if stored else (*entry.key, entry.shape, entry.dtype)
            if key not in place:
                place[key] = self._device.tensor(entry.shape, entry.dtype)
                if stored:
                    self._entries[key] = entry
            elif place[key].shape != entry.shape or place[key].dtype != entry.dtype:
                raise BundleError(f"the program's functions disagree about {entry.kind} {entry.name!r}")

    def _load_initial(self, weights: Mapping[str, np.ndarray]) -> None:
        missing = [e.name for e in self._model_entries() if e.name not in weights]
        if missing:
            raise BundleError(f"the program has no initial values for {', '.join(missing)}")
        self._write_model(weights, "the program's weights")
        self._reset_optimizer()

    def _reset_optimizer(self) -> None:
        for entry in self._state_entries():
            tensor = self._stored[entry.key]
            tensor.write(np.full(entry.shape, entry.initial, tensor.numpy_dtype))

    def _model_entries(self) -> list[Entry]:
        return [e for e in self._entries.values() if e.kind in MODEL_KINDS]

    def _state_entries(self) -> list[Entry]:
        return [e for e in self._entries.values() if e.kind == "state"]

    # Running.

    def step(self, *batch: Any, lr: Any = None, **named: Any) -> float:
        """One training step: forward, backward, update. Returns the loss.

        Args:
            batch: the inputs and then the targets, as numpy arrays or torch
                tensors; dicts among them stand for keyword arguments.
            lr: the learning rate.
            named: inputs and targets by name.

        A batch that doesn't fit is refused before anything runs, and the weights
        stay as they were.
        """
        with self._lock:
            call = self._call("train_step")
            entries = call.signature.of_kind("input", "target")
            arrays = bind_batch(entries, batch, named, "step")
            rates = call.signature.of_kind("learning_rate")
            if rates:
                if lr is None:
                    raise InvalidInputError("step needs a learning rate: step(..., lr=0.01)")
                rate = as_learning_rate(lr)
                entries = [*entries, *rates]
                arrays += [np.full(e.shape, rate, np.float32) for e in rates]
            results = self._run(call, entries, arrays)
            self._steps += 1
            return float(results["loss"].read())

    def predict(self, *inputs: Any, **named: Any) -> Any:
        """The model's outputs in evaluation mode, with the weights as they are now.

        Returns an array, or a tuple when the model has several outputs; torch
        tensors when an input was one.
        """
        with self._lock:
            call = self._call("predict")
            entries = call.signature.of_kind("input")
            arrays = bind_batch(entries, inputs, named, "predict")
            results = self._run(call, entries, arrays)
            outputs = [results[e.name].read() for e in call.signature.results if e.kind == "output"]
            given = [*inputs, *named.values()]
            given += [v for value in inputs if isinstance(value, Mapping) for v in value.values()]
            if any(is_torch(value) for value in given):
                outputs = [torch_if_loaded().from_numpy(output) for output in outputs]
            return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def evaluate(
        self,
        batches: Iterable[Any],
        metrics: str | Callable | Mapping[str, Callable] = "accuracy",
    ) -> dict[str, float]:
        """The mean of each metric over `batches` of (input, target), weighted by their size.

        A metric is "accuracy" or a `callable(outputs, *targets) -> float`. Dimension 0
        is the batch; a last, smaller batch is filled up and the filling left out.
        """
        return training.evaluate(self, batches, metrics)

    def fit(
        self,
        batches: Iterable[Any] | Callable[[int], Iterable[Any]],
        epochs: int = 1,
        lr: float | Callable[[int], float] | Sequence[float] = 1e-3,
        validation: Iterable[Any] | None = None,
        metrics: str | Callable | Mapping[str, Callable] = "accuracy",
        progress: bool = True,
        callback: Callable[[int, History], Any] | None = None,
    ) -> History:
        """Trains over `batches`, `epochs` times.

        Args:
            batches: an iterable of batches, run through once per epoch (a list, a
                DataLoader), or a `callable(epoch)` that gives one. A batch is a tuple
                of inputs and targets as for `step`, or a dict of them by name.
            lr: a number, a `callable(step)` with the step counted over the session's
                life (so that a resumed run goes on where it stopped), or a sequence
                with one number a step of this call.
            validation: batches of (input, target) to evaluate after each epoch.
            metrics: what to evaluate, as for `evaluate`.
            progress: show a progress bar.
            callback: called after each epoch with its number and the history; a
                return value of False ends the training.
        """
        return training.fit(self, batches, epochs, lr, validation, metrics, progress, callback)

    @property
    def steps(self) -> int:
        """How many steps these weights have been trained for; kept in checkpoints."""
        return self._steps

    @property
    def threads(self) -> int:
        """How many threads the device computes on."""
        return self._open_device().threads

    @property
    def program(self) -> Program:
        return self._program

    @property
    def measured_peak_bytes(self) -> int:
        """The most memory that the device's allocator has held for this session so far.

        The allocator's own count: parameters, state, inputs, constants, the transient
        buffer, and what the largest call allocated on top for its results.
        """
        return max(self._peak_bytes, self._open_device().resident_bytes)

    def _call(self, name: str) -> _Call:
        self._open_device()
        if self._broken:
            raise RuntimeError(self._broken)
        try:
            return self._calls[name]
        except KeyError:
            raise InvalidInputError(
                f"this program has no function {name!r} (it has {', '.join(self._calls)})"
            ) from None

    def _open_device(self) -> Device:
        if self._device is None:
            raise RuntimeError("this session is closed")
        return self._device

    def _tensor(self, entry: Entry) -> Tensor:
        if entry.kind in STORED_KINDS:
            return self._stored[entry.key]
        return self._fed[(*entry.key, entry.shape, entry.dtype)]

    def _bind(self, call: _Call) -> None:
        call.function.bind([self._tensor(entry) for entry in call.signature.arguments])
        call.bound = True

    def _run(self, call: _Call, entries: Sequence[Entry], arrays: Sequence[np.ndarray]) -> dict[str, Tensor]:
        """Runs with those arrays; the loss and the outputs, by name ("loss" is the loss)."""
        for entry, array in zip(entries, arrays):
            self._tensor(entry).write(array)
        if not call.bound or call.function.stale:
            self._bind(call)
        try:
            views, allocated = call.function()
        except Exception as error:  # the bindings raise several kinds
            self._broken = (
                "the device failed while a program ran, and the weights may be half updated; "
                f"make a new session and restore a checkpoint ({error})"
            )
            raise RuntimeError(self._broken) from error
        results = {}
        fresh = 0
        for entry, view in zip(call.signature.results, views):
            if entry.key in self._stored:
                if not call.inspected or entry.key in call.replaced:
                    fresh += self._adopt(call, entry, view)
            else:
                name = "loss" if entry.kind == "loss" else entry.name
                results[name] = Tensor(self._device, entry.shape, entry.dtype, view)
                fresh += view.byte_length
        call.inspected = True
        # On several threads IREE allocates results past the allocator that counts.
        allocated = max(allocated, fresh)
        self._peak_bytes = max(self._peak_bytes, self._device.resident_bytes + allocated)
        return results

    def _adopt(self, call: _Call, entry: Entry, view: Any) -> int:
        """Takes over a new value that was not written into the old one's memory; its bytes.

        The compiler makes a few updates that way, where IREE would have overwritten a
        value that is still read: targets/inplace.py.
        """
        old, new = self._stored[entry.key], Tensor(self._device, entry.shape, entry.dtype, view)
        if call.inspected or (old.address is not None and new.address != old.address):
            call.replaced.add(entry.key)
            self._stored[entry.key] = new
            for other in self._calls.values():
                other.bound = False
            return view.byte_length
        return 0

    # Weights and optimizer state.

    def state_dict(self) -> dict[str, Any]:
        """The model's parameters and buffers, in PyTorch's names and layouts.

        Copies: torch tensors when PyTorch is loaded, else numpy arrays. Tied
        parameters appear under each of their names.
        """
        with self._lock:
            values = {e.name: self._read(e) for e in self._model_entries()}
            for alias, name in self._program.aliases.items():
                values[alias] = values[name]
            return {name: _as_torch(value) for name, value in values.items()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Sets the model's parameters and buffers.

        With `strict`, the names must be exactly the model's (a tied parameter needs
        only one of its names). Nothing is changed when anything doesn't fit.
        """
        with self._lock:
            self._open_device()
            aliases = self._program.aliases
            values: dict[str, Any] = {}
            for name, value in state.items():
                values.setdefault(aliases.get(name, name), value)
            known = {entry.name for entry in self._model_entries()}
            problems = []
            if strict:
                _list(problems, "missing", [e.name for e in self._model_entries() if e.name not in values])
                _list(problems, "unexpected", [n for n in state if aliases.get(n, n) not in known])
            arrays = {name: np.asarray(_to_numpy(values[name])) for name in values if name in known}
            _list(problems, "wrong shape or type", self._misfits(arrays))
            if problems:
                raise InvalidInputError("load_state_dict: the weights don't fit the program\n" + "\n".join(problems))
            self._write_model(arrays, "load_state_dict")

    def optimizer_state_dict(self) -> dict[str, Any]:
        """The optimizer's state: {"steps": n, "state": {"fc.weight": {"exp_avg": ...}}, "global": {"step": ...}}.

        Tensors as in `state_dict`.
        """
        with self._lock:
            state: dict[str, dict[str, Any]] = {}
            shared: dict[str, Any] = {}
            for entry in self._state_entries():
                value = _as_torch(self._read(entry))
                if entry.name:
                    state.setdefault(entry.name, {})[entry.state] = value
                else:
                    shared[entry.state] = value
            return {"steps": self._steps, "state": state, "global": shared}

    def load_optimizer_state_dict(self, state: Mapping[str, Any]) -> None:
        """Sets what `optimizer_state_dict` gave. Nothing is changed when it doesn't fit."""
        with self._lock:
            self._open_device()
            flat = {(name, key): v for name, values in state.get("state", {}).items() for key, v in values.items()}
            flat.update({("", key): value for key, value in state.get("global", {}).items()})
            self._write_state({key: np.asarray(_to_numpy(v)) for key, v in flat.items()}, "load_optimizer_state_dict")
            self._steps = int(state.get("steps", self._steps))

    def save(self, path: str | os.PathLike) -> None:
        """Writes weights, optimizer state and step count to one safetensors file.

        The file appears whole or not at all: a kill on the way leaves the old one.
        Weights go by their PyTorch names.
        """
        with self._lock:
            self._open_device()
            checkpoint.save(
                path,
                model={e.name: self._read(e) for e in self._model_entries()},
                optimizer={(e.state, e.name): self._read(e) for e in self._state_entries()},
                steps=self._steps,
                optimizer_name=(self._program.manifest.get("optimizer") or {}).get("name", ""),
            )

    def restore(self, path: str | os.PathLike) -> None:
        """Takes weights, optimizer state and step count from a file that `save` wrote.

        Training goes on bit for bit as if it had not stopped. A plain safetensors file
        of weights serves too; the optimizer then starts afresh. Nothing is changed when
        the file doesn't fit.
        """
        with self._lock:
            self._open_device()
            content = checkpoint.load(path)
            checkpoint.check(content, self._model_entries(), self._state_entries(), self._program.aliases)
            self._write_model(content.named(self._program.aliases), f"{path}")
            if content.optimizer:
                self._write_state({(name, state): v for (state, name), v in content.optimizer.items()}, f"{path}")
            else:
                self._reset_optimizer()
            self._steps = content.steps

    def _read(self, entry: Entry) -> np.ndarray:
        self._open_device()
        value = self._stored[entry.key].read()
        return value if entry.layout is None else entry.to_logical(value).copy(order="C")

    def _misfits(self, arrays: Mapping[str, np.ndarray]) -> list[str]:
        misfits = []
        for entry in self._model_entries():
            array = arrays.get(entry.name)
            if array is not None:
                misfits += _misfit(entry, array, self._stored[entry.key].numpy_dtype, entry.name)
        return misfits

    def _write_model(self, arrays: Mapping[str, np.ndarray], what: str) -> None:
        ready = []
        problems: list[str] = []
        for entry in self._model_entries():
            if entry.name in arrays:
                array = np.asarray(arrays[entry.name])
                tensor = self._stored[entry.key]
                problems += _misfit(entry, array, tensor.numpy_dtype, entry.name)
                ready.append((entry, tensor, array))
        if problems:
            raise InvalidInputError(f"{what}: wrong shape or type: " + "; ".join(problems))
        for entry, tensor, array in ready:
            tensor.write(entry.to_storage(array))

    def _write_state(self, values: Mapping[tuple[str, str], np.ndarray], what: str) -> None:
        entries = {(entry.name, entry.state): entry for entry in self._state_entries()}
        problems: list[str] = []
        _list(problems, "missing", [_state_name(k) for k in entries if k not in values])
        _list(problems, "unexpected", [_state_name(k) for k in values if k not in entries])
        misfits: list[str] = []
        for key, entry in entries.items():
            if key in values:
                misfits += _misfit(entry, values[key], self._stored[entry.key].numpy_dtype, _state_name(key))
        _list(problems, "wrong shape or type", misfits)
        if problems:
            raise InvalidInputError(f"{what}: the optimizer state doesn't fit the program\n" + "\n".join(problems))
        for key, entry in entries.items():
            self._stored[entry.key].write(entry.to_storage(values[key]))

    # The end.

    def close(self) -> None:
        """Gives the device's memory back. The session can't be used any more."""
        with self._lock:
            self._calls.clear()
            self._stored.clear()
            self._fed.clear()
            self._device = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        model = self._program.manifest.get("model", "")
        where = "closed" if self._device is None else f"{self._device.threads} threads"
        return f"<Session of {model}: {self._steps} steps, {where}>"


class _Call:
    """A function of the program, and what is known about calls of it."""

    def __init__(self, function: Function, signature: Signature):
        self.function = function
        self.signature = signature
        self.bound = False
        # Whether the first call's results have been looked at, and which stored
        # tensors they showed to be replaced instead of overwritten.
        self.inspected = False
        self.replaced: set[tuple] = set()


def _misfit(entry: Entry, array: np.ndarray, dtype: np.dtype, name: str) -> list[str]:
    if array.shape == entry.logical_shape and array.dtype == dtype:
        return []
    wanted = f"{dtype}[{', '.join(map(str, entry.logical_shape))}]"
    return [f"{name} must be {wanted}, got {array.dtype}[{', '.join(map(str, array.shape))}]"]


def _list(problems: list[str], what: str, names: list[str]) -> None:
    if names:
        problems.append(f"  {what}: {', '.join(names)}")


def _state_name(key: tuple[str, str]) -> str:
    name, state = key
    return f"{name}.{state}" if name else state


def _as_torch(value: np.ndarray) -> Any:
    torch = torch_if_loaded()
    return value if torch is None else torch.from_numpy(value)


def _to_numpy(value: Any) -> Any:
    return value.detach().cpu().numpy() if is_torch(value) else value
