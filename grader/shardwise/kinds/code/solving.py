"""Solving the cases of a function: the results of the reference and of the mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import plain
from shardwise.kinds.code.model import CodeCase, CodeTemplate
from shardwise.kinds.inputs import Case
from shardwise.template.draw import Draw
from shardwise.units import from_base


def counted(template: CodeTemplate, case: Case, draw: Draw) -> Any:
    """Return the oracle's result for a case, in the answer's unit."""
    answer, references = template.answer, draw.references
    given = references.call(references.oracle(answer.oracle), {**draw.values, **case.base}, answer.arguments)
    return in_unit(given, answer.unit)


def solved_input(template: CodeTemplate, case: Case, draw: Draw) -> CodeCase | None:
    """Return an input with what the reference and the mistakes return; None if the reference refuses an ordinary input."""
    answer, references = template.answer, draw.references
    try:
        key = references.call(references.reference(answer.reference), {**draw.values, **case.base}, answer.arguments)
    except ValueError:
        if not case.edge:
            return None
        return CodeCase(inputs=case.shown, expected=None, raises=True, edge=True,
                        mistakes=(None,) * len(template.mistakes))  # fmt: skip
    wrong = [
        _value_or_none(draw, mistake.value or 0, {**case.base, "key": key})
        if mistake.factor is None
        else key * mistake.factor
        for mistake in template.mistakes
    ]
    return CodeCase(
        inputs=case.shown,
        expected=in_unit(key, answer.unit),
        edge=case.edge,
        mistakes=tuple(in_unit(value, answer.unit) for value in wrong),
    )


def in_unit(value: Any, unit_text: str | None) -> Any:
    """Return a number in a unit, and anything else unchanged."""
    value = plain(value)
    if unit_text is None or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return from_base(value, unit_text)


def _value_or_none(draw: Draw, text: str | int | float, names: Mapping[str, Any]) -> Any:
    try:
        return draw.evaluate(text, **names)
    except ShardwiseError:  # a wrong implementation may divide by zero even if the right one does not
        return None
