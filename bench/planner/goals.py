"""The planner's goals for unseen runs, the accuracy that it reaches, and the families with the largest errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from solutions.planner.constants import software as row_of_software

from . import scores
from .predictions import Row
from .runs import Runs
from .stacks import software
from .tables import table

STEP = {"dense": (0.06, 0.15), "MoE": (0.12, 0.30)}  # median and 90th percentile
MEMORY = (0.08, 0.20)
FIT = 0.92
FRESH = {"dense": 0.10, "MoE": 0.20}  # median, of software that only the held-out family uses
WORDS = {"dense": "dense models", "MoE": "mixtures of experts"}


def goals(rows: Sequence[Row], runs: Runs, kept: Mapping[str, Any]) -> str:
    """Return a table of the goals, each with the accuracy reached and the families with the most runs beyond the limit."""
    return table(("goal", "limit", "reached", "", "runs beyond the limit, by family"), list(_lines(rows, runs, kept)))


def _lines(rows: Sequence[Row], runs: Runs, kept: Mapping[str, Any]) -> Iterator[list[str]]:
    best = [row for row in rows if row.run.trust == "A"]
    for kind, limits in STEP.items():
        yield _both(f"step time, {WORDS[kind]}", limits, best, kept[kind]["family"])
    yield _both("peak memory per GPU", MEMORY, rows, kept["memory"]["family"])
    fit = scores.fit_of(rows, kept["fit"])
    wrong = [row for row in rows if row.tests_fit and (kept["fit"].get(row.run.id) == ("no" if row.fitted else "yes"))]
    reached = fit.balanced > FIT
    yield _line("fits or not, balanced accuracy", f"over {FIT:.0%}", f"{fit.balanced:.1%}", reached, wrong)
    fresh = _fresh(rows, runs)
    for kind, limit in FRESH.items():
        errors = kept[kind]["family"]
        chosen = [row for row in best if row.run.id in errors and row.run.family in fresh]
        median = scores.Score.of(errors[row.run.id] for row in chosen).median
        beyond = [row for row in chosen if abs(errors[row.run.id]) > limit]
        words = f"step time, {WORDS[kind]}, fresh frameworks"
        yield _line(words, f"{limit:.0%} (median)", f"{median:.1%}", median < limit, beyond)


def _fresh(rows: Sequence[Row], runs: Runs) -> set[str]:
    """Return the families with current software that no other family uses."""
    users: dict[str, set[str]] = {}
    for row in rows:
        if row.step_s is not None:
            users.setdefault(software(row.run, runs), set()).add(row.run.family)
    current = {name for name in users if row_of_software(name)["attention"] != "written"}
    return {family for name in current if len(users[name]) == 1 for family in users[name]}


def _both(words: str, limits: tuple[float, float], rows: Sequence[Row], errors: Mapping[str, float]) -> list[str]:
    chosen = [row for row in rows if row.run.id in errors]
    score = scores.Score.of(errors[row.run.id] for row in chosen)
    reached = score.median < limits[0] and score.p90 < limits[1]
    beyond = [row for row in chosen if abs(errors[row.run.id]) > limits[1]]
    limit = f"{limits[0]:.0%} / {limits[1]:.0%}"
    return _line(words, limit, f"{score.median:.1%} / {score.p90:.0%}", reached, beyond)


def _line(words: str, limit: str, value: str, is_reached: bool, beyond: Sequence[Row]) -> list[str]:
    counts = Counter(row.run.family for row in beyond)
    families = ", ".join(f"{family} {count}" for family, count in counts.most_common(5)) or "none"
    return [words, limit, value, "reached" if is_reached else "missed", families]
