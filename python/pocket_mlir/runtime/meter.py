"""How much memory a piece of work has IREE's allocator hand out.

IREE keeps one allocator, and one count, per driver and process. The count is a
session's own only while no other session is at work, so that is seen to here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .signals import Deferred

__all__ = ["Meter"]


class Meter:
    """Measures pieces of work on one counter that only grows."""

    def __init__(self, counter: Callable[[], int]):
        self.counter = counter
        self._condition = threading.Condition()
        # Calls that run now, calls that ever began, and whether one piece of work is alone.
        self._running = 0
        self._begun = 0
        self._exclusive = False

    @contextmanager
    def alone(self) -> Iterator[Callable[[], int]]:
        """Waits for the running calls and holds new ones off; gives the bytes so far.

        For what is done a few times in a session's life. Not to be nested.
        """
        with Deferred():  # Ctrl-C must not leave the others waiting
            with self._condition:
                while self._exclusive or self._running:
                    self._condition.wait()
                self._exclusive = True
            try:
                before = self.counter()
                yield lambda: self.counter() - before
            finally:
                with self._condition:
                    self._exclusive = False
                    self._condition.notify_all()

    def begin(self) -> tuple[int, int]:
        """Before a call, which may run beside others: a ticket for `end`, which must follow."""
        with self._condition:
            while self._exclusive:
                self._condition.wait()
            self._running += 1
            self._begun += 1
            ticket = self._begun if self._running == 1 else 0
        return ticket, self.counter()

    def end(self, ticket: tuple[int, int]) -> int | None:
        """After the call: its bytes, or None when other calls ran beside it."""
        allocated = self.counter() - ticket[1]
        with self._condition:
            self._running -= 1
            undisturbed = ticket[0] == self._begun
            self._condition.notify_all()
        return allocated if undisturbed else None
