"""Runs lit and pytest, and prints one count of both as the last line."""

import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def count(report: Path) -> Counter:
    """The outcomes in a JUnit report; a runner that wrote none has failed."""
    if not report.exists():
        return Counter(failed=1)
    outcomes = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            outcomes["failed"] += 1
        elif "skipped" in kinds:
            outcomes["skipped"] += 1
        else:
            outcomes["passed"] += 1
    return outcomes or Counter(failed=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    build, jobs = options.build.resolve(), options.jobs

    total = Counter()
    broken = False
    with tempfile.TemporaryDirectory() as scratch:
        reports = {name: Path(scratch) / f"{name}.xml" for name in ("lit", "pytest")}
        commands = {
            "lit": [Path(sys.executable).with_name("lit"), "-s", f"-j{jobs}", "--xunit-xml-output",
                    reports["lit"], build / "test"],
            "pytest": [sys.executable, "-m", "pytest", "-q", "-rs", "--durations=15", f"-n{jobs}",
                       "--dist=loadfile", f"--junitxml={reports['pytest']}"],
        }
        environment = os.environ | {"PYTHONPATH": str(build / "python_packages")}
        for name, command in commands.items():
            code = subprocess.run(list(map(str, command)), cwd=ROOT, env=environment).returncode
            outcomes = count(reports[name])
            broken |= code != 0 or outcomes["failed"] > 0
            total += outcomes
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
