"""Trying a function out: one call with the student's own arguments, and its result. Nothing is judged."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.calls import Call, brief
from shardwise.kinds.code.model import CodeForm
from shardwise.markdown.escaping import as_code, safe

LONGEST = 1000  # characters of the arguments


def arguments_of(form: CodeForm, text: str) -> dict[str, Any]:
    """Parse the arguments of a call as a student types them: message_gb=1, hosts=8; or 1, 8. Raises Unreadable."""
    names = [given.name for given in form.arguments]
    like = f"Write them as in {', '.join(f'{name}=1' for name in names)}."
    if len(text) > LONGEST:
        raise Unreadable(f"I couldn't read arguments of {len(text):,} characters. {like}")
    try:
        call = ast.parse(f"f({text}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        values = [ast.literal_eval(given) for given in call.args]
        found = {str(given.arg): ast.literal_eval(given.value) for given in call.keywords}
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise Unreadable(f"I couldn't read “{text}” as arguments. {like}") from None
    if len(values) > len(names):
        raise Unreadable(f"I saw {len(values)} arguments, but the function takes {len(names)}. {like}")
    found = {**dict(zip(names, values, strict=False)), **found}
    strangers, missing = [name for name in found if name not in names], [name for name in names if name not in found]
    if strangers:
        raise Unreadable(f"The function has no argument {', '.join(strangers)[:40]}. {like}")
    if missing:
        raise Unreadable(f"There is no value for {', '.join(missing)}. {like}")
    return {name: found[name] for name in names}


def happened(call: Call) -> str:
    """Return the result of a call, in Markdown."""
    told: Mapping[str, str] = {
        "returned": f"It returned `{brief(call.value)}`.",
        "raised": f"It raised `{safe(call.error)}`.",
        "unreadable": f"It returned something that cannot be read ({as_code(call.error)}).",
        "timeout": "It took too long and was stopped.",
        "killed": "It ended the whole process.",
        "missing": "It could not be called: there is no such function.",
    }
    return told.get(call.status, f"It could not be called ({as_code(call.error or call.status)}).")
