"""A real JupyterLab and a real Chromium for the browser tests, which may only request loopback addresses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Request, ViewportSize, WebSocket, expect, sync_playwright

from browser.in_jupyter import IS_TIDY, PATIENCE_MS, TIDY_UP
from checkout import fresh_session
from contrast import PALE
from jupyter_lab import CHROMIUM, QUIET, Lab, running_lab
from shardwise.question import Question
from shardwise.student.desk import Desk
from shardwise.student.widget.library import BUNDLE
from shardwise_bank.planning.desk import PlannerDesk

HOW_TO_GET_IT = (
    f"There is no {CHROMIUM}, and these tests drive a real browser. On Debian:\n"
    "    apt-get install --no-install-recommends chromium-headless-shell fonts-dejavu-core fonts-liberation"
)
TALL: ViewportSize = {"width": 1100, "height": 1500}


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Start one JupyterLab for all tests."""
    with running_lab(tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Debian's Chromium; without it, tests fail with instructions to install it."""
    if not CHROMIUM.exists():
        pytest.fail(HOW_TO_GET_IT)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield chromium
        chromium.close()


@contextmanager
def fresh_page(browser: Browser, *, asks_for: Sequence[str] = (), **options: Any) -> Iterator[Page]:
    """Open a page in its own browser context, which can reach only this machine.

    A test fails at its end if its page requested anything from another machine, except the addresses in `asks_for`. The flags
    in `QUIET` keep Chromium from finding other machines; intercepting every request would disable its cache.
    """
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    opened = context.new_page()
    outside = asked_elsewhere(opened)
    yield opened
    context.close()
    # On a busy machine Chromium asks twice: when it looks ahead in the page, and, refused by then, when it comes to the element.
    assert list(dict.fromkeys(outside)) == list(asks_for)


def asked_elsewhere(page: Page) -> list[str]:
    """Collect the addresses on other machines that a page and its popups request from now on."""
    outside: list[str] = []

    def asked(one: Request | WebSocket) -> None:
        if urlsplit(one.url).hostname not in ("127.0.0.1", None):  # None: data and blob URLs
            outside.append(one.url)

    page.context.on("request", asked)
    page.on("websocket", asked)
    return outside


def violations(
    page: Page, theme: str = "light", *, within: str | None = None, but: Sequence[str] = ()
) -> list[tuple[str, list[str]]]:
    """Return axe's findings on a page, with their places. In the dark theme only colours are checked, since the rest is the same."""
    only = {"runOnly": ["color-contrast"]} if theme == "dark" else {}
    found = Axe().run(page, context=within, options={**only, "rules": {rule: {"enabled": False} for rule in but}})
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found.response["violations"]]


def faults_of(page: Page, *, but: Sequence[str] = ()) -> list[str]:
    """Collect the errors on a page's console from now on, except known ones of a front end."""
    faults: list[str] = []

    def heard(fault: str) -> None:
        if not any(words in fault for words in but):
            faults.append(fault)

    page.on("pageerror", lambda error: heard(str(error)))
    page.on(
        "console",
        lambda message: heard(f"{message.text} {message.location['url']}") if message.type == "error" else None,
    )
    return faults


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a fresh page, tall enough for a notebook."""
    with fresh_page(browser, viewport=TALL) as opened:
        yield opened


@pytest.fixture(scope="session")
def lab_page(browser: Browser) -> Iterator[Page]:
    """Open the page that all tests with `in_lab` share, because JupyterLab loads more slowly than many tests run."""
    with fresh_page(browser, viewport=TALL) as opened:
        yield opened


@pytest.fixture
def in_lab(lab_page: Page, lab: Lab) -> Iterator[Page]:
    """Provide a page with JupyterLab and no open notebook, and close whatever the test opens.

    JupyterLab is reloaded only if the previous test left a dialog, a dark theme or another page.
    """
    outside = asked_elsewhere(lab_page)
    if not lab_page.evaluate(IS_TIDY):
        lab_page.goto(f"{lab.url}/lab?token={lab.token}&reset")
        lab_page.wait_for_function(IS_TIDY)
    yield lab_page
    lab_page.evaluate(TIDY_UP)
    expect(lab_page.locator("body")).to_have_attribute("data-jp-theme-light", "true")
    assert outside == []


BARE = "http://127.0.0.1:1/"  # nothing listens there: the page's files are handed out by the test itself
# A page outside Jupyter with one element of the desk, answered by Python in this process; drafts last in the browser.
BARE_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A desk</title>
<style>:root { color-scheme: light dark; } body { margin: 0; background: Canvas; }</style></head>
<body><main></main><script type="module">
  import { show } from "./desk.js";
  const draft = {
    get: (key) => JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined,
    set: (key, value) => localStorage.setItem(key, JSON.stringify(value)),
  };
  const { what, given } = await window.askForWhatToShow();
  window.add = async (what, given) =>
    document.querySelector("main").append(await show(what, { ask: window.askPython, draft }, given));
  await window.add(what, given);
</script></body></html>"""
HOLD = """() => {  // what is asked waits until letGo
  const { host } = document.querySelector(".shardwise");
  const { ask } = host;
  const held = [];
  host.ask = (request) => new Promise((go) => held.push(() => go(ask(request))));
  window.letGo = () => {
    host.ask = ask;
    held.forEach((go) => go());
  };
}"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass
class BarePage:
    """A page without Jupyter that shows elements of the desk, backed by the real Python."""

    page: Page
    desk: Any  # a Desk, or what else answers requests
    faults: list[str]  # what the console said
    shown: tuple[str, dict[str, Any]] = ("", {})

    def problem(self, question: Question) -> Locator:
        """Show a problem's form."""
        return self.show("problem", self.desk.open(question))

    def planner(self, model: str, cluster: str, layout: dict[str, Any]) -> Locator:
        """Show the planner's form."""
        self.desk = PlannerDesk(fresh_session().banks)
        return self.show("planner", self.desk.opened(model, cluster, layout))

    def show(self, what: str, given: dict[str, Any]) -> Locator:
        """Show an element of the desk alone on a fresh page."""
        self.shown = (what, given)
        self.page.goto(BARE)
        element = self.page.locator(".shardwise")
        expect(element).to_be_visible()
        return element

    def beside(self, what: str, given: dict[str, Any]) -> None:
        """Show another element on the same page."""
        self.page.evaluate("([what, given]) => window.add(what, given)", [what, given])

    def is_fit_for_all(self) -> None:
        """Check that the current page is accessible, on a phone and in both themes."""
        before = self.page.viewport_size
        for theme in ("light", "dark"):
            self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            self.page.set_viewport_size({"width": 360, "height": 900})
            self.page.wait_for_function(f"{TOO_WIDE} <= 0")  # drawings follow the width as soon as they are told of it
            assert self.page.evaluate(PALE, ".shardwise") == [], theme
            assert violations(self.page, theme, but=["page-has-heading-one"]) == [], theme
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(before or {"width": 1100, "height": 900})
        assert self.faults == []


@pytest.fixture
def bare(page: Page) -> BarePage:
    """Provide a page without Jupyter for elements of the desk."""
    desk, faults = Desk(fresh_session()), list[str]()
    made = BarePage(page, desk, faults)
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.expose_function("askPython", lambda request: made.desk.reply(request))
    page.expose_function("askForWhatToShow", lambda: dict(zip(("what", "given"), made.shown, strict=True)))
    page.route(BARE, lambda route: route.fulfill(body=BARE_PAGE, content_type="text/html"))
    page.route(f"{BARE}desk.js", lambda route: route.fulfill(path=BUNDLE, content_type="text/javascript"))
    return made


def picture(page: Page, name: str) -> None:
    """Save a picture of the page for a person to look at, if SHARDWISE_PICTURES names a folder."""
    folder = os.environ.get("SHARDWISE_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
