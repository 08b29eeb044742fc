"""Grading end to end: real sets, real notebooks, the real sandbox."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from junitparser import JUnitXml
from typer.testing import CliRunner

from classroom import CLASS, Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.simulated_class import ATTACKS, add_cell, blank, fill, mistaken, right, unreadable
from shardwise.course.collecting.submissions import StudentCell, Submission, parse_notebook
from shardwise.grading import reports
from shardwise.grading.submission import grade_one
from shardwise.kinds import kind_of, variable_of
from shardwise.question import Outcome
from shardwise.sandbox import Cell, CellResult, JobResult, Step, ValueResult

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    return Classroom(tmp_path, whole_bank)


def test_right_mistaken_unreadable_blank_and_missing(room: Classroom) -> None:
    for student, write in zip(CLASS, (right, mistaken, unreadable, blank), strict=False):
        room.hand_in(student, write)
    results = room.grade(workers=2)
    total = results["ada"].max_points
    assert results["ada"].points == total
    assert {said.outcome for said in results["ada"].feedback} == {Outcome.CORRECT}
    assert results["bo"].points is not None
    assert results["bo"].points < total / 2
    assert sum(said.mistake is not None for said in results["bo"].feedback) >= 12
    assert {said.outcome for said in results["cleo"].feedback} == {Outcome.UNREADABLE}
    assert {said.outcome for said in results["dan"].feedback} == {Outcome.BLANK}
    assert results["eve"].status == "missing"
    assert results["eve"].points is None


def test_a_hostile_cell_loses_only_its_own_marks_and_changes_nobody_elses(room: Classroom) -> None:
    room.hand_in("ada", right)
    alone = room.grade()["ada"]
    for student, attack in zip(CLASS[1:], ATTACKS.values(), strict=False):
        room.hand_in(student, right, attack)
    results = room.grade(workers=2)
    total = results["ada"].max_points
    assert len(results["ada"].feedback) == 20
    for student in ("ada", *CLASS[1 : 1 + len(ATTACKS)]):
        assert results[student].points == total, (student, results[student])
    assert results["ada"].feedback == alone.feedback
    notes = {attack: results[student].notes for student, attack in zip(CLASS[1:], ATTACKS, strict=False)}
    assert "stopped" in notes["reads the reference"][0]
    assert "stopped" in notes["ends its process"][0]
    assert "ran too long" in notes["loops for ever"][0]
    assert "stopped" in notes["opens a socket"][0]
    assert notes["prints 200 MB"] == ()  # it is cut, and costs nothing


@pytest.mark.parametrize(
    "attack", ["ends its process", pytest.param("loops for ever", marks=pytest.mark.slow), "allocates 6 GB"]
)
def test_an_answer_cell_that_attacks_loses_only_that_answer(room: Classroom, attack: str) -> None:
    questions = room.lock.questions("ada")

    def write(question: object) -> str | None:
        return ATTACKS[attack] if question == questions[4] else right(question)  # type: ignore[arg-type]

    room.put("ada", fill(room.notebook("ada"), questions, write))
    result = room.grade()["ada"]
    assert result.points == result.max_points - questions[4].points
    assert result.feedback[4].outcome == Outcome.UNREADABLE
    assert "The cell with your answer stopped" in result.feedback[4].say


def test_broken_foreign_huge_and_edited_notebooks_get_a_clear_line_and_stop_nothing(room: Classroom) -> None:
    room.hand_in("ada", right)
    room.put("b1", "{ not json", "b1")
    room.put("b2", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "b2")
    room.put("b3", "", "b3")
    room.put("b4", "[" * 100_000, "b4")
    room.put("b5", " " * 21_000_000, "b5")
    stranger = room.notebook("bo")
    stranger["metadata"]["shardwise"]["student"] = "mallory"  # type: ignore[index]
    room.put("b6", stranger, "b6")
    room.put("b7", room.notebook("cleo"), "dan")
    forms = {"cells": [], "metadata": {"shardwise": {"forms": "02-zero"}}, "nbformat": 4, "nbformat_minor": 5}
    room.put("b9", forms, "b9")
    link = room.handed_in / "b8" / "week-1.ipynb"
    link.parent.mkdir()
    link.symlink_to("/etc/passwd")
    by_folder = {Path(result.path).parent.name: result for result in room.batch().results() if result.path}
    assert by_folder["ada"].points == by_folder["ada"].max_points
    said = {
        "b1": "This is not a notebook", "b2": "does not come from shardwise", "b3": "This file is empty",
        "b4": "nesting is too deep", "b5": "has 21 MB", "b6": "'mallory', who is not in week-1.lock.jsonl",
        "dan": "cleo's notebook, but it is in dan's folder", "b8": "a link",
        "b9": "Use `shardwise render --typed` to write notebooks with answer cells.",
    }  # fmt: skip
    for folder, words in said.items():
        assert by_folder[folder].status == "ungraded"
        assert words in by_folder[folder].reason, by_folder[folder].reason
        assert by_folder[folder].points is None
    assert (by_folder["dan"].name, by_folder["dan"].max_points) == ("Dan", by_folder["ada"].max_points)
    assert (by_folder["b1"].name, by_folder["b1"].max_points) == ("", 0)


def test_locked_cells_come_from_the_original_and_deleted_ones_are_blank(room: Classroom) -> None:
    questions = room.lock.questions("ada")
    notebook = fill(room.notebook("ada"), questions, right)
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    for cell in cells:
        role = cell["metadata"]["shardwise"]["role"]  # type: ignore[index]
        if role in ("question", "check", "setup"):
            cell["source"] = "raise SystemExit('edited')"
    gone = questions[2].cell
    notebook["cells"] = [cell for cell in reversed(cells) if cell["metadata"]["shardwise"].get("question") != gone]  # type: ignore[index, attr-defined]
    room.put("ada", notebook)
    result = room.grade()["ada"]
    assert result.points == result.max_points - questions[2].points
    assert "missing" in result.feedback[2].say


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cell_type": "markdown"}, "is not a code cell, so it was not run"),
        ({"source": 5}, "contains no text, so it was not run"),
        ({"source": "#" * 200_001}, "has 200,001 characters, so it was not run"),
        ({"source": ""}, ""),
    ],
)
def test_an_answer_cell_that_is_not_run_is_not_called_missing(
    room: Classroom, change: dict[str, object], said: str
) -> None:
    notebook = fill(room.notebook("ada"), room.lock.questions("ada"), right)
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    [cell] = [cell for cell in cells if cell["metadata"]["shardwise"] == {"role": "answer", "question": "q1"}]  # type: ignore[index]
    cell.update(change)
    room.put("ada", notebook)
    result = room.grade()["ada"]
    assert result.feedback[0].outcome == ("unreadable" if said else "blank")
    assert said in result.feedback[0].say
    assert "gone" not in result.feedback[0].say
    assert len(result.notes) == bool(said)


def test_a_cell_that_also_calls_check_still_runs(room: Classroom) -> None:
    room.put(
        "ada",
        add_cell(fill(room.notebook("ada"), room.lock.questions("ada"), right), "print(check('ring-time').score())"),
    )
    result = room.grade()["ada"]
    assert result.notes == ()
    assert result.points == result.max_points


def test_unreadable_answers_are_listed_for_the_instructor_and_explained_on_the_page(
    room: Classroom,
) -> None:
    room.hand_in("ada", right)
    room.hand_in("bo", unreadable)
    batch = room.batch()
    reports.write_tables(batch)
    with (batch.out / "unreadable.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    assert {row["student"] for row in rows} == {"bo"}
    assert [row["question"] for row in rows] == [
        answer.slug for result in batch.results() if result.student == "bo" for answer in result.answers
    ]
    assert all(row["written"] and row["why"] for row in rows)
    assert not any(value.startswith(("=", "+")) for row in rows for value in row.values())
    page = (batch.out / "feedback" / "week-1" / "bo.html").read_text("utf-8")
    assert "It earns nothing for now. Your instructor gets a list" in page
    assert "attempt" not in page


def test_reports_describe_what_happened_and_no_cell_is_a_formula(room: Classroom) -> None:
    room.hand_in("ada", right)
    room.hand_in("bo", mistaken, "raise ValueError('<script>alert(1)</script> =1+1')")
    room.put("x", "{", "=cmd")
    room.put("dan", "{")
    batch = room.batch()
    found = {result.student: result for result in batch.results()}
    reports.write_tables(batch)
    out = batch.out
    with (out / "grades.csv").open(encoding="utf-8", newline="") as table:
        rows = {row["student"]: row for row in csv.DictReader(table)}
    assert rows["ada"]["points"] == rows["ada"]["max_points"] != ""
    assert rows["cleo"]["points"] == ""
    assert rows["cleo"]["status"] == "missing"
    assert (rows["dan"]["status"], rows["dan"]["name"]) == ("ungraded", "Dan")
    assert rows["dan"]["max_points"] == rows["ada"]["max_points"]
    assert rows[""]["max_points"] == ""  # its owner is unknown
    assert all(not value.startswith("=") for row in rows.values() for value in row.values())
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert {line["student"]: line["points"] for line in lines}["ada"] == found["ada"].max_points
    assert all("key" not in question for line in lines for question in line["questions"])
    page = (out / "feedback" / "week-1" / "bo.html").read_text("utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    reports.write_junit(found.values(), out / "junit.xml")
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(out / "junit.xml"))}
    assert suites["week-1.ada"].failures == suites["week-1.ada"].errors == 0
    assert suites["week-1.bo"].failures > 10
    said = (out / "junit.xml").read_text("utf-8") + json.dumps(reports.gradescope(found["bo"]), ensure_ascii=False)
    assert "✗ Incorrect" in said and "Not yet" not in said  # as on the page
    assert suites["week-1.cleo"].errors == 1
    scope = reports.gradescope(found["ada"])
    assert sum(test["score"] for test in scope["tests"]) == found["ada"].points
    assert all(test["status"] in ("passed", "failed") for test in scope["tests"])


def answer_some(room: Classroom, sources: Mapping[str, str]) -> None:
    """Submit ada's notebook with answers to these questions; the others stay unchanged."""
    room.put("ada", fill(room.notebook("ada"), room.lock.questions("ada"), lambda question: sources.get(question.slug)))


def test_an_answer_whose_cell_stops_before_it_is_set_is_listed_with_what_was_written(room: Classroom) -> None:
    stopped = {
        "bytes-per-gpu": "bytes_per_gpu = 4.84375 * G",
        "link-gap": "link_gap = 12 times",
        "ring-or-tree": "ring_or_tree = a",
        "ring-time-bug": "hunt = ring_time_bug = {'line': ..., 'input': ..., 'fix': ...}\nhunt['line'] = third",
    }
    blank = {"ring-time": "", "tree-steps": "\n", "crossover-size": "crossover_size = ...\n"}
    set_before = {"gpus-behind-one-link": "gpus_behind_one_link = 'a lot'\nprint(G)"}
    answer_some(room, {**stopped, **blank, **set_before})
    batch = room.batch()
    reports.write_tables(batch)
    with (batch.out / "unreadable.csv").open(encoding="utf-8", newline="") as table:
        rows = {row["question"]: row for row in csv.DictReader(table)}
    assert {name: row["written"] for name, row in rows.items() if name in stopped} == {
        name: source.replace("\n", " ") for name, source in stopped.items()
    }
    assert rows.keys() == {*stopped, *set_before}
    assert (
        rows["ring-or-tree"]["why"] == "The cell with your answer stopped: NameError: name 'a' is not defined (line 1)"
    )
    assert rows["link-gap"]["why"].startswith("The cell with your answer stopped: SyntaxError: invalid syntax")
    assert rows["gpus-behind-one-link"]["written"] == "a lot"  # the variable was set, and its value is read
    [ada] = [result for result in batch.results() if result.student == "ada"]
    [said] = [one for one in ada.feedback if one.question.endswith("/ring-or-tree")]
    assert (said.outcome, said.points) == (Outcome.UNREADABLE, 0)
    assert said.say == (
        "The cell with your answer stopped: `NameError: name 'a' is not defined (line 1)`\n\nSo “`ring_or_tree`” has no value.\n\n"
        "It earns nothing for now. Your instructor gets a list of answers that could not be read."
    )


def test_an_answer_under_another_name_is_unreadable_and_the_feedback_names_the_right_one(room: Classroom) -> None:
    other = {
        "bytes-per-gpu": "bytes_per_gpus = '3 GB'",
        "ring-or-tree": "%matplotlib inline\nmine = [x for x in 'a']\nring_or_tree_ = mine[0]",
        "ring-time-function": "def ring_ms(n):\n    steps = 2 * (n - 1)\n    return steps",
    }
    answer_some(room, {**other, "ring-time": "print(3)", "tree-steps": "del tree_steps"})
    said = {one.question.partition("/")[2]: one for one in room.grade()["ada"].feedback}
    assert {said[name].outcome for name in other} == {Outcome.UNREADABLE}
    assert [said[name].written for name in other] == [*other.values()]
    assert said["bytes-per-gpu"].say == (
        "This cell sets “`bytes_per_gpus`”, but after your cells had run there was no “`bytes_per_gpu`”.\n\n"
        "It earns nothing for now. Your instructor gets a list of answers that could not be read."
    )
    assert said["ring-or-tree"].say.startswith("This cell sets “`ring_or_tree_`”, but after")
    assert said["ring-time-function"].say.startswith(
        "This cell sets “`ring_ms`”, but after your cells had run there was no “`ring_all_reduce_ms`”."
    )
    assert said["ring-time"].say.startswith("After your cells had run, “`ring_time`” had no value. Write your")
    assert (said["ring-time"].outcome, said["ring-time"].written) == (Outcome.UNREADABLE, "print(3)")
    assert said["crossover-size"].outcome == Outcome.BLANK


def test_an_answer_that_was_only_written_down_is_listed_with_what_was_written(room: Classroom) -> None:
    written = {
        "bytes-per-gpu": "bytes_per_gpu = ...\n'3 GB'",
        "ring-time": "ring_time = ...  # 4 ms?",
        "ring-or-tree": "a",
        "link-gap": "%%timeit\nlink_gap = '12 ms'",
        "tree-steps": "tree_steps: '6'",
        "order-by-time": "order_by_time = !echo c b d a",
    }
    answer_some(room, {**written, "crossover-size": "crossover_size = ..."})
    said = {one.question.partition("/")[2]: one for one in room.grade()["ada"].feedback}
    assert {name: said[name].written for name in written} == written
    assert {said[name].outcome for name in written} == {Outcome.UNREADABLE}
    assert said["crossover-size"].outcome == Outcome.BLANK


def test_an_answer_in_a_text_cell_is_listed_and_an_untouched_one_is_not(room: Classroom) -> None:
    notebook = room.notebook("ada")
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    answers = [cell for cell in cells if cell["metadata"]["shardwise"]["role"] == "answer"]  # type: ignore[index]
    for cell in answers:
        cell["cell_type"] = "markdown"
    answers[0]["source"] = "My answer is **3 GB**"
    room.put("ada", notebook)
    first_, *others = room.grade()["ada"].feedback
    assert (first_.outcome, first_.written) == (Outcome.UNREADABLE, "My answer is **3 GB**")
    assert {one.outcome for one in others} == {Outcome.BLANK}


def test_an_answer_that_was_only_given_to_check_is_listed(room: Classroom) -> None:
    notebook = room.notebook("ada")
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    check = next(cell for cell in cells if cell["metadata"]["shardwise"]["role"] == "check")  # type: ignore[index]
    check["source"] = str(check["source"]).replace(", of=", ", '3 GB', of=")
    room.put("ada", notebook)
    first_, *others = room.grade()["ada"].feedback
    assert (first_.outcome, "'3 GB'" in first_.written) == (Outcome.UNREADABLE, True)
    assert {one.outcome for one in others} == {Outcome.BLANK}


@pytest.mark.parametrize(
    "more",
    [
        "{}\nhint()",
        "%%time\n{}",
        "{}\nhelp me",
        "# none\n{}",
    ],
)
def test_other_code_in_check_cells_is_not_an_answer(room: Classroom, more: str) -> None:
    notebook = room.notebook("ada")
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    for cell in cells:
        if cell["metadata"]["shardwise"]["role"] == "check":  # type: ignore[index]
            cell["source"] = more.format(cell["source"])
    room.put("ada", notebook)
    assert {one.outcome for one in room.grade()["ada"].feedback} == {Outcome.BLANK}


@pytest.mark.parametrize(
    "filling",
    [" ", "\n", "check(", "check", "from shardwise import check\n", "(", ")", "a:;", "a,", "; ", "check('", "def "],
)
def test_a_check_cell_of_any_length_is_read_at_once(room: Classroom, filling: str) -> None:
    """The pattern is matched in our own process."""
    notebook = room.notebook("ada")
    cells: list[dict[str, object]] = notebook["cells"]  # type: ignore[assignment]
    check = next(cell for cell in cells if cell["metadata"]["shardwise"]["role"] == "check")  # type: ignore[index]
    check["source"] = f"x{filling * 100_000}x"
    began = time.process_time()
    parse_notebook(json.dumps(notebook).encode(), "ada")
    check["source"] = f"{filling * 100_000}x"
    parse_notebook(json.dumps(notebook).encode(), "ada")
    assert time.process_time() - began < 1


class NoTime:
    """A sandbox without time for any cell."""

    def run(self, steps: Sequence[Step]) -> JobResult:
        values = {step.key: ValueResult("missing") for step in steps}
        return JobResult({**values, **{step.key: CellResult("skipped") for step in steps if isinstance(step, Cell)}})


def test_a_cell_that_was_not_run_is_unreadable_if_edited_and_otherwise_blank(room: Classroom) -> None:
    asked = [question for question in room.lock.questions("ada") if question.kind == "quantity"]
    handed_out = [kind_of(question).cells(question.form, variable_of(question)) for question in asked]
    sources = [f"{variable_of(asked[0])} = 3", *(f"\n{source}  " for source in handed_out[1:])]
    cells = [StudentCell(one.cell, source, one.cell) for one, source in zip(asked, sources, strict=True)]
    handed_in = Submission("week-1", None, "0", "ada", tuple(cells), ())
    feedback, _ = grade_one(handed_in, asked, NoTime())  # type: ignore[arg-type]
    assert [said.outcome for said in feedback] == [Outcome.UNREADABLE, *[Outcome.BLANK] * (len(asked) - 1)]
    assert "it was not run because the notebook had used up its time" in feedback[0].say
    assert feedback[0].written == sources[0]


def test_without_a_sandbox_there_is_a_clear_warning(room: Classroom) -> None:
    room.hand_in("ada", right)
    done = CliRunner().invoke(app, room.command("grade", "--unsafe-no-sandbox"))
    assert done.exit_code == 0, done.output
    assert "NO SANDBOX: the notebooks' code runs with your permissions" in done.stderr
    assert "sandbox: none" in done.stdout


def test_the_exit_code_shows_whether_everything_was_graded(room: Classroom) -> None:
    room.hand_in("ada", right)
    assert CliRunner().invoke(app, room.command("grade")).exit_code == 0
    room.put("bo", "{")
    done = CliRunner().invoke(app, room.command("grade"))
    assert done.exit_code == 1
    assert "This is not a notebook" in done.stdout
