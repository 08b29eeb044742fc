"""Running our own listings within bounds: a mutant of a loop may go on for ever, and a wrong power fill the memory."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

FUEL = 100_000  # turns of all loops together in one call, and elements of a list
LONGEST_POWER = 4096  # bits of an integer power
_SAFE = ("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "int", "isinstance", "len", "list", "map",
         "max", "min", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip", "ArithmeticError", "Exception",
         "KeyError", "OverflowError", "TypeError", "ValueError", "ZeroDivisionError")  # fmt: skip


def load(source: str, name: str) -> Callable[..., object]:
    """The function `name` of one of OUR OWN listings, able to reach `math` and harmless builtins. Never for a student's text.

    Each call may turn its loops FUEL times in all; one that would go on raises OverflowError.
    """
    tree = ast.fix_missing_locations(_Bounded().visit(ast.parse(source)))
    fuel = _Fuel()
    safe = {word: getattr(builtins, word) for word in _SAFE}
    safe |= {"range": _range, "pow": _power, "__import__": _import_math}
    namespace: dict[str, Any] = {
        "__builtins__": safe,
        "_turn": fuel.turn,
        "_power": _power,
        "_product": _product,
    }
    exec(compile(tree, "<listing>", "exec", dont_inherit=True), namespace)
    function = namespace[name]

    def call(*args: object, **kwargs: object) -> object:
        fuel.left = FUEL
        return function(*args, **kwargs)

    call.__name__ = name
    return call


class _Fuel:
    """What is left of a call's turns."""

    left = FUEL

    def turn(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OverflowError(f"over {FUEL:,} turns of a loop")


class _Bounded(ast.NodeTransformer):
    """Makes each turn of a loop cost fuel, and each power and product pass through a function of ours."""

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._paying(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._paying(node)

    def _paying(self, node: ast.While | ast.For) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_turn", ast.Load()), [], [])))
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = {ast.Pow: "_power", ast.Mult: "_product"}.get(type(node.op))
        return ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []) if name else node


def _range(*bounds: int) -> range:
    turns = range(*bounds)
    if (turns.stop - turns.start) // turns.step > FUEL:  # len() overflows on the longest ranges
        raise OverflowError(f"over {FUEL:,} turns of a loop")
    return turns


def _power(base: Any, exponent: Any) -> Any:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent * base.bit_length() > LONGEST_POWER:
        raise OverflowError(f"a power of over {LONGEST_POWER:,} bits")
    return base**exponent


def _product(left: Any, right: Any) -> Any:
    for many, of in ((left, right), (right, left)):
        if isinstance(many, int) and isinstance(of, list | tuple | str) and many > FUEL:
            raise OverflowError(f"a list of over {FUEL:,} elements")
    return left * right


def _import_math(name: str, *_: object) -> ModuleType:
    if name != "math":
        raise ImportError(f"a listing has math, and not {name}")
    return math
