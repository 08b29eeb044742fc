"""A student answers in JupyterLab: a number, a choice and a bug hunt, by keyboard and mouse, in a real browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, Page, expect

from shardwise.bank.bank import bank, pose
from shardwise.kinds.bugline.kind import BuglineKey
from shardwise.kinds.choice import ChoiceForm, ChoiceKey
from shardwise.kinds.quantity import QuantityKey
from shardwise.markdown.html import to_plain
from shardwise.question import Question

NUMBER, CHOICE, MANY, HUNT = "bytes-per-gpu", "ring-or-tree", "reading-bus-bandwidth", "ring-time-bug"
NAMES = (NUMBER, CHOICE, MANY, HUNT)

RUN_ALL = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.context.sessionContext.ready;
  await panel.context.sessionContext.session.kernel.info;
  await app.commands.execute("notebook:run-all-cells");
}"""

# Every text of the forms whose contrast with what lies behind it is below 4.5:1, as "ratio text".
PALE = """() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const over = (...layers) => {  // the colour that a stack of colours, the lowest first, shows
    pen.clearRect(0, 0, 1, 1);
    for (const colour of layers) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => (one /= 255) <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const form of document.querySelectorAll(".shardwise")) {
    for (const one of form.querySelectorAll("*")) {
      const typed = one.tagName === "INPUT" && one.value;
      if (!typed && ![...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
      const layers = [];
      for (let up = one; up; up = up.parentElement) layers.unshift(getComputedStyle(up).backgroundColor);
      const [high, low] = [over(...layers), over(...layers, getComputedStyle(one).color)]
        .map((rgba) => light(rgba.slice(0, 3))).sort((a, b) => b - a);
      const ratio = (high + 0.05) / (low + 0.05);
      if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${one.textContent || one.value}`);
    }
  }
  return found;
}"""

UNGUARDED = """() => [...document.querySelectorAll(".shardwise :is(input, button, [tabindex])")]
  .filter((one) => !one.hasAttribute("data-lm-suppress-shortcuts")).map((one) => one.outerHTML)"""


def asked(name: str, seed: int = 0) -> Question:
    return pose(bank().find(name), seed)


@pytest.fixture
def forms(page: Page, lab: Any) -> dict[str, Locator]:
    """The notebook, opened in Lab and run from top to bottom: the form of each problem."""
    cells = [new_code_cell(f'from shardwise import practice\n\npractice("{name}")') for name in NAMES]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": {"name": "shardwise-test", "display_name": "test"}})
    nbformat.write(notebook, lab.notebooks / "practice.ipynb")
    page.goto(lab.address("practice.ipynb"))
    page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
    page.evaluate(RUN_ALL)
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


def test_a_student_practises_in_lab(page: Page, forms: dict[str, Locator]) -> None:
    a_number_is_marked_explained_and_drawn_anew(page, forms[NUMBER])
    one_option_is_picked_by_keyboard(page, forms[CHOICE])
    several_options_are_ticked(forms[MANY])
    a_bug_is_hunted(page, forms[HUNT])
    every_text_can_be_read_in_a_light_and_a_dark_theme(page)
    assert page.evaluate(UNGUARDED) == []


def a_number_is_marked_explained_and_drawn_anew(page: Page, form: Locator) -> None:
    question = asked(NUMBER)
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

    form.get_by_role("button", name="Hint (2 left)").click()
    expect(form).to_contain_text(f"Hint 1. {to_plain(question.hints[0])}")
    expect(form).not_to_contain_text(to_plain(question.hints[1])[:40])

    field.fill(f"{key.value!r} B")
    check(form)
    expect(status).to_contain_text("✓ Correct · 2 of 2 points")
    picture(page, "number")

    form.get_by_role("button", name="Another").click()
    expect(status).to_contain_text("A new variant")
    fresh = asked(NUMBER, 1)
    expect(form).to_contain_text(to_plain(fresh.prompt)[:40])
    expect(form).not_to_contain_text(to_plain(question.prompt)[:40])
    expect(field).to_have_value("")
    assert isinstance(fresh.key, QuantityKey)
    field.fill(f"{fresh.key.value!r} B")
    field.press("Enter")
    expect(status).to_contain_text("✓ Correct")


def one_option_is_picked_by_keyboard(page: Page, form: Locator) -> None:
    question = asked(CHOICE)
    key, options = question.key, question.form
    assert isinstance(key, ChoiceKey) and isinstance(options, ChoiceForm)
    radios = form.get_by_role("radio")
    expect(radios).to_have_count(len(options.options))
    labels = [one.label for one in options.options]
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


def several_options_are_ticked(form: Locator) -> None:
    key = asked(MANY).key
    assert isinstance(key, ChoiceKey) and len(key.correct) > 1
    boxes = form.get_by_role("checkbox")
    boxes.nth("abcdefghij".index(key.correct[0])).check()
    check(form)
    expect(form.get_by_role("status")).to_contain_text("Partly right")
    for letter in key.correct[1:]:
        boxes.nth("abcdefghij".index(letter)).check()
    check(form)
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def a_bug_is_hunted(page: Page, form: Locator) -> None:
    key = asked(HUNT).key
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


def every_text_can_be_read_in_a_light_and_a_dark_theme(page: Page) -> None:
    for name in ("JupyterLab Light", "JupyterLab Dark"):
        page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        light = str(name.endswith("Light")).lower()
        page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        page.wait_for_timeout(300)  # Lab fades from one theme to the other
        picture(page, name)
        assert page.evaluate(PALE) == [], name
