"""Dates in words, independent of the machine's language."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def in_words(moment: datetime) -> str:
    """Return a time in words, with its offset.

    >>> in_words(datetime.fromisoformat("2026-12-01T23:59:00+01:00"))
    'Tuesday, 1 December 2026, 23:59 (UTC+01:00)'
    """
    return f"{moment:%A}, {moment.day} {moment:%B %Y}, {moment:%H:%M} ({moment.tzname()})"


def _no_number(due: Any) -> Any:
    # 20261201 would be read as seconds since 1970, and everybody would be late
    if isinstance(due, int | float) or (isinstance(due, str) and not _is_date(due)):
        raise ValueError(f"a due date looks like 2026-12-01T23:59:00+01:00 or ...Z, not {due!r}")
    return due


def _with_offset(due: datetime) -> datetime:
    if due.tzinfo is None:
        raise ValueError("a due date needs an offset, such as 2026-12-01T23:59:00+01:00 or ...Z")
    if not _FIRST_YEAR <= due.year <= _LAST_YEAR:  # an offset or a grace period would leave the calendar
        raise ValueError(
            f"a due date needs a year from {_FIRST_YEAR} to {_LAST_YEAR}; without a due date nothing is late"
        )
    return due


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text.strip())
    except ValueError:
        return False
    return "-" in text.strip()[1:]


DueDate = Annotated[datetime, BeforeValidator(_no_number), AfterValidator(_with_offset)]
