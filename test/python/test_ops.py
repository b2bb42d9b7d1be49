"""Every op case in three ways: the reference interpreter, IREE after our lowering,
and PyTorch; results, and gradients made by `pocket-autodiff`.

The cases of a family go through the compilers as one program (op_programs.py). Where
that fails, its halves are tried, so that a failure is laid at the cases that cause it.
"""

from __future__ import annotations

import functools
import re
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
    """What one engine made of one case: results by number, gradients by operand."""

    results: dict[int, np.ndarray] = field(default_factory=dict)
    gradients: dict[int, np.ndarray] = field(default_factory=dict)
    error: str | None = None


# --- Engines: a function of a program in, its results out --------------------------------


def run_reference(text: str, function: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    return reference.run(text, function, arguments, dtype=np.float64)


@functools.lru_cache(maxsize=1)
def iree_module(text: str):
    binary = iree.compiler.compile_str(
        pocket_opt(text, *LOWERING), extra_args=compiler_flags(targets.parse("host"))
    )
    config = iree.runtime.Config(device=iree.runtime.get_device("local-sync"))
    module = iree.runtime.VmModule.copy_buffer(config.vm_instance, binary)
    return iree.runtime.load_vm_module(module, config)


def run_iree(text: str, function: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
    results = iree_module(text)[function](*arguments)
    results = results if isinstance(results, (tuple, list)) else (results,)
    return [result.to_host() for result in results]


ENGINES = {"reference": run_reference, "iree": run_iree}


# --- From cases to outcomes ---------------------------------------------------------------


def program_text(cases: Sequence[Case], trained: Sequence[Case]) -> str:
    """`@predict` of the cases, and `@train_step` of those with a gradient.

    One program: what both do, IREE compiles once, and that is most of it.
    """
    if not trained:
        return predict_text(cases)
    text = predict_text(cases) + "\n" + forward_text(trained)
    text = pocket_opt(text, "--mlir-print-debuginfo", *AUTODIFF)
    # The loss is not compared: neither it nor what only it needs has to be compiled.
    start = text.index("@train_step")
    unread = "%unread = pocket.constant dense<0.0> : tensor<f32>\n    return %unread, "
    train_step, count = re.subn(r"return %\w+, ", unread, text[start:], count=1)
    assert count == 1
    return text[:start] + train_step


def outcomes_of(cases: Sequence[Case], engine: Callable) -> list[Outcome]:
    trained = [case for case in cases if case.wrt]
    text = program_text(cases, trained)
    outcomes = _split(cases, engine(text, "predict", program_arguments(cases, False)))
    if not trained:
        return outcomes
    values = engine(text, "train_step", program_arguments(trained, True))
    named = dict(zip(reference.result_identities(text, "train_step"), values, strict=True))
    for case, outcome in zip(cases, outcomes, strict=True):
        for operand in case.wrt:
            # What the loss doesn't depend on smoothly gets no gradient, and no update.
            nothing = np.zeros(case.inputs[operand].shape)
            identity = f"role gradient param {trained.index(case)}.{operand}"
            outcome.gradients[operand] = named.get(identity, nothing)
    return outcomes


def folded_outcomes_of(cases: Sequence[Case], engine: Callable) -> list[Outcome]:
    """The results when the inputs are constants, and the folders had their turn."""
    text = pocket_opt(predict_text(cases, constant=True), "--canonicalize", "--cse")
    return _split(cases, engine(text, "predict", []))


def _split(cases: Sequence[Case], values: Sequence[np.ndarray]) -> list[Outcome]:
    values = iter(values)
    return [Outcome(dict(enumerate(next(values) for _ in case.results))) for case in cases]


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
    cases = FAMILIES[family]
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


def check(case: Case, engine: str, of: Callable) -> Outcome:
    """The outcome of a case; its results have been compared."""
    outcome = family_outcomes(engine, case.family, of)[case.id]
    if outcome.error:
        pytest.fail(outcome.error, pytrace=False)
    compare(case, engine, "result", outcome.results, dict(enumerate(case.results)))
    return outcome


def compare(case: Case, engine: str, what: str, got: dict, expected: dict) -> None:
    # The interpreter runs in double precision; constants inside a program are float32.
    tolerance = case.tolerance if engine == "iree" else 1e-6
    for number, value in expected.items():
        assert number in got, f"{what} {number}: missing"
        assert_close(got[number], value, tolerance, f"{what} {number}")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_op(case: Case, engine: str) -> None:
    outcome = check(case, engine, outcomes_of)
    compare(case, engine, "gradient of operand", outcome.gradients, case.gradients)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_folded(case: Case) -> None:
    check(case, "reference", folded_outcomes_of)
