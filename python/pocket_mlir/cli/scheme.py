"""`pocket scheme`: what a scheme trains of a model, and what that costs."""

from __future__ import annotations

import argparse
import sys

from .. import schemes
from ..losses import NAMES
from .user_code import FORMS, load_model

_DESCRIPTION = f"""\
Shows what a scheme trains of a model, layer by layer, and what that costs in a step.

MODEL   {FORMS};
        the function returns (model, example_inputs) or
        (model, example_inputs, example_targets)
SCHEME  a name (pocket scheme --list), or the path of a YAML file
"""
_EXAMPLE = """\
example:
  pocket scheme train.py:build bias+last
  pocket scheme train.py:build tte/mobilenetv2-49kb --channels
"""


def add_command(commands) -> None:
    """Adds `scheme` to the commands of `pocket`."""
    parser = commands.add_parser(
        "scheme", help="show what a scheme trains of a model", description=_DESCRIPTION, epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("model", metavar="MODEL", nargs="?")
    parser.add_argument("scheme", metavar="SCHEME", nargs="?")
    parser.add_argument("--list", action="store_true", help="list the names of schemes")
    parser.add_argument(
        "--loss", default="cross_entropy", metavar="NAME",
        help=f"{', '.join(NAMES)}, or none where the model returns its loss (default: cross_entropy)",
    )  # fmt: skip
    parser.add_argument("--channels", action="store_true", help="list the channels that are trained, too")
    parser.add_argument("--yaml", action="store_true", help="write the scheme as YAML instead of the table")
    parser.set_defaults(run=lambda options: _run(options, parser))


def _run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if options.list:
        print("\n".join(schemes.names()))
        return 0
    if options.model is None or options.scheme is None:
        parser.error("MODEL and SCHEME are needed, or --list")
    scheme = schemes.resolve(options.scheme)
    try:
        model, inputs, targets = load_model(options.model)
        report = schemes.describe(model, inputs, scheme, None if options.loss == "none" else options.loss, targets)
    except ModuleNotFoundError as error:
        print(
            f"pocket: {error.name} is not installed; a model is only described where it can be compiled",
            file=sys.stderr,
        )
        return 2
    print(schemes.to_yaml(scheme) if options.yaml else report, end="" if options.yaml else "\n")
    if options.channels and (channels := report.channels()):
        # Comments, so that what --yaml writes stays a file.
        print("\n" + ("\n".join(f"# {line}" for line in channels.split("\n")) if options.yaml else channels))
    return 0
