"""Formulas: LaTeX written as MathML, which browsers show without a script."""

from __future__ import annotations

import html
import re
from functools import lru_cache

_LONGEST = 400  # characters of a formula whose MathML is kept
_TAKES_MARKUP = re.compile(r"\\(?:href|class|style)(?![a-zA-Z])")  # commands whose argument becomes an attribute
_ARITHMETIC = re.compile(
    r"""(?:
      \\(?:cdot|times|approx|leq?|geq?|ne|Rightarrow|l?dots|quad|sqrt|log|ln|exp|min|max|cos|pi|alpha|beta|eta|Psi
         |lceil|rceil|lfloor|rfloor)(?![a-zA-Z])
    | \\[dt]?frac(?=\s*\{)
    | \\(?:left|right)[()\[\]|.]
    | \\(?:text|mathrm)\{(?:[^{}\\$<>&]|\\%)*\}
    | \\[,;:!%\ ]
    | [a-zA-Z0-9=+\-*/(){}\[\]|,.:;_^\s]
    )*""",
    re.VERBOSE,
)
# A length such as 2em, or a number in \mathrm, which becomes one word with its letters.
_LENGTH = re.compile(r"[0-9]\s*(?:in|mm|cm|pt|em|ex|pc|bp|dd|cc|sp|mu)|\\mathrm\{[^}]*[0-9]")


@lru_cache(maxsize=1024)
def _cached(tex: str, display: str) -> str:
    return _convert(tex, display)


def _convert(tex: str, display: str) -> str:
    from latex2mathml.converter import convert

    if _TAKES_MARKUP.search(tex):
        return f"<code>{html.escape(tex)}</code>"
    plain = tex.replace(r"\text{\%}", r"\%")  # latex2mathml would show the backslash
    try:  # it also writes a bare < inside \text as it stands, which would be the beginning of a tag
        return convert(plain.replace("<", r"\lt ").replace(">", r"\gt "), display=display)
    except Exception:  # latex2mathml raises many kinds; the source is readable too
        return f"<code>{html.escape(tex)}</code>"


def mathml(tex: str, *, is_block: bool = False) -> str:
    """A formula as MathML; its source as code where it is no LaTeX that we know.

    >>> mathml("x < 2")  # doctest: +ELLIPSIS
    '<math ...><mrow><mi>x</mi><mo>&#x0003C;</mo><mn>2</mn></mrow></math>'
    """
    convert = _cached if len(tex) <= _LONGEST else _convert
    return convert(tex, "block" if is_block else "inline")


def is_arithmetic(tex: str) -> bool:
    r"""Whether a formula is plain arithmetic: with other numbers its MathML is the same but for them.

    It is not so in `\frac12`, which is a half, nor in `\hspace{2em}`. A command that is not listed is taken for such.

    >>> is_arithmetic(r"\frac{140 \cdot 10^9}{2^{30}} = 130.4\,\text{GiB}"), is_arithmetic(r"\frac12")
    (True, False)
    """
    return _ARITHMETIC.fullmatch(tex) is not None and _LENGTH.search(tex) is None
