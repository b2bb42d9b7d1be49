"""What a wrong name or a wrong call is answered with: what there is, the nearest of it, what to do.

This module imports nothing outside the standard library: the part of the package that
runs on the device uses it too.
"""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .errors import InvalidArgumentError, PocketError, UnknownNameError

__all__ = ["checked_call", "did_you_mean", "nearest", "similar", "unknown_attribute", "unknown_name"]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, or None."""
    found = similar(name, known, most=1)
    return found[0] if found else None


def similar(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that are most like `name`, the nearest first.

    Case, underscores and hyphens don't count. A name that contains the other is near
    however much longer it is ("bce", "bce_with_logits").
    """
    wanted = _plain(name)
    scores = {}
    for candidate in known:
        plain = _plain(candidate)
        ratio = difflib.SequenceMatcher(None, wanted, plain).ratio()
        # One or two letters are within anything.
        if min(len(wanted), len(plain)) > 2 and (wanted in plain or plain in wanted):
            ratio = max(ratio, 0.6 + ratio / 4)
        if ratio >= 0.6:
            scores[candidate] = ratio
    return sorted(scores, key=scores.get, reverse=True)[:most]


def _plain(name: str) -> str:
    return str(name).lower().replace("_", "").replace("-", "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The text " (did you mean 'x'?)", or "" when nothing is near."""
    near = nearest(name, known)
    return f" (did you mean {near!r}?)" if near else ""


def unknown_name(what: str, name: str, known: Sequence[str], advice: str = "") -> str:
    """The message for a name that isn't there; `advice` says what to do instead."""
    if advice:
        return f"unknown {what} {name!r}: {advice}. Known: {', '.join(known)}"
    near = nearest(name, known)
    if near:
        return f"unknown {what} {name!r}; did you mean {near!r}? Known: {', '.join(known)}"
    return f"unknown {what} {name!r}; known: {', '.join(known)}"


def unknown_attribute(
    module: str, name: str, known: Sequence[str], advice: Mapping[str, str] | None = None
) -> AttributeError:
    """The exception for a module's `__getattr__` to raise.

    Python itself asks modules for names in double underscores (to copy, pickle, inspect
    them); for these it is a plain AttributeError.
    """
    if name.startswith("__") and name.endswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    what = f"name in {module.replace('pocket_mlir', 'pocket')}:"
    return UnknownNameError(unknown_name(what, name, known, (advice or {}).get(name, "")))


def checked_call(
    advice: Mapping[str, str] | None = None,
    positional: str = "",
    error: type[PocketError] = InvalidArgumentError,
) -> Callable:
    """A decorator for functions and classes that explains a call that doesn't fit.

    Python's own TypeError says what it doesn't take; this says what it takes. Everything
    that is wrong with a call is named at once.

    Args:
        advice: what to do instead, by the name of an unknown argument.
        positional: what to do about arguments by position, where there are too many.
        error: what is raised.
    """

    def decorate(thing: Any) -> Any:
        function = thing.__init__ if isinstance(thing, type) else thing
        parameters = list(inspect.signature(function).parameters.values())
        # Whose first argument is `self`, which the caller doesn't write.
        is_bound = bool(parameters) and parameters[0].name == "self"
        name = thing.__name__

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            problems = _problems(parameters[is_bound:], args[is_bound:], kwargs, advice or {}, positional)
            if problems:
                raise error(f"{name}: " + "; ".join(problems) + f". It takes {_accepted(parameters[is_bound:])}")
            return function(*args, **kwargs)

        if not isinstance(thing, type):
            return call
        thing.__init__ = call
        return thing

    return decorate


def _problems(
    parameters: Sequence[inspect.Parameter],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    advice: Mapping[str, str],
    positional: str,
) -> list[str]:
    kinds = {p.kind for p in parameters}
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    names = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    problems = []
    if len(args) > len(places) and inspect.Parameter.VAR_POSITIONAL not in kinds:
        types = ", ".join(type(value).__name__ for value in args[len(places) :])
        if places:
            problems.append(f"takes at most {len(places)} arguments by position, got {types} beyond")
        else:
            problems.append(f"takes no argument by position, got {types}")
        problems += [positional] * bool(positional)
    unknown = [n for n in kwargs if n not in names] if inspect.Parameter.VAR_KEYWORD not in kinds else []
    for name in unknown:
        hint = f": {advice[name]}" if name in advice else did_you_mean(name, names)
        problems.append(f"unknown argument {name!r}{hint}")
    problems += [f"{name!r} is given twice" for name in places[: len(args)] if name in kwargs]
    given = {*places[: len(args)], *kwargs}
    missing = [p.name for p in parameters if p.name in names and p.default is p.empty and p.name not in given]
    if missing:
        problems.append(f"{', '.join(map(repr, missing))} {'is' if len(missing) == 1 else 'are'} missing")
    return problems


def _accepted(parameters: Sequence[inspect.Parameter]) -> str:
    """The parameters as in a signature, without their types."""
    texts = []
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        default = p.default
        # An object's own text may be long, or an address.
        plain = default is None or isinstance(default, (bool, int, float, str, tuple))
        texts.append(p.name if default is p.empty else f"{p.name}={default!r}" if plain else f"{p.name}=...")
    return ", ".join(texts)
