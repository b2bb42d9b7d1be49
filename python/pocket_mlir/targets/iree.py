"""From linalg text to a program, by iree-compile.

The compiler runs as a process of its own: a crash in it becomes an error here,
its memory is given back when it ends, and its MLIR never meets ours.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import CompileError, TargetError
from . import inplace
from .flags import compiler_flags
from .target import Target, parse

__all__ = ["CompiledModule", "compile_module", "compile_to_vmfb", "add_transient_arguments", "transient_bytes"]


@dataclass(frozen=True)
class CompiledModule:
    """What iree-compile made.

    Attributes:
        vmfb: the program.
        target: what it was compiled for, with the processor and the features that
            "host" stood for filled in.
        flags: the options that it was compiled with.
        not_in_place: the updates that could not be left in place, and why.
    """

    vmfb: bytes
    target: Target
    flags: tuple[str, ...] = field(default=(), repr=False)
    not_in_place: tuple[inplace.Hazard, ...] = ()


def compile_to_vmfb(mlir: str, target: Target | str = "host", **options) -> bytes:
    """The program alone; `compile_module` says more."""
    return compile_module(mlir, target, **options).vmfb


def compile_module(
    mlir: str,
    target: Target | str = "host",
    *,
    extra_flags: Iterable[str] = (),
    argument_names: Mapping[str, Sequence[str]] | None = None,
    dump_dir: str | os.PathLike | None = None,
) -> CompiledModule:
    """Compiles linalg text.

    Every public function gets a last argument for its transient memory, which
    the session then allocates once and keeps: see `add_transient_arguments`. A
    read that IREE would run after the update that overwrites its operand is moved, or
    else that update is made not to be in place and listed in the result: see `inplace`.

    Args:
        mlir: a module of functions on tensors, `iree.abi.output` on what is
            updated in place.
        target: for what machine.
        extra_flags: further options of iree-compile, after all others.
        argument_names: for each function its arguments' names, for messages.
        dump_dir: write IREE's IR after each of its phases into that directory.
    """
    target = parse(target)
    mlir = add_transient_arguments(mlir)
    flags = [*compiler_flags(target), *extra_flags]
    with tempfile.TemporaryDirectory(prefix="pocket-") as folder:
        source, flow, program = (Path(folder, name) for name in ("source.mlir", "flow.mlir", "program.vmfb"))
        source.write_text(mlir)
        dumps = [] if dump_dir is None else [f"--dump-compilation-phases-to={os.fspath(dump_dir)}"]
        _run([str(source), "-o", str(flow), "--compile-to=flow", *flags, *dumps], target)
        flow_text, hazards = inplace.repair(flow.read_text(), argument_names or {})
        flow.write_text(flow_text)
        _generate([str(flow), "-o", str(program), "--compile-from=flow", *flags, *dumps], target)
        vmfb = program.read_bytes()
    return CompiledModule(vmfb, _resolve(target, flow_text), tuple(flags), tuple(hazards))


def add_transient_arguments(mlir: str) -> str:
    """Gives each public function a last argument that holds its transient memory.

    Otherwise IREE allocates that memory on every call, and the fresh pages cost
    up to half of a step. The text is edited, rather than the module, because
    `!hal.buffer` is a type of IREE's that our MLIR doesn't have.
    """
    out, position = [], 0
    for match in re.finditer(r"\bfunc\.func\s+(?:public\s+)?@[\w$.-]+\(", mlir):
        if match.start() < position:
            continue
        end = _closing_parenthesis(mlir, match.end())
        separator = ", " if mlir[match.end() : end].strip() else ""
        out.append(mlir[position:end])
        out.append(f"{separator}%pocket_transients: !hal.buffer {{iree.abi.transients}}")
        position = end
    return "".join(out) + mlir[position:]


def _closing_parenthesis(text: str, start: int) -> int:
    """Where the parenthesis that was opened just before `start` closes."""
    depth, position = 1, start
    # Strings are stepped over whole: a module path may hold a parenthesis.
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[()]', text[start:]):
        if match.group() == "(":
            depth += 1
        elif match.group() == ")":
            depth -= 1
            if depth == 0:
                return start + match.start()
        position = start + match.end()
    raise CompileError(f"the module's text ends within a function's arguments, near {text[position - 40 : position]!r}")


def transient_bytes(vmfb: bytes) -> dict[str, int]:
    """What each public function needs for its intermediate values, as IREE planned it."""
    import iree.runtime as rt

    # The module is looked at, not run, so it may be for any machine. It must outlive
    # the functions that are looked up in it.
    instance = rt.VmInstance()
    hal = rt.create_hal_module(instance, rt.get_driver("local-sync").create_default_device())
    module = rt.VmModule.copy_buffer(instance, vmfb)
    sizes = {}
    for name in module.function_names:
        reflection = module.lookup_function(name).reflection
        if "iree.abi.transients" in reflection.get("iree.abi.declaration", ""):
            sizes[name] = int(reflection.get("iree.abi.transients.size.constant", 0))
    del module, hal
    return sizes


def _tool() -> str:
    try:
        from iree.compiler.tools.binaries import find_tool

        return find_tool("iree-compile")
    except ImportError:
        found = shutil.which("iree-compile")
        if found:
            return found
        raise TargetError(
            "iree-compile is not installed: pip install iree-base-compiler"
        ) from None


def _generate(arguments: list[str], target: Target) -> None:
    """Runs the part of the compiler that makes each kernel's code, in two thirds of the time.

    What it is given has been verified. Verifying each kernel again after each of some
    hundred passes takes a third of its time and finds nothing but mistakes of those passes;
    those are looked for when it fails, for the sake of the message.
    """
    try:
        _run([*arguments, "--verify=false"], target)
    except CompileError:
        _run(arguments, target)


def _run(arguments: list[str], target: Target) -> None:
    result = subprocess.run([_tool(), *arguments], capture_output=True, text=True, errors="replace")
    if result.returncode == 0:
        return
    error = CompileError(
        f"IREE could not compile the program for {target.name}: {_trim(result.stderr, result.returncode)}"
    )
    # The whole of it, for a report to IREE.
    error.details = result.stderr
    raise error


def _trim(stderr: str, code: int, errors: int = 3, width: int = 300) -> str:
    """The first few errors, without the IR that IREE prints with them."""
    kept = []
    for line in stderr.splitlines():
        match = re.match(r".*?(?:^|\s|:)(error:\s.*|LLVM ERROR:.*|.*Assertion .* failed.*)", line)
        if match and match.group(1) not in kept:
            kept.append(match.group(1))
    if not kept:
        lines = [line for line in stderr.splitlines() if line.strip()]
        kept = lines[:1] or [f"it ended with code {code} and said nothing"]
    if code < 0:
        kept.insert(0, f"it was killed by signal {-code}")
    more = f" (and {len(kept) - errors} more)" if len(kept) > errors else ""
    return "; ".join(line if len(line) <= width else line[:width] + " ..." for line in kept[:errors]) + more


def _resolve(target: Target, flow_text: str) -> Target:
    """`target` with the processor that "host" was and all of its features, as IREE knows them."""
    match = re.search(r'#hal\.executable\.target<"llvm-cpu"[^{]*\{(.*?)target_triple = "([^"]*)"', flow_text, re.S)
    if not match:
        return target
    cpu = re.search(r'\bcpu = "([^"]*)"', match.group(1))
    features = re.search(r'cpu_features = "([^"]*)"', match.group(1))
    return replace(
        target,
        triple=target.triple or match.group(2),
        cpu=cpu.group(1) if cpu else target.cpu,
        features=_enabled(features.group(1)) if features else target.features,
    )


def _enabled(features: str) -> str:
    """The features that are on; IREE also names all that are off."""
    return ",".join(dict.fromkeys(f for f in features.split(",") if f.startswith("+")))
