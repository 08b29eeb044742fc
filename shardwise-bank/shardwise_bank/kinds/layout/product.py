"""The product of a layout while a student chooses it: the product so far, and what it leaves for the other axes."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from shardwise.kinds.blanks import is_blank
from shardwise_bank.kinds.layout.model import LayoutForm, ShownAxis
from shardwise_bank.kinds.layout.reading import written_option


def product_so_far(form: LayoutForm, raw: Any) -> dict[str, Any]:
    """Return the product of the axes that have a value, and the required product; nothing about the constraints."""
    if not form.of or not isinstance(raw, Mapping):
        return {}
    sizes = {axis.name: _size(axis, raw.get(axis.name)) for axis in form.axes if axis.name in form.of}
    given = {name: sizes[name] for name in form.of if sizes[name] is not None}
    product = prod(size for size in given.values() if size is not None)
    return {"used": product if given else 0, "of": form.number, "read": _sentence(form, given, product)}


def _size(axis: ShownAxis, value: Any) -> int | None:
    """Return the chosen value of an axis; None when there is none, or when it is not a valid count."""
    if is_blank(value) or isinstance(value, bool):
        return None
    try:
        size = int(str(value).strip()[:20])
    except ValueError:
        return None
    return size if size > 0 and (not axis.options or size in axis.options) else None


def _sentence(form: LayoutForm, given: Mapping[str, int | None], product: int) -> str:
    """Return the product in a sentence, and what it leaves for the axes without a value."""
    number = f"{written_option(form.number)} {form.noun}"
    missing = [name for name in form.of if name not in given]
    if not given:
        return f"{' · '.join(form.of)} must equal {number}."
    sizes = " · ".join(f"{name} {written_option(size)}" for name, size in given.items() if size is not None)
    so_far = f"{sizes} = {written_option(product)}" if len(given) > 1 else sizes
    if not missing:
        return f"{so_far}, as required." if product == form.number else f"{so_far}, but there are {number}."
    if form.number % product:
        return f"{so_far}, which does not divide {number}."
    rest = f"{so_far}, which leaves {written_option(form.number // product)} for {' · '.join(missing)}"
    return f"{rest}." if missing != [form.follows] else f"{rest}. You may leave it empty."
