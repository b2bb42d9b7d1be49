"""The device: its memory, its threads, and one loaded program.

Memory. A step allocates nothing that matters: parameters, optimizer state, inputs
and the transient buffer are allocated once by the session, and the program takes
the transient buffer as its last argument (`targets.iree.add_transient_arguments`).
So a steady-state step causes no page faults, on one thread and on several, and
nothing about the process's allocator has to be changed. Measured on a step with
87 MB of transients, minor faults a step: 21,000 when IREE allocates them, on both
drivers; 0 this way.

Threads. One thread is IREE's `local-sync`, which runs on the caller's thread.
More are `local-task`, whose workers IREE makes once per process; their number is
then fixed for all sessions of that process.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import BundleError, InvalidInputError, RuntimeError, TargetError
from .meter import Meter

__all__ = ["Device", "Function", "Tensor", "DTYPES", "available_threads"]

# Element types as MLIR writes them: numpy's type, and IREE's name. A boolean is
# one byte on the device.
DTYPES: dict[str, tuple[np.dtype, str]] = {
    "f16": (np.dtype(np.float16), "FLOAT_16"),
    "f32": (np.dtype(np.float32), "FLOAT_32"),
    "f64": (np.dtype(np.float64), "FLOAT_64"),
    "i1": (np.dtype(np.bool_), "BOOL_8"),
    "i8": (np.dtype(np.int8), "SINT_8"),
    "ui8": (np.dtype(np.uint8), "UINT_8"),
    "i16": (np.dtype(np.int16), "SINT_16"),
    "i32": (np.dtype(np.int32), "SINT_32"),
    "i64": (np.dtype(np.int64), "SINT_64"),
}

_FORKED = (
    "this process was forked off one that had a session on several threads, and those threads "
    "are not in it; use threads=1 before or after the fork, or start processes with "
    "multiprocessing's method \"spawn\""
)

_lock = threading.Lock()
_task_threads: int | None = None
# IREE's devices, by driver, each with the meter of its allocator. They live as long as
# the process: a buffer that was freed after its device would crash it.
_devices: dict[str, tuple[Any, Meter]] = {}
# How often this process came about by a fork, counted from its first ancestor.
_generation = 0
_workers_generation = 0


def _after_fork() -> None:
    """In the new process, which has the memory of the old one and none of its threads."""
    global _generation, _lock
    _generation += 1
    _lock = threading.Lock()
    for name, (device, meter) in _devices.items():
        # Whoever frees a device waits for its threads to end, here for ever.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(device))
        _devices[name] = (device, Meter(meter.counter))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def available_threads() -> int:
    """POCKET_NUM_THREADS where it is set, else how many processors this process may use."""
    wanted = os.environ.get("POCKET_NUM_THREADS", "")
    if wanted:
        if not wanted.isdecimal() or int(wanted) < 1:
            raise InvalidInputError(f"POCKET_NUM_THREADS must be a positive number, is {wanted!r}")
        return int(wanted)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def _import_runtime():
    try:
        import iree.runtime
        import iree.runtime.version
    except ImportError:
        raise RuntimeError("IREE's runtime is not installed: pip install iree-base-runtime") from None
    return iree.runtime


class Device:
    """One IREE device with one program on it."""

    def __init__(self, driver: str, threads: int | None, vmfb: bytes):
        self._rt = rt = _import_runtime()
        self.threads = self._check_threads(threads)
        self._device, self.meter = self._create(driver)
        self._has_workers = driver == "local" and self.threads > 1
        self._generation = _generation
        self.mappable = driver == "local"
        self._instance = rt.VmInstance()
        hal = rt.create_hal_module(self._instance, self._device)
        with self.meter.alone() as allocated:
            try:
                self._module = rt.VmModule.copy_buffer(self._instance, vmfb)
                self._context = rt.VmContext(self._instance, [hal, self._module])
            except Exception as error:  # the bindings raise several kinds
                raise BundleError(
                    f"IREE's runtime {rt.version.VERSION} can't load the program: {_first_line(error)}"
                ) from error
            self.resident_bytes = allocated()
        self._transients: Any = None
        self._transient_bytes = 0

    @staticmethod
    def _check_threads(threads: int | None) -> int:
        if threads is None:
            return available_threads()
        if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
            raise InvalidInputError(f"threads must be a positive number or None, got {threads!r}")
        return threads

    def _create(self, driver: str) -> tuple[Any, Meter]:
        global _task_threads, _workers_generation
        rt = self._rt
        if driver == "local":
            name = "local-sync" if self.threads == 1 else "local-task"
        else:
            name = driver
        if name not in rt.query_available_drivers():
            raise TargetError(
                f"this build of IREE's runtime has no driver {name!r} "
                f"(it has {', '.join(rt.query_available_drivers())})"
            )
        with _lock:
            if name == "local-task":
                if _task_threads is None:
                    # Read by IREE when it makes the driver, the first time.
                    rt.flags.parse_flags(f"--task_topology_group_count={self.threads}")
                    _task_threads = self.threads
                    _workers_generation = _generation
                elif _workers_generation != _generation:
                    raise RuntimeError(_FORKED)
                elif _task_threads != self.threads:
                    raise InvalidInputError(
                        f"threads={self.threads}: IREE's workers are made once per process, and "
                        f"this process has {_task_threads}; use threads={_task_threads} or threads=1, "
                        "or start another process"
                    )
            try:
                if name not in _devices:
                    device = rt.get_driver(name).create_default_device()
                    _devices[name] = device, Meter(lambda: _bytes_allocated(device))
                return _devices[name]
            except Exception as error:
                raise RuntimeError(f"IREE can't open a {name} device: {_first_line(error)}") from error

    def check_process(self) -> None:
        """Raises in a process that was forked off and lacks the threads that compute."""
        if self._has_workers and self._generation != _generation:
            raise RuntimeError(_FORKED)

    def tensor(self, shape: Sequence[int], dtype: str) -> Tensor:
        """An uninitialized tensor on the device."""
        with self.meter.alone() as allocated:
            tensor = Tensor(self, tuple(shape), dtype)
            self.resident_bytes += allocated()
        return tensor

    def function(self, name: str) -> Function:
        """The program's function of that name."""
        function = self._module.lookup_function(name)
        if function is None:
            raise BundleError(
                f"the program has no function {name!r} (it has {', '.join(self._module.function_names)})"
            )
        return Function(self, function)

    def transients(self, size: int):
        """The transient buffer that all functions share, of at least that size."""
        if self._transients is None or self._transient_bytes < size:
            self._transients = None  # the old one goes before the new one comes
            with self.meter.alone() as allocated:
                # IREE takes no empty buffer.
                self._transients = self._allocate(max(size, 64))
                self.resident_bytes += allocated() - self._transient_bytes
            self._transient_bytes = max(size, 64)
        return self._transients

    def _allocate(self, nbytes: int):
        rt = self._rt
        memory = int(rt.MemoryType.DEVICE_LOCAL)
        usage = int(rt.BufferUsage.DEFAULT)
        if self.mappable:
            memory |= int(rt.MemoryType.HOST_VISIBLE)
            usage |= int(rt.BufferUsage.MAPPING)
        return self._device.allocator.allocate_buffer(memory, usage, nbytes)


class Tensor:
    """A tensor in the device's memory."""

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: str, view: Any = None):
        self.shape = shape
        self.dtype = dtype
        self._device = device
        try:
            self.numpy_dtype, element = DTYPES[dtype]
        except KeyError:
            raise BundleError(f"element type {dtype} is not supported (known: {', '.join(DTYPES)})") from None
        if view is None:
            rt = device._rt
            nbytes = int(np.prod(shape, dtype=np.int64)) * self.numpy_dtype.itemsize
            view = rt.HalBufferView(device._allocate(nbytes), shape, getattr(rt.HalElementType, element))
        self.view = view
        # The host's window on it, where the device's memory is the host's. It does not
        # keep the memory alive (the bindings' arrays don't), so it stays in here.
        self._array = view.map().asarray(shape, self.numpy_dtype) if device.mappable else None

    @property
    def address(self) -> int | None:
        """Where the host sees it, or None."""
        return None if self._array is None else self._array.ctypes.data

    def write(self, value: np.ndarray) -> None:
        """Copies `value` in; shape and type must be right."""
        if self._array is not None:
            np.copyto(self._array, value, casting="no")
            return
        rt, device = self._device._rt, self._device._device
        staging = device.allocator.allocate_host_staging_buffer_copy(device, np.array(value, order="C"))
        self._copy(staging, self.view.get_buffer())

    def read(self) -> np.ndarray:
        """A copy on the host."""
        if self._array is not None:
            return self._array.copy()
        rt = self._device._rt
        array = rt.DeviceArray(self._device._device, self.view, override_dtype=self.numpy_dtype)
        return np.array(array.to_host())

    def _copy(self, source, target) -> None:
        rt, device = self._device._rt, self._device._device
        done = device.create_semaphore(0)
        device.queue_copy(source, target, rt.HalFence.create_at(done, 0), rt.HalFence.create_at(done, 1))
        rt.HalFence.create_at(done, 1).wait()


class Function:
    """A function of the program, its arguments bound to tensors."""

    def __init__(self, device: Device, function: Any):
        self._device = device
        self._function = function
        reflection = function.reflection
        declaration = reflection.get("iree.abi.declaration", "")
        self._takes_transients = "iree.abi.transients" in declaration
        self._transient_bytes = int(reflection.get("iree.abi.transients.size.constant", 0))
        self._bound: Any = None
        self._bound_transients: Any = None
        self._results = len(re.findall(r"%output\d+", declaration))

    @property
    def transient_bytes(self) -> int:
        """What the program needs for its intermediate values, as IREE planned it."""
        return self._transient_bytes

    def bind(self, arguments: Sequence[Tensor]) -> None:
        """Sets what the function is called with."""
        rt = self._device._rt
        transients = self._device.transients(self._transient_bytes) if self._takes_transients else None
        bound = rt.VmVariantList(len(arguments) + 1)
        for argument in arguments:
            bound.push_ref(argument.view)
        if transients is not None:
            bound.push_ref(transients)
        self._bound, self._bound_transients = bound, transients

    def __call__(self) -> tuple[list[Any], int | None]:
        """Runs; the results' buffer views, and how many bytes were allocated for them.

        That is None where another session's call ran at the same time.
        """
        device = self._device
        results = device._rt.VmVariantList(max(self._results, 1))
        ticket = device.meter.begin()
        try:
            device._context.invoke(self._function, self._bound, results)
        finally:
            allocated = device.meter.end(ticket)
        view = device._rt.HalBufferView
        return [results.get_as_object(i, view) for i in range(len(results))], allocated

    @property
    def stale(self) -> bool:
        """True when the device has another transient buffer than the bound one."""
        return self._takes_transients and self._bound_transients is not self._device._transients


def _bytes_allocated(device: Any) -> int:
    """Bytes that the allocator ever handed out: a counter that only grows."""
    return device.allocator.statistics["device_bytes_allocated"]


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
