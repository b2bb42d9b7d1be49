"""The command `pocket`; also `python -m pocket_mlir.cli`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..errors import PocketError
from . import scheme

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, or 2 where it can't do what was asked."""
    parser = argparse.ArgumentParser(
        prog="pocket", description="Pocket MLIR: an ahead-of-time compiler for training neural networks on the device."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    scheme.add_command(commands)
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except PocketError as error:
        print(f"pocket: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Whoever reads has seen enough; there is nobody to write to at the exit either.
        sys.stdout = None
        return 0
