"""Marking: raw answer → parse → value → matches → verdict → feedback. Pure, but for the runner of student functions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from shardwise.errors import Unreadable
from shardwise.kinds import kind_of, kinds
from shardwise.kinds.answers import judged, parsed
from shardwise.kinds.base import Kind
from shardwise.kinds.calls import Runner, in_one_line, refuse
from shardwise.markdown.escaping import literal, printable, safe
from shardwise.question import Feedback, Note, Outcome, Question, Verdict

Front = Literal["cell", "form", "terminal"]

PRAISE = "Correct."
UNCOUNTED = "This does not count."
UNMARKED = "As it stands it earns nothing. It is on a list of unread answers that your instructor gets."
MEND = "Mend it before you hand in: what cannot be read earns nothing."
LONGEST_WRITTEN = 200  # characters of an answer that could not be read, for the instructor's list


@contextmanager
def _unwarned() -> Iterator[None]:
    """Keep Python from warning of an answer, such as `1if 1else 2`, while it is read: it is text that lies in no file."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="<")
        yield


@_unwarned()
def check(
    question: Question, raw: Any, *, runner: Runner = refuse, is_graded: bool = False, front: Front = "cell"
) -> Feedback:
    """What to say to an answer, and what it earns.

    `raw` is text, a number, a list, a dictionary, a function or the source of one; `runner` runs functions.
    An answer that cannot be read is unreadable, one that is not there is blank; neither is wrong. What becomes of an
    unreadable one is said for practice, or with `is_graded` for what was handed in. `front` is where the answer was given: a
    notebook's cell, a form whose fields show what goes into them, or a terminal.
    When our own side fails the outcome is broken, and the answer stays ungraded.
    """
    kind = kind_of(question)
    try:
        value = parsed(kind, question.form, raw)
        if value is None:
            how = (
                kind.instruction(question.form, question.variable)
                if front == "cell"
                else kind.view(question.form)["how"]
            )
            return _feedback(question, Outcome.BLANK, say=how)
        verdict = judged(kind, question, value, runner)
        feedback = _judged(question, verdict, read=kind.read(question.form, value))
        if why := kind.unread(question.form, value):
            feedback = feedback.model_copy(update={"written": printable(_written(raw)), "unread": printable(why)})
        return feedback
    except Unreadable as error:
        return unreadable_feedback(question, error, raw, is_graded=is_graded, front=front)
    except Exception as error:
        return broken(question, error)


@_unwarned()
def read_only(form: Any, kind_name: str, raw: Any, *, question: str, points: float) -> Feedback:
    """How an answer was read, and nothing about whether it is right: for notebooks that are graded later."""
    kind = kinds()[kind_name]
    outcome, read, parts = None, "", dict[str, bool]()
    try:
        value = parsed(kind, form, raw)
        if value is None:
            outcome, say = Outcome.BLANK, ""
        else:
            read, say = kind.read(form, value), "Read. It is marked after you hand in."
            if gaps := kind.gaps(form, value):
                parts, say = {"whole": False}, f"{gaps}\n\nWhat is missing or cannot be read earns nothing."
    except Unreadable as error:
        outcome, say = Outcome.UNREADABLE, f"{_with_example(kind, form, error)}\n\n{MEND}"
    except Exception as error:
        outcome, say = Outcome.BROKEN, _ours(error)
    return Feedback(
        question=question, outcome=outcome, max_points=points, read=printable(read), say=printable(say), parts=parts
    )


def unreadable_feedback(
    question: Question, why: Unreadable, raw: Any = None, *, is_graded: bool = False, front: Front = "cell"
) -> Feedback:
    """Feedback for an answer that cannot be read; see `check`."""
    say = literal(str(why)) if front == "form" else _with_example(kind_of(question), question.form, why)
    feedback = _feedback(question, Outcome.UNREADABLE, say=f"{say}\n\n{UNMARKED if is_graded else UNCOUNTED}")
    notes = {part: Note(outcome=Outcome.UNREADABLE, earned=0.0, say=literal(its)) for part, its in why.parts.items()}
    return feedback.model_copy(update={"written": printable(_written(raw)), "notes": notes})


def _written(raw: Any) -> str:
    """An answer as its author wrote it, cut where it is long."""
    try:
        written = raw if isinstance(raw, str) else "" if raw is None else repr(raw)
        return written if len(written) <= LONGEST_WRITTEN else f"{written[:LONGEST_WRITTEN]}…"
    except Exception:  # a student's own class, over 4,300 digits, or nested too deeply
        return f"something of type {type(raw).__name__}"


def _with_example(kind: Kind[Any, Any, Any], form: Any, why: Unreadable) -> str:
    """Why an answer cannot be read, and what one looks like."""
    if why.shows_example:
        return literal(str(why))
    example = kind.example(form)
    block = f"\n\n```python\n{example}\n```" if "\n" in example else f" `{example}`."
    return f"{literal(str(why))}\n\nAn answer looks like{block}"


def broken(question: Question, error: BaseException) -> Feedback:
    """Feedback when our own side failed."""
    return _feedback(question, Outcome.BROKEN, say=_ours(error))


def _ours(error: BaseException) -> str:
    return (
        f"Something of ours broke while marking this (`{safe(in_one_line(error))}`). "
        "It is not your fault, and it costs you nothing: please report it."
    )


def _judged(question: Question, verdict: Verdict, *, read: str) -> Feedback:
    right = verdict.credit >= 1 if verdict.is_right is None else verdict.is_right
    outcome = Outcome.CORRECT if right else Outcome.PARTIAL if verdict.credit > 0 else Outcome.INCORRECT
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
        points=_earned(question.points, verdict.credit),
        max_points=question.points,
        read=printable(read),
        say=printable(say),
        mistake=verdict.mistake,
        parts=verdict.parts,
        earned=verdict.earned,
        notes=verdict.notes,
        picture=verdict.picture,
    )


def _earned(points: float, credit: float) -> float:
    """The points that a share earns, in hundredths: never more than there are, and all of them for what is right."""
    return points if credit >= 1 else min(points, round(points * credit, 2))
