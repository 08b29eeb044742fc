"""Notation: a formula as a student types it, read into a tree of operations by a grammar of our own.

The text never meets an evaluator: a grammar takes it apart, and every bound on it (length, depth, size of numbers) is
checked before anything is computed. Where two readings are common, as in M/2N, the text is refused with both of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from shardwise.errors import Unreadable

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedToken

LONGEST_TEXT = 300  # characters of a formula
LONGEST_NUMBER = 40  # characters of a number
DEEPEST = 60  # operations inside one another
LARGEST_EXPONENT = 64  # of a constant power, and of ten in a number such as 1e9
FUNCTIONS = ("sqrt", "log2", "ln", "log10", "exp", "ceil", "floor", "abs", "min", "max")

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
_UNITS = frozenset(
    "B kB KB MB GB TB PB KiB MiB GiB TiB Gb Mb Gbit Mbit byte bytes bit bits s ms us µs μs ns sec second seconds min h hour "
    "hours day days FLOP FLOPs FLOPS TFLOP TFLOPs TFLOPS GFLOP GFLOPS PFLOP PFLOPS Hz GHz token tokens GPU GPUs W kW MW kWh "
    "MWh USD".split()
)
_INSTEAD = {"log": "This one has no base. Write log2, ln or log10.", "lg": "Write log2 or log10.", "loge": "Write ln.",
            "logn": "Write ln.", "ceiling": "Write ceil(...).", "round": "Write floor(...) or ceil(...).",
            "int": "Write floor(...).", "pow": "Write a^b.", "e": "For the power of e write exp(...).",
            "pi": "Write 3.14159265."}  # fmt: skip
_STRANGE = {
    "%": "A share is a plain number: write 0.4 for 40 %.",
    "!": "There are no factorials here.",
    "\\": "I read plain text, not LaTeX: write 2*M/N.",
    "$": "I read plain text, not LaTeX: write 2*M/N.",
    "{": "Write round brackets: ( and ).",
    "}": "Write round brackets: ( and ).",
    "√": "Write sqrt(...).",
    "|": "For a size without sign write abs(...).",
    "'": "Leave the quotes out.",
    '"': "Leave the quotes out.",
    "<": "A formula gives one number; write no comparison.",
    ">": "A formula gives one number; write no comparison.",
    ".": "A decimal has digits beside its point, as in 0.5.",
}


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
        raise FormulaError(f"I saw nothing where I expected a formula in {_listed(symbols)}. Write one.")
    _check_brackets(text)
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        tree = _parser().parse(text)
        assert isinstance(tree, Node)
        _check_symbols(tree, symbols)
    except UnexpectedCharacters as error:
        char = text[error.pos_in_stream]
        raise _error(text, f"I saw “{quoted(char)}”", _STRANGE.get(char, "Leave it out.")) from None
    except UnexpectedToken as error:
        raise _error(text, *_misplaced(text, error)) from None
    except _Ambiguous as error:
        raise _error(text, *error.args) from None
    return tree


def quoted(text: str) -> str:
    """A bit of a student's text that is safe to print: short, on one line, without control characters."""
    flat = "".join(one if one.isprintable() else " " if one.isspace() else "\N{REPLACEMENT CHARACTER}" for one in text)
    return flat if len(flat) <= 60 else f"{flat[:57]}..."


def _error(text: str, saw: str, advice: str) -> FormulaError:
    return FormulaError(f"I couldn't read the formula “{quoted(text.strip())}”: {saw}. {advice}")


def _listed(symbols: Collection[str]) -> str:
    names = list(symbols)
    if not names:
        return "numbers alone"
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


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


def _misplaced(text: str, error: UnexpectedToken) -> tuple[str, str]:
    """What I saw and what to do, where the grammar found no place for a token."""
    token = error.token
    before = quoted((text if token.type == "$END" else text[: token.start_pos]).rstrip()[-12:])
    operand = "I expected a number, a symbol or a bracket there. Complete it."
    if error.expected == {"_OPEN"}:
        name = re.split(r"\W+", before)[-1]
        return f"“{name}” has no bracket", f"Write what it works on in brackets: {name}(...)."
    if token.type == "$END":
        return f"it ends after “{before}”", operand
    if token.type == "COMMA":
        return "I saw “,”", "Only min and max have commas. Write thousands without one, and decimals with a point: 1000, 0.5."
    if token.type == "EQUAL":
        return "I saw “=”", "Write the right-hand side alone, or one name before a single =."
    after = f"after “{before}”" if before else "at the beginning"
    return f"I saw “{quoted(str(token))}” {after}", operand


def _check_symbols(tree: Node, symbols: Collection[str]) -> None:
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.kind == "symbol" and node.name not in symbols:
            raise _Ambiguous(f"I don't know “{quoted(node.name)}”", _known(node.name, symbols))
        stack += reversed(node.parts)


def _known(name: str, symbols: Collection[str]) -> str:
    """Advice about an unknown name."""
    if name in _INSTEAD:
        return _INSTEAD[name]
    known = f"The symbols are {_listed(symbols)}." if symbols else "This formula has no symbols."
    alike = [one for one in (*symbols, *FUNCTIONS) if one.lower() == name.lower()]
    longest_first = "|".join(sorted(map(re.escape, symbols), key=len, reverse=True)) or "(?!)"
    letters = re.findall(longest_first, name)
    meant = "*".join(letters) if "".join(letters) == name else "".join(alike[:1])
    if meant:
        return f"{known} Did you mean {meant}?"
    if name in _UNITS:
        return f"It is a unit. A formula has none: its symbols bring theirs along. {known}"
    if name in ("x", "X"):
        return f"{known} For a product write *."
    meant = meant or "".join(difflib.get_close_matches(name, symbols, n=1))
    return f"{known} Did you mean {meant}?" if meant else f"{known} Use those."


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
