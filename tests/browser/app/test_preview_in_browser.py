"""The preview in a real browser: variants side by side, which follow every saved change where the author is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import TOO_WIDE, faults_of, fresh_page, picture, violations
from shardwise.app.preview import Preview
from shardwise.app.server import AppServer
from shardwise.bank.discovery import open_banks
from shardwise.bank.scaffold import init_bank

PROBLEM = "01-first-chapter/first-quantity"


@dataclass
class Previewed:
    """A page with the preview of a new bank."""

    page: Page
    folder: Path
    faults: list[str]  # what the console said

    def open(self, problem: str) -> None:
        self.page.evaluate(f"location.hash = '#/{problem}'")
        expect(self.page.locator(".variants article")).to_have_count(4)
        self.settle()

    def settle(self) -> None:
        expect(self.page.locator("#app")).to_have_attribute("aria-busy", "false")

    def save(self, old: str, new: str, problem: str = PROBLEM) -> None:
        path = self.folder / "problems" / f"{problem}.yaml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture
def previewed(browser: Browser, tmp_path: Path) -> Iterator[Previewed]:
    init_bank(tmp_path / "bank")
    preview = Preview(open_banks([tmp_path / "bank"]), variants=4)
    with (
        AppServer(preview, host="preview") as server,
        fresh_page(browser, viewport={"width": 1500, "height": 900}) as page,
    ):
        Thread(target=server.serve_forever, daemon=True).start()
        faults = faults_of(page)
        page.goto(server.url)
        expect(page.locator("h1")).to_have_text("9 problems")
        yield Previewed(page, tmp_path / "bank", faults)
        server.shutdown()
        assert faults == []
    preview.close()


@pytest.mark.parametrize("name", [PROBLEM, "01-first-chapter/first-case", "01-first-chapter/first-choice"])
def test_variants_are_fit_for_all(previewed: Previewed, name: str) -> None:
    page = previewed.page
    previewed.open(name)
    expect(page.locator(".verdict")).to_contain_text("No faults in 4 draws.")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for width in (360, 1500):
            page.set_viewport_size({"width": width, "height": 900})
            expect(page.locator("h1")).to_be_visible()
            assert page.evaluate(TOO_WIDE) <= 0
            assert violations(page, theme) == []
            picture(page, f"preview-{name.rpartition('/')[2]}-{theme}-{width}")


def test_a_saved_change_shows_where_the_author_is_and_keeps_what_was_typed(previewed: Previewed) -> None:
    page = previewed.page
    previewed.open(PROBLEM)
    third = page.locator("#seed-2")
    third.scroll_into_view_if_needed()
    third.get_by_label("Your answer").fill("12 ms")
    place = page.evaluate("scrollY")
    assert place > 0
    previewed.save("crosses a link", "goes through a link")
    expect(third).to_contain_text("goes through a link")
    previewed.settle()
    assert page.evaluate("scrollY") == place
    expect(third.get_by_label("Your answer")).to_have_value("12 ms")
    previewed.save("mistakes:", "mistaken:")
    expect(page.locator(".fault")).to_have_count(1)
    expect(page.locator(".fault")).to_contain_text("first-quantity.yaml:21:1: mistaken: unknown key 'mistaken'")
    expect(page.locator(".note")).to_have_text("These are the variants of the last version that worked.")
    expect(third).to_contain_text("goes through a link")
    picture(page, "preview-fault")
    assert violations(page) == []
    previewed.save("mistaken:", "mistakes:")
    expect(page.locator(".verdict")).to_contain_text("No faults in 4 draws.")
    expect(page.locator(".note")).to_have_count(0)


def test_a_form_marks_answers_and_a_changed_reference_changes_the_key(previewed: Previewed) -> None:
    page = previewed.page
    previewed.open(PROBLEM)
    first = page.locator("#seed-0")
    key = first.locator("dd pre").inner_text()
    first.get_by_label("Your answer").fill(key)
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".said")).to_contain_text("Correct")
    reference = previewed.folder / "solutions" / "example.py"
    reference.write_text(reference.read_text().replace("latency_s + crossing_s", "latency_s + 2 * crossing_s"))
    expect(page.locator(".verdict")).to_contain_text("one of the two is wrong")
    expect(first.locator("dd").nth(1)).to_contain_text("disagrees")
    assert first.locator("dd pre").inner_text() != key
