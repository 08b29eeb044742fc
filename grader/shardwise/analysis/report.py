"""The report on a set as plain data, from which its page, table and JSON are made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from shardwise import __version__
from shardwise.analysis.item_report import item_report
from shardwise.analysis.matches import LEVEL, Comparison, ItemNumbers, compare_students
from shardwise.analysis.measures import alpha_interval, cronbach_alpha, holm, without_gaps
from shardwise.analysis.numeric import NumericAnswer, numeric_answers
from shardwise.analysis.observed_fairness import observed_fairness
from shardwise.analysis.responses import ClassResponses, ItemResponses, Response
from shardwise.analysis.unlisted import is_explained
from shardwise.grading.results import Result
from shardwise.kinds.quantity.judging import tolerance_around
from shardwise.markdown.plain import to_plain
from shardwise.question import Outcome

BINS = 10  # of the histogram
ENOUGH = 30  # students; with fewer, correlations and reliability are mostly noise

Data = dict[str, Any]


def report_of(found: ClassResponses, *, set_name: str, title: str, simulated: Data | None = None) -> Data:
    """Return the report on a class as data for JSON; undefined numbers are None.

    `simulated` describes how a simulated class was made. Its report omits what only real students can show: unlisted answers,
    observed fairness, matches, and unreadable answers.
    """
    real = found.items if simulated is None else ()
    fairness = {item.slug: observed_fairness(item) for item in real}
    tested = [slug for slug, its in fairness.items() if its]
    corrected = dict(zip(tested, holm([its.least_chance for its in fairness.values() if its]), strict=True))
    numbers = {item.slug: numeric_answers(item) for item in real}
    compared = compare_students([each for item in real for each in _to_compare(item, numbers[item.slug])])
    names = {result.student: result.name for result in found.results}
    items = [
        item_report(found, column, numbers.get(item.slug, {}), fairness.get(item.slug), corrected.get(item.slug))
        for column, item in enumerate(found.items)
    ]
    report: Data = _defined(
        {
            "version": __version__,
            "set": set_name,
            "title": title,
            "simulated": simulated,
            "students": _students(found),
            "unmatched": found.unmatched,
            "enough": ENOUGH,
            "scores": _scores(found.graded),
            "sections": _sections(found),
            "reliability": _reliability(found),
            "items": items,
            "matches": _matches(compared, names),
            "unreadable": _unreadable(real, names),
        }
    )  # fmt: skip
    return report


def _defined(value: Any) -> Any:
    """Return data with None for nan and infinities, and six digits of all other numbers."""
    if isinstance(value, Mapping):
        return {str(name): _defined(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_defined(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def _students(found: ClassResponses) -> Data:
    status = Counter("incomplete" if result.status == "graded" and not result.complete else result.status for result in found.results)  # fmt: skip
    return {
        "all": len(found.results),
        **{name: status[name] for name in ("graded", "missing", "ungraded", "excused", "incomplete")},
        "late": sum(result.late for result in found.results),
    }


def _scores(results: Sequence[Result]) -> Data:
    """Return the distribution of the scores, as shares of the points."""
    shares = [each.points / each.max_points for each in results if each.points is not None and each.max_points]
    bins = Counter(min(BINS - 1, max(0, int(share * BINS + 1e-9))) for share in shares)
    values = np.array(shares or [math.nan])
    return {
        "n": len(shares),
        "mean": values.mean(),
        "median": np.median(values),
        "sd": np.std(values, ddof=1) if len(shares) > 1 else math.nan,
        "lowest": values.min(),
        "highest": values.max(),
        "histogram": [{"from": place / BINS, "to": (place + 1) / BINS, "students": bins[place]} for place in range(BINS)],
    }  # fmt: skip


def _sections(found: ClassResponses) -> list[Data]:
    """Return the scores by section, if the course has sections."""
    names = sorted({result.section for result in found.graded})
    if len(names) < 2:
        return []
    return [{"name": name, **_scores([result for result in found.graded if result.section == name])} for name in names]


def _reliability(found: ClassResponses) -> Data:
    """Return alpha with its interval and the standard error of measurement in points, or why they are not defined."""
    points = found.points[:, ~np.isnan(found.points).all(axis=0)]  # without items that count for nobody
    whole = without_gaps(points)
    n, alpha, why = len(whole), math.nan, ""
    if found.items and not points.shape[1]:
        why = "No question in this set is worth any points."
    elif points.shape[1] < 2:
        why = "At least two items with points are needed."
    elif len(points) < 3:
        why = "Fewer than three students have points for every item."
    elif n < len(points) / 2 or n < 3:
        why = "Students answered different items, so too few of them can be compared."
    elif math.isnan(alpha := cronbach_alpha(whole)):
        why = "All students have the same score."
    if why:
        return {"alpha": None, "why": why, "n": n}
    low, high = alpha_interval(whole)
    spread = float(np.std(whole.sum(axis=1), ddof=1))
    most = np.nansum(found.most[~np.isnan(points).any(axis=1)][0])
    return {
        "alpha": alpha, "low": low, "high": high, "n": n, "items": points.shape[1], "why": "",
        "error": spread * math.sqrt(max(0.0, 1 - alpha)), "points": most,
    }  # fmt: skip


def _to_compare(item: ItemResponses, numbers: Mapping[str, Sequence[NumericAnswer]]) -> Iterable[ItemNumbers]:
    """Yield the keys of a numeric item, or of each numeric part, and the wrong answers that no mistake or slip explains."""
    for part, answers in numbers.items():
        known = [each for each in answers if each.key.value]
        within = (tolerance_around(each.form, each.key, each.key.value) / abs(each.key.value) for each in known)
        yield ItemNumbers(
            f"{item.slug}: {part}" if part else item.slug,
            {each.student: each.key.value for each in answers},
            {each.student: each.value for each in answers if not each.is_right and not is_explained(each)},
            max([1e-6, *within]),
            answers[0].form.whole,
        )


def _matches(compared: Comparison, names: Mapping[str, str]) -> Data:
    made = asdict(compared)
    for pair in made["pairs"]:
        pair.update(student_name=names.get(pair["student"], ""), other_name=names.get(pair["other"], ""))
    return {"level": LEVEL, **made}


def _unreadable(items: Sequence[ItemResponses], names: Mapping[str, str]) -> list[Data]:
    """Return the answers, and parts of answers, that could not be read."""

    def row(item: ItemResponses, response: Response) -> Data:
        said = response.feedback
        why = said.unread or to_plain(said.say).partition("\n")[0]
        who = response.student
        return {"item": item.slug, "student": who, "name": names.get(who, ""), "written": said.written, "why": why}

    return [
        row(item, response)
        for item in items
        for response in item.responses
        if response.feedback.outcome == Outcome.UNREADABLE or response.feedback.unread
    ]
