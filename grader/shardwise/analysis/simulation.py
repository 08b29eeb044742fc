"""Simulated classes: a prediction of how a class will do on a set, from a simple model of students and real draws.

Abilities are normally distributed around 0. The probability of a right answer is a logistic function of the ability minus the
item's difficulty (the Rasch model). The difficulty is set so that the average student is right as often as the rates say. A
wrong answer is a recognised mistake, another wrong answer, blank, or unreadable, with given rates that do not depend on the
ability. Each problem is drawn with real seeds, and every answer is marked like a student's.

The rates come from an earlier report. Without one, they depend on the difficulty that a problem states, and authors are assumed
to list the most frequent mistake first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shardwise.analysis.measures import Numbers
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
OTHER_FACTORS = (0.37, 1.7, 5.3)  # wrong numbers that no mistake explains, as multiples of the key
_LOGISTIC = 1.7  # a logistic function of 1.7 x is close to the normal distribution


@dataclass(frozen=True)
class Slot:
    """A place in a set: a problem, or a pool from which each student gets some."""

    problems: tuple[str, ...]  # ids
    choose: int = 1
    points: float | None = None


@dataclass(frozen=True)
class Rates:
    """The rates of right answers, of each mistake, and of other answers to a problem."""

    right: float
    mistakes: Mapping[str, float] | None = None  # by their text without numbers; None if only their order is known
    other: float = 0.0  # unlisted wrong answers; the remainder if only the mistakes' order is known
    blank: float = USUAL_BLANK
    unreadable: float = USUAL_UNREADABLE


@dataclass(frozen=True)
class MarkedDraw:
    """A draw of a problem with the feedback on typical answers."""

    question: Question
    right: Feedback
    mistakes: tuple[tuple[int, str, Feedback], ...]  # index and text (without numbers) of the intended mistake
    others: tuple[Feedback, ...]
    blank: Feedback
    unreadable: Feedback


def rates_in(report: Mapping[str, Any]) -> dict[str, Rates]:
    """Return the rates of each item in an earlier report. Raises KeyError or TypeError for any other data."""
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
    """Draw each problem several times and mark typical answers. Raises ShardwiseError for a problem that cannot be drawn."""
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
    samples, texts = kind.samples(question), [same_in_every_draw(text) for text in kind.mistakes(question)]

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
        tuple((each.mistake, texts[each.mistake], said(each.raw)) for each in wrong if each.mistake is not None),
        tuple(map(said, others)),
        said(""),
        said(first(Outcome.UNREADABLE)),
    )


def findings_in(drawn: Mapping[str, Sequence[MarkedDraw]]) -> list[dict[str, Any]]:
    """Return the mistakes that earn points or that marking recognises as another one, each with the number of such draws."""
    found: dict[tuple[str, str, bool], list[float]] = {}
    for name, draws in drawn.items():
        for draw in draws:
            for intended, text, said in draw.mistakes:
                earns = said.credit > 0
                if earns or said.mistake != intended:
                    found.setdefault((name, text, earns), []).append(said.credit)
    return [
        {
            "item": name.rpartition("/")[2],
            "mistake": text,
            "what": f"earns {_range(shares)} of the points" if earns else "is marked as another answer",
            "draws": len(shares),
            "of": len(drawn[name]),
        }
        for (name, text, earns), shares in found.items()
    ]


def _range(shares: Sequence[float]) -> str:
    """Return the range of some shares in per cent.

    >>> _range([0.5]), _range([0.25, 1.0])
    ('50 %', '25 to 100 %')
    """
    low, high = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def simulated_responses(
    slots: Sequence[Slot],
    drawn: Mapping[str, Sequence[MarkedDraw]],
    rates: Mapping[str, Rates],
    *,
    students: int,
    ability_sd: float,
    seed: int,
) -> ClassResponses:
    """Simulate a class that answers the slots of a set, with the standard deviation of abilities in logits."""
    rng = np.random.default_rng(seed)
    assumed = {
        name: rates.get(draws[0].question.slug) or usual_rates(draws[0].question) for name, draws in drawn.items()
    }
    wrong = {name: [_wrong_answers(draw, assumed[name]) for draw in draws] for name, draws in drawn.items()}
    responses: dict[str, list[Response]] = {}
    results = []
    for number, ability in enumerate(rng.normal(0.0, ability_sd, students), start=1):
        student, its = f"student-{number}", list[Feedback]()
        for slot in slots:
            for place in sorted(rng.permutation(len(slot.problems))[: slot.choose]):
                name = slot.problems[place]
                which = int(rng.integers(len(drawn[name])))
                draw, (others, weights) = drawn[name][which], wrong[name][which]
                is_right = rng.random() < _chance_of_right(assumed[name].right, ability, ability_sd)
                said = draw.right if is_right else others[rng.choice(len(others), p=weights)]
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
    """Return the rates to assume for a problem that no report has."""
    return Rates(USUAL_FACILITY.get(question.difficulty, USUAL_FACILITY["medium"]))


def _chance_of_right(rate: float, ability: float, ability_sd: float) -> float:
    """Return the probability that a student is right; its average over all abilities is the rate."""
    right = min(max(rate, 0.005), 0.995)
    spread = math.sqrt(1 + (ability_sd / _LOGISTIC) ** 2)
    return 1 / (1 + math.exp(-ability - spread * math.log(right / (1 - right))))


def _wrong_answers(draw: MarkedDraw, rates: Rates) -> tuple[list[Feedback], Numbers]:
    """Return the feedback on answers that are not right, and the probability of each."""
    if rates.mistakes is None:
        order = [1 / (1 + place) for place in range(len(draw.mistakes))]
        shares = [USUAL_MISTAKES * each / sum(order) for each in order]
        other = 1 - sum(shares) - rates.blank - rates.unreadable
    else:
        shares = [rates.mistakes.get(text, 0.0) for _, text, _ in draw.mistakes]
        other = rates.other
    answers = [*(said for _, _, said in draw.mistakes), *draw.others, draw.blank, draw.unreadable]
    rest = [other / len(draw.others)] * len(draw.others) if draw.others else []
    weights = np.array([*shares, *rest, rates.blank, rates.unreadable])
    if not weights.any():
        weights = np.ones(len(answers))
    return answers, weights / weights.sum()
