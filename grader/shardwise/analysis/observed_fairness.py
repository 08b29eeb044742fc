"""Observed fairness: whether students earned less on draws that take more effort, or with certain parameter values."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shardwise.analysis.measures import Numbers, group_effect, rank_correlation
from shardwise.analysis.responses import ItemResponses, Response
from shardwise.bank.lint.fairness import Effort, effort_of
from shardwise.kinds.quantity.general import number_in
from shardwise.kinds.quantity.judging import tolerance_around
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey
from shardwise.question import Question

FEWEST_STUDENTS = 10  # for a test
MOST_VALUES = 6  # of a parameter; more are grouped into thirds
FEWEST_OF_A_VALUE = 5  # students
SHOWN_DRAWS = 3  # easiest draws, and as many hardest ones


@dataclass(frozen=True)
class DrawResult:
    """A draw of a problem, its effort, and the results of the students who got it."""

    params: Mapping[str, str]
    effort: Effort
    students: int
    facility: float


@dataclass(frozen=True)
class ParameterEffect:
    """The results of an item by the values of one parameter."""

    name: str
    groups: tuple[tuple[str, int, float], ...]  # a value or a range of values, with its students and facility
    chance: float  # p-value


@dataclass(frozen=True)
class ObservedFairness:
    """The results of an item by the effort and the parameter values of its draws."""

    students: int
    gap: float  # in effort, between the hardest and the easiest draw of this class
    rho: float  # rank correlation of effort and credit: negative if harder draws earned less
    chance: float  # p-value of rho
    easiest_third: float  # facility
    hardest_third: float
    easiest: tuple[DrawResult, ...]
    hardest: tuple[DrawResult, ...]
    parameters: tuple[ParameterEffect, ...]  # the most influential first

    @property
    def least_chance(self) -> float:
        """The smallest p-value of all tests of this item, corrected for their number."""
        chances = [self.chance, *(each.chance for each in self.parameters)]
        return min(1.0, len(chances) * min(chances))


def observed_fairness(item: ItemResponses) -> ObservedFairness | None:
    """Return how the results depend on the draw; None for too few students, or if the draws do not differ."""
    answered = [response for response in item.responses if not math.isnan(response.credit)]
    if len(answered) < FEWEST_STUDENTS:
        return None
    efforts = [effort_of(response.question, _margin(response.question)) for response in answered]
    totals = np.array([effort.total for effort in efforts])
    earned = np.array([response.credit for response in answered])
    parameters = _effects(answered, earned)
    if np.ptp(totals) < 1e-9 and not parameters:
        return None
    rho, chance = rank_correlation(totals, earned)
    order = np.argsort(totals, kind="stable")
    low, high = (totals[order[place]] for place in (len(order) // 3, -1 - len(order) // 3))
    draws: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for place, response in enumerate(answered):
        draws[tuple((name, str(value)) for name, value in response.question.params.items())].append(place)
    results = sorted(
        (
            DrawResult(dict(params), efforts[places[0]], len(places), float(earned[places].mean()))
            for params, places in draws.items()
        ),
        key=lambda draw: draw.effort.total,
    )
    return ObservedFairness(
        len(answered),
        float(np.ptp(totals)),
        rho,
        chance,
        float(earned[totals <= low].mean()),
        float(earned[totals >= high].mean()),
        tuple(results[:SHOWN_DRAWS]),
        tuple(results[max(SHOWN_DRAWS, len(results) - SHOWN_DRAWS) :][::-1]),
        parameters,
    )


def _effects(answered: Sequence[Response], earned: Numbers) -> tuple[ParameterEffect, ...]:
    """Return the effect of each parameter whose values, or ranges of values, enough students got."""
    found = []
    for name in answered[0].question.params:
        values = [str(response.question.params.get(name, "")) for response in answered]
        labels = _grouped(values)
        numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        counts = Counter(labels)
        if 1 < len(counts) <= MOST_VALUES and min(counts.values()) >= FEWEST_OF_A_VALUE:
            places = np.array([numbers[label] for label in labels])
            chance = group_effect(places, earned)
            groups = tuple(
                (label, counts[label], float(earned[places == number].mean())) for label, number in numbers.items()
            )
            found.append(ParameterEffect(name, tuple(sorted(groups, key=lambda group: group[2])), chance))
    return tuple(sorted(found, key=lambda effect: effect.chance))


def _grouped(values: Sequence[str]) -> list[str]:
    """Return the group of each value: the value itself or, if there are many different numbers, a third of their range."""
    counts = Counter(values)
    if len(counts) <= MOST_VALUES and min(counts.values()) >= FEWEST_OF_A_VALUE:
        return list(values)
    order = sorted(counts, key=number_in)
    if len({number_in(value) for value in order}) < len(order):
        return list(values)
    thirds: list[list[str]] = [[], [], []]
    before = 0
    for value in order:
        thirds[min(2, 3 * before // len(values))].append(value)
        before += counts[value]
    groups = {
        value: third[0] if third[0] == third[-1] else f"{third[0]} to {third[-1]}"
        for third in thirds
        for value in third
    }
    return [groups[value] for value in values]


def _margin(question: Question) -> float:
    """Return the margin between the closest two of the key and the mistakes; infinite for other kinds. See `Proof.margin`."""
    key, form = question.key, question.form
    if not (isinstance(key, QuantityKey) and isinstance(form, QuantityForm)):
        return math.inf
    values = [key.value, *(mistake.value for mistake in key.mistakes)]
    pairs = combinations(((value, tolerance_around(form, key, value)) for value in values), 2)
    return min((abs(a - b) / (near + far) for (a, near), (b, far) in pairs if near + far), default=math.inf)
