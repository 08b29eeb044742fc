"""The report on one item: its measures, the wrong answers to it, and whether its draws were equally hard."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from shardwise.analysis.flags import flags_of
from shardwise.analysis.measures import correlation_interval, discrimination, rest_scores, standard_error
from shardwise.analysis.numeric import NumericAnswer
from shardwise.analysis.observed_fairness import DrawResult, ObservedFairness
from shardwise.analysis.responses import ClassResponses
from shardwise.analysis.unlisted import Cluster, clusters
from shardwise.analysis.wrong_answers import option_tallies, other_texts, recognised_mistakes
from shardwise.question import Outcome
from shardwise.units import show_amount

MOST_CLUSTERS = 12

Data = dict[str, Any]


def item_report(
    found: ClassResponses,
    column: int,
    numbers: Mapping[str, Sequence[NumericAnswer]],
    fair: ObservedFairness | None,
    corrected: float | None,
) -> Data:
    """Return the report on the item in a column of the class's points.

    `numbers` are the numeric answers to it by part, and `corrected` is the p-value of `fair` among those of all items.
    """
    item = found.items[column]
    earned = item.credits[~np.isnan(item.credits)]
    rest = rest_scores(found.points, found.most, column)
    r, n = discrimination(found.credits[:, column], rest)
    low, high = correlation_interval(r, n)
    of = {result.student: score for result, score in zip(found.graded, rest, strict=True) if not math.isnan(score)}

    def group(students: Sequence[str]) -> Data:
        scores = np.array([of[student] for student in students if student in of])
        return {
            "students": len(students),
            "share": len(students) / len(item.responses),
            "rest": _mean(scores),
            "rest_error": standard_error(scores),
        }

    report: Data = {
        "item": item.slug,
        "title": item.title,
        "kind": item.kind,
        "points": item.points,
        "n": len(earned),
        "facility": _mean(earned),
        "facility_error": standard_error(earned),
        "discrimination": r,
        "discrimination_low": low,
        "discrimination_high": high,
        "discrimination_n": n,
        "blank": item.share(Outcome.BLANK),
        "unreadable": item.share(Outcome.UNREADABLE),
        "broken": item.share(Outcome.BROKEN),
        "right": group([each.student for each in item.responses if each.feedback.outcome == Outcome.CORRECT]),
        "mistakes": [{"text": each.text, **group(each.students)} for each in recognised_mistakes(item)],
        "options": [
            {
                "text": each.text, "offered": each.offered, "right": each.right, **group(each.picked),
                "wrongly": len(each.picked_wrongly), "wrongly_rest": group(each.picked_wrongly),
            }
            for each in option_tallies(item)
        ],
        "texts": [{"text": each.text, **group(each.students)} for each in other_texts(item)],
        "unlisted": [each for part, answers in numbers.items() for each in _unlisted(part, answers, group)],
        "fairness": _fairness(fair, corrected) if fair else None,
    }  # fmt: skip
    return {**report, "flags": flags_of(report)}


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else math.nan


def _unlisted(part: str, answers: Sequence[NumericAnswer], group: Callable[[Sequence[str]], Data]) -> list[Data]:
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
    rest = [Cluster("", "", tuple(left))] if left else []
    return [as_data(each) for each in (*found[:MOST_CLUSTERS], *rest)]


def _fairness(fair: ObservedFairness, corrected: float | None) -> Data:
    def draw(each: DrawResult) -> Data:
        parts = {name: value for name, value in asdict(each.effort).items() if name != "seed"}
        return {
            "params": each.params, "effort": each.effort.total, "parts": parts,
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
