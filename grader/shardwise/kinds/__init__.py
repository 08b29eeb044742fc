"""The kinds of questions: one greppable tuple, and an entry-point group `shardwise.kinds` for outside packages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from shardwise.kinds import bugline, choice, code, formula, order, quantity
from shardwise.kinds.base import Kind

OURS: tuple[Kind[Any, Any, Any], ...] = (
    quantity.KIND,
    choice.KIND,
    order.KIND,
    formula.KIND,
    code.KIND,
    bugline.KIND,
)


@cache
def kinds() -> dict[str, Kind[Any, Any, Any]]:
    """Every kind by name, ours first."""
    found = {one.name: one for one in OURS}
    for entry in entry_points(group="shardwise.kinds"):
        found.setdefault(entry.name, entry.load())
    return found
