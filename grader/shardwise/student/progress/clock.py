"""The clock by which progress is kept: what is due depends on it, so a test can set it."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime

VARIABLE = "SHARDWISE_NOW"  # such as 2026-12-01T09:00; without a zone it is UTC


def now() -> datetime:
    """The time, in UTC; what SHARDWISE_NOW says where it is set."""
    with suppress(ValueError):
        if named := os.environ.get(VARIABLE):
            moment = datetime.fromisoformat(named)
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return datetime.now(UTC)
