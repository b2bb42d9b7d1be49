"""What `compile` says while it works."""

from __future__ import annotations

import io
import logging
import re
import sys

import pytest
import torch
from torch import nn

import pocket_mlir as pocket

STAGES = ["import", "differentiate", "lower", "IREE code generation"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def compiled(**options):
    return pocket.compile(nn.Linear(4, 3), torch.zeros(2, 4), **options)


@pytest.mark.parametrize(
    "stream, options, shown",
    [
        (Terminal, {}, True),
        (Terminal, {"progress": False}, False),
        (io.StringIO, {}, False),
        (io.StringIO, {"progress": True}, True),
    ],
)
def test_a_line_per_stage(monkeypatch, caplog, stream, options, shown):
    stderr = stream()
    monkeypatch.setattr(sys, "stderr", stderr)
    with caplog.at_level(logging.INFO, logger="pocket_mlir"):
        compiled(**options)
    pattern = re.compile(r"(.+?) +\d+\.\d s")
    lines = [pattern.fullmatch(line) for line in stderr.getvalue().splitlines()]
    assert [match and match.group(1) for match in lines] == (STAGES if shown else [])
    # The log has them whether they are printed or not.
    logged = [record.getMessage() for record in caplog.records if record.name == "pocket_mlir"]
    assert [message.split(":")[0] for message in logged[:-1]] == STAGES
    assert logged[-1].startswith("compiled Linear for host in ")
    assert all(record.levelno == logging.INFO for record in caplog.records if record.name == "pocket_mlir")


def test_a_stage_that_fails_ends_its_line(monkeypatch):
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    with pytest.raises(pocket.UnsupportedModelError):
        pocket.compile(nn.Sequential(nn.Linear(4, 3), nn.Dropout()), torch.zeros(2, 4), progress=True)
    assert re.fullmatch(r"import +\d+\.\d s, failed\n", stderr.getvalue())


def test_progress_without_a_console(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    compiled()
    with pytest.raises(pocket.InvalidArgumentError, match="progress='yes'"):
        compiled(progress="yes")
