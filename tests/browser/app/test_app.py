"""The app in a real browser: from Home through lessons and problems by *Continue* alone, and back another day."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import TOO_WIDE, fresh_page, violations
from browser.front_door import FIRST, PAGES, Student, serving
from browser.hands import Keys
from checkout import ROOT, checkout_bank
from contrast import PALE
from practice_site import put
from practice_site import served as folder_served
from shardwise.app.server import AppServer
from shardwise.bank.bank import Banks
from shardwise.student.progress.clock import VARIABLE as CLOCK
from shardwise.student.progress.file import VARIABLE
from shardwise_bank.planning.element import PlannerElement


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A progress file of its own, at noon of a day."""
    path = tmp_path / "progress.sqlite"
    monkeypatch.setenv(VARIABLE, str(path))
    monkeypatch.setenv(CLOCK, "2026-12-01T12:00")
    return path


@pytest.fixture
def served(kept: Path) -> Iterator[AppServer]:
    with serving() as server:
        yield server


@pytest.fixture
def student(page: Page, served: AppServer) -> Iterator[Student]:
    made = Student(page, served.url)
    yield made
    assert made.faults == []


def test_continue_leads_from_home_through_texts_and_problems_and_ticks_stay(
    student: Student, served: AppServer
) -> None:
    page = student.page
    page.get_by_role("link", name="Start", exact=True).click()
    student.settle()
    expect(page.locator("h1")).to_have_text("Ring all-reduce")
    student.go_on()
    expect(page.locator("h1")).to_have_text("Two phases")
    student.go_on()
    student.answer("1 GPUs", outcome="incorrect")
    expect(student.tick).to_have_count(0)
    student.answer()
    expect(student.tick).to_be_visible()
    page.reload()
    expect(student.tick).to_be_visible()
    expect(page.get_by_label("Your answer")).not_to_have_value("")
    student.go_on()
    expect(page.locator("h1")).to_contain_text("Problem 2 of 22")
    page.go_back()
    expect(student.tick).to_be_visible()
    page.get_by_role("link", name="Home").first.click()
    expect(page.get_by_role("region", name="Continue")).to_contain_text("The journey of a chunk")
    expect(page.get_by_role("link", name=re.compile("Ring all-reduce"))).to_contain_text("1 of 22 solved")


def test_a_new_day_asks_five_problems_of_several_chapters(student: Student, monkeypatch: pytest.MonkeyPatch) -> None:
    page = student.page
    for day in ("2026-12-01", "2026-12-08"):
        monkeypatch.setenv(CLOCK, f"{day}T12:00")
        student.open("#/")
        page.reload()
        page.get_by_role("link", name="Today", exact=True).click()
        student.settle()
        chapters = set()
        for place in range(5):
            expect(page.locator("h1")).to_contain_text(f"{place + 1} of 5")
            asked = student.question
            assert asked is not None
            chapters.add(asked.id.partition("/")[0])
            student.answer()
            student.go_on()
        expect(page.locator("h1")).to_have_text("Today's five are done")
        assert len(chapters) >= 3
        student.open("#/")
        expect(page.get_by_role("region", name="Today's five")).to_contain_text("5 of 5 done")


def test_search_finds_by_all_words_and_leads_there(student: Student) -> None:
    page = student.page
    page.keyboard.press("/")
    page.keyboard.type("bus bandwidth")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Formulas")).to_be_visible()
    page.get_by_role("link", name="What bus bandwidth tells you").click()
    expect(page.locator("main > .shardwise")).to_contain_text("What bus bandwidth tells you")
    student.open("#/search?q=no-such-word")
    expect(page.get_by_role("status").first).to_contain_text("Nothing contains all these words")


def test_an_address_names_a_problem_and_its_seed_and_wrong_ones_lead_home(student: Student) -> None:
    student.open(f"#/{FIRST}/bytes-per-gpu?seed=7")
    asked = student.question
    assert asked is not None
    assert (asked.id, asked.seed) == (f"{FIRST}/bytes-per-gpu", "7")
    for nowhere in ("#/nowhere", f"#/{FIRST}/nowhere", "#/figures/nowhere", "#/%00/%2e%2e", "#/%zz", "#/constructor"):
        student.open(nowhere)
        expect(student.page.locator("h1")).to_contain_text("does not exist")


def test_settings_switch_the_goal_off_and_stay(student: Student) -> None:
    page = student.page
    student.open("#/settings")
    page.get_by_role("checkbox").uncheck()
    expect(page.get_by_role("link", name="Today")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("checkbox")).not_to_be_checked()
    student.open("#/")
    expect(page.get_by_role("region", name="Today's five")).to_have_count(0)


def test_a_page_whose_server_has_ended_says_what_to_do(page: Page, kept: Path) -> None:
    command = [sys.executable, "-m", "shardwise", "start", "--no-browser", "--bank", str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as started:
        assert started.stdout is not None
        student = Student(page, started.stdout.readline().split()[1])
        started.send_signal(signal.SIGINT)
        started.wait(20)
    student.open(f"#/{FIRST}/introduction")
    expect(page.get_by_role("alert")).to_contain_text("Run shardwise start")


def test_every_page_is_fit_for_all(student: Student) -> None:
    page = student.page
    page.set_viewport_size({"width": 360, "height": 900})
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        for route in PAGES:
            student.open(route)
            assert page.evaluate(TOO_WIDE) <= 0, (route, theme)
            assert page.evaluate(PALE, "main") == [], (route, theme)
            assert violations(page, theme) == [], (route, theme)


def test_keys_alone_are_enough(browser: Browser, served: AppServer) -> None:
    with fresh_page(browser, viewport={"width": 1100, "height": 900}) as page:
        student = Student(page, served.url)
        student.hands = Keys(page)
        for _ in range(3):
            student.go_on()
        student.answer()
        student.go_on()
        expect(page.locator("h1")).to_contain_text("Problem 2 of 22")
        assert student.faults == []


@pytest.fixture(params=["computer", "site"])
def anywhere(request: pytest.FixtureRequest, page: Page, tmp_path: Path) -> Iterator[Student]:
    """A new student, on this computer and on a site."""
    if request.param == "computer":
        yield request.getfixturevalue("student")
        return
    put(tmp_path)
    with folder_served(tmp_path) as address:
        made = Student(page, address)
        yield made
        assert made.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [FIRST, "07-pipeline-parallelism"])
def test_a_new_student_masters_a_chapter_by_continue_alone(anywhere: Student, chapter: str) -> None:
    student = anywhere
    page, steps = student.page, checkout_bank().chapters[chapter].problems
    page.get_by_role("link", name=re.compile(checkout_bank().chapters[chapter].title)).last.click()
    student.settle()
    student.go_on()
    assert [step for step in student.walk() if step in steps] == list(steps)
    expect(page.locator("h1")).to_contain_text("You have solved")
    page.get_by_role("link", name="Master this chapter").click()
    student.settle()
    while student.question is not None:
        student.answer()
        student.go_on()
    expect(page.locator("h1")).to_contain_text("You have mastered")
    student.open("#/")
    expect(page.get_by_role("link", name=re.compile(checkout_bank().chapters[chapter].title)).last).to_contain_text(
        f"{len(steps)} of {len(steps)} solved · {len(steps)} mastered"
    )


CONFIG = """{"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144, "moe_intermediate_size": 768,
"num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48, "head_dim": 128, "num_attention_heads": 32,
"num_key_value_heads": 4, "vocab_size": 151936, "tie_word_embeddings": false}"""


def test_the_planner_plans_a_pasted_configuration_alike_everywhere(anywhere: Student) -> None:
    desk = PlannerElement(Banks([checkout_bank()]))
    given = {**desk.given()["start"], "model": {"config": CONFIG}}
    given |= desk.reply({"do": "start", "given": given})
    values = [figure["value"] for figure in desk.reply({"do": "plan", "given": given})["figures"]]
    page = anywhere.page
    anywhere.open("#/planner")
    page.get_by_text("Model from a config.json").click()
    field = page.get_by_label("or its text")
    field.fill(CONFIG)
    field.press("Tab")
    expect(page.get_by_role("heading", name="model from a config.json on 512 H100-80GB")).to_be_visible()
    expect(page.locator(".facts .value")).to_have_text(values)


def scrolled(page: Page) -> int:
    """Return how far a page is scrolled once it is scrolled at all; it may still be growing."""
    top: float = page.evaluate(
        "() => new Promise(done => { const look = () => scrollY ? done(scrollY) : setTimeout(look, 20); look(); })"
    )
    return round(top)


def test_back_and_reload_return_to_where_a_page_was_left_and_links_open_it_at_its_top(student: Student) -> None:
    page = student.page
    page.set_viewport_size({"width": 1100, "height": 400})
    student.open(f"#/{FIRST}/introduction")
    page.evaluate("scrollTo(0, 300)")
    student.open(f"#/{FIRST}/two-phases")
    expect(page.locator("h1")).to_be_focused()
    assert page.evaluate("scrollY") == 0
    page.go_back()
    student.settle()
    assert scrolled(page) == 300
    page.reload()
    assert scrolled(page) == 300
    student.open(f"#/{FIRST}/two-phases")
    student.open(f"#/{FIRST}/introduction")
    assert page.evaluate("scrollY") == 0


def test_results_follow_what_is_typed_and_back_leads_to_the_page_before(student: Student) -> None:
    page = student.page
    student.open("#/figures")
    page.keyboard.press("/")
    page.keyboard.type("ring tree")
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page.locator("h1")).to_have_text("Search: ring tree")
    page.keyboard.type(" crossover nothing")
    expect(page.get_by_role("status").first).to_contain_text("Nothing contains all these words")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Interactive figures")
    expect(page.get_by_role("searchbox")).to_have_value("")


def test_after_a_right_answer_continue_is_one_tab_away(student: Student) -> None:
    page = student.page
    student.open(f"#/{FIRST}/gpus-behind-one-link")
    student.answer()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Problem 2 of 22")
