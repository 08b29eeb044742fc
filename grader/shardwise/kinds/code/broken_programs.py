"""Broken programs: a right program with one rule broken, or with a part that fails when it is reached. The cases must notice them all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from shardwise.kinds.mutations import mutations
from shardwise.kinds.syntax import expression, put, with_fields

Block = list[ast.stmt]


@dataclass(frozen=True)
class Broken:
    """A broken program: the line that differs, and how.

        A broken `rule` that some draw notices must be noticed in every draw. A broken `tie` must always be noticed, since otherwise
    no case tests what the prompt says about equal items. A `part` must be reached: the program fails as soon as a case reaches it.
    """

    source: str
    line: int  # counted from 1
    change: str  # for a part: the fault if no case reaches it, after the words "line 2 of the program"
    kind: Literal["rule", "tie", "part"] = "rule"
    where: Literal["always", "edges"] = "always"  # the list for the missing input; only an edge may raise an error


def broken_rules(source: str) -> tuple[Broken, ...]:
    """Return the program with each of its rules broken in turn, each once."""
    tree = ast.parse(source)
    found: dict[str, Broken] = {ast.unparse(tree): Broken(source, 0, "")}
    for rule in (*_mutants(tree), *_ties(tree), *_weaker_guards(tree), *_resets(tree)):
        found.setdefault(rule.source, rule)
    return tuple(found.values())[1:]


def failing_parts(source: str) -> tuple[Broken, ...]:
    """Return the program with each of its statements, branches and reasons to raise, in turn, replaced by a failure."""
    tree = ast.parse(source)
    return (*_statements(tree), *_branches(tree), *_reasons(tree), *_negatives(tree))


def _mutants(tree: ast.Module) -> Iterator[Broken]:
    before = ast.unparse(tree).split("\n")
    for old, new, change in mutations(tree):
        source = ast.unparse(put(tree, old, new))
        lines = zip(before, source.split("\n"), strict=False)
        was, now = next(((was.strip(), now.strip()) for was, now in lines if was != now), ("", ""))
        yield Broken(source, _line(old), f"{change} (`{now}` instead of `{was}`)")


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _ties(tree: ast.Module) -> Iterator[Broken]:
    """Yield programs that break a tie differently, with the tie-breaking rule omitted or reversed."""
    for call in _calls(tree, ("min", "max")):
        key = next((keyword for keyword in call.keywords if keyword.arg == "key"), None)
        if key is None:
            continue
        several = (
            call.args[::-1] if len(call.args) > 1 else [expression(f"reversed(list({ast.unparse(call.args[0])}))")]
        )
        source = ast.unparse(put(tree, call, with_fields(call, args=several)))
        yield Broken(
            source, call.lineno, f"the last of equal items instead of the first in `{ast.unparse(call)}`", "tie"
        )
        ordered = key.value.body if isinstance(key.value, ast.Lambda) else None
        if isinstance(ordered, ast.Tuple) and len(ordered.elts) > 1:
            *others, last = ordered.elts
            turned: ast.expr = ast.UnaryOp(ast.USub(), last)
            for elements, how in ((others, "omitted"), ([*others, turned], "reversed")):
                source = ast.unparse(put(tree, ordered, with_fields(ordered, elts=elements)))
                yield Broken(source, call.lineno, f"`{ast.unparse(last)}` {how} where it breaks a tie", "tie")


def _calls(tree: ast.AST, names: tuple[str, ...]) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    ]


def _weaker_guards(tree: ast.Module) -> Iterator[Broken]:
    """Yield programs with one of a guard's several conditions omitted."""
    for guard, weaker, operand in _weakened(tree):
        source = ast.unparse(put(tree, guard.test, weaker))
        yield Broken(source, guard.lineno, f"`{ast.unparse(operand)}` omitted from `{ast.unparse(guard.test)}`")


def _guards(tree: ast.Module) -> list[ast.If]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and any(isinstance(each, ast.Raise) for each in node.body)
    ]


def _weakened(tree: ast.Module) -> Iterator[tuple[ast.If, ast.expr, ast.expr]]:
    """Yield each `if` that raises an error, its test with each operand omitted in turn, and that operand."""
    for guard in _guards(tree):
        for operands in map(_operands, ast.walk(guard.test)):
            for number, operand in enumerate(operands if len(operands) > 1 else ()):
                # The previous operand is repeated, since min and max need two.
                yield guard, put(guard.test, operand, operands[number - 1]), operand


def _operands(node: ast.AST) -> list[ast.expr]:
    """Return the operands of `and` and `or`, and the arguments of `min`, `max`, `any` and `all`."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return []
    if node.func.id not in ("min", "max", "any", "all"):
        return []
    only = node.args[0] if len(node.args) == 1 else None
    return only.elts if isinstance(only, ast.Tuple | ast.List) else node.args


def _resets(tree: ast.Module) -> Iterator[Broken]:
    """Yield programs with a loop assignment omitted, or a start value reset at the end of a loop's block."""
    starts: dict[str, ast.Assign] = {}
    owners = _blocks_of_loops(tree)
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]:
        for target, value in _assigned(node):
            what = f"{target.id} = {ast.unparse(value)}"
            if isinstance(value, ast.Constant | ast.Name):
                starts[what] = ast.Assign([target], value, lineno=node.lineno)
            if any(node in getattr(owner, name) for owner, name in owners):
                kept = put(node, value, ast.Name(target.id, ast.Load()))
                yield Broken(ast.unparse(put(tree, node, kept)), node.lineno, f"`{what}` removed")
    for owner, name in owners:
        block = getattr(owner, name)
        for what, statement in starts.items():
            changed = put(tree, owner, with_fields(owner, **{name: [*block, statement]}))
            yield Broken(ast.unparse(changed), block[-1].lineno, f"`{what}` repeated after it")


def _assigned(node: ast.Assign) -> list[tuple[ast.Name, ast.expr]]:
    """Return the names that a statement assigns, each with its value."""
    if len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [(name, its) for name, its in pairs if isinstance(name, ast.Name)]
    return [(target, value)] if isinstance(target, ast.Name) else []


def _blocks_of_loops(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """Return the blocks inside loops, whose state carries over between iterations: each by its statement and its field."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    return list(dict.fromkeys(found for loop in loops for node in ast.walk(loop) for found in _own_blocks(node)))


def _own_blocks(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield node, name


def _statements(tree: ast.Module) -> Iterator[Broken]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for statement in [inside for function in functions for inside in _below(function)]:
        first = ast.unparse(statement).splitlines()[0]
        yield Broken(
            ast.unparse(put(tree, statement, _failure())),
            statement.lineno,
            f"(`{first}`) is never reached by a case",
            "part",
            "edges" if isinstance(statement, ast.Raise) else "always",
        )


def _below(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements inside a statement, except those of nested functions."""
    for owner, name in _own_blocks(node):
        for statement in getattr(owner, name):
            if not isinstance(statement, ast.FunctionDef):
                yield statement
                yield from _below(statement)


def _branches(tree: ast.Module) -> Iterator[Broken]:
    """Yield the branches of conditional expressions, and the implicit ones of an `if` without `else`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and not node.orelse:
            failing = ast.unparse(put(tree, node, with_fields(node, orelse=[_failure()])))
            yield Broken(failing, node.lineno, f"(`if {ast.unparse(node.test)}`) is true in every case", "part")
        elif isinstance(node, ast.IfExp):
            for branch in (node.body, node.orelse):
                failing = ast.unparse(put(tree, branch, expression("1 / 0")))
                words = f"has a branch that no case takes: `{ast.unparse(branch)}` of `{ast.unparse(node)}`"
                yield Broken(failing, branch.lineno, words, "part")


def _reasons(tree: ast.Module) -> Iterator[Broken]:
    """Yield the conditions each of which suffices to raise an error."""
    for guard, weaker, operand in _weakened(tree):
        yield _failing_alone(tree, guard, weaker, f"for `{ast.unparse(operand)}` alone")


def _negatives(tree: ast.Module) -> Iterator[Broken]:
    """Yield the arguments whose negative numbers a guard refuses together with 0, as `x <= 0` does."""
    for guard in [guard for guard in _guards(tree) if isinstance(guard.body[0], ast.Raise)]:
        for name in dict.fromkeys(name for node in ast.walk(guard.test) for name in _bounded_below(node)):
            weaker = expression(re.sub(rf"\b{name}\b", f"abs({name})", ast.unparse(guard.test)))
            yield _failing_alone(tree, guard, weaker, f"for a negative `{name}`")


def _bounded_below(node: ast.AST) -> list[str]:
    """Return the arguments that `x <= 0`, `x < 1` or `min(x, y) < 1` compares with a constant."""
    match node:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.LtE() | ast.Lt()], comparators=[ast.Constant()]):
            return [name]
        case ast.Compare(left=ast.Call(func=ast.Name(id="min"), args=several), ops=[ast.LtE() | ast.Lt()],
                         comparators=[ast.Constant()]):  # fmt: skip
            return [each.id for each in several if isinstance(each, ast.Name)]
    return []


def _failing_alone(tree: ast.Module, guard: ast.If, weaker: ast.expr, why: str) -> Broken:
    """Return the program, changed to fail on inputs that a guard refuses and a weaker guard accepts."""
    alone = ast.If(ast.UnaryOp(ast.Not(), weaker), [_failure()], [])
    failing = ast.unparse(put(tree, guard, with_fields(guard, body=[alone, *guard.body])))
    words = f"refuses no case {why} (`if {ast.unparse(guard.test)}`)"
    return Broken(failing, guard.lineno, words, "part", "edges")


def _failure() -> ast.stmt:
    return ast.Raise(ast.Name("ZeroDivisionError", ast.Load()))
