"""Observed fairness: whether students with harder draws of a problem, by the lint's measure, earned less."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shardwise.analysis.measures import rank_correlation
from shardwise.analysis.responses import Item
from shardwise.bank.lint.fairness import Effort, effort_of
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey, tolerance
from shardwise.question import Question

FEWEST_STUDENTS = 10  # for a test
SHOWN_DRAWS = 3  # at each end


@dataclass(frozen=True)
class DrawResult:
    """One draw, how much work the lint expects, and what its students earned."""

    params: Mapping[str, str]
    effort: Effort
    students: int
    facility: float


@dataclass(frozen=True)
class ObservedFairness:
    """How the results of an item depend on the draw."""

    students: int
    gap: float  # between the hardest and the easiest draw of this class, in digits, as `lint --fairness` counts them
    rho: float  # rank correlation of effort and credit: negative if harder draws earned less
    chance: float  # p-value of rho
    easiest_third: float  # facility
    hardest_third: float
    easiest: tuple[DrawResult, ...]
    hardest: tuple[DrawResult, ...]


def observed_fairness(item: Item) -> ObservedFairness | None:
    """Return how success depends on the draw; None if all draws are equally hard, or for too few students."""
    answered = [response for response in item.responses if not math.isnan(response.credit)]
    if len(answered) < FEWEST_STUDENTS:
        return None
    efforts = [effort_of(response.question, _margin(response.question)) for response in answered]
    totals = np.array([effort.total for effort in efforts])
    credits = np.array([response.credit for response in answered])
    if np.ptp(totals) < 1e-9:
        return None
    rho, chance = rank_correlation(totals, credits)
    order = np.argsort(totals, kind="stable")
    low, high = (totals[order[place]] for place in (len(order) // 3, -1 - len(order) // 3))
    draws: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for place, response in enumerate(answered):
        draws[tuple((name, str(value)) for name, value in response.question.params.items())].append(place)
    results = sorted(
        (
            DrawResult(dict(params), efforts[places[0]], len(places), float(credits[places].mean()))
            for params, places in draws.items()
        ),
        key=lambda draw: draw.effort.total,
    )
    return ObservedFairness(
        len(answered),
        float(np.ptp(totals)),
        rho,
        chance,
        float(credits[totals <= low].mean()),
        float(credits[totals >= high].mean()),
        tuple(results[:SHOWN_DRAWS]),
        tuple(results[: -SHOWN_DRAWS - 1 : -1]),
    )


def _margin(question: Question) -> float:
    """Return how far the closest two of key and mistakes are apart, as the lint computes it; infinite for other kinds."""
    key, form = question.key, question.form
    if not (isinstance(key, QuantityKey) and isinstance(form, QuantityForm)):
        return math.inf
    values = [key.value, *(mistake.value for mistake in key.mistakes)]
    allowed = [
        tolerance(value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs) for value in values
    ]
    pairs = combinations(zip(values, allowed, strict=True), 2)
    return min((abs(a - b) / (near + far) for (a, near), (b, far) in pairs if near + far), default=math.inf)
