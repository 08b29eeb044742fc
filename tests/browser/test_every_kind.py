"""Questions of every kind in JupyterLab and Notebook 7, with wrong, unreadable and right answers by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import faults_of, fresh_page, picture, violations
from browser.hands import ANSWERS, Keys, Mouse, answers, first, form_of, give, is_said
from browser.in_jupyter import of_cells, show
from contrast import PALE
from drawing import every_sixth_at_once
from jupyter_lab import App, Lab

WAYS = [  # keys are what an application takes away from a form; a mouse is the same in both
    ("lab", Keys),
    pytest.param("lab", Mouse, marks=pytest.mark.slow),
    pytest.param("notebook", Keys, marks=pytest.mark.slow),
]
LONG = ("split-the-backward", "train-a-model")  # to enter a right answer takes fifty clicks
SAYS: dict[App, tuple[str, ...]] = {
    "lab": (),
    "notebook": ("(reading 'schema')", "'filebrowser:open-path'"),
}  # of itself, on the console
# The cell that a student has come to by the arrow keys.
GO_TO = """(place) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = place;
  content.mode = "command";
  content.activate();
}"""


@pytest.fixture(scope="module")
def opened(browser: Browser, lab: Lab) -> Iterator[Callable[[App], Page]]:
    """Return a function that opens a notebook with a question of every kind, once per application."""
    with ExitStack() as pages:

        @cache
        def in_(app: App) -> Page:
            page = pages.enter_context(fresh_page(browser, viewport={"width": 1100, "height": 1500}))
            faults[app] = faults_of(page, but=SAYS[app])
            cells = [f'from shardwise import practice\n\npractice("{name}")' for name in ANSWERS]
            show(page, lab, f"{app}.ipynb", of_cells(*cells, title="Every kind"), app)
            expect(form_of(page, first(list(ANSWERS)[-1]))).to_be_visible()
            page.wait_for_timeout(1000)  # Jupyter goes to the last cell when all have run
            return page

        faults: dict[App, list[str]] = {}
        yield in_
    assert not any(faults.values()), faults


@pytest.mark.parametrize(
    "name", every_sixth_at_once(list(ANSWERS))
)  # a form of every kind is used in test_problem_form.py
@pytest.mark.parametrize(("app", "hands"), WAYS)
def test_what_is_answered_is_judged(
    opened: Callable[[App], Page], app: App, hands: type[Keys | Mouse], name: str
) -> None:
    page, question = opened(app), first(name)
    form = form_of(page, question)
    expect(form).to_have_role("region")
    expect(form).to_have_accessible_name(question.title)
    page.evaluate(GO_TO, 1 + list(ANSWERS).index(name))
    given = answers(question, name)
    if hands is Mouse:
        given.pop("unreadable", None)  # one part of it, while the other fields hold what keys have written there
    if name in LONG and (app, hands) != ("lab", Keys):
        given = dict([next(iter(given.items()))])  # some of its fields are enough
    for state, raw in given.items():
        give(hands(page), form, question, raw)
        is_said(form, state)
        expect(form.get_by_role("status").locator("> *")).to_be_in_viewport()
    picture(page, f"{name}-{hands.__name__}")


APPS = ["lab", pytest.param("notebook", marks=pytest.mark.slow)]


@pytest.mark.parametrize("app", APPS)
def test_a_form_is_shown_and_its_text_is_not_though_the_text_comes_later(
    opened: Callable[[App], Page], app: App
) -> None:
    page = opened(app)
    form, text = form_of(page, first("bytes-per-gpu")), page.locator(".shardwise-waits").first
    expect(form).to_be_visible()
    text.evaluate("text => { text.hidden = false; }")  # as it is where Jupyter adds it after the form
    expect(form).to_be_visible()
    expect(text).to_be_hidden()


@pytest.mark.parametrize("app", APPS)
def test_everybody_can_use_the_forms_and_read_them_in_a_light_and_a_dark_theme(
    opened: Callable[[App], Page], app: App
) -> None:
    page = opened(app)
    assert violations(page, within=".shardwise") == []
    for name in ("JupyterLab Light", "JupyterLab Dark"):
        page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        light = str(name.endswith("Light")).lower()
        page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        page.wait_for_timeout(300)  # Jupyter fades from one theme to the other
        picture(page, name)
        assert page.evaluate(PALE, ".shardwise") == [], name
