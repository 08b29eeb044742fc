"""Reading a student's function: the function itself, recorded calls, or its source."""

from __future__ import annotations

import ast
import re
import textwrap
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.calls import Program, Recorded
from shardwise.kinds.code.judging import signature
from shardwise.kinds.code.model import CodeForm

LONGEST = 20_000  # characters of a source; the longest reference has under 2,000
_PROMPTS = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)
_FENCED = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def program_of(form: CodeForm, raw: Any) -> Program | Recorded:
    """Return the function that an answer contains. Raises Unreadable."""
    if isinstance(raw, Recorded):
        return raw
    if callable(raw):
        function: Program = raw
        return function
    if not isinstance(raw, str):
        raise Unreadable(f"I expected the function {form.function}, but this is of type {type(raw).__name__}.")
    if len(raw) > LONGEST:
        raise Unreadable(f"That source has {len(raw):,} characters; {LONGEST:,} are read.")
    source = _source(raw)
    try:
        defined = _defined(source)
    except SyntaxError as error:
        raise Unreadable(f"This is not Python: {error.msg}, in line {error.lineno or 1}.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"This is not Python: {error}.") from None
    if form.function not in defined:
        raise Unreadable(f"I found no function called {form.function}. It begins with  {signature(form)}")
    return source


def _source(text: str) -> str:
    """Return the source of an answer without a code fence, shell prompts and common indentation."""
    bare = textwrap.dedent(_FENCED.sub(r"\1", text))
    return _PROMPTS.sub("", bare) if bare.lstrip().startswith(">>>") else bare


def _defined(source: str) -> frozenset[str]:
    """Return the names of functions in a program, and names that are assigned, for example to a lambda."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)
