"""The clock of progress, which tests can set, since it decides what is due."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime

VARIABLE = "SHARDWISE_NOW"  # such as 2026-12-01T09:00; without a zone it is UTC


def now() -> datetime:
    """Return the current time in UTC, or the time in SHARDWISE_NOW if that is set."""
    with suppress(ValueError):
        if named := os.environ.get(VARIABLE):
            moment = datetime.fromisoformat(named)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return datetime.now(UTC)
