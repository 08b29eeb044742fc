"""Reading the results that a job wrote, every byte of which the student may have forged.

A result is a frame. One that is not exactly what an honest job would write is dropped, and its step has no result then.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from .inside import wire_format
from .inside.shared_memory import WHOLE_STEP
from .job import CallResult, Calls, Cell, CellResult, Limits, Step, ValueResult

Unit = tuple[int, int]  # number of the step, number of the input or WHOLE_STEP
Result = CellResult | ValueResult | CallResult

_ERROR_CHARACTERS = 600
_FRAMES_PER_UNIT = 4  # that are read; an honest job writes one
_UNIT_BYTES = 8192  # for a unit's frame besides its value or output; an error takes at most 6000
_MOST_JSON_BYTES = 6  # for a byte of output
_BETWEEN_LOOKS = 4  # frames, from one look at the time that reading has taken to the next
_READING_SECONDS = 5.0  # of processor time, for all frames of a job; those of an honest one take some milliseconds
# A terminal acts on control characters, and XML forbids them.
_UNPRINTABLE = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}
_CELL_STATUSES = ("ok", "raised", "memory")
_VALUE_STATUSES = ("ok", "missing", "unreadable")
_CALL_STATUSES = ("returned", "raised", "memory", "unreadable", "missing")


def units(steps: Sequence[Step]) -> Iterator[Unit]:
    """Every unit of work that has a result of its own, in the order of the job."""
    for index, step in enumerate(steps):
        if isinstance(step, Calls):
            yield from ((index, number) for number in range(len(step.inputs)))
        else:
            yield index, WHOLE_STEP


class ResultReader:
    """Reads the frames of one job, all its attempts together.

    A forger may write any frame, and as many as there is space for. So that it costs the grader little, a frame, the frames
    that are kept and the time for reading have bounds, none of which an honest job comes near.
    """

    def __init__(self, steps: Sequence[Step], limits: Limits) -> None:
        self._steps, self._limits = steps, limits
        honest = sum(1 for _ in units(steps)) + len(steps)
        cells = sum(isinstance(step, Cell) for step in steps)
        outputs = min(cells * limits.output_bytes, limits.outputs_bytes) * _MOST_JSON_BYTES
        self.space = limits.result_bytes + outputs + honest * _UNIT_BYTES  # bytes of an attempt's frames
        self._longest = max(limits.result_bytes, limits.output_bytes * _MOST_JSON_BYTES) + _UNIT_BYTES
        self._most = _FRAMES_PER_UNIT * honest
        self._values, self._outputs = _Room(limits.result_bytes), _Room(outputs + honest * _UNIT_BYTES)
        self._seconds = _READING_SECONDS

    def read(self, frames: Iterable[bytes]) -> dict[Unit, Result]:
        """The results in the frames of an attempt, the last one for each unit."""
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
        """Take in what a frame of this size says. ValueError when it says nothing, or too much."""
        for unit, result in _read(data, self._steps, self._limits):
            if isinstance(result, CellResult):
                self._outputs.take(unit, size)
            elif result.value is not None:
                self._values.take(unit, size)
            found[unit] = result


class _Room:
    """Bytes that the frames of a job may take which are kept, one for each unit."""

    def __init__(self, most: int) -> None:
        self._most, self._taken, self._sizes = most, 0, dict[Unit, int]()

    def take(self, unit: Unit, size: int) -> None:
        """Count the frame that takes the place of an earlier one. ValueError when there is no room left."""
        taken = self._taken - self._sizes.get(unit, 0) + size
        if taken > self._most:
            raise ValueError("more than the frames of one job may take")
        self._taken, self._sizes[unit] = taken, size


def _read(data: object, steps: Sequence[Step], limits: Limits) -> Sequence[tuple[Unit, Result]]:
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
    return [
        ((index, number), _read_cell(status, rest, limits) if isinstance(step, Cell) else _read_value(status, rest))
    ]


def _read_cell(status: str, rest: list[object], limits: Limits) -> CellResult:
    _expect(status in _CELL_STATUSES and len(rest) == 2)
    return CellResult(status, _text(rest[0], _ERROR_CHARACTERS), _text(rest[1], limits.output_bytes))


def _read_value(status: str, rest: list[object]) -> ValueResult:
    _expect(status in _VALUE_STATUSES and len(rest) == 3)
    type_name, reason = _text(rest[1], _ERROR_CHARACTERS), _text(rest[2], _ERROR_CHARACTERS)
    if status != "ok":
        return ValueResult(status, None, type_name, reason)
    return ValueResult("ok", wire_format.unpack(rest[0]), type_name, reason)


def _read_call(step: Calls, index: int, number: int, status: str, rest: list[object]) -> Sequence[tuple[Unit, Result]]:
    _expect(status in _CALL_STATUSES)
    if number == WHOLE_STEP:
        _expect(status in ("raised", "memory", "missing") and len(rest) == 1)
        same = CallResult(status, None, _text(rest[0], _ERROR_CHARACTERS))
        return [((index, each), same) for each in range(len(step.inputs))]
    _expect(0 <= number < len(step.inputs) and len(rest) == 2)
    value = wire_format.unpack(rest[0]) if status == "returned" else None
    return [((index, number), CallResult(status, value, _text(rest[1], _ERROR_CHARACTERS)))]


def _expect(condition: bool) -> None:
    if not condition:
        raise ValueError("not a frame")


def _text(data: object, limit: int) -> str:
    """Text that can be printed anywhere: of bounded length, without lone surrogates and control characters."""
    if not isinstance(data, str):
        raise ValueError("not text")
    return data[:limit].translate(_UNPRINTABLE).encode(errors="replace").decode()
