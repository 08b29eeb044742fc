"""Judging combinations: what the reference gives for one, and what a constraint finds for all of them."""

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

Names = Mapping[str, Any]  # what an expression about one combination may name, beside the parameters
RESULT = "result"  # what a reference gives that returns a number alone


class Spot:
    """A place in a text that is filled in when an answer is marked: `{{ seen }}`, or the value of an axis."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"\ue000{self.name}\ue001"


def spots(template: LayoutTemplate) -> dict[str, Spot]:
    """The axes of a template as places in a text."""
    return {axis: Spot(axis) for axis in template.answer.axes}


def judge_of(draw: Draw, answer: Answer, form: LayoutForm, *, is_oracle: bool) -> Callable[[Layout], Names]:
    """What gives the axes of a combination by name, and what the reference, or its oracle, says of it.

    It raises ShardwiseError. Arguments that name no axis are evaluated once for all combinations.
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
        except BadExpression:  # it names an axis; or it is wrong, which is said when it is evaluated with one
            varying[argument] = written

    def judge(row: Layout) -> Names:
        axes = dict(zip(names, row, strict=True))
        found = references.call(function, {**known, **axes}, varying)
        if isinstance(found, int | float):
            return {**axes, RESULT: found}
        if not isinstance(found, Mapping):
            raise ShardwiseError(f"{name} gives {found!r:.40}, which is neither a number nor a dictionary of measures")
        if taken := sorted((axes.keys() | draw.values.keys()) & found.keys()):
            raise ShardwiseError(f"{name} gives {', '.join(taken)}, which is an axis or a parameter; rename that")
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
    """What a constraint finds for each combination that runs so far; `before` are those that were looked at."""
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
    """The words of the faults of each combination that are among those of a constraint."""
    words: list[str] = []
    say = prose(constraint.say, {**draw.printed, **spots(template), "seen": Spot("seen")})
    seen: list[Number | None] = [None] * len(named)
    for place in running:
        broken = [said for name, said in _told(named[place], template) if name in constraint.faults]
        seen[place] = NO_FAULT
        if broken:
            told = "; ".join(broken)
            told = f"{told[0].upper()}{told[1:].removesuffix('.')}."
            words += [told] if told not in words else []
            seen[place] = words.index(told)
    return JudgedConstraint(seen=tuple(seen), words=tuple(words), hard=constraint.hard, say=say)


def _told(names: Names, template: LayoutTemplate) -> Iterator[tuple[str, str]]:
    """The faults that the reference gives for a combination, and their words."""
    given = names.get("faults")
    for fault in given if isinstance(given, list | tuple) else [given]:
        if not isinstance(fault, Mapping) or "constraint" not in fault or not str(fault.get("words", "")).strip():
            raise ShardwiseError(
                f"{template.answer.reference} gives {given!r:.60} as `faults`; that has to be a list of dictionaries, "
                "each with `constraint` and `words`"
            )
        yield str(fault["constraint"]), str(fault["words"]).strip()


def _best(
    constraint: Constraint, seen: Sequence[Number | None], before: Sequence[JudgedConstraint]
) -> dict[str, Number]:
    """The best that the combinations reach which meet all constraints before this one."""
    found = [number for place, number in enumerate(seen) if number is not None and is_right(before, place)]
    if not found:
        raise Reject("no combination meets the other constraints")
    return {"best": max(found) if constraint.at_least is not None else min(found)}


def _number(value: Any, constraint: Constraint) -> Number | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or abs(value) == float("inf"):
        raise ShardwiseError(f"the constraint {constraint.id} finds {value!r:.40}, which is no number")
    return kept(value)


def _limit(value: Any, constraint: Constraint) -> Number:
    limit = _number(value, constraint)
    if limit is None:
        raise ShardwiseError(f"the constraint {constraint.id} has no limit here")
    return limit


def shown_limit(constraint: JudgedConstraint) -> str:
    """A limit in its author's unit."""
    limit = limit_of(constraint)
    return "" if limit is None else show_amount(limit, constraint.unit)
