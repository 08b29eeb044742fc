"""Detection of stale answers: a variable can hold a value that its cell no longer sets.

That happens when an edited cell stops with an error, or sets another name. Without this check, the old value would be
marked and the student would not know.
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
    """A listener to IPython that records which names a failed cell should have set, and with which error it failed."""

    def __init__(self) -> None:
        self._cells: dict[
            str, str
        ] = {}  # by name: the id of the last cell that set it or failed to, if the front end sends ids
        self._notes: dict[str, tuple[str, Any]] = {}  # by name: the message, and the value for which it holds
        self._source = ""
        self._sets: set[str] = set()
        self._before: dict[str, Any] = {}

    def listen(self) -> None:
        """Start listening, if this is IPython."""
        get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
        if (shell := get_ipython()) is not None:
            shell.events.register("pre_run_cell", self.begins)
            shell.events.register("post_run_cell", self.ended)

    def begins(self, info: Any) -> None:
        """Before a cell runs, keep the values of the names that it sets and of those that other cells set."""
        self._source, self._sets = info.raw_cell, _names_in(info.raw_cell)
        self._before = {name: _value_of(name) for name in (*self._cells, *self._sets)}

    def ended(self, result: Any) -> None:
        """After a cell ran, note each variable that holds a stale value, and clear the notes on those that it just set."""
        error = result.error_before_exec or result.error_in_exec
        cell = getattr(result.info, "cell_id", None)
        unchanged = {name for name, value in self._before.items() if _value_of(name) is value}
        for name in [name for name, its in self._cells.items() if its == cell and name not in self._sets]:
            if name in unchanged:  # otherwise it was set in a way that we cannot see, such as a pattern
                del self._cells[name]
                self._notes.pop(name, None)
                if name in vars(__main__):
                    near = difflib.get_close_matches(name, self._sets, n=1)
                    meant = f" It sets `{near[0]}`; is that your answer?" if near else ""
                    why = f"The cell that used to set `{name}` ran again and no longer sets it."
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
        """Return advice to add quotes if an answer seems to lack them, else an empty string."""
        if isinstance(error, SyntaxError) and (unquoted := dict(_UNQUOTED.findall(self._source)).get(name)):
            return f"Put a number with a unit in quotes: `{name} = '{safe(unquoted)}'`"
        given, unknown = dict(_ASSIGNED.findall(self._source)).get(name, ""), getattr(error, "name", None)
        if not isinstance(error, NameError) or not unknown or not re.search(rf"\b{re.escape(unknown)}\b", given):
            return ""
        is_whole = not given.startswith(("{", "[", "("))
        written = f": `{name} = '{safe(given)}'`" if is_whole else "."
        return f"If `{safe(unknown)}` is part of your answer and not a variable, put the answer in quotes{written}"

    def why(self, name: str) -> str | None:
        """Return why a name does not hold what its cell says; None if it does, or if its value has changed since."""
        why, old = self._notes.get(name, (None, None))
        return why if _value_of(name) is old else None

    @staticmethod
    def feedback(question: str, points: float, variable: str, why: str) -> Feedback:
        """Return the feedback to an answer whose cell failed, so that its variable is older than the cell."""
        is_old = vars(__main__).get(variable, ...) is not ...  # the placeholder
        old = "The variable still holds its old value, which does not count. " if is_old else ""
        remarks = (why, f"{old}Fix that cell and run it, then run this one again.")
        return Feedback(question=question, outcome=Outcome.UNREADABLE, max_points=points, remarks=remarks)


def _value_of(name: str) -> Any:
    return vars(__main__).get(name, _MISSING)


def not_set(variable: str, others: Collection[str]) -> str:
    """Return a message that an answer's variable does not exist, naming a similar variable that is not another answer."""
    known = [name for name in vars(__main__) if name[0] != "_" and name not in others]
    [near] = difflib.get_close_matches(variable, known, n=1) or [""]
    meant = f" There is `{near}`; is that your answer?" if near else ""
    return f"No cell that you ran sets `{variable}`.{meant}"


def _names_in(source: str) -> set[str]:
    """Return the names that a cell sets. If a syntax error prevents parsing, a pattern finds the assignments in its text."""
    names = names_set_by(source)
    return {name for found in _SETS.findall(source) for name in found if name} if names is None else {*names}
