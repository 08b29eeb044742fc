"""Solving the cases of a function: what the reference returns on each, and what the mistakes do."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import plain
from shardwise.kinds.code.model import CodeCase, CodeTemplate
from shardwise.kinds.inputs import Case
from shardwise.template.draw import Draw
from shardwise.units import from_base

MOST_REMEMBERED = 50_000  # cases of a bank in a process, a few hundred bytes each


def solved_case(template: CodeTemplate, case: Case, draw: Draw) -> CodeCase | None:
    """A case with what the reference and the mistakes return."""
    wrong = tuple((mistake.factor, mistake.value) for mistake in template.mistakes)
    solved: CodeCase | None = _kept(template, case, draw, (wrong, case.edge), _case)
    return solved


def counted(template: CodeTemplate, case: Case, draw: Draw) -> Any:
    """What the oracle gives for a case, in the answer's unit."""
    return _kept(template, case, draw, ("counted",), _count)


def _kept(
    template: CodeTemplate, case: Case, draw: Draw, more: Hashable, make: Callable[[CodeTemplate, Case, Draw], Any]
) -> Any:
    """What is made of a case. It is kept, since students of a class share most inputs, and seeds of the lint do."""
    answer, memo = template.answer, draw.references.memo
    how = (answer.reference, answer.oracle, tuple(answer.arguments.items()), answer.unit)
    given = (tuple(draw.values.items()), tuple(case.base.items()), tuple(case.shown.items()))
    key = ("a case", how, given, more)
    if key not in memo:
        if len(memo) > MOST_REMEMBERED:
            memo.clear()
        memo[key] = make(template, case, draw)
    return memo[key]


def _count(template: CodeTemplate, case: Case, draw: Draw) -> Any:
    answer, references = template.answer, draw.references
    given = references.call(references.oracle(answer.oracle), {**draw.values, **case.base}, answer.arguments)
    return in_unit(given, answer.unit)


def _case(template: CodeTemplate, case: Case, draw: Draw) -> CodeCase | None:
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
    """A number in a unit; anything else as it is."""
    value = plain(value)
    if unit_text is None or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return from_base(value, unit_text)


def _value_or_none(draw: Draw, text: str | int | float, names: Mapping[str, Any]) -> Any:
    try:
        return draw.evaluate(text, **names)
    except ShardwiseError:  # a wrong implementation may divide by zero where the right one does not
        return None
