"""Compares imported functions, run by the reference interpreter, with PyTorch."""

import copy

import numpy as np
import torch

from pocket_mlir import frontend, reference
from pocket_mlir.frontend.export import resolve_loss


def examples(imported, inputs, targets):
    """Every input and target of the model by the frontend's names, as numpy arrays."""
    named = dict(inputs) if isinstance(inputs, dict) else {}
    values = list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
    values += targets
    specs = imported.inputs + imported.targets
    if not named:
        named = {spec.name: value for spec, value in zip(specs, values, strict=True)}
    else:
        named |= {s.name: v for s, v in zip([s for s in specs if s.name not in named], targets)}
    return {name: value.numpy() for name, value in named.items()}


def run(imported, function, named):
    arguments = [*imported.parameters.values(), *imported.buffers.values()]
    specs = imported.predict_inputs
    if function == "forward":
        specs = imported.inputs + imported.targets
    return reference.run(imported.module, function, arguments + [named[s.name] for s in specs])


def call(model, inputs):
    return model(**inputs) if isinstance(inputs, dict) else model(*inputs)


def tensors(outputs):
    """The output tensors without the loss, in order."""
    found = []
    if isinstance(outputs, torch.Tensor):
        return [outputs]
    values = outputs.items() if hasattr(outputs, "items") else enumerate(outputs)
    for key, value in values:
        if key != "loss" and isinstance(value, (torch.Tensor, dict, tuple, list)):
            found += tensors(value)
    return found


def close(actual, expected, what, tolerance=2e-5):
    expected = expected.detach().numpy() if isinstance(expected, torch.Tensor) else expected
    assert actual.shape == expected.shape, what
    assert actual.dtype == expected.dtype, what
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance, err_msg=what)


def check(model, inputs, loss, targets=None, tolerance=2e-5, example_targets=None):
    """Imports the model and compares @forward and @predict with PyTorch; returns the import."""
    before = copy.deepcopy(model.state_dict())
    modes = {name: module.training for name, module in model.named_modules()}
    imported = frontend.import_model(
        model, inputs, loss, example_targets=example_targets if targets is None else tuple(targets)
    )
    assert {name: module.training for name, module in model.named_modules()} == modes
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name]), f"{name} was changed by the import"

    if targets is None:
        targets = []
        if loss is not None:
            shapes = [(s.shape, s.dtype) for s in imported.targets]
            targets = [
                torch.randint(0, 3, shape) if dtype == "i64" else torch.rand(shape)
                for shape, dtype in shapes
            ]
    named = examples(imported, inputs, list(targets))
    actual = run(imported, "forward", named)

    eager = copy.deepcopy(model)
    if getattr(getattr(eager, "config", None), "use_cache", None):
        eager.config.use_cache = False
    outputs = call(eager, inputs)
    function = resolve_loss(loss)
    expected = outputs["loss"] if loss is None else function(outputs, *targets)
    close(actual[0], expected, "loss", tolerance)
    results = tensors(outputs)
    for i, result in enumerate(results):
        close(actual[1 + i], result, f"output {i}", tolerance)

    # The new buffers, by the names that the results carry.
    functions = {f.attributes["sym_name"].value: f for f in imported.module.body.operations}
    names = [
        attributes["pocket.buffer"].value if "pocket.buffer" in attributes else None
        for attributes in functions["forward"].attributes["res_attrs"]
    ]
    new = {name: value for name, value in zip(names, actual) if name}
    after = eager.state_dict()
    changed = {n for n, v in after.items() if not torch.equal(v, before[n])}
    assert set(new) == {imported.aliases.get(n, n) for n in changed}
    for name, value in new.items():
        close(value, after[name], name, tolerance)

    eager = copy.deepcopy(model).eval()
    predicted = run(imported, "predict", named)
    if getattr(getattr(eager, "config", None), "use_cache", None):
        eager.config.use_cache = False
    for i, result in enumerate(tensors(call(eager, inputs))):
        close(predicted[i], result, f"prediction {i}", tolerance)
    return imported
