"""How a scheme names layers. This is the whole grammar:

    features.12.conv.0.0         the layer at a module path
    features.12                  every layer below a module path
    features.12.conv.0.0.weight  a parameter
    features.*.conv.0.0          every layer whose name fits the pattern, with *, ? and [...];
                                 a * stands for dots too
    type:linear                  every layer of a kind, as the table of a scheme shows it: conv,
                                 depthwise, linear, embedding, norm, other
    conv:36                      the 36th convolution, counted from the input and from 0, depthwise
                                 ones too (as the Tiny Training Engine counts); linear:0, norm:2 and
                                 so on alike; conv:-1 is the last
    conv:36..40                  those from the 36th up to the 40th, which is not among them;
                                 conv:36.. those from the 36th on
    last:3                       the last three convolutions and linear layers
    depth:0.5..                  the later half of the weight matrices, and what comes between
                                 them; depth:0.25..0.75 the half in the middle

A selector of one layer (a path of a layer, a parameter, conv:36) goes before those of several.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass

from ..arguments import similar
from .layers import CONVOLUTIONS, KINDS, MATRICES, Layer, ModelLayers, Parameter

__all__ = ["Match", "NoMatch", "select", "nearest"]


class NoMatch(Exception):
    """A selector that fits nothing in a model; says why, and what would fit."""


@dataclass(frozen=True)
class Match:
    """What a selector stands for: layers in the order they run, or one parameter."""

    layers: tuple[Layer, ...]
    parameter: Parameter | None = None
    is_single: bool = False


def select(selector: str, model: ModelLayers) -> Match:
    """The layers that a selector stands for.

    Raises:
        NoMatch: where there are none.
    """
    kind, colon, rest = selector.partition(":")
    if colon and "." not in kind:
        return _select_prefixed(kind, rest, model)
    parameter = model.parameter(selector)
    if parameter is not None:
        owners = tuple(layer for layer in model.layers if parameter in layer.parameters)
        return Match(owners, parameter, is_single=True)
    exact = tuple(layer for layer in model.layers if layer.name == selector)
    if exact:
        return Match(exact, is_single=True)
    if any(sign in selector for sign in "*?["):
        found = tuple(layer for layer in model.layers if fnmatch.fnmatchcase(layer.name, selector))
    else:
        found = tuple(
            layer for layer in model.layers if layer.path == selector or layer.name.startswith(selector + ".")
        )
    if found:
        return Match(found)
    if selector in model.modules:
        raise NoMatch("this module has no parameters of its own" + nearest(selector, model))
    raise NoMatch("there is no such layer" + nearest(selector, model))


def nearest(name: str, model: ModelLayers) -> str:
    """The end of a message: the names of layers that are most like `name`."""
    names = {layer.name for layer in model.layers} | set(model.parameters)
    names |= {".".join(n.split(".")[:i]) for n in list(names) for i in range(1, n.count(".") + 1)}
    found = similar(name, sorted(names))
    if found:
        return f"; nearest: {', '.join(found)}"
    first = [layer.name for layer in model.layers][:3]
    return f"; the layers are {', '.join(first)}{', ...' if len(model.layers) > 3 else ''}"


def _select_prefixed(kind: str, rest: str, model: ModelLayers) -> Match:
    if kind == "type":
        if rest not in KINDS:
            raise NoMatch(f"there is no kind {rest!r}; the kinds are {', '.join(KINDS)}")
        found = model.of_kind(rest)
        if not found:
            kinds = sorted({layer.kind for layer in model.layers}, key=KINDS.index)
            raise NoMatch(f"the model has none; its layers are of the kinds {', '.join(kinds)}")
        return Match(tuple(found))
    if kind == "last":
        layers = model.of_kind(*CONVOLUTIONS, "linear")
        if not re.fullmatch(r"[1-9]\d*", rest):
            raise NoMatch("write last:3, with a number above zero")
        if int(rest) > len(layers):
            raise NoMatch(f"the model has {len(layers)} convolutions and linear layers")
        return Match(tuple(layers[-int(rest) :]))
    if kind == "depth":
        return _select_depth(rest, model)
    if kind in KINDS:
        return _select_number(kind, rest, model)
    known = [*(f"{k}:" for k in KINDS), "type:", "last:", "depth:"]
    close = similar(kind + ":", known, most=1)
    raise NoMatch(f"{kind}: is not known" + (f"; nearest: {close[0]}" if close else f"; there are {' '.join(known)}"))


def _select_depth(rest: str, model: ModelLayers) -> Match:
    parts = re.fullmatch(r"(\d*\.?\d+)\.\.(\d*\.?\d+)?", rest)
    low, high = (float(parts[1]), float(parts[2] or 2)) if parts else (2.0, 0.0)
    if low >= high or low > 1:
        raise NoMatch("write depth:0.5.. or depth:0.25..0.75, with shares from 0 to 1")
    found = tuple(layer for layer in model.layers if low <= layer.depth < high)
    if not found:
        raise NoMatch(f"no layer has a depth there; the last one has {model.layers[-1].depth:.2f}")
    return Match(found)


def _select_number(kind: str, rest: str, model: ModelLayers) -> Match:
    layers = model.of_kind(*(CONVOLUTIONS if kind == "conv" else (kind,)))
    parts = re.fullmatch(r"(-?\d+)(?:(\.\.)(-?\d+)?)?", rest)
    if parts is None:
        raise NoMatch(f"write {kind}:3, {kind}:3..6 or {kind}:3..")
    first, is_range, end = int(parts[1]), parts[2], parts[3]
    span = f"{kind}:0 to {kind}:{len(layers) - 1}" if layers else "none"
    if is_range:
        found = layers[first : int(end) if end else None]
    else:
        found = layers[first:][:1] if -len(layers) <= first else []
    if not found:
        raise NoMatch(f"the model has {len(layers)} of these, {span}" if layers else "the model has none of these")
    return Match(tuple(found), is_single=not is_range)


def with_matrices(layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Those with a weight matrix; where there is none, those with any weight."""
    matrices = tuple(layer for layer in layers if layer.kind in MATRICES)
    return matrices or tuple(layer for layer in layers if layer.weights)
