"""The command `pocket`."""

from __future__ import annotations

import textwrap

import pytest

from pocket_mlir import schemes
from pocket_mlir.cli import main

MODEL = """
    import torch
    from torch import nn

    def build():
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), torch.randn(2, 8)

    def regress():
        return nn.Linear(8, 1), torch.randn(2, 8), torch.randn(2, 1)

    def broken():
        raise KeyError("no such weights")

    def single():
        return nn.Linear(2, 2)
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "user_model.py"
    path.write_text(textwrap.dedent(MODEL))
    return path


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_table(model, capsys):
    code, out, _ = run(capsys, "scheme", f"{model}:build", "last_layer")
    assert code == 0
    rows = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert rows["0"][1:4] == ["linear", "no", "no"] and rows["2"][1:4] == ["linear", "yes", "all"]
    assert rows["2"][4] == str(4 * (16 * 4 + 4)) == rows["total"][1]
    assert out.startswith("last_layer on Sequential: 68 of 212 parameters trained (32.1%)")


def test_loss_and_targets(model, capsys):
    assert run(capsys, "scheme", f"{model}:regress", "bias_only", "--loss", "mse")[0] == 0


def test_channels(model, capsys, tmp_path):
    path = tmp_path / "s.yaml"
    schemes.Sparse(weights={"0": [1, 2, 3, 6]}).save(path)
    code, out, _ = run(capsys, "scheme", f"{model}:build", path, "--channels")
    assert code == 0 and out.splitlines()[-1] == "0.weight: dim 1, 1-3, 6"
    code, out, _ = run(capsys, "scheme", f"{model}:build", path, "--channels", "--yaml")
    again = tmp_path / "again.yaml"
    again.write_text(out)
    assert code == 0 and schemes.load(again) == schemes.load(path)


def test_list(capsys):
    code, out, _ = run(capsys, "scheme", "--list")
    assert code == 0 and {"full", "bias+last", "tte/mcunet-148kb"} <= set(out.split())


@pytest.mark.parametrize(
    "where, scheme, message",
    [
        ("{}:buld", "full", "has no function 'buld'; nearest: build"),
        ("{}", "full", "write path/file.py:function or package.module:function"),
        ("nowhere.py:build", "full", "there is no file nowhere.py"),
        ("no_such_package:build", "full", "no_such_package can't be imported: ModuleNotFoundError"),
        ("{}:broken", "full", "broken() failed: KeyError: 'no such weights'"),
        ("{}:single", "full", "single() returns a Linear"),
        ("{}:build", "last_layr", "nearest: last_layer"),
    ],
)
def test_errors_are_one_line(model, capsys, where, scheme, message):
    code, out, err = run(capsys, "scheme", where.format(model), scheme)
    assert code == 2 and out == ""
    assert message in err and len(err.splitlines()) == 1


def test_arguments_are_asked_for(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["scheme"])
    assert caught.value.code == 2 and "MODEL and SCHEME are needed" in capsys.readouterr().err
