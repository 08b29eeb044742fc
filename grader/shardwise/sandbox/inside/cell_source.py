"""Compiling a cell as a notebook reads it: Python, and what IPython takes besides.

A cell that runs in Jupyter has to run here too. What IPython does with the system is left out, and line numbers stay.
"""

from __future__ import annotations

import contextlib
import re
import types

_MAGIC = re.compile(r"(\s*)(?:%time\s+(?P<timed>.+)|[%!].*|\?{1,2}[\w.]+|[\w.\[\]]+\?{1,2})\s*")
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.)(?: |$)")


def compile_cell(source: str, filename: str) -> types.CodeType:
    """A cell's code. Raises SyntaxError where IPython could not read the cell either."""
    with contextlib.suppress(SyntaxError):
        return compile(source, filename, "exec", dont_inherit=True)
    lines = _without_margin(source.split("\n"))
    while True:
        try:
            return compile("\n".join(lines), filename, "exec", dont_inherit=True)
        except SyntaxError as error:
            # One line at a time, since the same line is text where it stands inside of a string.
            number = (error.lineno or 0) - 1
            if not 0 <= number < len(lines) or not (magic := _MAGIC.fullmatch(lines[number])):
                raise
            lines[number] = magic[1] + (magic["timed"] or "pass")


def _without_margin(lines: list[str]) -> list[str]:
    """The lines of a cell without the prompts of a shell, or without the indentation of the first of them."""
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith(">>>"):
        return [_PROMPT.sub("", line, count=1) for line in lines]
    margin = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(margin) for line in lines]
