"""The page about running a course works as it is written, in all three ways, and gives the same points in each."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from course_page import CoursePage
from exchange.test_ci_jobs import GitHub
from shardwise.grading.results import read_results


def points(folder: Path) -> dict[str, float | None]:
    return {result.student: result.points for result in read_results(folder)}


def test_the_page_takes_a_small_class_from_a_folder_to_feedback(tmp_path: Path) -> None:
    page = CoursePage(tmp_path, 6)
    page.run(until="## With nbgrader")
    assert "6 notebooks" in page.said["shardwise assign week-1"]
    assert "5 graded, 0 could not be graded, 1 missing" in page.said["shardwise grade week-1"]
    assert points(page.course / "results" / "week-1")["s01"] == 13
    assert "No points change" in page.said["shardwise regrade week-1 --never-down --yes"]
    assert "5 feedback pages" in page.said["shardwise feedback-zip week-1"]


@pytest.mark.slow
def test_a_class_of_30_gets_the_same_points_plainly_with_nbgrader_and_on_github(tmp_path: Path) -> None:
    page = CoursePage(tmp_path, 30)
    page.run()
    plain = points(page.course / "results" / "week-1")
    assert (len(plain), plain["s30"]) == (30, None)
    with (page.course / "nb" / "grades.csv").open(encoding="utf-8", newline="") as table:
        nbgrader = {row["student_id"]: float(row["score"]) for row in csv.DictReader(table)}
    assert nbgrader == pytest.approx({name: earned or 0 for name, earned in plain.items()})
    repository = GitHub(tmp_path / "job")
    repository.git("clone", "-q", page.course.as_uri(), str(repository.checkout), cwd=tmp_path)
    key = (page.course / "course.key").read_text("utf-8").strip()
    lock = "assigned/week-1/week-1.lock.jsonl"
    assert repository.grade({"notebooks": "submitted/week-1", "lock": lock, "key": key, "received": "git"}) == 0
    assert points(repository.results) == plain
    assert len(re.findall(r"^\|", repository.summary, re.MULTILINE)) >= 29
