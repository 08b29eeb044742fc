"""Markdown and formulas as HTML: rendering by shape says exactly what rendering says, and a student's text stays text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shardwise import markup
from shardwise.bank import Problem, pose
from shardwise.kinds import kinds
from shardwise.marking import check
from shardwise.markup import to_html
from shardwise.mathml import is_uniform, mathml
from shardwise.programs import here

STAND_IN = "4099990000"  # what stands for the first number of a text
NUMBERS = st.sampled_from(["0", "1", "2", "7", "12", "007", "1e9", "1.75", "16,384", "1234567890", STAND_IN, "²", "٣"])
PIECES = st.sampled_from([
    *" \n\t*_`~$\\|<>&#-+:;.!()[]{}=^'\"/@", "\n\n", "\r", "\n- ", "\n1. ", "\n> ", "\n    ", "\n```\n", "```", "$$", "\n$$\n", "**",
    "](", "]: ", "<b>", "<http://h", "<a", "@b.de>", "http://h.de/", "&#", "&frac", "&#x", "&amp;", "x", "GB", "a\\_", "e",
    "\n|a|b|\n|-|-|\n|", "\n===\n", "\n---\n", "\\$", "\\cdot ", "\\frac{", "\\frac", "\\text{", "}", "em", "\\hspace{",
    "\\left(", "\\right)", "\\sqrt[", "\\mathrm{", "\n\n- **a)** ", "\n- **b)** ", "\n\n*One.*", "\u00a0", "\x00", "é",
])  # fmt: skip
MARKDOWN = st.lists(st.one_of(NUMBERS, PIECES), max_size=24).map("".join)
FORMULAS = st.lists(st.one_of(NUMBERS, PIECES), max_size=12).map(lambda parts: f"${''.join(parts)}$")


def directly(markdown: str) -> str:
    """The HTML as markdown-it writes it, with nothing remembered."""
    return markup._parser().render(markdown).strip()


@given(MARKDOWN)
@example("1. one\n2. two")
@example("the first is\n1. And")
@example("$x^12 + \\frac12$ and `2*M`")
@example(f"{STAND_IN} of 12")
@example("&#4099990000; 1")
@example("$5$ or 5$ and 7$")
@example("<http://a1> [1]\n\n[1]: /2")
@example("a\n\n- **a)** 1\n- **b)** 2\n\n*x*")
@example("- a\n\n- **a)** 1\n\n*x*")
@example("```\n\n- **a)** 1\n\n*x*")
def test_a_text_rendered_by_its_shape_is_the_text_rendered(markdown: str) -> None:
    assert to_html(markdown) == directly(markdown)


@given(FORMULAS)
def test_a_formula_rendered_by_its_shape_is_the_formula_rendered(formula: str) -> None:
    assert to_html(formula) == directly(formula)
