"""The table of a scheme on a model: what is trained, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from .._mlir import ir
from ..frontend import import_model
from .channels import to_ranges
from .named import resolve
from .layers import Layer, Parameter
from .scheme import Scheme
from .selection import ChannelSet, Selection, apply

__all__ = ["LayerCost", "Row", "SchemeReport", "build_report", "describe", "read_costs"]


@dataclass(frozen=True)
class LayerCost:
    """What a layer costs in a step: bytes it keeps for the backward pass, and operations."""

    saved_bytes: int
    forward_flops: int
    gradient_flops: int

    @classmethod
    def sum(cls, costs: Iterable[LayerCost]) -> LayerCost:
        costs = list(costs)
        return cls(*(sum(getattr(cost, entry.name) for cost in costs) for entry in fields(cls)))


@dataclass(frozen=True)
class Row:
    """A layer in a scheme's table.

    `ratio` is the trained share of the weight's channels (None without a weight);
    `channels` the trained ones by parameter, where they are not all. `cost` is None where it
    isn't known.
    """

    layer: str
    kind: str
    bias: bool | None
    ratio: float | None
    channels: Mapping[str, ChannelSet]
    gradient_bytes: int
    cost: LayerCost | None

    @property
    def weight(self) -> bool | None:
        return None if self.ratio is None else self.ratio > 0


@dataclass(frozen=True)
class SchemeReport:
    """What a scheme trains of a model, layer by layer in the order they run; `str` is a table.

    `rest` is the cost of everything that belongs to no layer with parameters: activation
    functions, pools, sums, the loss.
    """

    model: str
    scheme: Scheme
    rows: Sequence[Row]
    rest: LayerCost | None
    parameters: int
    trained_parameters: int

    @property
    def gradient_bytes(self) -> int:
        return sum(row.gradient_bytes for row in self.rows)

    @property
    def total(self) -> LayerCost | None:
        """The sum of all costs; None where none is known."""
        costs = [c for c in (*(row.cost for row in self.rows), self.rest) if c]
        if not costs:
            return None
        return LayerCost.sum(costs)

    def __str__(self) -> str:
        head = ("layer", "kind", "bias", "weight", "channels", "gradient B", "saved B", "forward FLOP", "gradient FLOP")
        lines = [head]
        for row in self.rows:
            chosen = next(iter(row.channels.values()), None)
            ratio = "-" if row.ratio is None else "no" if not row.ratio else f"{row.ratio:.3g}" if chosen else "all"
            bias = "-" if row.bias is None else "yes" if row.bias else "no"
            channels = f"{len(chosen.indices)} of dim {chosen.dim}" if chosen else ""
            lines.append((row.layer, row.kind, bias, ratio, channels, f"{row.gradient_bytes:,}", *_numbers(row.cost)))
        if self.rest:
            lines.append(("(no parameters)", "", "", "", "", "", *_numbers(self.rest)))
        lines.append(("total", "", "", "", "", f"{self.gradient_bytes:,}", *_numbers(self.total)))
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        text = [
            "  ".join(
                f"{cell:<{width}}" if i < 5 else f"{cell:>{width}}"
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        share = self.trained_parameters / max(self.parameters, 1)
        title = (
            f"{self.scheme} on {self.model}: {self.trained_parameters:,} of {self.parameters:,} parameters trained "
            f"({share:.1%})"
        )
        return "\n".join([title, "", *text])

    def channels(self) -> str:
        """The channels of every parameter that is trained in part, a line each."""
        lines = []
        for row in self.rows:
            for name, chosen in row.channels.items():
                ranges = to_ranges(chosen.indices)
                numbers = ", ".join(f"{begin}-{end - 1}" if end - begin > 1 else f"{begin}" for begin, end in ranges)
                lines.append(f"{name}: dim {chosen.dim}, {numbers}")
        return "\n".join(lines)


def _numbers(cost: LayerCost | None) -> tuple[str, str, str]:
    if cost is None:
        return "-", "-", "-"
    return f"{cost.saved_bytes:,}", f"{cost.forward_flops:,}", f"{cost.gradient_flops:,}"


def build_report(scheme: Scheme, selection: Selection, costs: Mapping[str, LayerCost]) -> SchemeReport:
    """The table of a selection. `costs` are by layer path; without any they are unknown."""
    rows, seen, taken = [], set(), set()
    for layer in selection.model.layers:
        # A tied parameter counts where it is read first, a module's cost for its first layer.
        own = [p for p in layer.parameters if p.name not in seen]
        seen.update(p.name for p in own)
        cost = None if layer.path in taken else costs.get(layer.path)
        taken.add(layer.path)
        rows.append(_row(layer, own, selection, cost))
    others = [cost for path, cost in costs.items() if path not in taken]
    rest = LayerCost.sum(others) if costs else None
    everything = selection.model.parameters.values()
    return SchemeReport(
        selection.model.name, scheme, rows, rest,
        sum(math.prod(p.shape) for p in everything), sum(_trained(p, selection) for p in everything),
    )  # fmt: skip


def _trained(parameter: Parameter, selection: Selection) -> int:
    """How many elements of a parameter are trained."""
    part = selection.trained.get(parameter.name, False)
    size = math.prod(parameter.shape)
    return size * part if isinstance(part, bool) else size // parameter.shape[part.dim] * len(part.indices)


def _row(layer: Layer, own: Sequence[Parameter], selection: Selection, cost: LayerCost | None) -> Row:
    channels = {
        p.name: part for p in own if isinstance(part := selection.trained.get(p.name), ChannelSet)
    }
    ratio = None
    if layer.weights:
        size = sum(math.prod(weight.shape) for weight in layer.weights)
        ratio = sum(_trained(weight, selection) for weight in layer.weights) / max(size, 1)
    bias = None if layer.bias is None else bool(_trained(layer.bias, selection))
    size = sum(p.bytes // max(math.prod(p.shape), 1) * _trained(p, selection) for p in own)
    return Row(layer.name, layer.kind, bias, ratio, channels, size, cost)


def read_costs(module: ir.Module) -> dict[str, LayerCost]:
    """What `pocket-count-costs` has left on a module, by layer path; nothing where it has not run."""
    attributes = module.operation.attributes
    if "pocket.costs" not in attributes:
        return {}
    costs = {}
    entries = ir.DictAttr(attributes["pocket.costs"])
    for i in range(len(entries)):
        numbers = ir.DictAttr(entries[i].attr)
        costs[entries[i].name] = LayerCost(*(ir.IntegerAttr(numbers[e.name]).value for e in fields(LayerCost)))
    return costs


def describe(
    model: Any, example_inputs: Any, scheme: Any = "full", loss: Any = "cross_entropy", example_targets: Any = None
) -> SchemeReport:
    """The table of a scheme on a model: what is trained, and what that costs in a step.

    The arguments are those of `pocket.compile`. The model is imported and differentiated,
    not compiled; that takes seconds.

    Raises:
        CompileError: as `pocket.compile`.
    """
    from ..compiler import run_pipeline

    scheme = resolve(scheme)
    with ir.Context() as context:
        imported = import_model(model, example_inputs, loss, example_targets, context=context)
        selection = apply(scheme, imported)
        for pipeline in ("pocket-forward-pipeline", "pocket-gradient-pipeline"):
            run_pipeline(imported.module, "differentiate", pipeline)
        return build_report(scheme, selection, read_costs(imported.module))
