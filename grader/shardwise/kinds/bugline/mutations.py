"""Mutations: the ways in which an expression of a listing goes wrong in practice, each with a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import libcst as cst
import libcst.matchers as m

from shardwise.kinds.bugline.parentheses import code, operation, placed

Change = tuple[cst.CSTNode, str]  # what stands there instead, and the mutation's name
Mutation = tuple[cst.CSTNode, cst.CSTNode, str]  # what stands there now, what would, and the mutation's name

# Which operator is taken for which.
_CONFUSED: dict[type, tuple[tuple[Callable[[], cst.CSTNode], str], ...]] = {
    cst.Multiply: ((cst.Divide, "division for multiplication"),),
    cst.Divide: ((cst.Multiply, "multiplication for division"), (cst.FloorDivide, "// for /")),
    cst.FloorDivide: ((cst.Divide, "/ for //"), (cst.Multiply, "multiplication for division")),
    cst.Add: ((cst.Subtract, "minus for plus"),),
    cst.Subtract: ((cst.Add, "plus for minus"),),
    cst.AddAssign: ((cst.SubtractAssign, "minus for plus"),),
    cst.SubtractAssign: ((cst.AddAssign, "plus for minus"),),
    cst.MultiplyAssign: ((cst.DivideAssign, "division for multiplication"),),
    cst.DivideAssign: ((cst.MultiplyAssign, "multiplication for division"),),
    cst.LessThan: ((cst.LessThanEqual, "<= for <"), (cst.GreaterThan, "> for <")),
    cst.LessThanEqual: ((cst.LessThan, "< for <="), (cst.GreaterThanEqual, ">= for <=")),
    cst.GreaterThan: ((cst.GreaterThanEqual, ">= for >"), (cst.LessThan, "< for >")),
    cst.GreaterThanEqual: ((cst.GreaterThan, "> for >="), (cst.LessThanEqual, "<= for >=")),
    cst.And: ((cst.Or, "or for and"),),
    cst.Or: ((cst.And, "and for or"),),
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
_UNTOUCHED = (cst.Parameters, cst.Import, cst.ImportFrom, cst.Raise, cst.Assert, cst.FormattedString, cst.AssignTarget,
              cst.Attribute, cst.Decorator, cst.Annotation)  # fmt: skip


def mutations(module: cst.Module) -> list[Mutation]:
    """Every mutation that can be made in a module, in the order of the text."""
    finder = _Finder()
    module.visit(finder)
    return finder.found


class _Finder(cst.CSTVisitor):
    """Walks a module and notes, at each expression, what could stand there instead."""

    def __init__(self) -> None:
        self.found: list[Mutation] = []
        self._above: list[cst.CSTNode] = []
        self._known: list[str] = []  # the variables that exist by now, oldest first

    def on_visit(self, node: cst.CSTNode) -> bool:
        above = self._above[-1] if self._above else None
        self._above.append(node)
        if isinstance(node, cst.Param):
            self._known.append(node.name.value)
        if isinstance(node, _UNTOUCHED) or _is_only_named(node, above):
            return isinstance(node, cst.Parameters)
        for new, change in _changes(node, above, self._known):
            put = placed(new, node, above) if isinstance(new, cst.BaseExpression) else new
            self.found.append((node, put, change))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._above.pop()
        if isinstance(original_node, cst.Assign):
            targets = [assigned.target for assigned in original_node.targets]
            names = [target.value for target in targets if isinstance(target, cst.Name)]
            self._known += [name for name in names if name not in self._known]


def _is_only_named(node: cst.CSTNode, above: cst.CSTNode | None) -> bool:
    """Whether a node names something rather than reads its value: a loop's variable, a keyword, a called function."""
    if isinstance(above, cst.For | cst.CompFor | cst.AugAssign):
        return above.target is node
    if isinstance(above, cst.Arg):
        return above.keyword is node
    if isinstance(above, cst.FunctionDef):
        return above.name is node
    return isinstance(above, cst.Param) or (isinstance(above, cst.Call) and above.func is node)


def _changes(node: cst.CSTNode, above: cst.CSTNode | None, known: list[str]) -> Iterator[Change]:
    if isinstance(node, cst.BinaryOperation):
        yield from _binary(node)
    elif isinstance(node, cst.Integer | cst.Float):
        yield from _number(node, above)
    elif isinstance(node, cst.Name):
        yield from _name(node, above, known)
    elif isinstance(node, cst.Call):
        yield from _call(node)
    elif isinstance(node, cst.IfExp):
        yield node.with_changes(body=node.orelse, orelse=node.body), "swapped branches"
    elif isinstance(node, cst.Assign | cst.Return | cst.If | cst.AugAssign):
        yield from _swapped_names(node, known)
    operator = getattr(node, "operator", None)
    for other, change in _CONFUSED.get(type(operator), ()):
        if code(node) not in _UNITS:
            yield node.with_changes(operator=other()), change


def _binary(node: cst.BinaryOperation) -> Iterator[Change]:
    left, right, operator = node.left, node.right, node.operator
    if code(node) in _UNITS:
        other = _UNITS[code(node)]
        yield cst.parse_expression(other), f"wrong unit: {other} for {code(node)}"
        return
    if isinstance(operator, cst.Multiply):
        yield right, f"dropped factor {code(left)}"
        yield left, f"dropped factor {code(right)}"
    elif isinstance(operator, cst.Divide | cst.FloorDivide):
        yield left, f"dropped divisor {code(right)}"
        yield operation(right, operator, left), "swapped operands"
    elif isinstance(operator, cst.Add):
        yield left, _dropped_term(left, "+", right)
        yield right, f"dropped term {code(left)}"
    elif isinstance(operator, cst.Subtract):
        yield left, _dropped_term(left, "-", right)
        yield operation(right, operator, left), "swapped operands"
    elif isinstance(operator, cst.Power) and isinstance(right, cst.Integer):
        power = int(right.value)
        for other_power in (power + 1, power - 1):
            if other_power > 1:
                changed = node.with_changes(right=cst.Integer(str(other_power)))
                yield changed, f"power {other_power} for power {power}"
        if power == 2:
            yield left, "dropped square"


def _dropped_term(left: cst.BaseExpression, sign: str, right: cst.BaseExpression) -> str:
    if isinstance(right, cst.Integer):
        return f"{code(left)} for {code(left)} {sign} {code(right)}"
    return f"dropped term {code(right)}"


def _number(node: cst.Integer | cst.Float, above: cst.CSTNode | None) -> Iterator[Change]:
    if isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.Power):
        return
    text = node.value.replace("_", "")
    short = re.sub(r"^1(?:\.0*)?[eE]\+?(-?)0*(\d+)$", r"1e\1\2", text)
    if short in _UNITS:
        yield cst.parse_expression(_UNITS[short]), f"wrong unit: {_UNITS[short]} for {node.value}"
        return
    if not isinstance(node, cst.Integer) or not text.isdecimal():
        return
    value = int(text)
    scales = isinstance(above, cst.BinaryOperation) and not isinstance(above.operator, cst.Add | cst.Subtract)
    for near in (value + 1, value - 1):
        if value <= 3 and near >= (2 if scales else 1):
            yield cst.Integer(str(near)), f"off by one: {near} for {value}"
    if value >= 4 and value % 2 == 0:
        yield cst.Integer(str(value // 2)), f"half the constant: {value // 2} for {value}"


def _name(node: cst.Name, above: cst.CSTNode | None, known: list[str]) -> Iterator[Change]:
    name, role = node.value, _role(node.value)
    if role == "count" and not _is_shifted(node, above):
        yield cst.parse_expression(f"{name} - 1"), f"{name} - 1 for {name}"
    if role == "bytes":
        yield cst.parse_expression(f"{name} * 8"), f"bits for bytes: {name} * 8"
    if role == "bytes_per_s":
        yield cst.parse_expression(f"{name} / 8"), f"bits for bytes: {name} / 8"
    for other in known:
        if other != name and role and _role(other) == role:
            yield cst.Name(other), f"{other} for {name}"


def _is_shifted(node: cst.Name, above: cst.CSTNode | None) -> bool:
    """Whether the node is the N of an N - 1 or N + 1."""
    shift = isinstance(above, cst.BinaryOperation) and isinstance(above.operator, cst.Add | cst.Subtract)
    return shift and isinstance(above, cst.BinaryOperation) and isinstance(above.right, cst.Integer)


def _role(name: str) -> str:
    """What a name measures, by its last words: two names of the same role can be taken for each other.

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


def _call(node: cst.Call) -> Iterator[Change]:
    function = code(node.func)
    if function in _FUNCTIONS:
        other = _FUNCTIONS[function]
        short, wrong = function.removeprefix("math."), other.removeprefix("math.")
        yield node.with_changes(func=cst.parse_expression(other)), f"{wrong} for {short}"
    if function in _OPTIONAL and len(node.args) == 1:
        yield node.args[0].value, f"dropped {_OPTIONAL[function]}"


def _swapped_names(node: cst.Assign | cst.Return | cst.If | cst.AugAssign, known: list[str]) -> Iterator[Change]:
    """The line with two variables of the same role in each other's place."""
    part = "test" if isinstance(node, cst.If) else "value"
    value = getattr(node, part)
    if value is None:
        return
    words = set(re.findall(r"\w+", code(value)))
    for first, second in combinations([name for name in known if name in words], 2):
        if _role(first) == _role(second):
            swapped = _renamed(value, {first: second, second: first})
            yield node.with_changes(**{part: swapped}), f"swapped {first} and {second}"


def _renamed(value: cst.CSTNode, names: Mapping[str, str]) -> cst.CSTNode:
    """An expression with its variables renamed, all at once."""

    def renamed(node: cst.CSTNode, _: object) -> cst.CSTNode:
        assert isinstance(node, cst.Name)
        return node.with_changes(value=names.get(node.value, node.value))

    replaced = m.replace(value, m.Name(), renamed)
    assert isinstance(replaced, cst.CSTNode)
    return replaced
