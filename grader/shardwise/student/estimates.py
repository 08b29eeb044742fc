"""Estimates: a number that a student commits to before computing, and how close it was."""

from __future__ import annotations

from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds import kind_of
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import NumericKind
from shardwise.markdown.escaping import as_code
from shardwise.question import Question

_SAME_POWER = 10**0.5  # within this factor, up or down, an estimate has the right order of magnitude
_CLOSE = 1.1


def read_estimate(question: Question, raw: Any) -> str:
    """Return how an estimate was read. Raises Unreadable."""
    kind = kind_of(question)
    value = parsed_answer(kind, question.form, raw)
    if value is None:
        raise Unreadable("Type a rough number, or skip the estimate.")
    return kind.read(question.form, value)


def factor(question: Question, raw: Any) -> float | None:
    """Return the estimate divided by the right value, or None if the ratio is meaningless or the estimate unreadable."""
    kind = kind_of(question)
    if not isinstance(kind, NumericKind):
        return None
    try:
        value = parsed_answer(kind, question.form, raw)
    except Unreadable:
        return None
    right = kind.number(question.key)
    if value is None or right <= 0:
        return None
    ratio = kind.given(question, value) / right
    return ratio if ratio > 0 else None


def compared(question: Question, raw: Any) -> str:
    """Return a remark on the estimate once the answer is right, in Markdown, or "" without an estimate."""
    ratio = factor(question, raw)
    if ratio is None:
        return ""
    off = max(ratio, 1 / ratio)
    if off <= _CLOSE:
        how = "within 10 % of the answer"
    else:
        power = "the right order of magnitude, " if off <= _SAME_POWER else ""
        how = f"{power}too {'large' if ratio > 1 else 'small'} by a factor of {off:.2g}"
    return f"You estimated {as_code(read_estimate(question, raw))}: {how}."
