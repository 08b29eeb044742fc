"""Overrides: what an instructor decides counts, survives every later run, and stays on record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.simulated_class import blank, mistaken, right
from shardwise.course.collecting.receipts import by_time
from shardwise.errors import Faulty
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.intake import Decisions
from shardwise.grading.outcome import Batch
from shardwise.grading.overrides.overrides_file import Overrides, add_overrides, load_overrides
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.results import Result, read_results
from shardwise.question import Question

pytestmark = pytest.mark.usefixtures("one_sandbox")
PROBLEMS = ("bytes-per-gpu", "ring-time", "ring-or-tree")  # 2 points each
CLASS = ("ada", "bo", "cleo")


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    made = Classroom(tmp_path / "course", whole_bank, CLASS, PROBLEMS)
    made.hand_in("ada", right)
    made.hand_in("bo", mistaken)
    return made


def decided(room: Classroom, *entries: dict[str, Any]) -> Overrides:
    """Overrides for the set of a class, read from a file."""
    path = room.out / "overrides.yaml"
    given = [{**({"set": "week-1"} if "late" not in entry else {}), "why": "A reason", **entry} for entry in entries]
    path.write_text("\n".join(f"- {json.dumps(entry)}" for entry in given), "utf-8")
    return load_overrides(path)


def batch(room: Classroom, overrides: Overrides, at: str = "", paths: Sequence[Path] = ()) -> Batch:
    received = {"received": by_time(datetime.fromisoformat(at), "table")} if at else {}
    done = grade(paths or [room.handed_in], room.out / "results", decisions=Decisions(overrides=overrides, **received))  # type: ignore[arg-type]
    reports.write_tables(done)
    return done


def results(room: Classroom, *entries: dict[str, Any], at: str = "") -> dict[str, Result]:
    batch(room, decided(room, *entries), at)
    return {result.student: result for result in read_results(room.out / "results")}


def page_of(room: Classroom, student: str) -> str:
    return (room.out / "results" / "feedback" / "week-1" / f"{student}.html").read_text("utf-8")


def test_points_of_a_question_replace_the_graders_and_reach_the_students_page(room: Classroom) -> None:
    entry = {"student": "bo", "question": "ring-time", "points": 1.5, "note": "You are right about the latency."}
    bo = results(room, entry)["bo"]
    assert (bo.points, bo.scores["ring-time"]) == (1.5, 1.5)
    page = page_of(room, "bo")
    assert "Your instructor gave this answer 1.5 of 2 points." in page
    assert "You are right about the latency." in page
    assert "A reason" not in page  # the reason is for the record


def test_a_dropped_question_counts_for_nobody_and_a_bonus_only_adds(room: Classroom) -> None:
    dropped = results(room, {"question": "ring-time", "drop": True})
    assert [(each.points, each.max_points) for each in dropped.values()] == [(4, 4), (0, 4), (None, 4)]
    bonus = results(room, {"question": "ring-time", "bonus": True})
    assert [(each.points, each.max_points) for each in bonus.values()] == [(6, 4), (0, 4), (None, 4)]


def test_an_excused_student_has_no_points_and_is_not_missing(room: Classroom) -> None:
    found = results(room, {"student": ["ada", "cleo"], "excuse": True})
    assert [(each.status, each.points) for each in found.values()] == [
        ("excused", None),
        ("graded", 0),
        ("excused", None),
    ]


def test_points_of_a_notebook_count_even_if_it_was_never_handed_in(room: Classroom) -> None:
    found = results(room, {"student": ["bo", "cleo"], "points": 5, "note": "On paper."})
    assert [(each.status, each.points) for each in found.values()] == [("graded", 6), ("graded", 5), ("graded", 5)]
    assert all("5 of 6 points" in page_of(room, name) and "On paper." in page_of(room, name) for name in ("bo", "cleo"))


def accepted(room: Classroom, question: str, **accept: str) -> float | None:
    return results(room, {"question": question, "accept": accept})["bo"].scores[question]


def test_an_answer_is_accepted_for_all_who_gave_it_whatever_their_numbers(room: Classroom) -> None:
    assert accepted(room, "bytes-per-gpu", expression="key / 2") == 2  # bo's mistake, with bo's numbers
    assert accepted(room, "bytes-per-gpu", expression="key / 3") == 0
    option = next(text for text in ("The tree, because it has far fewer steps.", "The ring, because each step carries only a part of the message.") if _picked(room, text))  # fmt: skip
    assert accepted(room, "ring-or-tree", answer=option) == 2
    words = next(each.say for each in read_results(room.out / "results")[1].feedback if "ring-time" in each.question)
    assert accepted(room, "ring-time", feedback=" ".join(words.split()[:6])) == 2
    assert accepted(room, "ring-time", feedback="words of no feedback") == 0


def _picked(room: Classroom, text: str) -> bool:
    return bool(accepted(room, "ring-or-tree", answer=text))


def test_an_answer_that_could_not_be_read_can_be_accepted_as_it_was_written(room: Classroom) -> None:
    def gigs(question: Question) -> str:
        return f"{question.variable} = 'about 12 gigs'"

    room.hand_in("cleo", gigs)
    bo, cleo = (results(room, {"question": "bytes-per-gpu", "accept": {"answer": "About 12  gigs"}, "points": 1})[who] for who in ("bo", "cleo"))  # fmt: skip
    assert (bo.scores["bytes-per-gpu"], cleo.scores["bytes-per-gpu"]) == (0, 1)


LATE = {"per_day": "10%", "grace": "15 min", "cap": "25%"}
DUE = "2026-12-01T12:00:00+00:00"


@pytest.mark.parametrize(
    ("at", "points", "is_late"),
    [("2026-12-01T12:15", 6.0, False), ("2026-12-01T12:16", 5.4, True), ("2026-12-02T12:00", 5.4, True),
     ("2026-12-02T12:01", 4.8, True), ("2026-12-20T12:00", 4.5, True)],
)  # fmt: skip
def test_lateness_costs_a_share_for_each_day_that_has_begun_up_to_the_cap(
    room: Classroom, at: str, points: float, is_late: bool
) -> None:
    due = {"student": "ada", "due": DUE}
    ada = results(room, {"late": LATE}, due, at=f"{at}:00+00:00")["ada"]
    assert (ada.points, ada.late, ada.due) == (points, is_late, DUE)


def test_an_extension_and_no_late_rule_take_the_deduction_back(room: Classroom) -> None:
    late, at = {"late": LATE}, "2026-12-03T11:00:00+00:00"
    own = {"student": ["ada", "bo"], "due": DUE}
    assert results(room, late, own, at=at)["ada"].points == 4.8
    assert results(room, late, own, {"student": "ada", "due": "2026-12-03T12:00:00Z"}, at=at)["ada"].points == 6
    assert results(room, late, own, {"student": "ada", "late": "none"}, at=at)["ada"].points == 6


def test_the_best_or_the_average_of_all_attempts_counts_if_an_override_says_so(room: Classroom) -> None:
    first = room.hand_in("cleo", right)
    results(room)
    first.write_text(json.dumps(room.notebook("cleo")), "utf-8")  # handed in again, without answers
    assert results(room)["cleo"].points == 0
    best = results(room, {"attempts": "best"})["cleo"]
    assert (best.points, best.scores["ring-time"]) == (6, 2)
    assert "best of 2 attempts counts: 6, 0 points" in page_of(room, "cleo")
    assert results(room, {"attempts": "average"})["cleo"].points == 3
    assert results(room, {"attempts": "last"})["cleo"].points == 0


def test_several_notebooks_in_one_run_are_attempts_if_the_best_counts(room: Classroom) -> None:
    for number, write in enumerate((mistaken, right, blank)):
        path = room.hand_in("cleo", write)
        path.rename(path.with_name(f"try-{number}.ipynb"))
    assert results(room)["cleo"].status == "ungraded"
    assert results(room, {"attempts": "best"})["cleo"].points == 6


def test_a_later_entry_wins_and_withdrawing_all_restores_the_graders_points(room: Classroom) -> None:
    before = {name: each.points for name, each in results(room).items()}
    points = {"student": "bo", "question": "ring-time", "points": 1}
    assert results(room, points, {**points, "points": 2})["bo"].points == 2
    assert {name: each.points for name, each in results(room).items()} == before
    with Ledger(room.out / "results" / LEDGER) as ledger:
        assert [(json.loads(each.entry)["points"], each.applies) for each in ledger.decisions()] == [
            (1, False),
            (2, False),
        ]


def test_unknown_students_questions_and_sections_are_named_all_at_once_at_their_lines(room: Classroom) -> None:
    wrong = decided(
        room,
        {"student": "zed", "question": "ring-time", "points": 1},
        {"section": "B", "due": DUE},
        {"question": "no-such", "drop": True},
    )
    with pytest.raises(Faulty) as raised:
        batch(room, wrong)
    assert [(fault.place.rpartition("/")[2].split(":")[1], fault.message) for fault in raised.value.faults] == [
        ("1", "'zed' is not in week-1.lock.jsonl"),
        ("2", "there is no section 'B'"),
        ("3", "week-1 has no question 'no-such'"),
    ]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"drop": True}, "drop needs a question"),
        ({"points": 3}, "points needs a student or a section"),
        ({"student": "ada"}, "an entry needs a decision"),
        ({"student": "ada", "excuse": True, "points": 3}, "one thing, but this one has points and excuse"),
        ({"question": "ring-time", "accept": {}}, "exactly one of answer, expression and feedback"),
        ({"question": "ring-time", "accept": {"expression": "2 * gpus"}}, "only calculate with key"),
        ({"late": {"per_day": "ten"}}, "such as 2 or 10%"),
        ({"student": "ada", "due": "2026-12-01"}, "needs an offset"),
    ],
)
def test_an_entry_that_decides_nothing_or_too_much_is_a_fault(
    room: Classroom, entry: dict[str, Any], message: str
) -> None:
    with pytest.raises(Faulty) as raised:
        decided(room, entry)
    assert any(message in fault.message for fault in raised.value.faults)


def command(room: Classroom, *words: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


def test_the_command_keeps_the_comments_of_the_file_and_grading_finds_it(room: Classroom) -> None:
    path = room.out / "overrides.yaml"
    path.write_text("# Ours\n", "utf-8")
    command(room, "override", room.out, "--question", "ring-or-tree", "--drop", "--why", "Two options are right")
    command(room, "override", room.out, "--late", "1", "--grace", "2 h", "--why", "Course rules")
    assert path.read_text("utf-8").startswith("# Ours\n")
    assert [entry.action for entry in load_overrides(path).entries] == ["drop", "late"]
    command(room, *room.command("grade"))
    assert [each.max_points for each in read_results(room.out / "results")] == [4, 4, 4]
    told = command(room, "history", "--out", room.out / "results")
    assert "Two options are right" in told


def test_overrides_in_a_students_folder_decide_nothing(room: Classroom) -> None:
    add_overrides(room.handed_in / "bo" / "overrides.yaml", decided(room, {"student": "bo", "points": 6}).entries)
    (room.handed_in / "bo" / "course.yaml").write_text("title: Mine", "utf-8")
    (room.out / "overrides.yaml").unlink()
    command(room, *room.command("grade"))
    assert {each.student: each.points for each in read_results(room.out / "results")} == {
        "ada": 6,
        "bo": 0,
        "cleo": None,
    }


def test_who_is_named_by_name_or_alias_is_found(room: Classroom) -> None:
    assert results(room, {"student": "Bo", "points": 3})["bo"].points == 3


def test_an_override_is_in_the_history_as_the_cause(room: Classroom) -> None:
    results(room)
    results(room, {"student": "bo", "question": "ring-time", "points": 1})
    assert "override of ring-time: points 1: A reason" in command(room, "history", "--out", room.out / "results")


def test_what_a_regrade_would_change_can_be_refused_for_good(room: Classroom, whole_bank: Bank, tmp_path: Path) -> None:
    entry = {"student": "bo", "question": "ring-time", "points": 1}
    results(room, entry)
    decided(room)  # withdrawn, so that a regrade takes the point away
    told = command(room, *room.command("regrade", "--never-down"))
    assert "No points change" in told
    [kept] = load_overrides(room.out / "overrides.yaml").entries
    assert (kept.student, kept.question, kept.at_least) == (("bo",), "ring-time", 1)
    command(room, *room.command("grade"))
    assert {each.student: each.points for each in read_results(room.out / "results")}["bo"] == 1
    wrong = CliRunner().invoke(app, room.command("regrade", "--refuse", "no such cause"))
    assert "No cause contains 'no such cause'" in str(wrong.exception)
