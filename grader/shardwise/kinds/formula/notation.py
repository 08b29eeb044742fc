"""Notation: a formula as a student types it, read into a tree of operations by a grammar of our own.

The text never meets an evaluator: a grammar takes it apart, and every bound on it (length, depth, size of numbers) is
checked before anything is computed. Where two readings are common, as in M/2N, the text is refused with both of them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shardwise.errors import Unreadable
from shardwise.kinds.formula.advice import FUNCTIONS, about_character, about_name, about_token, listed, quoted

if TYPE_CHECKING:
    from lark import Lark, Token

LONGEST_TEXT = 300  # characters of a formula
LONGEST_NUMBER = 40  # characters of a number
DEEPEST = 60  # operations inside one another
LARGEST_EXPONENT = 64  # of a constant power, and of ten in a number such as 1e9

_GRAMMAR = r"""
start: sum | NAME "=" sum
?sum: product
    | sum "+" product        -> plus
    | sum _MINUS product     -> minus
?product: signed
    | product _TIMES signed  -> times
    | product _OVER signed   -> over
?signed: implicit
    | "+" signed
    | _MINUS signed          -> negative
?implicit: power
    | implicit power         -> beside
?power: atom
    | atom _POWER exponent   -> power
    | atom SUPERSCRIPT       -> superscript
?exponent: power
    | "+" exponent
    | _MINUS exponent        -> negative
?atom: NUMBER                -> number
    | NAME                   -> symbol
    | FUNCTION _OPEN sum ("," sum)* _CLOSE -> call
    | _OPEN sum _CLOSE       -> group
    | "⌈" sum "⌉"            -> ceil
    | "⌊" sum "⌋"            -> floor

NUMBER.2: /(?:[0-9][0-9_]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/
FUNCTION.2: /(?:sqrt|log2|ln|log10|exp|ceil|floor|abs|min|max)(?![^\W⁰¹²³⁴⁵⁶⁷⁸⁹])/
NAME: /[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*/
SUPERSCRIPT: /⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/
_OPEN: /[(\[]/
_CLOSE: /[)\]]/
_MINUS: /[-−–]/
_TIMES: /\*(?!\*)|[×·⋅∙∗]/
_OVER: /[\/÷]/
_POWER: /\*\*|\^/
%ignore /\s+/
"""
_PAIRS = {"(": ")", "[": "]", "⌈": "⌉", "⌊": "⌋"}
_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


class FormulaError(Unreadable):
    """A formula that cannot be read, in words for the student."""


@dataclass(frozen=True)
class Node:
    """One operation of a formula and what it works on."""

    kind: str  # number, symbol, plus, minus, times, over, negative, beside, power, call or group
    parts: tuple[Node, ...] = ()
    name: str = ""  # of a symbol or a function
    value: Fraction = Fraction(0)  # of a number
    depth: int = 1


def read(text: str, symbols: Collection[str]) -> Node:
    """The tree of a formula. Raises FormulaError for every text that is not one, whatever it holds."""
    if len(text) > LONGEST_TEXT:
        raise FormulaError(
            f"I saw {len(text):,} characters, and read formulas of up to {LONGEST_TEXT}. Write a shorter one."
        )
    for name in sorted(set(symbols) & set(FUNCTIONS)):
        raise FormulaError(f"{name} is a function here and cannot be a symbol too. Rename the symbol.")
    if not text.strip():
        raise FormulaError(f"I saw nothing where I expected a formula in {listed(symbols)}. Write one.")
    _check_brackets(text)
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        tree = _parser().parse(text)
        assert isinstance(tree, Node)
        _check_symbols(tree, symbols)
    except UnexpectedCharacters as error:
        raise _error(text, f"I saw “{quoted(error.char)}”", about_character(error.char)) from None
    except UnexpectedToken as error:
        raise _error(text, *about_token(text, error)) from None
    except _Ambiguous as error:
        raise _error(text, *error.args) from None
    return tree


def _error(text: str, saw: str, advice: str) -> FormulaError:
    return FormulaError(f"I couldn't read the formula “{quoted(text.strip())}”: {saw}. {advice}")


class _Ambiguous(Exception):
    """What I saw in a text that follows the grammar and still cannot be read, and what to do."""


def _check_brackets(text: str) -> None:
    opened: list[int] = []
    for place, char in enumerate(text):
        if char in _PAIRS:
            opened.append(place)
        elif char in _PAIRS.values():
            if not opened:
                saw = f"“{char}” closes nothing, after “{quoted(text[max(0, place - 12) : place])}”"
                raise _error(text, saw, "Take it away, or open it before.")
            start = opened.pop()
            if _PAIRS[text[start]] != char:
                saw = f"“{text[start]}” is closed by “{char}”"
                raise _error(text, saw, f"I expected “{_PAIRS[text[start]]}”. Close it with that.")
    if opened:
        start = opened[-1]
        saw = f"“{quoted(text[start : start + 12])}” opens a bracket that nothing closes"
        raise _error(text, saw, f"Add “{_PAIRS[text[start]]}”.")


def _check_symbols(tree: Node, symbols: Collection[str]) -> None:
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.kind == "symbol" and node.name not in symbols:
            raise _Ambiguous(f"I don't know “{quoted(node.name)}”", about_name(node.name, symbols))
        stack += reversed(node.parts)


@lru_cache(maxsize=1)
def _parser() -> Lark:
    from lark import Lark, Transformer, v_args

    @v_args(inline=True)
    class Trees(Transformer[Any, Node]):
        """Builds nodes while the parser reads, so that no tree is ever walked deeper than DEEPEST."""

        plus = staticmethod(lambda left, right: _node("plus", left, right))
        minus = staticmethod(lambda left, right: _node("minus", left, right))
        times = staticmethod(lambda left, right: _node("times", left, right))
        over = staticmethod(lambda left, right: _over(left, right))
        negative = staticmethod(lambda one: _node("negative", one))
        beside = staticmethod(lambda left, right: _beside(left, right))
        power = staticmethod(lambda base, exponent: _node("power", base, exponent))
        group = staticmethod(lambda one: _node("group", one))
        ceil = staticmethod(lambda one: _node("call", one, name="ceil"))
        floor = staticmethod(lambda one: _node("call", one, name="floor"))
        number = staticmethod(lambda token: _number(str(token)))
        symbol = staticmethod(lambda token: Node("symbol", name=str(token)))
        superscript = staticmethod(lambda base, token: _node("power", base, _number(str(token).translate(_DIGITS))))
        call = staticmethod(lambda function, *parts: _call(function, parts))
        start = staticmethod(lambda *parts: parts[-1])
        signed = staticmethod(lambda one: one)
        exponent = staticmethod(lambda one: one)

    return Lark(_GRAMMAR, parser="lalr", transformer=Trees(), maybe_placeholders=False)


def _node(kind: str, *parts: Node, name: str = "") -> Node:
    depth = 1 + max(part.depth for part in parts)
    if depth > DEEPEST:
        raise _Ambiguous(f"over {DEEPEST} operations stand inside one another", "Write a simpler formula.")
    return Node(kind, parts, name=name, depth=depth)


def _number(text: str) -> Node:
    digits, _, exponent = text.lower().partition("e")
    if len(text) > LONGEST_NUMBER or len(exponent) > 5 or abs(int(exponent or 0)) > LARGEST_EXPONENT:
        raise _Ambiguous(f"“{quoted(text)}” is too long or too large a number", "Nothing here needs one like it.")
    return Node("number", value=Fraction(digits.replace("_", "")) * Fraction(10) ** int(exponent or 0))


def _call(function: Token, parts: tuple[Node, ...]) -> Node:
    name = str(function)
    if name in ("min", "max") and len(parts) == 1:
        raise _Ambiguous(f"{name} got one number", f"It takes several. Write {name}(..., ...).")
    if name not in ("min", "max") and len(parts) > 1:
        raise _Ambiguous(f"{name} got {len(parts)} numbers", f"It takes one. Write {name}(...) without a comma.")
    return _node("call", *parts, name=name)


def _over(left: Node, right: Node) -> Node:
    divisor = right.parts[0] if right.kind == "negative" else right
    if divisor.kind == "beside":
        advice = "Write a/(2*N) or a/2*N, whichever you mean."
        raise _Ambiguous("something like a/2N can mean a/(2*N) or a/2*N", advice)
    return _node("over", left, right)


def _beside(left: Node, right: Node) -> Node:
    """A product without a sign, where only one reading is common."""
    last = left.parts[1] if left.kind == "beside" else left
    first = right.parts[0] if right.kind == "power" else right
    if first.kind == "number":
        raise _Ambiguous("a number follows without an operator", "Put * or another operator before it.")
    if last.kind == "power" and (last.parts[1].kind != "number" or first.kind != "group"):
        raise _Ambiguous("something like 2^NM can mean 2^N*M or 2^(N*M)", "Write * or brackets, whichever you mean.")
    return _node("beside", left, right)
