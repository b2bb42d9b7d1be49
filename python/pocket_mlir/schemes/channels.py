"""How much of a weight is trained: ratios, and which channels that makes."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import InvalidArgumentError

__all__ = ["Channels", "Random", "Ratio", "CRITERIA", "ALONG", "choose", "count_channels", "read_share", "to_ranges"]

CRITERIA = ("largest_norm", "first", "random")
ALONG = ("input", "output")


@dataclass(frozen=True)
class Random:
    """The criterion that draws channels at random; the same ones for the same seed and layer."""

    seed: int = 0


@dataclass(frozen=True)
class Ratio:
    """A share of a weight's channels, from 0 (not trained) to 1 (all of it).

    `along`, `criterion` and `seed` are the scheme's where they are None.
    """

    ratio: float
    along: str | None = None
    criterion: str | Random | None = None
    seed: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.ratio, bool) or not isinstance(self.ratio, (Real, np.number)) or not 0 <= self.ratio <= 1:
            raise InvalidArgumentError(f"a ratio is a number from 0 to 1, not {self.ratio!r}")
        object.__setattr__(self, "ratio", float(self.ratio))
        criterion, seed = read_criterion(self.criterion, self.seed)
        object.__setattr__(self, "criterion", criterion)
        object.__setattr__(self, "seed", seed)
        _check_along(self.along)

    def to_data(self) -> float | dict[str, Any]:
        """As it stands in a file."""
        options = {k: v for k in ("along", "criterion", "seed") if (v := getattr(self, k)) is not None}
        return {"ratio": self.ratio, **options} if options else self.ratio


@dataclass(frozen=True)
class Channels:
    """The channels with these numbers, counted from 0. `along` is the scheme's where it is None."""

    indices: tuple[int, ...]
    along: str | None = None

    def __post_init__(self) -> None:
        indices = self.indices
        if isinstance(indices, (str, Mapping)) or not isinstance(indices, (Sequence, np.ndarray)):
            raise InvalidArgumentError(f"channels are a list of numbers, not {indices!r}")
        wrong = [i for i in indices if isinstance(i, bool) or not isinstance(i, Integral) or i < 0]
        if wrong or not len(indices):
            found = f"{wrong[0]!r}" if wrong else "an empty list"
            raise InvalidArgumentError(f"channels are a list of whole numbers from 0 on; found {found}")
        if len(set(indices)) != len(indices):
            raise InvalidArgumentError(f"a channel stands twice in {list(indices)}")
        object.__setattr__(self, "indices", tuple(sorted(int(i) for i in indices)))
        _check_along(self.along)

    def to_data(self) -> list[int] | dict[str, Any]:
        """As it stands in a file."""
        channels = list(self.indices)
        return channels if self.along is None else {"channels": channels, "along": self.along}


def _check_along(along: str | None) -> None:
    if along not in (None, *ALONG):
        raise InvalidArgumentError(f'along={along!r}: channels are counted along "input" or "output"')


def read_criterion(criterion: str | Random | None, seed: int | None) -> tuple[str | None, int | None]:
    """A criterion and its seed, checked; `Random(seed)` is split up."""
    if isinstance(criterion, Random):
        criterion, seed = "random", criterion.seed
    if criterion not in (None, *CRITERIA):
        raise InvalidArgumentError(f"criterion={criterion!r} is not known; there are {', '.join(CRITERIA)}")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0):
        raise InvalidArgumentError(f"seed={seed!r}: a seed is a whole number from 0 on")
    if seed is not None and criterion not in (None, "random"):
        raise InvalidArgumentError(f'seed={seed} goes with criterion="random", not with {criterion!r}')
    return criterion, None if seed is None else int(seed)


def read_share(value: Any) -> Ratio | Channels:
    """What a scheme says of a weight: a ratio, true or false, channels, or a dict of these."""
    if isinstance(value, (Ratio, Channels)):
        return value
    if isinstance(value, bool):
        return Ratio(float(value))
    if isinstance(value, Mapping):
        kind, known = (Channels, ("channels", "along")) if "channels" in value else (
            Ratio, ("ratio", "along", "criterion", "seed"))
        unknown = [key for key in value if key not in known]
        if unknown or known[0] not in value:
            problem = f"unknown key {unknown[0]!r}" if unknown else "no ratio and no channels"
            raise InvalidArgumentError(f"{problem} in {dict(value)}; the keys are {', '.join(known)}")
        first = value[known[0]]
        return kind(first, **{k: v for k, v in value.items() if k != known[0]})
    if isinstance(value, (list, tuple, np.ndarray, range)):
        return Channels(value)
    return Ratio(value)


def count_channels(ratio: float, channels: int) -> int:
    """How many of `channels` a ratio is: rounded, halves up, and at least one if it is above zero."""
    # As the ratio is written: 0.29 of 50 is 14.5, though the product of the doubles is less.
    count = math.floor(Fraction(repr(float(ratio))) * channels + Fraction(1, 2))
    return max(count, 1) if ratio > 0 else 0


def choose(weight: np.ndarray, dim: int, count: int, criterion: str, seed: int, layer: str) -> list[int]:
    """The `count` channels of `weight` along `dim` that a criterion picks, sorted.

    "largest_norm" are those whose slices of the weight have the largest L2 norm (of equal
    ones the first), "first" the first ones; "random" draws with `seed`, for each layer anew.
    """
    channels = weight.shape[dim]
    if criterion == "first":
        return list(range(count))
    if criterion == "random":
        generator = np.random.default_rng([seed, zlib.crc32(layer.encode())])
        return sorted(generator.choice(channels, count, replace=False).tolist())
    slices = np.moveaxis(weight.astype(np.float64), dim, 0).reshape(channels, -1)
    norms = np.sqrt((slices**2).sum(1))
    return sorted(np.argsort(-norms, kind="stable")[:count].tolist())


def to_ranges(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted numbers as half-open ranges: [3, 4, 5, 8] is [(3, 6), (8, 9)]."""
    ranges: list[tuple[int, int]] = []
    for index in indices:
        if ranges and ranges[-1][1] == index:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return ranges
