"""Programs that break one rule of a right one: what a student forgets, such as a tie, a reset, a unit or the last step of a loop."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from shardwise.kinds.bugline.mutants import mutants

Block = list[ast.stmt]


@dataclass(frozen=True)
class BrokenRule:
    """A program in which one rule is broken: where, how, and whether that rule says which of equals is meant."""

    source: str
    line: int  # counted from 1
    change: str
    is_tie: bool = False


def broken_rules(source: str) -> tuple[BrokenRule, ...]:
    """Return the program with each of its rules broken in turn, each once."""
    found = {
        mutant.source: BrokenRule(
            mutant.source,
            mutant.line,
            f"{mutant.change} (`{mutant.mutated_line.strip()}`, where it says `{mutant.original_line.strip()}`)",
        )
        for mutant in mutants(source)
    }
    tree = ast.parse(source)
    for rule in (*_ties(tree), *_guards(tree), *_resets(tree)):
        if rule.source != ast.unparse(tree):
            found.setdefault(rule.source, rule)
    return tuple(found.values())


def _ties(tree: ast.Module) -> Iterator[BrokenRule]:
    """Yield programs that break a tie differently, with the tie-breaking rule omitted or reversed."""
    for place, node in enumerate(ast.walk(tree)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")):
            continue
        keys = [keyword.value for keyword in node.keywords if keyword.arg == "key"]
        if keys:
            changed, call = _copied(tree, place)
            call.args = call.args[::-1] if len(call.args) > 1 else [_reversed(call.args[0])]
            yield BrokenRule(
                ast.unparse(changed), node.lineno, f"the last of equals for the first in `{ast.unparse(node)}`", True
            )
        ordered = keys[0].body if keys and isinstance(keys[0], ast.Lambda) else None
        if isinstance(ordered, ast.Tuple) and len(ordered.elts) > 1:
            for last in (None, ast.UnaryOp(ast.USub(), ordered.elts[-1])):
                changed, call = _copied(tree, place)
                key = next(keyword.value for keyword in call.keywords if keyword.arg == "key")
                assert isinstance(key, ast.Lambda) and isinstance(key.body, ast.Tuple)
                key.body.elts[-1:] = [] if last is None else [last]
                how = "left out" if last is None else "turned round"
                words = f"`{ast.unparse(ordered.elts[-1])}` {how} where it decides between equals"
                yield BrokenRule(ast.unparse(changed), node.lineno, words, True)


def _guards(tree: ast.Module) -> Iterator[BrokenRule]:
    """Yield programs with one of a guard's several conditions left out."""
    for guard, test, operand in weakened(tree):
        yield BrokenRule(ast.unparse(tree), guard.lineno, f"`{operand}` left out of `{test}`")


def weakened(tree: ast.Module) -> Iterator[tuple[ast.If, str, str]]:
    """Yield each `if` that raises an error with each operand of its test left out in turn, the whole test, and that operand.

    The tree is changed in place while the caller has it, and whole again at the end.
    """
    for guard in ast.walk(tree):
        if not (isinstance(guard, ast.If) and any(isinstance(each, ast.Raise) for each in guard.body)):
            continue
        test = ast.unparse(guard.test)
        for several in list(map(_operands, ast.walk(guard.test))):
            for number, operand in enumerate(several if len(several) > 1 else ()):
                several[number] = several[number - 1]  # given twice, since min and max need two
                yield guard, test, ast.unparse(operand)
                several[number] = operand


def _operands(node: ast.AST) -> list[ast.expr]:
    """Return the operands of `and` and `or`, and what `min`, `max`, `any` and `all` are given; the lists of the tree itself."""
    if isinstance(node, ast.BoolOp):
        return node.values
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return []
    if node.func.id not in ("min", "max", "any", "all"):
        return []
    only = node.args[0] if len(node.args) == 1 else None
    return only.elts if isinstance(only, ast.Tuple | ast.List) else node.args


def _copied(tree: ast.Module, place: int) -> tuple[ast.Module, ast.Call]:
    """Return a copy of a tree, and the call at a place of its walk."""
    changed = copy.deepcopy(tree)
    call = next(node for number, node in enumerate(ast.walk(changed)) if number == place)
    assert isinstance(call, ast.Call)
    return changed, call


def _reversed(several: ast.expr) -> ast.expr:
    listed = ast.Call(ast.Name("list", ast.Load()), [several], [])
    return ast.Call(ast.Name("reversed", ast.Load()), [listed], [])


def _resets(tree: ast.Module) -> Iterator[BrokenRule]:
    """Yield programs with a loop assignment left out, or a start value reset at the end of a loop's block."""
    starts: dict[str, ast.Assign] = {}
    for place, node in enumerate(ast.walk(tree)):
        for number, (target, value) in enumerate(_assigned(node)):
            assert isinstance(node, ast.Assign)
            what = f"{target.id} = {ast.unparse(value)}"
            if isinstance(value, ast.Constant | ast.Name):
                starts[what] = ast.Assign([target], value, lineno=node.lineno)
            if any(node in block for block in _blocks(tree)):
                changed = copy.deepcopy(tree)
                same = next(each for at, each in enumerate(ast.walk(changed)) if at == place)
                kept = ast.Name(target.id, ast.Load())
                assert isinstance(same, ast.Assign)
                if isinstance(same.value, ast.Tuple):
                    same.value.elts[number] = kept
                else:
                    same.value = kept
                yield BrokenRule(ast.unparse(changed), node.lineno, f"`{what}` left out")
    for number, block in enumerate(_blocks(tree)):
        for what, statement in starts.items():
            changed = copy.deepcopy(tree)
            _blocks(changed)[number].append(statement)
            yield BrokenRule(ast.unparse(changed), block[-1].lineno, f"`{what}` again after it")


def _assigned(node: ast.AST) -> list[tuple[ast.Name, ast.expr]]:
    """Return the names that a statement assigns, each with its value; none where it is no assignment."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [(name, its) for name, its in pairs if isinstance(name, ast.Name)]
    return [(target, value)] if isinstance(target, ast.Name) else []


def _blocks(tree: ast.Module) -> list[Block]:
    """Return the statement blocks inside loops, whose state carries over between iterations."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    found: dict[int, Block] = {}
    for loop in loops:
        for node in ast.walk(loop):
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    found[id(block)] = block
    return list(found.values())
