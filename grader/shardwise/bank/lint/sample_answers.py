"""Sample answers and published programs that are not marked as the author intends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shardwise.bank.bank import Problem
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Outcome, Question


def marked_otherwise(
    problem: Problem, question: Question, *, is_sampled: bool = True, only_one: bool = False
) -> Iterator[str]:
    """Yield the sample answers that are marked differently than intended.

    If the draw is not sampled, only right answers and recognised mistakes are marked, and no programs, which take long to
    run. With `only_one`, one right answer is marked: `prove` has already checked the mistakes of that draw.
    """
    if problem.kind.is_program and not is_sampled:
        return
    samples = problem.kind.samples(question)
    if not is_sampled:
        samples = [each for each in samples if each.outcome is Outcome.CORRECT or each.mistake is not None]
    if only_one:
        samples = [each for each in samples if each.outcome is Outcome.CORRECT][:1]
    for sample in samples:
        feedback = check(question, sample.raw, runner=run_here)
        if feedback.outcome != sample.outcome or sample.mistake not in (None, feedback.mistake):
            yield (
                f"the answer {sample.raw!r:.80} is marked {feedback.outcome} ({feedback.mistake}) "
                f"instead of {sample.outcome} ({sample.mistake}): {feedback.say[:80]}"
            )


def published_faults(question: Question) -> Iterator[str]:
    """Yield why the program that the solution publishes would not be marked correct."""
    kind = kind_of(question)
    if not kind.is_program:
        return
    name = kind.variable(question.form, question.variable)
    for program in re.findall(r"```python\n(.*?)```", question.solution, re.DOTALL):
        if re.search(rf"^def {name}\(", program, re.MULTILINE):
            feedback = check(question, program, runner=run_here)
            if feedback.outcome is not Outcome.CORRECT:
                yield f"the program in the solution is marked {feedback.outcome}: {feedback.say[:160]}"
