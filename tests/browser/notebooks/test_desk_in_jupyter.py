"""Forms in real JupyterLab and Notebook 7: drafts last, keys go to the form, and a busy kernel still answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.hands import ANSWERS, Keys, first, form_of, give, is_said, right_answer
from browser.in_jupyter import of_cells, ready, run_all, show
from checkout import ROOT, checkout_bank
from jupyter_lab import Lab
from shardwise.bank.discovery import open_banks
from shardwise.bank.posing import pose
from shardwise.kinds.quantity.model import QuantityKey
from shardwise.markdown.plain import to_plain

NUMBER, CHOICE, ORDER, FUNCTION = "bytes-per-gpu", "ring-or-tree", "order-ring-events", "ring-time-function"
CHAPTER = "01-ring-all-reduce"
APPS = ("lab", pytest.param("notebook", marks=pytest.mark.slow))

SLEEP = """() => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  content.activeCell.model.sharedModel.setSource("import time; time.sleep(600)");  // until it is interrupted
  window.jupyterapp.commands.execute("notebook:run-cell");
}"""
ENDS = """() => {
  const { kernel } = window.jupyterapp.shell.currentWidget.context.sessionContext.session;
  kernel.requestExecute({ code: "import os; os._exit(1)" });
}"""
INTERRUPT = "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.interrupt()"
RESTART = "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()"
IS_SAVED = "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
CELLS = "() => window.jupyterapp.shell.currentWidget.context.model.sharedModel.cells.map((cell) => [cell.cell_type, cell.getSource()])"
COMMANDS = ("k", "j", "r", "m", "y", "a", "b", "x", "d", "d", "Shift+M", "1", "o", "z")  # what Jupyter does with a cell


@pytest.fixture(params=APPS)
def opened(request: pytest.FixtureRequest, page: Page, lab: Lab) -> Callable[..., None]:
    """Return a function that opens a notebook with these cells in one of the applications and runs them."""
    return lambda name, *sources: show(page, lab, f"{request.param}-{name}", of_cells(*sources), request.param)


def practices(*names: str) -> list[str]:
    return ["from shardwise import practice", *(f'practice("{name}")' for name in names)]


@pytest.mark.parametrize("opened", ["lab"], indirect=True)
def test_a_kind_that_another_package_adds_is_answered_in_jupyter(page: Page, opened: Callable[..., None]) -> None:
    bank, name = ROOT / "examples" / "bank", "where-the-payments-go"
    question = pose(open_banks((str(bank),)).find(name), "0")
    right, wrong = right_answer(question), {"interest": "1 dollar", "principal": "1 dollar", "future": "1 dollar"}
    opened("another-kind.ipynb", f'from shardwise import practice\n\npractice("{name}", bank={str(bank)!r})')
    form = form_of(page, question)
    for raw, state in ((wrong, "unreadable"), (right, "right")):  # the wrong amounts do not add up
        give(Keys(page), form, question, raw)
        is_said(form, state)
    expect(form).to_contain_text("Read as 201")  # of the preview that the kind gives


@pytest.mark.slow
@pytest.mark.parametrize("opened", ["notebook"], indirect=True)  # test_notebooks_come_back.py opens such in JupyterLab
def test_what_was_typed_is_saved_with_the_notebook_and_outlasts_reload_and_restart(
    page: Page, opened: Callable[..., None], tmp_path: Path
) -> None:
    keeps = f"%env SHARDWISE_PROGRESS={tmp_path / 'progress.sqlite'}"
    stands = f"from shardwise import progress\n\nprogress({CHAPTER!r})"
    opened("lasts.ipynb", keeps, *practices(NUMBER, CHOICE, ORDER), stands)
    card = page.locator(".jp-CodeCell").last.locator(".jp-OutputArea")
    solved = f"{{}} of {len(checkout_bank().of_chapter(CHAPTER))}"
    expect(card).to_contain_text(solved.format(0))
    number, choice, order = (form_of(page, first(name)) for name in (NUMBER, CHOICE, ORDER))
    number.get_by_role("button", name="New numbers").click()
    fresh = to_plain(pose(checkout_bank().find(NUMBER), 1).prompt)[:40]
    expect(number).to_contain_text(fresh)
    number.get_by_label("Your answer").fill("12 GB")
    choice.get_by_role("radio").nth(1).check()
    choice.get_by_role("button", name="Check").click()
    expect(choice.get_by_role("status")).to_contain_text("✓ Correct")
    order.get_by_role("button", name="Move b up").click()
    page.wait_for_timeout(400)  # a draft goes into the notebook when one has stopped typing
    page.keyboard.press("Control+s")
    page.wait_for_function(IS_SAVED)

    def is_as_it_was() -> None:
        expect(number).to_contain_text(fresh)
        expect(number.get_by_label("Your answer")).to_have_value("12 GB")
        expect(choice.get_by_role("radio").nth(1)).to_be_checked()
        expect(order.get_by_role("listitem").first).to_contain_text("b)")

    page.reload()
    ready(page)
    is_as_it_was()
    page.evaluate(RESTART)
    choice.get_by_role("button", name="Check").click()
    expect(choice.get_by_role("status")).to_contain_text("run this cell again")
    run_all(page)
    is_as_it_was()
    expect(card).to_contain_text(solved.format(1))


def test_keys_are_the_forms_and_a_busy_kernel_still_answers(page: Page, opened: Callable[..., None]) -> None:
    opened("keys.ipynb", *practices(NUMBER, CHOICE, ORDER, "ring-time-bug"), "")
    number, choice, order, hunt = (form_of(page, first(name)) for name in (NUMBER, CHOICE, ORDER, "ring-time-bug"))
    expect(hunt).to_be_visible()
    page.wait_for_timeout(1000)  # Jupyter goes to the last cell when all have run
    faults: list[str] = []  # from here on: Notebook 7 has one of its own while it starts
    page.on("pageerror", lambda error: faults.append(str(error)))
    before = page.evaluate(CELLS)
    for target in (
        choice.get_by_role("radio").first,
        choice.get_by_role("button", name="Solution"),
        order.get_by_role("listitem").first,
        hunt.get_by_role("listbox"),
        number.get_by_label("Your answer"),
    ):
        target.focus()
        for key in COMMANDS:
            page.keyboard.press(key)
        expect(target).to_be_focused()
    assert page.evaluate(CELLS) == before
    expect(number.get_by_label("Your answer")).to_have_value("kjrmyabxddM1oz")

    question = first(NUMBER)
    assert isinstance(question.key, QuantityKey)
    page.evaluate(SLEEP)
    running = page.locator(".jp-InputPrompt").last
    expect(running).to_contain_text("*")
    number.get_by_label("Your answer").fill(f"{question.key.value!r} B")
    number.get_by_label("Your answer").press("Enter")
    expect(number.get_by_role("status")).to_contain_text("✓ Correct")
    expect(running).to_contain_text("*")
    page.evaluate(INTERRUPT)
    expect(running).not_to_contain_text("*")
    assert faults == []


@pytest.mark.slow
@pytest.mark.parametrize("opened", ["lab"], indirect=True)  # it is the kernel that matters
def test_a_function_that_does_not_end_or_ends_its_process_harms_nothing_and_a_kernel_that_ends_is_told(
    page: Page, opened: Callable[..., None]
) -> None:
    opened("ends.ipynb", *practices(FUNCTION))
    form = form_of(page, first(FUNCTION))
    field, status, check = (
        form.get_by_label("Your function"),
        form.get_by_role("status"),
        form.get_by_role("button", name="Check", exact=True),
    )
    right = ANSWERS[FUNCTION]["right"]
    head = right.partition("\n")[0]
    field.fill(f"{head}\n    while True:\n        pass\n")
    check.click()
    expect(status).to_contain_text("took too long and was stopped")
    field.fill(f"{head}\n    import os\n    os._exit(1)\n")
    check.click()
    expect(status).to_contain_text("ended the whole process")
    page.evaluate(ENDS)
    expect(status).to_contain_text("ended the whole process")
    check.click()
    expect(status).to_contain_text("The kernel is disconnected")  # Jupyter looks every three seconds
    page.get_by_role("button", name="Ok", exact=True).click()  # it says that it starts the kernel anew
    run_all(page)
    expect(status).to_be_empty()
    expect(field).to_contain_text("os._exit(1)")  # what was typed is still there
    field.fill(right)
    check.click()
    expect(status).to_contain_text("✓ Correct")
