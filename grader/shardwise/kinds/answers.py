"""Answers: from raw answers to values, and from values to feedback, for a question of any kind or a part of one."""

from __future__ import annotations

from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.base import Kind, View
from shardwise.kinds.blanks import is_blank
from shardwise.kinds.calls import Runner, plain
from shardwise.question import Feedback, Outcome, Question
from shardwise.units import narrow


def parsed_answer(kind: Kind[Any, Any, Any], form: Any, raw: Any) -> Any:
    """Return the answer as a value; None if there is no answer. Raises Unreadable."""
    if kind.is_untouched(form, raw):
        return None
    try:
        raw = _plain(raw)
        value = None if is_blank(raw) else kind.parse(form, raw)
    except RecursionError:
        raise Unreadable("I couldn't read an answer that is nested so deeply.") from None
    return None if is_blank(value) else value


def as_read(kind: Kind[Any, Any, Any], form: Any, raw: Any) -> View:
    """Return how an answer is read, or why it cannot be, for a form that shows this during typing; "" if it is blank."""
    try:
        value = parsed_answer(kind, form, raw)
    except Unreadable as error:
        return {"why": str(error)}
    return {} if value is None else {"read": kind.read(form, value)}


def known_answers(kind: Kind[Any, Any, Any], question: Question) -> dict[int | None, Any]:
    """Return a right answer, under None, and an answer for each recognised mistake; nothing for programs."""
    found: dict[int | None, Any] = {}
    for sample in () if kind.is_program else kind.samples(question):
        if sample.mistake is not None or sample.outcome == Outcome.CORRECT:
            found.setdefault(sample.mistake, sample.raw)
    return found


def wanted_results(question: Question) -> str:
    """Return what a program has to return, one line per case; "" if the answer is no program."""
    cases = getattr(question.key, "cases", ())
    return "\n".join(map(_case, cases))


def _case(case: Any) -> str:
    inputs = ", ".join(f"{name}={value!r}" for name, value in case.inputs.items())
    return f"({inputs})  →  {'raises' if case.raises else repr(case.expected)}"


def _plain(raw: Any) -> Any:
    try:
        return _narrow(plain(raw))
    except ValueError:  # a dictionary key that is an integer with more digits than Python prints
        raise Unreadable("I couldn't read an answer that contains a number with thousands of digits.") from None
    except RecursionError:
        raise
    except Exception as error:  # the student's own class, which may do anything when it is read
        raise Unreadable(
            f"I couldn't read an answer of type {type(raw).__name__}: reading it raised {type(error).__name__}."
        ) from None


def _narrow(value: Any) -> Any:
    """Return a plain value with full-width letters, digits and signs made ordinary: to a student they are the same."""
    if isinstance(value, str):
        return narrow(value)
    if isinstance(value, list):
        return [_narrow(part) for part in value]
    return {_narrow(name): _narrow(part) for name, part in value.items()} if isinstance(value, dict) else value


def verdict_on(kind: Kind[Any, Any, Any], question: Question, value: Any, runner: Runner) -> Feedback:
    """Judge a value, and explain what is wrong with it if no recognised mistake fits."""
    return explained(kind, question, value, kind.matches(question, value, runner))


def explained(kind: Kind[Any, Any, Any], question: Question, value: Any, feedback: Feedback) -> Feedback:
    """Add an explanation to the feedback on a wrong value if no recognised mistake fits."""
    if feedback.credit < 1 and feedback.mistake is None and (explanation := kind.explain(question, value)):
        return feedback.saying(explanation, *feedback.remarks)
    return feedback
