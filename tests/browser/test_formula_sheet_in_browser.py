"""The formula sheet in a real browser: its search, and its readability in both themes and on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import violations
from checkout import checkout_bank
from contrast import PALE
from shardwise.bank.pages.formula_sheet import in_html
from shardwise.bank.pages.formulas import formulas_of


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> Page:
    path = tmp_path / "formulas.html"
    some = [formula for formula in formulas_of(checkout_bank()) if formula.chapter < "03"]  # axe looks at every element
    path.write_text(in_html(checkout_bank(), [formula for formula in some if formula.chapter], tmp_path), "utf-8")
    page.goto(path.as_uri())
    return page


def test_the_field_hides_what_does_not_hold_all_words(opened: Page) -> None:
    every = opened.locator("article").count()
    opened.get_by_role("searchbox").fill("Ring LATENCY alone")
    expect(opened.locator("article:visible")).to_have_count(1)
    expect(opened.get_by_text("seconds = 2 · (N-1) · α", exact=True)).to_be_visible()
    expect(opened.get_by_role("status")).to_have_text(f"1 of {every}")
    expect(opened.locator("h2:visible")).to_have_count(1)
    opened.get_by_role("searchbox").fill("")
    expect(opened.locator("article:visible")).to_have_count(every)


@pytest.mark.slow
def test_the_sheet_can_be_read_everywhere(opened: Page) -> None:
    opened.get_by_role("searchbox").fill("latency")
    for theme in ("light", "dark"):
        for width in (360, 1100):
            opened.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            opened.set_viewport_size({"width": width, "height": 900})
            assert opened.evaluate("document.documentElement.scrollWidth") <= width, (theme, width)
            assert opened.evaluate(PALE, "body") == [], (theme, width)
    assert violations(opened) == []
