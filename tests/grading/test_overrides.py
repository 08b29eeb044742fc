"""Overrides: what an instructor decides counts, survives every later run, and stays on record."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.assignments import Student, assign
from shardwise.course.assigning.keys import course_key
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.set_file import SetDefinition
from shardwise.course.assigning.simulated_class import blank, hand_in, mistaken, right
from shardwise.course.collecting.receipts import by_time
from shardwise.errors import Faulty
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.intake import Decisions
from shardwise.grading.outcome import Batch
from shardwise.grading.overrides.model import Accept, Override
from shardwise.grading.overrides.overrides_file import Overrides, add_overrides, load_overrides
from shardwise.grading.overrides.rulings import Ruling
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.regrade import cause_of
from shardwise.grading.results import Result, read_results
from shardwise.marking import broken
from shardwise.question import Feedback, Outcome, Question

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
    assert "✓ Correct · +2 points" in page_of(room, "ada")
    assert "of 0 points" not in page_of(room, "ada")


def test_an_excused_student_has_no_points_and_is_not_missing(room: Classroom) -> None:
    found = results(room, {"student": ["ada", "cleo"], "excuse": True})
    dropped = {"question": "ring-time", "drop": True}
    also = results(room, {"student": ["ada", "cleo"], "excuse": True}, dropped)
    assert {each.max_points for each in also.values()} == {4}  # one maximum in all rows of a table
    assert [(each.status, each.points) for each in found.values()] == [
        ("excused", None),
        ("graded", 0),
        ("excused", None),
    ]


def test_points_of_a_notebook_count_even_if_it_was_never_handed_in(room: Classroom) -> None:
    found = results(room, {"student": ["bo", "cleo"], "points": 5, "note": "On paper."})
    assert [(each.status, each.points) for each in found.values()] == [("graded", 6), ("graded", 5), ("graded", 5)]
    assert all("5 of 6 points" in page_of(room, name) and "On paper." in page_of(room, name) for name in ("bo", "cleo"))
    assert "<table" in page_of(room, "bo") and "<table" not in page_of(room, "cleo")  # without questions


def test_a_note_reaches_a_student_whose_notebook_could_not_be_graded_or_is_missing(room: Classroom) -> None:
    room.put("bo", "{")
    found = results(room, {"student": ["bo", "cleo"], "note": "You can hand in until Friday."})
    assert [(found[name].status, found[name].points) for name in ("bo", "cleo")] == [
        ("ungraded", None),
        ("missing", None),
    ]
    assert "You can hand in until Friday." in page_of(room, "bo")
    assert "nothing handed in" in page_of(room, "cleo")


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


def test_lateness_never_costs_more_than_the_notebook_earned(room: Classroom) -> None:
    due = {"student": "ada", "due": DUE}
    ada = results(room, {"late": {"per_day": "10%"}}, due, at="2027-12-01T12:00:00+00:00")["ada"]
    assert (ada.points, ada.notes) == (0, ("Handed in up to 365 days late: 6 points deducted.",))


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


def test_a_notebook_beyond_the_limit_never_counts_even_in_the_first_run(room: Classroom, whole_bank: Bank) -> None:
    definition = {"name": "week-1", "title": "Week 1", "problems": PROBLEMS, "attempts": 2}
    key, _ = course_key(room.out / "course.key")
    assign(
        whole_bank,
        SetDefinition.model_validate(definition),
        [Student(name, name.title()) for name in CLASS],
        key,
        room.out,
    )
    room.lock = Lock(room.lock.path)
    for number, write in enumerate((blank, mistaken, right)):
        path = room.hand_in("cleo", write)
        path.rename(path.with_name(f"try-{number}.ipynb"))
        os.utime(path.with_name(f"try-{number}.ipynb"), (1_700_000_000 + number, 1_700_000_000 + number))
    for _ in range(2):
        assert results(room, {"attempts": "last"})["cleo"].points == 0


def test_several_notebooks_in_one_run_are_attempts_if_the_best_counts(room: Classroom) -> None:
    for number, write in enumerate((mistaken, right, blank)):
        path = room.hand_in("cleo", write)
        path.rename(path.with_name(f"try-{number}.ipynb"))
    assert results(room)["cleo"].status == "ungraded"
    assert results(room, {"attempts": "best"})["cleo"].points == 6


def test_the_best_of_more_notebooks_than_attempts_is_one_of_the_permitted_ones(
    room: Classroom, whole_bank: Bank
) -> None:
    limited = room.out / "limited"
    document = {"name": "week-1", "title": "Week 1", "problems": PROBLEMS, "attempts": 2}
    assign(whole_bank, SetDefinition.model_validate(document), [Student("cleo", "Cleo")], room.lock.key, limited)
    lock = Lock(limited / room.lock.path.name, room.lock.key)
    for number, write in enumerate((blank, mistaken, right)):
        path = hand_in(lock, limited / "notebooks", limited / "submitted", "cleo", write)
        path = path.rename(path.with_name(f"try-{number}.ipynb"))
        os.utime(path, (number, number))
    for attempts in ("best", "average"):
        overrides = Overrides((Override(attempts=attempts, why="Ours"),))
        done = grade(
            [limited / "submitted"], limited / "results", locks=[lock], decisions=Decisions(overrides=overrides)
        )
        assert [result.points for result in done.results()] == [0]


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
        ("2", "unknown section 'B'"),
        ("3", "unknown question 'no-such' in week-1"),
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
        ({"student": "ada", "points": float("inf")}, "at most 10000"),
        ({"student": [], "question": "ring-time", "points": 3}, "an empty list is about nobody"),
        ({"late": {"per_day": 1, "grace": "99999999999 d"}}, "at most 366 days"),
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


def test_the_command_gives_zero_points_and_says_if_points_exceed_the_maximum(room: Classroom) -> None:
    ours = ("override", room.out, "--student", "ada", "--question", "ring-time", "--why", "Copied", "--points")
    command(room, *ours, 0)
    done = CliRunner().invoke(app, [*map(str, ours[:-2]), "no", "--drop"])
    assert "--why: write at least 3 characters" in str(done.exception)
    assert "ring-time has 2, and you gave 15" in command(room, *ours, 15)
    assert [entry.points for entry in load_overrides(room.out / "overrides.yaml").entries] == [0, 15]


def test_points_of_a_question_from_a_pool_are_compared_with_its_own_maximum(
    room: Classroom, whole_bank: Bank, tmp_path: Path
) -> None:
    out, pool = tmp_path / "pool", ["ring-time", "data-sheet-time", "measured-utilisation"]
    problems = [{"pool": pool, "choose": 1}]
    definition = SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": problems})
    assign(whole_bank, definition, [Student(name, name) for name in CLASS], room.lock.key, out)
    for question in pool:
        ours = ("override", out, "--question", question, "--why", "Misprint", "--points")
        assert "Check the points" not in command(room, *ours, 2)


@pytest.mark.parametrize(
    ("text", "is_added"),
    [("  - {set: week-1, student: bo, points: 1, why: Ours}", True), ("[]", False), ("- {attempts: best, why: Ours}\n...", False)],
)  # fmt: skip
def test_what_the_command_adds_never_breaks_the_file(room: Classroom, text: str, is_added: bool) -> None:
    path = room.out / "overrides.yaml"
    path.write_text(text, "utf-8")
    words = ["override", room.out, "--student", "bo", "--points", 3, "--why", "Ours"]
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert (done.exit_code == 0) == is_added
    assert is_added or "add this yourself" in str(done.exception)
    assert len(load_overrides(path).entries) == (2 if is_added else text.count("why"))


def test_entries_added_at_the_same_time_are_all_kept(room: Classroom) -> None:
    path, entries = room.out / "overrides.yaml", decided(room, {"attempts": "best"}).entries
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: add_overrides(path, entries), range(8)))
    assert len(load_overrides(path).entries) == 9


def test_a_folder_in_place_of_the_file_is_not_the_same_as_no_decisions(room: Classroom) -> None:
    (room.out / "overrides.yaml").unlink(missing_ok=True)
    (room.out / "overrides.yaml").mkdir()
    done = CliRunner().invoke(app, room.command("grade"))
    assert done.exit_code != 0
    assert "Is a directory" in str(done.exception)


def test_a_set_that_nothing_knows_is_named(room: Classroom) -> None:
    decided(room, {"set": "week1", "student": "bo", "points": 3})
    assert "1 entry decides nothing, because the set 'week1'" in command(room, *room.command("grade"))


@pytest.mark.parametrize(
    ("entries", "points"),
    [
        (({"question": "ring-time", "at_least": 2}, {"question": "ring-time", "points": 0}), 4),
        (({"question": "ring-time", "drop": True}, {"question": "ring-time", "bonus": True}), 6),
        (({"question": "ring-time", "bonus": True}, {"question": "ring-time", "drop": True}), 4),
        (({"student": "ada", "excuse": True}, {"student": "ada", "points": 5}), 5),
        (({"student": "ada", "points": 5}, {"student": "ada", "excuse": True}), None),
    ],
)
def test_of_two_decisions_that_contradict_each_other_the_later_wins(
    room: Classroom, entries: tuple[dict[str, Any], ...], points: float | None
) -> None:
    assert results(room, *entries)["ada"].points == points


def test_the_reason_for_an_excuse_reaches_no_file_that_a_student_may_see(room: Classroom) -> None:
    reports_ = room.out / "results.json", room.out / "junit.xml"
    decided(room, {"student": "ada", "excuse": True, "why": "A family matter", "note": "Take care."})
    alone = [room.handed_in / "ada", "--gradescope", reports_[0], "--junit", reports_[1]]
    command(room, "grade", *alone, "--out", room.out / "results", code=1)
    texts = [path.read_text("utf-8") for path in (*reports_, room.out / "results" / "grades.csv")]
    assert not any("family" in text for text in texts)
    assert "excused you" in page_of(room, "ada")
    assert "Take care." in page_of(room, "ada")


def test_an_earlier_attempt_follows_decisions_although_its_notebook_is_gone(room: Classroom) -> None:
    first = room.hand_in("cleo", right)
    results(room, {"student": "cleo", "question": "ring-time", "points": 0.5})
    first.write_text(json.dumps(room.notebook("cleo")), "utf-8")  # handed in again, without answers
    best = {"attempts": "best", "note": "The best counts."}
    withdrawn = results(room, best)["cleo"]
    assert (withdrawn.points, withdrawn.max_points) == (4.5, 6)  # never graded without the decision
    assert "The best counts." in page_of(room, "cleo")
    dropped = results(room, best, {"question": "bytes-per-gpu", "drop": True})["cleo"]
    assert (dropped.points, dropped.max_points) == (2.5, 4)
    assert results(room, best, {"student": "cleo", "points": 1})["cleo"].points == 1
    assert results(room, {"attempts": "average"}, {"student": "cleo", "points": 1})["cleo"].points == 1
    assert results(room, best, {"question": "ring-time", "points": 2})["cleo"].points == 6


def test_what_a_late_attempt_lost_stays_lost(room: Classroom) -> None:
    first, late, due = room.hand_in("cleo", right), {"late": LATE}, {"student": "cleo", "due": DUE}
    assert results(room, late, due, at="2026-12-01T13:00:00+00:00")["cleo"].points == 5.4
    first.write_text(json.dumps(room.notebook("cleo")), "utf-8")
    drop = {"question": "ring-time", "drop": True}
    assert results(room, late, due, {"attempts": "best"}, drop, at="2026-12-01T13:00:00+00:00")["cleo"].points == 3.4


@pytest.mark.parametrize(
    ("accept", "question", "message"),
    [
        ({"answer": "b"}, "ring-or-tree", "something else in each notebook"),
        ({"expression": "2 * key"}, "ring-or-tree", "whose answer is a number"),
    ],
)
def test_what_cannot_be_accepted_from_everybody_is_a_fault(
    room: Classroom, accept: dict[str, str], question: str, message: str
) -> None:
    with pytest.raises(Faulty, match=message):
        batch(room, decided(room, {"question": question, "accept": accept}))


def test_words_of_the_feedback_are_found_as_the_page_shows_them(room: Classroom) -> None:
    question = room.lock.questions("bo")[2]
    said = Feedback.judged(question, 0.0, "**a)** It has `2` steps, and each carries $x$.")
    ruling = Ruling(accepted=((Accept(feedback="a) It has 2 steps, and each carries x"), None),))
    assert ruling.accepting(question, None, said).points == 2
    unscored = question.model_copy(update={"points": 0.0})  # the question does not count, and the answer is right
    assert ruling.accepting(unscored, None, Feedback.judged(unscored, 0.0, said.say)).outcome is Outcome.CORRECT


def test_an_error_in_the_grader_does_not_matter_for_a_dropped_question(room: Classroom) -> None:
    failed = broken(room.lock.questions("bo")[0], ValueError("ours"))
    assert Ruling(is_dropped=True).applied(failed).outcome != Outcome.BROKEN
    assert Ruling(is_bonus=True).applied(failed).outcome == Outcome.BROKEN


def test_a_student_of_an_entry_for_all_sets_has_to_be_in_one_of_them(room: Classroom) -> None:
    overrides = Overrides((Override(student=("zed",), late="none", why="Ours"),))
    with pytest.raises(Faulty, match="'zed' is not in"):
        overrides.check([room.lock])
    overrides.check([])


def test_a_regrade_keeps_no_points_that_an_entry_takes_away(room: Classroom) -> None:
    results(room)
    decided(room, {"student": "ada", "question": "ring-time", "points": 0, "why": "Copied"})
    command(room, *room.command("regrade", "--never-down", "--yes"))
    assert len(load_overrides(room.out / "overrides.yaml").entries) == 1
    assert {each.student: each.points for each in read_results(room.out / "results")}["ada"] == 4
    decided(room, {"question": "bytes-per-gpu", "drop": True})
    refused = CliRunner().invoke(app, room.command("regrade", "--refuse", "bytes-per-gpu", "--yes"))
    assert "is your own decision" in str(refused.exception)


def test_an_override_is_in_the_history_as_the_cause(room: Classroom) -> None:
    results(room)
    results(room, {"student": "bo", "question": "ring-time", "points": 1})
    assert "override of ring-time: points 1: A reason" in command(room, "history", "--out", room.out / "results")
    accepted = {"question": "bytes-per-gpu", "at_least": 1}
    results(room, {"student": "bo", "question": "ring-time", "points": 1.5}, accepted)
    with Ledger(room.out / "results" / LEDGER) as ledger:
        *_, before, after = ledger.history("bo")
    both = "override of bytes-per-gpu: at least 1: A reason; override of ring-time: points 1.5: A reason"
    assert cause_of(before, after) == both


def test_a_regrade_counts_each_point_once_and_names_lateness_apart_from_questions(room: Classroom) -> None:
    at, late, due = "2026-12-03T11:00:00+00:00", {"late": LATE}, {"student": "ada", "due": DUE}
    assert results(room, late, due, at=at)["ada"].points == 4.8
    decided(
        room, late, due, {"student": "ada", "late": "none"}, {"student": "ada", "question": "ring-time", "points": 1}
    )
    times = room.out / "times.csv"
    times.write_text(f"student,time\nada,{at}\nbo,{at}\n", "utf-8")
    told = command(room, *room.command("regrade", "--received", times, "--yes")).splitlines()
    [question] = (line.split() for line in told if line.startswith("override of ring-time: points 1: A reason"))
    [notebook] = (line.split() for line in told if line.startswith("override of the notebook, another late rule"))
    assert (question[-4:], notebook[-4:]) == (["1", "0", "1", "-1"], ["1", "1", "0", "+1.2"])


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
