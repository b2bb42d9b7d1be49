"""What `compile` says of its progress: a line per stage, and the log of the package.

    import                  0.9 s
    differentiate           0.1 s
    lower                   0.3 s
    IREE code generation   33.0 s
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["LOGGER", "Progress"]

LOGGER = logging.getLogger("pocket_mlir")

# The width of the longest name, so that the seconds stand below each other.
_WIDTH = len("IREE code generation")


class Progress:
    """Reports stages: always to the logger "pocket_mlir", and to stderr where wanted.

    `show` is True, False, or None for "when stderr is a terminal". The name of a stage
    is printed when it begins, so that whoever waits sees what for.
    """

    def __init__(self, show: bool | None = None):
        self._stream = sys.stderr  # None in a process without a console
        if show is None:
            show = self._stream is not None and self._stream.isatty()
        self._show = show and self._stream is not None
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.perf_counter() - self._started

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times what is done within."""
        self._print(f"{name:<{_WIDTH}} ")
        started = time.perf_counter()
        try:
            yield
        except BaseException:
            seconds = time.perf_counter() - started
            self._print(f"{seconds:6.1f} s, failed\n")
            LOGGER.info("%s: failed after %.1f s", name, seconds)
            raise
        seconds = time.perf_counter() - started
        self._print(f"{seconds:6.1f} s\n")
        LOGGER.info("%s: %.1f s", name, seconds)

    def _print(self, text: str) -> None:
        if self._show:
            self._stream.write(text)
            self._stream.flush()
