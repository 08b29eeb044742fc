"""Parts of a program that no case reaches: lines, branches and reasons to refuse an input which a student may leave out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from shardwise.kinds.code.broken_rules import weakened


@dataclass(frozen=True)
class Mined:
    """A program that fails as soon as a case reaches one part of it."""

    source: str
    line: int  # counted from 1
    unreached: str  # what is wrong where no case does, to follow the words "line 2 of the program"
    where: str = "always"  # the list that the missing input belongs to; only an edge may raise an error


def mined(source: str) -> tuple[Mined, ...]:
    """Return the program with each of its statements, branches and reasons to raise, in turn, replaced by a failure."""
    tree = ast.parse(source)
    return (*_statements(tree), *_branches(tree), *_reasons(tree), *_negatives(tree))


def _statements(tree: ast.Module) -> Iterator[Mined]:
    for block in [block for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for block in _blocks(node)]:
        for number, statement in enumerate(block):
            if not isinstance(statement, ast.FunctionDef):
                block[number] = _failure()
                failing = ast.unparse(tree)
                block[number] = statement
                first = ast.unparse(statement).splitlines()[0]
                where = "edges" if isinstance(statement, ast.Raise) else "always"
                yield Mined(failing, statement.lineno, f"(`{first}`) is never reached by a case", where)


def _branches(tree: ast.Module) -> Iterator[Mined]:
    """Yield the branches of conditional expressions, and those of an `if` without `else` that nobody wrote."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and not node.orelse:
            node.orelse = [_failure()]
            failing = ast.unparse(tree)
            node.orelse = []
            yield Mined(failing, node.lineno, f"(`if {ast.unparse(node.test)}`) is true in every case")
        elif isinstance(node, ast.IfExp):
            for name in ("body", "orelse"):
                branch = getattr(node, name)
                setattr(node, name, ast.parse("1 / 0", mode="eval").body)
                failing = ast.unparse(tree)
                setattr(node, name, branch)
                words = f"has a branch that no case takes: `{ast.unparse(branch)}` of `{ast.unparse(node)}`"
                yield Mined(failing, branch.lineno, words)


def _reasons(tree: ast.Module) -> Iterator[Mined]:
    """Yield the conditions each of which is reason enough to raise an error."""
    for guard, test, operand in weakened(tree):
        failing = _failing_alone(tree, guard, ast.unparse(guard.test), test)
        yield Mined(failing, guard.lineno, f"refuses no case for `{operand}` alone (`if {test}`)", "edges")


def _negatives(tree: ast.Module) -> Iterator[Mined]:
    """Yield the arguments whose negative numbers a guard refuses together with 0, as `x <= 0` does."""
    for guard in [node for node in ast.walk(tree) if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise)]:
        test = ast.unparse(guard.test)
        for name in dict.fromkeys(name for node in ast.walk(guard.test) for name in _bounded_below(node)):
            weaker = re.sub(rf"\b{name}\b", f"abs({name})", test)
            failing = _failing_alone(tree, guard, weaker, test)
            yield Mined(failing, guard.lineno, f"refuses no case for a negative `{name}` (`if {test}`)", "edges")


def _bounded_below(node: ast.AST) -> list[str]:
    """Return the arguments that `x <= 0`, `x < 1` or `min(x, y) < 1` compares with a constant."""
    match node:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.LtE() | ast.Lt()], comparators=[ast.Constant()]):
            return [name]
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="min"), args=several),
            ops=[ast.LtE() | ast.Lt()],
            comparators=[ast.Constant()],
        ):
            return [each.id for each in several if isinstance(each, ast.Name)]
    return []


def _failing_alone(tree: ast.Module, guard: ast.If, weaker: str, test: str) -> str:
    """Return the program, changed to fail on inputs that a guard refuses and a weaker guard accepts."""
    kept, body = guard.test, guard.body
    passing = ast.UnaryOp(ast.Not(), ast.parse(weaker, mode="eval").body)
    guard.test, guard.body = ast.parse(test, mode="eval").body, [ast.If(passing, [_failure()], []), *body]
    failing = ast.unparse(tree)
    guard.test, guard.body = kept, body
    return failing


def _failure() -> ast.stmt:
    return ast.Raise(ast.Name("ZeroDivisionError", ast.Load()))


def _blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of statements below a node, without those of functions of its own."""
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(node, name, None):
            yield block
            for statement in block:
                if not isinstance(statement, ast.FunctionDef):
                    yield from _blocks(statement)
