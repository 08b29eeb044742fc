"""Names that still hold an old value, because the cell that set them stopped, or was changed and sets another name now.

Without this, an answer that was mended with a syntax error would be marked as it was before, and nobody would say so.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
from typing import Any

import __main__
from shardwise.kinds.calls import in_one_line
from shardwise.markdown.html import safe
from shardwise.question import Feedback, Outcome

_SETS = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]+)?=(?!=))", re.MULTILINE)
_UNQUOTED = re.compile(
    r"^[ \t]*(\w+)[ \t]*=[ \t]*(\d[\d.,eE+-]*[ \t]*(?:%|[^\W\d][^'\"#=\n]*?))[ \t]*(?:#.*)?$", re.MULTILINE
)
_MISSING = object()


class FailedCells:
    """Listens to IPython: which names were to be set by a cell that failed, and with which error."""

    def __init__(self) -> None:
        self._why: dict[str, str] = {}  # what is to be said of a name
        # The id of the cell that set a name last, or failed to; where the front end tells ids.
        self._setter: dict[str, str] = {}
        self._before: dict[str, Any] = {}
        self._unquoted: dict[str, str] = {}  # numbers with a unit that the cell sets without quotes

    def listen(self) -> None:
        """Begin to listen, where there is an IPython."""
        get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
        if (shell := get_ipython()) is not None:
            shell.events.register("pre_run_cell", self.begins)
            shell.events.register("post_run_cell", self.ended)

    def begins(self, info: Any) -> None:
        """Before a cell: keep the values of the names that it sets."""
        self._before = {name: vars(__main__).get(name, _MISSING) for name in _names_set_by(info.raw_cell)}
        self._unquoted = dict(_UNQUOTED.findall(info.raw_cell))

    def ended(self, result: Any) -> None:
        """After a cell: note what it should have set and did not, and which names it set before it was changed."""
        error = result.error_before_exec or result.error_in_exec
        cell = getattr(result.info, "cell_id", None)
        for name in [name for name, setter in self._setter.items() if setter == cell and name not in self._before]:
            self._forget(name)
            if name in vars(__main__):
                self._why[name] = f"The cell that should have set `{name}` was run again, and it does not set it now."
        for name, before in self._before.items():
            self._forget(name)
            if cell is not None:
                self._setter[name] = cell
            if error is not None and vars(__main__).get(name, _MISSING) is before:
                self._why[name] = f"The cell that sets `{name}` stopped: `{safe(in_one_line(error))}`"
                if isinstance(error, SyntaxError) and name in self._unquoted:
                    self._why[name] += (
                        f"\n\nA number with a unit stands in quotes: `{name} = '{safe(self._unquoted[name])}'`"
                    )
        self._before = {}

    def _forget(self, name: str) -> None:
        self._why.pop(name, None)
        self._setter.pop(name, None)

    def why(self, name: str) -> str | None:
        """Why a name does not hold what its cell says, in words; None when all is well."""
        return self._why.get(name)

    @staticmethod
    def feedback(question: str, points: float, variable: str, why: str) -> Feedback:
        """What to say to an answer whose cell failed: what its variable holds is older than the cell."""
        is_old = vars(__main__).get(variable, ...) is not ...  # as it was handed out
        old = "It still holds its old value, which does not count. " if is_old else ""
        say = f"{why}\n\n{old}Mend that cell and run it, then run this one again."
        return Feedback(question=question, outcome=Outcome.UNREADABLE, max_points=points, say=say)


def not_set(variable: str) -> str:
    """What to say of a name that nothing has set, with the one that may have been meant by its spelling."""
    [near] = difflib.get_close_matches(variable, [name for name in vars(__main__) if name[0] != "_"], n=1) or [""]
    meant = f" One sets `{near}`: should that be the answer?" if near else ""
    return f"No cell that was run sets `{variable}`.{meant}"


def _names_set_by(source: str) -> set[str]:
    """The variables and functions that a cell defines.

    A cell that failed may have a syntax error; then the names are looked for in its text.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {name for found in _SETS.findall(source) for name in found if name}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return names | {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
