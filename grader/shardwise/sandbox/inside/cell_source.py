"""Compilation of cells as in a notebook: Python with IPython's extensions.

A cell that runs in Jupyter has to run here too. IPython's system commands are ignored, and line numbers stay the same.
"""

from __future__ import annotations

import contextlib
import re
import types

_NUMBERED = re.compile(r"\A\s*In \[\d+\]: ?")  # Python would parse this as an annotation
_GOES_ON = re.compile(r"\A\s*\.\.\.: ?")
_PROMPT = re.compile(r"\A\s*(?:(?:>>> ?)+|\.\.\. ?)")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_OF_PYTHON = ("time", "capture", "prun")  # magics whose cells run as Python in the notebook
_TIMED = re.compile(r"(\s*(?:[\w.][\w., ]*=\s*)?)%time\s+(.+)")
_SET = re.compile(r"(\s*[\w.][\w., ]*=\s*)[%!].*")  # as in files = !ls
_OTHER = re.compile(r"(\s*)(?:[%!?].*|[^\s#=(][^#=(]*\?\s*)")


def compile_cell(source: str, filename: str) -> types.CodeType:
    """Return a cell's code. Raises SyntaxError if IPython could not read the cell either."""
    if _NUMBERED.match(source):
        source = "\n".join(_GOES_ON.sub("", _NUMBERED.sub("", line)) for line in source.split("\n"))
    with contextlib.suppress(SyntaxError):
        return compile(source, filename, "exec", dont_inherit=True)
    lines = _body(source.split("\n"))
    while True:
        try:
            return compile("\n".join(lines), filename, "exec", dont_inherit=True)
        except SyntaxError as error:
            # One line at a time, because the same line may be part of a string.
            number = (error.lineno or 0) - 1
            if not 0 <= number < len(lines) or not _to_python(lines, number):
                raise


def _body(lines: list[str]) -> list[str]:
    """Return the lines of a cell without a leading magic, and without the indentation of the first remaining line."""
    head = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if magic := _CELL_MAGIC.match(lines[head]):
        if magic[1] not in _OF_PYTHON:
            return []
        lines = ["" if number == head else line for number, line in enumerate(lines)]
    first = next((line for line in lines if line.strip()), "")
    margin = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(margin) for line in lines]


def _to_python(lines: list[str], number: int) -> bool:
    """Replace a line that only IPython can read with equivalent Python; return False if IPython cannot read it either."""
    line = lines[number]
    if line.lstrip().startswith(">>>"):
        lines[:] = [_PROMPT.sub("", each) for each in lines]
    elif timed := _TIMED.fullmatch(line):
        lines[number] = timed[1] + timed[2]
    elif given := _SET.fullmatch(line):
        lines[number] = f"{given[1]}..."  # `...` counts as no answer
        _blank_what_follows(lines, number, line)
    elif other := _OTHER.fullmatch(line):
        lines[number] = f"{other[1]}pass" if other[1] else ""  # an empty line, because `from __future__` may follow
        _blank_what_follows(lines, number, line)
    else:
        return False
    return True


def _blank_what_follows(lines: list[str], number: int, line: str) -> None:
    """Drop the lines that continue a magic after a backslash."""
    while line.rstrip().endswith("\\") and number + 1 < len(lines):
        number += 1
        line, lines[number] = lines[number], ""
