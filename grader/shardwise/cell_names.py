"""Finds the names that a notebook's cell sets. Its source is parsed and never run, since it is a student's."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

_MAGIC = re.compile(r"^[ \t]*[%!].*$", re.MULTILINE)  # lines for IPython, which are no Python
_LONGEST = 20_000  # characters: Python takes seconds for an f-string of 200,000
# What is set inside of these is theirs and not the notebook's.
_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp
)  # fmt: skip


def names_set_by(source: str, handed_out: str = "") -> list[str] | None:
    """The variables, functions and classes that a cell sets beyond what it was handed out with, each once and in their order.

    None if it is no Python, or too long to be looked at.

    >>> names_set_by("%matplotlib inline\\ndef half(n):\\n    rest = n / 2\\n    return rest\\nanswer = half(6)")
    ['half', 'answer']
    """
    if len(source) > _LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is a student's, such as an escape that there is not
            given = {ast.dump(statement) for statement in ast.parse(handed_out).body}
            added = [each for each in ast.parse(_MAGIC.sub("", source)).body if ast.dump(each) not in given]
            return list(dict.fromkeys(_set_in(ast.Module(added, []))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def was_worked_in(source: str, handed_out: str) -> bool:
    """Whether a student has written in an answer cell.

    They have if a line stands in it that was not there when it was handed out. Deleting a comment is not writing: it answers nothing.

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
