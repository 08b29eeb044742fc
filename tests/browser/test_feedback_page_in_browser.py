"""A student's feedback page in a real browser: light, dark, on a phone, and printed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from browser.conftest import violations
from checkout import checkout_bank
from contrast import PALE
from shardwise.bank.posing import pose
from shardwise.grading.feedback_page import HandIn
from shardwise.grading.feedback_page import page as feedback_page
from shardwise.grading.results import Result, marked
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check

LONG = "def f():\n    return " + " + ".join(f"value_{number}" for number in range(60))
NAMES = (
    "bytes-per-gpu", "ring-time-bug", "algorithm-and-bus-bandwidth", "states-formula", "what-a-stage-costs",
    "two-chunks-on-each-stage",
)  # fmt: skip

# Every element that scrolls sideways but cannot be reached by keyboard.
UNREACHABLE = """() => [...document.querySelectorAll("*")].filter((element) => element.scrollWidth > element.clientWidth + 1
  && ["auto", "scroll"].includes(getComputedStyle(element).overflowX) && element.tabIndex < 0
  && element !== document.documentElement).map((element) => element.outerHTML.slice(0, 100))"""
# Code that goes on beyond the right edge of its box, whether that scrolls or not.
CUT = """(what) => [...document.querySelectorAll(what)].filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => box.textContent.slice(0, 60))"""
# How much further to the right than they begin lines go on that are wrapped, in pixels.
HANGS = """() => [...document.querySelectorAll(".listing span")].map((line) => {
  const range = document.createRange();
  range.selectNodeContents(line);
  const [first, ...others] = [...range.getClientRects()];
  return others.filter((rect) => rect.top > first.bottom - 2).map((rect) => rect.left - first.left);
}).filter((hangs) => hangs.length).map((hangs) => Math.min(...hangs))"""
# Into how many lines the longest line of a chart is broken that is drawn as text.
LINES_OF_A_CHART = """() => {
  const chart = document.querySelector(".language-text");
  chart.textContent = "─".repeat(99);
  return chart.getClientRects().length;
}"""
UNSEEN = """() => [...document.querySelectorAll(".question, .solution")].filter((element) => !element.checkVisibility(
  { contentVisibilityAuto: true })).length"""


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> Page:
    """Open the page of a student with every sort of mark."""
    questions = [pose(checkout_bank().find(name), 1) for name in NAMES]
    wrong = [kind_of(question).samples(question)[-1].raw for question in questions[1:3]]
    right = [kind_of(question).samples(question)[0].raw for question in questions[3:]]
    feedback = [
        check(question, raw, runner=run_here) for question, raw in zip(questions, ["3 ms", *wrong, *right], strict=True)
    ]
    result = marked(Result("ada", "week-1", name="Ada", notes=("cell-4 stopped",)), questions, feedback)
    sources = dict.fromkeys([question.cell for question in questions], LONG)
    path = tmp_path / "ada.html"
    handed_in = HandIn("The first week", None, sources)
    path.write_text(feedback_page(result, questions, feedback, handed_in=handed_in, solutions=True), "utf-8")
    page.goto(path.as_uri())
    return page


def test_a_feedback_page_can_be_read_everywhere(opened: Page) -> None:
    for theme in ("light", "dark"):
        for width in (390, 1100):
            opened.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            opened.set_viewport_size({"width": width, "height": 900})
            assert opened.evaluate("document.documentElement.scrollWidth") <= width, theme
            assert opened.evaluate(UNREACHABLE) == [], (theme, width)
            assert opened.evaluate(PALE, "body") == [], (theme, width)
    colours = [opened.evaluate("getComputedStyle(document.body).backgroundColor")]
    opened.emulate_media(color_scheme="light")
    colours.append(opened.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(13, 17, 23)", "rgb(255, 255, 255)"]
    assert opened.evaluate(UNSEEN) == len(NAMES)  # the solutions are folded away
    opened.emulate_media(media="print")
    assert opened.evaluate(UNSEEN) == 0  # and printed


def test_no_code_is_cut_on_a_narrow_page_or_on_paper(opened: Page) -> None:
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width in (390, 900, 1200):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate(CUT, ".listing") == [], width
        hangs = opened.evaluate(HANGS)
        assert len(hangs) >= len(NAMES) and min(hangs) > 10, (width, hangs)
    assert opened.evaluate(CUT, ".shardwise-picture") == []
    opened.emulate_media(media="print")
    opened.set_viewport_size({"width": 718, "height": 900})  # A4 with margins of 1 cm
    assert opened.evaluate(CUT, "pre, .shardwise-picture") == []
    assert opened.evaluate(LINES_OF_A_CHART) == 1
    opened.set_viewport_size({"width": 483, "height": 700})  # A5
    assert opened.evaluate(CUT, "pre, .shardwise-picture") == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, pytest.param(1100, marks=pytest.mark.slow)])
def test_axe_finds_no_violation_on_a_feedback_page(opened: Page, theme: Literal["light", "dark"], width: int) -> None:
    opened.emulate_media(color_scheme=theme)
    opened.set_viewport_size({"width": width, "height": 900})
    assert violations(opened) == []
