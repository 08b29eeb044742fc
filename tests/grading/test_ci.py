"""CI and Gradescope: exit codes, report formats, and the workflow in the docs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from junitparser import JUnitXml
from typer.main import get_command
from typer.testing import CliRunner, Result

from checkout import checkout_bank
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.ci import threshold
from shardwise.cli.main import app
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import blank, fill, mistaken, right
from shardwise.grading.results import Result as Graded
from shardwise.kinds import kind_of

CLASS = ("ada", "bo", "cleo", *(f"s{number}" for number in range(30)))
FEW = ("bytes-per-gpu", "ring-or-tree")

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    return Classroom(tmp_path / "course", whole_bank, CLASS, FEW)


def grade(room: Classroom, *more: object) -> Result:
    return CliRunner().invoke(app, room.command("grade", *more))


# --fail-under -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("least", "code"), [("2", 0), ("2.5", 1), ("50%", 0), ("51%", 1), ("0", 0), ("100%", 1), (" 50 % ", 0)]
)
def test_a_notebook_below_the_threshold_fails_the_job(room: Classroom, least: str, code: int) -> None:
    questions = room.lock.questions("ada")
    room.put(
        "ada", fill(room.notebook("ada"), questions, lambda asked: right(asked) if asked == questions[0] else None)
    )
    done = grade(room, "--fail-under", least)
    assert done.exit_code == code, done.output
    assert (f"ada has 2 of 4 points, below --fail-under {least.strip()}" in done.stderr) == bool(code)


@pytest.mark.parametrize(("expected", "code"), [("week-1", 0), ("16-capstone", 1)])
def test_a_notebook_of_another_set_than_expected_fails_the_job(room: Classroom, expected: str, code: int) -> None:
    path = room.hand_in("ada", right)
    done = grade(room, "--fail-under", "60%", "--expect", expected)
    assert done.exit_code == code, done.output
    assert (f"{path} belongs to week-1, but --expect names {expected}" in done.stderr) == bool(code)


def test_only_submitted_notebooks_are_held_to_the_threshold(room: Classroom) -> None:
    for student, write in (("ada", right), ("bo", mistaken), ("cleo", blank)):
        room.hand_in(student, write)
    done = grade(room, "--fail-under", "1")
    assert re.findall(r"^(\w+) has ", done.stderr, re.MULTILINE) == ["bo", "cleo"]


def test_rounding_never_fails_a_job() -> None:
    least = threshold("10%")
    assert [least.passed_by(Graded("ada", points=points, max_points=3)) for points in (0.3, 0.29)] == [True, False]


@pytest.mark.parametrize("least", ["all", "-3", "101%", "60 points", ""])
def test_an_invalid_threshold_is_refused_before_anything_is_graded(room: Classroom, least: str) -> None:
    room.hand_in("ada", right)
    done = grade(room, f"--fail-under={least}")
    assert "--fail-under takes points or a percentage, such as 20 or 60%" in str(done.exception)
    assert not (room.out / "results").exists()


# JUnit and Gradescope -----------------------------------------------------------------------------------------------


def test_junit_contains_only_submitted_notebooks(room: Classroom) -> None:
    room.hand_in("ada", right)
    room.put("bo", "{")
    grade(room, "--junit", room.out / "junit.xml")
    assert (room.out / "junit.xml").stat().st_mode & 0o777 == 0o600  # the same mode as all files with grades
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(room.out / "junit.xml"))}
    assert set(suites) == {"week-1.ada", "week-1.bo"}
    assert (suites["week-1.ada"].errors, suites["week-1.bo"].errors) == (0, 1)


@pytest.mark.parametrize("report", ["junit.xml", "summary.md", "results.json"])
def test_no_report_of_a_job_names_a_classmate(tmp_path: Path, whole_bank: Bank, report: str) -> None:
    room = Classroom(tmp_path / "course", whole_bank, ("ada", "bo", "cleo"), FEW)
    roster = [Student("ada", "Ada Berg"), Student("bo", "Bo Holm"), Student("cleo", "Bo Holm")]
    room.lock = Lock(assign(whole_bank, SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": FEW}), roster, room.lock.key, room.out).lock)  # fmt: skip
    option = {"junit.xml": "--junit", "summary.md": "--summary", "results.json": "--gradescope"}[report]
    said = []
    for folder, whose in (("ada", "bo"), ("Bo Holm", "ada"), ("ada", "ada")):
        shutil.rmtree(room.handed_in, ignore_errors=True)
        room.put(whose, fill(room.notebook(whose), room.lock.questions(whose), mistaken), folder)
        CliRunner().invoke(app, room.command("grade", option, room.out / report, "--yes"))
        said.append((room.out / report).read_text("utf-8").replace(str(room.handed_in / folder), ""))
    assert [name for name in ("bo", "Bo Holm", "cleo") if re.search(rf"\b{name}\b", said[0])] == []
    assert [name for name in ("ada", "Ada Berg", "bo", "cleo") if re.search(rf"\b{name}\b", said[1])] == []
    assert [name for name in ("bo", "Bo Holm", "cleo") if re.search(rf"\b{name}\b", said[2])] == []


def test_the_summary_of_one_notebook_names_each_mistake(room: Classroom) -> None:
    questions = room.lock.questions("ada")
    filled = fill(room.notebook("ada"), questions, lambda asked: right(asked) if asked == questions[0] else mistaken(asked))  # fmt: skip
    room.put("ada", filled)
    grade(room, "--summary", room.out / "summary.md")
    head, *_, remark = [line for line in (room.out / "summary.md").read_text("utf-8").splitlines() if line]
    assert head == "## week-1: 2 of 4 points"
    text = (room.out / "summary.md").read_text("utf-8")
    assert f"| {questions[0].title} | ✓ Correct | 2 of 2 |" in text
    assert f"### {questions[1].title}" in text and f"### {questions[0].title}" not in text
    assert remark in kind_of(questions[1]).mistakes(questions[1])


def test_the_summary_of_a_class_has_a_row_for_each_notebook(room: Classroom) -> None:
    room.hand_in("ada", right)
    room.hand_in("bo", mistaken)
    room.put("cleo", "{|<b>")
    grade(room, "--summary", room.out / "summary.md")
    text = (room.out / "summary.md").read_text("utf-8")
    assert text.startswith("## 2 of 3 notebooks graded\n")
    assert "| ada | week-1 | 4 of 4 points |  |" in text
    assert "| bo | week-1 | 0 of 4 points | bytes-per-gpu, ring-or-tree |" in text
    assert "| cleo | week-1 | ungraded | This is not a notebook, because it is not valid JSON" in text
    assert "s1" not in text


# Attributes and children by element, of Jenkins' schema: junit-10.xsd in pytest-dev/pytest, testing/example_scripts. A
# leading ! means required. (It calls an error `errors`; Jenkins and pytest write and read `error`.)
SCHEMA = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"!name", "!tests", "!failures", "!errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package", "file"},
                  {"testsuite", "properties", "testcase", "system-out", "system-err"}),
    "testcase": ({"!name", "time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "error": ({"type", "message"}, set()),
    "failure": ({"type", "message"}, set()),
}  # fmt: skip
TIME = r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?"


def test_junit_is_valid_by_the_schema_of_jenkins(room: Classroom) -> None:
    room.hand_in("ada", right)
    room.hand_in("cleo", mistaken)
    room.put("bo", "{")
    grade(room, "--junit", room.out / "junit.xml")
    seen = set()
    for element in ElementTree.parse(room.out / "junit.xml").iter():
        attributes, children = SCHEMA[element.tag]
        assert {*element.attrib} <= {name.lstrip("!") for name in attributes}, element.tag
        assert {name[1:] for name in attributes if name.startswith("!")} <= {*element.attrib}, element.tag
        assert {child.tag for child in element} <= children, element.tag
        assert element.tag == "testcase" or re.fullmatch(TIME, element.get("time", "")), element.attrib
        seen.add(element.tag)
    assert seen == {*SCHEMA}


def run_by_gradescope(room: Classroom, *more: object, users: object = ()) -> tuple[Result, dict[str, Any]]:
    """Grade like Gradescope's autograder: a submission in its folder, and metadata next to it."""
    about = {"created_at": "2026-06-01T10:00:00.000-07:00", "users": users}
    (room.out / "submission_metadata.json").write_text(json.dumps(about))
    file = room.out / "autograder" / "results.json"
    done = grade(room, "--gradescope", file, *more)
    return done, json.loads(file.read_text())


def test_gradescope_gets_its_file_for_one_notebook(room: Classroom) -> None:
    room.hand_in("ada", right)
    done, found = run_by_gradescope(room, "--visibility", "after_published")
    assert done.exit_code == 0, done.output
    assert (found["score"], [test["score"] for test in found["tests"]]) == (4, [2, 2])
    assert {found["visibility"], *(test["visibility"] for test in found["tests"])} == {"after_published"}
    [line] = [line for line in (room.out / "results" / "results.jsonl").read_text().splitlines() if '"graded"' in line]
    assert (json.loads(line)["received"], json.loads(line)["received_by"]) == (
        "2026-06-01T10:00:00-07:00",
        "gradescope",
    )
    assert "--visibility must be one of visible, hidden" in str(grade(room, "--visibility", "secret").exception)


@pytest.mark.parametrize("count", [0, 2])
def test_gradescope_gets_a_score_and_a_reason_without_a_notebook_or_with_two(room: Classroom, count: int) -> None:
    room.handed_in.mkdir()
    for student in CLASS[:count]:
        room.hand_in(student, right)
    done, found = run_by_gradescope(room)
    here = "found none" if count == 0 else "found 2: week-1.ipynb, week-1.ipynb"
    assert found["output"].startswith(f"Not graded: Hand in one notebook (*.ipynb); {here}.")
    assert (found["score"], [(test["status"], test["score"]) for test in found["tests"]]) == (0, [("failed", 0)])
    assert "appears only because Gradescope requires a number" in found["tests"][0]["output"]
    assert ("--gradescope is for a single notebook, but there are 2" in done.stderr) == (count == 2)
    assert done.exit_code != 0


@pytest.mark.parametrize(
    ("users", "reason"),
    [
        ([{"name": "Ada", "email": "a@x.edu", "id": 7}], ""),
        ([{"name": "Somebody", "sid": "ada"}, {"name": "Bo"}], ""),  # a group
        ([{"name": "Bo", "email": "b@x.edu"}], "This notebook names another student, but you submitted it."),
        ([{"name": "Zoe Zorn"}], "“Zoe Zorn”, who submitted it, is not in week-1.lock.jsonl"),
        ("nobody", ""),
    ],
)
def test_gradescopes_uploader_must_match_the_notebook(room: Classroom, users: object, reason: str) -> None:
    roster = [Student(name, f"{name.title()} Berg" if name == "ada" else name.title()) for name in CLASS]
    room.lock = Lock(assign(checkout_bank(), SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": FEW}), roster, room.lock.key, room.out).lock)  # fmt: skip
    room.hand_in("ada", right)
    done, found = run_by_gradescope(room, users=users)
    assert bool(done.exit_code) == bool(reason), done.output
    assert reason in found["output"] if reason else found["score"] == 4


@pytest.mark.parametrize("option", ["junit", "summary", "gradescope"])
@pytest.mark.parametrize("name", ["course.key", "week-1.lock.jsonl", "results/grades.csv", "results/results.jsonl"])
def test_no_report_overwrites_a_file_that_is_not_a_report(room: Classroom, option: str, name: str) -> None:
    room.hand_in("ada", right)
    grade(room)
    before = (room.out / name).read_bytes()
    assert before
    done = grade(room, f"--{option}", room.out / name)
    assert f"--{option} needs a file name that ends in" in str(done.exception)
    assert (room.out / name).read_bytes() == before


# Tables -------------------------------------------------------------------------------------------------------------


def test_results_that_may_be_shared_contain_no_seed(room: Classroom) -> None:
    room.hand_in("ada", right)
    grade(room)
    text = (room.out / "results" / "results.jsonl").read_text("utf-8")
    assert all(question.seed not in text for question in room.lock.questions("ada"))


def test_an_unknown_tier_is_distinguished_from_one_that_does_not_work(room: Classroom) -> None:
    room.hand_in("ada", right)
    said = str(grade(room, "--tier", "5").exception)
    assert said == "The sandbox has no tier '5'. Choose 1, 1b, 2; `shardwise doctor` shows which of them work here."


def _must_be_understood(line: str) -> None:
    """Check that our commands have every option in it."""
    for name, arguments in re.findall(r"shardwise (\w+)([^&|;]*)", line):
        command = get_command(app).commands[name]  # type: ignore[attr-defined]
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"(?<!\S)--[\w-]+", arguments)) <= known, line
