"""Grading again: a template is mended, and what would change is shown, by cause, before anything is written."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from checkout import ROOT
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.lockfile import Lock
from shardwise.course.simulated_class import right
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.ledger import LEDGER, Ledger
from shardwise.grading.regrade import regrade
from shardwise.grading.worker import Settings
from shardwise.question import Question

PROBLEMS = ("bytes-per-gpu", "ring-time", "ring-or-tree")
CLASS = ("ada", "eve", "finn")  # ada has 1,000 GPUs, the others 12 and 16
SETTINGS = Settings()


def half_a_per_cent_off(question: Question) -> str | None:
    """Wrong where four figures must be right, right by a tolerance of 1 %."""
    if question.slug != "bytes-per-gpu":
        return right(question)
    name, _, value = (right(question) or "").partition(" = ")
    number, unit = value.strip("'").split()
    return f"{name} = '{float(number) * 1.005:.6g} {unit}'"


pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    """A copy of the bank's first chapter, to be mended."""
    copy = tmp_path / "bank" / "problems"
    shutil.copytree(ROOT / "problems" / "01-ring-all-reduce", copy / "01-ring-all-reduce")
    shutil.copytree(ROOT / "solutions", copy.parent / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    """A class whose work was graded with the bank as it is. Tests mend the copy of it in `problems` and regrade with that."""
    made = Classroom(tmp_path / "course", whole_bank, CLASS, PROBLEMS)
    made.hand_in("ada", right)
    made.hand_in("eve", half_a_per_cent_off)
    made.hand_in("finn", half_a_per_cent_off)
    grade([made.handed_in], made.out / "results", settings=SETTINGS)
    return made


def mend(problems: Path, old: str, new: str) -> Bank:
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


def test_a_wider_tolerance_changes_whom_it_should_and_says_why(room: Classroom, problems: Path) -> None:
    before, digest = points(room), room.lock.questions("eve")[0].digest
    bank = mend(problems, "sig_figs: 4", "rel_tol: 0.01")
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


def test_what_is_declined_leaves_every_byte_as_it_was(room: Classroom, problems: Path) -> None:
    mend(problems, "sig_figs: 4", "rel_tol: 0.01")
    before = snapshot(room.out)
    done = command(room, problems)
    assert "2 answers would change" not in done.stdout  # nobody is there to be asked
    assert "Nothing was written." in done.stdout
    assert snapshot(room.out) == before


def command(room: Classroom, problems: Path, *more: str) -> Result:
    done = CliRunner().invoke(app, room.command("regrade", "--bank", problems.parent, *more))
    assert done.exit_code == 0, done.output
    return done


def test_the_command_shows_causes_and_students_and_writes(room: Classroom, problems: Path) -> None:
    mend(problems, "sig_figs: 4", "rel_tol: 0.01")
    done = command(room, problems, "--yes")
    assert "template 01-ring-all-reduce/bytes-per-gpu" in done.stdout
    assert " eve " in done.stdout and " ada " not in done.stdout
    assert "What counted before stays on record" in done.stdout
    assert "No points change." in command(room, problems, "--yes").stdout
    shown = CliRunner().invoke(app, ["history", "--out", str(room.out / "results"), "--student", "eve"])
    assert shown.stdout.count(" eve ") == 2
    assert "graded for the first time" in shown.stdout
    lines = CliRunner().invoke(app, ["history", "--out", str(room.out / "results"), "--json"]).stdout.splitlines()
    assert [json.loads(line)["result"]["student"] for line in lines] == ["ada", "eve", "eve", "finn", "finn"]


def test_a_template_that_draws_other_numbers_leaves_the_handed_out_question(room: Classroom, problems: Path) -> None:
    before = points(room)
    text = (problems / "01-ring-all-reduce" / "bytes-per-gpu.yaml").read_text("utf-8")
    line = next(line for line in text.splitlines() if line.strip().startswith("gpus:"))
    bank = mend(problems, line, line.split("{")[0] + "{choice: [3, 5, 7]}")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert list(again.changes()) == []
    [(reason, count)] = again.kept.items()
    assert count == 3
    assert reason == "01-ring-all-reduce/bytes-per-gpu now draws other numbers than the notebooks that were handed out"
    again.write()
    assert points(room) == before


def test_a_tolerance_that_swallows_a_mistake_is_reported_and_leaves_that_question(
    room: Classroom, problems: Path
) -> None:
    bank = mend(problems, "sig_figs: 4", "rel_tol: 0.01")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert [change.student for change in again.changes()] == ["eve", "finn"]
    [(reason, count)] = again.kept.items()
    assert count == 1  # with 1,000 GPUs one mistake is within 1 % of the key
    assert "does not take the numbers that were drawn (mistake 2 and the key lie within their tolerances)" in reason


def test_a_reference_whose_error_cannot_even_be_printed_leaves_the_handed_out_question(
    room: Classroom, problems: Path
) -> None:
    before = points(room)
    text = "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\n\n\ndef f(*, gpus, message_bytes):\n    raise Odd\n"
    (problems.parent / "solutions" / "odd.py").write_text(text)
    bank = mend(problems, "reference: ring.bytes_sent_per_gpu", "reference: odd.f")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert list(again.changes()) == []
    [reason] = again.kept
    assert reason.endswith("today's template does not take the numbers that were drawn (Odd)")
    again.discard()
    assert points(room) == before


def test_a_notebook_handed_in_again_is_told_from_a_mended_template(room: Classroom, problems: Path) -> None:
    room.hand_in("finn", right)
    bank = mend(problems, "sig_figs: 4", "rel_tol: 0.01")
    again = regrade([room.handed_in], room.out / "results", bank, settings=SETTINGS)
    assert {change.student: change.cause.split()[0] for change in again.changes()} == {
        "eve": "template",
        "finn": "handed",
    }


def test_pages_with_solutions_stay_pages_with_solutions(room: Classroom, problems: Path) -> None:
    grade([room.handed_in], room.out / "results", settings=Settings(solutions=True))
    command(room, problems, "--yes")
    assert "The worked solution" in (room.out / "results" / "feedback" / "week-1" / "ada.html").read_text("utf-8")


def test_what_our_side_cannot_grade_again_is_said_and_loses_no_grade(room: Classroom, problems: Path) -> None:
    mend(problems, "sig_figs: 4", "rel_tol: 0.01")
    reports.write_tables(grade([room.handed_in], room.out / "results", settings=SETTINGS))
    before = (room.out / "results" / "grades.csv").read_bytes()
    words = [sys.executable, "-m", "shardwise", *room.command("regrade", "--yes", "--bank", problems.parent)]
    full = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (500_000, 500_000))  # no room for what a sandbox needs
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=full)
    assert done.returncode == 2
    assert "shardwise: 3 notebooks could not be graded again, and nothing was written. Our fault: " in done.stderr
    assert (room.out / "results" / "grades.csv").read_bytes() == before


def test_without_results_it_says_what_to_do_first(room: Classroom) -> None:
    done = CliRunner().invoke(app, ["regrade", str(room.handed_in), "--out", str(room.out / "nowhere")])
    assert done.exit_code != 0
    assert "holds no results yet. Grade first:" in str(done.exception)
