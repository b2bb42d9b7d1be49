"""Schemes by name: what `compile(scheme=...)` understands."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..arguments import similar
from ..errors import InvalidArgumentError
from .scheme import Biases, Full, LastLayer, Norms, Scheme, Union

__all__ = ["NAMES", "resolve", "published", "names"]

NAMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (Full(), LastLayer(), Biases(), Norms())}
# In a sum these will do: "norm+last".
_SHORT = {"last": "last_layer", "bias": "bias_only", "norm": "norm_only"}
_PUBLISHED = Path(__file__).with_name("published")


def published() -> list[str]:
    """The names of the published schemes that come along: "tte/mobilenetv2-49kb" and so on."""
    found = _PUBLISHED.glob("*/*.yaml")
    return sorted((f"{path.parent.name}/{path.stem}" for path in found), key=_by_size)


def _by_size(name: str) -> tuple[str, int, str]:
    model, _, size = name.rpartition("-")
    digits = size.removesuffix("kb")
    return model, int(digits) if digits.isdigit() else 0, name


def names() -> list[str]:
    """All names, those of the published schemes too."""
    return [*NAMES, "norm+last", "bias+last", *published()]


def resolve(scheme: Any) -> Scheme:
    """The scheme that is meant.

    Args:
        scheme: an object of `pocket.schemes`; a name ("full", "last_layer", "bias_only",
            "norm_only", a sum of these such as "bias+norm+last", or a published scheme's,
            "tte/mobilenetv2-49kb"); a path of a YAML file (a string that ends in .yaml or
            .yml, or a `Path`); or a dict as such a file holds it.

    Raises:
        InvalidArgumentError: for anything else, with the nearest names.
    """
    from .files import load, read_dict

    if isinstance(scheme, Scheme):
        return scheme
    if isinstance(scheme, type) and issubclass(scheme, Scheme):
        raise InvalidArgumentError(f"scheme is the class {scheme.__name__}; give an object: {scheme.__name__}(...)")
    if isinstance(scheme, Mapping):
        return read_dict(scheme)
    if isinstance(scheme, os.PathLike):
        return load(scheme)
    if not isinstance(scheme, str):
        raise InvalidArgumentError(
            f"scheme is a {type(scheme).__name__}; give a name ({', '.join(NAMES)}), an object of pocket.schemes, or "
            "the path of a YAML file"
        )
    if scheme.endswith((".yaml", ".yml")):
        return load(scheme)
    if scheme in published():
        return load(_PUBLISHED / f"{scheme}.yaml")
    parts = [part.strip() for part in scheme.split("+")]
    unknown = [part for part in parts if _SHORT.get(part, part) not in NAMES]
    if unknown:
        raise InvalidArgumentError(f"scheme {scheme!r} is not known{_nearest(scheme, unknown[0])}")
    found = [NAMES[_SHORT.get(part, part)] for part in parts]
    return found[0] if len(found) == 1 else Union(tuple(found))


def _nearest(scheme: str, part: str) -> str:
    known = [*names(), *_SHORT]
    close = similar(scheme, known) or similar(part, known)
    if close:
        return f"; nearest: {', '.join(close)}"
    return f"; there are {', '.join(NAMES)}, sums of these (bias+last), {', '.join(published()[:1])} and its like"
