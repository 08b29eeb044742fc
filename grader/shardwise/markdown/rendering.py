"""Markdown rendered as HTML, and kept: one rendering serves all texts that differ only in their numbers.

Every student has a prompt with numbers of their own, and rendering the texts of one feedback page takes 10 ms. So the
HTML of a text is kept with slots in place of its numbers, and for the next student only these are filled in.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from shardwise.markdown.mathml import is_arithmetic, mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

LONGEST = 6_000  # characters of a text whose HTML is kept; the longest prompt has under 3,000
_NUMBER = re.compile(r"(?<![0-9_^])([0-9]+)")  # in x^12 LaTeX raises the 1 alone, so such digits belong to the text
# A slot is itself a number, since Markdown tells digits from letters: this mark, which cannot overlap itself, and the
# number's place in the text.
_MARK, _MOST_SLOTS = "4099990", 1000
_SLOT = re.compile(_MARK + "([0-9]{3})")
_DIGITS_MATTER = re.compile(
    r"""&[#a-zA-Z]                            # entities: &#189; and &frac12;
    | \]\(|\]:|<[^\s<>]*[@:]                 # links, whose hosts and labels have a largest length
    | ^[ \t>*+-]*[0-9]+[.)](?!\S)            # an ordered list begins at its number
    | \r                                     # a line break that ^ does not see""",
    re.VERBOSE | re.MULTILINE,
)


def rendered(markdown: str) -> str:
    """Markdown as HTML: the kept one with its numbers filled in where there is one, else rendered anew."""
    texts_and_numbers = _NUMBER.split(markdown)
    texts, numbers = tuple(texts_and_numbers[::2]), texts_and_numbers[1::2]
    html = _html_with_slots(texts) if len(markdown) <= LONGEST else None
    return rendered_anew(markdown) if html is None else _SLOT.sub(lambda slot: numbers[int(slot[1])], html)


@lru_cache(maxsize=1024)
def _html_with_slots(texts: tuple[str, ...]) -> str | None:
    """The HTML of a text, given as what stands between its numbers; None where their digits could matter."""
    slots = [f"{_MARK}{place:03d}" for place in range(len(texts) - 1)]
    markdown = "".join(text + slot for text, slot in zip(texts, [*slots, ""], strict=True))
    if len(slots) > _MOST_SLOTS or any(_MARK in text for text in texts) or _DIGITS_MATTER.search(markdown):
        return None
    parser, env = _parser(), dict[str, Any]()
    tokens = parser.parse(markdown, env)
    inline = [child for token in tokens for child in (token, *(token.children or ()))]
    formulas = [token.content for token in inline if token.type.startswith("math")]
    if not all(is_arithmetic(formula) for formula in formulas if _MARK in formula):
        return None
    return str(parser.renderer.render(tokens, parser.options, env)).strip()


def rendered_anew(markdown: str) -> str:
    """Markdown as HTML as markdown-it writes it, with nothing kept."""
    return str(_parser().render(markdown)).strip()


def parsed(markdown: str) -> list[Token]:
    """The tokens of a text, formulas among them."""
    return _parser().parse(markdown)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    # "js-default" escapes raw HTML and refuses javascript: links, so that a student's text stays text
    parser = MarkdownIt("js-default", {"html": False, "linkify": False}).enable("table").disable("image")
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, renderer=_formula)
    parser.inline.ruler.at("math_inline", _math_inline)
    return parser


def _math_inline(state: StateInline, silent: bool) -> bool:
    """The plugin's rule for formulas, with a space behind the text while it reads a formula at the very beginning.

    The plugin looks at the character before the formula, src[-1] there, which Python takes for the last one of the text.
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
