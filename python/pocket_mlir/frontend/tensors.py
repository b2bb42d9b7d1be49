"""Which parameters, buffers and inputs a program can have: element types, devices, memory.

What is found here is reported by the names that the user gave, and before PyTorch or a
code generator stumbles over it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch.nn.parameter import is_lazy

from ..errors import Offender
from .checks import Offenders
from .export import Call
from .program import State

__all__ = ["check_parameters", "check_buffers", "check_inputs"]

# What a step can be given besides float32. IREE computes float64 as float32 and takes no
# bfloat16 on most processors.
_TAKEN = (torch.float32, torch.float16, torch.int64, torch.int32, torch.int8, torch.bool)
_TAKEN_TEXT = "float32, float16, int64, int32, int8, bool"

_LISTED = 6


def check_parameters(state: State, offenders: Offenders) -> None:
    """Parameters are float32, have values, and own their memory."""
    by_type: dict[torch.dtype, list[str]] = {}
    empty: list[str] = []
    for name, value in state.parameters.items():
        if value.dtype != torch.float32:
            by_type.setdefault(value.dtype, []).append(name)
        if value.is_meta:
            empty.append(name)
    for dtype, names in by_type.items():
        advice = "convert the model before compiling: model.float()"
        if dtype.is_complex:
            advice = "keep real and imaginary parts as parameters of their own"
        elif not dtype.is_floating_point:
            advice = "convert what is trained to float32, and register what is not as a buffer"
        _add(offenders, f"parameters of type {dtype}", names, "parameters of type torch.float32", advice)
    if empty:
        _add(
            offenders,
            "parameters without values (on the device meta)",
            empty,
            "parameters with the values that training starts from",
            "model.to_empty(device='cpu') and load_state_dict(...), or build the model without meta",
        )
    else:
        _check_memory(state, offenders)


def check_buffers(state: State, offenders: Offenders) -> None:
    """Of the buffers, those that become arguments."""
    by_type: dict[torch.dtype, list[str]] = {}
    for name, value in state.used_buffers.items():
        if value.dtype not in _TAKEN:
            by_type.setdefault(value.dtype, []).append(name)
    for dtype, names in by_type.items():
        if dtype.is_floating_point:
            advice = "convert the model before compiling: model.float()"
        elif dtype.is_complex:
            advice = "keep real and imaginary parts as buffers of their own"
        else:
            advice = "keep it as torch.int32 or torch.int64: self.register_buffer(name, value.to(torch.int32))"
        _add(offenders, f"buffers of type {dtype}", names, f"buffers of type {_TAKEN_TEXT}", advice)


def check_inputs(call: Call, offenders: Offenders) -> None:
    """Every input and target that is a tensor."""
    for name, value, is_target in zip(call.names, call.leaves, call.is_target):
        if not isinstance(value, torch.Tensor) or value.dtype in _TAKEN:
            continue
        kind = "target" if is_target else "input"
        advice = f"give it as float32: {name}.float()"
        if value.dtype.is_complex:
            advice = f"give real and imaginary parts as two {kind}s"
        elif not value.dtype.is_floating_point:
            advice = f"convert it in the data pipeline: {name}.float(), or {name}.to(torch.int32) for indices"
        offender = Offender(
            name, f"{kind} of type {value.dtype}", f"{value.dtype}{list(value.shape)}", _TAKEN_TEXT, advice
        )
        offenders.add(offender, name)


def _check_memory(state: State, offenders: Offenders) -> None:
    """A trained parameter shares memory with nothing else.

    PyTorch's optimizers write each parameter in place, so that whatever shares the memory
    changes along; the parameters of a program are apart. (One parameter under several names
    is another matter: it is one here too.)
    """
    stored: dict[int, list[str]] = {}
    tensors: Mapping[str, torch.Tensor] = {**state.parameters, **state.buffers}
    for name, value in tensors.items():
        if not is_lazy(value) and value.layout is torch.strided and value.numel() and not value.is_meta:
            stored.setdefault(value.untyped_storage().data_ptr(), []).append(name)
    for names in stored.values():
        if len(names) == 1 and tensors[names[0]].is_contiguous():
            continue
        names.sort(key=lambda name: _extent(tensors[name])[0])
        trained = {name for name in names if name in state.parameters and tensors[name].requires_grad}
        for i, name in enumerate(names):
            if name in trained and _repeats(tensors[name]):
                _add(
                    offenders,
                    "a parameter that repeats its own memory",
                    [name],
                    "parameters with an element of memory for each of their elements",
                    "make it one before compiling: nn.Parameter(value.clone()), or expand it in forward",
                )
            for other in names[i + 1 :]:
                if _extent(tensors[other])[0] >= _extent(tensors[name])[1]:
                    break
                if (name in trained or other in trained) and _overlap(tensors[name], tensors[other]):
                    _add(
                        offenders,
                        "parameters in the same memory",
                        [name, other],
                        "trained parameters that share memory with nothing else",
                        "make them one parameter (b.weight = a.weight ties two layers), or two: "
                        "nn.Parameter(value.clone())",
                    )


def _extent(value: torch.Tensor) -> tuple[int, int]:
    """The bytes of the storage from the first element to the last."""
    first = value.storage_offset()
    last = first + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
    return first * value.element_size(), (last + 1) * value.element_size()


def _beginnings(value: torch.Tensor) -> torch.Tensor:
    """Marks the bytes of the storage at which elements begin."""
    marks = torch.zeros(value.untyped_storage().nbytes(), dtype=torch.bool)
    width = value.element_size()
    strides = [stride * width for stride in value.stride()]
    marks.as_strided(value.shape, strides, value.storage_offset() * width).fill_(True)
    return marks


def _repeats(value: torch.Tensor) -> bool:
    return not value.is_contiguous() and int(_beginnings(value).sum()) < value.numel()


def _overlap(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors whose extents overlap have an element in common."""
    if a.is_contiguous() and b.is_contiguous():
        return True
    return bool((_beginnings(a) & _beginnings(b)).any())


def _add(offenders: Offenders, op: str, names: Iterable[str], supported: str, advice: str) -> None:
    names = list(names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    found = ", ".join(names[:_LISTED]) + more
    offenders.add(Offender("", op, found, supported, advice), found)
