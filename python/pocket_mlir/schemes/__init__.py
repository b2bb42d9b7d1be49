"""Schemes: what of a model is trained.

    pocket.compile(model, x, scheme="bias+last")
    pocket.compile(model, x, scheme=pocket.schemes.Sparse(
        weights={"features.12.conv.0": 0.5, "features.13.conv.0": 1}, biases_from="features.12"))
    print(pocket.schemes.describe(model, x, "tte/mobilenetv2-49kb"))

A scheme is a description; on a model it becomes `pocket.needs_grad` of every parameter. How
layers are named stands in `selectors.py`. Importing this package imports neither PyTorch
nor the compiler; applying a scheme does.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .channels import Channels, Random, Ratio
from .files import load, read_dict, to_yaml
from .named import NAMES, names, published, resolve
from .scheme import Biases, Full, LastLayer, Norms, Scheme, Sparse, Union

if TYPE_CHECKING:
    from .selection import ChannelSet, Selection, apply, select
    from .layers import Layer, ModelLayers, read_layers
    from .table import LayerCost, SchemeReport, describe, read_costs

_LATER = {
    "selection": ("ChannelSet", "Selection", "apply", "select"),
    "layers": ("Layer", "ModelLayers", "read_layers"),
    "table": ("LayerCost", "SchemeReport", "describe", "read_costs"),
}

__all__ = [
    "Scheme", "Full", "LastLayer", "Biases", "Norms", "Sparse", "Union", "Channels", "Random", "Ratio",
    "NAMES", "names", "published", "resolve", "load", "read_dict", "to_yaml",
    *(name for names_ in _LATER.values() for name in names_),
]  # fmt: skip


def __getattr__(name: str):
    for module, names_ in _LATER.items():
        if name in names_:
            value = getattr(importlib.import_module(f".{module}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
