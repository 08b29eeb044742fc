"""The way through a chapter's notebook: Run All returns to what is open, Continue respects the lesson, and a ✓ stays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import faults_of, picture
from browser.hands import Mouse, first, form_of, give
from browser.in_jupyter import open_in, put, ready, show
from checkout import checkout_bank
from jupyter_lab import Lab
from shardwise.course.assigning.notebooks import chapter_notebook
from shardwise.kinds import kind_of
from shardwise.question import Outcome

pytestmark = pytest.mark.slow

CHAPTER = "01-ring-all-reduce"
FIRST, LAST_OF_SECTION, SECTION = "gpus-behind-one-link", "bytes-per-gpu-formula", "One phase alone"
PICTURES = "ERR_UNKNOWN_URL_SCHEME"  # JupyterLab asks for attached pictures once before it shows them
RUN_LAST_CELL = """() => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  return window.jupyterapp.commands.execute("notebook:run-cell").then(() => null);
}"""
TO_TOP = "() => document.querySelector('.jp-WindowedPanel-outer').scrollTo(0, 0)"
SAVE = "() => window.jupyterapp.shell.currentWidget.context.save().then(() => null)"


def chapter(kept: Path) -> dict[str, Any]:
    """Return the chapter's notebook, with a record of its own."""
    notebook = chapter_notebook(checkout_bank(), CHAPTER)
    start = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    start["source"] = f"%env SHARDWISE_PROGRESS={kept}\n{start['source']}"
    return notebook


def title(form: Locator) -> Locator:
    return form.get_by_role("heading").first


def solve(page: Page, name: str) -> Locator:
    question = first(name)
    right = next(each.raw for each in kind_of(question).samples(question) if each.outcome == Outcome.CORRECT)
    form = form_of(page, question)
    give(Mouse(page), form, question, right)
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    return form


def card(page: Page) -> Locator:
    return page.get_by_role("region", name="Progress").first


def test_the_way_leads_from_what_is_open_through_the_lesson_and_a_tick_stays(
    in_lab: Page, lab: Lab, tmp_path: Path
) -> None:
    page, faults = in_lab, faults_of(in_lab, but=[PICTURES])
    show(page, lab, "way.ipynb", chapter(tmp_path / "progress.sqlite"))
    page.evaluate("() => window.jupyterapp.commands.execute('toc:show-panel').then(() => null)")
    form = form_of(page, first(FIRST))
    expect(title(form)).to_be_focused()
    expect(title(form)).to_be_in_viewport()
    entries = page.locator(".jp-tocItem-heading")
    expect(entries.filter(has_text="1.1 When everyone sends to GPU 0")).to_have_count(1)

    solve(page, FIRST)
    expect(form.get_by_role("img", name="solved")).to_be_visible()
    expect(entries.filter(has_text="1.1 ✓ When everyone sends to GPU 0")).to_have_count(1)
    expect(card(page)).to_contain_text("1 of 22")
    card(page).get_by_role("button", name=re.compile("^1.4 A formula for ring traffic")).click()
    expect(title(form_of(page, first(LAST_OF_SECTION)))).to_be_focused()

    form_of(page, first(LAST_OF_SECTION)).get_by_role("button", name=re.compile("Next|Continue")).click()
    section = page.get_by_role("heading", name=SECTION).first
    expect(section).to_be_focused()
    expect(section).to_be_in_viewport()

    page.evaluate(RUN_LAST_CELL)  # alone, it does not lead away
    page.wait_for_timeout(3000)
    expect(title(form_of(page, first("ring-time-bug")))).not_to_be_focused()
    expect(page.get_by_role("region", name="Progress").last).to_be_in_viewport()
    picture(page, "way-end")
    page.evaluate(SAVE)
    page.reload()
    ready(page)
    expect(form_of(page, first(FIRST)).get_by_role("img", name="solved")).to_be_attached()
    expect(card(page)).to_contain_text("1 of 22")
    assert faults == []


def test_a_student_who_scrolls_while_all_cells_run_is_not_taken_away(in_lab: Page, lab: Lab, tmp_path: Path) -> None:
    page = in_lab
    put(lab.notebooks, "scrolled.ipynb", chapter(tmp_path / "progress.sqlite"))
    open_in(page, lab, "scrolled.ipynb")
    ready(page)
    page.evaluate("() => { window.all = window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    expect(card(page)).to_be_attached()
    page.mouse.move(600, 400)
    page.mouse.wheel(0, 300)
    page.evaluate("() => window.all.then(() => null)")
    page.wait_for_timeout(3000)
    expect(title(form_of(page, first(FIRST)))).not_to_be_focused()


def test_todays_five_are_asked_in_one_form(in_lab: Page, lab: Lab, tmp_path: Path) -> None:
    from browser.in_jupyter import of_cells

    keeps = f"%env SHARDWISE_PROGRESS={tmp_path / 'progress.sqlite'}"
    show(in_lab, lab, "five.ipynb", of_cells(keeps, "from shardwise import practice", "practice()"))
    form = in_lab.locator("section[aria-labelledby=title]")
    for place in range(1, 6):
        expect(form).to_contain_text(f"{place} of 5")
        form.get_by_role("button", name=re.compile("Next|Continue")).click()
    expect(form.get_by_role("status")).to_contain_text("That was the last of today's five.")
    picture(in_lab, "five")
