"""The report on a set: everything that its page, table and JSON show, as plain data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from shardwise import __version__
from shardwise.analysis.flags import flags_of
from shardwise.analysis.matches import LEVEL, Comparison, ItemNumbers, PairMatches, compare_students
from shardwise.analysis.measures import (
    alpha_interval,
    correlation_interval,
    cronbach_alpha,
    discrimination,
    holm,
    rest_scores,
    standard_error,
)
from shardwise.analysis.numeric import NumericAnswer, numeric_answers
from shardwise.analysis.observed_fairness import DrawResult, ObservedFairness, observed_fairness
from shardwise.analysis.responses import ClassResponses, ItemResponses, Response
from shardwise.analysis.unlisted import Cluster, clusters, is_explained
from shardwise.analysis.wrong_answers import option_tallies, other_texts, recognised_mistakes
from shardwise.grading.results import Result
from shardwise.kinds.quantity.model import tolerance
from shardwise.markdown.plain import to_plain
from shardwise.question import Outcome
from shardwise.units import show_amount

BINS = 10  # of the histogram
ENOUGH = 30  # students, below which correlations and reliability are mostly chance
MOST_CLUSTERS = 12  # of an item

Data = dict[str, Any]


def report_of(found: ClassResponses, *, set_name: str, title: str, simulated: Data | None = None) -> Data:
    """Return the report on a class as data for JSON; numbers that are not defined are None.

    `simulated` says how the class was simulated, if it is not a real one. Then nothing is looked for that only students can show.
    """
    real = found.items if simulated is None else ()  # simulated students are alike, and their answers not meant
    fairness = {item.slug: observed_fairness(item) for item in real}
    tested = [slug for slug, its in fairness.items() if its]
    corrected = dict(zip(tested, holm([its.least_chance for its in fairness.values() if its]), strict=True))
    numbers = {item.slug: numeric_answers(item) for item in real}
    compared = compare_students([each for item in real for each in _to_compare(item, numbers[item.slug])])
    names = {result.student: result.name for result in found.results}
    items = [
        _item(found, column, numbers.get(item.slug, {}), fairness.get(item.slug), corrected.get(item.slug))
        for column, item in enumerate(found.items)
    ]
    for item in items:
        item["flags"] = flags_of(item)
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
            "unreadable": _unreadable(found, names) if simulated is None else [],
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
    values = np.array(shares)
    bins = Counter(min(BINS - 1, max(0, int(share * BINS + 1e-9))) for share in shares)
    known = len(values) > 0
    return {
        "n": len(values),
        "mean": float(values.mean()) if known else math.nan,
        "median": float(np.median(values)) if known else math.nan,
        "sd": float(np.std(values, ddof=1)) if len(values) > 1 else math.nan,
        "lowest": float(values.min()) if known else math.nan,
        "highest": float(values.max()) if known else math.nan,
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
    whole = points[~np.isnan(points).any(axis=1)] if points.size else points
    n = len(whole)
    why = ""
    if found.items and not points.shape[1]:
        why = "No question of this set counts, so there are no scores."
    elif points.shape[1] < 2:
        why = "A set with a single item has no internal consistency."
    elif n < len(points) / 2 or n < 3:
        why = (
            "Students answered different items, so there is no common set of items to compare."
            if len(points) >= 3
            else "Fewer than three students have points for every item."
        )
    alpha = math.nan if why else cronbach_alpha(whole)
    if not why and math.isnan(alpha):
        why = "All students have the same score."
    if why:
        return {"alpha": None, "why": why, "n": n}
    low, high = alpha_interval(whole)
    spread = float(np.std(whole.sum(axis=1), ddof=1))
    most = float(np.nansum(found.most[~np.isnan(points).any(axis=1)][0]))
    return {
        "alpha": alpha, "low": low, "high": high, "n": n, "items": points.shape[1], "why": "",
        "error": spread * math.sqrt(max(0.0, 1 - alpha)), "points": most,
    }  # fmt: skip


def _item(
    found: ClassResponses,
    column: int,
    numbers: Mapping[str, Sequence[NumericAnswer]],
    fair: ObservedFairness | None,
    corrected: float | None,
) -> Data:
    item = found.items[column]
    earned = item.credits[~np.isnan(item.credits)]
    r, n = discrimination(found.credits[:, column], found.points, found.most, column)
    low, high = correlation_interval(r, n)
    rest = rest_scores(found.points, found.most, column) if found.items else np.array([])
    of = {result.student: float(rest[row]) for row, result in enumerate(found.graded)}
    right = [response.student for response in item.responses if response.feedback.outcome == Outcome.CORRECT]

    def group(students: Sequence[str]) -> Data:
        shares = np.array([of[student] for student in students if not math.isnan(of.get(student, math.nan))])
        return {
            "students": len(students),
            "share": len(students) / len(item.responses),
            "rest": float(shares.mean()) if len(shares) else math.nan,
            "rest_error": standard_error(shares),
        }

    return {
        "item": item.slug,
        "title": item.title,
        "kind": item.kind,
        "points": item.points,
        "n": len(earned),
        "facility": float(earned.mean()) if len(earned) else math.nan,
        "facility_error": standard_error(earned),
        "discrimination": r,
        "discrimination_low": low,
        "discrimination_high": high,
        "discrimination_n": n,
        "blank": item.share(Outcome.BLANK),
        "unreadable": item.share(Outcome.UNREADABLE),
        "broken": item.share(Outcome.BROKEN),
        "right": group(right),
        "mistakes": [{"text": each.text, **group(each.students)} for each in recognised_mistakes(item)],
        "options": [
            {
                "text": each.text, "offered": each.offered, "right": each.right, **group(each.picked),
                "wrongly": len(each.picked_wrongly), "wrongly_rest": group(each.picked_wrongly),
            }
            for each in option_tallies(item)
        ],
        "texts": [{"text": each.text, **group(each.students)} for each in other_texts(item)],
        "unlisted": [made for part, answers in numbers.items() for made in _unlisted(part, answers, group)],
        "fairness": _fairness(fair, corrected) if fair else None,
    }  # fmt: skip


def _unlisted(part: str, answers: Sequence[NumericAnswer], group: Any) -> list[Data]:
    def as_data(cluster: Cluster) -> Data:
        return {
            "part": part,
            "expression": cluster.expression,
            "cause": cluster.cause,
            "examples": [
                {"answer": each.reading.text, "key": show_amount(each.key.value, each.form.unit, each.form.direction)}
                for each in cluster.examples
            ],
            **group([answer.student for answer in cluster.answers]),
        }

    found, left = clusters(answers)
    rest = [as_data(Cluster("", "", tuple(left)))] if left else []
    return [*map(as_data, found[:MOST_CLUSTERS]), *rest]


def _fairness(fair: ObservedFairness, corrected: float | None) -> Data:
    def draw(each: DrawResult) -> Data:
        return {
            "params": each.params, "effort": each.effort.total, "parts": _parts(asdict(each.effort)),
            "students": each.students, "facility": each.facility,
        }  # fmt: skip

    return {
        "n": fair.students,
        "gap": fair.gap,
        "rho": fair.rho,
        "p": fair.chance,
        "p_corrected": corrected,
        "easiest_third": fair.easiest_third,
        "hardest_third": fair.hardest_third,
        "easiest": [draw(each) for each in fair.easiest],
        "hardest": [draw(each) for each in fair.hardest],
        "parameters": [
            {
                "name": each.name,
                "p": each.chance,
                "values": [
                    {"value": value, "students": count, "facility": facility} for value, count, facility in each.groups
                ],
            }
            for each in fair.parameters
        ],
    }


def _parts(effort: Mapping[str, Any]) -> Data:
    return {name: value for name, value in effort.items() if name != "seed"}


def _to_compare(item: ItemResponses, numbers: Mapping[str, Sequence[NumericAnswer]]) -> Iterable[ItemNumbers]:
    """Yield the keys of a numeric item, or part, and the wrong answers that the students' own numbers do not explain."""
    for part, answers in numbers.items():
        if not answers:
            continue
        first = answers[0]
        within = max(
            tolerance(each.key.value, each.form.unit, each.form.direction, each.key.rel_tol, each.key.abs_tol, each.key.sig_figs) / abs(each.key.value)
            for each in answers if each.key.value
        ) if any(each.key.value for each in answers) else 0.0  # fmt: skip
        wrong = {each.student: each.value for each in answers if not each.is_right and not is_explained(each)}
        yield ItemNumbers(
            f"{item.slug}: {part}" if part else item.slug,
            {each.student: each.key.value for each in answers},
            wrong,
            max(1e-6, within),
            first.form.whole,
        )


def _matches(compared: Comparison, names: Mapping[str, str]) -> Data:
    def pair(each: PairMatches) -> Data:
        return {
            **asdict(each),
            "student_name": names.get(each.student, ""),
            "other_name": names.get(each.other, ""),
        }

    return {
        "level": LEVEL,
        "items": compared.items,
        "pairs_compared": compared.pairs_compared,
        "matches": compared.matches,
        "expected": compared.expected,
        "pairs": [pair(each) for each in compared.pairs],
    }


def _unreadable(found: ClassResponses, names: Mapping[str, str]) -> list[Data]:
    """Return the answers, and parts of answers, that could not be read."""

    def row(item: ItemResponses, response: Response) -> Data:
        said = response.feedback
        why = said.unread or to_plain(said.say).partition("\n")[0]
        who = response.student
        return {"item": item.slug, "student": who, "name": names.get(who, ""), "written": said.written, "why": why}

    return [
        row(item, response)
        for item in found.items
        for response in item.responses
        if response.feedback.outcome == Outcome.UNREADABLE or response.feedback.unread
    ]
