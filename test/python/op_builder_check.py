"""Creates every op of the dialect through Python in ways that are wrong; prints what it does.

A program of its own, for a crash to end nothing else: `test_op_builders.py` runs it
and reads the last line. Each op starts from a case of `op_cases`; then operands,
attributes and types are left out, doubled or replaced. Whatever comes of that has
to be an exception or an op that passes its verifier.
"""

from __future__ import annotations

import inspect

from op_cases import CASES
from op_programs import case_text, type_text

from pocket_mlir._mlir import ir
from pocket_mlir._mlir.dialects import pocket

CLASSES = {
    value.OPERATION_NAME: value
    for value in vars(pocket).values()
    if isinstance(value, type) and getattr(value, "OPERATION_NAME", "").startswith("pocket.")
}
# Exceptions are answers, whatever their kind; these would say that the check itself is wrong.
BROKEN = (NameError, ImportError, SyntaxError, AssertionError, MemoryError)
ATTRIBUTES = [
    "unit", "true", '"text"', "0 : i64", "-1 : i64", "9223372036854775807 : i64", "1 : i32", "1 : index", "1.0 : f32",
    "-1.0 : f64", "0x7FF8000000000000 : f64", "array<i64>", "array<i64: 0>", "array<i64: -1, -1>", "array<i64: 0, 0>",
    "array<i64: 9223372036854775807, 9223372036854775807>", "array<i64: 1, 1, 1, 1, 1, 1, 1>", "array<i32>",
    "array<i32: 1, 1, 1>", "array<i32: -1, 2, 2>", "array<i32: 0, 0, 0, 0, 0>", "array<i32: 2, 0, 1, 0, 0>", "[]", "{}",
    "#pocket<layout nhwc>", "#pocket<reduction none>", "dense<0> : tensor<2xi64>", "f32",
]  # fmt: skip
TYPES = [
    "f32", "index", "none", "tensor<f32>", "tensor<*xf32>", "tensor<?x3xf32>", "tensor<0x0x0x0xf32>", "tensor<2xi1>",
    "tensor<1x1x1x1xf64>", "tensor<2x3x4x5x6xf32>", "tensor<1099511627776xf32>", "tensor<2x2xindex>", "vector<4xf32>",
    "memref<1x1x4x4xf32>",
]  # fmt: skip


class Check:
    """Counts attempts; says which one is under way, for it may be the last."""

    def __init__(self):
        self.attempts = self.refused = 0

    def attempt(self, what, name, types, attributes, results) -> bool:
        """Whether an op came of it."""
        print(f"{name}: {what}", flush=True)
        self.attempts += 1
        block = ir.Module.create().body
        try:
            with ir.InsertionPoint(block):
                operands = [ir.Operation.create("test.value", results=[t]).result for t in types]
                infer = {"infer_type": True} if results is None else {"results": results}
                op = ir.Operation.create(name, operands=operands, attributes=attributes, **infer)
            assert op.verify(), "a verifier that neither passes nor throws"
            return bool(str(op))
        except BROKEN:
            raise
        except Exception:
            self.refused += 1
            return False


def example(name):
    """Operand types, attributes and result types of the op's first case."""
    if name == "pocket.constant":
        value = ir.Attribute.parse("dense<1.0> : tensor<2xf32>")
        return [], {"value": value}, [value.type]
    case = next(case for case in CASES if f"pocket.{case.op}" == name)
    arguments = ", ".join(f"%a{i}: {type_text(a.shape, a.dtype)}" for i, a in enumerate(case.inputs))
    line, _, _ = case_text(case, 0, [f"%a{i}" for i in range(len(case.inputs))])
    module = ir.Module.parse(f"func.func @f({arguments}) {{\n{line}\nreturn }}")
    op = module.body.operations[0].regions[0].blocks[0].operations[0].operation
    attributes = {key: op.attributes[key] for key in op.attributes}
    return [operand.type for operand in op.operands], attributes, [result.type for result in op.results]


def defaults(name) -> set[str]:
    """The attributes that may be left out, by the generated class."""
    parameters = inspect.signature(CLASSES[name].__init__).parameters.values()
    return {parameter.name for parameter in parameters if parameter.default is None}


def check_op(check: Check, name: str) -> None:
    types, attributes, results = example(name)
    inferred = check.attempt("as it is, inferred", name, types, attributes, None)
    for way in [None, results] if inferred else [results]:
        mode = "inferred" if way is None else "given types"

        def attempt(what, types=types, attributes=attributes, way=way, mode=mode):
            return check.attempt(f"{what}, {mode}", name, types, attributes, way)

        assert attempt("as it is"), name
        for count in range(len(types) + 4):
            few = (types * 5 or results * 5)[:count]
            created = attempt(f"{count} operands", types=few)
            assert not created or count > 0 or not types, name
        bare = {key: value for key, value in attributes.items() if key not in defaults(name)}
        attempt("no attribute that has a default", attributes=bare)
        attempt("no attributes", attributes={})
        attempt("no operands or attributes", types=[], attributes={})
        for key in attributes:
            without = {k: v for k, v in attributes.items() if k != key}
            created = attempt(f"without {key}", attributes=without)
            assert not created or key in defaults(name) or key == "operandSegmentSizes", (name, key)
            attempt(f"without {key} and an operand", types=types[:-1], attributes=without)
            for text in ATTRIBUTES:
                attempt(f"{key} = {text}", attributes={**attributes, key: ir.Attribute.parse(text)})
        attempt("an attribute of no name of its own", attributes={**attributes, "other": ir.UnitAttr.get()})
        for i in range(len(types)):
            for text in TYPES:
                attempt(f"operand {i} of {text}", types=[*types[:i], ir.Type.parse(text), *types[i + 1 :]])
        for text in TYPES:
            attempt(f"all operands of {text}", types=[ir.Type.parse(text)] * len(types))
    for text in TYPES:
        check.attempt(f"results of {text}", name, types, attributes, [ir.Type.parse(text)] * len(results))
    check.attempt("no results", name, types, attributes, [])


def main() -> None:
    check = Check()
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        context.emit_error_diagnostics = False
        for name in CLASSES:
            check_op(check, name)
    print(f"{len(CLASSES)} ops, {check.attempts} attempts, {check.refused} refused")


if __name__ == "__main__":
    main()
