"""Reading of a job's results, every byte of which the student may have forged.

A result is a frame. One that an honest job would not write is dropped, so its step has no result.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from .inside import wire_format
from .inside.shared_memory import WHOLE_STEP
from .job import CallResult, Calls, Cell, CellResult, Limits, Step, ValueResult

Unit = tuple[int, int]  # index of the step, index of the input or WHOLE_STEP
Result = CellResult | ValueResult | CallResult

_ERROR_CHARACTERS = 600
_FRAMES_PER_UNIT = 4  # frames per unit that are read; an honest job writes one
_UNIT_BYTES = 8192  # of a unit's frame without its value; an error takes at most 6000
_BETWEEN_LOOKS = 4  # frames between checks of the reading time
_READING_SECONDS = 5.0  # CPU seconds for reading all frames of a job; those of an honest one take a few milliseconds
# Terminals interpret control characters, and XML forbids them.
_UNPRINTABLE = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}
_CELL_STATUSES = ("ok", "raised", "memory")
_VALUE_STATUSES = ("ok", "missing", "unreadable")
_CALL_STATUSES = ("returned", "raised", "memory", "unreadable", "missing")


def units(steps: Sequence[Step]) -> Iterator[Unit]:
    """Yield every unit of work with a result, in the order of the job."""
    for index, step in enumerate(steps):
        if isinstance(step, Calls):
            yield from ((index, number) for number in range(len(step.inputs)))
        else:
            yield index, WHOLE_STEP


class ResultReader:
    """A reader of the frames of one job, over all its attempts.

    A forger may write any frames, and as many as fit. To limit the cost, there are bounds on a frame, on the frames that are
    kept, and on the reading time, all far above what an honest job needs.
    """

    def __init__(self, steps: Sequence[Step], limits: Limits) -> None:
        self._steps = steps
        honest = sum(1 for _ in units(steps)) + len(steps)
        self.space = limits.result_bytes + honest * _UNIT_BYTES  # bytes for an attempt's frames
        self._longest = limits.result_bytes + _UNIT_BYTES
        self._most = _FRAMES_PER_UNIT * honest
        self._values = _Room(limits.result_bytes)
        self._seconds = _READING_SECONDS

    def read(self, frames: Iterable[bytes]) -> dict[Unit, Result]:
        """Return the results in the frames of an attempt, the last one for each unit."""
        found: dict[Unit, Result] = {}
        began = time.thread_time()
        for count, frame in enumerate(islice(frames, self._most)):
            if count % _BETWEEN_LOOKS == 0 and time.thread_time() - began > self._seconds:
                break
            if len(frame) <= self._longest:
                try:
                    self._keep(wire_format.from_text(frame), len(frame), found)
                except ValueError:
                    continue
        self._seconds -= time.thread_time() - began
        return found

    def _keep(self, data: object, size: int, found: dict[Unit, Result]) -> None:
        """Keep the result in a frame of this size. Raises ValueError if the frame is invalid or too large."""
        for unit, result in _read(data, self._steps):
            if not isinstance(result, CellResult) and result.value is not None:
                self._values.take(unit, size)
            found[unit] = result


class _Room:
    """A budget of bytes for the frames of a job that are kept, one for each unit."""

    def __init__(self, most: int) -> None:
        self._most, self._taken, self._sizes = most, 0, dict[Unit, int]()

    def take(self, unit: Unit, size: int) -> None:
        """Count a frame, which may replace an earlier one. Raises ValueError if the budget is used up."""
        taken = self._taken - self._sizes.get(unit, 0) + size
        if taken > self._most:
            raise ValueError("the frames of a job take too many bytes")
        self._taken, self._sizes[unit] = taken, size


def _read(data: object, steps: Sequence[Step]) -> Sequence[tuple[Unit, Result]]:
    if not isinstance(data, list) or len(data) < 4:
        raise ValueError("not a frame")
    index, number, status, *rest = data
    if type(index) is not int or type(number) is not int or not isinstance(status, str):
        raise ValueError("not a frame")
    if not 0 <= index < len(steps):
        raise ValueError("no such step")
    step = steps[index]
    if isinstance(step, Calls):
        return _read_call(step, index, number, status, rest)
    if number != WHOLE_STEP:
        raise ValueError("no such unit")
    return [((index, number), _read_cell(status, rest) if isinstance(step, Cell) else _read_value(status, rest))]


def _read_cell(status: str, rest: list[object]) -> CellResult:
    _expect(status in _CELL_STATUSES and len(rest) == 1)
    return CellResult(status, _text(rest[0]))


def _read_value(status: str, rest: list[object]) -> ValueResult:
    _expect(status in _VALUE_STATUSES and len(rest) == 3)
    type_name, reason = _text(rest[1]), _text(rest[2])
    if status != "ok":
        return ValueResult(status, None, type_name, reason)
    return ValueResult("ok", wire_format.unpack(rest[0]), type_name, reason)


def _read_call(step: Calls, index: int, number: int, status: str, rest: list[object]) -> Sequence[tuple[Unit, Result]]:
    _expect(status in _CALL_STATUSES)
    if number == WHOLE_STEP:
        _expect(status in ("raised", "memory", "missing") and len(rest) == 1)
        same = CallResult(status, None, _text(rest[0]))
        return [((index, each), same) for each in range(len(step.inputs))]
    _expect(0 <= number < len(step.inputs) and len(rest) == 2)
    value = wire_format.unpack(rest[0]) if status == "returned" else None
    return [((index, number), CallResult(status, value, _text(rest[1])))]


def _expect(condition: bool) -> None:
    if not condition:
        raise ValueError("not a frame")


def _text(data: object) -> str:
    """Return a text that can be printed anywhere: bounded, without lone surrogates and control characters."""
    if not isinstance(data, str):
        raise ValueError("not text")
    return data[:_ERROR_CHARACTERS].translate(_UNPRINTABLE).encode(errors="replace").decode()
