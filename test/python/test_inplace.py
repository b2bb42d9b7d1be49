"""Updates in place: IREE's schedule is checked, and never gives wrong weights.

Each program updates w in place after the last read of the old w, as our passes
order it. IREE moves some of those reads behind the update, or into it. With a
large learning rate the difference is plain. See docs/notes-iree-ordering.md.
"""

from __future__ import annotations

import numpy as np
import pytest

from pocket_mlir import targets
from pocket_mlir.program import Program
from pocket_mlir.targets import inplace

N = 48
T = f"tensor<{N}x{N}xf32>"

HEAD = f"""
#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
func.func @train_step(%w: {T} {{iree.abi.output = 1 : index}}, %lr: tensor<f32>, %g: {T}, %c: {T}, %x: {T})
    -> ({T}, {T}) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {T}
  %z = linalg.fill ins(%zero : f32) outs(%e : {T}) -> {T}
"""


def matmul(result: str, a: str, b: str) -> str:
    return f"  {result} = linalg.matmul ins({a}, {b} : {T}, {T}) outs(%z : {T}) -> {T}\n"


def elementwise(result: str, a: str, op: str = "", a_map: str = "#ij") -> str:
    body = f"    %r = {op} %a : f32\n    linalg.yield %r : f32" if op else "    linalg.yield %a : f32"
    return (
        f'  {result} = linalg.generic {{indexing_maps = [{a_map}, #ij], iterator_types = ["parallel", "parallel"]}}'
        f" ins({a} : {T}) outs(%e : {T}) {{\n  ^bb0(%a: f32, %o: f32):\n{body}\n  }} -> {T}\n"
    )


def update(gradient: str = "%dw") -> str:
    return (
        '  %nw = linalg.generic {indexing_maps = [#ij, #ij, #none, #ij], iterator_types = ["parallel", "parallel"]}'
        f" ins(%w, {gradient}, %lr : {T}, {T}, tensor<f32>) outs(%e : {T}) {{\n"
        "  ^bb0(%a: f32, %b: f32, %l: f32, %o: f32):\n    %m = arith.mulf %b, %l : f32\n"
        f"    %r = arith.subf %a, %m : f32\n    linalg.yield %r : f32\n  }} -> {T}\n"
    )


UPDATE = matmul("%dw", "%x", "%g") + update()
VIEW = (
    f"  %flat = tensor.collapse_shape %w [[0, 1]] : {T} into tensor<{N * N}xf32>\n"
    f"  %d = tensor.expand_shape %flat [[0, 1]] output_shape [{N}, {N}] : tensor<{N * N}xf32> into {T}\n"
)

# name: (program, what %dx must be, what is subtracted from w, what has to be done)
NOTHING, MOVE, DROP = "nothing", "the read is moved", "the update is not in place"

PROGRAMS = {
    "read, then update": (
        matmul("%dx", "%c", "%w") + UPDATE,
        lambda w, g, c, x: c @ w,
        lambda w, g, c, x: x @ g,
        NOTHING,
    ),
    "a reader's consumer stands after the update": (
        matmul("%y", "%c", "%w") + UPDATE + elementwise("%dx", "%y", "math.tanh"),
        lambda w, g, c, x: np.tanh(c @ w),
        lambda w, g, c, x: x @ g,
        NOTHING,
    ),
    "a reader needs two dispatches, the gradient one": (
        matmul("%s", "%g", "%c") + matmul("%dx", "%s", "%w") + UPDATE,
        lambda w, g, c, x: g @ c @ w,
        lambda w, g, c, x: x @ g,
        NOTHING,
    ),
    "a transpose is used after the update": (
        elementwise("%d", "%w", a_map="#ji") + UPDATE + matmul("%dx", "%c", "%d"),
        lambda w, g, c, x: c @ w.T,
        lambda w, g, c, x: x @ g,
        # IREE is kept from moving transposes into what reads them.
        NOTHING,
    ),
    "a copy is used after the update": (
        elementwise("%d", "%w") + UPDATE + matmul("%dx", "%c", "%d"),
        lambda w, g, c, x: c @ w,
        lambda w, g, c, x: x @ g,
        MOVE,
    ),
    "a reshape is used after the update": (
        VIEW + UPDATE + matmul("%dx", "%c", "%d"),
        lambda w, g, c, x: c @ w,
        lambda w, g, c, x: x @ g,
        MOVE,
    ),
    "the update is fused into its gradient, which stands before the read": (
        matmul("%dw", "%x", "%g") + matmul("%dx", "%c", "%w") + update(),
        lambda w, g, c, x: c @ w,
        lambda w, g, c, x: x @ g,
        MOVE,
    ),
    "the gradient reads the weight in the update's dispatch": (
        matmul("%dx", "%c", "%g") + matmul("%dw", "%x", "%w") + update(),
        lambda w, g, c, x: c @ g,
        lambda w, g, c, x: x @ w,
        DROP,
    ),
    "the read needs the gradient": (
        matmul("%dw", "%x", "%g") + matmul("%dx", "%dw", "%w") + update(),
        lambda w, g, c, x: x @ g @ w,
        lambda w, g, c, x: x @ g,
        NOTHING,
    ),
}


def make(body: str) -> str:
    return HEAD + body + f"  return %dx, %nw : {T}, {T}\n}}\n"


def manifest() -> dict:
    def entry(kind, name, shape=(N, N)):
        return {"kind": kind, "name": name, "shape": list(shape), "dtype": "f32", "layout": None}

    w = entry("parameter", "w")
    arguments = [w, entry("learning_rate", "lr", ()), *(entry("input", name) for name in "gcx")]
    step = {"arguments": arguments, "results": [entry("output", "dx"), w]}
    return {
        "format": "pocket-bundle",
        "version": 1,
        "target": targets.parse("host").to_manifest(),
        "functions": {"train_step": step},
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_large_updates_are_right(name, tmp_path):
    body, expected_dx, expected_dw, remedy = PROGRAMS[name]
    names = {"train_step": ["w", "lr", "g", "c", "x"]}
    module = targets.compile_module(make(body), argument_names=names, dump_dir=tmp_path)
    assert bool(module.not_in_place) == (remedy == DROP), module.not_in_place
    hazards = inplace.find_hazards(next(tmp_path.glob("*.flow.mlir")).read_text(), names)
    assert bool(hazards) == (remedy != NOTHING), hazards
    for hazard in hazards:
        assert str(hazard).startswith("w of @train_step: ")
        assert hazard.bytes == 4 * N * N
    rng = np.random.default_rng(0)
    w, g, c, x = (rng.standard_normal((N, N)).astype(np.float32) for _ in range(4))
    for threads in (1, 2):
        program = Program(manifest(), module.vmfb, {"w": w})
        with program.session(threads=threads) as session:
            call = session._calls["train_step"]
            entries = call.signature.arguments[1:]
            results = session._run(call, entries, [np.array(3.0, np.float32), g, c, x])
            exact = [value.astype(np.float64) for value in (w, g, c, x)]
            for got, want in (
                (results["dx"].read(), expected_dx(*exact)),
                (np.asarray(session.state_dict()["w"]), exact[0] - 3.0 * expected_dw(*exact)),
            ):
                assert np.abs(got - want).max() < 1e-4 * np.abs(want).max()
            assert bool(call.replaced) == (remedy == DROP)


def test_the_check_reads_new_values_without_complaint():
    """A step counter is increased in place, and its new value is what is read."""
    flow = """
module {
  util.func public @train_step(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> (!hal.buffer_view) {
    %0 = hal.tensor.import consume %arg0 "input0" : !hal.buffer_view -> tensor<f32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<4xf32>
    %2 = flow.dispatch @count::@count(%0) : (tensor<f32>) -> tensor<f32>
    %3 = flow.dispatch @use::@use(%1, %2) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = hal.tensor.alias %2 : tensor<f32> to %arg0 : !hal.buffer_view
    %5 = hal.tensor.export %4 "output0" : tensor<f32> -> !hal.buffer_view
    util.return %5 : !hal.buffer_view
  }
}
"""
    # The dispatch's body is not in the text, so that it can't be told to be elementwise.
    assert [hazard.same_dispatch for hazard in inplace.find_hazards(flow)] == [True]
    late = flow.replace("@use(%1, %2)", "@use(%1, %0)")
    assert [hazard.reader for hazard in inplace.find_hazards(late)] == ["count", "use"]


def test_reads_are_moved_with_what_they_need():
    flow = """
module {
  util.func public @f(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> (!hal.buffer_view) {
    %0 = hal.tensor.import consume %arg0 "input0" : !hal.buffer_view -> tensor<4xf32>
    %1 = hal.tensor.import %arg1 "input1" : !hal.buffer_view -> tensor<4xf32>
    %2 = flow.dispatch @update::@update(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = flow.dispatch @other::@other(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = flow.tensor.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>
    %5 = flow.dispatch @moves::@moves(%4, %1) : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = flow.dispatch @stays::@stays(%0, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = hal.tensor.alias %2 : tensor<4xf32> to %arg0 : !hal.buffer_view
    %8 = hal.tensor.export %7 "output0" : tensor<4xf32> -> !hal.buffer_view
    util.return %8 : !hal.buffer_view
  }
}
"""
    repaired, left = inplace.repair(flow)
    order = [name for name in ("%2 =", "%3 =", "%4 =", "%5 =", "%6 =")]
    order.sort(key=lambda name: repaired.index(name))
    assert order == ["%4 =", "%5 =", "%2 =", "%3 =", "%6 ="]
    # What needs an operand from behind the update costs the update its place.
    assert [hazard.reader for hazard in left] == ["stays"]
    assert "hal.tensor.alias" not in repaired and not inplace.find_hazards(repaired)


def test_dropping_keeps_the_rest():
    flow = """
module {
  util.func public @f(%arg0: !hal.buffer_view, %arg1: !hal.buffer_view) -> (!hal.buffer_view, !hal.buffer_view) {
    %0 = hal.tensor.import consume %arg0 "input0" : !hal.buffer_view -> tensor<2x3xf16>
    %1 = hal.tensor.import consume %arg1 "input1" : !hal.buffer_view -> tensor<4xf32>
    %2:2 = flow.dispatch @d::@d(%0, %1) : (tensor<2x3xf16>, tensor<4xf32>) -> (tensor<2x3xf16>, tensor<4xf32>)
    %20 = hal.tensor.alias %2#0 : tensor<2x3xf16> to %arg0 : !hal.buffer_view
    %21 = hal.tensor.alias %2#1 : tensor<4xf32> to %arg1 : !hal.buffer_view
    %3 = hal.tensor.export %20 "output0" : tensor<2x3xf16> -> !hal.buffer_view
    %4 = hal.tensor.export %21 "output1" : tensor<4xf32> -> !hal.buffer_view
    util.return %3, %4 : !hal.buffer_view, !hal.buffer_view
  }
}
"""
    hazard = next(h for h in inplace.find_hazards(flow) if h.argument == 0)
    assert hazard.bytes == 12
    dropped = inplace.drop(flow, [hazard])
    assert 'import %arg0 "input0"' in dropped and 'consume %arg1 "input1"' in dropped
    assert "%20" not in dropped and 'export %2#0 "output0"' in dropped
    assert "%21 = hal.tensor.alias %2#1" in dropped and 'export %21 "output1"' in dropped
