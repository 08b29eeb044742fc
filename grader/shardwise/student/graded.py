"""Graded sets on the student's side: how answers are read, never whether they are right. No bank is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import __main__
from shardwise.kinds import kinds
from shardwise.kinds.calls import Call, brief
from shardwise.kinds.inputs import call_text
from shardwise.markdown.escaping import safe
from shardwise.marking import read_only
from shardwise.question import Feedback, Outcome
from shardwise.student.failed_cells import FailedCells, not_set
from shardwise.student.messages import Checked, Message
from shardwise.student.running.in_a_thread import run_limited


class _NotGiven:
    """The default for an answer that was not passed, with a repr that reads well in help()."""

    def __repr__(self) -> str:
        return "<the variable named after the problem>"


NOT_GIVEN = _NotGiven()


@dataclass(frozen=True)
class GradedSet:
    """The questions of a handed-out notebook, with enough to read answers and nothing to judge them by."""

    name: str
    questions: Mapping[str, Mapping[str, Any]]  # by slug: kind, title, points, form, and perhaps a call to try
    failed: FailedCells

    def check(self, slug: str | None, answer: Any = NOT_GIVEN) -> Checked | Message:
        """Return how an answer is read; a function is called once to check that it runs."""
        if slug is None:
            return Message(f"Which problem? Give its name. This set has {', '.join(self.questions)}.")
        asked = self.questions.get(slug) if isinstance(slug, str) else None
        if asked is None:
            return Message(f"This set has no problem “{slug}”; it has {', '.join(self.questions)}.")
        kind = kinds().get(str(asked["kind"]))
        if kind is None:
            return Message(
                f"This set has a question of the kind {asked['kind']!r}, which is not installed here. "
                "Ask your instructor which package adds it, and install it."
            )
        form, points = kind.Form.model_validate(asked["form"]), float(asked["points"])
        variable = _variable_of(slug, asked)
        if answer is NOT_GIVEN and (why := self.failed.why(variable)) is not None:
            return Checked(self.failed.feedback(slug, points, variable, why))
        raw = vars(__main__).get(variable) if answer is NOT_GIVEN else answer
        feedback = read_only(form, kind.name, raw, question=slug, points=points)
        if feedback.outcome == Outcome.BLANK and answer is NOT_GIVEN and variable not in vars(__main__):
            others = [_variable_of(*other) for other in self.questions.items()]
            feedback = feedback.saying(not_set(variable, others))
        if feedback.outcome is None and answer is not NOT_GIVEN:
            say = f"This was only a test and is not saved. The value of `{variable}` is what gets marked."
            return Checked(feedback.saying(say))
        if feedback.outcome is None and "call" in asked and (callable(raw) or isinstance(raw, str)):
            feedback = _tried(feedback, raw, variable, asked["call"])
        return Checked(feedback)

    def check_all(self) -> Message:
        """Return a table of how every answer is read."""
        rows, counts = [], Counter[str]()
        for number, (slug, asked) in enumerate(self.questions.items(), start=1):
            made = self.check(slug)
            state, about = _state(made.feedback) if isinstance(made, Checked) else ("unreadable", made.markdown)
            counts[state] += 1
            rows.append(
                f"| {number} | {asked['title']} | {_MARKS[state]} {state} | {about.replace('|', chr(92) + '|')} |"
            )
        said = ", ".join(f"{counts[state]} {state}" for state in _MARKS if counts[state])
        head = f"**{said}.** This does not say whether an answer is right."
        return Message("\n".join([head, "", "| | question | | |", "|---|---|---|---|", *rows]))

    def has_no(self, what: str) -> Message:
        """Return the message of a verb that graded sets do not have."""
        return Message(f"This set is graded, so there {what} here. Practice notebooks have them.")


def _variable_of(slug: str, asked: Mapping[str, Any]) -> str:
    """Return the variable that holds the answer to a question, or "" if its kind is not installed."""
    kind = kinds().get(str(asked["kind"]))
    return kind.variable(kind.Form.model_validate(asked["form"]), slug.replace("-", "_")) if kind else ""


_MARKS = {"answered": "→", "blank": "○", "incomplete": "◐", "unreadable": "?", "fails": "✗"}


def _state(feedback: Feedback) -> tuple[str, str]:
    """Return the state of an answer for the overview table, and a few words about it."""
    first = feedback.say.partition("\n")[0]
    if feedback.outcome == Outcome.BLANK:
        return "blank", first
    if feedback.outcome is not None:
        return "unreadable", first
    if feedback.parts.get("runs") is False:
        return "fails", first
    if feedback.parts.get("whole") is False:
        return "incomplete", first
    return "answered", f"`{feedback.read.replace('`', chr(39))[:60]}`"


def _tried(feedback: Feedback, function: Any, name: str, inputs: Mapping[str, Any]) -> Feedback:
    """Return the feedback to a function, extended by the result of one trial call."""
    try:
        (call,) = run_limited(function, name, [inputs])
    except KeyboardInterrupt:
        return feedback
    shown = f"`{call_text(name, inputs)}`"
    runs = call.status == "returned" and call.value is not None
    later = f"{'' if runs else 'Fix that. '}It will be marked after you hand in."
    return feedback.saying(f"{shown} {_became(call)}", later).model_copy(update={"parts": {"runs": runs}})


def _became(call: Call) -> str:
    if call.status == "returned":
        return (
            "returned `None`. Is there a `return` at the end?"
            if call.value is None
            else f"ran, and returned `{brief(call.value)}`."
        )
    if call.status == "raised":
        return f"raised `{safe(call.error)}`."
    return "took too long and was stopped." if call.status == "timeout" else f"could not be called ({call.status})."


class GradedSets:
    """The graded sets in this kernel, usually one."""

    def __init__(self) -> None:
        self._by_name: dict[str, GradedSet] = {}

    def add(self, graded: GradedSet) -> None:
        """Add the set of a notebook whose first cell was run."""
        self._by_name[graded.name] = graded

    def of(self, name: str | None) -> GradedSet | None:
        """Return the set of that name, or the last one added; None if that notebook's first cell was not run."""
        return self._by_name.get(name) if name is not None else next(reversed(self._by_name.values()), None)


def not_ready(name: str) -> Message:
    """Return the message for a graded notebook whose first cell was not run, for example after a restart."""
    return Message(
        f"The questions of the set “{name}” are not loaded yet. Run the cell “Set-up” at the top of this notebook, "
        "then run this one again. After a kernel restart, also run your answer cells again."
    )
