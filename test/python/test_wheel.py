"""The wheel, installed where neither the MLIR wheels nor this checkout can be seen.

A clean environment is made for it that holds the wheel and what the wheel's
metadata asks for (linked from here, which spares a download), and nothing else.
"""

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent.parent
DEVICE = ["numpy", "iree-base-runtime", "safetensors", "tqdm"]
PROGRAMS = ["pocket-opt", "pocket-lsp-server"]

TRAIN = """
import numpy as np, torch
import pocket_mlir as pocket

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
x, y = torch.randn(32, 8), torch.randint(4, (32,))
program = pocket.compile(model, (x,), loss="cross_entropy", optimizer=pocket.optim.SGD(momentum=0.9))
session = program.session()
losses = [session.step(x, y, lr=0.1) for _ in range(30)]
assert losses[-1] < 0.5 * losses[0], losses
program.save("bundle")
np.savez("batch.npz", x=x.numpy(), y=y.numpy())
"""
LOAD = """
import importlib.util, sys
for name in ("torch", "iree.compiler", "torch_mlir", "mlir"):
    try:
        assert importlib.util.find_spec(name) is None, name
    except ModuleNotFoundError:
        pass
import numpy as np
import pocket_mlir as pocket

batch = np.load("batch.npz")
session = pocket.load("bundle").session()
losses = [session.step(batch["x"], batch["y"], lr=0.1) for _ in range(30)]
assert losses[-1] < 0.5 * losses[0], losses
assert session.predict(batch["x"]).shape == (32, 4)
assert not any(name.startswith("pocket_mlir._mlir") for name in sys.modules)
"""


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel in dist/, built anew when something that goes into it is newer."""
    parts = [ROOT / "pyproject.toml", *ROOT.glob("python/**/*.py"), *ROOT.glob("python/**/*.yaml"), *ROOT.glob("build/bin/*"),
             *ROOT.glob("build/python_packages/pocket_mlir/_mlir/**/*.so")]
    newest = max(path.stat().st_mtime for path in parts)
    found = [path for path in ROOT.glob("dist/pocket_mlir-*.whl") if path.stat().st_mtime > newest]
    if not found:
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-C", "build-dir=build",
             "-w", "dist", "."], cwd=ROOT, check=True)
        found = list(ROOT.glob("dist/pocket_mlir-*.whl"))
    assert len(found) == 1, found
    return found[0]


def requirements(wheel: Path) -> list[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = importlib.metadata.PathDistribution(zipfile.Path(wheel, name.rpartition("/")[0] + "/"))
        return [Requirement(text) for text in metadata.requires or []]


def closure(names: list[str]) -> dict[str, importlib.metadata.Distribution]:
    """The named distributions and what they need, as they are installed here."""
    found, waiting = {}, list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found[name] = importlib.metadata.distribution(name)
        for text in found[name].requires or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return found


def environment(directory: Path, wheel: Path, names: list[str]) -> Path:
    """A virtual environment of the wheel and `names`; returns its folder of programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", directory], check=True)
    packages = next(directory.glob("lib/python*/site-packages"))
    for distribution in closure(names).values():
        for file in distribution.files:
            top = packages / file.parts[0]
            source = Path(distribution.locate_file(file.parts[0]))
            if file.parts[0] in ("..", "__pycache__"):
                continue
            if source.is_dir() and len(file.parts) > 1 and not (source / "__init__.py").exists() and not source.suffix:
                # Distributions share this folder: each brings its own part.
                top.mkdir(exist_ok=True)
                top, source = top / file.parts[1], source / file.parts[1]
            if not top.exists():
                top.symlink_to(source)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", directory / "bin" / "python", "install", "--quiet", "--no-deps",
         "--no-index", wheel], check=True)
    return directory / "bin"


def run(bin: Path, *command: str, cwd: Path, text: str | None = None) -> str:
    """Runs a program of an environment that knows of nothing else."""
    result = subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, timeout=300,
                            env={"PATH": f"{bin}:/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def full(wheel, tmp_path_factory) -> Path:
    names = [r.name for r in requirements(wheel) if r.marker is None]
    return environment(tmp_path_factory.mktemp("full"), wheel, names)


@pytest.fixture(scope="module")
def bundle(full, tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("bundle")
    run(full, "python", "-c", TRAIN, cwd=directory)
    return directory


def test_requirements_are_those_of_development(wheel):
    for requirement in requirements(wheel):
        assert importlib.metadata.version(requirement.name) in requirement.specifier, requirement
    assert {r.name for r in requirements(wheel)} >= set(DEVICE)


def test_wheel_holds_everything_once(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    assert len(names) == len(set(names))
    for program in PROGRAMS:
        assert sum(name.endswith(f".data/scripts/{program}") for name in names) == 1
    assert not [name for name in names if "__pycache__" in name or name.endswith((".cpp", ".td", ".h"))]
    assert sum("libPocketPythonCAPI" in name for name in names) == 1
    assert sum(sizes.values()) < 400e6


def test_environment_has_no_mlir(full):
    code = "import importlib.util; print([n for n in ('mlir', 'llvm', 'lit', 'pytest') if importlib.util.find_spec(n)])"
    assert run(full, "python", "-c", code, cwd=full).strip() == "[]"


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_need_no_library_of_ours(full, program):
    libraries = run(full, "ldd", str(full / program), cwd=full)
    assert "LLVM" not in libraries and "MLIR" not in libraries and "not found" not in libraries


def test_programs_are_on_the_path(full, tmp_path):
    text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = pocket.neg %x : tensor<2xf32>\n" \
        "  %1 = pocket.neg %0 : tensor<2xf32>\n  return %1 : tensor<2xf32>\n}\n"
    output = run(full, "pocket-opt", "--canonicalize", cwd=tmp_path, text=text)
    assert "pocket.neg" not in output and "return %arg0" in output
    assert "OVERVIEW" in run(full, "pocket-lsp-server", "--help", cwd=tmp_path)


def test_compiles_and_trains(bundle):
    assert (bundle / "bundle" / "manifest.json").exists()


def test_bundle_runs_without_torch_and_compiler(wheel, bundle, tmp_path):
    device = environment(tmp_path / "device", wheel, DEVICE)
    run(device, "python", "-c", LOAD, cwd=bundle)
