"""Marking: raw answer → parse → value → matches → verdict → feedback. Pure, but for the runner of student functions."""

from __future__ import annotations

from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds import kinds
from shardwise.programs import Runner, refuse
from shardwise.question import Feedback, Outcome, Question, Verdict

PRAISE = "Correct."


def is_blank(raw: Any) -> bool:
    """Whether nothing was answered: nothing at all, an ellipsis, white space, or a form left as it was handed out."""
    if raw is None or raw is ...:
        return True
    if isinstance(raw, str):
        return not raw.strip() or raw.strip() == "..."
    if isinstance(raw, dict):
        return all(is_blank(one) for one in raw.values())
    return isinstance(raw, list | tuple | set) and not raw


def check(question: Question, raw: Any, *, runner: Runner = refuse) -> Feedback:
    """What to say to an answer, and what it earns.

    `raw` is text, a number, a list, a dictionary, a function or the source of one; `runner` runs functions.
    An answer that cannot be read is unreadable, one that is not there is blank; neither is wrong.
    When our own side fails the outcome is broken, and the answer stays ungraded.
    """
    if is_blank(raw):
        return _feedback(question, Outcome.BLANK, say=_how(question))
    kind = kinds()[question.kind]
    try:
        value = kind.parse(question.form, raw)
        if is_blank(value):
            return _feedback(question, Outcome.BLANK, say=_how(question))
    except Unreadable as error:
        return unreadable(question, str(error))
    except Exception as error:
        return broken(question, error)
    try:
        verdict = kind.matches(question, value, runner)
        return _judged(question, verdict, read=kind.read(question.form, value))
    except Unreadable as error:
        return unreadable(question, str(error))
    except Exception as error:
        return broken(question, error)


def read_only(form: Any, kind_name: str, raw: Any, *, question: str, points: float) -> Feedback:
    """How an answer was read, and nothing about whether it is right: for notebooks that are graded later."""
    kind = kinds()[kind_name]
    if is_blank(raw):
        return Feedback(question=question, outcome=Outcome.BLANK, max_points=points)
    try:
        value = kind.parse(form, raw)
        return Feedback(question=question, outcome=None, max_points=points, read=kind.read(form, value),
                        say="Read. It is marked after you hand in.")  # fmt: skip
    except Unreadable as error:
        return Feedback(question=question, outcome=Outcome.UNREADABLE, max_points=points,
                        say=f"{error}\n\nAn answer looks like `{kind.example(form)}`.")  # fmt: skip


def unreadable(question: Question, why: str) -> Feedback:
    """Feedback for an answer that cannot be read."""
    example = kinds()[question.kind].example(question.form)
    looks = (
        f"An answer looks like `{example}`."
        if "\n" not in example
        else f"An answer looks like\n\n```python\n{example}\n```"
    )
    tail = "" if "looks like" in why else f"\n\n{looks}"
    return _feedback(question, Outcome.UNREADABLE, say=f"{why}{tail}\n\nThis did not use up an attempt.")


def broken(question: Question, error: BaseException) -> Feedback:
    """Feedback when our own side failed."""
    return _feedback(
        question,
        Outcome.BROKEN,
        say=f"Something of ours broke while marking this ({type(error).__name__}: {str(error)[:200]}). "
        "It is not your fault, and it costs you nothing: please report it.",
    )


def _how(question: Question) -> str:
    return kinds()[question.kind].instruction(question.form, question.variable)


def _judged(question: Question, verdict: Verdict, *, read: str) -> Feedback:
    outcome = Outcome.CORRECT if verdict.credit >= 1 else Outcome.PARTIAL if verdict.credit > 0 else Outcome.INCORRECT
    return _feedback(
        question, outcome, verdict=verdict, read=read, say=verdict.say or (PRAISE if verdict.credit >= 1 else "")
    )


def _feedback(
    question: Question, outcome: Outcome, *, say: str, read: str = "", verdict: Verdict | None = None
) -> Feedback:
    verdict = verdict or Verdict(credit=0.0)
    return Feedback(
        question=question.id,
        outcome=outcome,
        credit=verdict.credit,
        points=round(question.points * verdict.credit, 2),
        max_points=question.points,
        read=read,
        say=say,
        mistake=verdict.mistake,
        parts=verdict.parts,
    )
