"""Calibration of ranges on held-out families: factors that hold for 80 % of unseen runs, and the coverage that they achieve.

The score of a run is the factor by which the range of a prediction has to widen to contain the reported figure. A factor is a quantile of
these scores, as in split-conformal prediction, with two changes. A family with n runs weighs as much as sqrt(n) runs, so that a large one
does not dominate. And with few families, the quantile is higher: 80 % times 1 + 1 / (effective number of families), at most 90 %.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from solutions.planner.stacks import UNKNOWN

COVERAGE, HIGHEST = 0.8, 0.9  # the highest quantile keeps a single outlier from deciding
Cell = tuple[str, ...]  # what is known of a run: chip, software, kind


@dataclass(frozen=True)
class Seen:
    """A predicted figure of a run whose family or chip was held out of the fit: both ends of its span, divided by the reported figure."""

    name: str
    family: str
    cell: Cell
    low: float
    high: float
    trust: str = "A"
    middle: float = 1.0  # the figure itself, divided by the reported one

    @property
    def score(self) -> float:
        """Return the logarithm of the factor that the range needs to contain the reported figure."""
        return max(log(self.low), -log(self.high))


@dataclass(frozen=True)
class Factor:
    """The factor of one cell, and the runs and families that it is calibrated on."""

    factor: float
    runs: int
    families: int


def factors(seen: Iterable[Seen], cells: Sequence[Sequence[str]]) -> dict[Cell, Factor]:
    """Return the factor of every cell. `cells` lists the values of each part of a cell, from most to least knowledge.

    Less knowledge never gives a smaller factor; cells without runs thereby get one too. Unknown software is an exception: its factor
    widens a span, not a single prediction. Runs of trust B are not used.
    """
    groups: dict[Cell, list[Seen]] = defaultdict(list)
    for each in seen:
        if each.trust == "A":
            groups[each.cell].append(each)
    found: dict[Cell, Factor] = {}
    for cell in _product(cells):
        easier = [found[near].factor for near in _nearer(cell, cells)]
        own = groups[cell]
        factor = max([exp(quantile(own)) if own else 1.0, *easier])
        found[cell] = Factor(factor, len(own), len({each.family for each in own}))
    return found


def quantile(seen: Sequence[Seen]) -> float:
    """Return the weighted quantile of scores that covers a further run with probability COVERAGE, and at least 0."""
    counts = _families(seen)
    weights = {family: count**-0.5 for family, count in counts.items()}
    total = sum(count**0.5 for count in counts.values())
    effective = total**2 / sum(counts.values())
    wanted = total * min(HIGHEST, COVERAGE * (1 + 1 / effective))
    reached = 0.0
    for each in sorted(seen, key=lambda each: each.score):
        reached += weights[each.family]
        if reached >= wanted * (1 - 1e-9):
            break
    return max(0.0, each.score)


@dataclass(frozen=True)
class Covered:
    """Coverage of ranges that were calibrated without the family of each run: over runs, and as the mean over families."""

    runs: int
    families: int
    of_runs: float
    of_families: float


def nested(seen: Sequence[Seen], cells: Sequence[Sequence[str]], trust: str = "A") -> dict[Cell, Covered]:
    """Return, by cell, the share of runs inside a range whose factor comes from the other families."""
    inside: dict[Cell, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for family in dict.fromkeys(each.family for each in seen):
        found = factors((each for each in seen if each.family != family), cells)
        for each in seen:
            if each.family == family and each.trust == trust:
                inside[each.cell][family].append(each.score <= log(found[each.cell].factor))
    return {cell: _covered(by_family) for cell, by_family in inside.items()}


def _covered(by_family: Mapping[str, Sequence[bool]]) -> Covered:
    every = [held for family in by_family.values() for held in family]
    means = [sum(family) / len(family) for family in by_family.values()]
    return Covered(len(every), len(means), round(sum(every) / len(every), 3), round(sum(means) / len(means), 3))


def _families(seen: Iterable[Seen]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for each in seen:
        counts[each.family] += 1
    return counts


def _product(cells: Sequence[Sequence[str]]) -> list[Cell]:
    found: list[Cell] = [()]
    for values in cells:
        found = [(*before, value) for before in found for value in values]
    return found


def _nearer(cell: Cell, cells: Sequence[Sequence[str]]) -> list[Cell]:
    """Return the cells with one step more of knowledge in one part."""
    return [
        (*cell[:at], cells[at][cells[at].index(value) - 1], *cell[at + 1 :])
        for at, value in enumerate(cell)
        if cells[at].index(value) and value != UNKNOWN
    ]
