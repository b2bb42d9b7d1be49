"""What all tests share."""

from __future__ import annotations

import os

# IREE's workers are made once per process, so all tests that ask for several threads
# must ask for the same number, whatever machine they run on.
os.environ["POCKET_NUM_THREADS"] = "2"
