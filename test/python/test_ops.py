"""Every op case in three ways: the reference interpreter, IREE after our lowering,
and PyTorch; results, and gradients made by `pocket-autodiff`.

The cases of a family go through the compilers as one program (op_programs.py). Where
that fails, its halves are tried, so that a failure is laid at the cases that cause it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import iree.compiler
import iree.runtime
import numpy as np
import pytest
from op_cases import CASES, FAMILIES, Case
from op_programs import forward_text, pocket_opt, predict_text, program_arguments

from pocket_mlir import reference, targets
from pocket_mlir.targets.flags import compiler_flags

AUTODIFF = ["--pocket-autodiff"]
LOWERING = ["--pocket-decompose", "--pocket-linalg-pipeline"]


@dataclass
class Outcome:
    """What one engine made of one case: results, or gradients by operand."""

    values: dict[int, np.ndarray] = field(default_factory=dict)
    error: str | None = None


# --- Engines: a function of a program in, its results out --------------------------------


def run_reference(text: str, function: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    return reference.run(text, function, arguments, dtype=np.float64)


def run_iree(text: str, function: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    binary = iree.compiler.compile_str(
        pocket_opt(text, *LOWERING), extra_args=compiler_flags(targets.parse("host"))
    )
    config = iree.runtime.Config(device=iree.runtime.get_device("local-sync"))
    module = iree.runtime.VmModule.copy_buffer(config.vm_instance, binary)
    results = iree.runtime.load_vm_module(module, config)[function](*arguments)
    results = results if isinstance(results, (tuple, list)) else (results,)
    return [result.to_host() for result in results]


ENGINES = {"reference": run_reference, "iree": run_iree}


# Compiling a family takes IREE up to a minute: POCKET_TEST_ALL_OPS=1 compiles the others too.
IREE_FAMILIES = {"matmul", "unary", "losses", "attention"}
if os.environ.get("POCKET_TEST_ALL_OPS"):
    IREE_FAMILIES = set(FAMILIES)

RUNS = [
    pytest.param(case, engine, id=f"{case.id}-{engine}")
    for case in CASES
    for engine in ENGINES
    if engine != "iree" or case.family in IREE_FAMILIES
]


# --- From cases to outcomes ---------------------------------------------------------------


def results_of(cases: Sequence[Case], engine: Callable) -> list[Outcome]:
    return _split(cases, engine(predict_text(cases), "predict", program_arguments(cases, False)))


def folded_results_of(cases: Sequence[Case], engine: Callable) -> list[Outcome]:
    """The results when the inputs are constants, and the folders had their turn."""
    text = pocket_opt(predict_text(cases, constant=True), "--canonicalize", "--cse")
    return _split(cases, engine(text, "predict", []))


def _split(cases: Sequence[Case], values: Sequence[np.ndarray]) -> list[Outcome]:
    values = iter(values)
    return [Outcome(dict(enumerate(next(values) for _ in case.results))) for case in cases]


def gradients_of(cases: Sequence[Case], engine: Callable) -> list[Outcome]:
    text = pocket_opt(forward_text(cases), "--mlir-print-debuginfo", *AUTODIFF)
    values = engine(text, "train_step", program_arguments(cases, True))
    named = dict(zip(reference.result_identities(text, "train_step"), values, strict=True))

    def gradient(number: int, operand: int) -> np.ndarray:
        # What the loss doesn't depend on smoothly gets no gradient, and no update.
        nothing = np.zeros(cases[number].inputs[operand].shape)
        return named.get(f"role gradient param {number}.{operand}", nothing)

    return [
        Outcome({operand: gradient(number, operand) for operand in case.wrt})
        for number, case in enumerate(cases)
    ]


def _solve(attempt: Callable, cases: Sequence[Case], engine: Callable) -> list[Outcome]:
    try:
        return attempt(cases, engine)
    except Exception as error:
        if len(cases) == 1:
            return [Outcome(error=f"{type(error).__name__}: {error}")]
        middle = len(cases) // 2
        return [*_solve(attempt, cases[:middle], engine), *_solve(attempt, cases[middle:], engine)]


@functools.cache
def family_outcomes(engine: str, family: str, of: Callable) -> dict[str, Outcome]:
    cases = [case for case in FAMILIES[family] if case.wrt or of is not gradients_of]
    outcomes = _solve(of, cases, ENGINES[engine])
    return {case.id: outcome for case, outcome in zip(cases, outcomes, strict=True)}


# --- The test ---------------------------------------------------------------------------


def assert_close(got: np.ndarray, expected: np.ndarray, tolerance: float, what: str) -> None:
    """Equal but for `tolerance` times the largest expected element; NaN and inf exactly."""
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
    got, wanted = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(wanted)
    np.testing.assert_array_equal(got[~finite], wanted[~finite], err_msg=what)
    assert np.isfinite(got[finite]).all(), f"{what}: {got}, expected {expected}"
    scale = np.max(np.abs(wanted[finite]), initial=0) or 1.0
    # 1e-9: zeros that PyTorch itself only reaches up to rounding.
    error = max(0.0, np.max(np.abs(got[finite] - wanted[finite]), initial=0) - 1e-9) / scale
    assert error <= tolerance, f"{what}: error {error:.3g}\ngot {got}\nexpected {expected}"


def check(case: Case, engine: str, of: Callable, expected: dict[int, np.ndarray]) -> None:
    outcome = family_outcomes(engine, case.family, of)[case.id]
    if outcome.error:
        pytest.fail(f"{of.__name__}: {outcome.error}", pytrace=False)
    # The interpreter runs in double precision; constants inside a program are float32.
    tolerance = case.tolerance if engine == "iree" else 1e-6
    for number, value in expected.items():
        what = f"{of.__name__} {number}"
        assert number in outcome.values, f"{what}: missing"
        assert_close(outcome.values[number], value, tolerance, what)


@pytest.mark.parametrize(("case", "engine"), RUNS)
def test_op(case: Case, engine: str) -> None:
    check(case, engine, results_of, dict(enumerate(case.results)))
    if case.wrt:
        check(case, engine, gradients_of, case.gradients)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_folded(case: Case) -> None:
    check(case, "reference", folded_results_of, dict(enumerate(case.results)))
