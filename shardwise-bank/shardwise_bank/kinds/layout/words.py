"""What is said about a layout: the rule that it breaks with its numbers, or what it reaches; and the question's own rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shardwise.units import show_amount
from shardwise_bank.kinds.layout import grid
from shardwise_bank.kinds.layout.grid import Layout
from shardwise_bank.kinds.layout.model import JudgedConstraint, LayoutForm, LayoutKey, Option
from shardwise_bank.kinds.layout.reading import choices, written_option
from shardwise_bank.kinds.layout.verdicts import CLOSE, Number, is_close, is_met, meets_limit

_SPOT = re.compile("\ue000(\\w+)\ue001")


def rules(form: LayoutForm) -> str:
    """The axes, the product and the constraints, as Markdown below the prompt."""
    axes = "\n".join(f"- `{axis.name}`{f', {axis.means}' if axis.means else ''}: {choices(axis)}" for axis in form.axes)
    return f"Choose a value for each of these:\n\n{axes}\n\n{demands(form)}"


def demands(form: LayoutForm) -> str:
    """The product rule and the constraints."""
    product = f"{_of(form)} has to be {written_option(form.number)}, the number of {form.noun}." if form.of else ""
    asks = "\n".join(f"- {text}" for text in form.asks)
    return f"{product}\n\n**A combination is right when all of this holds:**\n\n{asks}".strip()


def _of(form: LayoutForm) -> str:
    return " · ".join(f"`{name}`" for name in form.of)


def one_line(form: LayoutForm, layout: Layout) -> str:
    """A layout as it is repeated to the student."""
    return ", ".join(f"{axis.name} {written_option(value)}" for axis, value in zip(form.axes, layout, strict=True))


def off_the_product(form: LayoutForm, layout: Layout) -> str:
    """What the product of the axes is, and what was probably forgotten or counted too much."""
    named = named_of(form, layout)
    sizes = " · ".join(written_option(named[name]) for name in form.of)
    product = grid.product_of(form, named)
    told = (
        f"{_of(form)} is {sizes} = {written_option(product)}, and there are {written_option(form.number)} {form.noun}."
    )
    if product % form.number == 0:
        for name in form.of:
            if int(named[name]) * form.number == product:
                return f"{told} Without `{name}` it would be {written_option(form.number)}, but that axis takes {form.noun}, too."
    for axis in form.axes:
        size = named[axis.name]
        if axis.name not in form.of and isinstance(size, int) and size > 1 and product * size == form.number:
            return f"{told} With `{axis.name}` it would be {written_option(form.number)}, but that axis takes no {form.noun} of its own here."
    return told


def named_of(form: LayoutForm, layout: Layout) -> Mapping[str, Option]:
    """A layout by the names of its axes."""
    return {axis.name: value for axis, value in zip(form.axes, layout, strict=True)}


def broken_constraints(form: LayoutForm, key: LayoutKey, layout: Layout, place: int) -> str:
    """The constraints that a layout breaks, with its numbers; where a hard one is among them, only that."""
    met = {name: meets_limit(constraint, constraint.seen[place]) for name, constraint in key.constraints.items()}
    hard = [name for name, constraint in key.constraints.items() if constraint.hard and not met[name]]
    named = named_of(form, layout)
    if hard:
        first = next((name for name in hard if key.constraints[name].seen[place] is not None), hard[0])
        said = _said(key.constraints[first], key.constraints[first].seen[place], named)
        return f"{_kept_from(form, key, first)} {said}"
    told = [
        _said(constraint, constraint.seen[place], named)
        for name, constraint in key.constraints.items()
        if not met[name]
    ]
    if any(constraint.required and not met[name] for name, constraint in key.constraints.items()):
        count = "This layout earns nothing as it is."
    else:
        count = f"{sum(met.values())} of {len(met)} constraints hold." if len(met) > 1 else ""
    return "\n\n".join(filter(None, [count, *told]))


def _kept_from(form: LayoutForm, key: LayoutKey, name: str) -> str:
    """What a broken hard constraint does: a fault keeps a layout from running; a limit is a condition that the question sets."""
    if key.constraints[name].words is not None:
        return "This layout cannot run."
    asks = dict(zip(key.constraints, form.asks, strict=True))[name]
    return f"This layout breaks a condition of the question: {asks}. Nothing else was looked at."


def _said(constraint: JudgedConstraint, seen: Number | None, named: Mapping[str, Option]) -> str:
    """An author's words about a broken constraint, filled in, or a fault's own."""
    if constraint.words is not None and not constraint.say:
        return constraint.words[int(seen)] if seen is not None else ""

    def filled(found: re.Match[str]) -> str:
        name = found[1]
        if name != "seen":
            return written_option(named[name])
        if constraint.words is not None:
            return constraint.words[int(seen or 0)]
        return show_amount(seen, constraint.unit) if seen is not None else "nothing"

    return _SPOT.sub(filled, constraint.say)


def filled_in(text: str, named: Mapping[str, Option]) -> str:
    """An author's words with the values of axes in them."""
    return _SPOT.sub(lambda found: written_option(named[found[1]]), text)


def reached(form: LayoutForm, key: LayoutKey, place: int) -> str:
    """What a right layout reaches, constraint by constraint."""
    return "\n".join(f"- {line}" for line in _measured(form, key, place))


def _measured(form: LayoutForm, key: LayoutKey, place: int) -> Iterator[str]:
    for asks, constraint in zip(form.asks, key.constraints.values(), strict=True):
        seen = constraint.seen[place]
        if constraint.words is not None or seen is None:  # a fault that there is not has no number
            yield asks
        elif is_close(constraint, seen) and not is_met(constraint, seen):
            yield f"{asks}: {show_amount(seen, constraint.unit)}, which is within {CLOSE:.0%} of the limit and counts"
        else:
            yield f"{asks}: {show_amount(seen, constraint.unit)}"
