"""Rendering of LaTeX formulas as MathML, which browsers show without scripts."""

from __future__ import annotations

import html
import re

_TAKES_MARKUP = re.compile(r"\\(?:href|class|style)(?![a-zA-Z])")  # commands whose argument becomes an attribute
_COMMA = "<mrow><mo>&#x0002C;</mo></mrow>"  # the result of LaTeX's {,}, which is not a list's comma
_THOUSANDS = re.compile(rf"<mn>[0-9]{{1,3}}</mn>(?:{_COMMA}<mn>[0-9]{{3}}(?:\.[0-9]+)?</mn>)+")


def mathml(tex: str, *, is_block: bool = False) -> str:
    """Convert a formula to MathML; return its source as code if it cannot be converted.

    >>> mathml("x < 2")  # doctest: +ELLIPSIS
    '<math ...><mrow><mi>x</mi><mo>&#x0003C;</mo><mn>2</mn></mrow></math>'
    """
    try:
        return converted(tex, is_block=is_block)
    except Exception:  # latex2mathml raises many types, and the source is readable too
        return f"<code>{html.escape(tex)}</code>"


def converted(tex: str, *, is_block: bool = False) -> str:
    """Convert a formula to MathML. Raises ValueError, or what latex2mathml raises, if it cannot be converted."""
    from latex2mathml.converter import convert

    if _TAKES_MARKUP.search(tex):
        raise ValueError("it contains markup")
    plain = tex.replace(r"\text{\%}", r"\%")  # latex2mathml would show the backslash
    plain = plain.replace("\u202f", r"\,")  # and drop the thin space of a number that is not in LaTeX
    # It does not escape a < inside \text, which would start a tag.
    written = convert(plain.replace("<", r"\lt ").replace(">", r"\gt "), display="block" if is_block else "inline")
    return _THOUSANDS.sub(_one_number, written)


def _one_number(found: re.Match[str]) -> str:
    """Join a number such as 1{,}000, which latex2mathml reads as a list of two."""
    return f"<mn>{re.sub('<[^>]*>', '', found[0].replace(_COMMA, ','))}</mn>"
