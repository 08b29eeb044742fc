"""Deadlines: how long an attempt and each of its units may take, kept by who watches the job."""

from __future__ import annotations

from .messages import JobRequest
from .shared_memory import CALL_LIMIT, NO_STEP, RunProgress


class Deadlines:
    """The clock of one attempt.

    What a job says of its progress may be forged. A unit's time begins when it is first seen, and no sign of life makes it begin
    again; an honest job goes from unit to unit and never back, and to none that it does not have. All that a cell can do is
    pass for the units behind it and take their time, as if its code stood in them. The attempt's own limit does not depend on what a job says.
    """

    def __init__(self, limits: JobRequest, began: float) -> None:
        self._limits = limits
        self._began = self._since = began
        self._unit: tuple[int, int] | None = None

    def passed(self, progress: RunProgress, now: float) -> str:
        """Which time limit is over: `limit` (of a unit), `deadline` (of the attempt), or none."""
        unit = None if progress.step == NO_STEP else (progress.step, progress.input)
        if unit is not None and (unit[0] >= self._limits.steps or unit[1] >= self._limits.inputs):
            return "limit"  # 10**6 more steps would each have a time of their own
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
