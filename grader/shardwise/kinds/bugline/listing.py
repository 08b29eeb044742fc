"""The listing of a reference: its arithmetic alone, one statement a line."""

from __future__ import annotations

import ast
import builtins
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable, Iterator
from symtable import SymbolTable, symtable

from shardwise.errors import ShardwiseError

INDENT = "    "
_UNSEEN = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


def listing(function: Callable[..., object]) -> str:
    """The source of `function` as a student sees it: plain parameters and arithmetic, one statement a line.

    Dropped: the docstring, annotations, decorators, the keyword-only star, comments, and guards, which are the statements
    that call a `require_...`. Raises ShardwiseError when the rest needs more than `math` and builtins.
    """
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    definition = ast.parse(source).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise ShardwiseError(f"{function!r} has no listing: it is not a plain function. Write it with def.")
    dropped = {statement.lineno for statement in definition.body if _is_docstring(statement)}
    dropped |= {node.lineno for node in ast.walk(definition) if isinstance(node, ast.Expr) and _is_guard(node)}
    lines = [_def_line(definition, source)]
    for start, depth, text in _logical_lines(source):
        if start >= definition.body[0].lineno and start not in dropped:
            if "\n" in text:
                raise ShardwiseError(f"a listing cannot show a text over several lines: {text[:40]!r}")
            lines += [INDENT * depth + unwrapped(_unannotated(part)) for part in _apart(text)]
    plain = "\n".join(lines) + "\n"
    unknown = _unknown_globals(symtable(plain, "<listing>", "exec"))
    if unknown - {"math"}:
        raise ShardwiseError(
            f"the listing of {definition.name} needs {', '.join(sorted(unknown - {'math'}))}. "
            "A listing stands alone: use arguments, math and builtins, and write constants out."
        )
    return ("import math\n" if unknown else "") + plain


def unwrapped(line: str) -> str:
    """A statement without parentheses around its whole value.

    >>> unwrapped("return (hosts - 1)"), unwrapped("x = (a + b) / (c + d)")
    ('return hosts - 1', 'x = (a + b) / (c + d)')
    """
    statement = line.strip()
    for opening in ("return (", "= ("):
        head, found, tail = statement.partition(opening)
        bare = f"{head}{opening[:-1]}{tail[:-1]}"
        if found and tail.endswith(")") and _tree(bare) == _tree(statement) is not None:
            return line[: len(line) - len(line.lstrip())] + bare
    return line


def _tree(statement: str) -> str | None:
    try:
        return ast.dump(ast.parse(statement))
    except SyntaxError:
        return None


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_guard(statement: ast.Expr) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id.startswith("require_")


def _def_line(definition: ast.FunctionDef, source: str) -> str:
    spec = definition.args
    if spec.vararg or spec.kwarg:
        raise ShardwiseError(f"{definition.name} takes *args or **kwargs, which a listing cannot. Name its arguments.")
    positional = [*spec.posonlyargs, *spec.args]
    bare: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults))
    defaults = [*bare, *spec.defaults, *spec.kw_defaults]
    pairs = list(zip([*positional, *spec.kwonlyargs], defaults, strict=True))
    # Behind the star a default may come before an argument that has none; without the star it may not.
    pairs.sort(key=lambda pair: pair[1] is not None)
    shown = [arg.arg + ("" if value is None else f"={ast.get_source_segment(source, value)}") for arg, value in pairs]
    return f"def {definition.name}({', '.join(shown)}):"


def _logical_lines(source: str) -> Iterator[tuple[int, int, str]]:
    """Each logical line: the row where it starts, its depth, and its text, joined to one row unless a string spans several."""
    rows, depth, several = source.split("\n"), 0, False
    spans: dict[int, list[int]] = {}  # row -> where its code starts and ends
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        depth += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        if token.type == tokenize.NEWLINE:
            parts = [rows[row - 1][start:end] for row, (start, end) in spans.items()]
            yield min(spans), depth, "\n".join(parts) + "\n" if several else _joined(parts)
            spans, several = {}, False
        elif token.type not in _UNSEEN:
            (row, start), end = token.start, token.end[1]
            spans.setdefault(row, [start, end])[1] = end
            several |= token.end[0] != row


def _joined(parts: list[str]) -> str:
    """The rows of one statement on one row, as a person would have written it there."""
    text = parts[0]
    for part in parts[1:]:
        if part[0] in ")]}":
            text = text.removesuffix(",") + part
        else:
            text += part if text[-1] in "([{" else f" {part}"
    return text


def _apart(text: str) -> list[str]:
    """The statements of a logical line; only simple statements can share one."""
    if ";" not in text:
        return [text]
    return [str(ast.get_source_segment(text, statement)) for statement in ast.parse(text).body]


def _unannotated(text: str) -> str:
    """`steps: int = 3` as `steps = 3`; any other statement as it is."""
    tree = ast.parse(text) if _tree(text) else None
    only = tree.body[0] if tree and tree.body else None
    if isinstance(only, ast.AnnAssign) and only.value:
        return f"{ast.get_source_segment(text, only.target)} = {ast.get_source_segment(text, only.value)}"
    return text


def _unknown_globals(table: SymbolTable) -> set[str]:
    """The global names that a module's functions use and that are no builtins; `math` counts among them."""
    symbols = table.get_symbols() if table.get_type() != "module" else []
    found = {symbol.get_name() for symbol in symbols if symbol.is_global() and symbol.is_referenced()}
    for child in table.get_children():
        found |= _unknown_globals(child)
    return found - set(dir(builtins))
