"""Notebooks that are closed, reopened, copied, or open twice: forms still reply, and drafts and progress are intact."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import faults_of, picture
from browser.hands import first, form_of
from browser.in_jupyter import of_cells, ready, run_all, show
from contrast import PALE
from jupyter_lab import Lab
from shardwise.kinds.quantity.model import QuantityKey

NUMBER, CHOICE = "bytes-per-gpu", "ring-or-tree"
SAVE = "() => window.jupyterapp.shell.currentWidget.context.save()"
CHECKS = """async (count) => {
  const { host, question } = document.querySelector(".shardwise");
  for (let turn = 0; turn < count; turn += 1) {
    const reply = await host.ask({ do: "check", problem: question.id, seed: question.seed, answer: `${turn + 1} B` });
    if (reply.error) throw new Error(reply.error);
  }
}"""


def cells(*names: str, kept: Path | None = None) -> dict[str, object]:
    keeps = [f"%env SHARDWISE_PROGRESS={kept}"] if kept else []
    return of_cells(*keeps, "from shardwise import practice", *(f'practice("{name}")' for name in names))


def right() -> str:
    key = first(NUMBER).key
    assert isinstance(key, QuantityKey)
    return f"{key.value!r} B"


@pytest.mark.slow
def test_a_tab_that_was_closed_goes_on_with_the_kernel_that_was_kept(page: Page, lab: Lab) -> None:
    show(page, lab, "kept.ipynb", cells(NUMBER))
    form = form_of(page, first(NUMBER))
    form.get_by_label("Your answer").fill("12 GB")
    page.wait_for_timeout(400)  # a draft goes into the notebook when one has stopped typing
    page.evaluate(SAVE)
    again = page.context.new_page()
    page.close()
    again.goto(lab.address("kept.ipynb") + "&reset")
    ready(again)
    form = form_of(again, first(NUMBER))
    expect(form.get_by_label("Your answer")).to_have_value("12 GB")
    form.get_by_label("Your answer").fill(right())
    form.get_by_label("Your answer").press("Enter")  # and nothing was run again
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    picture(again, "kept")


@pytest.mark.slow
def test_a_copy_under_another_name_has_what_was_typed_and_answers_for_itself(page: Page, lab: Lab) -> None:
    show(page, lab, "original.ipynb", cells(NUMBER))
    form_of(page, first(NUMBER)).get_by_label("Your answer").fill("12 GB")
    page.wait_for_timeout(400)
    page.evaluate(SAVE)
    shutil.copy(lab.notebooks / "original.ipynb", lab.notebooks / "copy.ipynb")
    faults = faults_of(page, but=["widget model not found"])  # Jupyter's own word for a form without its kernel
    page.goto(lab.address("copy.ipynb") + "&reset")
    ready(page)
    words = page.locator(".shardwise-waits")
    expect(words).to_contain_text("To answer in a form, run this cell in Jupyter.")
    expect(words).to_contain_text("How much does each GPU send?")
    page.wait_for_timeout(1500)  # Jupyter says after a moment that it has no model
    assert not any(error.is_visible() for error in page.get_by_text("model not found").all())
    picture(page, "copy-not-run")
    run_all(page)
    expect(words).to_be_hidden()
    form = form_of(page, first(NUMBER))
    expect(form.get_by_label("Your answer")).to_have_value("12 GB")
    form.get_by_label("Your answer").press("Enter")
    expect(form.get_by_role("status")).to_contain_text("Not yet")
    assert faults == []


def answers_in(kept: Path) -> int:
    with closing(sqlite3.connect(kept, timeout=30)) as db:
        count: int = db.execute("SELECT count(*) FROM event WHERE what = 'answer'").fetchone()[0]
    return count


@pytest.mark.slow
def test_two_notebooks_that_write_progress_at_once_lose_nothing(
    in_lab: Page, page: Page, lab: Lab, tmp_path: Path
) -> None:
    kept, count = tmp_path / "progress.sqlite", 25
    for number, each in enumerate((in_lab, page)):
        show(each, lab, f"at-once-{number}.ipynb", cells(NUMBER, kept=kept))
        expect(form_of(each, first(NUMBER))).to_be_visible()
    for each in (in_lab, page):  # begun in both before either has ended
        each.evaluate(f"() => {{ window.checks = ({CHECKS})({count}); }}")
    for each in (in_lab, page):
        each.evaluate("() => window.checks")
    until = time.monotonic() + 60
    while answers_in(kept) < 2 * count and time.monotonic() < until:  # what is kept is written after the reply
        time.sleep(0.1)
    assert answers_in(kept) == 2 * count
    for each in (in_lab, page):
        form = form_of(each, first(NUMBER))
        form.get_by_label("Your answer").fill(right())
        form.get_by_label("Your answer").press("Enter")
        expect(form.get_by_role("status")).to_contain_text("✓ Correct")
        expect(form.get_by_role("status")).not_to_contain_text("not saved")
