"""Keeping what signal handlers raise, Ctrl-C's KeyboardInterrupt first of all, out of
what must be done whole or not at all."""

from __future__ import annotations

import signal
import threading
from types import FrameType

__all__ = ["Deferred"]

# Those whose handlers are known to raise: Ctrl-C, a service's stop, a timeout.
_SIGNALS = [int(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]

# Python's functions without the conversion to enums, which takes longer than they do.
_get = getattr(signal.getsignal, "__wrapped__", signal.getsignal)
_set = getattr(signal.signal, "__wrapped__", signal.signal)


class Deferred:
    """Calls the handlers of signals that come within when all is done.

    Python runs handlers in the main thread only; in others there is nothing to do.
    """

    def __init__(self) -> None:
        self._handlers: list[tuple[int, object]] = []
        self._came: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Deferred:
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _SIGNALS:
                    handler = _get(number)
                    if callable(handler):
                        self._handlers.append((number, handler))
                        _set(number, self._note)
            except BaseException:
                self._restore()
                raise
        return self

    def __exit__(self, *exception: object) -> None:
        handlers = dict(self._handlers)
        self._restore()
        for number, frame in self._came:
            handlers[number](number, frame)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came.append((number, frame))

    def _restore(self) -> None:
        """A signal's own handler may raise as soon as it is back; the others must follow."""
        try:
            self._restore_all()
        except BaseException:
            self._restore_all()
            raise

    def _restore_all(self) -> None:
        while self._handlers:
            # Taken off the list when it is back, so that an exception in between costs nothing.
            _set(*self._handlers[-1])
            self._handlers.pop()
