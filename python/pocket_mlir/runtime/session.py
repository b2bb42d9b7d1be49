"""A session: one program at work on one device, with its weights."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import checked_call, did_you_mean
from ..errors import BundleError, CheckpointError, InvalidInputError, RuntimeError
from . import checkpoint, training
from .device import Device, Function, Tensor
from .history import History
from .inputs import as_learning_rate, bind_batch, is_torch, listed, to_numpy, torch_if_loaded
from .manifest import MODEL_KINDS, STORED_KINDS, Entry, Signature
from .signals import Deferred

if TYPE_CHECKING:
    from ..program import Program

__all__ = ["Session"]

_HALF_WRITTEN = (
    "new weights were being written when an exception ended it, and the weights are half old and "
    "half new; restore or load them again"
)


# What a user of PyTorch looks for in a session.
_ELSEWHERE = {
    "train": "step and fit train, in training mode; predict and evaluate are in evaluation mode",
    "eval": "predict and evaluate are in evaluation mode, step and fit in training mode",
    "forward": "predict(x) gives the outputs, step(x, target, lr=0.1) trains",
    "backward": "step(x, target, lr=0.1) is forward, backward and update",
    "zero_grad": "step(x, target, lr=0.1) is forward, backward and update; no gradients are kept",
    "parameters": "state_dict() has the parameters and buffers",
    "named_parameters": "state_dict() has the parameters and buffers",
    "load": "restore(path) reads what save(path) wrote; pocket.load(path) reads a bundle",
    "to": "what the program runs on is chosen when it is compiled: pocket.compile(..., target=...)",
    "cuda": 'what the program runs on is chosen when it is compiled: pocket.compile(..., target="cuda:sm_87")',
}


class Session:
    """Trains and predicts with one set of weights, which stay on the device.

    A step moves only the batch in and the loss out. `predict` reads the very
    buffers that `step` updates. A session may be used from several threads; its
    calls then take turns.
    """

    def __init__(self, program: Program, threads: int | None = None):
        if not hasattr(program, "signatures"):
            raise InvalidInputError(
                f"a session works with a program, got a {type(program).__name__}: pocket.compile(model, ...).session()"
            )
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

    def _persistent_entries(self) -> list[Entry]:
        """What PyTorch has in the model's `state_dict`."""
        return [e for e in self._model_entries() if e.name not in self._program.non_persistent]

    def _state_entries(self) -> list[Entry]:
        return [e for e in self._entries.values() if e.kind == "state"]

    def __getattr__(self, name: str) -> Any:
        # Asked only for what isn't there.
        advice = _ELSEWHERE.get(name)
        names = [n for n in dir(type(self)) if not n.startswith("_")]
        raise AttributeError(
            f"a Session has no {name!r}" + (f": {advice}" if advice else did_you_mean(name, names))
        )

    # Running.

    def step(self, *batch: Any, lr: Any = None, **named: Any) -> float:
        """One training step: forward, backward, update. Returns the loss.

        Args:
            batch: the inputs and then the targets, as numpy arrays, torch tensors or
                nested lists of numbers, of exactly the shapes and types that the program
                was compiled for; dicts among them stand for keyword arguments.
            lr: the learning rate: a finite number, zero or more.
            named: inputs and targets by name.

        Raises:
            InvalidInputError: the batch or the rate doesn't fit. Nothing has run, and the
                weights are as they were; the next step may follow.
            RuntimeError: the device failed, or the session is closed.
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
            results = self._run(call, entries, arrays, steps=1)
            return float(results["loss"].read())

    def predict(self, *inputs: Any, **named: Any) -> Any:
        """The model's outputs in evaluation mode, with the weights as they are now.

        Returns an array, or a tuple of them in the model's order when it has several
        outputs (also of a dict or a dataclass); torch tensors when an input was one.
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

    @checked_call(
        {
            "learning_rate": "it is called 'lr' here",
            "optimizer": "the optimizer is a part of the program: pocket.compile(..., optimizer=...)",
            "loss": "the loss is a part of the program: pocket.compile(..., loss=...)",
            "batch_size": "the batch's size is the program's: that of example_inputs",
            "y": "inputs and targets come together, as batches: fit([(x, y)], ...)",
        },
        error=InvalidInputError,
    )
    def fit(
        self,
        batches: Iterable[Any] | Callable[[int], Iterable[Any]],
        epochs: int = 1,
        lr: float | Callable[[int], float] | Sequence[float] = 1e-3,
        validation: Iterable[Any] | None = None,
        metrics: str | Callable | Mapping[str, Callable] = "accuracy",
        progress: bool = True,
        callback: Callable[[int, History], Any] | None = None,
        validate_first: bool = True,
    ) -> History:
        """Trains over `batches`, `epochs` times.

        Args:
            batches: an iterable of batches, run through once per epoch (a list, a
                DataLoader), or a `callable(epoch)` that gives one. A batch is a tuple
                of inputs and targets as for `step`, or a dict of them by name.
            lr: a number, a `callable(step)` with the step counted over the session's
                life (so that a resumed run goes on where it stopped), or a sequence
                with one number a step of this call.
            validation: batches of (input, target) to evaluate before the first epoch and
                after each one; a list or a DataLoader, since it is run through each time.
            metrics: what to evaluate, as for `evaluate`.
            progress: show a progress bar.
            callback: called after each epoch with its number and the history; a
                return value of False ends the training.
            validate_first: evaluate before the first epoch too, into `History.initial`.

        Every batch has the compiled size: a DataLoader gives such batches with
        drop_last=True. (Validation fills a last, smaller batch up.) A step counts as soon
        as it has run: after an exception, Ctrl-C included, the session goes on from there.

        Raises:
            InvalidInputError: a batch, a rate or another argument doesn't fit.
        """
        return training.fit(
            self, batches, epochs, lr, validation, metrics, validate_first, progress, callback
        )

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
        self._open_device().check_process()
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

    def _run(
        self, call: _Call, entries: Sequence[Entry], arrays: Sequence[np.ndarray], steps: int = 0
    ) -> dict[str, Tensor]:
        """Runs with those arrays; the loss and the outputs, by name ("loss" is the loss).

        `steps` is what it counts for. Ctrl-C and the like wait until it has been counted:
        the weights would be new, and the count, or an update that is not in place, old.
        """
        with Deferred():
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
            results = self._take(call, views, allocated)
            self._steps += steps
        return results

    def _take(self, call: _Call, views: Sequence[Any], allocated: int | None) -> dict[str, Tensor]:
        """Takes over what a call gave: new values of what is stored, and the rest by name."""
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
        allocated = max(allocated or 0, fresh)
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

        Copies: torch tensors when PyTorch is loaded, else numpy arrays. The names are
        those of the model's own `state_dict()`: tied parameters appear under each of
        theirs, and buffers with persistent=False not at all.
        """
        with self._lock:
            values = {e.name: self._read(e) for e in self._persistent_entries()}
            for alias, name in self._program.aliases.items():
                if name in values:
                    values[alias] = values[name]
            return {name: _as_torch(value) for name, value in values.items()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Sets the model's parameters and buffers.

        With `strict`, the names must be exactly the model's (a tied parameter needs
        only one of its names). The optimizer's state stays as it is.

        Raises:
            InvalidInputError: names, shapes or types don't fit. Nothing has changed.
        """
        with self._lock:
            self._open_device()
            if not isinstance(state, Mapping):
                advice = "files are for restore(path)"
                if hasattr(state, "state_dict"):
                    advice = "give its state_dict()"
                raise InvalidInputError(
                    f"load_state_dict takes a dict of tensors by name, got a {type(state).__name__}; {advice}"
                )
            aliases = self._program.aliases
            values: dict[str, Any] = {}
            for name, value in state.items():
                values.setdefault(aliases.get(name, name), value)
            known = {entry.name for entry in self._model_entries()}
            problems = []
            if strict:
                _list(problems, "missing", [e.name for e in self._persistent_entries() if e.name not in values])
            # Without `strict` a file of which nothing fits would go unnoticed.
            if strict or state and not known.intersection(values):
                free = known.difference(values)
                unexpected = [n for n in state if aliases.get(n, n) not in known]
                _list(problems, "unexpected", [f"{n}{did_you_mean(n, free)}" for n in unexpected])
                problems += _name_advice(state, unexpected, known)
            arrays = {name: to_numpy(values[name], f"load_state_dict: {name}") for name in values if name in known}
            _list(problems, "wrong shape or type", self._misfits(arrays))
            if problems:
                raise InvalidInputError("load_state_dict: the weights don't fit the program\n" + "\n".join(problems))
            with self._rewriting(complete=len(arrays) == len(known)):
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
            if not isinstance(state, Mapping) or "param_groups" in state:
                what = "the state of PyTorch's optimizer" if isinstance(state, Mapping) else f"a {type(state).__name__}"
                raise InvalidInputError(
                    f"load_optimizer_state_dict takes what optimizer_state_dict() gives, got {what}; "
                    "files are for restore(path)"
                )
            flat = {(name, key): v for name, values in state.get("state", {}).items() for key, v in values.items()}
            flat.update({("", key): value for key, value in state.get("global", {}).items()})
            what = "load_optimizer_state_dict"
            self._write_state({key: to_numpy(v, f"{what}: {_state_name(key)}") for key, v in flat.items()}, what)
            self._steps = int(state.get("steps", self._steps))

    def save(self, path: str | os.PathLike, optimizer: bool = True) -> None:
        """Writes weights, optimizer state and step count to one safetensors file.

        Args:
            path: the file; one that was there before is replaced.
            optimizer: False leaves the optimizer's state out: a file of weights as other
                tools write and read them, half (SGD with momentum) or a third (AdamW) of
                the size.

        The file appears whole or not at all: a kill on the way leaves the old one.
        Weights go by their PyTorch names, tied ones by one of them.

        Raises:
            CheckpointError: the file can't be written.
            RuntimeError: a step or a load was cut off, and the weights are half new.
        """
        with self._lock:
            self._open_device()
            if self._broken:
                raise RuntimeError(self._broken)
            model = self._model_entries() if optimizer else self._persistent_entries()
            state = self._state_entries() if optimizer else []
            checkpoint.save(
                path,
                model={e.name: self._read(e) for e in model},
                optimizer={(e.state, e.name): self._read(e) for e in state},
                steps=self._steps,
                optimizer_name=self._optimizer_name() if optimizer else "",
            )

    def restore(self, path: str | os.PathLike, optimizer: bool = True) -> None:
        """Takes weights, optimizer state and step count from a file that `save` wrote.

        Training goes on bit for bit as if it had not stopped.

        Args:
            path: what `save` wrote, or with optimizer=False any safetensors file of the
                model's weights by their PyTorch names, for example
                `safetensors.torch.save_file(model.state_dict(), path)`.
            optimizer: False takes the weights alone: the optimizer's state starts anew,
                and so does the step count.

        Raises:
            CheckpointError: the file can't be read or doesn't fit, or holds no optimizer
                state where the program needs one. Nothing has changed.
        """
        with self._lock:
            self._open_device()
            content = checkpoint.load(path, optimizer)
            model, state = self._model_entries(), self._state_entries() if optimizer else []
            checkpoint.check(content, model, state, self._program.aliases, self._program.non_persistent)
            if state and not content.optimizer:
                needed = ", ".join(dict.fromkeys(entry.state or "" for entry in state))
                raise CheckpointError(
                    f"{content.path} has weights and no optimizer state, and this program's optimizer "
                    f"({self._optimizer_name()}) keeps {needed}: restore(path, optimizer=False) takes "
                    "the weights and starts the optimizer and the step count anew; to go on with a "
                    "training, restore a file that save(path) wrote"
                )
            weights = content.named(self._program.aliases)
            for name in self._program.non_persistent:
                # PyTorch's files lack them: they are what the model was built with.
                weights.setdefault(name, self._program.weights[name])
            with self._rewriting():
                self._write_model(weights, f"{path}")
                if state:
                    self._write_state({(name, key): v for (key, name), v in content.optimizer.items()}, f"{path}")
                else:
                    self._reset_optimizer()
                self._steps = content.steps if optimizer else 0

    @contextmanager
    def _rewriting(self, complete: bool = True) -> Iterator[None]:
        """Guards a change of many tensors, which an exception may end half-way.

        `complete` tells that it mends what an earlier one has left.
        """
        before, self._broken = self._broken, self._broken or _HALF_WRITTEN
        with Deferred():
            yield
        if before is None or before == _HALF_WRITTEN and complete:
            self._broken = None

    def _optimizer_name(self) -> str:
        return (self._program.manifest.get("optimizer") or {}).get("name", "")

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
        problems.append(f"  {what}: {listed(names)}")


# What wrappers of modules put before the names.
_PREFIXES = ("module.", "_orig_mod.", "model.", "_fsdp_wrapped_module.")


def _name_advice(state: Mapping[str, Any], unknown: Sequence[str], known: set[str]) -> list[str]:
    """What to do about names that are not the model's, where it is one thing for all."""
    nested = [
        name for name, value in state.items() if isinstance(value, Mapping) and known.intersection(map(str, value))
    ]
    if nested:
        return [f"  this is a checkpoint with the weights inside: load_state_dict(state[{nested[0]!r}])"]
    for prefix in _PREFIXES:
        if any(str(name).startswith(prefix) and name[len(prefix) :] in known for name in unknown):
            return [f"  take the prefix off: {{name.removeprefix({prefix!r}): v for name, v in state.items()}}"]
    if unknown and len(unknown) == len(state):
        return ["  no name is one of this model's: are these another model's weights?"]
    return []


def _state_name(key: tuple[str, str]) -> str:
    name, state = key
    return f"{name}.{state}" if name else state


def _as_torch(value: np.ndarray) -> Any:
    torch = torch_if_loaded()
    return value if torch is None else torch.from_numpy(value)
