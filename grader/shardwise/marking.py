"""Marking: raw answer → parse → value → matches → feedback. Pure, except for the runner of student functions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from shardwise.errors import Unreadable
from shardwise.kinds import kind_of, kinds
from shardwise.kinds.answers import parsed_answer, verdict_on
from shardwise.kinds.base import Kind
from shardwise.kinds.calls import Runner, in_one_line, refuse
from shardwise.markdown.escaping import literal, printable, safe
from shardwise.question import Feedback, Note, Outcome, Question

Front = Literal["cell", "form", "terminal"]

UNCOUNTED = "This does not count."
UNMARKED = "It earns nothing for now. Your instructor gets a list of answers that could not be read."
FIX = "Correct it before you hand in: an answer that cannot be read earns nothing."
LONGEST_WRITTEN = 200  # characters of an unreadable answer in the instructor's list


@contextmanager
def _unwarned() -> Iterator[None]:
    """Silence Python's warnings about an answer such as `1if 1else 2` while it is parsed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="<")
        yield


@_unwarned()
def check(
    question: Question, raw: Any, *, runner: Runner = refuse, is_graded: bool = False, front: Front = "cell"
) -> Feedback:
    """Return the feedback on an answer, with the points that it earns.

    `raw` is text, a number, a list, a dictionary, a function or the source of one; `runner` runs functions.

    An answer that cannot be read is unreadable, and a missing one is blank; neither is wrong. The feedback on an unreadable
    answer says what happens next, which differs between practice and, with `is_graded`, a submission. `front` is where the
    answer was given: in a notebook's cell, in a form whose fields show what they expect, or in a terminal.

    If the grader itself fails, the outcome is broken, and the answer stays ungraded.
    """
    kind = kind_of(question)
    try:
        value = parsed_answer(kind, question.form, raw)
        if value is None:
            in_a_cell = front == "cell"
            how = kind.instruction(question.form, question.variable) if in_a_cell else kind.view(question.form)["how"]
            return _unjudged(question.id, Outcome.BLANK, question.points, how)
        feedback = verdict_on(kind, question, value, runner)
        why = kind.unread(question.form, value)
        return _printable(
            feedback, read=kind.read(question.form, value), written=_written(raw) if why else "", unread=why
        )
    except Unreadable as error:
        return unreadable_feedback(question, error, raw, is_graded=is_graded, front=front)
    except Exception as error:
        return broken(question, error)


@_unwarned()
def read_only(form: Any, kind_name: str, raw: Any, *, question: str, points: float) -> Feedback:
    """Return how an answer was read, but not whether it is right, for notebooks that are graded later."""
    kind = kinds()[kind_name]
    try:
        value = parsed_answer(kind, form, raw)
        if value is None:
            return _unjudged(question, Outcome.BLANK, points)
        read = _unjudged(
            question, None, points, "Read. It will be marked after you hand in.", read=kind.read(form, value)
        )
        if gaps := kind.gaps(form, value):
            read = read.saying(printable(gaps), "Parts that are missing or cannot be read earn nothing.")
            return read.model_copy(update={"parts": {"whole": False}})
        return read
    except Unreadable as error:
        return _unjudged(question, Outcome.UNREADABLE, points, _with_example(kind, form, error), FIX)
    except Exception as error:
        return _unjudged(question, Outcome.BROKEN, points, _ours(error))


def unreadable_feedback(
    question: Question, why: Unreadable, raw: Any = None, *, is_graded: bool = False, front: Front = "cell"
) -> Feedback:
    """Return feedback on an answer that cannot be read; see `check`."""
    reason = literal(str(why)) if front == "form" else _with_example(kind_of(question), question.form, why)
    notes = {part: Note(outcome=Outcome.UNREADABLE, earned=0.0, say=literal(its)) for part, its in why.parts.items()}
    what_becomes = UNMARKED if is_graded else UNCOUNTED
    return _unjudged(
        question.id,
        Outcome.UNREADABLE,
        question.points,
        reason,
        what_becomes,
        written=_written(raw),
        notes=notes,
    )


def _written(raw: Any) -> str:
    """Return an answer as its author wrote it, shortened if it is long."""
    try:
        written = raw if isinstance(raw, str) else "" if raw is None else repr(raw)
        return written if len(written) <= LONGEST_WRITTEN else f"{written[:LONGEST_WRITTEN]}…"
    except Exception:  # a student's class, over 4,300 digits, or nested too deeply
        return f"a value of type {type(raw).__name__}"


def _with_example(kind: Kind[Any, Any, Any], form: Any, why: Unreadable) -> str:
    """Return why an answer cannot be read, and what an answer looks like."""
    if why.shows_example:
        return literal(str(why))
    example = kind.example(form)
    block = f"\n\n```python\n{example}\n```" if "\n" in example else f" `{example}`."
    return f"{literal(str(why))}\n\nAn answer looks like{block}"


def broken(question: Question, error: BaseException) -> Feedback:
    """Return feedback for an error in the grader itself."""
    return _unjudged(question.id, Outcome.BROKEN, question.points, _ours(error))


def _ours(error: BaseException) -> str:
    return (
        f"Our code failed while marking this (`{safe(in_one_line(error))}`). "
        "This is not your fault and costs you nothing. Please report it."
    )


def _unjudged(
    question: str,
    outcome: Outcome | None,
    points: float,
    *remarks: str,
    read: str = "",
    written: str = "",
    notes: Mapping[str, Note] | None = None,
) -> Feedback:
    """Return feedback without a verdict, for an answer that is blank, unreadable, only read, or not marked after an error."""
    feedback = Feedback(question=question, outcome=outcome, max_points=points, remarks=remarks, notes=notes or {})
    return _printable(feedback, read=read, written=written)


def _printable(feedback: Feedback, **texts: str) -> Feedback:
    """Add texts to feedback, and drop every character that a page or a terminal does not accept."""
    shown: dict[str, Any] = {name: printable(text) for name, text in texts.items()}
    return feedback.model_copy(update={**shown, "remarks": tuple(map(printable, feedback.remarks))})
