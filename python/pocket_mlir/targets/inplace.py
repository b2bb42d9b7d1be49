"""Does IREE's schedule read a weight after the update that overwrote it?

An update marked `iree.abi.output` writes into the old weight's memory. Our
passes order it after the last read, but IREE forms its own dispatches: it moves
a reshape, a transpose or a copy of the weight into whatever uses the result, and
when that use stands after the update it reads the new weight. Nothing in IREE
reports it (docs/notes-iree-ordering.md). So the dispatches are checked here, in
the order that they will run in.

The text form of IREE's `flow` dialect is read, one operation per line, as
iree-compile prints it. Where a hazard is found, the read is moved in front of the
update; where that can't be done, the update is made not to be in place, which is
always right and costs the tensor's size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..errors import CompileError

__all__ = ["Hazard", "repair", "find_hazards", "hoist", "drop"]


@dataclass(frozen=True)
class Hazard:
    """One read that would see a new weight where the old one was meant."""

    function: str
    argument: int
    name: str
    bytes: int
    reader: str
    # The lines of the update and of the reader.
    update_line: int
    reader_line: int
    # The reader is the update's own dispatch, which reads other elements than
    # the one that it is about to write.
    same_dispatch: bool

    def __str__(self) -> str:
        if self.same_dispatch:
            return f"{self.name}: the dispatch {self.reader} overwrites it and reads other elements of it"
        return f"{self.name}: {self.reader} reads it after it was overwritten"


def repair(flow: str, argument_names: Mapping[str, Sequence[str]] = {}) -> tuple[str, list[Hazard]]:
    """The program without hazards, and those that cost an update its place."""
    # Each round moves at least one read; the bound is for a cycle that shouldn't be.
    for _ in range(100):
        hazards = find_hazards(flow, argument_names)
        moved = hoist(flow, hazards)
        if moved == flow:
            break
        flow = moved
    return (drop(flow, hazards), hazards) if hazards else (flow, [])


def find_hazards(flow: str, argument_names: Mapping[str, Sequence[str]] = {}) -> list[Hazard]:
    """Every hazard in a module that was compiled to IREE's `flow` phase."""
    lines = flow.splitlines()
    bodies = _dispatch_bodies(lines)
    hazards = []
    for function in _functions(lines):
        hazards += _check_function(function, bodies, argument_names.get(function.name, ()))
    return hazards


def hoist(flow: str, hazards: Iterable[Hazard]) -> str:
    """The program with reads moved in front of updates, where their operands are there by then."""
    lines = flow.splitlines()
    functions = {function.name: function for function in _functions(lines)}
    # For each line, the lines that are to go in front of it.
    before: dict[int, list[int]] = {}
    taken: set[int] = set()
    for hazard in sorted(hazards, key=lambda hazard: hazard.update_line):
        if hazard.same_dispatch or hazard.reader_line in taken:
            continue
        needed = _needed_lines(functions[hazard.function], hazard.reader_line, hazard.update_line)
        if needed is not None:
            fresh = [line for line in needed if line not in taken]
            before.setdefault(hazard.update_line, []).extend(fresh)
            taken.update(fresh)
    # A line that others go in front of may itself have moved: then it takes them along.
    ordered: list[str] = []

    def emit(line: int) -> None:
        for earlier in sorted(before.get(line, ())):
            emit(earlier)
        ordered.append(lines[line])

    for line in range(len(lines)):
        if line not in taken:
            emit(line)
    return "\n".join(ordered) + "\n"


def _needed_lines(function: _Function, reader: int, update: int) -> list[int] | None:
    """The reader's line and those of cheap operations between, which it needs; None when
    it needs something else that stands behind the update, or the update itself."""
    producers = {result: op for op in function.ops for result in op.results}
    by_line = {op.line: op for op in function.ops}
    needed: set[int] = set()
    waiting = [reader]
    while waiting:
        line = waiting.pop()
        if line in needed:
            continue
        needed.add(line)
        for operand in by_line[line].operands:
            producer = producers.get(_base(operand))
            if producer is None or producer.line < update:
                continue
            if producer.line == update or not producer.name.startswith(_CHEAP):
                return None
            waiting.append(producer.line)
    return sorted(needed)


def drop(flow: str, hazards: Iterable[Hazard]) -> str:
    """The program with the updates in question not in place: each gives a new tensor."""
    doomed = {(hazard.function, hazard.argument) for hazard in hazards}
    lines = flow.splitlines()
    for function in _functions(lines):
        for op in function.ops:
            target = _alias_target(op)
            if target and (function.name, target[1]) in doomed:
                # Its users take the value itself. Names are unique in a function.
                lines[op.line] = ""
                for other in function.ops:
                    if other.line > op.line:
                        lines[other.line] = re.sub(
                            rf"{re.escape(op.results[0])}(?![\w$.#-])", target[0], lines[other.line]
                        )
            argument = re.search(r"\bconsume %arg(\d+)\b", op.text) if op.name == "hal.tensor.import" else None
            if argument and (function.name, int(argument.group(1))) in doomed:
                lines[op.line] = lines[op.line].replace("consume ", "", 1)
    return "\n".join(lines) + "\n"


# Results that may live in the same memory as the operand, or be taken from it
# later than where they stand.
_VIEWS = (
    "flow.tensor.reshape",
    "flow.tensor.bitcast",
    "flow.tensor.slice",
    "hal.tensor.barrier",
    "util.optimization_barrier",
)


# Operations that run no code of ours, and may stand anywhere their operands are known.
_CHEAP = (*_VIEWS[:2], "arith.constant", "flow.tensor.empty", "flow.tensor.constant", "util.global.load")


@dataclass
class _Op:
    line: int
    name: str
    results: list[str]
    operands: list[str]
    text: str


@dataclass
class _Function:
    name: str
    ops: list[_Op] = field(default_factory=list)


def _functions(lines: list[str]):
    """The public functions, with their operations in order."""
    current = None
    for number, line in enumerate(lines):
        header = re.match(r"\s*util\.func public @([\w$.-]+)\(", line)
        if header:
            current = _Function(header.group(1))
        elif current is not None and re.match(r"\s{0,2}\}", line):
            yield current
            current = None
        elif current is not None:
            op = _parse(line, number)
            if op:
                current.ops.append(op)


def _parse(line: str, number: int) -> _Op | None:
    match = re.match(r"\s*(?:(%[^=]*?)\s*=\s*)?([a-z_]+(?:\.[a-z_]+)+)\b(.*)", line)
    if not match:
        return None
    results, name, rest = match.groups()
    # `%5:2 = ...` has the uses %5#0 and %5#1; one name stands for all of them.
    results = re.findall(r"%[\w$.-]+", results or "")
    operands = [value for value in re.findall(r"%[\w$.-]+(?:#\d+)?", _before_types(rest))]
    return _Op(number, name, results, operands, rest)


def _before_types(text: str) -> str:
    """An operation's text without its strings and what follows its types' colon."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
    return text.split(" : ", 1)[0] + (" " + tail[1] if len(tail := text.split(" to %", 1)) > 1 else "")


def _base(value: str) -> str:
    return value.split("#")[0]


def _alias_target(op: _Op) -> tuple[str, int] | None:
    """For an alias, which says where a result is to be written: the value and the argument."""
    if op.name != "hal.tensor.alias":
        return None
    match = re.match(r"\s*(?:on\(.*?\)\s*)?(%[\w$.-]+(?:#\d+)?) : .* to %arg(\d+)\b", op.text)
    if not match:
        raise CompileError(f"can't read IREE's alias: {op.text.strip()}")
    return match.group(1), int(match.group(2))


def _check_function(
    function: _Function, bodies: Mapping[tuple[str, str], list[str]], names: Sequence[str]
) -> list[Hazard]:
    producers = {result: op for op in function.ops for result in op.results}
    users: dict[str, list[_Op]] = {}
    for op in function.ops:
        for operand in {_base(operand) for operand in op.operands}:
            users.setdefault(operand, []).append(op)
    hazards = []
    for alias in function.ops:
        target = _alias_target(alias)
        if target is None:
            continue
        value, argument = target
        update = producers.get(_base(value))
        while update is not None and update.name in _VIEWS:
            update = producers.get(_base(update.operands[0]))
        old = _old_values(function, argument)
        if update is None or update.results[0] in old:
            continue
        name = names[argument] if argument < len(names) else f"argument {argument}"
        label = f"{name} of @{function.name}"
        nbytes = _bytes(alias.text)
        if update.name == "flow.dispatch" and not _reads_what_it_writes(update, old, bodies):
            hazards.append(Hazard(function.name, argument, label, nbytes, _describe(update), update.line, update.line, True))
        readers = {op.line: op for value in old for op in users.get(value, ())}
        for line, op in sorted(readers.items()):
            if line > update.line and op.name not in _VIEWS:
                hazards.append(Hazard(function.name, argument, label, nbytes, _describe(op), update.line, op.line, False))
    return hazards


def _bytes(text: str) -> int:
    """The size of the first tensor type in `text`."""
    match = re.search(r"tensor<((?:\d+x)*)[a-z]+(\d+)>", text)
    if not match:
        return 0
    count = math.prod(int(size) for size in match.group(1).split("x") if size)
    return count * max(1, int(match.group(2)) // 8)


def _old_values(function: _Function, argument: int) -> set[str]:
    """The argument's old value and everything that is a view of it."""
    old: set[str] = set()
    for op in function.ops:
        if op.name == "hal.tensor.import":
            if re.search(rf"%arg{argument}\b", op.text):
                old.update(op.results)
        elif op.name in _VIEWS and op.operands and _base(op.operands[0]) in old:
            old.update(op.results)
    return old


def _describe(op: _Op) -> str:
    symbol = re.search(r"@([\w$.-]+)(?:::@([\w$.-]+))?", op.text)
    return (symbol.group(2) or symbol.group(1)) if symbol else op.name


def _reads_what_it_writes(update: _Op, old: set[str], bodies: Mapping[tuple[str, str], list[str]]) -> bool:
    """True when each element of the old value is read only where it is written.

    The dispatch's threads and tiles run in no particular order, so it may read an
    element only in the very iteration that overwrites it.
    """
    call = re.search(r"@([\w$.-]+)::@([\w$.-]+)(?:\[[^\]]*\])?\(([^)]*)\)", update.text)
    if not call:
        return False
    operands = [_base(value.strip()) for value in call.group(3).split(",") if value.strip()]
    positions = [i for i, value in enumerate(operands) if value in old]
    if not positions:
        return True
    body = bodies.get((call.group(1), call.group(2)))
    if body is None:
        return False
    arguments = re.findall(r"(%[\w$.-]+): ", body[0].split("(", 1)[1])
    for position in positions:
        if position >= len(arguments):
            return False
        loads = [
            op
            for op in map(lambda pair: _parse(pair[1], pair[0]), enumerate(body[1:]))
            if op and op.name.endswith("dispatch.tensor.load") and op.operands[:1] == [arguments[position]]
        ]
        for load in loads:
            if not _only_elementwise(load.results[0], body):
                return False
    return True


def _dispatch_bodies(lines: list[str]) -> dict[tuple[str, str], list[str]]:
    """The dispatched functions' text, by executable and function name."""
    bodies: dict[tuple[str, str], list[str]] = {}
    executable, start, key = "", 0, None
    for number, line in enumerate(lines):
        if "flow.executable private" in line:
            executable = re.search(r"@([\w$.-]+)", line).group(1)
        elif executable and "func.func" in line and (match := re.match(r"\s*func\.func @([\w$.-]+)\(", line)):
            start, key = number, (executable, match.group(1))
        elif key and line.lstrip().startswith("return"):
            bodies[key] = lines[start:number]
            key = None
        elif line.startswith("  util.func"):
            executable = ""
    return bodies


def _only_elementwise(value: str, body: list[str]) -> bool:
    """True when every use of `value` is an operand of an elementwise linalg.generic,
    read with the map that its results are written with."""
    for number, line in enumerate(body[1:]):
        op = _parse(line, number)
        if op is None or value not in re.findall(r"%[\w$.-]+", line) or value in op.results:
            continue
        if op.name != "linalg.generic":
            return False
        ins = re.search(r"\bins\(([^:]*) : ", line)
        outs = re.search(r"\bouts\(([^:]*) : ", line)
        maps = re.findall(r"affine_map<[^>]*->\s*\([^)]*\)>|#map\w*", line.split("indexing_maps = [", 1)[-1].split("], iterator_types")[0])
        iterators = re.search(r"iterator_types = \[([^\]]*)\]", line)
        if not (ins and outs and iterators) or "reduction" in iterators.group(1):
            return False
        inputs = [v.strip() for v in ins.group(1).split(",")]
        outputs = [v.strip() for v in outs.group(1).split(",")]
        if len(maps) != len(inputs) + len(outputs) or value in outputs:
            return False
        read = {maps[i] for i, v in enumerate(inputs) if v == value}
        written = set(maps[len(inputs) :])
        if len(read) != 1 or read != written:
            return False
    return True
