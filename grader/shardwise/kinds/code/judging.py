"""Judging the calls of a student's function: which are right, which mistake they show, and what to say about the simplest failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwise.kinds.agreement import same
from shardwise.kinds.calls import Call, is_value_error, plain, with_telling_digits
from shardwise.kinds.code.model import CodeCase, CodeForm, CodeKey
from shardwise.kinds.code.patterns import only_where, pattern
from shardwise.kinds.inputs import call_text
from shardwise.markdown.escaping import as_code, safe

SHOWN = 40  # characters of a result of the wrong type: a function may return what it saw of other calls
LONGEST_ERROR = 120  # characters of an exception, for the same reason
FEW = 3  # with fewer right calls, a value that the wrong ones share means nothing
LONGEST_LINE = 96  # characters that fit in a notebook's column


def alike(given: Any, expected: Any, rel_tol: float) -> bool:
    """Return whether a result is what was expected, whatever its type."""
    try:
        return same(plain(expected), plain(given), rel_tol)
    except RecursionError:  # a student's list that contains itself; ours never do
        return False


def passes(case: CodeCase, call: Call, rel_tol: float) -> bool:
    """Return whether a call did what the case requires."""
    if case.raises:
        return is_value_error(call)
    return call.status == "returned" and alike(call.value, case.expected, rel_tol)


def recognised(key: CodeKey, calls: Sequence[Call]) -> int | None:
    """Return the mistake all of whose return values the student's function reproduces."""
    pairs = [(case, call) for case, call in zip(key.cases, calls, strict=True) if not case.raises]
    for index in range(len(key.say)):
        if all(
            call.status == "returned" and alike(call.value, case.mistakes[index], key.rel_tol)
            for case, call in pairs
            if case.mistakes[index] is not None
        ) and not all(case.mistakes[index] is None for case, _ in pairs):
            return index
    return None


def failure_in_words(form: CodeForm, case: CodeCase, call: Call) -> str:
    """Return what a call did, and what was expected."""
    returned, right = with_telling_digits(call.value, case.expected)
    if type(call.value) is not type(case.expected):
        returned = safe(returned, SHOWN)
    expected = "a ValueError" if case.raises else f"`{right}`"
    happened = {
        "returned": f"returned `{returned}`",
        "raised": f"raised `{safe(call.error, LONGEST_ERROR)}`",
        "timeout": "took too long and was stopped",
        "memory": "ran out of memory",
        "killed": "ended the whole process",
        "missing": "is impossible: there is no such function",
        "unreadable": f"returned something that cannot be read ({as_code(call.error)})",
    }.get(call.status, "was not made")
    return f"{as_code(call_text(form.function, case.inputs))} {happened}; I expected {expected}."


def shared_by_failures(key: CodeKey, calls: Sequence[Call]) -> str:
    """Return what all wrong results and all wrong calls have in common; "" if that is nothing.

    Calls that must raise an error are ignored: they have something in common anyway, and the failing call shows it.
    """
    right: list[tuple[CodeCase, Call]] = []
    wrong: list[tuple[CodeCase, Call]] = []
    for case, call in zip(key.cases, calls, strict=True):
        if not case.raises:
            (right if passes(case, call, key.rel_tol) else wrong).append((case, call))
    returned = [(call.value, case.expected) for case, call in wrong if call.status == "returned"]
    said = [pattern(returned, some_right=bool(right))] if len(returned) == len(wrong) else []
    if len(wrong) > 1 and len(right) >= FEW:
        where = only_where([case.inputs for case, _ in wrong], [case.inputs for case, _ in right])
        said.append(f"All calls with `{where}` are wrong, and no others." if where else "")
    return " ".join(filter(None, said))


def definition(form: CodeForm) -> str:
    """Return the beginning of the required function: one line, or three if it is too long for a notebook's column."""
    line = signature(form)
    return line if len(line) <= LONGEST_LINE else line.replace("(", "(\n    ").replace(")", "\n)")


def signature(form: CodeForm) -> str:
    """Return the first line of the required function."""
    return f"def {form.function}({', '.join(given.name for given in form.arguments)}):"
