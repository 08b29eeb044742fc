"""A site in real Chromium: Python in the page, which needs no server, no other machine, and after the first visit no connection.

A chapter in one file needs none at all.
"""

from __future__ import annotations

import gzip
import json
import re
import socketserver
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from typer.testing import CliRunner

from browser.conftest import asked_elsewhere
from browser.hands import right_answer
from checkout import checkout_bank
from practice_site import PLACE, files, put, served
from shardwise.app.app import App
from shardwise.app.site.one_file import one_file
from shardwise.bank.bank import Banks
from shardwise.bank.posing import pose
from shardwise.cli.main import app as program
from shardwise.student.session import Session

RING = "#/01-ring-all-reduce/"
SLOW_MS = 60_000  # for Python to start on a busy machine
LOOP = """def ring_all_reduce_ms(message_gb, gpus, bandwidth_gb_per_s, latency_us):
    while True:
        pass
"""
NOTHING_IS_KEPT = """for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("Refused", "SecurityError"); } });
}"""
KEPT = """new Promise((resolve) => {
  if (navigator.serviceWorker.controller) resolve();
  navigator.serviceWorker.addEventListener("controllerchange", () => resolve());
})"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site")
    put(root)
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as found:
        yield found


@dataclass
class Visit:
    """A browser in which nobody was at this site before. At its end, nothing may have been amiss."""

    context: BrowserContext
    address: str
    amiss: list[str] = field(default_factory=list)

    def page(self, route: str = "#/") -> Page:
        page = self.context.new_page()
        page.on("console", lambda line: line.type in ("error", "warning") and self.amiss.append(line.text))
        page.on("pageerror", lambda error: self.amiss.append(str(error)))
        page.goto(self.address + route)
        return page


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    visit = Visit(context, address)
    outside: list[str] = asked_elsewhere(context.new_page())
    yield visit
    context.close()
    assert outside == []
    assert visit.amiss == []


def answer(page: Page, text: str) -> None:
    page.get_by_role("textbox", name=re.compile("Your (answer|formula)")).fill(text)
    page.get_by_role("button", name="Check").click()


def verdict(page: Page, words: str) -> None:
    expect(page.get_by_text(words, exact=False).first).to_be_visible()


def a_loop_is_ended(page: Page) -> None:
    """Hand in a function that never ends, and then one that does."""
    editor = page.locator(".cm-content")
    editor.fill(LOOP)
    page.get_by_role("button", name="Check").click()
    verdict(page, "took too long and was stopped")
    editor.fill(LOOP.replace("while True:\n        pass", "return 1"))
    page.get_by_role("button", name="Check").click()
    verdict(page, "Not yet")
    expect(page.get_by_text("took too long")).to_have_count(0)


def test_the_first_load_is_small_without_the_engine() -> None:
    needed = [name for name in files() if name == "index.html" or name.endswith(("app.js", "app.css", "first.json"))]
    needed += [name for name in files() if name.endswith("chapters/01-ring-all-reduce.json")]
    assert len(needed) == 5
    assert sum(len(gzip.compress(files()[name])) for name in needed) < 400_000


def test_a_first_question_is_answered_wrong_and_right_and_its_tick_outlasts_a_reload(visit: Visit) -> None:
    page = visit.page(f"{RING}bytes-per-gpu")
    answer(page, "1 MB")
    verdict(page, "Not yet")
    answer(page, "2.997 GB")
    verdict(page, "✓ Correct")
    page.reload()
    expect(page.get_by_text("of 3 variants to master it")).to_be_visible()
    page.goto(visit.address + "#/")
    page.reload()
    expect(page.locator("main")).to_contain_text("1 of 22 solved")


def test_an_endless_loop_is_ended_and_the_next_answer_is_marked(visit: Visit) -> None:
    a_loop_is_ended(visit.page(f"{RING}ring-time-function"))


def test_a_program_reaches_no_other_machine(visit: Visit) -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as elsewhere:
        reached: list[object] = []
        elsewhere.finish_request = lambda *asked: reached.append(asked)  # type: ignore[method-assign]
        Thread(target=elsewhere.serve_forever, daemon=True).start()
        page = visit.page(f"{RING}ring-time-function")
        loop = f"fetch('http://127.0.0.1:{elsewhere.server_address[1]}/')"
        page.locator(".cm-content").fill(
            LOOP.replace("while True:\n        pass", f'from pyodide.code import run_js; run_js("{loop}"); return 1')
        )
        page.get_by_role("button", name="Check").click()
        verdict(page, "Not yet")
        page.wait_for_timeout(500)
        elsewhere.shutdown()
    assert reached == []
    visit.amiss.clear()  # in some versions of Chromium, the policy reports what it stopped


def test_after_one_visit_everything_works_without_a_connection(visit: Visit) -> None:
    page = visit.page(f"{RING}bytes-per-gpu-formula")
    page.evaluate(KEPT)
    visit.context.set_offline(True)
    page.reload()
    answer(page, "2*M/N")
    verdict(page, "Not yet")  # explained by sympy, which this page never fetched before
    page.goto(f"{visit.address}#/07-pipeline-parallelism")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_progress_goes_to_the_program_and_back(visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(tmp_path / "progress.sqlite"))
    page = visit.page(f"{RING}bytes-per-gpu")
    answer(page, "2.997 GB")
    verdict(page, "✓ Correct")
    page.goto(f"{visit.address}#/settings")
    expect(page.get_by_text("whoever looks can read its answer keys")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    exported = tmp_path / "site.json"
    download.value.save_as(exported)
    run = CliRunner().invoke
    assert "Added 1 event" in run(program, ["progress", "--import", str(exported)]).output
    assert "Added 0 events" in run(program, ["progress", "--import", str(exported)]).output
    run(program, ["progress", "--export", str(tmp_path / "program.json")])
    ours = json.loads((tmp_path / "program.json").read_text("utf-8"))
    assert ours["events"] == json.loads(exported.read_text("utf-8"))["events"]
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Deleted.")).to_be_visible()
    page.locator("input[type=file]").set_input_files(tmp_path / "program.json")
    expect(page.get_by_text("Added 1 event.")).to_be_visible()
    page.locator("input[type=file]").set_input_files(tmp_path / "program.json")
    expect(page.get_by_text("Added 0 events.")).to_be_visible()


def test_a_week_later_todays_five_are_due_problems_of_several_chapters(
    visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(tmp_path / "progress.sqlite"))
    monkeypatch.setenv("SHARDWISE_NOW", (datetime.now(UTC) - timedelta(days=7)).isoformat())
    bank = checkout_bank()
    before = App(Session.of(Banks([bank])))
    worked_on = {
        chapter: bank.chapters[chapter].problems[:4] for chapter in bank.chapters if chapter[:2] in ("01", "03", "07")
    }
    for slugs in worked_on.values():
        for slug in slugs:
            question = pose(bank.find(slug), "0")
            asked = {"do": "check", "problem": question.id, "seed": "0", "answer": right_answer(question)}
            assert before.reply(asked)["verdict"]["outcome"] == "correct"
    CliRunner().invoke(program, ["progress", "--export", str(tmp_path / "week.json")])
    page = visit.page("#/settings")
    page.locator("input[type=file]").set_input_files(tmp_path / "week.json")
    expect(page.get_by_text("Added 12 events.")).to_be_visible()
    page.goto(f"{visit.address}#/today")
    boxes = page.get_by_role("list", name="Today's five").get_by_role("link")
    expect(boxes).to_have_count(5)
    titles = {label.partition(": ")[2] for label in boxes.evaluate_all("each => each.map(one => one.ariaLabel)")}
    due = {chapter for chapter, slugs in worked_on.items() if titles & {bank.find(slug).title for slug in slugs}}
    assert due == set(worked_on)


def test_two_tabs_keep_the_answers_of_both(visit: Visit) -> None:
    first, second = visit.page(f"{RING}bytes-per-gpu"), visit.page(f"{RING}gpus-behind-one-link")
    for page, text in ((first, "2.997 GB"), (second, "8")):
        answer(page, text)
        verdict(page, "✓ Correct")
    first.goto(f"{visit.address}#/")
    first.reload()
    expect(first.locator("main")).to_contain_text("2 of 22 solved")


def test_a_site_names_no_address_elsewhere_and_needs_no_root(folder: Path) -> None:
    page = (folder / PLACE / "index.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


def test_a_new_version_is_announced_and_a_reload_shows_it(browser: Browser, tmp_path: Path) -> None:
    place = put(tmp_path)
    with served(tmp_path) as address:
        page = browser.new_page()
        page.goto(address)
        page.evaluate(KEPT)
        newer = (
            (place / "index.html").read_text("utf-8").replace("<head>", '<head><meta name="version" content="newer">')
        )
        (place / "index.html").write_text(newer, "utf-8")
        worker = (place / "offline.js").read_text("utf-8").replace('VERSION = "', 'VERSION = "newer-', 1)
        (place / "offline.js").write_text(worker, "utf-8")
        page.reload()
        expect(page.get_by_text("A new version of this site is ready.")).to_be_visible(timeout=SLOW_MS)
        assert page.locator("meta[name=version]").count() == 0
        page.reload()
        expect(page.locator("meta[name=version]")).to_have_count(1)
        page.close()


@pytest.fixture(scope="module")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address on the disk of a chapter in one file."""
    path = tmp_path_factory.mktemp("chapter") / "ring.html"
    path.write_bytes(one_file(Banks([checkout_bank()]), "01-ring-all-reduce", path))
    return path.as_uri()


@pytest.fixture
def opened(browser: Browser, chapter: str) -> Iterator[Visit]:
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    visit = Visit(context, chapter)
    asked: set[str] = set()
    context.on("request", lambda request: asked.add(request.url.partition("#")[0]))
    yield visit
    context.close()
    assert {url for url in asked if not url.startswith(("data:", "blob:"))} == {chapter}
    assert visit.amiss == []


def test_a_chapter_in_one_file_marks_answers_and_functions_from_a_disk(opened: Visit) -> None:
    page = opened.page(f"{RING}bytes-per-gpu")
    answer(page, "1 MB")
    verdict(page, "Not yet")
    answer(page, "2.997 GB")
    verdict(page, "✓ Correct")
    page.goto(f"{opened.address}{RING}ring-time-function")
    a_loop_is_ended(page)
    page.get_by_role("link", name="Home").first.click()
    expect(page.locator("main")).to_contain_text("1 of 22 solved")
    expect(page.locator(".chapters > li")).to_have_count(1)
    page.locator(".chapters a").click()
    expect(page.get_by_role("listitem").filter(has_text="How much does each GPU send?")).to_contain_text("✓")
    page.reload()
    expect(page.get_by_text("1 of 22 solved")).to_be_visible()


def test_a_chapter_in_one_file_works_and_exports_where_the_browser_keeps_nothing(opened: Visit) -> None:
    opened.context.add_init_script(NOTHING_IS_KEPT)
    page = opened.page(f"{RING}bytes-per-gpu-formula")
    answer(page, "2*M/N")
    verdict(page, "Not yet")  # without sympy, which would explain it
    page.goto(f"{opened.address}#/")
    expect(page.get_by_role("link", name="Continue").first).to_be_visible()
    page.goto(f"{opened.address}#/settings")
    expect(page.get_by_text("in this page until you close it")).to_be_visible()
    expect(page.get_by_text("whoever looks can read its answer keys")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert len(json.loads(download.value.path().read_text("utf-8"))["events"]) == 1
