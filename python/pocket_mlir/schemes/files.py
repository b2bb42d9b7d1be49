"""Schemes as YAML files and as the dicts that these hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..arguments import similar
from ..errors import InvalidArgumentError
from ..runtime.files import replace_file
from .channels import read_share
from .named import NAMES, resolve
from .scheme import Scheme, Sparse, Union

__all__ = ["load", "save", "read_dict", "to_yaml"]

# Where something stands in a file: the keys that lead to it.
_Place = tuple


def load(path: str | os.PathLike) -> Scheme:
    """Reads a scheme from a YAML file.

    Raises:
        InvalidArgumentError: where it can't be read or is no scheme, with the line.
    """
    import yaml

    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InvalidArgumentError(f"the scheme {path} can't be read: {reason}") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise InvalidArgumentError(f"{path}{line}: this is no YAML: {getattr(error, 'problem', error)}") from None
    lines: dict[_Place, int] = {(): 1}
    problems: list[tuple[_Place, str]] = []
    _read_lines(node, (), lines, problems)
    scheme = _read(data, (), problems)
    if problems:
        found = []
        for place, problem in problems:
            # A thing that is missing has no line: the one it should be in has.
            known = next(place[:i] for i in range(len(place), -1, -1) if place[:i] in lines)
            found.append(f"{path}, line {lines[known]}: {_at(place)}{problem}")
        raise InvalidArgumentError("\n  ".join([f"{path} is no scheme:", *found] if len(found) > 1 else found))
    return scheme


def _read_lines(node, place: _Place, lines: dict[_Place, int], problems: list[tuple[_Place, str]]) -> None:
    """The line of everything in a YAML document; reports keys that stand twice."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, key.value)
            if inner in lines:
                problems.append((inner, f"it stands in line {lines[inner]} and in line {key.start_mark.line + 1}"))
            lines[inner] = key.start_mark.line + 1
            _read_lines(value, inner, lines, problems)
    elif isinstance(node, yaml.SequenceNode):
        for i, value in enumerate(node.value):
            lines[(*place, i)] = value.start_mark.line + 1
            _read_lines(value, (*place, i), lines, problems)


def save(scheme: Scheme, path: str | os.PathLike) -> None:
    """Writes a scheme to a YAML file, which appears whole or not at all."""
    text = to_yaml(scheme)
    replace_file(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def to_yaml(scheme: Scheme) -> str:
    """A scheme as the text of a YAML file."""
    import yaml

    return yaml.safe_dump(scheme.to_dict(), sort_keys=False, default_flow_style=None, width=100)


def read_dict(data: Mapping[str, Any]) -> Scheme:
    """The scheme that a dict of `Scheme.to_dict` describes.

    Raises:
        InvalidArgumentError: with everything that is wrong in it.
    """
    problems: list[tuple[_Place, str]] = []
    scheme = _read(data, (), problems)
    if problems:
        found = [_at(place) + problem for place, problem in problems]
        raise InvalidArgumentError("\n  ".join(["this is no scheme:", *found]))
    return scheme


def _at(place: _Place) -> str:
    return ": ".join(str(key) for key in place) + (": " if place else "")


def _read(data: Any, place: _Place, problems: list[tuple[_Place, str]]) -> Scheme | None:
    def problem(text: str, *keys: Any) -> None:
        problems.append(((*place, *keys), text))

    if isinstance(data, str):
        try:
            return resolve(data)
        except InvalidArgumentError as error:
            return problem(str(error))
    if not isinstance(data, Mapping):
        return problem(f"a scheme is a dict such as {{scheme: last_layer}}, not {data!r}")
    name = data.get("scheme", Sparse.name)
    kinds = [*NAMES, Sparse.name, Union.name]
    known = ["scheme"]
    if name == Sparse.name:
        known += [entry.name for entry in fields(Sparse)]
    elif name == Union.name:
        known += ["schemes"]
    elif not isinstance(name, str):
        return problem(f"a scheme's name is a string, not {name!r}", "scheme")
    elif name not in kinds and "+" not in name:
        return problem(f"{name!r} is not known{_nearest(name, kinds)}", "scheme")
    for key in data:
        if key not in known:
            problem(f"unknown key{_nearest(str(key), known)}", key)
    if name == Union.name:
        return _read_union(data.get("schemes"), place, problems)
    if name != Sparse.name:
        return _read(name, (*place, "scheme"), problems)
    return _read_sparse({key: value for key, value in data.items() if key in known[1:]}, place, problems)


def _read_union(schemes: Any, place: _Place, problems: list[tuple[_Place, str]]) -> Scheme | None:
    if not isinstance(schemes, list) or not schemes:
        problems.append(((*place, "schemes"), f"a union is of a list of schemes, not of {schemes!r}"))
        return None
    found = [_read(entry, (*place, "schemes", i), problems) for i, entry in enumerate(schemes)]
    return None if None in found else Union(tuple(found))


def _read_sparse(data: dict[str, Any], place: _Place, problems: list[tuple[_Place, str]]) -> Scheme | None:
    before = len(problems)

    def attempt(build, *keys: Any) -> Any:
        """What `build` gives; its complaint, at these keys, becomes a problem."""
        try:
            return build()
        except InvalidArgumentError as error:
            text = str(error).partition("\n  ")[2] or str(error)
            problems.append(((*place, *keys), text.removeprefix(f"{keys[-1]}={data.get(keys[-1])!r}: ")))

    weights = data.pop("weights", {})
    if isinstance(weights, Mapping):
        for selector, value in weights.items():
            attempt(lambda value=value: read_share(value), "weights", selector)
    else:
        data["weights"] = weights
        attempt(lambda: Sparse(weights=weights), "weights")
    for key, value in data.items():
        if key != "seed":
            attempt(lambda key=key, value=value: Sparse(**{key: value}), key)
    if len(problems) > before:
        return None
    return attempt(lambda: Sparse(weights=weights, **data), "seed" if "seed" in data else "weights")


def _nearest(name: str, known: list[str]) -> str:
    close = similar(name, known, most=2)
    return f"; nearest: {', '.join(close)}" if close else f"; there are {', '.join(known)}"
