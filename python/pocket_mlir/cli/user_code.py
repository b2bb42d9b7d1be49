"""Gets a model from the user's code: `path/file.py:function` or `package.module:function`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from ..arguments import similar
from ..errors import InvalidArgumentError

__all__ = ["load_model", "FORMS"]

FORMS = "path/file.py:function or package.module:function"


def load_model(text: str) -> tuple[Any, Any, Any]:
    """Calls the user's function: a model, example inputs, and example targets or None.

    Raises:
        InvalidArgumentError: where there is no such function, it fails, or returns something else.
    """
    where, colon, name = text.rpartition(":")
    if not colon or not where or not name:
        raise InvalidArgumentError(f"MODEL {text!r}: write {FORMS}")
    module = _import(where)
    function = getattr(module, name, None)
    if not callable(function):
        known = [n for n, value in vars(module).items() if callable(value) and not n.startswith("_")]
        close = similar(name, known)
        hint = f"; nearest: {', '.join(close)}" if close else ""
        raise InvalidArgumentError(f"MODEL {text!r}: {where} has no function {name!r}{hint}")
    try:
        result = function()
    except Exception as error:
        raise InvalidArgumentError(f"MODEL {text!r}: {name}() failed: {_brief(error)}") from error
    if not isinstance(result, tuple) or len(result) not in (2, 3):
        raise InvalidArgumentError(
            f"MODEL {text!r}: {name}() returns a {type(result).__name__}; let it return (model, example_inputs) or "
            "(model, example_inputs, example_targets)"
        )
    return (*result, None)[:3]


def _import(where: str) -> ModuleType:
    try:
        if not where.endswith(".py"):
            sys.path.insert(0, "")  # modules of the current directory, as `python -m` has it
            return importlib.import_module(where)
        path = Path(where)
        if not path.is_file():
            raise InvalidArgumentError(f"there is no file {where}")
        # Its neighbours can be imported, as when it is run.
        sys.path.insert(0, str(path.resolve().parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        return module
    except InvalidArgumentError:
        raise
    except Exception as error:
        raise InvalidArgumentError(f"{where} can't be imported: {_brief(error)}") from error


def _brief(error: Exception) -> str:
    """An exception in a line, with the place it comes from."""
    text = " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {text}{place}"
