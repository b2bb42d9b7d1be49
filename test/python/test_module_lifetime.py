"""A module's operations must not be read after the module is gone: the bindings don't keep it.

Here freed memory is overwritten (by glibc, on request), so that such a read ends the
process, and does not happen to find what stood there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pocket_mlir

PATH = str(Path(pocket_mlir.__file__).parent.parent)

PROGRAM = '''
import gc
from pathlib import Path

TEXT = """
func.func @train_step(%w: tensor<3xf32> {pocket.param = "w", pocket.needs_grad = true},
                      %x: tensor<3xf32> {pocket.role = "input", pocket.name = "x"})
    -> (tensor<f32> {pocket.role = "loss"}, tensor<3xf32> {pocket.role = "gradient", pocket.param = "w"}) {
  %c = pocket.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = pocket.mul %w, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = pocket.add %0, %c : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = pocket.sum %1 dims = [0] : (tensor<3xf32>) -> tensor<f32>
  return %2, %x : tensor<f32>, tensor<3xf32>
}
"""
'''

READERS = {
    "reference": """
from pocket_mlir import reference
for _ in range(5):
    arguments = reference.random_arguments(TEXT, "train_step")
    results = reference.run(TEXT, "@train_step", arguments)
    gc.collect()
    assert reference.argument_identities(TEXT, "train_step") == ["param w", "role input name x"]
    assert reference.result_identities(TEXT, "train_step") == ["role loss", "role gradient param w"]
    assert reference.compare(TEXT, TEXT, "train_step") is None
    for number in range(3):
        Path(folder, f"{number:02d}.mlir").write_text(TEXT)
    assert reference.compare_stages(folder, "train_step") is None
    try:
        reference.run(TEXT, "other", [])
    except reference.EvaluationError as error:
        gc.collect()
        assert "it has @train_step" in str(error)
    observed = []
    reference.run(TEXT, "train_step", arguments, observe=lambda op, values: observed.append((str(op), values)))
    gc.collect()
    assert len(observed) == 4 and "pocket.constant" in observed[0][0]
""",
    "compiler": """
import torch
from pocket_mlir import compiler, frontend, manifest_builder, optim
from pocket_mlir._mlir import ir

model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
for _ in range(2):
    imported = frontend.import_model(model, torch.zeros(2, 4))
    gc.collect()
    text, scheduled = compiler.lower_to_linalg(imported.module, optim.AdamW())
    del imported
    gc.collect()
    functions = manifest_builder.build_functions(scheduled, optim.AdamW())
    del scheduled
    gc.collect()
    assert [a["name"] for a in functions["predict"]["arguments"]][0] == "0.weight"
    assert functions["train_step"]["arguments"][-1]["valid"] == {"min": 0, "max": 2, "ignore": -100}
    assert "linalg" in text
try:
    frontend.import_model(torch.nn.Sequential(model, torch.nn.Dropout()), torch.zeros(2, 4))
except Exception as error:
    kept = error
gc.collect()
assert "1: aten" in str(kept)
del kept
gc.collect()
""",
}


@pytest.mark.parametrize("reader", READERS)
def test_nothing_is_read_from_a_module_that_is_gone(reader, tmp_path):
    code = f"{PROGRAM}\nfolder = {str(tmp_path)!r}\n{READERS[reader]}"
    environment = {"PYTHONPATH": PATH, "MALLOC_PERTURB_": "165", "PYTHONMALLOC": "malloc"}
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
