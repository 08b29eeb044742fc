"""The axes of a draw: options from an author's lists and expressions, and the required product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise_bank.kinds.layout import grid
from shardwise_bank.kinds.layout.model import ANY, MOST_OPTIONS, Axis, LayoutForm, LayoutTemplate, Option, ShownAxis

MOST_TRIED = 100_000  # combinations of options, before the product rule
LARGEST = 10**9  # of a number of GPUs


def form_of(template: LayoutTemplate, draw: Draw) -> LayoutForm:
    """Return the form of a draw, without the texts of its constraints. Raises ShardwiseError."""
    answer, product = template.answer, template.answer.product
    axes = tuple(_axis(draw, name, axis) for name, axis in answer.axes.items())
    form = LayoutForm(axes=axes, asks=())
    if product is not None:
        number = draw.evaluate(product.number)
        if not _is_whole(number) or not 1 <= number <= LARGEST:
            raise ShardwiseError(f"the product must be a whole number of at least 1, not {number!r:.40}")
        free = [axis.name for axis in axes if not axis.options]
        follows = product.follows or (free or [name for name in product.of if name == "dp"] or product.of[-1:])[0]
        form = LayoutForm(axes=axes, asks=(), of=product.of, number=int(number), noun=product.noun, follows=follows)
        for axis in axes:
            if axis.name in product.of and not all(_is_whole(value) and int(value) > 0 for value in axis.options):
                raise ShardwiseError(
                    f"{axis.name} is an axis of the product, but not all of its options are whole numbers"
                )
    if grid.size(form) > MOST_TRIED:
        raise ShardwiseError(f"the options have {grid.size(form):,} combinations before the product; offer fewer")
    return form


def _axis(draw: Draw, name: str, axis: Axis) -> ShownAxis:
    if axis.choices == ANY:
        options: tuple[Option, ...] = ()
    else:
        listed: Any = axis.choices
        if isinstance(listed, str):
            listed = draw.evaluate(listed, divisors=_divisors, powers=_powers)
        if not isinstance(listed, Sequence) or isinstance(listed, str) or not 1 <= len(listed) <= MOST_OPTIONS:
            raise ShardwiseError(
                f"the choices of {name} must be a list of 1 to {MOST_OPTIONS} values, not {listed!r:.60}"
            )
        options = tuple(_option(name, value) for value in listed)
    if len(set(options)) != len(options):
        raise ShardwiseError(f"{name} has an option twice")
    if axis.default is not None and options and axis.default not in options:
        raise ShardwiseError(f"the default of {name} is not one of its options")
    return ShownAxis(
        name=name, means=prose(axis.means, draw.printed), options=options, also=axis.also, default=axis.default
    )


def _option(name: str, value: Any) -> Option:
    if _is_whole(value):
        return int(value)
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ShardwiseError(f"{value!r:.40} cannot be an option of {name}: write whole numbers or words")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0


def _divisors(number: int) -> list[int]:
    """Return every divisor of a number, ascending."""
    if not _is_whole(number) or not 1 <= number <= 10**6:
        raise ShardwiseError(f"cannot list the divisors of {number!r:.40}: use a whole number up to a million")
    return [size for size in range(1, int(number) + 1) if number % size == 0]


def _powers(low: int, high: int) -> list[int]:
    """Return the powers of two from one number to another."""
    return [2**exponent for exponent in range(40) if low <= 2**exponent <= high]
