"""Judging a hunt, part by part. All execution happens in the runner, never in the grader."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.agreement import is_nan, same
from shardwise.kinds.bugline.model import PARTS, BuglineForm, BuglineKey
from shardwise.kinds.bugline.mutants import patch
from shardwise.kinds.bugline.reading import Bad
from shardwise.kinds.calls import Call, Runner, brief, plain
from shardwise.kinds.inputs import call_text
from shardwise.markdown.escaping import as_code, literal

Judged = tuple[bool, str]  # whether a part is right, and what to say

# Calls the right and the wrong function on the same input, so that one job gives both results.
_SIDE_BY_SIDE = """
{original}
_right = {name}
{mutant}
_wrong = {name}
def _outcome(function, inputs):
    try:
        return ["returned", function(**inputs)]
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]
def side_by_side(**inputs):
    return [_outcome(_right, inputs), _outcome(_wrong, inputs)]
"""


def judged_hunt(form: BuglineForm, key: BuglineKey, value: Mapping[str, Any], runner: Runner) -> dict[str, Judged]:
    """Judge the parts. `value` holds every part that was answered."""
    parts = {name: _judge(form, key, name, value, runner) for name in PARTS}
    if (
        parts["fix"][0] and parts["input"][0]
    ):  # the fix must also work on the input with which the student exposed the bug
        shown = value["input"]
        right = runner(key.original, form.function, [shown])[0]
        parts["fix"] = _fix(form, key, value, runner, [(shown, plain(right.value))])
    if parts["fix"][0] and not parts["line"][0]:
        told = f"Line {value['line']} is right, and your change compensates for another line."
        parts["line"] = False, f"{told} In which line does the value not match its name?"
    return parts


def _judge(form: BuglineForm, key: BuglineKey, name: str, value: Mapping[str, Any], runner: Runner) -> Judged:
    if name not in value:
        return False, "not answered yet."
    if isinstance(value[name], Bad):
        return False, literal(value[name].why)
    if name == "line":
        return _line(key, value["line"])
    if name == "input":
        return _input(form, key, value["input"], runner)
    return _fix(form, key, value, runner, list(zip(key.cases, key.expected, strict=True)))


def _line(key: BuglineKey, line: int) -> Judged:
    if line == key.line:
        return True, f"Line {key.line} is the wrong one."
    return False, f"Line {line} is right. Check the units and the counts, line by line."


def _input(form: BuglineForm, key: BuglineKey, inputs: Mapping[str, Any], runner: Runner) -> Judged:
    program = _SIDE_BY_SIDE.format(original=key.original, mutant=key.mutant, name=form.function)
    call, text = runner(program, "side_by_side", [inputs])[0], as_code(call_text(form.function, inputs))
    found = plain(call.value)
    if call.status != "returned" or not isinstance(found, list) or len(found) != 2:
        return False, f"{text} could not be computed ({as_code(call.error or call.status)}). Use ordinary numbers."
    right, wrong = found
    if right[0] == "raised" or is_nan(right[1]):
        why = f" ({as_code(': '.join(filter(None, right[1:])))})" if right[0] == "raised" else ""
        return False, f"{text}: the right function cannot compute this input either{why}. Use ordinary numbers."
    if wrong[0] == "raised":
        return True, f"{text} fails with {as_code(wrong[1])}, but the right result is `{brief(right[1])}`."
    if same(right[1], wrong[1], key.rel_tol):
        return False, f"{text} returns `{brief(wrong[1])}`, which is right, so this input does not expose the bug."
    return True, f"{text} returns `{brief(wrong[1])}`, but the right result is `{brief(right[1])}`."


def _fix(
    form: BuglineForm,
    key: BuglineKey,
    value: Mapping[str, Any],
    runner: Runner,
    cases: Sequence[tuple[Mapping[str, Any], Any]],
) -> Judged:
    """Judge whether a line fixes the listing on these inputs, each with its right result."""
    line, fix = value.get("line"), value["fix"]
    if not isinstance(line, int):
        return False, "say which line it replaces."
    try:
        patched = _patched(key.mutant, line, _whole(form.listing[line - 1], fix))
    except Unreadable as error:
        return False, literal(str(error))
    if patched != key.original:
        calls = runner(patched, form.function, [inputs for inputs, _ in cases])
        for (inputs, expected), call in zip(cases, calls, strict=True):
            if call.status != "returned" or not same(expected, plain(call.value), key.rel_tol):
                text = as_code(call_text(form.function, inputs))
                return False, f"with this line {text} {_became(call)}, and I expected `{brief(expected)}`."
    return True, "With this line, every input gives the right result."


def _whole(replaced: str, fix: str) -> str:
    """Return the complete fixed line if only the right-hand side of an assignment or the value of a return was given."""
    lead = re.match(r"\s*(?:\w+ = |return )", replaced)
    try:
        ast.parse(fix, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return fix
    return lead[0].lstrip() + fix if lead else fix


def _patched(source: str, line: int, fix: str) -> str:
    """Return the listing with the fixed line, without a line number that was pasted along with it."""
    try:
        return patch(source, line, fix)
    except Unreadable:
        bare = re.sub(rf"^(?:line\s*)?{line}\s*[:.|)]?\s+", "", fix, count=1, flags=re.I)
        if bare == fix:
            raise
    return patch(source, line, bare)


def _became(call: Call) -> str:
    return (
        f"returns `{brief(call.value)}`"
        if call.status == "returned"
        else f"fails ({as_code(call.error or call.status)})"
    )
