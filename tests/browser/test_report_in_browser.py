"""The report on a set in a real browser: light, dark, on a phone, and printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from analysis.made_class import made_class, report_on, right, times
from browser.conftest import TOO_WIDE, picture, violations
from contrast import PALE
from shardwise.analysis.report_files import PAGE, write_report
from shardwise.question import Question

PROBLEMS = ("ring-time", "tree-steps", "ring-or-tree", "order-ring-events", "ring-time-bug")
UNSEEN = """() => [...document.querySelectorAll("details h4")].filter((heading) => !heading.checkVisibility(
  { contentVisibilityAuto: true })).length"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def answer(number: int, question: Question) -> object:
        if number % 3 or question.slug == "ring-time-bug":
            return right(question)
        if number == 9:
            return "a lot, I <think>"
        return times(question, 3) if question.kind == "quantity" else None

    path = tmp_path_factory.mktemp("course")
    lock, out = made_class(path, 24, PROBLEMS, answer)
    write_report(report_on(lock, out), out)
    return out


def test_a_report_can_be_read_everywhere(page: Page, folder: Path) -> None:
    page.goto((folder / PAGE).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for width in (360, 1100):
            page.set_viewport_size({"width": width, "height": 900})
            picture(page, f"report-{theme}-{width}")
            assert page.evaluate(TOO_WIDE) <= 0, (theme, width)
            assert page.evaluate(PALE, "body") == [], (theme, width)
            assert violations(page) == [], (theme, width)


def test_all_items_of_a_report_are_opened_with_the_keyboard_and_printed(page: Page, folder: Path) -> None:
    page.goto((folder / PAGE).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = false; })")
    closed = page.evaluate(UNSEEN)
    assert closed > 0
    page.locator("details summary").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(UNSEEN) < closed
    page.emulate_media(media="print")
    assert page.evaluate(UNSEEN) == 0
    page.set_viewport_size({"width": 718, "height": 900})  # A4 with margins of 1 cm
    assert page.evaluate(TOO_WIDE) <= 0
