"""The progress file: other processes, kills, full disks, wrong clocks and newer versions lose no data and break no check."""

from __future__ import annotations

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwise.question import Feedback, Outcome
from shardwise.student.progress import file as file_module
from shardwise.student.progress.events import Estimate, Event, Variant
from shardwise.student.progress.file import ProgressFile, Unusable, usual_path
from shardwise.student.progress.journal import Journal, usual_journal

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
HERE = Variant("shipped", "02-zero/a-problem", "3")
KEY = f"answer {HERE.problem} 3"  # of a draft
RIGHT = Feedback(question=HERE.problem, outcome=Outcome.CORRECT, points=2, max_points=2, remarks=("Correct.",))
ROOT_CAN_WRITE_ANYWHERE = os.geteuid() == 0


def event(**changes: Any) -> Event:
    made: dict[str, Any] = {"at": NOON, "variant": HERE, "digest": "d", "what": "answer", "place": "cell", **changes}
    return Event(**made)


@pytest.fixture
def kept(tmp_path: Path) -> ProgressFile:
    return ProgressFile(tmp_path / "new" / "progress.sqlite")


# What is kept ----------------------------------------------------------------------------------------------------------


def test_what_is_kept_comes_back_in_its_order(kept: ProgressFile) -> None:
    events = [
        event(outcome="incorrect", seconds=12.5),
        event(what="hint", hint=1, place="form", at=NOON - timedelta(days=1)),  # a clock that was put back
        event(outcome="correct", points=2.0, place="terminal"),
    ]
    for each in events:
        kept.add(each)
    assert kept.events() == events
    assert kept.seeds(HERE) == ["3"]
    assert kept.seeds(HERE._replace(bank="/another")) == []
    assert kept.was_answered(HERE, events[0].digest) and not kept.was_answered(HERE, "of a problem that was changed")
    assert not kept.was_answered(HERE._replace(seed="4"), events[0].digest)


def test_only_the_first_estimate_of_a_variant_counts(kept: ProgressFile) -> None:
    first, other = Estimate(NOON, HERE, 0.5, 0.8, True), Estimate(NOON, HERE._replace(seed="4"), -2.0)
    for each in (first, Estimate(NOON, HERE, 0.0, 1.0, True), other):
        kept.add_estimate(each)
    assert kept.estimates() == [first, other]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))  # fmt: skip
def test_whatever_a_form_can_hold_is_kept_as_it_was_typed(
    tmp_path_factory: pytest.TempPathFactory, answer: Any
) -> None:
    kept = ProgressFile(tmp_path_factory.getbasetemp() / "drafts.sqlite")
    kept.keep_drafts(NOON, "shipped", {KEY: "older"})
    kept.keep_drafts(NOON, "shipped", {KEY: answer})
    assert kept.drafts_of("shipped", HERE.problem) == {KEY: answer}


def test_a_draft_belongs_to_its_problem_and_bank(kept: ProgressFile) -> None:
    longer = f"{HERE.problem}-again"
    kept.keep_drafts(NOON, "shipped", {KEY: 1, f"variants {HERE.problem} 0": ["1"], f"answer {longer} 0": 2})
    kept.keep_drafts(NOON, "/another", {KEY: 3})
    assert kept.drafts_of("shipped", HERE.problem) == {KEY: 1, f"variants {HERE.problem} 0": ["1"]}
    assert kept.drafts_of("shipped", longer) == {f"answer {longer} 0": 2}
    assert kept.drafts_of("/another", HERE.problem) == {KEY: 3}


def test_nothing_is_made_before_something_is_kept(kept: ProgressFile) -> None:
    assert (kept.events(), kept.estimates(), kept.exported()["drafts"]) == ([], [], [])
    kept.forget()
    assert not kept.path.parent.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_the_file_is_its_owners_alone(kept: ProgressFile) -> None:
    kept.add(event())
    assert kept.path.stat().st_mode & 0o077 == 0
    assert kept.path.parent.stat().st_mode & 0o077 == 0


def test_what_is_forgotten_is_gone_from_the_bytes_of_the_file(kept: ProgressFile) -> None:
    other = HERE._replace(problem="02-zero/another-problem")
    for variant in (HERE, other):
        kept.add(event(variant=variant))
        kept.keep_drafts(NOON, "shipped", {f"answer {variant.problem} 3": "7 GB"})
        kept.add_estimate(Estimate(NOON, variant, 0.1))
    kept.forget(HERE.problem)
    assert [each.variant for each in kept.events()] == [other]
    assert [draft["key"] for draft in kept.exported()["drafts"]] == [f"answer {other.problem} 3"]
    assert [each.variant for each in kept.estimates()] == [other]
    assert HERE.problem.encode() not in kept.path.read_bytes()
    kept.forget()
    assert (kept.events(), kept.estimates(), kept.exported()["drafts"]) == ([], [], [])
    assert b"another-problem" not in kept.path.read_bytes()


# Where it lies -----------------------------------------------------------------------------------------------------------


def test_the_variable_names_the_file_or_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for named, path in (
        ("", tmp_path / "shardwise" / "progress.sqlite"),
        ("/somewhere/p.sqlite", Path("/somewhere/p.sqlite")),
        ("~nobody-of-this-name/p", Path("~nobody-of-this-name/p")),
        ("off", None),
    ):
        monkeypatch.setenv("SHARDWISE_PROGRESS", named)
        if sys.platform == "linux" or named:
            assert usual_path() == path


def test_nothing_is_kept_while_an_instructor_grades(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(tmp_path / "p.sqlite"))
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    journal = usual_journal()
    journal.answered(HERE, "d", RIGHT, "cell")
    assert journal.events() == [] and list(tmp_path.iterdir()) == []


def test_without_sqlite_practice_goes_on(tmp_path: Path) -> None:
    source = (
        "import sys; sys.modules['sqlite3'] = None\n"
        "from shardwise import check\nprint(check('bytes-per-gpu', '1 GB').outcome)"
    )
    environment = {**os.environ, "SHARDWISE_PROGRESS": str(tmp_path / "p.sqlite")}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True)
    assert done.stdout == "incorrect\n", done.stderr


# Files that cannot be used -----------------------------------------------------------------------------------------------


def every_use(kept: ProgressFile) -> list[Any]:
    return [
        lambda: kept.add(event()),
        kept.events,
        kept.estimates,
        kept.exported,
        kept.forget,
        lambda: kept.drafts_of("shipped", HERE.problem),
        lambda: kept.keep_drafts(NOON, "shipped", {KEY: 1}),
    ]


def refused(kept: ProgressFile, words: str) -> None:
    """Check that every use of a file is refused with this message, and that its bytes are unchanged."""
    before = kept.path.read_bytes()
    for use in every_use(kept):
        with pytest.raises(Unusable, match=words):
            use()
    assert kept.path.read_bytes() == before


def test_a_newer_file_is_left_as_it_is(kept: ProgressFile) -> None:
    kept.add(event())
    with sqlite3.connect(kept.path) as db:
        db.execute("PRAGMA user_version = 99")
    refused(kept, "belongs to a newer version of shardwise")


def test_a_file_of_another_program_is_left_as_it_is(kept: ProgressFile) -> None:
    kept.path.parent.mkdir()
    with sqlite3.connect(kept.path) as db:
        db.execute("CREATE TABLE notes (text)")
    refused(kept, "belongs to another program")


def test_a_damaged_file_is_left_as_it_is(kept: ProgressFile) -> None:
    kept.path.parent.mkdir()
    kept.path.write_bytes(b"not a database at all, but long enough to be one" * 40)
    refused(kept, "cannot be used")


def test_a_folder_in_its_place_and_a_file_in_its_folders_place_are_said(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "folder", tmp_path / "file" / "p.sqlite"):
        with pytest.raises(Unusable, match="Check that you can write to it and its folder"):
            ProgressFile(path).add(event())


@pytest.mark.skipif(ROOT_CAN_WRITE_ANYWHERE, reason="root may write anywhere")
def test_a_home_that_may_not_be_written_is_said_and_what_is_there_can_be_read(kept: ProgressFile) -> None:
    kept.add(event())
    kept.path.chmod(0o400)
    kept.path.parent.chmod(0o500)
    try:
        with pytest.raises(Unusable, match="cannot be used"):
            kept.add(event())
        assert kept.events() == [event()]
    finally:
        kept.path.parent.chmod(0o700)


def test_a_lock_that_another_program_holds_is_waited_for_and_then_said(
    kept: ProgressFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.add(event())
    monkeypatch.setattr(file_module, "_PATIENCE", 0.1)
    with sqlite3.connect(kept.path, isolation_level=None) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unusable, match="database is locked"):
            kept.add(event())


# Several processes -------------------------------------------------------------------------------------------------------

WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path

from shardwise.student.progress.events import Event, Variant
from shardwise.student.progress.file import ProgressFile

kept, name = ProgressFile(Path(sys.argv[1])), sys.argv[2]
number = 0
while number < int(sys.argv[3]):
    kept.add(Event(datetime.now(UTC), Variant("shipped", name, str(number)), "d", "answer", "cell"))
    print(number, flush=True)
    number += 1
"""


def writer(kept: ProgressFile, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(kept.path), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_processes_that_begin_and_write_at_once_lose_nothing(kept: ProgressFile) -> None:
    running = [writer(kept, f"process-{number}", 25) for number in range(4)]
    assert [process.wait(timeout=60) for process in running] == [0] * 4
    for process in running:
        assert process.stdout is not None
        process.stdout.close()
    found = [each.variant for each in kept.events()]
    for number in range(4):
        seeds = [variant.seed for variant in found if variant.problem == f"process-{number}"]
        assert seeds == [str(seed) for seed in range(25)]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_process_that_is_killed_while_it_writes_loses_nothing_that_it_had_written(kept: ProgressFile) -> None:
    for attempt in range(4):
        process = writer(kept, f"killed-{attempt}", 10**6)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.02 * (attempt + 1))
        process.send_signal(signal.SIGKILL)
        said = ["0", *process.stdout.read().split()]
        process.stdout.close()
        process.wait()
        seeds = [each.variant.seed for each in kept.events() if each.variant.problem == f"killed-{attempt}"]
        assert len(said) <= len(seeds) <= len(said) + 1  # it may be killed after its write and before its output
        kept.add(event())  # and the next one can write


# The journal -------------------------------------------------------------------------------------------------------------


def test_what_the_journal_wrote_is_there_when_it_reads(kept: ProgressFile) -> None:
    journal = Journal(kept)
    for number in range(30):
        journal.answered(HERE._replace(seed=str(number)), "d", RIGHT, "cell", 9.5)
    assert [each.variant.seed for each in journal.events()] == [str(number) for number in range(30)]
    assert journal.events()[0].points == 2 and journal.events()[0].seconds == 9.5
    journal.typed("shipped", {KEY: {"a": 1}})
    assert journal.drafts_of("shipped", HERE.problem) == {KEY: {"a": 1}}
    assert journal.trouble() == ""


@pytest.mark.parametrize("outcome", [Outcome.BLANK, Outcome.UNREADABLE, Outcome.BROKEN, None])
def test_an_answer_that_was_not_judged_does_not_count(kept: ProgressFile, outcome: Outcome | None) -> None:
    journal = Journal(kept)
    journal.answered(HERE, "d", RIGHT.model_copy(update={"outcome": outcome}), "cell")
    assert journal.events() == []


def test_trouble_is_said_once_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = Journal(ProgressFile(tmp_path / "file" / "p.sqlite"))
    journal.answered(HERE, "d", RIGHT, "cell")
    said = journal.trouble()
    assert said.startswith("Your progress is not saved: ") and said.endswith("You can still practise.")
    journal.hinted(HERE, "d", 1, "cell")
    journal.showed_solution(HERE, "d", "cell")
    journal.typed("shipped", {KEY: "x"})
    journal.estimated(HERE, 0.3)
    assert (journal.trouble(), journal.drafts_of("shipped", HERE.problem), journal.seeds(HERE)) == ("", {}, [])


def test_even_an_error_of_ours_costs_no_verdict(kept: ProgressFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Event) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(kept, "add", broken)
    journal = Journal(kept)
    journal.answered(HERE, "d", RIGHT, "cell")
    journal.typed("shipped", {KEY: {1, 2}})  # not valid in JSON
    assert "progress is not saved" in journal.trouble()


def test_the_file_can_be_read_with_nothing_but_sqlite_and_json(kept: ProgressFile) -> None:
    kept.add(event(outcome="correct", points=1.5))
    kept.keep_drafts(NOON, "shipped", {KEY: ["a", 1]})
    with sqlite3.connect(kept.path) as db:
        assert db.execute("SELECT at, problem, outcome FROM event").fetchall() == [
            ("2026-12-01T12:00:00+00:00", "02-zero/a-problem", "correct")
        ]
        assert json.loads(db.execute("SELECT value FROM draft").fetchone()[0]) == ["a", 1]


def test_two_records_become_one_whatever_is_added_first(tmp_path: Path) -> None:
    here, there = ProgressFile(tmp_path / "here.sqlite"), ProgressFile(tmp_path / "there.sqlite")
    hours = [NOON + timedelta(hours=hour) for hour in range(6)]
    for hour, at in enumerate(hours):
        (here, there)[hour % 2].add(event(at=at, variant=HERE._replace(seed=str(hour)), seconds=1.5))
    here.keep_drafts(hours[1], "shipped", {KEY: "old", "read 02-zero/a": True})
    there.keep_drafts(hours[2], "shipped", {KEY: "new"})
    there.add_estimate(Estimate(NOON, HERE, 0.1, 0.5, True))
    assert here.add_exported(json.loads(json.dumps(there.exported()))) == 3
    assert here.add_exported(there.exported()) == 0
    assert there.add_exported(here.exported()) == 3
    assert here.events() == there.events()
    assert [kept.at for kept in here.events()] == hours
    elsewhere = here.exported()["events"][0] | {"at": "2026-12-01T09:30:00+05:00"}
    assert here.add_exported({"format": 1, "events": [elsewhere], "estimates": [], "drafts": []}) == 1
    assert here.events()[0].at == datetime(2026, 12, 1, 4, 30, tzinfo=UTC)
    there.add_exported(
        {"format": 1, "events": [elsewhere | {"bank": "/banks/ours"}], "estimates": [], "drafts": []},
        ["/home/ada/ours"],
    )
    assert {kept.variant.bank for kept in there.events()} == {"shipped", "/home/ada/ours"}
    there.forget(HERE.problem)
    there.add_exported(here.exported())
    here.forget(HERE.problem)
    here.add_exported(there.exported())
    assert here.estimates() == there.estimates()
    assert here.drafts_of("shipped", HERE.problem) == there.drafts_of("shipped", HERE.problem) == {KEY: "new"}
    assert [(mark.purpose, mark.name, mark.value) for mark in here.marks()] == [("read", "02-zero/a", True)]


@pytest.mark.parametrize(
    "change",
    [
        lambda document: [],
        lambda document: {**document, "format": 2},
        lambda document: {**document, "events": [{}]},
        lambda document: {**document, "events": [{**document["events"][0], "points": "2"}]},
        lambda document: {**document, "events": [{**document["events"][0], "at": "2026-12-01"}]},
        lambda document: {**document, "events": [{**document["events"][0], "points": math.nan}]},
        lambda document: {**document, "events": [{**document["events"][0], "at": "0001-01-01T00:00:00+14:00"}]},
        lambda document: {**document, "events": [{**document["events"][0], "hint": 10**30}]},
        lambda document: {**document, "events": [{**document["events"][0], "seed": "9" * 101}]},
        lambda document: {**document, "drafts": [{"at": NOON.isoformat(), "bank": "", "key": "x", "value": math.nan}]},
        lambda document: {**document, "drafts": None},
    ],
)
def test_what_is_no_record_changes_nothing(kept: ProgressFile, change: Any) -> None:
    kept.add(event())
    before = kept.exported()
    with pytest.raises(Unusable, match="This is not a record of shardwise"):
        kept.add_exported(change(before))
    assert kept.exported() == before
