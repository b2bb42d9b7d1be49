"""The examples run as a user runs them, shortened, and print and draw what they promise."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(script: str, output: Path) -> str:
    result = subprocess.run(
        [sys.executable, EXAMPLES / script, "--quick", "--output", output],
        env={**os.environ, "TQDM_DISABLE": "1"},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def figures(pattern: str, text: str) -> list[float]:
    """The numbers that the groups of `pattern` match, which must occur once."""
    found = re.findall(pattern, text)
    assert len(found) == 1, f"{pattern} is there {len(found)} times in\n{text}"
    groups = found[0] if isinstance(found[0], tuple) else found
    return [float(group.replace(",", "")) for group in groups]


def check_report(text: str) -> None:
    first, last = figures(r"loss, mean of .*: first ([\d.]+), last ([\d.]+)", text)
    assert last < first
    ours, theirs, ratio = figures(r"Pocket MLIR ([\d.]+) ms, PyTorch ([\d.]+) ms: ([\d.]+)x as fast", text)
    assert ours > 0 and theirs > 0
    assert ratio == pytest.approx(theirs / ours, rel=0.05)
    kinds = [figures(rf"  {kind} +([\d,.]+) KiB", text)[0] for kind in ("parameters", "optimizer state")]
    (peak,) = figures(r"  peak +([\d,.]+) KiB", text)
    (measured,) = figures(r"measured peak: ([\d,.]+) KiB", text)
    assert 0 < sum(kinds) < peak
    # Predicting on the way, and the program itself, may add a little to a step's plan.
    assert 0.9 * peak < measured < 1.5 * peak


def check_picture(path: Path) -> None:
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", header[16:24])
    assert width >= 800 and height >= 400


def test_finetune_digits(tmp_path):
    text = run("finetune_digits.py", tmp_path)
    before, after = figures(r"held-out digits: before ([\d.]+)%, after ([\d.]+)%", text)
    assert before < 40 and after > before + 20
    (in_pytorch,) = figures(r"on the same batches: ([\d.]+)%", text)
    assert abs(in_pytorch - after) < 5
    (back,) = figures(r"loaded into the PyTorch model: ([\d.]+)%", text)
    assert back == after
    check_report(text)
    check_picture(tmp_path / "finetune_digits.png")


def test_finetune_minilm(tmp_path):
    pytest.importorskip("transformers")
    text = run("finetune_minilm.py", tmp_path)
    (majority,) = figures(r"most frequent: ([\d.]+)%", text)
    before, after = figures(r"held-out docstrings: before ([\d.]+)%, after ([\d.]+)%", text)
    assert after > before + 10 and after > majority + 10
    (back,) = figures(r"loaded into the PyTorch model: ([\d.]+)%", text)
    assert back == pytest.approx(after, abs=2)
    check_report(text)
    check_picture(tmp_path / "finetune_minilm.png")


def test_shipped_weights_are_small():
    assert (EXAMPLES / "data" / "digits_0to4.safetensors").stat().st_size < 300 * 1024
