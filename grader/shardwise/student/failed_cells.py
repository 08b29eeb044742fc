"""Finds answers that are out of date: a variable can hold a value that its cell does not set any more.

That happens when the cell was changed and then stopped with an error, or when it was changed to set another name. Without
this, the old value would be marked, and nobody would say so.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Collection
from typing import Any

import __main__
from shardwise.cell_names import names_set_by
from shardwise.kinds.calls import in_one_line
from shardwise.markdown.escaping import safe
from shardwise.question import Feedback, Outcome

_SETS = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+(\w+)|(\w+)[ \t]*(?::[^=\n]+)?=(?!=))", re.MULTILINE)
_UNQUOTED = re.compile(
    r"^[ \t]*(\w+)[ \t]*=[ \t]*(\d[\d.,eE+-]*[ \t]*(?:%|[^\W\d][^'\"#=\n]*?))[ \t]*(?:#.*)?$", re.MULTILINE
)
_ASSIGNED = re.compile(r"^[ \t]*(\w+)[ \t]*=(?!=)[ \t]*([^\n'\"#]+?)[ \t]*(?:#.*)?$", re.MULTILINE)
_MISSING = object()


class FailedCells:
    """Listens to IPython: which names were to be set by a cell that failed, and with which error."""

    def __init__(self) -> None:
        self._cells: dict[
            str, str
        ] = {}  # the id of the cell that set a name last, or failed to; where front ends tell ids
        self._notes: dict[str, tuple[str, Any]] = {}  # what is to be said of a name, as long as it has this value
        self._source = ""
        self._sets: set[str] = set()
        self._before: dict[str, Any] = {}

    def listen(self) -> None:
        """Begin to listen, where there is an IPython."""
        get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
        if (shell := get_ipython()) is not None:
            shell.events.register("pre_run_cell", self.begins)
            shell.events.register("post_run_cell", self.ended)

    def begins(self, info: Any) -> None:
        """Before a cell: keep the values of the names that it sets, and of those that others did."""
        self._source, self._sets = info.raw_cell, _names_in(info.raw_cell)
        self._before = {name: _value_of(name) for name in (*self._cells, *self._sets)}

    def ended(self, result: Any) -> None:
        """After a cell ran: note each variable that holds an older value than the cell says, and clear those that it has just set."""
        error = result.error_before_exec or result.error_in_exec
        cell = getattr(result.info, "cell_id", None)
        unchanged = {name for name, value in self._before.items() if _value_of(name) is value}
        for name in [name for name, its in self._cells.items() if its == cell and name not in self._sets]:
            if name in unchanged:  # else it was set all the same, in a way that is not seen, as in a pattern
                del self._cells[name]
                self._notes.pop(name, None)
                if name in vars(__main__):
                    near = difflib.get_close_matches(name, self._sets, n=1)
                    meant = f" It sets `{near[0]}`: should that be the answer?" if near else ""
                    why = f"The cell that should have set `{name}` was run again, and it does not set it now."
                    self._notes[name] = (why + meant, _value_of(name))
        for name in self._sets & self._before.keys():
            self._notes.pop(name, None)
            self._cells.pop(name, None)
            if cell is not None:
                self._cells[name] = cell
            if error is not None and name in unchanged:
                why = f"The cell that sets `{name}` stopped: `{safe(in_one_line(error))}`"
                self._notes[name] = (f"{why}\n\n{self._in_quotes(name, error)}".strip(), _value_of(name))
        self._before = {}

    def _in_quotes(self, name: str, error: BaseException) -> str:
        """What to say where an answer may lack its quotes; nothing where it does not look like that."""
        if isinstance(error, SyntaxError) and (unquoted := dict(_UNQUOTED.findall(self._source)).get(name)):
            return f"A number with a unit stands in quotes: `{name} = '{safe(unquoted)}'`"
        given, unknown = dict(_ASSIGNED.findall(self._source)).get(name, ""), getattr(error, "name", None)
        if not isinstance(error, NameError) or not unknown or not re.search(rf"\b{re.escape(unknown)}\b", given):
            return ""
        is_whole = not given.startswith(("{", "[", "("))
        written = f": `{name} = '{safe(given)}'`" if is_whole else "."
        return f"If `{safe(unknown)}` is a part of your answer and no variable of yours, write it in quotes{written}"

    def why(self, name: str) -> str | None:
        """Why a name does not hold what its cell says, in words; None when all is well, or when it has another value by now."""
        why, old = self._notes.get(name, (None, None))
        return why if _value_of(name) is old else None

    @staticmethod
    def feedback(question: str, points: float, variable: str, why: str) -> Feedback:
        """What to say to an answer whose cell failed: what its variable holds is older than the cell."""
        is_old = vars(__main__).get(variable, ...) is not ...  # as it was handed out
        old = "It still holds its old value, which does not count. " if is_old else ""
        remarks = (why, f"{old}Mend that cell and run it, then run this one again.")
        return Feedback(question=question, outcome=Outcome.UNREADABLE, max_points=points, remarks=remarks)


def _value_of(name: str) -> Any:
    return vars(__main__).get(name, _MISSING)


def not_set(variable: str, others: Collection[str]) -> str:
    """What to say when the variable of an answer does not exist; it names one of similar spelling that is no other answer."""
    known = [name for name in vars(__main__) if name[0] != "_" and name not in others]
    [near] = difflib.get_close_matches(variable, known, n=1) or [""]
    meant = f" There is `{near}`: should that be the answer?" if near else ""
    return f"No cell that was run sets `{variable}`.{meant}"


def _names_in(source: str) -> set[str]:
    """The names that a cell sets. A cell with a syntax error cannot be parsed, so a pattern finds the assignments in its text."""
    names = names_set_by(source)
    return {name for found in _SETS.findall(source) for name in found if name} if names is None else {*names}
