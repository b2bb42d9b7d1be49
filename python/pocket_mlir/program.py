"""A compiled program: what `pocket.compile` gives and `pocket.load` reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .arguments import checked_call, did_you_mean
from .errors import BundleError, InvalidInputError
from .memory import MemoryReport
from .runtime import bundle
from .runtime.host import check_runnable
from .runtime.manifest import Signature, read_signatures

if TYPE_CHECKING:
    from .runtime.session import Session

__all__ = ["Program", "load"]


class Program:
    """A training program for one target, with the weights that it starts from.

    Attributes:
        manifest: what its functions take and give; see `runtime.manifest`.
        vmfb: the program itself, as IREE's runtime loads it.
        weights: parameters and buffers in PyTorch's names and layouts.
        memory: the compiler's memory report, or None.
    """

    def __init__(
        self,
        manifest: Mapping[str, Any],
        vmfb: bytes,
        weights: Mapping[str, np.ndarray],
        memory: MemoryReport | None = None,
    ):
        self.manifest = dict(manifest)
        self.vmfb = vmfb
        self.weights = weights
        self.signatures: dict[str, Signature] = read_signatures(self.manifest)
        self._memory = memory if memory is not None else _planned(self.manifest.get("memory"))

    @property
    def aliases(self) -> dict[str, str]:
        """Tied parameters: each further name, and the name in `weights`."""
        return self.manifest.get("aliases") or {}

    @property
    def non_persistent(self) -> frozenset[str]:
        """Buffers in `weights` that PyTorch keeps out of the model's `state_dict`."""
        return frozenset(self.manifest.get("non_persistent") or ())

    @property
    def memory(self) -> MemoryReport | None:
        """What the program needs, as the compiler planned it; None when its bundle doesn't say."""
        return self._memory

    def __getattr__(self, name: str) -> Any:
        # Asked only for what isn't there.
        if name in ("step", "fit", "predict", "evaluate", "state_dict", "load_state_dict", "restore"):
            advice = f": it is a session's, program.session().{name}(...)"
        else:
            advice = did_you_mean(name, [n for n in dir(type(self)) if not n.startswith("_")])
        raise AttributeError(f"a Program has no {name!r}{advice}")

    @checked_call({"device": "what it runs on is chosen by pocket.compile(..., target=...)"}, error=InvalidInputError)
    def session(self, threads: int | None = None) -> Session:
        """Starts working with the program.

        Args:
            threads: how many threads compute; None is what POCKET_NUM_THREADS says, or
                one per processor that this process may use.
        """
        from .runtime.session import Session

        check_runnable(self.manifest.get("target") or {})
        return Session(self, threads)

    def save(self, path: str | os.PathLike) -> None:
        """Writes a bundle: a directory that `pocket.load` reads, on the device too.

        It holds the weights that the program started from; a session's own are saved by
        `Session.save`.
        """
        bundle.save(path, self.manifest, self.vmfb, self.weights)

    def __repr__(self) -> str:
        target = (self.manifest.get("target") or {}).get("name", "?")
        return f"<Program of {self.manifest.get('model', '?')} for {target}: {len(self.vmfb):,} bytes>"


def _planned(data: Any) -> MemoryReport | None:
    """The report of a manifest."""
    if not data:
        return None
    try:
        return MemoryReport.from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BundleError(f"the manifest's memory report can't be read: {error!r}") from error


def load(path: str | os.PathLike) -> Program:
    """Reads a bundle. Needs neither PyTorch nor the compiler."""
    return Program(*bundle.load(path))
