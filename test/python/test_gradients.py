"""What `pocket-autodiff` builds, in the reference interpreter, against PyTorch in double precision.

`op_cases` weights the first result of an op and differentiates by all its operands.
Here: by each operand alone, and from the results that come beside the first.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from op_cases import FAMILIES
from op_programs import forward_text, program_arguments

from pocket_mlir._mlir import ir, passmanager
from pocket_mlir.reference import parse, run

DIFFERENTIATE = "builtin.module(pocket-autodiff{check-reads=true})"


def gradients(text: str, arguments) -> dict[str, np.ndarray]:
    """The gradients that `@train_step` of the program returns, by parameter."""
    module = parse(text)
    with module.context:
        passmanager.PassManager.parse(DIFFERENTIATE).run(module.operation)
    results = run(module, "train_step", arguments, dtype=np.float64)
    [function] = [op for op in module.body.operations if op.attributes["sym_name"].value == "train_step"]
    attributes = ir.ArrayAttr(function.attributes["res_attrs"])
    return {
        entry["pocket.param"].value: value
        for entry, value in zip(attributes, results, strict=True)
        if "pocket.param" in entry
    }


def assert_close(got, expected, what):
    scale = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0))
    np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-7 * scale, err_msg=str(what))


CHOSEN = {"all": lambda wrt: wrt, "first": lambda wrt: wrt[:1], "last": lambda wrt: wrt[-1:]}


def cases_by(family, which):
    """The family's cases with those operands to differentiate by, where that is not all there are."""
    return [
        dataclasses.replace(case, wrt=CHOSEN[which](case.wrt))
        for case in FAMILIES[family]
        if len(case.wrt) > (which != "all")
    ]


# A family of ops with one operand has nothing to leave out, the updates have no gradient.
RUNS = [(family, which) for which in CHOSEN for family in FAMILIES if cases_by(family, which)]


@pytest.mark.parametrize(("family", "which"), RUNS)
def test_every_op(family, which):
    """By all operands, or by one alone: then the others' gradients are not built."""
    cases = cases_by(family, which)
    got = gradients("module {\n" + forward_text(cases) + "\n}\n", program_arguments(cases, True))
    for number, case in enumerate(cases):
        for operand, expected in case.gradients.items():
            name = f"{number}.{operand}"
            if name in got:
                assert_close(got.pop(name), expected, (case.id, operand))
            else:
                assert not np.any(expected), f"{case.id}: no gradient for operand {operand}"
    assert not got


def batch_norm(x, scale, bias):
    mean, variance = x.mean((0, 2)), x.var((0, 2), correction=0)
    y = (x - mean[:, None]) / torch.sqrt(variance[:, None] + 1e-3) * scale[:, None] + bias[:, None]
    return y, mean, variance


def layer_norm(x, scale, bias):
    mean, variance = x.mean(-1), x.var(-1, correction=0)
    rstd = 1 / torch.sqrt(variance + 1e-3)
    return (x - mean[..., None]) * rstd[..., None] * scale + bias, mean, rstd


def attention(q, k, v):
    p = torch.softmax(q @ k.transpose(-1, -2) * 0.5, -1)
    return p @ v, p


def cross_entropy(x):
    return F.cross_entropy(x, torch.tensor([2, 0, 1, 3])), torch.logsumexp(x, 1)


# name: op text, operand shapes, result types, the same in PyTorch
SEVERAL_RESULTS = {
    "batch_norm_training": (
        "pocket.batch_norm_training %a0 scale %a1 bias %a2 epsilon = 1.0e-3",
        [(2, 3, 4), (3,), (3,)], ["2x3x4", "3", "3"], batch_norm),
    "layer_norm": (
        "pocket.layer_norm %a0 scale %a1 bias %a2 axis = 2 epsilon = 1.0e-3",
        [(2, 3, 4), (4,), (4,)], ["2x3x4", "2x3", "2x3"], layer_norm),
    "attention": (
        "pocket.attention %a0, %a1, %a2 scale = 0.5",
        [(1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 2)], ["1x2x3x2", "1x2x3x5"], attention),
    "cross_entropy": (
        "pocket.cross_entropy %a0, %t", [(4, 5)], ["", "4"], cross_entropy),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kept"),
    [(name, kept) for name, (_, _, results, _) in SEVERAL_RESULTS.items() for kept in ("all", *range(len(results)))],
)
def test_cotangents_of_further_results(name, kept):
    """The loss is a weighted sum of the squares of all results, or of one of them."""
    op, shapes, results, function = SEVERAL_RESULTS[name]
    rng = np.random.default_rng(3)
    operands = [rng.standard_normal(shape) for shape in shapes]
    weights = [float(i + 1) if kept in ("all", i) else 0.0 for i in range(len(results))]

    def tensor(dims, element="f32"):
        return f"tensor<{dims}{'x' if dims else ''}{element}>"

    types = [tensor("x".join(map(str, shape))) for shape in shapes]
    signature = ", ".join(f'%a{i}: {t} {{pocket.param = "{i}", pocket.needs_grad = true}}' for i, t in enumerate(types))
    operand_types = types + (["tensor<4xi64>"] if "%t" in op else [])
    lines = [f"%r:{len(results)} = {op} : ({', '.join(operand_types)}) -> ({', '.join(map(tensor, results))})"]
    terms = []
    for i, (dims, weight) in enumerate(zip(results, weights)):
        if not weight:
            continue
        t, rank = tensor(dims), len(dims.split("x")) if dims else 0
        lines += [
            f"%q{i} = pocket.mul %r#{i}, %r#{i} : ({t}, {t}) -> {t}",
            f"%s{i} = pocket.sum %q{i} dims = {list(range(rank))} : ({t}) -> tensor<f32>",
            f"%c{i} = pocket.constant dense<{weight}> : tensor<f32>",
            f"%l{i} = pocket.mul %s{i}, %c{i} : (tensor<f32>, tensor<f32>) -> tensor<f32>",
        ]
        terms.append(f"%l{i}")
    while len(terms) > 1:
        a, b = terms.pop(), terms.pop()
        lines.append(f"%t{len(terms)} = pocket.add {a}, {b} : (tensor<f32>, tensor<f32>) -> tensor<f32>")
        terms.append(f"%t{len(terms)}")
    body = "\n".join(lines)
    text = f"""func.func @forward({signature}, %t: tensor<4xi64> {{pocket.role = "target", pocket.name = "t"}})
        -> (tensor<f32> {{pocket.role = "loss"}}) {{
      {body}
      return {terms[0]} : tensor<f32>
    }}"""
    got = gradients(text, [*operands, np.array([2, 0, 1, 3])])

    tensors = [torch.tensor(x, requires_grad=True) for x in operands]
    loss = sum(w * (r * r).sum() for w, r in zip(weights, function(*tensors)) if w)
    loss.backward()
    for i, t in enumerate(tensors):
        if t.grad is None:
            assert str(i) not in got or not np.any(got[str(i)])
        else:
            assert_close(got[str(i)], t.grad.numpy(), (name, kept, i))
