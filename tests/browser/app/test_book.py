"""The book as `make site` builds it: no warnings, no broken links, no requests to other hosts, and its entries in the app's search."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from book import sources
from browser.conftest import faults_of, violations
from checkout import ROOT, checkout_bank
from contrast import PALE
from shardwise.app.app import App
from shardwise.app.server import AppServer
from shardwise.app.site.documentation import entries_of
from shardwise.app.steps import END, overview
from shardwise.bank.bank import Banks
from shardwise.student.session import Session

pytestmark = pytest.mark.slow  # half a minute
ADDRESS = "http://127.0.0.1:1/site/"  # nothing listens there: the test itself hands out the files
PAGES = ["docs/index.html", "docs/problems/07-pipeline-parallelism/lesson.html", "docs/reference/commands.html"]


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the book where a site has it."""
    folder = tmp_path_factory.mktemp("site") / sources.FOLDER
    build = [sys.executable, "-m", "book", folder]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def in_browser(book: Path, page: Page) -> Page:
    """Provide a page to which the book is handed out, below an app that is only a title."""
    page.route(f"{ADDRESS}**", lambda route: route.fulfill(path=book.parent / urlsplit(route.request.url).path[6:]))
    app = "<!doctype html><title>The app</title>"
    page.route(re.compile(rf"^{ADDRESS}(\?.*)?$"), lambda route: route.fulfill(body=app, content_type="text/html"))
    return page


def routes() -> set[str]:
    """Return every address in the app that the map knows, and those of its pages."""
    known = overview(Banks([checkout_bank()]))
    steps = {f"{each['name']}/{step['id']}" for each in known["chapters"] for step in [*each["steps"], {"id": END}]}
    figures = {f"figures/{figure['name']}" for figure in known["figures"]}
    chapters = {each["name"] for each in known["chapters"]}
    return {"", "today", "figures", "planner", "settings", *chapters, *steps, *figures}


def test_every_chapter_has_its_lesson_and_worked_examples(book: Path) -> None:
    for chapter, about in checkout_bank().chapters.items():
        page = (book / "problems" / chapter / "lesson.html").read_text("utf-8")
        assert "Problems with solutions" in page
        assert page.count('class="sd-sphinx-override sd-dropdown') == min(sources.EXAMPLES, len(about.problems))
        assert "<math" in page or chapter.startswith("16")


def test_nothing_is_asked_for_elsewhere_and_every_link_leads_somewhere(book: Path) -> None:
    known = routes()
    for path in book.rglob("*.html"):
        page = path.read_text("utf-8")
        assert re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="https?:', page) == [], path
        for target in re.findall(r'(?:href|src)="([^"]+)"', page):
            parts = urlsplit(target)
            if parts.scheme or not parts.path:
                continue
            to = (path.parent / unquote(parts.path)).resolve()
            if to == book.parent:
                assert parts.fragment.removeprefix("/") in known, f"{path.relative_to(book)} leads to {target}"
                continue
            assert to.exists(), f"{path.relative_to(book)} leads to {target}"
            if parts.fragment and to.suffix == ".html":
                assert f'id="{unquote(parts.fragment)}"' in to.read_text("utf-8"), f"{path.name} leads to {target}"


def test_a_link_to_a_reference_leads_to_its_source(book: Path) -> None:
    sheet = (book / "formulas.html").read_text("utf-8")
    assert 'href="solutions/ring/ring.html"' in sheet
    assert "def all_reduce_seconds" in re.sub(
        r"<[^>]+>", "", (book / "solutions" / "ring" / "ring.html").read_text("utf-8")
    )


def test_every_entry_for_the_search_leads_to_a_section_of_a_page(book: Path) -> None:
    entries = entries_of(book.parent)  # as a site reads them
    for entry in entries:
        page, _, section = entry["to"].partition("#")
        assert not section or f'id="{section}"' in (book.parent / page).read_text("utf-8"), entry["to"]
    pages = {entry["to"].partition("#")[0] for entry in entries}
    assert pages == {
        f"docs/{sources.place(name).removesuffix('.md')}.html" for names in sources.DOCUMENTS.values() for name in names
    }
    assert len({entry["to"] for entry in entries}) == len(entries)
    assert list(book.glob("search*")) == []  # nor any other search


def test_words_typed_into_a_page_are_looked_up_by_the_app(in_browser: Page) -> None:
    in_browser.goto(f"{ADDRESS}{PAGES[1]}")
    in_browser.keyboard.press("/")
    in_browser.keyboard.type("bubble & idle\n")
    expect(in_browser).to_have_url(f"{ADDRESS}#/search?q=bubble%20%26%20idle")
    expect(in_browser).to_have_title("The app")


def test_the_book_and_the_app_have_one_navigation(in_browser: Page) -> None:
    links = in_browser.get_by_role("navigation", name="Main").get_by_role("link")
    where = "links => links.map((link) => [link.textContent, link.hash])"
    in_browser.goto(f"{ADDRESS}{PAGES[0]}")
    in_the_book = links.evaluate_all(where)
    with AppServer(App(Session.of(Banks([checkout_bank()])))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        in_browser.goto(server.url)
        expect(links.filter(has_text="Planner")).to_be_visible()  # the last link to be there: Python names it
        in_the_app = links.evaluate_all(where)
        server.shutdown()
    assert [link for link in in_the_book if link[0] != "Docs"] == in_the_app  # which has docs on a site only
    assert [name for name, _ in in_the_book] == ["Home", "Today", "Figures", "Planner", "Docs", "Settings"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_everywhere(in_browser: Page, name: str) -> None:
    faults = faults_of(in_browser)
    in_browser.goto(f"{ADDRESS}{name}")
    in_browser.keyboard.press("Tab")
    expect(in_browser.get_by_role("link", name="Skip to the content")).to_be_focused()
    for theme in ("light", "dark"):
        in_browser.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for width in (360, 1280):
            in_browser.set_viewport_size({"width": width, "height": 900})
            assert in_browser.evaluate("document.documentElement.scrollWidth") <= width, (theme, width)
            assert in_browser.evaluate(PALE, "header.site") == [], (theme, width)
            assert violations(in_browser, theme) == [], (theme, width)
    assert faults == []


def test_links_lead_to_pages_of_the_book_and_problems_to_the_app() -> None:
    pages = {"docs/a.md": "", "solutions/ring/ring.md": ""}
    text = (
        "[`ring`](../solutions/ring/ring.py) `[x](../gone.md)` [gone](../gone.md#part) [one](../problems/01-a/one.yaml)\n"
        "```text\n[a](../docs/a.md)\n```\n"
    )
    assert sources._linked(text, "docs/a.md", pages) == (
        '[`ring`](solutions/ring/ring.md) `[x](../gone.md)` gone <a href="../#/01-a/one">one</a>\n'
        "```text\n[a](../docs/a.md)\n```\n"
    )
