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
        self._why: dict[str, str] = {}  # what is to be said of a name
        # The id of the cell that set a name last, or failed to; where the front end tells ids.
        self._setter: dict[str, str] = {}
        self._before: dict[str, Any] = {}
        self._held: dict[str, Any] = {}  # by the names that any cell sets
        self._old: dict[str, Any] = {}  # the values of the names of which something is to be said
        self._unquoted: dict[str, str] = {}  # numbers with a unit that the cell sets without quotes
        self._assigned: dict[str, str] = {}  # what the cell sets in one line and without quotes

    def listen(self) -> None:
        """Begin to listen, where there is an IPython."""
        get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
        if (shell := get_ipython()) is not None:
            shell.events.register("pre_run_cell", self.begins)
            shell.events.register("post_run_cell", self.ended)

    def begins(self, info: Any) -> None:
        """Before a cell: keep the values of the names that it sets, and of those that others did."""
        self._held = {name: vars(__main__).get(name, _MISSING) for name in self._setter}
        self._before = {name: vars(__main__).get(name, _MISSING) for name in _names_in(info.raw_cell)}
        self._unquoted = dict(_UNQUOTED.findall(info.raw_cell))
        self._assigned = dict(_ASSIGNED.findall(info.raw_cell))

    def ended(self, result: Any) -> None:
        """After a cell ran: note each variable that holds an older value than the cell says, and clear those that it has just set."""
        error = result.error_before_exec or result.error_in_exec
        cell = getattr(result.info, "cell_id", None)
        for name in [
            name
            for name, held in self._held.items()
            # What has another value now was set all the same, in a way that is not seen, as in a pattern.
            if name not in self._before and self._setter[name] == cell and vars(__main__).get(name, _MISSING) is held
        ]:
            self._forget(name)
            if name in vars(__main__):
                near = difflib.get_close_matches(name, self._before, n=1)
                meant = f" It sets `{near[0]}`: should that be the answer?" if near else ""
                why = f"The cell that should have set `{name}` was run again, and it does not set it now."
                self._why[name] = why + meant
        for name, before in self._before.items():
            self._forget(name)
            if cell is not None:
                self._setter[name] = cell
            if error is not None and vars(__main__).get(name, _MISSING) is before:
                why = f"The cell that sets `{name}` stopped: `{safe(in_one_line(error))}`"
                self._why[name] = f"{why}\n\n{self._in_quotes(name, error)}".strip()
        self._before = {}
        self._old = {
            name: vars(__main__).get(name, _MISSING) for name in self._why if name not in self._old
        } | self._old

    def _in_quotes(self, name: str, error: BaseException) -> str:
        """What to say where an answer may lack its quotes; nothing where it does not look like that."""
        if isinstance(error, SyntaxError) and name in self._unquoted:
            return f"A number with a unit stands in quotes: `{name} = '{safe(self._unquoted[name])}'`"
        given, unknown = self._assigned.get(name, ""), getattr(error, "name", None)
        if not isinstance(error, NameError) or not unknown or not re.search(rf"\b{re.escape(unknown)}\b", given):
            return ""
        is_whole = not given.startswith(("{", "[", "("))
        written = f": `{name} = '{safe(given)}'`" if is_whole else "."
        return f"If `{safe(unknown)}` is a part of your answer and no variable of yours, write it in quotes{written}"

    def _forget(self, name: str) -> None:
        self._why.pop(name, None)
        self._old.pop(name, None)
        self._setter.pop(name, None)

    def why(self, name: str) -> str | None:
        """Why a name does not hold what its cell says, in words; None when all is well, or when it has another value by now."""
        is_old = vars(__main__).get(name, _MISSING) is self._old.get(name, _MISSING)
        return self._why.get(name) if is_old else None

    @staticmethod
    def feedback(question: str, points: float, variable: str, why: str) -> Feedback:
        """What to say to an answer whose cell failed: what its variable holds is older than the cell."""
        is_old = vars(__main__).get(variable, ...) is not ...  # as it was handed out
        old = "It still holds its old value, which does not count. " if is_old else ""
        remarks = (why, f"{old}Mend that cell and run it, then run this one again.")
        return Feedback(question=question, outcome=Outcome.UNREADABLE, max_points=points, remarks=remarks)


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
