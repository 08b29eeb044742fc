"""Reading the results that a job wrote, every byte of which the student may have forged.

A result is a frame. One that is not exactly what an honest job would write is dropped, and its step has no result then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .inside import wire_format
from .inside.shared_memory import WHOLE_STEP
from .job import CallResult, Calls, Cell, CellResult, Limits, Step, ValueResult

Unit = tuple[int, int]  # number of the step, number of the input or WHOLE_STEP
Result = CellResult | ValueResult | CallResult

_ERROR_CHARACTERS = 600
_FRAMES_PER_UNIT = 4  # that are read; an honest job writes one
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


def read_results(frames: Iterable[bytes], steps: Sequence[Step], limits: Limits) -> dict[Unit, Result]:
    """The results in a job's frames, the last one for each unit."""
    found: dict[Unit, Result] = {}
    honest = sum(1 for _ in units(steps)) + len(steps)
    for _, frame in zip(range(_FRAMES_PER_UNIT * honest), frames, strict=False):
        try:
            _read(wire_format.from_text(frame), steps, limits, found)
        except ValueError:
            continue
    return found


def _read(data: object, steps: Sequence[Step], limits: Limits, found: dict[Unit, Result]) -> None:
    if not isinstance(data, list) or len(data) < 4:
        raise ValueError("not a frame")
    index, number, status, *rest = data
    if type(index) is not int or type(number) is not int or not isinstance(status, str):
        raise ValueError("not a frame")
    if not 0 <= index < len(steps):
        raise ValueError("no such step")
    step = steps[index]
    if isinstance(step, Calls):
        found.update(_read_call(step, index, number, status, rest))
    elif number != WHOLE_STEP:
        raise ValueError("no such unit")
    elif isinstance(step, Cell):
        found[index, number] = _read_cell(status, rest, limits)
    else:
        found[index, number] = _read_value(status, rest)


def _read_cell(status: str, rest: list[object], limits: Limits) -> CellResult:
    _expect(status in _CELL_STATUSES and len(rest) == 2)
    return CellResult(status, _text(rest[0], _ERROR_CHARACTERS), _text(rest[1], limits.output_bytes))


def _read_value(status: str, rest: list[object]) -> ValueResult:
    _expect(status in _VALUE_STATUSES and len(rest) == 3)
    type_name, reason = _text(rest[1], _ERROR_CHARACTERS), _text(rest[2], _ERROR_CHARACTERS)
    if status != "ok":
        return ValueResult(status, None, type_name, reason)
    return ValueResult("ok", wire_format.unpack(rest[0]), type_name, reason)


def _read_call(
    step: Calls, index: int, number: int, status: str, rest: list[object]
) -> Iterable[tuple[Unit, CallResult]]:
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
    if len(data) <= limit and data.isascii() and data.isprintable():
        return data
    return data[:limit].translate(_UNPRINTABLE).encode(errors="replace").decode()
