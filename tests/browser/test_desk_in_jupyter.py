"""Forms in real JupyterLab and Notebook 7: what was typed lasts, keys are the form's, and a busy kernel still answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from checkout import checkout_bank
from shardwise.bank.posing import pose
from shardwise.kinds.quantity.model import QuantityKey
from shardwise.markdown.html import to_plain
from shardwise.question import Question

NUMBER, CHOICE, ORDER = "bytes-per-gpu", "ring-or-tree", "order-ring-events"
APPS = ("lab", pytest.param("notebook", marks=pytest.mark.slow))

READY = """async () => {
  const { shell, restored } = window.jupyterapp;
  await restored;
  const { context } = shell.currentWidget;
  await context.ready;
  await context.sessionContext.ready;
  await context.sessionContext.session.kernel.info;
}"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
SLEEP = """() => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = content.widgets.length - 1;
  content.activeCell.model.sharedModel.setSource("import time; time.sleep(8)");
  window.jupyterapp.commands.execute("notebook:run-cell");
}"""
RESTART = "() => window.jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.restart()"
IS_SAVED = "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
CELLS = "() => window.jupyterapp.shell.currentWidget.context.model.sharedModel.cells.map((cell) => [cell.cell_type, cell.getSource()])"
COMMANDS = ("k", "j", "r", "m", "y", "a", "b", "x", "d", "d", "Shift+M", "1", "o", "z")  # what Jupyter does with a cell


def asked(name: str, seed: int = 0) -> Question:
    return pose(checkout_bank().find(name), seed)


def form_of(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=asked(name).title, exact=True)


@pytest.fixture(params=APPS)
def opened(request: pytest.FixtureRequest, page: Page, lab: Any) -> Callable[..., None]:
    """Opens a notebook of these cells in one of the applications, and runs them."""

    def opened(name: str, *sources: str) -> None:
        kernel = {"kernelspec": {"name": "shardwise-test", "display_name": "test"}}
        notebook = new_notebook(cells=[new_code_cell(source) for source in sources], metadata=kernel)
        nbformat.write(notebook, lab.notebooks / f"{request.param}-{name}")
        page.goto(lab.address(f"{request.param}-{name}", request.param) + "&reset")
        ready(page)
        page.evaluate(RUN_ALL)

    return opened


def ready(page: Page) -> None:
    page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
    page.evaluate(READY)


def practices(*names: str) -> list[str]:
    return ["from shardwise import practice", *(f'practice("{name}")' for name in names)]


def test_what_was_typed_is_saved_with_the_notebook_and_outlasts_reload_and_restart(
    page: Page, opened: Callable[..., None]
) -> None:
    opened("lasts.ipynb", *practices(NUMBER, CHOICE, ORDER))
    number, choice, order = (form_of(page, name) for name in (NUMBER, CHOICE, ORDER))
    number.get_by_role("button", name="Another").click()
    fresh = to_plain(asked(NUMBER, 1).prompt)[:40]
    expect(number).to_contain_text(fresh)
    number.get_by_label("Your answer").fill("12 GB")
    choice.get_by_role("radio").nth(1).check()
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
    ready(page)
    page.evaluate(RUN_ALL)
    is_as_it_was()
    choice.get_by_role("button", name="Check").click()
    expect(choice.get_by_role("status")).to_contain_text("✓ Correct")


def test_keys_are_the_forms_and_a_busy_kernel_still_answers(page: Page, opened: Callable[..., None]) -> None:
    opened("keys.ipynb", *practices(NUMBER, CHOICE, ORDER, "ring-time-bug"), "")
    number, choice, order, hunt = (form_of(page, name) for name in (NUMBER, CHOICE, ORDER, "ring-time-bug"))
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

    question = asked(NUMBER)
    assert isinstance(question.key, QuantityKey)
    page.evaluate(SLEEP)
    running = page.locator(".jp-InputPrompt").last
    expect(running).to_contain_text("*")
    number.get_by_label("Your answer").fill(f"{question.key.value!r} B")
    number.get_by_label("Your answer").press("Enter")
    expect(number.get_by_role("status")).to_contain_text("✓ Correct", timeout=4000)
    expect(running).to_contain_text("*")
    assert faults == []
