"""Markdown and formulas as HTML: kept HTML with its numbers filled in is what rendering writes, and a student's text stays text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds import kinds
from shardwise.kinds.calls import run_here
from shardwise.markdown import rendering
from shardwise.markdown.html import keep_together, to_html, whole_numbers
from shardwise.markdown.mathml import is_arithmetic, mathml
from shardwise.marking import check

SLOT = "4099990000"  # what stands for the first number of a text
NUMBERS = st.sampled_from(["0", "1", "2", "7", "12", "007", "1e9", "1.75", "16,384", "1234567890", SLOT, "²", "٣"])
PIECES = st.sampled_from([
    *" \n\t*_`~$\\|<>&#-+:;.!()[]{}=^'\"/@", "\n\n", "\r", "\n- ", "\n1. ", "\n> ", "\n    ", "\n```\n", "```", "$$", "\n$$\n", "**",
    "](", "]: ", "<b>", "<http://h", "<a", "@b.de>", "http://h.de/", "&#", "&frac", "&#x", "&amp;", "x", "GB", "a\\_", "e",
    "\n|a|b|\n|-|-|\n|", "\n===\n", "\n---\n", "\\$", "\\cdot ", "\\frac{", "\\frac", "\\text{", "}", "em", "\\hspace{",
    "\\left(", "\\right)", "\\sqrt[", "\\mathrm{", "\n\n- **a)** ", "\n- **b)** ", "\n\n*One.*", "\u00a0", "\x00", "é",
])  # fmt: skip
MARKDOWN = st.lists(st.one_of(NUMBERS, PIECES), max_size=24).map("".join)
FORMULAS = st.lists(st.one_of(NUMBERS, PIECES), max_size=12).map(lambda parts: f"${''.join(parts)}$")


def directly(markdown: str) -> str:
    """The HTML as markdown-it writes it, with nothing kept."""
    return whole_numbers(rendering.rendered_anew(keep_together(markdown)))


@given(MARKDOWN)
@example("1. one\n2. two")
@example("the first is\n1. And")
@example("$x^12 + \\frac12$ and `2*M`")
@example(f"{SLOT} of 12")
@example(f"x^{SLOT} of 12")
@example("&#65; and &frac12;")
@example("$5$ or 5$ and 7$")
@example("[1]\n\n[1]: /2")
@example("<abcdefghijklmnopqrstuvwxyz1:x>")
@example("[a](http://ü1.de)")
@example("a\r\r7. b")
@example("a\n\n- **a)** 1\n- **b)** 2\n\n*x*")
@example("[a]\n\n- **a)** 1\n- **b)** 2\n\n[a]: /3")
@example("a\n\n- **a)** 1\r\r- **b)** 2\n- **c)** 3\n\n*x*")
@example("- a\n\n- **a)** 1\n\n*x*")
@example("```\n\n- **a)** 1\n\n*x*")
def test_kept_html_with_the_numbers_filled_in_is_the_text_rendered(markdown: str) -> None:
    assert to_html(markdown) == directly(markdown)


@given(FORMULAS)
def test_kept_html_of_a_formula_is_the_formula_rendered(formula: str) -> None:
    assert to_html(formula) == directly(formula)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_students_read_of_a_problem_is_what_rendering_it_anew_writes(problem: Problem, seed: int) -> None:
    question = pose(problem, seed)
    samples = kinds()[question.kind].samples(question)
    said = [check(question, sample.raw, runner=run_here).say for sample in samples]
    for text in (question.prompt, question.solution, *question.hints, *said):
        assert to_html(text) == directly(text)


def test_texts_that_differ_in_their_numbers_alone_are_rendered_once() -> None:
    rendering._html_with_slots.cache_clear()
    pages = [to_html(f"A message of **{size} GB**: $\\frac{{{size}}}{{8}} = {size / 8}$") for size in range(9)]
    assert len(set(pages)) == 9
    assert rendering._html_with_slots.cache_info().misses == 1


def test_options_in_another_order_are_rendered_once() -> None:
    rendering._html_with_slots.cache_clear()
    for first, second in (("ring", "tree"), ("tree", "ring")):
        html = to_html(
            f"Which is **faster**?\n\n- **a)** The {first}.\n- **b)** The {second}.\n\n*One answer is right.*"
        )
        assert html.index(first) < html.index(second)
    assert (
        rendering._html_with_slots.cache_info().misses == 2 + 4
    )  # before, behind, and each option under either letter


def test_what_is_kept_has_a_bound() -> None:
    long = "word " * rendering.LONGEST
    before = rendering._html_with_slots.cache_info()
    assert to_html(long) == directly(long)
    assert rendering._html_with_slots.cache_info() == before
    assert before.maxsize


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
def test_a_formula_makes_no_markup_of_its_own(tex: str) -> None:
    html = to_html(f"${tex}$")
    assert set(re.findall(r"</?([a-z]+)", html)) <= {"p", "span", "math", "mrow", "mtext", "mo", "mi", "mn", "code", "mtable",
                                                     "mtr", "mtd"}  # fmt: skip
    assert not re.search(r"<[^>]*\b(href|class=\"a|style|onload)\b", html.replace('class="math inline"', ""))


def test_a_formula_that_compares_is_shown() -> None:
    assert "<mo>&#x0003C;</mo>" in mathml("a < b") and "<mo>&#x0003E;</mo>" in mathml("a > b")


def test_per_cent_in_a_formula_has_no_backslash() -> None:
    assert "\\" not in to_html("$10\\,\\text{\\%}$")


@pytest.mark.parametrize(
    ("tex", "arithmetic"),
    [
        (r"2 \cdot 1.5\,\text{MB} \cdot \frac{7}{8}", True),
        (r"\log_2 2{,}048 = 11", True),
        (r"\left(1 - \frac{N}{8}\right) \le 40\,\text{\%}", True),
        (r"\frac12", False),
        (r"\frac 12", False),
        (r"\hspace{2em}", False),
        (r"2em", False),
        (r"\left2x\right)", False),
        (r"\begin{array}{c}1\end{array}", False),
    ],
)
def test_numbers_are_exchanged_in_plain_arithmetic_only(tex: str, arithmetic: bool) -> None:
    assert is_arithmetic(tex) is arithmetic


def test_a_number_and_its_unit_stay_in_one_line_and_code_can_be_copied() -> None:
    assert to_html("**6 GB/s**, 3 ms, 2 GPUs, `6 GB`") == (
        "<p><strong>6\u00a0GB/s</strong>, 3\u00a0ms, 2 GPUs, <code>6 GB</code></p>"
    )


def test_thousands_in_a_formula_are_one_number_and_a_list_stays_a_list() -> None:
    html = to_html("$1{,}048{,}576.5 + \\frac{16{,}384}{8}$ and $\\{64, 128\\}$")
    assert "<mn>1,048,576.5</mn>" in html and "<mn>16,384</mn>" in html
    assert "<mn>64</mn><mo>&#x0002C;</mo><mn>128</mn>" in html


@pytest.mark.parametrize("text", ["$r$: a rate, such as 0.005", "- $r$ is less than 1", "$r$ ends in \\"])
def test_a_formula_at_the_beginning_is_one_whatever_the_text_ends_in(text: str) -> None:
    assert "<mi>r</mi>" in to_html(text) and "$" not in to_html(text)
