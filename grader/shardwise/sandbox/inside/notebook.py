"""Execution of a notebook: runs its cells in one namespace, fetches its variables and calls its functions.

This code shares a process with the student's, so the grader cannot rely on it. It gives an honest notebook its results, and
continues whatever a cell does.
"""

from __future__ import annotations

import _sitebuiltins
import builtins
import gc
import inspect
import mmap
import sys
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any

from . import output, stub, wire_format
from .cell_source import compile_cell
from .shared_memory import CALL_LIMIT, CELL_LIMIT, WHOLE_STEP, Writer

globals()["__builtins__"] = vars(
    builtins
).copy()  # so that a cell that patches the shared ones does not break this module

ERROR_CHARACTERS = 500


class OutOfMemory(BaseException):
    """So little memory remains that later steps would fail because of this one."""


class Notebook:
    """A notebook's job, which runs in this process."""

    def __init__(self, job: Mapping[str, Any], writer: Writer) -> None:
        self._job, self._writer = job, writer
        self._value_bytes = int(job["result_bytes"])
        for step in job["steps"]:
            for inputs in step.get("inputs", ()):
                inputs.update({name: wire_format.unpack(value) for name, value in inputs.items()})
        self._main = _fresh_main()

    def run(self) -> None:
        """Run every step that is not skipped, in order, and write a frame for each, and for each call."""
        run_step = {"cell": self._cell, "value": self._value, "calls": self._calls}
        for index, step in enumerate(self._job["steps"]):
            skip = self._job["skip"].get(str(index), ())
            if WHOLE_STEP not in skip:
                run_step[step["step"]](index, step, skip)
        self._writer.finish()

    def _cell(self, index: int, step: Mapping[str, Any], _skip: Collection[int]) -> None:
        self._writer.begin(index, WHOLE_STEP, CELL_LIMIT)
        output.discard()
        status, error, _ = _run_guarded(step["key"], run_source, step["source"], step["key"], self._main)
        self._writer.write(wire_format.to_text([index, WHOLE_STEP, status or "ok", error]).encode())
        if status == "memory":
            _require_free_memory(self._job["memory_bytes"])

    def _value(self, index: int, step: Mapping[str, Any], _skip: Collection[int]) -> None:
        self._writer.begin(index, WHOLE_STEP, CALL_LIMIT)
        missing = object()
        value = self._main.__dict__.get(step["name"], missing)
        if value is missing or value is ...:
            self._writer.write(wire_format.to_text([index, WHOLE_STEP, "missing", None, "", ""]).encode())
            return
        type_name = _cut(type(value).__name__)
        try:
            self._write_value([index, WHOLE_STEP, "ok"], value, [type_name, ""])
        except wire_format.Unpackable as refused:
            frame = [index, WHOLE_STEP, "unreadable", None, type_name, _cut(str(refused))]
            self._writer.write(wire_format.to_text(frame).encode())

    def _calls(self, index: int, step: Mapping[str, Any], skip: Collection[int]) -> None:
        self._writer.begin(index, WHOLE_STEP, CELL_LIMIT)
        output.discard()
        status, found = self._function(step)
        if status:
            self._writer.write(wire_format.to_text([index, WHOLE_STEP, status, found]).encode())
            return
        by_position: bool | None = None
        for number, keywords in enumerate(step["inputs"]):
            if number in skip:
                continue
            self._writer.begin(index, number, CALL_LIMIT)
            if by_position is None:
                by_position = _rejects_keywords(found, keywords)
            self._call(index, number, step["key"], found, keywords, by_position)

    def _function(self, step: Mapping[str, Any]) -> tuple[str, Any]:
        """Return ("", the function), or (the status of every call, the reason)."""
        main = self._main
        if step["source"] is not None:
            main = _fresh_main()
            status, error, _ = _run_guarded(step["key"], run_source, step["source"], step["key"], main)
            if status:
                return status, error
        sys.modules["__main__"] = main
        function = main.__dict__.get(step["name"], ...)
        if function is ...:
            return "missing", f"there is no function named {step['name']}"
        if not callable(function):
            return "missing", _cut(f"{step['name']} is of type {type(function).__name__}, not a function")
        return "", function

    def _call(
        self,
        index: int,
        number: int,
        key: str,
        function: Callable[..., object],
        keywords: Mapping[str, object],
        by_position: bool,
    ) -> None:
        if by_position:
            status, error, value = _run_guarded(key, function, *keywords.values())
        else:
            status, error, value = _run_guarded(key, function, **keywords)
        if not status:
            try:
                self._write_value([index, number, "returned"], value, [""])
                return
            except wire_format.Unpackable as refused:
                status, error = "unreadable", _cut(str(refused))
        self._writer.write(wire_format.to_text([index, number, status, None, error]).encode())
        if status == "memory":
            _require_free_memory(self._job["memory_bytes"])

    def _write_value(self, before: list[object], value: object, after: list[object]) -> None:
        """Write a frame with a value, unless the value is too large or cannot be packed."""
        try:
            data = wire_format.pack(value)
        except wire_format.Unpackable:
            raise
        except BaseException as broken:  # a student's class may do anything when it is read
            raise wire_format.Unpackable(f"reading it raised {type(broken).__name__}") from None
        frame = wire_format.to_text([*before, data, *after]).encode()
        self._value_bytes -= len(frame)
        if self._value_bytes < 0:
            raise wire_format.Unpackable(f"the values together take more than {self._job['result_bytes']:,} bytes")
        self._writer.write(frame)


def _fresh_main() -> types.ModuleType:
    """Return an empty module installed as `__main__`, where dataclasses and pickle look up the classes of a notebook."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    return main


def add_builtins() -> None:
    """Add the names that IPython and the interactive interpreter add, for all jobs of this process and its children."""
    added: dict[str, object] = {name: _sitebuiltins.Quitter(name, "Ctrl-D") for name in ("exit", "quit")}
    added["get_ipython"] = lambda: stub.INERT
    added["display"] = lambda *_values, **_options: None
    builtins.__dict__.update(added)


def run_source(source: str, key: str, main: types.ModuleType) -> None:
    """Execute a cell's source in a module."""
    exec(compile_cell(source, _filename(key)), main.__dict__)


def _filename(key: str) -> str:
    return f"<answer cell {key}>"


def _run_guarded(
    key: str, action: Callable[..., object], /, *arguments: object, **keywords: object
) -> tuple[str, str, object]:
    """Run student code; return ("", "", its value), or a status and a line about any exception."""
    try:
        return "", "", action(*arguments, **keywords)
    except MemoryError as error:
        return "memory", _describe(error, key), None
    except BaseException as error:  # SystemExit and KeyboardInterrupt also end only the cell
        return "raised", _describe(error, key), None


def _describe(error: BaseException, key: str) -> str:
    try:
        message = error.msg.partition(" (detected at line")[0] if isinstance(error, SyntaxError) else str(error)
    except BaseException as broken:
        message = f"(its message raised {type(broken).__name__})"
    place = _place(error, key)
    name = type(error).__name__
    if (
        isinstance(error, ValueError) and name != "ValueError"
    ):  # a question that asks for a ValueError accepts its subclasses
        name += " (a ValueError)"
    return _cut(f"{name}: {_cut(str(message))}" if message else name) + (f" ({place})" if place else "")


def _place(error: BaseException, key: str) -> str:
    """Return the innermost line of an answer cell in the exception's traceback."""
    if isinstance(error, SyntaxError) and error.filename == _filename(key):
        return f"line {error.lineno}"
    found, traceback = "", error.__traceback__
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename == _filename(key):
            found = f"line {traceback.tb_lineno}"
        elif filename.startswith("<answer cell "):
            found = f"line {traceback.tb_lineno} of {filename[1:-1]}"
        traceback = traceback.tb_next
    return found


def _cut(text: str) -> str:
    return text if len(text) <= ERROR_CHARACTERS else text[: ERROR_CHARACTERS - 1] + "…"


def _rejects_keywords(function: Callable[..., object], keywords: Mapping[str, object]) -> bool:
    """Return whether to pass the arguments by position, for example because a student renamed a parameter.

    Also do so if the function cannot take them at all: Python's error then says how many it takes.
    """
    try:
        signature = inspect.signature(function)
    except BaseException:
        return False
    try:
        signature.bind(**keywords)
    except TypeError:
        return True
    return False


def _require_free_memory(limit_bytes: int) -> None:
    """Raise OutOfMemory, after a MemoryError, unless a quarter of the limit can be allocated again."""
    gc.collect()
    try:
        mmap.mmap(-1, limit_bytes // 4).close()
    except (OSError, MemoryError, ValueError):
        raise OutOfMemory from None
