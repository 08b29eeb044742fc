"""The parser: a formula's text, read from left to right into a tree by the precedence of its operations.

    sum      = product, then any number of + product or - product
    product  = signed, then any number of * signed or / signed
    signed   = + signed, or - signed, or adjacent
    adjacent = power, then any number of powers: a product without a sign, as in 2M(N-1)
    power    = atom, alone or with ^ exponent or a superscript such as ²
    exponent = + exponent, or - exponent, or power
    atom     = number, name, function(sum, ...), function² (sum), (sum), [sum], ⌈sum⌉, ⌊sum⌋, or √ and an atom

A text with two common readings, such as M/2N, is refused with both of them. The digits after a symbol are the whole
exponent, as in 5as^2b; 2^3b and (1+r)^2n are ambiguous.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from shardwise.kinds.formula.advice import FUNCTIONS, about_character, about_token, quoted
from shardwise.kinds.formula.tree import LARGEST_EXPONENT, PI, Node
from shardwise.units import TRIGONOMETRY, lowered

LONGEST_NUMBER = 40  # characters of a number
LONGEST_READING = 60  # characters of an ambiguous part of a text that is quoted
DEEPEST = 60  # nested operations

LETTER = r"[^\W⁰¹²³⁴⁵⁶⁷⁸⁹]"
_FUNCTION = rf"(?:{'|'.join(FUNCTIONS)})(?!{LETTER})"
_NAME = rf"(?!\d){LETTER}+"
_TOKEN = re.compile(
    rf"""
    (?P<number>(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<function>{_FUNCTION}) |(?P<name>{_NAME}) |(?P<superscript>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    |(?P<root>√) |(?P<open>[(\[]) |(?P<ceil>⌈) |(?P<floor>⌊) |(?P<close>[)\]⌉⌋]) |(?P<comma>,) |(?P<equal>=)
    |(?P<power>\*\*|\^) |(?P<times>[*×·⋅∙∗]) |(?P<over>[/÷⁄]) |(?P<plus>\+) |(?P<minus>[-−–])
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"\s*")
_LEFT_HAND_SIDE = re.compile(rf"\s*(?!{_FUNCTION}){_NAME}\s*=")

_SUM, _PRODUCT, _SIGNED, _ADJACENT = range(4)  # how tightly operations bind; powers bind most tightly
_BINDING = {"plus": _SUM, "minus": _SUM, "times": _PRODUCT, "over": _PRODUCT} | dict.fromkeys(
    ("number", "function", "name", "root", "open", "ceil", "floor"), _ADJACENT
)


class Unclear(Exception):
    """A text that cannot be read. Its arguments are what I saw, and what to do."""


def parsed_formula(text: str) -> Node:
    """Return the tree of a text whose brackets match. Raises Unclear."""
    reader = _Reader(text)
    tree = reader.expression(_SUM)
    if reader.kind != "end":
        raise reader.unexpected()
    return tree


class _Reader:
    """A text and the token reached in it. Each method reads the construct that it is named after, and stops at the token after it."""

    def __init__(self, text: str) -> None:
        name = _LEFT_HAND_SIDE.match(text)
        self.kind, self._token, self._text = "", "", text
        self._start = self._end = name.end() if name else 0
        self._take()

    def _take(self) -> str:
        """Advance to the next token, and return the text of the current one."""
        taken, taken_kind = self._token, self.kind
        space = _SPACE.match(self._text, self._end)
        self._start = self._end = space.end() if space else self._end
        match = _TOKEN.match(self._text, self._start)
        if match:
            self.kind, self._token, self._end = str(match.lastgroup), match[0], match.end()
        elif self._start == len(self._text):
            self.kind, self._token = "end", ""
        else:
            char = self._text[self._start]
            raise Unclear(f"I saw “{quoted(char)}”", about_character(char))
        if self.kind == "equal" or (taken_kind == "function" and self.kind != "open" and not self._is_power_of(taken)):
            raise self.unexpected(after_function=taken_kind == "function")
        return taken

    def _is_power_of(self, function: str) -> bool:
        """Return whether an exponent follows a function that is written with one, as in sin²(x)."""
        return function in TRIGONOMETRY and self.kind in ("power", "superscript")

    def unexpected(self, after_function: bool = False) -> Unclear:
        """Return the error for a misplaced token."""
        return Unclear(*about_token(self.kind, self._token, self._text[: self._start], after_function))

    def expression(self, least: int) -> Node:
        """Read operations that bind at least this tightly."""
        left = self._signed() if self.kind in ("plus", "minus") else self._power()
        while (binding := _BINDING.get(self.kind, -1)) >= least:
            if binding == _ADJACENT:
                left = _beside(left, self._power())
                continue
            operation, _ = self.kind, self._take()
            right = self.expression(binding + 1)
            left = _over(left, right) if operation == "over" else _node(operation, left, right)
        return left

    def _signed(self) -> Node:
        sign = self.kind
        self._take()
        operand = self.expression(_SIGNED)
        return _node("negative", operand) if sign == "minus" else operand

    def _power(self) -> Node:
        base = self._atom()
        if self.kind == "power":
            self._take()
            return _node("power", base, self._exponent())
        if self.kind == "superscript":
            digits = lowered(self._take())
            if self.kind in ("power", "superscript"):
                raise self.unexpected()
            return _node("group", _node("power", base, _number(digits)))  # what follows does not belong to the exponent
        return base

    def _exponent(self) -> Node:
        if self.kind not in ("plus", "minus"):
            return self._power()
        sign = self.kind
        self._take()
        exponent = self._exponent()
        return _node("negative", exponent) if sign == "minus" else exponent

    def _atom(self) -> Node:
        kind = self.kind
        if kind == "number":
            return _number(self._take())
        if kind == "name":
            name = self._take()
            return Node("number", name=PI, value=Fraction(math.pi)) if name == PI else Node("symbol", name=name)
        if kind == "root":
            return self._root()
        if kind == "function":
            name = self._take()
            if self._is_power_of(name):
                return self._power_of(name)
            return _call(name, self._bracketed(several=True))
        if kind in ("ceil", "floor"):
            return _node("call", *self._bracketed(), name=kind)
        if kind == "open":
            return _node("group", *self._bracketed())
        raise self.unexpected()

    def _power_of(self, function: str) -> Node:
        """Read a power that precedes the argument of a function: sin²(x) is sin(x)²."""
        digits = lowered(self._take())
        if digits in ("^", "**") and self.kind == "number":
            digits = self._take()
        if not re.fullmatch(r"[2-9]", digits):
            advice = f"Write a{function}(...) for the inverse function, or 1/{function}(...)."
            raise Unclear(f"it is unclear what the exponent of {function} means", advice)
        if self.kind != "open":
            raise self.unexpected(after_function=True)
        return _node("group", _node("power", _call(function, self._bracketed()), _number(digits)))

    def _root(self) -> Node:
        """Read a root of a bracket, or of one number or name that no other follows, as in √2*M."""
        self._take()
        has_brackets = self.kind in ("open", "ceil", "floor")
        inside = self._atom()
        if not has_brackets and (self.kind in ("power", "superscript") or _BINDING.get(self.kind) == _ADJACENT):
            raise Unclear("it is unclear where a root ends", "Put the radicand in brackets: √(...).")
        return _node("call", inside, name="sqrt")

    def _bracketed(self, several: bool = False) -> list[Node]:
        self._take()
        parts = [self.expression(_SUM)]
        while several and self.kind == "comma":
            self._take()
            parts.append(self.expression(_SUM))
        if self.kind != "close":
            raise self.unexpected()
        self._take()
        return parts


def _node(kind: str, *parts: Node, name: str = "") -> Node:
    depth = 1 + max(part.depth for part in parts)
    if depth > DEEPEST:
        raise Unclear(f"over {DEEPEST} operations are nested", "Write a simpler formula.")
    return Node(kind, parts, name=name, depth=depth)


def _number(text: str) -> Node:
    exponent = text.lower().partition("e")[2]
    if len(text) > LONGEST_NUMBER or len(exponent) > 5 or abs(int(exponent or 0)) > LARGEST_EXPONENT:
        raise Unclear(f"“{quoted(text)}” is too long or too large a number", "Nothing here needs one like it.")
    digits = text.replace("_", "")
    return Node("number", name=digits, value=Fraction(digits))


def _call(name: str, parts: list[Node]) -> Node:
    if name in ("min", "max") and len(parts) == 1:
        raise Unclear(f"{name} got one number", f"It takes several. Write {name}(..., ...).")
    if name not in ("min", "max") and len(parts) > 1:
        raise Unclear(f"{name} got {len(parts)} numbers", f"It takes one. Write {name}(...) without a comma.")
    return _node("call", *parts, name=name)


def _over(left: Node, right: Node) -> Node:
    divisor = right.parts[0] if right.kind == "negative" else right
    if divisor.kind == "beside":
        before = str(_node("over", left, Node("symbol", name="N")))[:-1]
        raise _two_readings(f"{before}({divisor})", f"{before}{divisor}")
    return _node("over", left, right)


def _beside(left: Node, right: Node) -> Node:
    """Read a product without a sign if only one reading is common."""
    last = left.parts[1] if left.kind == "beside" else left
    first = right.parts[0] if right.kind == "power" else right
    if first.kind == "number" and first.name != PI:
        raise Unclear("a number follows without an operator", "Put * or another operator before it.")
    if last.kind == "power" and not _ends_plainly(last, first):
        base, exponent = last.parts
        raise _two_readings(
            str(_node("times", last, right)), str(_node("power", base, _node("times", exponent, right)))
        )
    return _node("beside", left, right)


def _ends_plainly(power: Node, follows: Node) -> bool:
    """Return whether it is clear where an exponent ends: in N(N-1)^2(M+1) and 5as^2b it is, but not in 2^3b and 2^ab."""
    base, exponent = power.parts
    return exponent.kind == "number" and (follows.kind == "group" or base.kind == "symbol")


def _two_readings(each: str, other: str) -> Unclear:
    """Return the error for an ambiguous part of the text, with both readings if they are short."""
    each, other = (reading.replace("**", "^") for reading in (each, other))
    if max(len(each), len(other)) > LONGEST_READING:
        return Unclear("it is unclear where an exponent or a divisor ends", "Write * or brackets, whichever you mean.")
    return Unclear(f"it can mean {each} or {other}", "Write * or brackets, whichever you mean.")
