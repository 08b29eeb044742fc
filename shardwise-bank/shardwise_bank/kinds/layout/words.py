"""The texts about a layout: the rules of the question, the constraints that a layout breaks, or the values that it reaches."""

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
    """Return the axes, the product and the constraints as Markdown, for below the prompt."""
    axes = "\n".join(f"- `{axis.name}`{f', {axis.means}' if axis.means else ''}: {choices(axis)}" for axis in form.axes)
    return f"Choose a value for each axis:\n\n{axes}\n\n{demands(form)}"


def demands(form: LayoutForm) -> str:
    """Return the product rule and the constraints as Markdown."""
    product = f"{_of(form)} must equal {written_option(form.number)}, the number of {form.noun}." if form.of else ""
    asks = "\n".join(f"- {text}" for text in form.asks)
    return f"{product}\n\n**A layout is right if it meets all of these constraints:**\n\n{asks}".strip()


def _of(form: LayoutForm) -> str:
    return " · ".join(f"`{name}`" for name in form.of)


def one_line(form: LayoutForm, layout: Layout) -> str:
    """Return a layout in one line."""
    return ", ".join(f"{axis.name} {written_option(value)}" for axis, value in zip(form.axes, layout, strict=True))


def off_the_product(form: LayoutForm, layout: Layout) -> str:
    """Explain a wrong product, and name the axis that was probably forgotten or wrongly included."""
    named = named_of(form, layout)
    sizes = " · ".join(written_option(named[name]) for name in form.of)
    product = grid.product_of(form, named)
    fact = (
        f"{_of(form)} is {sizes} = {written_option(product)}, but there are {written_option(form.number)} {form.noun}."
    )
    if product % form.number == 0:
        for name in form.of:
            if int(named[name]) * form.number == product:
                return f"{fact} Without `{name}` it would be {written_option(form.number)}, but that axis also uses {form.noun}."
    for axis in form.axes:
        size = named[axis.name]
        if axis.name not in form.of and isinstance(size, int) and size > 1 and product * size == form.number:
            return f"{fact} With `{axis.name}` it would be {written_option(form.number)}, but here that axis uses no additional {form.noun}."
    return fact


def named_of(form: LayoutForm, layout: Layout) -> Mapping[str, Option]:
    """Return a layout by the names of its axes."""
    return {axis.name: value for axis, value in zip(form.axes, layout, strict=True)}


def broken_constraints(form: LayoutForm, key: LayoutKey, layout: Layout, place: int) -> str:
    """Name the constraints that a layout breaks, with its numbers; if one of them is hard, only that one."""
    met = {name: meets_limit(constraint, constraint.seen[place]) for name, constraint in key.constraints.items()}
    hard = [name for name, constraint in key.constraints.items() if constraint.hard and not met[name]]
    named = named_of(form, layout)
    if hard:
        first = next((name for name in hard if key.constraints[name].seen[place] is not None), hard[0])
        remark = _remark(key.constraints[first], key.constraints[first].seen[place], named)
        return f"{_consequence(form, key, first)} {remark}"
    remarks = [
        _remark(constraint, constraint.seen[place], named)
        for name, constraint in key.constraints.items()
        if not met[name]
    ]
    if any(constraint.required and not met[name] for name, constraint in key.constraints.items()):
        count = "This layout earns no points."
    else:
        count = f"This layout meets {sum(met.values())} of {len(met)} constraints." if len(met) > 1 else ""
    return "\n\n".join(filter(None, [count, *remarks]))


def _consequence(form: LayoutForm, key: LayoutKey, name: str) -> str:
    """State the consequence of a broken hard constraint: a fault keeps a layout from running; a limit is set by the question."""
    if key.constraints[name].words is not None:
        return "This layout cannot run."
    asks = dict(zip(key.constraints, form.asks, strict=True))[name]
    return f"This layout breaks a mandatory constraint: {asks}. The others were not checked."


def _remark(constraint: JudgedConstraint, seen: Number | None, named: Mapping[str, Option]) -> str:
    """Return an author's text about a broken constraint, filled in, or the message of a fault."""
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
    """Fill the values of axes into an author's text."""
    return _SPOT.sub(lambda found: written_option(named[found[1]]), text)


def reached(form: LayoutForm, key: LayoutKey, place: int) -> str:
    """List the values that a right layout reaches, constraint by constraint."""
    return "\n".join(f"- {line}" for line in _measured(form, key, place))


def _measured(form: LayoutForm, key: LayoutKey, place: int) -> Iterator[str]:
    for asks, constraint in zip(form.asks, key.constraints.values(), strict=True):
        seen = constraint.seen[place]
        if constraint.words is not None or seen is None:  # no number to show
            yield asks
        elif is_close(constraint, seen) and not is_met(constraint, seen):
            yield f"{asks}: {show_amount(seen, constraint.unit)}, within {CLOSE:.0%} of the limit, which counts"
        else:
            yield f"{asks}: {show_amount(seen, constraint.unit)}"
