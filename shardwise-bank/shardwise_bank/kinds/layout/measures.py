"""Bars for a layout: each measure that has a limit, as a share of that limit."""

from __future__ import annotations

from typing import Any

from shardwise.markdown.plain import to_plain
from shardwise.units import show_amount
from shardwise_bank.kinds.layout.grid import Layout, place_in_grid
from shardwise_bank.kinds.layout.model import JudgedConstraint, LayoutForm, LayoutKey
from shardwise_bank.kinds.layout.verdicts import limit_of, meets_limit
from shardwise_bank.kinds.layout.words import one_line

LONGEST_PERCENT = 250  # of the limit; a longer bar would only squeeze the others
KINDS = {
    "within": {"name": "within its limit", "colour": "blue"},
    "beyond": {"name": "✗ violates its limit", "colour": "red"},
}
NOT_READ = "The bars appear once every axis has a readable value."
NOT_MEASURED = "No bars: this layout was not evaluated. The verdict says why."


def is_drawn(constraint: JudgedConstraint) -> bool:
    """Return whether a constraint gets a bar: it limits a number, and a layout that breaks it is still evaluated."""
    return bool(limit_of(constraint)) and not constraint.hard


def bars(form: LayoutForm, key: LayoutKey, layout: Layout) -> dict[str, Any]:
    """Return a bar for each constraint with a number and a limit; or `why` there is none, as when a layout breaks a hard constraint."""
    place = place_in_grid(form, layout)
    rows, most, missed = [], 100.0, 0
    for asks, constraint in zip(form.asks, key.constraints.values(), strict=True):
        seen, limit = None if place is None else constraint.seen[place], limit_of(constraint)
        if seen is not None and limit and is_drawn(constraint):
            is_kept = meets_limit(constraint, seen)
            size = round(100 * seen / limit, 1)
            most, missed = max(most, size), missed + (not is_kept)
            rows.append(
                {
                    "name": to_plain(asks),
                    "text": f"{'' if is_kept else '✗ '}{show_amount(seen, constraint.unit)}",
                    "parts": [{"kind": "within" if is_kept else "beyond", "size": size}],
                }
            )
    if not rows:
        return {"why": NOT_MEASURED}
    return {
        "title": f"{one_line(form, layout)}, against its limits",
        "read": f"{missed} of {len(rows)} limits violated" if missed else "all limits shown are met",
        "axis": {"label": "% of the limit", "high": min(LONGEST_PERCENT, most)},
        "kinds": KINDS,
        "rows": rows,
        "limit": {"at": 100, "text": "limit"},
    }
