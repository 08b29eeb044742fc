"""The grid of a question: every combination of the options that satisfies the product rule, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from math import prod

from shardwise_bank.kinds.layout.model import LayoutForm, Option

Layout = tuple[Option, ...]  # a value for each axis, in the order of the axes


def combinations(form: LayoutForm) -> tuple[Layout, ...]:
    """Return every combination that satisfies the product rule; the first axis varies slowest."""
    return tuple(_places(form))


def place_in_grid(form: LayoutForm, layout: Layout) -> int | None:
    """Return the index of a combination in that order; None when it breaks the product rule or a value is not an option."""
    return _places(form).get(layout)


def size(form: LayoutForm) -> int:
    """Count the combinations before the product rule."""
    return prod(len(axis.options) or 1 for axis in form.axes)


@lru_cache(maxsize=32)
def _places(form: LayoutForm) -> Mapping[Layout, int]:
    return {layout: place for place, layout in enumerate(_all(form))}


def _all(form: LayoutForm) -> Iterator[Layout]:
    for picked in product(*(axis.options or (0,) for axis in form.axes)):
        layout = {axis.name: value for axis, value in zip(form.axes, picked, strict=True)}
        for axis in form.axes:
            if not axis.options:  # at most one axis has none
                layout[axis.name] = remaining(form, layout, axis.name) or 0
        if product_of(form, layout) == form.number:
            yield tuple(layout.values())


def product_of(form: LayoutForm, layout: Mapping[str, Option]) -> int:
    """Return the product of the axes in the product rule; without a rule, the required number."""
    return prod(int(layout[name]) for name in form.of) if form.of else form.number


def remaining(form: LayoutForm, layout: Mapping[str, Option], name: str) -> int | None:
    """Return the value that the product rule leaves for an axis; None when the others do not divide the number."""
    others = prod(int(layout[other]) for other in form.of if other != name)
    return form.number // others if others and form.number % others == 0 else None
