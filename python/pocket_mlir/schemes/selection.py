"""A scheme on a model: which parameters it trains, written into the module."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._mlir import ir
from ..errors import InvalidArgumentError
from ..frontend import ImportedModel
from .channels import Channels, Ratio, choose, count_channels, to_ranges
from .layers import Layer, ModelLayers, Parameter, forward_of, read_layers
from .scheme import Scheme

__all__ = ["ChannelSet", "Selection", "select", "apply"]


@dataclass(frozen=True)
class ChannelSet:
    """Some channels of a parameter: their numbers along dimension `dim`, sorted."""

    dim: int
    indices: tuple[int, ...]

    def to_attribute(self) -> str:
        """`#pocket.channels<dim = 0, [0 to 10]>`."""
        ranges = ", ".join(f"[{begin} to {end}]" for begin, end in to_ranges(self.indices))
        return f"#pocket.channels<dim = {self.dim}, {ranges}>"


@dataclass
class Selection:
    """What a scheme trains of a model: by parameter, True or some channels.

    Schemes add to it; `problems` are what they ask for in vain.
    """

    model: ModelLayers
    values: dict[str, np.ndarray]
    trained: dict[str, bool | ChannelSet] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, parameter: Parameter, part: bool | ChannelSet = True) -> None:
        """Trains a parameter, or some of its channels, on top of what is trained already."""
        if not parameter.requires_grad:
            return
        old = self.trained.get(parameter.name)
        if old is not None and old is not True and part is not True:
            if old.dim != part.dim:
                self.problems.append(
                    f"{parameter.name}: channels along dimension {old.dim} and along dimension {part.dim} are asked "
                    "for; a parameter is trained along one of them"
                )
                return
            part = self._whole(parameter, part.dim, {*old.indices, *part.indices})
        self.trained[parameter.name] = True if old is True else part

    def _whole(self, parameter: Parameter, dim: int, indices: set[int]) -> bool | ChannelSet:
        return True if len(indices) == parameter.shape[dim] else ChannelSet(dim, tuple(sorted(indices)))

    def part(self, share: Ratio | Channels, parameter: Parameter, layer: Layer, defaults: Ratio) -> bool | ChannelSet:
        """What a share of a parameter is: all of it, nothing (False) or some channels.

        Raises:
            ValueError: where that can't be told; says why.
        """
        if isinstance(share, Ratio) and share.ratio in (0.0, 1.0):
            return share.ratio == 1.0
        dim = _dimension(parameter, layer, share.along or defaults.along)
        size = parameter.shape[dim]
        if isinstance(share, Channels):
            if share.indices[-1] >= size:
                raise ValueError(f"there is no channel {share.indices[-1]}; it has {size} along dimension {dim}")
            return self._whole(parameter, dim, set(share.indices))
        criterion = share.criterion or defaults.criterion
        seed = next(s for s in (share.seed, defaults.seed, 0) if s is not None)
        count = count_channels(share.ratio, size)
        indices = choose(self.values[parameter.name], dim, count, criterion, seed, parameter.name)
        return self._whole(parameter, dim, set(indices))


def _dimension(parameter: Parameter, layer: Layer, along: str) -> int:
    if len(parameter.shape) == 1:
        return 0
    if layer.kind == "conv" and layer.groups > 1 and along == "input":
        raise ValueError(
            f"a convolution in {layer.groups} groups has no input channels that all of it reads; "
            'choose along="output", or all of it with ratio 1'
        )
    dim = layer.input_dim if along == "input" else layer.output_dim
    if dim is None or parameter not in layer.weights:
        raise ValueError(
            "which of its dimensions holds channels can't be told from how it is read; choose all of it with "
            "ratio 1, or leave it out"
        )
    return dim


def select(scheme: Scheme, imported: ImportedModel) -> Selection:
    """What a scheme trains of an imported model.

    Raises:
        InvalidArgumentError: with everything in the scheme that does not fit the model.
    """
    selection = Selection(read_layers(imported), imported.parameters)
    scheme.select(selection)
    problems = list(dict.fromkeys(selection.problems))
    if not problems and not selection.trained:
        problems = [_nothing(selection.model)]
    if problems:
        head = f"the scheme {scheme} does not fit {imported.name}:"
        raise InvalidArgumentError("\n  ".join([head, *problems]))
    return selection


def _nothing(model: ModelLayers) -> str:
    last = [p.name for layer in model.layers if layer.is_last for p in layer.parameters if p.requires_grad]
    does = f'; scheme="last_layer" would train {" and ".join(last)}' if last else ""
    frozen = sum(not p.requires_grad for p in model.parameters.values())
    why = f" ({frozen} of {len(model.parameters)} parameters have requires_grad=False)" if frozen else ""
    return f"it trains nothing{why}{does}"


def apply(scheme: Scheme, imported: ImportedModel) -> Selection:
    """Writes into `@forward` what a scheme trains: `pocket.needs_grad` of every parameter.

    Raises:
        InvalidArgumentError: with everything in the scheme that does not fit the model.
    """
    selection = select(scheme, imported)
    function = forward_of(imported.module)
    names = {parameter.argument: name for name, parameter in selection.model.parameters.items()}
    with imported.module.context:
        arguments = []
        for number, entries in enumerate(ir.ArrayAttr(function.attributes["arg_attrs"])):
            entries = ir.DictAttr(entries)
            if number in names:
                part = selection.trained.get(names[number], False)
                value = ir.BoolAttr.get(part) if isinstance(part, bool) else ir.Attribute.parse(part.to_attribute())
                items = {entries[i].name: entries[i].attr for i in range(len(entries))}
                entries = ir.DictAttr.get(items | {"pocket.needs_grad": value})
            arguments.append(entries)
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(arguments)
        imported.module.operation.verify()
    return selection
