"""Regrading: after a fix in a template, the changes are shown by cause before anything is written."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from checkout import ROOT
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import right
from shardwise.grading.batch import grade
from shardwise.grading.overrides.overrides_file import load_overrides
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.regrade import cause_of, regrade
from shardwise.grading.results import read_results
from shardwise.grading.worker import Settings
from shardwise.question import Question

PROBLEMS = ("bytes-per-gpu", "ring-time", "ring-or-tree")
CLASS = ("ada", "eve", "finn")  # ada has 1,000 GPUs, the others 12 and 16
SETTINGS = Settings()
WORDS = "How much data does"


def half_a_per_cent_off(question: Question) -> str | None:
    """Return an answer that is wrong if four digits count, and right with a tolerance of 1 %."""
    if question.slug != "bytes-per-gpu":
        return right(question)
    name, _, value = (right(question) or "").partition(" = ")
    number, unit = value.strip("'").split()
    return f"{name} = '{float(number) * 1.005:.6g} {unit}'"


pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    """A copy of the bank's first chapter, for tests to fix."""
    copy = tmp_path / "bank" / "problems"
    shutil.copytree(ROOT / "problems" / "01-ring-all-reduce", copy / "01-ring-all-reduce")
    shutil.copytree(ROOT / "solutions", copy.parent / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    """A class that was graded with the original bank. Tests fix the copy in `problems` and regrade with that."""
    made = Classroom(tmp_path / "course", whole_bank, CLASS, PROBLEMS)
    made.hand_in("ada", right)
    made.hand_in("eve", half_a_per_cent_off)
    made.hand_in("finn", half_a_per_cent_off)
    grade([made.handed_in], made.out / "results", settings=SETTINGS)
    return made


def edit(problems: Path, old: str, new: str) -> Bank:
    path = problems / "01-ring-all-reduce" / "bytes-per-gpu.yaml"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return Bank.open(problems.parent).read_all()


def points(room: Classroom) -> dict[str, float | None]:
    batch = grade([room.handed_in], room.out / "results", settings=SETTINGS)
    return {result.student: result.points for result in batch.results()}


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"
    }


def test_a_wider_tolerance_changes_the_right_students_and_explains_why(room: Classroom, problems: Path) -> None:
    before, digest = points(room), room.lock.questions("eve")[0].digest
    bank = edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    changes = list(again.changes())
    new = bank.find("bytes-per-gpu").digest
    assert [(change.student, change.before, change.after) for change in changes] == [
        ("eve", 0.0, 2.0),
        ("finn", 0.0, 2.0),
    ]
    assert {change.cause for change in changes} == {f"template 01-ring-all-reduce/bytes-per-gpu {digest} → {new}"}
    assert points(room) == before  # nothing counts before it is written
    again.write()
    assert points(room) == {**before, "eve": before["ada"], "finn": before["ada"]}
    assert Lock(room.lock.path).questions("eve")[0].digest == new
    [spare] = room.out.glob("*.old")
    assert Lock(spare).questions("eve")[0].digest == digest
    with Ledger(room.out / "results" / LEDGER) as ledger:
        assert [grading.result.points for grading in ledger.history("eve")] == [before["eve"], before["ada"]]


@pytest.mark.parametrize("decision", [{"at_least": 1}, {"note": "Well argued."}, {"bonus": True}])
def test_a_decision_that_takes_nothing_away_leaves_a_narrower_tolerance_the_cause_of_a_loss(
    room: Classroom, problems: Path, decision: dict[str, object]
) -> None:
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    command(room, problems, "--yes")
    edit(problems, "rel_tol: 0.01", "sig_figs: 4")
    entry = {"set": "week-1", "student": "eve", "question": "bytes-per-gpu", **decision, "why": "An appeal"}
    (room.out / "overrides.yaml").write_text(f"- {json.dumps(entry)}\n", "utf-8")
    before = {each.student: each.points for each in read_results(room.out / "results")}
    command(room, problems, "--never-down", "--yes")
    assert {each.student: each.points for each in read_results(room.out / "results")} == before
    entries = load_overrides(room.out / "overrides.yaml").entries
    assert {(each.student, each.at_least) for each in entries[1:]} == {(("eve", "finn"), 2.0)}


def test_declining_leaves_every_byte_unchanged(room: Classroom, problems: Path) -> None:
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    before = snapshot(room.out)
    done = command(room, problems, code=1)  # a script can distinguish this from written changes
    assert "2 answers would change" not in done.stdout  # there is nobody to ask
    assert "Nothing was written." in done.stdout
    assert snapshot(room.out) == before


def command(room: Classroom, problems: Path, *more: str, code: int = 0) -> Result:
    done = CliRunner().invoke(app, room.command("regrade", "--bank", problems.parent, *more))
    assert done.exit_code == code, done.output
    return done


def test_the_command_shows_causes_and_students_and_writes(room: Classroom, problems: Path) -> None:
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    done = command(room, problems, "--yes")
    assert "template 01-ring-all-reduce/bytes-per-gpu" in done.stdout
    assert "\neve " in done.stdout and "\nada " not in done.stdout
    assert "Earlier gradings stay on record" in done.stdout
    assert "No points change." in command(room, problems, "--yes").stdout
    shown = CliRunner().invoke(app, ["history", "--out", str(room.out / "results"), "--student", "eve"])
    assert shown.stdout.count(" eve ") == 2
    assert "graded for the first time" in shown.stdout
    lines = CliRunner().invoke(app, ["history", "--out", str(room.out / "results"), "--json"]).stdout.splitlines()
    assert [json.loads(line)["result"]["student"] for line in lines] == ["ada", "eve", "eve", "finn", "finn"]


def test_lost_and_late_grades_need_confirmation_even_if_no_points_change(
    room: Classroom, problems: Path, whole_bank: Bank
) -> None:
    definition = {"name": "week-1", "title": "Week 1", "problems": PROBLEMS, "due": "2026-12-01T12:00:00+00:00"}
    roster = [Student(name, name.title()) for name in CLASS]
    assign(whole_bank, SetDefinition.model_validate(definition), roster, room.lock.key, room.out)
    room.lock = Lock(room.lock.path)
    room.hand_in("eve", right)
    second = room.handed_in / "eve" / "again" / "week-1.ipynb"
    second.parent.mkdir()
    shutil.copy(room.handed_in / "eve" / "week-1.ipynb", second)
    room.hand_in("eve", half_a_per_cent_off)
    times = room.out / "times.csv"
    times.write_text("student,time\n" + "".join(f"{name},2026-12-0{1 + (name == 'ada')}T10:00:00Z\n" for name in CLASS))
    graded = [*room.command("grade"), "--latest", "--received", str(times), "--yes"]
    assert CliRunner().invoke(app, graded).exit_code == 0
    edit(problems, "title: ", "title: Again, ")
    (room.handed_in / "finn" / "week-1.ipynb").rename(room.out / "finn.ipynb")
    before = snapshot(room.out)
    told = " ".join(command(room, problems, code=1).stdout.split())
    assert "eve would be ungraded for week-1: 2 notebooks of eve" in told
    assert "finn would be missing for week-1: " in told
    assert "ada would be on time for week-1: this run uses another receipt time" in told
    assert "Nothing was written." in told
    assert snapshot(room.out) == before
    as_graded = "--latest", "--received", str(times)
    command(room, problems, *as_graded, "--yes")
    (room.out / "finn.ipynb").rename(room.handed_in / "finn" / "week-1.ipynb")
    told = " ".join(command(room, problems, *as_graded, code=1).stdout.split())
    assert "finn would be graded again for week-1: they had a grade before but have none now" in told
    command(room, problems, *as_graded, "--yes")
    assert "No points change." in command(room, problems, "--latest", "--received", str(times)).stdout


def test_an_abandoned_regrading_leaves_no_grading_behind(room: Classroom, problems: Path) -> None:
    """The effect of Ctrl-C at the prompt: the new gradings stay on the stage."""
    out = room.out / "results"
    regrade([room.handed_in], out, edit(problems, "sig_figs: 4", "rel_tol: 0.01"), settings=SETTINGS)
    again = regrade([room.handed_in], out, edit(problems, "rel_tol: 0.01", "sig_figs: 5"), settings=SETTINGS)
    assert list(again.changes()) == []
    again.write()
    with Ledger(out / LEDGER) as ledger:
        assert [grading.result.points for grading in ledger.history("eve")] == [4, 4]
    assert points(room)["eve"] == 4


INTERRUPTED = """
import os, signal, sys
from shardwise.__main__ import main
from shardwise.grading import reports

write_tables = reports.write_tables

def interrupted(batch):
    os.kill(os.getpid(), signal.SIGINT)
    {then}

reports.write_tables = interrupted
main()
"""


def test_an_interrupt_while_a_regrading_is_written_waits_until_all_of_it_is(room: Classroom, problems: Path) -> None:
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    words = room.command("regrade", "--bank", problems.parent, "--yes")
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(then="write_tables(batch)"), *words], capture_output=True, text=True
    )
    out = room.out / "results"
    assert (ran.returncode, ran.stderr.splitlines()[-1]) == (
        130,
        f"Stopped. The new grades were written to {out}.",
    )
    with (out / "grades.csv").open(encoding="utf-8", newline="") as table:
        assert len({row["points"] for row in csv.DictReader(table)}) == 1  # all are right now
    assert "No points change." in command(room, problems).stdout


def test_a_template_that_draws_other_numbers_keeps_the_assigned_question(room: Classroom, problems: Path) -> None:
    before = points(room)
    text = (problems / "01-ring-all-reduce" / "bytes-per-gpu.yaml").read_text("utf-8")
    line = next(line for line in text.splitlines() if line.strip().startswith("gpus:"))
    bank = edit(problems, line, line.split("{")[0] + "{choice: [3, 5, 7]}")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert list(again.changes()) == []
    [(reason, count)] = again.kept.items()
    assert count == 3
    assert reason == "01-ring-all-reduce/bytes-per-gpu now draws different numbers than in the assigned notebooks"
    again.write()
    assert points(room) == before


def test_a_prompt_with_another_text_keeps_the_assigned_question(room: Classroom, problems: Path) -> None:
    """An answer is marked by the question that its student was asked; white space does not change a question."""
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    bank = edit(problems, WORDS, WORDS.replace(" ", "\n  ", 1))
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert [change.student for change in again.changes()] == ["eve", "finn"]
    again.discard()
    bank = edit(problems, WORDS.replace(" ", "\n  ", 1), "How much less does")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert list(again.changes()) == []
    why = "01-ring-all-reduce/bytes-per-gpu now has a different text than in the assigned notebooks"
    assert again.kept[why] == 2  # with the wider tolerance, ada's numbers are rejected
    again.discard()


def test_files_written_without_changed_points_are_reported(room: Classroom, problems: Path) -> None:
    edit(problems, "title: ", "title: Again, ")
    said = " ".join(command(room, problems).stdout.split())
    assert "No points change. Wrote week-1.lock.jsonl, from the current templates" in said
    assert "; 3 feedback pages." in said
    assert "No points change. Nothing else changes either." in command(room, problems).stdout


def test_a_tolerance_that_accepts_a_mistake_is_reported_and_keeps_that_question(
    room: Classroom, problems: Path
) -> None:
    bank = edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert [change.student for change in again.changes()] == ["eve", "finn"]
    [(reason, count)] = again.kept.items()
    assert count == 1  # with 1,000 GPUs one mistake is within 1 % of the key
    assert (
        "rejects the numbers that were drawn (mistake 2 and the key are within their tolerances of each other)"
        in reason
    )


def test_a_fault_in_a_template_is_reported_as_one(room: Classroom, problems: Path) -> None:
    bank = edit(problems, "sig_figs: 4", "sig_fgs: 4")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert all("the current template has a fault (" in reason for reason in again.kept), again.kept


def test_a_resubmitted_notebook_is_distinguished_from_a_fixed_template(room: Classroom, problems: Path) -> None:
    room.hand_in("finn", right)
    bank = edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert {change.student: change.cause.split()[0] for change in again.changes()} == {
        "eve": "template",
        "finn": "handed",
    }


GONE = "eve: the notebook that counts is missing; put it back to grade it again"


@pytest.fixture
def once(room: Classroom, whole_bank: Bank) -> Path:
    """Return the path of eve's first notebook, in a class with one attempt; she submits again, right only with a wider tolerance."""
    definition = {"name": "week-1", "title": "Week 1", "problems": PROBLEMS, "attempts": 1}
    roster = [Student(name, name.title()) for name in CLASS]
    assign(whole_bank, SetDefinition.model_validate(definition), roster, room.lock.key, room.out)
    room.lock = Lock(room.lock.path)
    points(room)
    first = room.handed_in / "eve" / "week-1.ipynb"
    shutil.copy(first, room.out / "first.ipynb")
    room.hand_in("eve", right)
    points(room)
    return first


def test_extra_attempts_are_named_if_the_notebook_that_counts_is_gone(
    room: Classroom, problems: Path, once: Path
) -> None:
    before = points(room)
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    said = command(room, problems, "--yes").stdout
    assert f"3 questions keep their assigned version: {GONE}" in said
    assert "\nfinn " in said and "\neve " not in said
    assert points(room) == {**before, "finn": before["ada"]}
    shutil.copy(room.out / "first.ipynb", once)
    assert GONE not in command(room, problems, "--yes").stdout
    assert points(room) == {**before, "finn": before["ada"], "eve": before["ada"]}


def test_with_an_unchanged_template_an_extra_attempt_has_the_grade_on_record(
    room: Classroom, problems: Path, once: Path
) -> None:
    before = points(room)
    after = once.read_bytes()
    shutil.copy(room.out / "first.ipynb", once)
    edit(problems, "sig_figs: 4", "rel_tol: 0.01")
    command(room, problems, "--yes")
    once.write_bytes(after)
    assert points(room)["eve"] == before["ada"]
    edit(problems, "rel_tol: 0.01", "sig_figs: 4")
    said = command(room, problems, "--yes").stdout
    assert "\neve " in said and GONE not in said
    assert points(room) == before
    page = room.out / "results" / "feedback" / "week-1" / "eve.html"
    assert f"<strong>{before['eve']:g}</strong> of" in page.read_text("utf-8")
    assert "No points change." in command(room, problems, "--yes").stdout


def shown(room: Classroom, student: str) -> list[tuple[float | None, str]]:
    """Return the points in a student's history, with the reasons for changes."""
    with Ledger(room.out / "results" / LEDGER) as ledger:
        found = list(ledger.history(student))
    return [(now.result.points, cause_of(before, now)) for before, now in pairwise([None, *found]) if now]


def test_history_ends_with_the_current_grading_and_shows_changed_points(room: Classroom, whole_bank: Bank) -> None:
    about = {"name": "week-1", "title": "Week 1"}
    for first in (9, 2):
        problems = [{"id": PROBLEMS[0], "points": first}, *PROBLEMS[1:]]
        definition = SetDefinition.model_validate({**about, "problems": problems})
        assign(whole_bank, definition, [Student(name, name.title()) for name in CLASS], room.lock.key, room.out)
        last = points(room)["ada"]
    assert last is not None
    chapter = "01-ring-all-reduce"
    assert shown(room, "ada") == [
        (last, "graded for the first time"),
        (last + 7, f"points of the set: {chapter}/bytes-per-gpu 2 → 9"),
        (last, f"points of the set: {chapter}/bytes-per-gpu 9 → 2"),
    ]
    points(room)
    assert len(shown(room, "ada")) == 3  # nothing new counts


def test_pages_with_solutions_stay_pages_with_solutions(room: Classroom, problems: Path) -> None:
    grade([room.handed_in], room.out / "results", settings=Settings(solutions=True))
    command(room, problems, "--yes")
    assert "Worked solution" in (room.out / "results" / "feedback" / "week-1" / "ada.html").read_text("utf-8")


def test_without_results_the_error_says_what_to_do_first(room: Classroom) -> None:
    done = CliRunner().invoke(app, ["regrade", str(room.handed_in), "--out", str(room.out / "nowhere")])
    assert done.exit_code != 0
    assert "contains no results yet. Grade first:" in str(done.exception)


def test_the_key_of_another_course_is_refused(room: Classroom, problems: Path, tmp_path: Path) -> None:
    (tmp_path / "other.key").write_text("0" * 64)
    refused = command(room, problems, "--key", str(tmp_path / "other.key"), code=1)
    assert "signed with a different course key" in str(refused.exception)
