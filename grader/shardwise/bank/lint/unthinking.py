"""Answers given without thinking, and whether they earn points: the example answer, all ones, every option."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Question


def unthinking_faults(drawn: Sequence[Question]) -> Iterator[str]:
    """Yield the answers that earn more, over several draws of a problem, than its kind allows for guessing."""
    kind = kind_of(drawn[0])
    earned: dict[str, list[float]] = defaultdict(list)
    for question in drawn:
        for name, raw in kind.unthinking(question.form).items():
            earned[name].append(check(question, raw, runner=run_here).credit)
    for name, shares in earned.items():
        average = sum(shares) / len(shares)
        if average > kind.guessed:
            times = sum(share > 0 for share in shares)
            yield f"{name} earns points in {times} of {len(shares)} draws, on average {average:.0%} of the points"
