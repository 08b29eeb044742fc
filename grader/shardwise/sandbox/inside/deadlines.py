"""Deadlines: how long an attempt and each of its units may take, kept by who watches the job."""

from __future__ import annotations

from .shared_memory import CALL_LIMIT, NO_STEP, Progress


class Deadlines:
    """The clock of one attempt.

    What a job says of its progress may be forged. A unit's time begins when it is first seen, and no sign of life makes it begin
    again; an honest job goes from unit to unit and never back, and to none that it does not have. All that a cell can do is
    pass for the units behind it and take their time, as if its code stood in them. The attempt's own limit does not depend on what a job says.
    """

    def __init__(
        self, *, cell_seconds: float, call_seconds: float, seconds: float, began: float, steps: int, inputs: int
    ) -> None:
        self._cell_seconds, self._call_seconds, self._seconds = cell_seconds, call_seconds, seconds
        self._began = self._since = began
        self._steps, self._inputs = steps, inputs
        self._unit: tuple[int, int] | None = None

    def passed(self, progress: Progress, now: float) -> str:
        """Which time limit is over: `limit` (of a unit), `deadline` (of the attempt), or none."""
        unit = None if progress.step == NO_STEP else (progress.step, progress.input)
        if unit is not None and (unit[0] >= self._steps or unit[1] >= self._inputs):
            return "limit"  # 10**6 more steps would each have a time of their own
        if unit != self._unit:
            if self._unit is not None:
                if unit is None or unit < self._unit:
                    return "limit"
                self._since = now
            self._unit = unit
        limit = self._call_seconds if progress.limit == CALL_LIMIT else self._cell_seconds
        if now - self._since > limit:
            return "limit"
        return "deadline" if now - self._began > self._seconds else ""
