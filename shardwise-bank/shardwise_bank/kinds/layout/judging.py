"""Evaluating combinations: what the reference returns for one, and what a constraint measures for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from shardwise.errors import Reject, ShardwiseError
from shardwise.template.draw import Draw
from shardwise.template.expressions import BadExpression, prose
from shardwise.units import show_amount
from shardwise_bank.kinds.layout.grid import Layout
from shardwise_bank.kinds.layout.model import Answer, Constraint, JudgedConstraint, LayoutForm, LayoutTemplate
from shardwise_bank.kinds.layout.verdicts import NO_FAULT, Number, is_right, kept, limit_of

Names = Mapping[str, Any]  # what an expression about one combination may use, besides the parameters
RESULT = "result"  # the name of a number that a reference returns instead of a dictionary


class Spot:
    """A placeholder in a text, filled in when an answer is marked: `{{ seen }}`, or the value of an axis."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"\ue000{self.name}\ue001"


def spots(template: LayoutTemplate) -> dict[str, Spot]:
    """Return the axes of a template as placeholders."""
    return {axis: Spot(axis) for axis in template.answer.axes}


def judge_of(draw: Draw, answer: Answer, form: LayoutForm, *, is_oracle: bool) -> Callable[[Layout], Names]:
    """Return a function from a combination to its axes by name, with what the reference or its oracle returns for it.

    That function raises ShardwiseError. Arguments that use no axis are evaluated once for all combinations.
    """
    name, references = (answer.oracle if is_oracle else answer.reference), draw.references
    names = [axis.name for axis in form.axes]
    if name is None:
        return lambda row: dict(zip(names, row, strict=True))
    function = references.oracle(name) if is_oracle else references.reference(name)
    known, varying = dict(draw.values), {}
    for argument, written in answer.arguments.items():
        try:
            known[argument] = draw.evaluate(written)
        except BadExpression:  # it uses an axis; if it is wrong, evaluating it with one will report that
            varying[argument] = written

    def judge(row: Layout) -> Names:
        axes = dict(zip(names, row, strict=True))
        found = references.call(function, {**known, **axes}, varying)
        if isinstance(found, int | float):
            return {**axes, RESULT: found}
        if not isinstance(found, Mapping):
            raise ShardwiseError(
                f"{name} returns {found!r:.40}, which is neither a number nor a dictionary of measures"
            )
        if taken := sorted((axes.keys() | draw.values.keys()) & found.keys()):
            raise ShardwiseError(
                f"{name} returns {', '.join(taken)}, which is also an axis or a parameter; rename one of them"
            )
        return {**axes, **found}

    return judge


def column_of(
    draw: Draw,
    template: LayoutTemplate,
    constraint: Constraint,
    named: Sequence[Names],
    running: Sequence[int],
    before: Sequence[JudgedConstraint],
) -> JudgedConstraint:
    """Measure a constraint for each combination that still runs; `before` are the constraints already measured."""
    if constraint.of is None:
        return _faults_of(draw, template, constraint, named, running)
    seen: list[Number | None] = [None] * len(named)
    for place in running:
        names = named[place]
        is_name = isinstance(constraint.of, str) and constraint.of in names
        found = names[str(constraint.of)] if is_name else draw.evaluate(constraint.of, **names)
        seen[place] = _number(found, constraint)
    limits: dict[str, Number] = {}
    for bound, written in (("at_most", constraint.at_most), ("at_least", constraint.at_least)):
        if written is not None:
            known = _best(constraint, seen, before) if constraint.is_relative else {}
            limits[bound] = _limit(draw.evaluate(written, **known), constraint)
    made = JudgedConstraint(
        seen=tuple(seen),
        **limits,
        unit=constraint.unit,
        hard=constraint.hard,
        required=constraint.required,
        counts=constraint.too_close == "counts",
    )
    names = {**draw.printed, **spots(template), "seen": Spot("seen"), "limit": shown_limit(made)}
    return made.model_copy(update={"say": prose(constraint.say, names)})


def _faults_of(
    draw: Draw, template: LayoutTemplate, constraint: Constraint, named: Sequence[Names], running: Sequence[int]
) -> JudgedConstraint:
    """Collect the messages of each combination's faults, for those faults that a constraint names."""
    words: list[str] = []
    say = prose(constraint.say, {**draw.printed, **spots(template), "seen": Spot("seen")})
    seen: list[Number | None] = [None] * len(named)
    for place in running:
        broken = [text for name, text in _fault_words(named[place], template) if name in constraint.faults]
        seen[place] = NO_FAULT
        if broken:
            message = "; ".join(broken)
            message = f"{message[0].upper()}{message[1:].removesuffix('.')}."
            words += [message] if message not in words else []
            seen[place] = words.index(message)
    return JudgedConstraint(seen=tuple(seen), words=tuple(words), hard=constraint.hard, say=say)


def _fault_words(names: Names, template: LayoutTemplate) -> Iterator[tuple[str, str]]:
    """Yield the faults that the reference returns for a combination, with their messages."""
    given = names.get("faults")
    for fault in given if isinstance(given, list | tuple) else [given]:
        if not isinstance(fault, Mapping) or "constraint" not in fault or not str(fault.get("words", "")).strip():
            raise ShardwiseError(
                f"{template.answer.reference} returns {given!r:.60} as `faults`; that must be a list of dictionaries, "
                "each with `constraint` and `words`"
            )
        yield str(fault["constraint"]), str(fault["words"]).strip()


def _best(
    constraint: Constraint, seen: Sequence[Number | None], before: Sequence[JudgedConstraint]
) -> dict[str, Number]:
    """Return the best value among the combinations that meet all constraints before this one."""
    found = [number for place, number in enumerate(seen) if number is not None and is_right(before, place)]
    if not found:
        raise Reject("no combination meets the other constraints")
    return {"best": max(found) if constraint.at_least is not None else min(found)}


def _number(value: Any, constraint: Constraint) -> Number | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise ShardwiseError(f"the constraint {constraint.id} finds {value!r:.40}, which is not a number")
    return kept(value)


def _limit(value: Any, constraint: Constraint) -> Number:
    limit = _number(value, constraint)
    if limit is None:
        raise ShardwiseError(f"the limit of the constraint {constraint.id} is None in this draw")
    return limit


def shown_limit(constraint: JudgedConstraint) -> str:
    """Return a limit in its author's unit."""
    limit = limit_of(constraint)
    return "" if limit is None else show_amount(limit, constraint.unit)
