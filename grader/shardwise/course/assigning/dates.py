"""Dates in words, independent of the machine's language."""

from __future__ import annotations

from datetime import datetime


def in_words(moment: datetime) -> str:
    """Return a time in words, with its offset.

    >>> in_words(datetime.fromisoformat("2026-12-01T23:59:00+01:00"))
    'Tuesday, 1 December 2026, 23:59 (UTC+01:00)'
    """
    return f"{moment:%A}, {moment.day} {moment:%B %Y}, {moment:%H:%M} ({moment.tzname()})"
