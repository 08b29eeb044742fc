"""Mutations: small errors that occur in practice in an expression of a program, each with a name."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from shardwise.kinds.syntax import expression, with_fields

Change = tuple[ast.AST, str]  # the replacement, and the name of the mutation
Mutation = tuple[ast.AST, ast.AST, str]  # the node, its replacement, and the name of the mutation

# The operators that are confused with each operator.
_CONFUSED: Mapping[type, tuple[tuple[type, str], ...]] = {
    ast.Mult: ((ast.Div, "division for multiplication"),),
    ast.Div: ((ast.Mult, "multiplication for division"), (ast.FloorDiv, "// for /")),
    ast.FloorDiv: ((ast.Div, "/ for //"), (ast.Mult, "multiplication for division")),
    ast.Add: ((ast.Sub, "minus for plus"),),
    ast.Sub: ((ast.Add, "plus for minus"),),
    ast.Lt: ((ast.LtE, "<= for <"), (ast.Gt, "> for <")),
    ast.LtE: ((ast.Lt, "< for <="), (ast.GtE, ">= for <=")),
    ast.Gt: ((ast.GtE, ">= for >"), (ast.Lt, "< for >")),
    ast.GtE: ((ast.Gt, "> for >="), (ast.LtE, "<= for >=")),
    ast.And: ((ast.Or, "or for and"),),
    ast.Or: ((ast.And, "and for or"),),
}
_FUNCTIONS = {"min": "max", "max": "min", "math.ceil": "math.floor", "math.floor": "math.ceil",
              "math.log2": "math.log", "math.log": "math.log2", "math.log10": "math.log2"}  # fmt: skip
_OPTIONAL = {"math.sqrt": "square root", "math.ceil": "rounding up", "math.floor": "rounding down"}
_UNITS = {"1e3": "1e6", "1e6": "1e3", "1e9": "2**30", "1e12": "1e9", "1e15": "1e12", "1e-3": "1e-6", "1e-6": "1e-3",
          "1000": "1024", "1024": "1000", "60": "3600", "3600": "60", "86400": "3600", "2**10": "10**3",
          "2**20": "10**6", "2**30": "1e9", "2**40": "1e12", "10**3": "10**6", "10**6": "10**3", "10**9": "2**30",
          "10**12": "10**9"}  # fmt: skip
_MEASURES = frozenset(("bytes", "bits", "s", "seconds", "hours", "days", "flop", "flops", "w", "watts", "j", "joules",
                       "dollars", "fraction", "share", "ratio"))  # fmt: skip
_COUNTS = frozenset(("n", "batch", "tp", "dp", "pp", "cp", "ep", "size", "degree", "length", "sequence", "context",
                     "hidden"))  # fmt: skip
_ROUND = re.compile(r"\b1(0{3,15})\.0\b")
_POWER = re.compile(r"(?<=\w) \*\* (?=-?[\w.]+(?![\w.(\[]))")
_UNTOUCHED = (ast.Import, ast.ImportFrom, ast.Raise, ast.Assert, ast.JoinedStr, ast.Attribute, ast.arguments)
# Fields that name something rather than read its value.
_NAMING = frozenset(("target", "targets", "func", "annotation", "returns", "decorator_list"))


def mutations(tree: ast.Module) -> Iterator[Mutation]:
    """Yield every mutation that can be made in a program, in the order of the text."""
    yield from _inside(tree, None, [])


def _inside(node: ast.AST, above: ast.AST | None, known: list[str]) -> Iterator[Mutation]:
    """Yield the mutations of a node and of all nodes in it; `known` are the variables so far, oldest first."""
    if isinstance(node, ast.arguments):
        known += [argument.arg for argument in (*node.posonlyargs, *node.args, *node.kwonlyargs)]
    if isinstance(node, _UNTOUCHED):
        return
    for new, change in _changes(node, above, known):
        yield node, new, change
    if isinstance(node, ast.Assign | ast.Return | ast.If | ast.AugAssign):
        yield from _swapped_names(node.test if isinstance(node, ast.If) else node.value, known)
    for name, value in ast.iter_fields(node):
        if name not in _NAMING:
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from _inside(part, node, known)
    if isinstance(node, ast.Assign):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        known += [name for name in names if name not in known]


def _changes(node: ast.AST, above: ast.AST | None, known: list[str]) -> Iterator[Change]:
    match node:
        case ast.BinOp():
            yield from _binary(node)
        case ast.Constant(value=int() | float()):
            yield from _number(node, above)
        case ast.Name():
            yield from _name(node, above, known)
        case ast.Call():
            yield from _call(node)
        case ast.IfExp():
            yield with_fields(node, body=node.orelse, orelse=node.body), "swapped branches"
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                for other, change in _CONFUSED.get(type(operator), ()):
                    yield with_fields(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]]), change
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and code(node) not in _UNITS:
        for other, change in _CONFUSED.get(type(node.op), ()):
            yield with_fields(node, op=other()), change


def code(node: ast.AST) -> str:
    """Return the text of a node as a person writes it: short powers, round floats by their power of ten, double quotes.

    >>> code(ast.parse("(a + 1) ** 2 + 2 ** 30 / 1000000000.0 * 1e-6 * 12500000000.0"))
    '(a + 1) ** 2 + 2**30 / 1e9 * 1e-6 * 12500000000.0'
    """
    text = re.sub(r"\*\* \((-\w+)\)", r"** \1", ast.unparse(node))
    text = _POWER.sub("**", _ROUND.sub(lambda found: f"1e{len(found[1])}", text))
    text = re.sub(r"\b0\.001\b", "1e-3", text.replace("e-0", "e-"))
    return "\n".join(line if '"' in line else line.replace("'", '"') for line in text.split("\n") if line)


def _binary(node: ast.BinOp) -> Iterator[Change]:
    left, right = node.left, node.right
    if (other := _UNITS.get(code(node))) is not None:
        yield expression(other), f"wrong unit: {other} for {code(node)}"
        return
    match node.op:
        case ast.Mult():
            yield right, f"dropped factor {code(left)}"
            yield left, f"dropped factor {code(right)}"
        case ast.Div() | ast.FloorDiv():
            yield left, f"dropped divisor {code(right)}"
            yield with_fields(node, left=right, right=left), "swapped operands"
        case ast.Add():
            yield left, _dropped_term(left, "+", right)
            yield right, f"dropped term {code(left)}"
        case ast.Sub():
            yield left, _dropped_term(left, "-", right)
            yield with_fields(node, left=right, right=left), "swapped operands"
        case ast.Pow() if isinstance(right, ast.Constant) and isinstance(right.value, int):
            for power in (right.value + 1, right.value - 1):
                if power > 1:
                    yield with_fields(node, right=ast.Constant(power)), f"power {power} for power {right.value}"
            if right.value == 2:
                yield left, "dropped square"


def _dropped_term(left: ast.expr, sign: str, right: ast.expr) -> str:
    if isinstance(right, ast.Constant):
        return f"{code(left)} for {code(left)} {sign} {code(right)}"
    return f"dropped term {code(right)}"


def _number(node: ast.Constant, above: ast.AST | None) -> Iterator[Change]:
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Pow):
        return
    text, value = code(node), node.value
    if text in _UNITS:
        yield expression(_UNITS[text]), f"wrong unit: {_UNITS[text]} for {text}"
    elif type(value) is int:
        scales = isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Add | ast.Sub)
        for near in (value + 1, value - 1):
            if value <= 3 and near >= (2 if scales else 1):
                yield ast.Constant(near), f"off by one: {near} for {value}"
        if value >= 4 and value % 2 == 0:
            yield ast.Constant(value // 2), f"half the constant: {value // 2} for {value}"


def _name(node: ast.Name, above: ast.AST | None, known: list[str]) -> Iterator[Change]:
    name, role = node.id, _role(node.id)
    is_shifted = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add | ast.Sub)
    if role == "count" and not (is_shifted and isinstance(above, ast.BinOp) and isinstance(above.right, ast.Constant)):
        yield expression(f"{name} - 1"), f"{name} - 1 for {name}"
    if role == "bytes":
        yield expression(f"{name} * 8"), f"bits for bytes: {name} * 8"
    if role == "bytes_per_s":
        yield expression(f"{name} / 8"), f"bits for bytes: {name} / 8"
    for other in known:
        if other != name and role and _role(other) == role:
            yield ast.Name(other, ast.Load()), f"{other} for {name}"


def _role(name: str) -> str:
    """Return what a name measures, by its last words: names with the same role can be confused.

    >>> _role("bandwidth_bytes_per_s"), _role("chunk_bytes"), _role("hosts"), _role("efficiency")
    ('bytes_per_s', 'bytes', 'count', '')
    """
    head, per, base = name.rpartition("_per_")
    if per:
        return f"{head.split('_')[-1]}_per_{base}"
    last = name.split("_")[-1].lower()
    if last in _MEASURES:
        return last
    return "count" if last in _COUNTS or (last.endswith("s") and not last.endswith("ss")) else ""


def _call(node: ast.Call) -> Iterator[Change]:
    function = ast.unparse(node.func)
    if function in _FUNCTIONS:
        other = _FUNCTIONS[function]
        short, wrong = function.removeprefix("math."), other.removeprefix("math.")
        yield with_fields(node, func=expression(other)), f"{wrong} for {short}"
    if function in _OPTIONAL and len(node.args) == 1:
        yield node.args[0], f"dropped {_OPTIONAL[function]}"


def _swapped_names(value: ast.expr | None, known: list[str]) -> Iterator[Mutation]:
    """Yield an expression with two variables of the same role swapped."""
    if value is None:
        return
    words = set(re.findall(r"\w+", ast.unparse(value)))
    for first, second in combinations([name for name in known if name in words], 2):
        if _role(first) == _role(second):
            swapped = copy.deepcopy(value)
            for name in [inside for inside in ast.walk(swapped) if isinstance(inside, ast.Name)]:
                name.id = {first: second, second: first}.get(name.id, name.id)
            yield value, swapped, f"swapped {first} and {second}"
