"""The names that a notebook's cell sets, found by parsing: a student's source is never run here."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

_MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)  # lines for IPython, which are not Python
_LONGEST = 20_000  # characters: Python takes seconds for an f-string of 200,000
# Names that are set inside these are local, not the notebook's.
_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
)  # fmt: skip


def names_set_by(source: str, handed_out: str = "") -> list[str] | None:
    """Return the names that a cell sets in addition to those of the original cell, each once, in order.

    Returns None if the source is not Python, or too long.

    >>> names_set_by("%matplotlib inline\\ndef half(n):\\n    rest = n / 2\\n    return rest\\nanswer = half(6)")
    ['half', 'answer']
    """
    if len(source) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings are about the student's code, such as an invalid escape
            given = {ast.dump(statement) for statement in ast.parse(handed_out).body}
            added = [each for each in ast.parse(_MAGIC.sub("", source)).body if ast.dump(each) not in given]
            return list(dict.fromkeys(_set_in(ast.Module(added, []))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def was_worked_in(source: str, handed_out: str) -> bool:
    """Return whether a student has written in an answer cell.

    That is so if it contains a line that the original does not. Deleting a comment does not count as an answer.

    >>> was_worked_in("half = ...", "half = ...  # a number"), was_worked_in("half = ...  # six?", "half = ...  # a number")
    (False, True)
    """
    given = {part.strip() for line in handed_out.splitlines() for part in (line, line.partition("#")[0])}
    return any(line.strip() not in {"", *given} for line in source.splitlines())


def _set_in(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            yield from filter(None, [getattr(child, "name", None)])
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        else:
            yield from _set_in(child)
