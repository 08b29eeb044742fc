"""Posing: turns a problem and a seed into a question, the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardwise.bank.bank import Catalogue, Problem
from shardwise.bank.cpu_limit import ENDLESS, TooLong, at_most, overdue
from shardwise.errors import AUTHORS_CAN_RAISE, Faulty, ShardwiseError, said_by
from shardwise.question import Question
from shardwise.template.draw import Draw, draw, values_of
from shardwise.template.expressions import prose
from shardwise.template.rng import Rng


def solved(problem: Problem, seed: str, attempt: int | None = None) -> tuple[Draw, Any]:
    """Return the draw of a question and its kind's result. Raises ShardwiseError.

    With `attempt`, make exactly that draw, which an earlier template accepted; this may raise Reject.
    """
    template, kind = problem.template, problem.kind
    if attempt is not None:
        rng = Rng(seed, problem.id, attempt)
        drawn = Draw(rng, template.params, values_of(template.params, rng, problem.references), problem.references)
        return drawn, kind.solve(template, drawn)

    return draw(
        template.params,
        template.where,
        seed=seed,
        problem=problem.id,
        references=problem.references,
        accept=lambda drawn: kind.solve(template, drawn),
    )


def pose(problem: Problem, seed: int | str, *, attempt: int | None = None) -> Question:
    """Return the question that `problem` poses for `seed`.

    With `attempt`, make exactly that draw regardless of current constraints, to restore a question that was assigned.
    Raises ShardwiseError, naming the problem, if its template cannot be drawn or rendered.
    """
    seed = str(seed)
    if any("\ud800" <= sign <= "\udfff" for sign in seed):  # a command line maps undecodable bytes to surrogates
        raise ShardwiseError(f"A seed is a text, such as 7; {seed!r} contains invalid characters.")
    try:
        with at_most():
            return question_of(problem, *solved(problem, seed, attempt))
    except TooLong as error:
        line = problem.references.line_of(error)
        raise ShardwiseError(f"{problem.id}, seed {seed}: {overdue(line)}. {ENDLESS}") from error
    except Faulty:
        raise
    except AUTHORS_CAN_RAISE as error:  # a reference may raise anything for an author's numbers
        why = str(error) if isinstance(error, ShardwiseError) else said_by(error)
        raise ShardwiseError(f"{problem.id}, seed {seed}: {why}") from error


def pose_chapter(bank: Catalogue, chapter: str, seed: int | str) -> list[Question] | None:
    """Return the questions of a chapter's practice notebook; None if the bank does not have that chapter."""
    return [pose(problem, seed) for problem in bank.of_chapter(chapter)] if chapter in bank.chapters else None


def question_of(problem: Problem, drawn: Draw, found: Any) -> Question:
    """Build the question from a draw and its kind's result. Raises ShardwiseError if a text cannot be rendered."""
    template, names = problem.template, drawn.printed
    posed = problem.kind.pose(template, drawn, found)
    worked_out = {**names, **posed.names}
    takeaway = prose(template.takeaway, worked_out)
    return Question(
        id=problem.id,
        seed=drawn.rng.seed,
        kind=template.kind,
        title=template.title,
        points=template.points,
        difficulty=template.difficulty,
        params=_plain({name: names[name] for name in template.params}),
        prompt=prose(template.prompt, names),
        hints=(*(prose(hint, names) for hint in template.hints), *posed.hints),
        solution="\n\n".join(
            filter(None, (prose(template.solution, {**worked_out, "takeaway": takeaway}), posed.solution))
        ),
        takeaway=takeaway,
        form=posed.form,
        key=posed.key,
        digest=problem.digest,
        rejected=drawn.rng.attempt,
    )


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters for a lock file, with numbers that have a unit as they are shown."""
    return {name: str(value) if hasattr(value, "text") else value for name, value in values.items()}
