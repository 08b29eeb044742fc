"""Walks: the problems that `practice()` goes through without a problem's name, with the variant of each."""

from __future__ import annotations

from collections.abc import Sequence

from shardwise.bank.bank import Banks
from shardwise.student.progress.chapters import progress_of
from shardwise.student.progress.clock import now
from shardwise.student.progress.ending import ending
from shardwise.student.progress.events import Event


def walk(banks: Banks, events: Sequence[Event], chapter: str | None) -> tuple[list[tuple[str, str]], str]:
    """Return the problems and seeds left in a chapter, or of today's five, and what to say after the last of them."""
    found = progress_of(banks, events, now(), only=chapter)
    if chapter is not None:
        return [(row.problem.id, row.seed) for row in found.chapters[0].left], ending(banks, found.chapters[0])
    five = [(row.problem.id, row.seed) for row in found.daily()]
    said = "That was the last of today's five." if five else "Today's five are done."
    return five, f"**{said}** `practice(7)` asks what is left in chapter 7."
