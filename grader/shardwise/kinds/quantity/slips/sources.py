"""Sources: a reference that cannot be traced, such as a search, with one part omitted in its source.

Functions of the bank that it calls are changed likewise. A copy that fails in the same place shows whether a part never
runs, or has no effect, in a draw, or whether its omission only makes no difference to the result.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

from shardwise.kinds.bugline.execution import bounded
from shardwise.kinds.quantity.slips.changes import OF_UNITS
from shardwise.kinds.syntax import put
from shardwise.template.references import Function, References

GUARD = 1e-6  # a number this close to 1, or to 0, only guards against rounding errors
_LOST = {ast.Add: "the term", ast.Sub: "the term", ast.Mult: "the factor", ast.Div: "the division by",
         ast.FloorDiv: "the division by"}  # fmt: skip
_ROUNDED = {"ceil": "floor", "floor": "ceil"}
_TECHNICAL = (ast.Raise, ast.JoinedStr, ast.Subscript, ast.arguments)  # not a part of what a student computes
_FAILS = ast.parse("1 // 0", mode="eval").body


class Cut(NamedTuple):
    """A reference with one part omitted, and a copy of it that fails where that part would be computed."""

    what: str  # such as "the term `latency_s`"
    lost: str  # the omitted part, as `negligible` names it
    run: Function
    fails: Function

    def value(self, references: References, values: Mapping[str, Any], given: Mapping[str, Any]) -> float:
        """Return its value for a draw; nan if it fails or does not terminate."""
        return _value(self.run, references, values, given)

    def is_idle(self, references: References, values: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
        """Return whether the omitted part never runs in a draw, or has no effect there."""
        return not math.isnan(_value(self.fails, references, values, given))


class Cuts(NamedTuple):
    """A reference and its cuts, with the interface of a program."""

    reference: str
    given: Mapping[str, Any]
    references: References
    cuts: tuple[Cut, ...]

    def run(self, values: Mapping[str, Any]) -> list[float]:
        """Return the key and the value of each cut."""
        key = self.references.key(self.reference, values, self.given)
        return [key, *(cut.value(self.references, values, self.given) for cut in self.cuts)]


def cuts(reference: Function) -> list[Cut]:
    """Return every way to omit one part of a reference, or of a function of its bank that it calls."""
    if not isinstance(reference, FunctionType):
        return []
    found = []
    for function in _reached(reference):
        if function.__annotations__.get("return") not in ("int", "float"):
            continue  # lists and strings are built in ways that nobody follows by hand
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for place, (_, kept, probe, what, lost) in enumerate(_changes(tree)):
            run, fails = (_compiled(reference, function, tree, place, new) for new in (kept, probe))
            found.append(Cut(f"{what} `{lost}`", lost, run, fails))
    return found


def _reached(reference: FunctionType) -> list[FunctionType]:
    """Return the function and the bank functions it calls, except argument checks."""
    found = {id(reference): reference}
    stack = [reference]
    while stack:
        for called in _called(stack.pop()).values():
            if id(called) not in found:
                found[id(called)] = called
                stack.append(called)
    return list(found.values())


def _called(function: FunctionType) -> dict[str, FunctionType]:
    package = function.__module__.partition(".")[0]
    names = {name: function.__globals__.get(name) for name in _names(function.__code__)}
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, FunctionType)
        and value.__module__.partition(".")[0] == package
        and not name.startswith("require")
    }


def _names(code: Any) -> Iterator[str]:
    """Yield the global names in a function and in those inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            yield from _names(constant)


def _operations(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the operations of a function in which something can be omitted."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, _TECHNICAL) or (isinstance(child, ast.Call) and _name(child) == "range"):
            continue
        if (isinstance(child, ast.BinOp) and type(child.op) in _LOST) or _name(child) in _ROUNDED:
            yield child
        yield from _operations(child)


def _changes(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr, ast.expr, str, str]]:
    """Yield each operation, its possible replacement, a probe, and what the replacement omits; always in the same order."""
    for here in _operations(tree):
        if isinstance(here, ast.Call):
            other = ast.Call(ast.Name(_ROUNDED[_name(here)], ast.Load()), here.args, [])
            if isinstance(here.func, ast.Attribute):
                other.func = ast.Attribute(here.func.value, _ROUNDED[_name(here)], ast.Load())
            yield here, other, _probe(here, here.args[0], here), "the rounding", ast.unparse(here)
        elif isinstance(here, ast.BinOp) and not any(_name(part) == "len" for part in ast.walk(here)):
            what = _LOST[type(here.op)]
            sides = [(here.left, here.right)]
            if isinstance(here.op, ast.Add | ast.Mult):
                sides.append((here.right, here.left))
            for kept, lost in sides:
                if not _does_nothing(lost, is_term=what == "the term"):
                    nothing = ast.Constant(0 if what == "the term" else 1)
                    yield (
                        here,
                        kept,
                        _probe(lost, nothing, here),
                        what,
                        ast.unparse(lost if not _is_one(lost) else here),
                    )


def _probe(lost: ast.expr, nothing: ast.expr, here: ast.expr) -> ast.expr:
    """Return an expression with this value that fails when the omitted part has an effect."""
    return ast.IfExp(ast.Compare(lost, [ast.Eq()], [nothing]), here, _FAILS)


def _name(here: ast.AST) -> str:
    if not isinstance(here, ast.Call):
        return ""
    return here.func.attr if isinstance(here.func, ast.Attribute) else getattr(here.func, "id", "")


def _is_one(here: ast.expr) -> bool:
    return isinstance(here, ast.Constant) and here.value == 1


def _does_nothing(lost: ast.expr, *, is_term: bool) -> bool:
    """Return whether an operation only converts units, guards against rounding, or counts iterations."""
    if any(isinstance(part, ast.Compare) for part in ast.walk(lost)):
        return True
    try:
        value = eval(compile(ast.Expression(lost), "<constant>", "eval"), {"__builtins__": {}})  # the bank's own source
    except Exception:  # it contains names
        return False
    if type(value) not in (int, float):
        return False
    return abs(value) < GUARD if is_term else value in OF_UNITS or abs(value - 1) < GUARD


def _compiled(reference: FunctionType, function: FunctionType, tree: ast.Module, place: int, new: ast.expr) -> Function:
    """Return the reference with one place replaced in it or in a function that it calls."""
    old = [here for here, *_ in _changes(tree)][place]
    changed = ast.fix_missing_locations(put(tree, old, new))
    names: dict[str, Any] = {"ceil": math.ceil, "floor": math.floor, **function.__globals__}
    exec(compile(changed, f"<{function.__name__}>", "exec", dont_inherit=True), names)
    made = names[function.__name__]

    @cache
    def rebound(given: FunctionType) -> FunctionType:
        if given is function:
            return made  # type: ignore[no-any-return]
        inside = {**given.__globals__, **{name: rebound(called) for name, called in _called(given).items()}}
        put = FunctionType(given.__code__, inside, given.__name__, given.__defaults__, given.__closure__)
        put.__kwdefaults__ = given.__kwdefaults__
        return put

    return rebound(reference)


def _value(function: Function, references: References, values: Mapping[str, Any], given: Mapping[str, Any]) -> float:
    try:
        return float(bounded(references.call)(function, values, given))
    except Exception:  # a function with a part omitted may fail in any way
        return math.nan
