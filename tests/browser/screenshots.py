"""Screenshots of everything that a student sees: `make screenshots`. Not a test: a person has to look at them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.conftest import fresh_page
from browser.front_door import FIRST, PAGES, Student, serving
from browser.hands import ANSWERS, answers, first, form_of, is_said, right_answer
from browser.in_jupyter import of_cells, show
from checkout import ROOT, checkout_bank, fresh_session
from course_page import CoursePage
from jupyter_lab import running_formgrader
from shardwise.bank.pages.interactive_figures import moving, moving_names
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of
from shardwise.marking import check
from shardwise.student.progress.clock import VARIABLE as CLOCK
from shardwise.student.progress.file import VARIABLE as PROGRESS

SHOWN = ROOT / "docs" / "img"  # those that a page of the docs shows, to be committed
ALL = SHOWN / "all"
SHARPNESS = 1.25  # pixels of a picture for one of the page
LAB = {"width": 960, "height": 900}
LOOKS: dict[str, tuple[Literal["light", "dark"], int]] = {
    "light": ("light", 840), "dark": ("dark", 840), "phone": ("light", 360), "phone-dark": ("dark", 360),
}  # fmt: skip

FIGURES = ("pipeline", "zero")  # in Lab


def draft_of(fields: list[dict[str, Any]], answer: Any) -> Any:
    """Return the draft of a form that sends this answer."""
    if len(fields) == 1 and not fields[0].get("name"):
        return _draft(fields[0], answer)
    return {
        field["name"]: {answer["line"]: answer["fix"].strip()} if field.get("mends") else _draft(field, answer[field["name"]])
        for field in fields
        if field["name"] in answer
    }  # fmt: skip


def _draft(field: dict[str, Any], answer: Any) -> Any:
    match field["type"]:
        case "schedule":
            return {"text": answer}
        case "parts":
            given = {part["name"]: part["fields"] for part in field["parts"] if part["name"] in answer}
            return {name: draft_of(fields, answer[name]) for name, fields in given.items()}
        case "group":
            return draft_of(field["fields"], answer)
        case "layout":
            return {axis: str(value) for axis, value in answer.items()}
        case "number":
            return str(answer)
        case "options" | "order" if isinstance(answer, str):
            return answer.replace(",", " ").split()
        case _:
            return answer


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest) -> str:
    """A theme and a width."""
    ALL.mkdir(parents=True, exist_ok=True)
    return str(request.param)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a page with the size, theme and resolution of its picture."""
    theme, width = LOOKS[request.getfixturevalue("look")] if "look" in request.fixturenames else ("light", 0)
    size = {"width": width, "height": 500} if width else LAB
    with fresh_page(browser, viewport=size, color_scheme=theme, device_scale_factor=SHARPNESS) as made:
        yield made


def take(page: Page, name: str, *, in_docs: bool = False) -> None:
    folder = SHOWN if in_docs else ALL
    folder.mkdir(parents=True, exist_ok=True)
    page.mouse.move(0, 0)
    page.wait_for_timeout(250)  # what was drawn last
    page.screenshot(path=folder / f"{name}.png", full_page=not in_docs, animations="disabled", caret="hide")


# On a page without Jupyter -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_every_form_fresh_wrong_right_and_unreadable(bare: Any, look: str, name: str) -> None:
    question = first(name)
    fields = kind_of(question).view(question.form)["fields"]
    for state, answer in {"fresh": None, **answers(question, name)}.items():
        form = bare.problem(question)
        if state != "fresh":
            kept = [f"answer {question.id} {question.seed}", json.dumps(draft_of(fields, answer))]
            bare.page.evaluate("([key, draft]) => localStorage.setItem(key, draft)", kept)
            form = bare.problem(question)
            form.get_by_role("button", name="Check", exact=True).first.click()
            expect(form.get_by_role("status").last).not_to_be_empty()
            is_said(form, state)
        if state == "right":
            form.get_by_role("button", name="Solution").click()
            expect(form.locator(".more").last).to_contain_text("Solution")
        take(bare.page, f"{name}-{state}-{look}")


@pytest.mark.parametrize("name", moving_names(checkout_bank()))
def test_every_figure_before_and_after_a_guess(bare: Any, look: str, name: str) -> None:
    figure = bare.show("figure", moving([checkout_bank()], name).view)
    take(bare.page, f"figure-{name}-asked-{look}")
    figure.get_by_role("button", name="Show the figure").click()
    expect(figure.locator(".drawing > svg").first).to_be_visible()
    take(bare.page, f"figure-{name}-{look}")


@pytest.fixture
def at_the_app(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Student]:
    """A student in the middle of chapter 1, who also read in another on the day before."""
    monkeypatch.setenv(PROGRESS, str(tmp_path / "progress.sqlite"))
    chapters = checkout_bank().chapters
    with serving() as server:
        for day, problems in (
            ("2026-12-01", chapters[FIRST].problems[:9]),
            ("2026-12-02", chapters["02-zero"].problems[:4]),
        ):
            for slug in problems:
                for seed in "012" if slug == "bytes-per-gpu" else "0":
                    monkeypatch.setenv(CLOCK, f"{day}T09:00")
                    question = pose(checkout_bank().find(slug), seed)
                    request = {"do": "check", "problem": question.id, "seed": seed, "answer": right_answer(question)}
                    assert server.app.reply(request)["verdict"]["outcome"] == "correct"
        monkeypatch.setenv(CLOCK, "2026-12-03T09:00")
        yield Student(page, server.url)


def test_every_page_of_the_app(at_the_app: Student, look: str) -> None:
    for route in PAGES:
        at_the_app.open(route)
        name = "-".join(re.findall(r"\w+", route.partition("?")[0])) or "home"
        take(at_the_app.page, f"app-{name}-{look}")


def test_home_and_a_question_in_the_docs(at_the_app: Student) -> None:
    at_the_app.page.set_viewport_size({"width": 1000, "height": 720})
    take(at_the_app.page, "home", in_docs=True)
    at_the_app.open(f"#/{FIRST}/bytes-per-gpu")
    at_the_app.answer("1.4985 GB", outcome="incorrect")
    take(at_the_app.page, "app", in_docs=True)


def test_the_planner_with_a_search(bare: Any, look: str) -> None:
    form = bare.planner("llama3-70b", "h100-512", {"tp": 8, "pp": 4})
    expect(form.locator(".facts")).to_be_visible()
    form.get_by_role("button", name="Search").click()
    expect(form.locator("circle[role=option]").first).to_be_visible()
    take(bare.page, f"planner-{look}")


# In JupyterLab -----------------------------------------------------------------------------------------------------------

ALONE = """() => {  // hide the list of files
  const { shell } = window.jupyterapp;
  shell.collapseLeft();
  shell.currentWidget.content.activeCellIndex = shell.currentWidget.content.widgets.length - 1;
}"""
SCROLL = """([element, above]) => {
  const list = [element];
  for (let up = element; up; up = up.parentElement ?? up.getRootNode().host) list.push(up);
  const scrolled = list.find((one) => one.matches(".jp-WindowedPanel-outer"));
  scrolled.scrollTop += element.getBoundingClientRect().top - scrolled.getBoundingClientRect().top - above;
}"""


def in_lab(page: Page, lab: Any, name: str, *sources: str) -> None:
    show(page, lab, f"{name}.ipynb", of_cells(*sources))
    page.evaluate(ALONE)


def at_top(page: Page, element: Locator, above: int = 60) -> None:
    """Scroll until an element is `above` pixels below the notebook's edge."""
    page.evaluate(SCROLL, [element.element_handle(), above])


def test_a_question_in_lab(page: Page, lab: Any) -> None:
    question = first("bytes-per-gpu")
    in_lab(page, lab, "01-ring-all-reduce", 'from shardwise import practice\n\npractice("bytes-per-gpu")')
    form = form_of(page, question)
    field = form.get_by_label("Your answer")
    field.fill("1.4985 GB")
    field.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("Not yet")
    page.set_viewport_size({**LAB, "height": 780})
    take(page, "question", in_docs=True)


def test_a_case_in_lab(page: Page, lab: Any) -> None:
    question = first("train-a-model")
    in_lab(page, lab, "16-capstone", 'from shardwise import practice\n\npractice("train-a-model")')
    form = form_of(page, question)
    form.locator(".parts > details").first.get_by_role("textbox").fill("512")
    form.get_by_role("button", name="Check").first.click()
    expect(form.get_by_role("status")).to_contain_text("✗")
    at_top(page, form.locator(".parts > details").first)
    take(page, "case-in-lab")


def test_progress_in_lab(page: Page, lab: Any, some_days: None) -> None:
    in_lab(page, lab, "progress", 'from shardwise import progress\n\nprogress("01-ring-all-reduce")', "progress()")
    expect(page.get_by_role("region", name="Progress")).to_have_count(2)
    page.set_viewport_size({**LAB, "height": 960})
    take(page, "progress", in_docs=True)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_in_lab(page: Page, lab: Any, name: str) -> None:
    in_lab(page, lab, name, f'from shardwise import figure\n\nfigure("{name}")')
    figure = page.locator(".shardwise")
    figure.get_by_role("button", name="Show the figure").click()
    expect(figure.locator(".drawing > svg").first).to_be_visible()
    at_top(page, figure)
    take(page, f"figure-{name}", in_docs=name == FIGURES[0])


def test_the_planner_in_lab(page: Page, lab: Any) -> None:
    in_lab(page, lab, "planner", 'from shardwise import planner\n\nplanner("llama3-70b", "h100-512", tp=8, pp=4)')
    form = page.locator(".shardwise")
    expect(form.locator(".facts")).to_be_visible()
    page.set_viewport_size({"width": 1120, "height": 960})
    at_top(page, form)
    take(page, "planner", in_docs=True)


@pytest.fixture(scope="session", autouse=True)
def progress_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Set the progress file for the kernels in these pictures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHARDWISE_PROGRESS", str(tmp_path_factory.mktemp("progress") / "progress.sqlite"))
        yield


@pytest.fixture
def some_days(monkeypatch: pytest.MonkeyPatch) -> None:
    """Record the progress of a student who practised for some days and mastered every third problem."""
    session, today = fresh_session(), datetime.now(UTC)
    chapters = ("01-ring-all-reduce", "02-zero", "07-pipeline-parallelism")
    problems = [problem for chapter in chapters for problem in checkout_bank().of_chapter(chapter)[:12]]
    for number, problem in enumerate(problems):
        for seed in range(3 if number % 3 == 0 else 1):
            question = pose(problem, seed)
            moment = today - timedelta(days=3 - number / 12 - seed)
            monkeypatch.setenv("SHARDWISE_NOW", moment.isoformat())
            if number % 4 == 1:
                session.hinted(question, 1, "form")
            answer = right_answer(question)
            session.answered(question, check(question, answer), "form")
    monkeypatch.delenv("SHARDWISE_NOW")


# The page about a course -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> CoursePage:
    """A class of 30, as that page leads it up to nbgrader's table."""
    page = CoursePage(tmp_path_factory.mktemp("course"), 30)
    page.run(until="## With GitHub")
    return page


@pytest.mark.parametrize(
    ("name", "file"), [("course-feedback", "feedback/week-1/s03.html"), ("course-report", "report.html")]
)
def test_a_page_of_a_course(browser: Browser, course: CoursePage, name: str, file: str) -> None:
    with fresh_page(browser, viewport={"width": 900, "height": 760}, device_scale_factor=SHARPNESS) as page:
        page.goto((course.course / "results" / "week-1" / file).as_uri())
        take(page, name, in_docs=True)


def test_the_class_in_formgrader(browser: Browser, course: CoursePage, tmp_path: Path) -> None:
    with (
        running_formgrader(tmp_path, course.course / "nb") as server,
        fresh_page(browser, viewport={"width": 1100, "height": 640}, device_scale_factor=SHARPNESS) as page,
    ):
        page.goto(f"{server.url}/formgrader?token={server.token}")
        page.goto(f"{server.url}/formgrader/manage_submissions/week-1")
        page.get_by_text("s01", exact=True).wait_for()
        take(page, "course-formgrader", in_docs=True)
