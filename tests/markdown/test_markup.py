"""Markdown and formulas as HTML: a formula cannot create markup, and numbers stay in one piece."""

from __future__ import annotations

import re

import pytest

from shardwise.markdown.html import to_html
from shardwise.markdown.mathml import mathml


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;script&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\class{a\" onload=\"x}{x}",
        r"\style{position:fixed}{x}",
        r"\verb|<script>|",
        r"\begin{array}{<b>}x\end{array}",
    ],
)
def test_a_formula_cannot_create_markup(tex: str) -> None:
    html = to_html(f"${tex}$")
    assert set(re.findall(r"</?([a-z]+)", html)) <= {"p", "span", "math", "mrow", "mtext", "mo", "mi", "mn", "code", "mtable",
                                                     "mtr", "mtd"}  # fmt: skip
    assert not re.search(r"<[^>]*\b(href|class=\"a|style|onload)\b", html.replace('class="math inline"', ""))


def test_a_formula_with_a_comparison_is_shown() -> None:
    assert "<mo>&#x0003C;</mo>" in mathml("a < b") and "<mo>&#x0003E;</mo>" in mathml("a > b")


def test_per_cent_in_a_formula_has_no_backslash() -> None:
    assert "\\" not in to_html("$10\\,\\text{\\%}$")


def test_a_number_and_its_unit_stay_in_one_line_and_code_can_be_copied() -> None:
    assert to_html("**6 GB/s**, 3 ms, 2 GPUs, `6 GB`") == (
        "<p><strong>6\u00a0GB/s</strong>, 3\u00a0ms, 2 GPUs, <code>6 GB</code></p>"
    )


def test_thousands_in_a_formula_are_one_number_and_a_list_stays_a_list() -> None:
    html = to_html("$1{,}048{,}576.5 + \\frac{16{,}384}{8}$ and $\\{64, 128\\}$")
    assert "<mn>1,048,576.5</mn>" in html and "<mn>16,384</mn>" in html
    assert "<mn>64</mn><mo>&#x0002C;</mo><mn>128</mn>" in html


@pytest.mark.parametrize("text", ["$r$: a rate, such as 0.005", "- $r$ is less than 1", "$r$ ends in \\"])
def test_a_formula_at_the_beginning_is_recognised_whatever_the_text_ends_with(text: str) -> None:
    assert "<mi>r</mi>" in to_html(text) and "$" not in to_html(text)


@pytest.mark.parametrize(
    "block", ["timeline F=blue\nhello", "timeline F=pink\n         0  4\nstage 1  F1", "timeline F\n0"]
)
def test_a_block_that_is_no_timeline_is_shown_as_code(block: str) -> None:
    assert to_html(f"```{block}\n```").startswith("<pre><code")
