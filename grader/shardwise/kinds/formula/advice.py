"""Advice on formulas: what is wrong with a text that is not a formula, and what to write instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from shardwise.units import TRIGONOMETRY

FUNCTIONS = ("sqrt", "log2", "ln", "log10", "exp", "ceil", "floor", "abs", "min", "max", *TRIGONOMETRY)

UNITS = frozenset(
    ("B", "kB", "KB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "Kb", "Mb", "Gb", "Mbit", "Gbit", "byte", "bytes",
     "bit", "bits", "s", "ms", "us", "µs", "μs", "ns", "sec", "second", "seconds", "h", "hour", "hours", "day", "days",
     "FLOP", "FLOPs", "FLOPS", "GFLOP", "GFLOPS", "TFLOP", "TFLOPs", "TFLOPS", "PFLOP", "PFLOPS", "Hz", "GHz", "token",
     "tokens", "GPU", "GPUs", "W", "kW", "MW", "kWh", "MWh", "USD")
)  # fmt: skip
_INSTEAD = {"log": "This one has no base. Write log2, ln or log10.", "lg": "Write log2 or log10.", "loge": "Write ln.",
            "logn": "Write ln.", "ceiling": "Write ceil(...).", "roundup": "Write ceil(...).", "round_up": "Write ceil(...).", "round": "Write floor(...) or ceil(...).",
            "int": "Write floor(...).", "pow": "Write a^b.", "e": "Write exp(...) or e^(...) for powers of e."}  # fmt: skip
_STRANGE = {
    "%": "A share is a plain number: write 0.4 for 40 %.",
    "°": "Angles are in radians here: write pi/6 for 30°.",
    "!": "Factorials are not supported.",
    "\\": "I read plain text, not LaTeX: write 2*M/N.",
    "$": "I read plain text, not LaTeX: write 2*M/N.",
    "{": "Write round brackets: ( and ).",
    "}": "Write round brackets: ( and ).",
    ":": "Write / for a division.",
    "|": "Write abs(...) for an absolute value.",
    "'": "Remove the quotes.",
    '"': "Remove the quotes.",
    "<": "A formula gives one number, so it cannot contain a comparison.",
    ">": "A formula gives one number, so it cannot contain a comparison.",
    ".": "Write digits on both sides of the point, as in 0.5.",
}


def quoted(text: str) -> str:
    """Return a piece of a student's text that is safe to print: short, on one line, without control characters."""
    flat = "".join(
        char if char.isprintable() else " " if char.isspace() else "\N{REPLACEMENT CHARACTER}" for char in text
    )
    return flat if len(flat) <= 60 else f"{flat[:57]}..."


def in_words_of(symbols: Collection[str]) -> str:
    """Return the symbols as a list in words."""
    names = list(symbols)
    if not names:
        return "numbers alone"
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def about_character(char: str) -> str:
    """Return advice about a character that no formula contains."""
    return _STRANGE.get(char, "Remove it.")


def about_token(kind: str, token: str, before: str, after_function: bool) -> tuple[str, str]:
    """Return what I saw and what to do about a misplaced token; `before` is the text up to it."""
    before = quoted(before.rstrip()[-12:])
    operand = "I expected a number, a symbol or a bracket there."
    if after_function:
        name = re.split(r"\W+", before)[-1]
        return f"“{name}” has no bracket", f"Write its argument in brackets: {name}(...)."
    if kind == "end":
        return f"it ends after “{before}”", operand
    if kind == "comma":
        return "I saw “,”", "Only min and max take commas. Write 1000 without one, and decimals with a point: 0.5."
    if kind == "equal":
        return "I saw “=”", "Write the right-hand side alone, or one name before a single =."
    if token == "/" and before.endswith("/"):
        return "I saw “//”", "Write floor(a/b) for Python's a // b, and a single / for a division."
    after = f"after “{before}”" if before else "at the beginning"
    return f"I saw “{quoted(token)}” {after}", operand


def about_name(name: str, symbols: Collection[str]) -> str:
    """Return advice about an unknown name."""
    if name in _INSTEAD:
        return _INSTEAD[name]
    known = f"The symbols are {in_words_of(symbols)}." if symbols else "This formula has no symbols."
    alike = [spelling for spelling in (*symbols, *FUNCTIONS) if spelling.lower() == name.lower()]
    longest_first = "|".join(sorted(map(re.escape, symbols), key=len, reverse=True)) or "(?!)"
    letters = re.findall(longest_first, name)
    meant = "*".join(letters) if "".join(letters) == name else "".join(alike[:1])
    if meant:
        return f"{known} Did you mean {meant}?"
    if name in UNITS:
        return f"That is a unit. A formula has none, because its symbols carry their own. {known}"
    if name in ("x", "X"):
        return f"{known} For a product write *."
    meant = "".join(difflib.get_close_matches(name, symbols, n=1))
    return f"{known} Did you mean {meant}?" if meant else f"{known} Use those."
