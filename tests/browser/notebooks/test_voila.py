"""A chapter in Voilà, which shows a notebook as a page without code: `voila notebooks/01-ring-all-reduce.ipynb`."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.conftest import faults_of, fresh_page, picture
from browser.hands import Keys, answers, first, form_of, give, is_said
from browser.in_jupyter import put
from checkout import checkout_bank
from jupyter_lab import running_voila
from shardwise.course.assigning.notebooks import chapter_notebook

pytestmark = pytest.mark.slow  # Voilà runs the whole chapter before it is there

CHAPTER, NUMBER, FOLLOWING = "01-ring-all-reduce", "bytes-per-gpu", "bytes-per-gpu-formula"
CDN = "https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@%5E5/css"
ICONS = [f"{CDN}/all.min.css", f"{CDN}/v4-shims.min.css"]  # asked for by every page of Voilà
RUNS_WITHIN_MS = 120_000
IS_SHOWN = "picture => picture.complete && picture.naturalWidth > 100"


def test_a_chapter_is_read_and_practised(browser: Browser, tmp_path: Path) -> None:
    bank = checkout_bank()
    chapter = put(tmp_path, "chapter.ipynb", chapter_notebook(bank, CHAPTER))
    size = {"width": 1100, "height": 1500}
    with running_voila(tmp_path, chapter) as address, fresh_page(browser, asks_for=ICONS, viewport=size) as page:
        faults = faults_of(page, but=ICONS)
        page.goto(address, timeout=RUNS_WITHIN_MS)
        pictures = page.locator("img[alt]")
        assert pictures.count() and all(one.evaluate(IS_SHOWN) for one in pictures.all())
        expect(page.locator(".shardwise")).to_have_count(len(bank.of_chapter(CHAPTER)) + 3)  # a figure and two cards
        expect(page.get_by_text("No answer yet")).to_have_count(
            0
        )
        question = first(NUMBER)
        form = form_of(page, question)
        form.get_by_role("heading").first.focus()
        for state, raw in answers(question, NUMBER).items():
            give(Keys(page), form, question, raw)
            is_said(form, state)
        expect(form.get_by_text("Read as 2.997 GB")).to_be_visible()
        picture(page, "voila")
        form.get_by_role("button", name="New numbers").press("Enter")
        expect(form.get_by_role("status")).to_contain_text("new numbers")
        expect(form.get_by_label("Your answer")).to_have_value("")
        form.get_by_role("button", name="Next").press("Enter")
        expect(form_of(page, first(FOLLOWING)).get_by_role("heading").first).to_be_focused()
        assert faults == []
