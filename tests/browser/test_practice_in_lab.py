"""A student answers in JupyterLab: a question of every kind, by keyboard and mouse, in a real browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from checkout import ROOT
from contrast import PALE
from shardwise.bank.bank import Banks
from shardwise.bank.discovery import open_banks
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank
from shardwise.kinds.bugline.kind import BuglineKey
from shardwise.kinds.choice import ChoiceForm, ChoiceKey
from shardwise.kinds.formula.kind import FormulaKey
from shardwise.kinds.match.model import MatchKey
from shardwise.kinds.order import OrderForm, OrderKey
from shardwise.kinds.quantity.model import QuantityKey
from shardwise.markdown.html import to_plain
from shardwise.question import Question

NUMBER, CHOICE, MANY, HUNT = "bytes-per-gpu", "ring-or-tree", "fifty-four-days", "ring-time-bug"
ORDER, PAIRS, FORMULA, FUNCTION = "order-ring-events", "first-match", "bytes-per-gpu-formula", "ring-time-function"
DESK = ".shardwise"
SCHEDULE = "gpipe-time-in-less-memory"
NAMES = (NUMBER, CHOICE, MANY, HUNT, ORDER, PAIRS, FORMULA, FUNCTION, SCHEDULE)

RUN_ALL = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.context.sessionContext.ready;
  await panel.context.sessionContext.session.kernel.info;
  await app.commands.execute("notebook:run-all-cells");
}"""


@pytest.fixture(scope="session")
def banks(tmp_path_factory: pytest.TempPathFactory) -> Banks:
    """The bank of this checkout, and one that has just been started, with a problem of every kind."""
    fresh = tmp_path_factory.mktemp("banks") / "fresh"
    init_bank(fresh)
    return open_banks([ROOT, fresh])


@pytest.fixture
def asked(banks: Banks) -> Callable[..., Question]:
    """The question that a form shows: by its name, and after how many variants."""
    return lambda name, seed=0: pose(banks.find(name), seed)


def opened(page: Page, lab: Any, name: str, *sources: str) -> None:
    """A notebook of these cells in Lab, run from top to bottom."""
    kernel = {"kernelspec": {"name": "shardwise-test", "display_name": "test"}}
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources], metadata=kernel)
    nbformat.write(notebook, lab.notebooks / name)
    page.goto(lab.address(name) + "&reset")  # without the notebooks of other tests
    run_all(page)


def run_all(page: Page) -> None:
    page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
    page.evaluate(RUN_ALL)


@pytest.fixture
def forms(page: Page, lab: Any, banks: Banks, asked: Callable[..., Question]) -> dict[str, Locator]:
    """The notebook, opened in Lab and run from top to bottom: the form of each problem."""
    folders = [str(bank.folder) for bank in banks.all]
    use = f"from shardwise import practice, use_bank\n\nuse_bank(*{folders!r})"
    opened(page, lab, "practice.ipynb", use, *(f'practice("{name}")' for name in NAMES))
    found = {name: page.get_by_role("region", name=asked(name).title, exact=True) for name in NAMES}
    for form in found.values():
        expect(form).to_be_visible()
    return found


def picture(page: Page, name: str) -> None:
    """A picture of the page for a person to look at, where SHARDWISE_PICTURES names a folder."""
    folder = os.environ.get("SHARDWISE_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


def check(form: Locator) -> None:
    form.get_by_role("button", name="Check", exact=True).click()


def test_a_figure_moves_in_lab_and_leaves_its_still_in_the_notebook(page: Page, lab: Any) -> None:
    opened(page, lab, "figure.ipynb", f'from shardwise import figure\n\nfigure("ring", bank={str(ROOT)!r})', "1 + 1")
    figure = page.get_by_role("region", name="A ring all-reduce, step by step")
    figure.get_by_role("radio", name="1.5 GB").check()
    figure.get_by_role("button", name="Check my guess").click()
    expect(figure.get_by_role("status").first).to_contain_text("Yes: 1.5 GB.")
    slider = figure.get_by_role("slider", name="GPUs")
    slider.press("ArrowRight")
    for key in "rmabx":  # none of them may reach the cell
        slider.press(key)
    slider.press("Space")
    expect(figure.get_by_text("step 8 of 8")).to_be_visible()
    picture(page, "figure")
    slider.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = nbformat.read(lab.notebooks / "figure.ipynb", as_version=4)
    assert [cell.cell_type for cell in saved.cells] == ["code", "code"]
    still = saved.cells[0].outputs[0].data
    assert "data:image/png;base64," in still["text/html"] and "Seven boards" in still["text/plain"]


def test_a_run_is_planned_in_lab_and_its_first_plan_stays_in_the_notebook(page: Page, lab: Any) -> None:
    call = f'planner("llama3-8b", "h100-16", bank={str(ROOT)!r}, tp=2, pp=2)'
    opened(page, lab, "planner.ipynb", f"from shardwise import planner\n\n{call}", "1 + 1")
    form = page.locator(DESK)
    slider = form.get_by_role("slider", name="TP, tensor")
    slider.press("ArrowRight")
    expect(form).to_contain_text("TP 4 × CP 1 × PP 2 × DP 2")
    for key in "rmabx":  # none of them may reach the cell
        slider.press(key)
    expect(form.locator("svg[aria-label*='stages at work']")).to_be_visible()
    form.get_by_role("button", name="Search").press("Enter")
    form.locator("circle[role=option]").last.click()
    expect(form.locator("circle[aria-selected=true]")).to_have_count(1)
    picture(page, "planner")
    slider.press("Control+s")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = nbformat.read(lab.notebooks / "planner.ipynb", as_version=4)
    assert [cell.cell_type for cell in saved.cells] == ["code", "code"]
    assert "TP 2 × CP 1 × PP 2 × DP 4" in saved.cells[0].outputs[0].data["text/plain"]


def test_a_student_practises_in_lab(page: Page, forms: dict[str, Locator], asked: Callable[..., Question]) -> None:
    a_number_is_marked_explained_and_drawn_anew(page, forms[NUMBER], asked(NUMBER), asked(NUMBER, 1))
    one_option_is_picked_by_keyboard(page, forms[CHOICE], asked(CHOICE))
    several_options_are_ticked(forms[MANY], asked(MANY))
    a_bug_is_hunted(page, forms[HUNT], asked(HUNT))
    items_are_moved_into_order(page, forms[ORDER], asked(ORDER))
    each_item_is_given_an_option(page, forms[PAIRS], asked(PAIRS))
    a_formula_is_typed(forms[FORMULA], asked(FORMULA))
    a_function_is_written(page, forms[FUNCTION])
    a_schedule_is_built_by_keys(page, forms[SCHEDULE], asked(SCHEDULE))
    every_text_can_be_read_in_a_light_and_a_dark_theme(page)


def a_number_is_marked_explained_and_drawn_anew(page: Page, form: Locator, question: Question, fresh: Question) -> None:
    key = question.key
    assert isinstance(key, QuantityKey)
    field, status = form.get_by_label("Your answer"), form.get_by_role("status")

    field.fill(f"{key.mistakes[0].value!r} B")
    field.press("Enter")
    expect(status).to_contain_text("Not yet")
    expect(status).to_contain_text(to_plain(key.mistakes[0].say))

    field.fill("40 GB/s")
    field.press("Enter")
    expect(status).to_contain_text("Unreadable")
    expect(status).to_contain_text("did not use up an attempt")

    form.get_by_role("button", name=f"Hint ({len(question.hints)} left)").click()
    expect(form).to_contain_text(f"Hint 1. {to_plain(question.hints[0])}")
    expect(form).not_to_contain_text(to_plain(question.hints[1])[:40])

    field.fill(f"{key.value!r} B")
    check(form)
    expect(status).to_contain_text("✓ Correct · 2 of 2 points")
    picture(page, "number")

    form.get_by_role("button", name="Another").click()
    expect(status).to_contain_text("new numbers")
    expect(form).to_contain_text(to_plain(fresh.prompt)[:40])
    expect(form).not_to_contain_text(to_plain(question.prompt)[:40])
    expect(field).to_have_value("")
    assert isinstance(fresh.key, QuantityKey)
    field.fill(f"{fresh.key.value!r} B")
    field.press("Enter")
    expect(status).to_contain_text("✓ Correct")


def one_option_is_picked_by_keyboard(page: Page, form: Locator, question: Question) -> None:
    key, options = question.key, question.form
    assert isinstance(key, ChoiceKey) and isinstance(options, ChoiceForm)
    radios = form.get_by_role("radio")
    expect(radios).to_have_count(len(options.options))
    labels = [option.label for option in options.options]
    right = labels.index(key.correct[0])

    radios.first.focus()
    page.keyboard.press("Space")
    for _ in range((right + 1) % len(labels)):  # the one after the right one is wrong
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("Not yet")

    page.keyboard.press("ArrowUp")
    expect(radios.nth(right)).to_be_checked()
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    expect(form.get_by_role("status")).to_contain_text(to_plain(key.say[labels[right]]))


def several_options_are_ticked(form: Locator, question: Question) -> None:
    key = question.key
    assert isinstance(key, ChoiceKey) and len(key.correct) > 1
    boxes = form.get_by_role("checkbox")
    boxes.nth("abcdefghij".index(key.correct[0])).check()
    check(form)
    expect(form.get_by_role("status")).to_contain_text("Partly right")
    for letter in key.correct[1:]:
        boxes.nth("abcdefghij".index(letter)).check()
    check(form)
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def a_bug_is_hunted(page: Page, form: Locator, question: Question) -> None:
    key = question.key
    assert isinstance(key, BuglineKey)
    listing, status = form.get_by_role("listbox"), form.get_by_role("status")
    expect(form.get_by_text(key.mutated_line)).to_have_count(1)  # the listing is shown once

    listing.focus()
    for _ in range(key.line):
        page.keyboard.press("ArrowDown")
    expect(listing.get_by_role("option", selected=True)).to_contain_text(key.mutated_line)
    fix = form.get_by_label("That line, mended")
    expect(fix).to_have_value(key.mutated_line)
    check(form)
    expect(status).to_contain_text("Partly right")
    expect(status).to_contain_text("fix ✗ not answered yet")
    picture(page, "hunt")

    for name, value in key.witness.items():
        form.get_by_label(name).fill(repr(value))
    fix.fill(key.original_line)
    fix.press("Enter")
    expect(status).to_contain_text("✓ Correct · 3 of 3 points")

    listing.get_by_role("option").first.click()
    expect(fix).not_to_have_value(key.original_line)
    listing.get_by_role("option").nth(key.line - 1).click()
    expect(fix).to_have_value(key.original_line)  # what was typed for a line is kept

    form.get_by_role("button", name="Solution").click()
    expect(form).to_contain_text(f"Line {key.line} is wrong")


def items_are_moved_into_order(page: Page, form: Locator, question: Question) -> None:
    key, shown = question.key, question.form
    assert isinstance(key, OrderKey) and isinstance(shown, OrderForm)
    status, rows = form.get_by_role("status"), form.get_by_role("listitem")
    check(form)
    expect(status).to_contain_text("No answer yet")  # nobody has moved anything
    order = [item.label for item in shown.items]
    for place, label in enumerate(key.order):
        up = form.get_by_role("button", name=f"Move {label} up", exact=True)
        for number in range(order.index(label) - place):
            up.press("Enter") if number else up.click()  # the button that was clicked keeps the focus
        order.remove(label)
        order.insert(place, label)
    expect(rows).to_contain_text([f"{label})" for label in key.order])
    check(form)
    expect(status).to_contain_text("✓ Correct")
    picture(page, "order")


def each_item_is_given_an_option(page: Page, form: Locator, question: Question) -> None:
    key, status = question.key, form.get_by_role("status")
    assert isinstance(key, MatchKey)
    check(form)
    expect(status).to_contain_text("No answer yet")
    for number, (item, letter) in enumerate(key.pairs.items()):
        form.get_by_label(f"{item} belongs to").select_option(letter)
        if number == 0:
            check(form)
            expect(status).to_contain_text("Partly right")
            expect(status).to_contain_text("Not answered yet")
    check(form)
    expect(status).to_contain_text("✓ Correct")
    picture(page, "pairs")


def a_formula_is_typed(form: Locator, question: Question) -> None:
    key, field = question.key, form.get_by_label("Your formula")
    assert isinstance(key, FormulaKey)
    field.fill(key.mistakes[0].formula)
    field.press("Enter")
    expect(form.get_by_role("status")).to_contain_text(to_plain(key.mistakes[0].say))
    field.fill(key.formula)
    field.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def a_function_is_written(page: Page, form: Locator) -> None:
    field, status = form.get_by_label("Your function"), form.get_by_role("status")
    check(form)
    expect(status).to_contain_text("No answer yet")
    head = field.inner_text().partition("\n")[0]
    field.fill(f"{head}\n    while True:\n        pass\n")
    check(form)
    expect(status).to_contain_text("took too long and was stopped")
    body = "    return 2 * (gpus - 1) * (message_gb / gpus / bandwidth_gb_per_s * 1e3 + latency_us / 1e3)\n"
    field.fill(f"{head}\n{body}")
    check(form)
    expect(status).to_contain_text("✓ Correct")
    picture(page, "function")


def a_schedule_is_built_by_keys(page: Page, form: Locator, question: Question) -> None:
    """F, B and the arrows, which are commands on the cell wherever they do not belong to the form."""
    form.get_by_role("toolbar").first.get_by_role("button").first.focus()
    for line in question.key.lines:  # type: ignore[attr-defined]
        for operation in line.partition(": ")[2].split():
            page.keyboard.press(operation[0].lower())
        page.keyboard.press("ArrowDown")
    expect(form.get_by_role("toolbar").first).to_have_accessible_name(question.key.lines[0])  # type: ignore[attr-defined]
    check(form)
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    picture(page, "schedule in Lab")


def every_text_can_be_read_in_a_light_and_a_dark_theme(page: Page) -> None:
    for name in ("JupyterLab Light", "JupyterLab Dark"):
        page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        light = str(name.endswith("Light")).lower()
        page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        page.wait_for_timeout(300)  # Lab fades from one theme to the other
        picture(page, name)
        assert page.evaluate(PALE, DESK) == [], name


CLOSE = """async () => {
  const panel = window.jupyterapp.shell.currentWidget;
  await panel.context.save();
  await panel.context.sessionContext.shutdown();
}"""


def test_a_form_without_its_kernel_shows_the_question_and_what_to_do(page: Page, lab: Any) -> None:
    opened(page, lab, "reopened.ipynb", 'from shardwise import practice\npractice("bytes-per-gpu")')
    form, words = page.get_by_role("region", name="What each GPU sends"), page.locator(".shardwise-waits")
    expect(form).to_be_visible()
    expect(words).to_be_hidden()
    page.evaluate(CLOSE)
    page.goto(lab.address("reopened.ipynb") + "&reset")
    expect(words).to_contain_text("To answer in a form, run this cell in Jupyter.")
    expect(words).to_contain_text("What each GPU sends")
    page.wait_for_timeout(1500)  # Jupyter says after a moment that it has no model
    assert not any(error.is_visible() for error in page.get_by_text("model not found").all())
    run_all(page)
    expect(form).to_be_visible()
    expect(words).to_be_hidden()
