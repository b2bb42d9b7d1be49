"""Mutates valid IR and checks that `pocket-opt` answers with IR or a diagnostic, never a signal.

The corpus is the tests of the dialect and the passes. Ten seconds and a fixed seed by default;
POCKET_FUZZ_SECONDS and POCKET_FUZZ_SEED let it run longer or elsewhere.
"""

import os
import random
import re
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
POCKET_OPT = ROOT / "build" / "bin" / "pocket-opt"
CORPUS = [ROOT / "test" / "Dialect" / "Pocket", ROOT / "test" / "Passes"]
# One of these for each batch.
OPTIONS = [
    ["--canonicalize", "--cse"],
    *([f"--pocket-{name}"] for name in [
        "autodiff", "verify-differentiable", "attach-optimizer", "convert-layout", "schedule", "verify-inplace",
        "decompose", "export-tiles", "tie-results", "to-linalg", "forward-pipeline", "gradient-pipeline",
        "update-pipeline", "schedule-pipeline", "linalg-pipeline"]),
]  # fmt: skip
SECONDS = float(os.environ.get("POCKET_FUZZ_SECONDS", "10"))
SEED = int(os.environ.get("POCKET_FUZZ_SEED", "20260101"))
BATCH = 200
SEPARATOR = "\n// -----\n"

TOKEN = re.compile(r'%?[A-Za-z_][\w.$]*|"[^"\n]*"|-?\d+(?:\.\d+)?(?:e[+-]\d+)?|0x[0-9A-Fa-f]+|\s+|.')
NUMBERS = ["0", "1", "-1", "2", "3", "7", "255", "1099511627777", "4611686018427387904", "9223372036854775807",
           "-9223372036854775808", "18446744073709551616", "0.0", "-0.0", "1.0", "-1.5", "1.0e400", "0x7FF8000000000000"]
ELEMENTS = ["f16", "bf16", "f32", "f64", "i1", "i8", "i32", "i64", "ui8", "index", "f80", "none", "complex<f32>"]
TYPES = ["tensor<f32>", "tensor<0xf32>", "tensor<?xf32>", "tensor<*xf32>", "tensor<1x1x1x1xf32>", "tensor<2x3xf32>",
         "tensor<4xi64>", "tensor<2x4x8x8xf32>", "tensor<3x3xi1>", "tensor<9223372036854775807xf32>",
         "tensor<2147483648x2147483648xf32>", "f32", "memref<2xf32>", "vector<2xf32>", "tensor<2xf32, 1>"]


def seeds() -> list[str]:
    """Functions of the tests, in the custom and in the generic form."""
    texts = [re.sub(r"^\s*//(?! -----).*\n", "", path.read_text(), flags=re.MULTILINE) for folder in CORPUS for path in sorted(folder.rglob("*.mlir"))]
    pieces = [piece for text in texts for piece in re.split(r"\n// -----\n|(?<=\n\})\n", text)]
    generic = subprocess.run(
        [POCKET_OPT, "--allow-unregistered-dialect", "--split-input-file", "--mlir-print-op-generic"], input=SEPARATOR.join(pieces),
        capture_output=True, text=True, check=False).stdout.split("// -----")
    return [piece for piece in pieces + generic if "pocket" in piece]


def shorten(rng: random.Random, piece: str) -> str:
    """A function with one to three of its lines: an error hides those in what follows."""
    lines = piece.split("\n")
    body = [i for i, line in enumerate(lines) if "= " in line and "pocket." in line and "func" not in line]
    if len(body) <= 3:
        return piece
    keep = set(rng.sample(body, rng.randint(1, 3)))
    return "\n".join(line for i, line in enumerate(lines) if i in keep or i not in body)


def mutate(rng: random.Random, piece: str) -> str:
    tokens = TOKEN.findall(shorten(rng, piece))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        words = [i for i, token in enumerate(tokens) if not token.isspace()]
        if not words:
            break
        i = rng.choice(words)
        kind = rng.randrange(9)
        numbers = [j for j in words if re.fullmatch(r"-?\d[\d.e+-]*", tokens[j])]
        if kind <= 2 and numbers:
            tokens[rng.choice(numbers)] = rng.choice(NUMBERS)
        elif kind == 3:
            del tokens[i]
        elif kind == 4:
            tokens.insert(i, tokens[rng.choice(words)])
        elif kind == 5:
            j = rng.choice(words)
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif kind == 6:
            text = "".join(tokens)
            tokens = TOKEN.findall(re.sub(r"(?<=[x<])(f32|i64|i1|i8)(?=>)", lambda m: rng.choice([m[0], rng.choice(ELEMENTS)]), text))
        elif kind == 7:
            text = "".join(tokens)
            places = [m.span() for m in re.finditer(r"tensor<[^<>]*>", text)]
            if places:
                begin, end = rng.choice(places)
                tokens = TOKEN.findall(text[:begin] + rng.choice(TYPES) + text[end:])
        else:
            values = [j for j in words if tokens[j].startswith("%")]
            if len(values) > 1:
                tokens[rng.choice(values)] = tokens[rng.choice(values)]
    return "".join(tokens)


def killed(text: str, options: list[str]) -> str:
    """What `pocket-opt` says of a text that ends it by a signal or hangs it, else nothing."""
    try:
        run = subprocess.run([POCKET_OPT, "--allow-unregistered-dialect", "--split-input-file", *options, "-o", "/dev/null"],
                             input=text, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "no end within two minutes"
    if run.returncode in (0, 1):
        return ""
    reason = next((line for line in run.stderr.split("\n") if "Assertion" in line or "LLVM ERROR" in line), run.stderr[-2000:])
    return f"exit status {run.returncode}\n{reason}"


def culprit(pieces: list[str], options: list[str]) -> str:
    """One piece that alone ends the program, found by halves."""
    while len(pieces) > 1:
        half = pieces[: len(pieces) // 2]
        pieces = half if killed(SEPARATOR.join(half), options) else pieces[len(pieces) // 2:]
    return pieces[0]


# What MLIR's own parser asserts on: the element count of a constant that overflows, and
# arrays of what has no width.
UPSTREAM = re.compile(r"dense.*\d{10}|\d{10}.*dense|array<(?!(?:i1|i8|i16|i32|i64|f32|f64)\b)")


def upstream(piece: str) -> bool:
    return any(UPSTREAM.search(line) for line in piece.split("\n"))


def test_mutants_get_a_diagnostic():
    rng = random.Random(SEED)
    corpus = seeds()
    assert len(corpus) > 200
    end = time.monotonic() + SECONDS
    tried = 0
    while time.monotonic() < end:
        batch = [piece for piece in (mutate(rng, rng.choice(corpus)) for _ in range(BATCH)) if not upstream(piece)]
        options = rng.choice(OPTIONS)
        if killed(SEPARATOR.join(batch), options):
            piece = culprit(batch, options)
            pytest.fail(f"pocket-opt {' '.join(options)} was killed by:\n{piece}\n{killed(piece, options)}")
        tried += len(batch)
    assert tried >= BATCH
    print(f"{tried} mutants")
