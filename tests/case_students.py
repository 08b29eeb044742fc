"""Students of a case: one who knows everything, and those who slip once and continue with their own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shardwise.bank.bank import Problem
from shardwise.bank.posing import solved
from shardwise.kinds import kinds
from shardwise.kinds.base import NumericKind
from shardwise.kinds.case.solving import Solved
from shardwise.question import Outcome, Question
from shardwise.template.draw import whole
from shardwise.template.results import among


def parts_of(problem: Problem, question: Question) -> Solved:
    """The parts of a question with their templates, as the lint has them."""
    found = solved(problem, question.seed, question.rejected)[1]
    assert isinstance(found, Solved)
    return found


def answers(
    problem: Problem, question: Question, slips: Mapping[str, float] | None = None, digits: int = 12
) -> dict[str, Any]:
    """What a student hands in who gets a part's result so many times too large, and all else right from that.

    Every step is worked out by the references themselves, not by what the key says of them. Numbers are rounded to so
    many digits before they are gone on with.
    """
    numbers: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for part in parts_of(problem, question).parts:
        name, kind = part.piece.name, kinds()[part.piece.kind]
        draw = replace(part.draw, values=among(part.draw.values, numbers))
        if isinstance(kind, NumericKind):
            number = float(kind.recomputed(part.piece, draw.references, draw.values)) * (slips or {}).get(name, 1.0)
            number = float(f"{number:.{digits}g}")
            numbers[name], given[name] = whole(number), kind.written(part.posed.form, number)
        else:
            asked: Any = kind
            posed = asked.pose(part.piece, draw, asked.solve(part.piece, draw))
            alone = question.model_copy(update={"kind": kind.name, "form": posed.form, "key": posed.key})
            given[name] = next(sample.raw for sample in asked.samples(alone) if sample.outcome == Outcome.CORRECT)
    return given


def carrying(problem: Problem, question: Question) -> dict[str, list[str]]:
    """The parts whose result others name, each with those that name it."""
    found: dict[str, list[str]] = {}
    for part in parts_of(problem, question).parts:
        for name in part.piece.needs:
            found.setdefault(name, []).append(part.piece.name)
    return found
