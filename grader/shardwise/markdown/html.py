"""Rendering of Markdown with LaTeX as HTML that needs no scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from shardwise.markdown.mathml import mathml
from shardwise.markdown.timeline import as_svg, of_block

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_AS_IT_STANDS = re.compile(r"(```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$)", re.DOTALL)  # code and formulas
_EMPTY_HEADING = re.compile(r"<th[^>]*></th>")  # a heading without words would be read aloud as one
_AFTER_FORMULA = re.compile(
    r"(?<=</math>)(</span>)([,.;:)])"
)  # into the span, since a line must not begin with a comma
_BEFORE_UNIT = re.compile(
    r"(?<=[0-9]) (?=%|(?:(?:[kKMGTPE]i?)?(?:B|bit|b|FLOPS|FLOP|Wh|W|J|Hz)|[mµn]?s|min|h)(?![A-Za-z0-9]))"
)


def keep_together(markdown: str) -> str:
    """Return Markdown in which no line breaks between a number and its unit; code and formulas stay unchanged.

    >>> keep_together("6 GB in `6 GB` of 2 hosts")
    '6\\xa0GB in `6 GB` of 2 hosts'
    """
    parts = _AS_IT_STANDS.split(markdown)
    parts[::2] = [_BEFORE_UNIT.sub("\u00a0", part) for part in parts[::2]]
    return "".join(parts)


def to_html(markdown: str, *, for_mathjax: bool = False) -> str:
    """Render Markdown as HTML; formulas as MathML, or as LaTeX for a page that loads MathJax; raw HTML escaped.

    >>> print(to_html("**40 hosts** of <b>x</b>"))
    <p><strong>40 hosts</strong> of &lt;b&gt;x&lt;/b&gt;</p>
    """
    html = str(_parser(_for_mathjax if for_mathjax else _formula).render(keep_together(markdown))).strip()
    return _AFTER_FORMULA.sub(r"\2\1", _EMPTY_HEADING.sub("<td></td>", html))


def inline(markdown: str) -> str:
    """Render a paragraph of Markdown as HTML for use inside a label.

    >>> inline("The **ring**")
    'The <strong>ring</strong>'
    """
    return to_html(markdown).removeprefix("<p>").removesuffix("</p>")


def parsed_markdown(markdown: str) -> list[Token]:
    """Return the tokens of a text, including formulas."""
    return _parser(_formula).parse(markdown)


@cache
def _parser(formula: Callable[[str, dict[str, Any]], str]) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    # "js-default" escapes raw HTML and rejects javascript: links, so that a student's text stays text
    parser = MarkdownIt("js-default", {"html": False, "linkify": False}).enable("table").disable("image")
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, renderer=formula)
    parser.add_render_rule("fence", _fence)
    parser.inline.ruler.at("math_inline", _math_inline)
    return parser


def _fence(renderer: RendererHTML, tokens: Sequence[Token], place: int, *rest: Any) -> str:
    """Render a block of code; a timeline as a chart, if it is one that `as_block` wrote."""
    block = tokens[place]
    if block.info.startswith("timeline "):
        with suppress(ValueError, IndexError, ArithmeticError):
            return as_svg(of_block(block.info, block.content))
    return renderer.fence(tokens, place, *rest)


def _math_inline(state: StateInline, silent: bool) -> bool:
    """Apply the plugin's rule for formulas, with a space appended while it reads a formula at the start of the text.

    The plugin checks the character before the formula, which is src[-1] at the start: in Python, the text's last character.
    """
    from mdit_py_plugins.dollarmath.index import math_inline_dollar

    text = state.src
    if state.pos == 0:
        state.src = f"{text} "
    try:
        return math_inline_dollar(allow_space=False, allow_digits=False)(state, silent)
    finally:
        state.src = text


def _formula(tex: str, options: dict[str, Any]) -> str:
    return mathml(tex, is_block=bool(options.get("display_mode")))


def _for_mathjax(tex: str, options: dict[str, Any]) -> str:
    written = escape(tex.strip())
    return f"\\[{written}\\]" if options.get("display_mode") else f"\\({written}\\)"
