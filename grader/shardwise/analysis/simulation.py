"""Simulated classes: what a set will do, predicted from a simple model of students and from the bank's real draws.

A student has an ability, drawn from a normal distribution around 0. The probability of a right answer is a logistic function
of the ability minus the item's difficulty (the Rasch model), which is set so that the average student is right as often as
the rates say. A wrong answer is one of the recognised mistakes, another wrong answer, blank, or unreadable, with given rates;
it is independent of the ability. Each problem is drawn with real seeds, and every answer is marked as a student's would be.

Rates come from a former report, or else from the difficulty of a problem; then authors are assumed to list the most frequent
mistake first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shardwise.analysis.responses import ClassResponses, ItemResponses, Response
from shardwise.analysis.wrong_answers import same_in_every_draw
from shardwise.bank.bank import Banks
from shardwise.bank.lint.lint import Job, problem_of
from shardwise.bank.posing import pose
from shardwise.bank.processes import processes
from shardwise.grading.results import Result
from shardwise.kinds import kind_of
from shardwise.kinds.base import NumericKind
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Feedback, Outcome, Question

USUAL_FACILITY = {"easy": 0.8, "medium": 0.65, "hard": 0.5}
USUAL_MISTAKES, USUAL_BLANK, USUAL_UNREADABLE = 0.6, 0.1, 0.05  # shares of the answers that are not right
OTHER_FACTORS = (0.37, 1.7, 5.3)  # of the key: wrong numbers that no mistake explains
DRAWS = 40  # of each problem, unless the class is smaller; students share them
_LOGISTIC = 1.7  # a logistic function of 1.7 x is close to the normal distribution


@dataclass(frozen=True)
class Slot:
    """A place in a set: a problem, or a pool from which each student gets some."""

    problems: tuple[str, ...]  # ids
    choose: int = 1
    points: float | None = None


@dataclass(frozen=True)
class Rates:
    """How often students are right, make each mistake, or give no readable answer."""

    right: float
    mistakes: Mapping[str, float] | None = None  # by their text in every draw; None: by their order
    other: float | None = None  # wrong answers that nobody listed
    blank: float | None = None
    unreadable: float | None = None


@dataclass(frozen=True)
class MarkedDraw:
    """A draw of a problem with the feedback on typical answers."""

    question: Question
    right: Feedback
    mistakes: tuple[tuple[int, Feedback], ...]  # the mistake that was meant, and what marking said
    others: tuple[Feedback, ...]
    blank: Feedback
    unreadable: Feedback
    says: tuple[str, ...] = field(default=())  # the texts of the recognised mistakes


def rates_in(report: Mapping[str, Any]) -> dict[str, Rates]:
    """Return the rates of each item of a former report. Raises KeyError or TypeError for data that is no report."""
    found = {}
    for item in report["items"]:
        mistakes = {same_in_every_draw(each["text"]): float(each["share"]) for each in item["mistakes"]}
        rest = 1 - item["right"]["share"] - item["blank"] - item["unreadable"] - sum(mistakes.values())
        found[item["item"]] = Rates(
            float(item["right"]["share"]), mistakes, max(0.0, rest), float(item["blank"]), float(item["unreadable"])
        )
    return found


def marked_draws(
    banks: Banks, names: Sequence[str], draws: int, progress: Callable[[int], None] | None = None
) -> dict[str, list[MarkedDraw]]:
    """Return draws of each problem with typical answers marked. Raises ShardwiseError for a problem that cannot be drawn."""
    folder = {name: str(bank.folder) for bank in reversed(banks.all) for name in bank.problems}
    jobs = [(folder[name], name, draws) for name in names]
    found = {}
    with processes() as pool:
        for name, its in zip(names, pool.map(_marked, jobs), strict=True):
            found[name] = its
            if progress:
                progress(len(jobs))
    return found


def _marked(job: Job) -> list[MarkedDraw]:
    problem = problem_of(job)
    return [_marked_draw(pose(problem, f"simulated {seed}")) for seed in range(job[2])]


def _marked_draw(question: Question) -> MarkedDraw:
    kind = kind_of(question)
    samples = kind.samples(question)

    def said(raw: Any) -> Feedback:
        return check(question, raw, runner=run_here, is_graded=True)

    def first(outcome: Outcome) -> Any:
        return next((sample.raw for sample in samples if sample.outcome == outcome), None)

    wrong = [sample for sample in samples if sample.outcome in (Outcome.INCORRECT, Outcome.PARTIAL)]
    others = [sample.raw for sample in wrong if sample.mistake is None]
    if isinstance(kind, NumericKind):
        key = kind.number(question.key)
        others = [kind.written(question.form, float(f"{factor * key:.4g}")) for factor in OTHER_FACTORS] if key else []
    return MarkedDraw(
        question,
        said(first(Outcome.CORRECT)),
        tuple((sample.mistake, said(sample.raw)) for sample in wrong if sample.mistake is not None),
        tuple(map(said, others)),
        said(""),
        said(first(Outcome.UNREADABLE)),
        tuple(kind.mistakes(question)),
    )


def findings_in(drawn: Mapping[str, Sequence[MarkedDraw]]) -> list[dict[str, Any]]:
    """Return recognised mistakes that earn points, or that marking takes for another answer, and the number of such draws."""
    found: dict[tuple[str, str, bool], list[float]] = {}
    for name, draws in drawn.items():
        for draw in draws:
            for meant, said in draw.mistakes:
                earns = said.credit > 0
                if earns or said.mistake != meant:
                    text = same_in_every_draw(draw.says[meant]) if meant < len(draw.says) else str(meant)
                    found.setdefault((name, text, earns), []).append(said.credit)
    return [
        {
            "item": name.rpartition("/")[2],
            "mistake": text,
            "what": f"earns {_range(shares)} of the points" if earns else "is taken for another answer",
            "draws": len(shares),
            "of": len(drawn[name]),
        }
        for (name, text, earns), shares in found.items()
    ]


def _range(shares: Sequence[float]) -> str:
    """Return the least and the largest of some shares.

    >>> _range([0.5]), _range([0.25, 1.0])
    ('50 %', '25 to 100 %')
    """
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def simulated_class(
    slots: Sequence[Slot],
    drawn: Mapping[str, Sequence[MarkedDraw]],
    rates: Mapping[str, Rates],
    *,
    students: int,
    ability_sd: float,
    seed: int,
) -> ClassResponses:
    """Return the responses of a simulated class."""
    rng = np.random.default_rng(seed)
    abilities = rng.normal(0.0, ability_sd, students)
    responses: dict[str, list[Response]] = {}
    results = []
    for number, ability in enumerate(abilities, start=1):
        student, its = f"student-{number}", list[Feedback]()
        for slot in slots:
            for place in sorted(rng.permutation(len(slot.problems))[: slot.choose]):
                name = slot.problems[place]
                draw = drawn[name][int(rng.integers(len(drawn[name])))]
                said = _answered(
                    draw, rates.get(draw.question.slug) or usual_rates(draw.question), ability, ability_sd, rng
                )
                if slot.points is not None:
                    share = said.points / said.max_points if said.max_points else 0.0
                    said = said.model_copy(update={"points": round(share * slot.points, 2), "max_points": slot.points})
                responses.setdefault(name, []).append(Response(student, draw.question, said))
                its.append(said)
        results.append(
            Result(
                student,
                points=round(sum(each.points for each in its), 4),
                max_points=sum(each.max_points for each in its),
            )
        )
    items = [
        ItemResponses(of[0].question.slug, of[0].question.title, of[0].question.kind, tuple(of))
        for name in (name for slot in slots for name in slot.problems)
        if (of := responses.get(name))
    ]
    return ClassResponses(tuple(results), tuple(items))


def usual_rates(question: Question) -> Rates:
    """Return the rates that are assumed for a problem without a report."""
    return Rates(USUAL_FACILITY.get(question.difficulty, USUAL_FACILITY["medium"]))


def _answered(draw: MarkedDraw, rates: Rates, ability: float, ability_sd: float, rng: np.random.Generator) -> Feedback:
    """Return the feedback on one simulated answer."""
    right = min(max(rates.right, 0.005), 0.995)
    spread = math.sqrt(1 + (ability_sd / _LOGISTIC) ** 2)  # so that the average over all abilities is the rate
    if rng.random() < 1 / (1 + math.exp(-ability - spread * math.log(right / (1 - right)))):
        return draw.right
    choices, weights = _wrong_choices(draw, rates)
    return choices[rng.choice(len(choices), p=weights / weights.sum())]


def _wrong_choices(draw: MarkedDraw, rates: Rates) -> tuple[list[Feedback], Any]:
    """Return the answers that are not right with their weights."""
    if rates.mistakes is None:
        order = [1 / (1 + place) for place in range(len(draw.mistakes))]
        shares = [USUAL_MISTAKES * each / sum(order) for each in order]
        blank, unreadable = USUAL_BLANK, USUAL_UNREADABLE
        other = 1 - sum(shares) - blank - unreadable
    else:
        texts = [same_in_every_draw(draw.says[meant]) if meant < len(draw.says) else "" for meant, _ in draw.mistakes]
        shares = [rates.mistakes.get(text, 0.0) for text in texts]
        other, blank, unreadable = rates.other or 0.0, rates.blank or 0.0, rates.unreadable or 0.0
    others = [(said, other / len(draw.others)) for said in draw.others]
    pairs = [
        *zip([said for _, said in draw.mistakes], shares, strict=True),
        *others,
        (draw.blank, blank),
        (draw.unreadable, unreadable),
    ]
    if not sum(share for _, share in pairs):
        pairs = [(said, 1.0) for said, _ in pairs]
    return [said for said, _ in pairs], np.array([share for _, share in pairs])
