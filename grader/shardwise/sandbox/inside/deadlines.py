"""Deadlines: time limits for an attempt and each of its units, kept by the process that watches the job."""

from __future__ import annotations

from .messages import JobRequest
from .shared_memory import CALL_LIMIT, NO_STEP, RunProgress


class Deadlines:
    """The clock of one attempt.

    A job's progress may be forged. A unit's time starts when it is first seen and never restarts: an honest job goes forward
    from unit to unit, and only to units that exist. All that a cell can do is pretend to be later units and use their time, as
    if its code were in them. The attempt's limit does not depend on the reported progress.
    """

    def __init__(self, limits: JobRequest, began: float) -> None:
        self._limits = limits
        self._began = self._since = began
        self._unit: tuple[int, int] | None = None

    def passed(self, progress: RunProgress, now: float) -> str:
        """Return which time limit has passed: `limit` (of a unit), `deadline` (of the attempt), or an empty string."""
        unit = None if progress.step == NO_STEP else (progress.step, progress.input)
        if unit is not None and (unit[0] >= self._limits.steps or unit[1] >= self._limits.inputs):
            return "limit"  # 10**6 fake steps would each get their own time
        if unit != self._unit:
            if self._unit is not None:
                if unit is None or unit < self._unit:
                    return "limit"
                self._since = now
            self._unit = unit
        limit = self._limits.call_seconds if progress.limit == CALL_LIMIT else self._limits.cell_seconds
        if now - self._since > limit:
            return "limit"
        return "deadline" if now - self._began > self._limits.seconds else ""
