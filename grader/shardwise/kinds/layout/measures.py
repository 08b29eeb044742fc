"""Bars for a layout that was checked: each number that has a limit, as a share of that limit."""

from __future__ import annotations

from typing import Any

from shardwise.kinds.layout.grid import Layout, place_of
from shardwise.kinds.layout.model import LayoutForm, LayoutKey
from shardwise.kinds.layout.verdicts import holds, limit_of
from shardwise.kinds.layout.words import one_line
from shardwise.markdown.html import to_plain
from shardwise.units import show

LONGEST_PERCENT = 250  # of the limit: a longer bar says no more, and would leave no room to the others
KINDS = {
    "within": {"name": "keeps its limit", "colour": "blue"},
    "beyond": {"name": "misses its limit", "colour": "red"},
}


def bars(form: LayoutForm, key: LayoutKey, layout: Layout) -> dict[str, Any] | None:
    """A bar for each constraint with a number and a limit; None where there is none, as for a layout that cannot run."""
    place = place_of(form, layout)
    rows, most = [], 100.0
    for asks, constraint in zip(form.asks, key.constraints.values(), strict=True):
        seen, limit = None if place is None else constraint.seen[place], limit_of(constraint)
        if seen is not None and limit and not constraint.hard:
            kind = "within" if holds(constraint, seen) else "beyond"
            size = round(100 * seen / limit, 1)
            most = max(most, size)
            parts = [{"kind": kind, "size": size}]
            rows.append({"name": to_plain(asks), "text": show(seen, constraint.unit), "parts": parts})
    if not rows:
        return None
    return {
        "title": f"What {one_line(form, layout)} comes to, against its limits",
        "axis": {"label": "% of the limit", "high": min(LONGEST_PERCENT, most)},
        "kinds": KINDS,
        "rows": rows,
        "limit": {"at": 100, "text": "limit"},
    }
