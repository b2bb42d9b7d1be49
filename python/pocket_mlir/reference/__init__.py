"""The executable meaning of the pocket dialect, in numpy.

`run` evaluates a function of a module; `compare` and `compare_stages` find the
pass that changed a result. `registry.OPS` is the table of operations.
"""

from .interpreter import EvaluationError, parse, random_arguments, run
from .registry import OPS, TensorType, call
from .stages import (
    Difference,
    argument_identities,
    compare,
    compare_stages,
    result_identities,
)

__all__ = [
    "OPS",
    "Difference",
    "EvaluationError",
    "TensorType",
    "argument_identities",
    "call",
    "compare",
    "compare_stages",
    "parse",
    "random_arguments",
    "result_identities",
    "run",
]
