"""The reference pages in docs/ are those that the TableGen files give."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_reference_pages_are_fresh():
    run = subprocess.run([sys.executable, ROOT / "scripts" / "generate_docs.py", "--check"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
