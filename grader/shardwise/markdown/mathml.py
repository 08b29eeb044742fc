"""Formulas: LaTeX written as MathML, which browsers show without a script."""

from __future__ import annotations

import html
import re

_TAKES_MARKUP = re.compile(r"\\(?:href|class|style)(?![a-zA-Z])")  # commands whose argument becomes an attribute
_COMMA = "<mrow><mo>&#x0002C;</mo></mrow>"  # what LaTeX's {,} becomes, which is no list's comma
_THOUSANDS = re.compile(rf"<mn>[0-9]{{1,3}}</mn>(?:{_COMMA}<mn>[0-9]{{3}}(?:\.[0-9]+)?</mn>)+")


def mathml(tex: str, *, is_block: bool = False) -> str:
    """Convert a formula to MathML; return its source as code where it is no LaTeX that we know.

    >>> mathml("x < 2")  # doctest: +ELLIPSIS
    '<math ...><mrow><mi>x</mi><mo>&#x0003C;</mo><mn>2</mn></mrow></math>'
    """
    from latex2mathml.converter import convert

    if _TAKES_MARKUP.search(tex):
        return f"<code>{html.escape(tex)}</code>"
    plain = tex.replace(r"\text{\%}", r"\%")  # latex2mathml would show the backslash
    try:  # it also writes a bare < inside \text as it stands, which would be the beginning of a tag
        written = convert(plain.replace("<", r"\lt ").replace(">", r"\gt "), display="block" if is_block else "inline")
    except Exception:  # latex2mathml raises many kinds; the source is readable too
        return f"<code>{html.escape(tex)}</code>"
    return _THOUSANDS.sub(_one_number, written)


def _one_number(found: re.Match[str]) -> str:
    """Join a number such as 1{,}000, which latex2mathml takes for a list of two."""
    return f"<mn>{re.sub('<[^>]*>', '', found[0].replace(_COMMA, ','))}</mn>"
