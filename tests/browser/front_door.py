"""A student at the app in a browser, whichever host serves it, and the app's pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from playwright.sync_api import Locator, Page, expect

from browser.conftest import faults_of
from browser.hands import Hands, Mouse, give, right_answer
from checkout import checkout_bank
from shardwise.app.app import App
from shardwise.app.server import AppServer
from shardwise.bank.bank import Banks
from shardwise.bank.posing import pose
from shardwise.question import Question
from shardwise.student.session import Session

FIRST = "01-ring-all-reduce"
PAGES = (
    "#/", f"#/{FIRST}", f"#/{FIRST}/introduction", f"#/{FIRST}/two-phases", f"#/{FIRST}/bytes-per-gpu", f"#/{FIRST}/end",
    f"#/{FIRST}/master", "#/today", "#/today/end", "#/search?q=ring", "#/figures", "#/figures/ring", "#/planner", "#/settings",
    "#/nowhere",
)  # fmt: skip


class Student:
    """A student at the app in a browser."""

    def __init__(self, page: Page, address: str, hands: Hands | None = None) -> None:
        self.page, self.address, self.hands = page, address, hands or Mouse(page)
        self.faults = faults_of(page)
        page.goto(address)
        expect(page.locator("main h1")).to_be_visible()

    def open(self, route: str) -> None:
        """Open a page of the app by its address."""
        self.page.evaluate("route => { location.hash = route; }", route)
        self.settle()

    def settle(self) -> None:
        """Wait until the page that the address names is there."""
        address = self.page.evaluate("location.hash") or "#/"
        expect(self.page.locator("#app")).to_have_attribute("data-shows", address)

    def go_on(self) -> None:
        """Press the one button that leads on."""
        before = self.page.evaluate("location.hash") or "#/"
        self.hands.press(self.onward)
        expect(self.page.locator("#app")).not_to_have_attribute("data-shows", before)

    @property
    def onward(self) -> Locator:
        """The button or link that leads on."""
        return (
            self.page.get_by_role("main")
            .get_by_role("button", name="Continue")
            .or_(self.page.locator("main a.primary"))
        )

    @property
    def tick(self) -> Locator:
        """The tick of a question that was solved."""
        return self.page.locator("main > .shardwise").get_by_role("img", name="solved")

    @property
    def question(self) -> Question | None:
        """The question on this page, if it shows one."""
        form = self.page.locator("main > .shardwise")
        if not form.count():
            return None
        shown: dict[str, Any] = form.evaluate("form => form.question ?? null")
        return pose(checkout_bank().find(shown["id"]), shown["seed"]) if shown else None

    def answer(self, raw: Any = None, *, outcome: str = "correct") -> None:
        """Answer the question on this page, rightly unless told otherwise, and wait for its verdict."""
        asked = self.question
        assert asked is not None
        form = self.page.locator("main > .shardwise")
        give(self.hands, form, asked, right_answer(asked) if raw is None else raw)
        expect(form.locator(".said")).to_have_attribute("data-outcome", outcome)

    def walk(self) -> list[str]:
        """Go on from step to step of a chapter, solving every problem, and return the steps up to the chapter's end."""
        steps = []
        while (step := self.page.evaluate("location.hash").split("/")[2]) != "end":
            steps.append(step)
            if self.question is not None:
                self.answer()
                expect(self.tick).to_be_visible()
            self.go_on()
        return steps


@contextmanager
def serving() -> Iterator[AppServer]:
    """Serve the app on this computer."""
    with AppServer(App(Session.of(Banks([checkout_bank()])))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
