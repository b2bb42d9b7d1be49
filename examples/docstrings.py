"""The data of the MiniLM example: docstrings of Python's standard library.

Collected from the library's own source files, so that nothing is downloaded. A few differ
from one version of Python to the next.
"""

from __future__ import annotations

import ast
import re
import sysconfig
import zlib
from pathlib import Path

PACKAGES = ["asyncio", "email", "importlib", "logging", "multiprocessing", "xml"]

_TESTS = {"test", "tests"}
_LEAST_WORDS = 6


def load_docstrings() -> tuple[tuple[list[str], list[int]], tuple[list[str], list[int]]]:
    """(texts, labels) to train on and held out; a label is an index in PACKAGES.

    The packages' names are masked in every text, or the task would be to find them. A
    text that occurs twice is taken once; whether it is held out depends on the text only,
    one in five.
    """
    library = Path(sysconfig.get_path("stdlib"))
    names = re.compile("|".join(PACKAGES), re.IGNORECASE)
    found: dict[str, set[int]] = {}
    for label, package in enumerate(PACKAGES):
        for path in sorted((library / package).rglob("*.py")):
            if _TESTS.isdisjoint(path.relative_to(library).parts):
                for text in _docstrings(path):
                    text = names.sub("[MASK]", " ".join(text.split()))
                    if len(text.split()) >= _LEAST_WORDS:
                        found.setdefault(text, set()).add(label)
    splits: tuple = (([], []), ([], []))
    for text, labels in found.items():
        if len(labels) == 1:  # the same words in two packages have no right answer
            texts, targets = splits[zlib.crc32(text.encode()) % 5 == 0]
            texts.append(text)
            targets.append(labels.pop())
    return splits


def _docstrings(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds))
    return [text for text in texts if text]
