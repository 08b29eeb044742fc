"""The listing of a reference: only its arithmetic, one statement per line."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from symtable import SymbolTable, symtable

from shardwise.errors import ShardwiseError
from shardwise.kinds.mutations import code


def listing(function: Callable[..., object]) -> str:
    """Return the source of `function` as a student sees it: plain parameters and arithmetic, one statement per line.

    Dropped: the docstring, annotations, decorators, the keyword-only star, comments, and guards, which are the statements
    that call a `require_...`. Raises ShardwiseError when the rest needs more than `math` and builtins.
    """
    definition = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise ShardwiseError(f"{function!r} has no listing: it is not a plain function. Write it with def.")
    bare = _Bare().visit(definition)
    bare.args, bare.returns, bare.decorator_list = _plain_arguments(definition), None, []
    plain = f"{code(ast.fix_missing_locations(bare))}\n"
    unknown = _unknown_globals(symtable(plain, "<listing>", "exec"))
    if unknown - {"math"}:
        raise ShardwiseError(
            f"the listing of {definition.name} needs {', '.join(sorted(unknown - {'math'}))}. "
            "A listing stands alone: use arguments, math and builtins, and write constants out."
        )
    return ("import math\n" if unknown else "") + plain


class _Bare(ast.NodeTransformer):
    """A transformer that removes docstrings, guards and annotations."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) or _is_guard(node.value) else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        return None if node.value is None else ast.Assign([node.target], node.value)


def _is_guard(call: ast.expr) -> bool:
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id.startswith("require_")


def _plain_arguments(definition: ast.FunctionDef) -> ast.arguments:
    spec = definition.args
    if spec.vararg or spec.kwarg:
        raise ShardwiseError(f"{definition.name} takes *args or **kwargs, which a listing cannot. Name its arguments.")
    positional = [*spec.posonlyargs, *spec.args]
    without: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults))
    defaults = [*without, *spec.defaults, *spec.kw_defaults]
    pairs = list(zip([*positional, *spec.kwonlyargs], defaults, strict=True))
    # After the star, a default may precede an argument without one; without the star it may not.
    pairs.sort(key=lambda pair: pair[1] is not None)
    return ast.arguments(
        posonlyargs=[], kwonlyargs=[], kw_defaults=[],
        args=[ast.arg(argument.arg) for argument, _ in pairs],
        defaults=[default for _, default in pairs if default is not None],
    )  # fmt: skip


def _unknown_globals(table: SymbolTable) -> set[str]:
    """Return the global names that a module's functions use and that are not builtins, including `math`."""
    symbols = table.get_symbols() if table.get_type() != "module" else []
    found = {symbol.get_name() for symbol in symbols if symbol.is_global() and symbol.is_referenced()}
    for child in table.get_children():
        found |= _unknown_globals(child)
    return found - set(dir(builtins))
