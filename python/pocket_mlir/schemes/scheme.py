"""Schemes: what of a model is trained, as objects."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import InvalidArgumentError
from .channels import Channels, Random, Ratio, read_share

if TYPE_CHECKING:
    from .selection import Selection
    from .layers import Layer, Parameter

__all__ = ["Scheme", "Full", "LastLayer", "Biases", "Norms", "Sparse", "Union"]


@dataclass(frozen=True)
class Scheme(ABC):
    """Base of the schemes. `a + b` trains what `a` or `b` trains.

    Parameters with `requires_grad=False` stay frozen under every scheme. `name` is the
    scheme's name in `compile(scheme=...)` and in files.
    """

    name: ClassVar[str]

    @abstractmethod
    def select(self, selection: Selection) -> None:
        """Adds what the scheme trains, and what it asks for in vain, to a selection."""

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a file: strings, numbers, lists and dicts."""
        return {"scheme": self.name}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Scheme:
        """The scheme that `to_dict` gave; see `files.read_dict`."""
        from .files import read_dict

        return read_dict(data)

    def save(self, path: str | os.PathLike) -> None:
        """Writes a YAML file, whole or not at all."""
        from .files import save

        save(self, path)

    def __add__(self, other: Scheme) -> Scheme:
        if not isinstance(other, Scheme):
            return NotImplemented
        return Union((self, other))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Full(Scheme):
    """Full update: every parameter that requires a gradient."""

    name: ClassVar[str] = "full"

    def select(self, selection: Selection) -> None:
        for parameter in selection.model.parameters.values():
            selection.add(parameter)


@dataclass(frozen=True)
class LastLayer(Scheme):
    """The last layer: weight and bias of the one that no other weight matrix follows.

    Where several lead to the outputs (a model with two heads), all of them.
    """

    name: ClassVar[str] = "last_layer"

    def select(self, selection: Selection) -> None:
        for layer in selection.model.layers:
            if layer.is_last:
                for parameter in layer.parameters:
                    selection.add(parameter)


@dataclass(frozen=True)
class Biases(Scheme):
    """Bias only (Cai et al., TinyTL, arXiv 2007.11622): the biases of convolutions, linear
    layers and norms (beta)."""

    name: ClassVar[str] = "bias_only"

    def select(self, selection: Selection) -> None:
        for layer in selection.model.layers:
            if layer.bias:
                selection.add(layer.bias)


@dataclass(frozen=True)
class Norms(Scheme):
    """Norm only: scale and bias of every batch, layer, group, instance and RMS norm.

    Running statistics are buffers and follow the mode the model is in.
    """

    name: ClassVar[str] = "norm_only"

    def select(self, selection: Selection) -> None:
        for layer in selection.model.of_kind("norm"):
            for parameter in layer.parameters:
                selection.add(parameter)


@dataclass(frozen=True, kw_only=True)
class Sparse(Scheme):
    """Sparse layer and sparse tensor update (Lin et al., arXiv 2206.15472): chosen layers'
    weights, wholly or some channels of them, and chosen biases.

    Args:
        weights: by selector (`schemes.selectors` has the grammar), how much of the weights
            is trained: a ratio of the channels from 0 to 1 (a `Ratio` has options of its
            own), or the channels themselves (a list of numbers, or `Channels`). A selector of
            several layers means those with a weight matrix; where it means none of these,
            any other weights (norms' scales). 0 leaves a weight as it is.
        biases: how many biases, counted from the output: of each convolution and linear
            layer its own, or else that of the norm that alone reads its result. With
            `classifier` they are counted before the last layer. Or a selector, or a list of
            them: the biases of these layers, norms' too.
        biases_from: a selector: the biases, norms' too, of this layer and of all that run
            after it.
        classifier: whether weight and bias of the last layer are trained.
        along: "input" or "output": whose channels a ratio counts. The two are the same for
            depthwise convolutions; an embedding's are its rows, and along "output" its columns.
        criterion: which channels: "largest_norm" (those whose slice of the weight has the
            largest L2 norm), "first", "random", or `Random(seed)`.
        seed: for "random".

    A ratio r of C channels is r C of them, rounded, halves up, and at least one.
    """

    weights: Mapping[str, Any] = field(default_factory=dict)
    biases: int | str | Sequence[str] | None = None
    biases_from: str | None = None
    classifier: bool = True
    along: str = "input"
    criterion: str | Random = "largest_norm"
    seed: int | None = None

    name: ClassVar[str] = "sparse"

    def __post_init__(self) -> None:
        problems: list[str] = []
        if not isinstance(self.weights, Mapping):
            problems.append(f'weights={self.weights!r}: give a dict, {{"features.12.conv.0": 0.5}}')
            object.__setattr__(self, "weights", {})
        shares: dict[str, Ratio | Channels] = {}
        for selector, value in self.weights.items():
            try:
                if not isinstance(selector, str):
                    raise InvalidArgumentError("a layer is named by a string")
                shares[selector] = read_share(value)
            except InvalidArgumentError as error:
                problems.append(f"weights[{selector!r}]: {error}")
        object.__setattr__(self, "weights", shares)
        biases = self.biases
        if isinstance(biases, bool) or isinstance(biases, Integral) and biases < 0:
            problems.append(f"biases={biases!r}: give how many, or selectors of layers")
        elif biases is not None and not isinstance(biases, (Integral, str)):
            if not isinstance(biases, Sequence) or not all(isinstance(b, str) for b in biases):
                problems.append(f"biases={biases!r}: give how many, or selectors of layers")
            else:
                object.__setattr__(self, "biases", tuple(biases))
        if self.biases_from is not None and not isinstance(self.biases_from, str):
            problems.append(f"biases_from={self.biases_from!r}: give the selector of a layer")
        if not isinstance(self.classifier, bool):
            problems.append(f"classifier={self.classifier!r}: give True or False")
        try:
            # None would ask the scheme, which is this one.
            along, criterion = (value if value is not None else repr(value) for value in (self.along, self.criterion))
            defaults = Ratio(1.0, along, criterion, self.seed)
            object.__setattr__(self, "criterion", defaults.criterion)
            object.__setattr__(self, "seed", defaults.seed)
        except InvalidArgumentError as error:
            problems.append(str(error))
        if problems:
            raise InvalidArgumentError("\n  ".join(["a sparse scheme can't be made of this:", *problems]))

    def to_dict(self) -> dict[str, Any]:
        data: dict[str, Any] = {"scheme": self.name}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "weights":
                value = {selector: share.to_data() for selector, share in value.items()}
            elif isinstance(value, tuple):
                value = list(value)
            if entry.name == "classifier" or value not in (None, {}):
                data[entry.name] = value
        return data

    def select(self, selection: Selection) -> None:
        self._select_weights(selection)
        self._select_biases(selection)
        if self.classifier:
            LastLayer().select(selection)

    def _select_weights(self, selection: Selection) -> None:
        from .selectors import with_matrices

        # By parameter: the selector that decides, whether it is one layer's, and the part.
        chosen: dict[str, tuple[str, bool, Any]] = {}
        defaults = Ratio(1.0, self.along, self.criterion, self.seed)
        for selector, share in self.weights.items():
            match = self._match(selection, f"weights[{selector!r}]", selector)
            if match is None:
                continue
            targets: list[tuple[Parameter, Layer]]
            if match.parameter:
                targets = [(match.parameter, match.layers[0])]
            else:
                layers = match.layers if match.is_single else with_matrices(match.layers)
                # A weight that several of them read goes by the first.
                found = {weight.name: (weight, layer) for layer in reversed(layers) for weight in layer.weights}
                targets = list(reversed(found.values()))
                if not targets:
                    which = f"{selector} has" if len(match.layers) == 1 else "these layers have"
                    selection.problems.append(f"weights[{selector!r}]: {which} no weight, only a bias")
            for parameter, layer in targets:
                if not parameter.requires_grad and match.is_single and share != Ratio(0.0):
                    selection.problems.append(f"weights[{selector!r}]: {_frozen(parameter)}")
                    continue
                try:
                    part = selection.part(share, parameter, layer, defaults)
                except ValueError as error:
                    selection.problems.append(f"weights[{selector!r}]: {parameter.name}: {error}")
                    continue
                other, single, old = chosen.get(parameter.name, (None, False, part))
                if other is not None and single == match.is_single and old != part:
                    selection.problems.append(
                        f"weights[{other!r}] and weights[{selector!r}] both choose {parameter.name}, and differ"
                    )
                if other is None or match.is_single or not single:
                    chosen[parameter.name] = (selector, match.is_single, part)
        for name, (_, _, part) in chosen.items():
            if part is not False:
                selection.add(selection.model.parameters[name], part)

    def _select_biases(self, selection: Selection) -> None:
        layers = selection.model.layers
        if isinstance(self.biases, Integral):
            self._count_biases(selection)
        elif self.biases is not None:
            selectors = (self.biases,) if isinstance(self.biases, str) else self.biases
            for selector in selectors:
                match = self._match(selection, f"biases[{selector!r}]", selector)
                if match is None:
                    continue
                found = [layer.channel_bias if match.is_single else layer.bias for layer in match.layers]
                found = [bias for bias in found if bias]
                if not found:
                    selection.problems.append(f"biases[{selector!r}]: there is no bias")
                for bias in found:
                    if match.is_single and not bias.requires_grad:
                        selection.problems.append(f"biases[{selector!r}]: {_frozen(bias)}")
                    selection.add(bias)
        if self.biases_from is not None:
            match = self._match(selection, "biases_from", self.biases_from)
            if match is not None:
                for layer in layers[match.layers[0].order :]:
                    if layer.bias:
                        selection.add(layer.bias)

    def _count_biases(self, selection: Selection) -> None:
        from .layers import CONVOLUTIONS

        layers = selection.model.of_kind(*CONVOLUTIONS, "linear")
        biases = [layer.channel_bias for layer in layers if not (self.classifier and layer.is_last)]
        biases = list(dict.fromkeys(bias for bias in biases if bias))
        if self.biases > len(biases):
            before = " before the last layer" if self.classifier else ""
            selection.problems.append(f"biases={self.biases}: the model has {len(biases)} of them{before}")
        for bias in biases[len(biases) - min(self.biases, len(biases)) :]:
            selection.add(bias)

    def _match(self, selection: Selection, where: str, selector: str):
        from .selectors import NoMatch, select

        try:
            return select(selector, selection.model)
        except NoMatch as error:
            selection.problems.append(f"{where}: {error}" if selector in where else f"{where}={selector!r}: {error}")
            return None


def _frozen(parameter: Parameter) -> str:
    return (
        f"{parameter.name} has requires_grad=False and stays frozen; call "
        f"model.get_parameter({parameter.name!r}).requires_grad_(True), or leave it out"
    )


@dataclass(frozen=True)
class Union(Scheme):
    """What any of several schemes trains; of channels, those that any of them chooses."""

    schemes: tuple[Scheme, ...]

    name: ClassVar[str] = "union"

    def __post_init__(self) -> None:
        flat: list[Scheme] = []
        for scheme in self.schemes:
            if not isinstance(scheme, Scheme):
                raise InvalidArgumentError(f"a union is of schemes, not of {scheme!r}")
            flat += scheme.schemes if isinstance(scheme, Union) else (scheme,)
        object.__setattr__(self, "schemes", tuple(s for i, s in enumerate(flat) if s not in flat[:i]))

    def select(self, selection: Selection) -> None:
        for scheme in self.schemes:
            scheme.select(selection)

    def to_dict(self) -> dict[str, Any]:
        return {"scheme": self.name, "schemes": [scheme.to_dict() for scheme in self.schemes]}

    def __str__(self) -> str:
        return "+".join(str(scheme) for scheme in self.schemes)
