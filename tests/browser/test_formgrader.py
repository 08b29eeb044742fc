"""A class of 12, graded with and without an nbgrader course, with nbgrader's own commands and formgrader in Chromium."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.conftest import TALL, fresh_page
from checkout import ROOT
from jupyter_lab import Lab, running_formgrader
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import fill, mistaken, right, unreadable
from shardwise.grading.results import Result, read_results

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

BIN = Path(sys.executable).parent
MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/latest.js?config=TeX-AMS_CHTML-full,Safe"  # nbgrader's
SET = """
name: week-1
title: Week 1
due: 2036-12-01T23:59:00+01:00
problems: [bytes-per-gpu, {id: ring-time-function, points: 5}, bytes-per-gpu-formula, order-by-time]
"""
CLASS = ("ada", "bo", "cleo", "dan", "eve", "finn", "gus", "hana", "ivo", "joy", "kim", "leo")
LOCK = "assigned/week-1.lock.jsonl"
WRITERS = (right, mistaken, right, unreadable)


@dataclass(frozen=True)
class Both:
    """A class that was graded both with and without nbgrader."""

    folder: Path

    @property
    def course(self) -> Path:
        return self.folder / "nb"

    def run(self, *words: str, within: str = ".", expected: int = 0) -> str:
        """Run a command in a folder, and return what it prints."""
        environment = {**os.environ, "SHARDWISE_BANK": str(ROOT), "JUPYTER_CONFIG_DIR": str(self.folder / "jupyter")}
        environment |= {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(words, cwd=self.folder / within, env=environment, capture_output=True, text=True)
        assert done.returncode == expected, done.stdout + done.stderr
        return done.stdout

    def assign(self, course: str) -> str:
        """Assign the set, and add it to an nbgrader course."""
        return self.shardwise(
            f"assign set.yaml --roster roster.csv --out assigned --key course.key --nbgrader {course}"
        )

    def shardwise(self, words: str, expected: int = 0) -> str:
        """Run a command of shardwise, and return what it prints."""
        return self.run("shardwise", *words.split(), expected=expected)

    def grade(self) -> str:
        """Grade the submissions in the nbgrader course; one student's notebook cannot be graded."""
        return self.shardwise(f"grade nb/submitted --nbgrader nb --lock {LOCK} --out results", expected=1)

    def export(self) -> dict[str, dict[str, str]]:
        """Return the rows of nbgrader's own table of grades."""
        self.run("nbgrader", "export", within="nb")
        with (self.course / "grades.csv").open(encoding="utf-8", newline="") as table:
            return {row["student_id"]: row for row in csv.DictReader(table)}

    def results(self, folder: str) -> dict[str, Result]:
        return {result.student: result for result in read_results(self.folder / folder)}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """Assign, hand in and grade, with and without nbgrader. ivo hands in nothing, and leo a broken notebook."""
    both = Both(tmp_path_factory.mktemp("both"))
    (both.folder / "set.yaml").write_text(SET)
    (both.folder / "roster.csv").write_text(
        "student,name\n" + "".join(f"{each},{each.title()} Berg\n" for each in CLASS)
    )
    (both.folder / "course.key").write_text("6b" * 32)  # the same draws every time
    assert "nbgrader: assignment week-1 in nb, 4 questions, 11 points, 12 students." in both.assign("nb")
    lock = Lock(both.folder / LOCK, bytes.fromhex("6b" * 32))
    for place, student in enumerate(CLASS):
        for released, submitted in (
            (f"assigned/notebooks/{student}", f"submitted/{student}"),
            (f"nb/release/{student}/week-1", f"nb/submitted/{student}/week-1"),
        ):
            filled = fill(_read(both.folder / released), lock.questions(student), WRITERS[place % len(WRITERS)])
            if student != "ivo":
                (both.folder / submitted).mkdir(parents=True)
                text = "{broken" if student == "leo" else json.dumps(filled)
                (both.folder / submitted / "week-1.ipynb").write_text(text)
    both.shardwise(f"grade submitted --lock {LOCK} --out plain", expected=1)
    assert "nbgrader: 11 submissions of week-1 in the gradebook of nb, 3 to look at in formgrader." in both.grade()
    return both


def _read(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "week-1.ipynb").read_text("utf-8")))


@pytest.fixture(scope="module")
def formgrader(both: Both, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_formgrader(tmp_path_factory.mktemp("server"), both.course) as server:
        yield server


@pytest.fixture
def submissions(formgrader: Lab, browser: Browser) -> Iterator[Page]:
    """Open formgrader's page of submissions. Nothing but nbgrader's own MathJax is requested from elsewhere."""
    with fresh_page(browser, viewport=TALL, asks_for=[MATHJAX]) as page:
        page.goto(f"{formgrader.url}/formgrader?token={formgrader.token}")
        page.goto(f"{formgrader.url}/formgrader/manage_submissions/week-1")
        yield page


def test_both_ways_give_the_same_points(both: Both) -> None:
    plain, ours, theirs = both.results("plain"), both.results("results"), both.export()
    assert {student: result.points for student, result in plain.items()} == {
        student: result.points for student, result in ours.items()
    }
    graded = {student: result.points for student, result in plain.items() if result.points is not None}
    assert len(graded) == 10 and len(set(graded.values())) > 1
    assert {student: float(theirs[student]["score"]) for student in graded} == graded
    assert {row["max_score"] for row in theirs.values()} == {"11.0"}


def test_nbgraders_exchange_collects_a_students_own_notebook(both: Both) -> None:
    exchange, home = both.folder / "exchange", both.folder / "home"
    config = f"c = get_config()\nc.CourseDirectory.course_id = 'c'\nc.Exchange.root = {str(exchange)!r}\n"
    config += f"c.Exchange.cache = {str(both.folder / 'submitted-before')!r}\n"
    for folder in (exchange, home, both.folder / "other"):
        folder.mkdir()
        (folder / "nbgrader_config.py").write_text(config)
    exchange.chmod(0o777)
    both.assign("other")
    both.run("nbgrader", "generate_assignment", "week-1", "--force", within="other")
    both.run("nbgrader", "release_assignment", "week-1", within="other")
    shutil.copytree(both.folder / "other" / "release" / "ada" / "week-1", home / "week-1")
    both.run("nbgrader", "submit", "week-1", "--student=ada", within="home")
    both.run("nbgrader", "collect", "week-1", within="other")
    released, collected = (both.folder / "other" / step / "ada" / "week-1" for step in ("release", "submitted"))
    assert _read(collected) == _read(released)
    graded = both.shardwise(f"grade other --nbgrader other --lock {LOCK} --out exchanged")
    assert "nbgrader: 1 submission of week-1 in the gradebook of other." in graded
    both.run("nbgrader", "generate_feedback", "week-1", within="other")
    both.run("nbgrader", "release_feedback", "week-1", within="other")
    assert len(list((exchange / "c" / "feedback").glob("*.html"))) == 1


def test_nbgrader_writes_a_feedback_page_for_every_submission_with_our_comments(both: Both) -> None:
    both.run("nbgrader", "generate_feedback", "week-1", "--force", within="nb")
    pages = {page.parts[-3]: page.read_text("utf-8") for page in both.course.glob("feedback/*/week-1/week-1.html")}
    assert sorted(pages) == sorted({*CLASS} - {"ivo"})
    assert "(Score: 11.0 / 11.0)" in pages["ada"] and "Correct · 2 of 2 points" in pages["ada"]
    assert "Incorrect · 0 of 5 points" in pages["bo"]
    assert "Not graded." in pages["leo"]


def test_formgrader_shows_the_class(both: Both, submissions: Page, tmp_path: Path) -> None:
    row = {student: submissions.locator("tr", has=submissions.get_by_text(student, exact=True)) for student in CLASS}
    expect(row["ada"]).to_contain_text("graded")
    expect(row["ada"]).to_contain_text("11 / 11")
    for student in ("dan", "leo"):
        expect(row[student]).to_contain_text("needs manual grading")
    expect(row["ivo"]).to_have_count(0)
    expect(submissions.get_by_text("needs autograding")).to_have_count(0)
    submissions.screenshot(path=both.folder / "class.png")
    _open(submissions, "Berg, Leo")
    expect(submissions.get_by_text("Not graded. This is not a notebook")).to_be_visible()


def _open(page: Page, name: str) -> None:
    page.get_by_role("link", name=name).click()
    page.get_by_role("link", name="week-1", exact=True).last.click()
    expect(page.get_by_text("Student's answer").first).to_be_visible()


def test_a_score_and_a_comment_typed_into_formgrader_survive_the_next_run(both: Both, submissions: Page) -> None:
    _open(submissions, "Berg, Bo")
    score, comment = submissions.locator("input.score").first, submissions.locator("textarea.comment").first
    expect(score).to_have_attribute("placeholder", "0")  # our score, until a person gives one
    expect(comment).to_have_attribute("placeholder", re.compile("✗ Incorrect · 0 of 2 points"))
    for field, text in ((score, "1.5"), (comment, "The method is right.")):
        with submissions.expect_response(lambda answer: answer.request.method == "PUT"):
            field.fill(text)
            field.press("Tab")
    submissions.screenshot(path=both.folder / "submission.png", full_page=True)
    assert "1 with scores or comments set there, which were kept" in both.grade()
    submissions.reload()
    expect(score).to_have_value("1.5")
    expect(comment).to_have_value("The method is right.")
    ours = both.results("results")["bo"].points
    assert ours is not None and float(both.export()["bo"]["score"]) == pytest.approx(ours + 1.5)
    both.run("nbgrader", "generate_feedback", "week-1", "--force", within="nb")
    assert "The method is right." in (both.course / "feedback" / "bo" / "week-1" / "week-1.html").read_text("utf-8")
