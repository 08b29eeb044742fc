"""The kinds of questions: one registry, and an entry-point group `shardwise.kinds` for outside packages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from shardwise.kinds import bugline, choice, code, formula, match, order, quantity
from shardwise.kinds.base import Kind
from shardwise.question import Question

OURS: tuple[Kind[Any, Any, Any], ...] = (
    quantity.KIND,
    choice.KIND,
    order.KIND,
    match.KIND,
    formula.KIND,
    code.KIND,
    bugline.KIND,
)


@cache
def kinds() -> dict[str, Kind[Any, Any, Any]]:
    """Every kind by name, ours first."""
    found = {kind.name: kind for kind in OURS}
    for entry in entry_points(group="shardwise.kinds"):
        found.setdefault(entry.name, entry.load())
    return found


def kind_of(question: Question) -> Kind[Any, Any, Any]:
    """The kind of a question."""
    return kinds()[question.kind]


def text_of(question: Question) -> str:
    """Prompt and body of a question in one Markdown text, for wherever there is no form."""
    return f"{question.prompt}\n\n{kind_of(question).body(question.form)}".strip()


def variable_of(question: Question) -> str:
    """The name under which a notebook keeps the answer."""
    return kind_of(question).variable(question.form, question.variable)
