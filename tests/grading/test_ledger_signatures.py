"""A ledger is trusted only if the course key, or another key that is known here, has signed its rows."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.simulated_class import mistaken
from shardwise.errors import ShardwiseError
from shardwise.grading.record.ledger import LEDGER, Ledger

CHANGES = {
    "points": "UPDATE grading SET points = 4, scores = replace(scores, '0.0', '2.0')",
    "notes": "UPDATE grading SET notes = '{'",
    "answers": "UPDATE grading SET answers = '[{}]'",
    "the signer": "DELETE FROM signer; INSERT INTO signer VALUES ('0')",
    "an attempt": "UPDATE counted SET student = 'bo'",
    "whose": "UPDATE notebook SET student = 'bo'",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON receipt BEGIN UPDATE grading SET points = 4, signature = ''; END",
}


@pytest.fixture
def results(tmp_path: Path, whole_bank: Bank) -> tuple[Classroom, Path]:
    room = Classroom(tmp_path / "course", whole_bank, ("ada", "bo"), ("bytes-per-gpu", "ring-time"))
    room.hand_in("ada", mistaken)
    assert run(room, tmp_path / "results").exit_code == 0
    return room, tmp_path / "results"


def run(room: Classroom, out: Path):  # type: ignore[no-untyped-def]
    return CliRunner().invoke(
        app, ["grade", str(room.handed_in), "--out", str(out), "--lock", str(room.lock.path), "--workers", "1"]
    )


@pytest.mark.parametrize("change", CHANGES)
def test_a_ledger_that_was_changed_is_refused(results: tuple[Classroom, Path], change: str) -> None:
    room, out = results
    with sqlite3.connect(out / LEDGER) as db:
        db.executescript(CHANGES[change])
    db.close()
    words = str(run(room, out).exception)
    said = ("was changed", "was signed with an unknown course key", "unknown tables or triggers")
    assert any(reason in words for reason in said), words
    assert "move it away" in words.lower()


def test_a_ledger_that_was_made_with_another_key_is_refused(results: tuple[Classroom, Path], tmp_path: Path) -> None:
    """A student can put one into a repository, with points signed by their own key."""
    room, out = results
    (tmp_path / "elsewhere").mkdir()
    Ledger(tmp_path / "elsewhere" / LEDGER, [bytes(32)]).close()
    shutil.copy(tmp_path / "elsewhere" / LEDGER, out / LEDGER)
    assert "was signed with an unknown course key" in str(run(room, out).exception)
    with pytest.raises(ShardwiseError, match="give the key with --key"):
        Ledger(out / LEDGER)
    Ledger(out / LEDGER, [bytes(32)]).close()


def test_a_ledger_that_claims_to_be_new_and_has_a_trigger_is_refused(
    tmp_path: Path, results: tuple[Classroom, Path]
) -> None:
    """Our key would sign rows that the trigger writes: we create the table `receipt` if it is missing."""
    room, _ = results
    forged = tmp_path / "forged"
    forged.mkdir()
    with sqlite3.connect(forged / LEDGER) as db:
        db.executescript(
            "CREATE TABLE receipt (path TEXT PRIMARY KEY, at TEXT NOT NULL, source TEXT NOT NULL); "
            "CREATE TRIGGER t AFTER INSERT ON receipt BEGIN UPDATE grading SET points = max_points, signature = ''; END;"
        )
    db.close()
    assert "unknown tables or triggers" in str(run(room, forged).exception)


def test_only_the_grader_can_read_results_whatever_the_umask(tmp_path: Path, whole_bank: Bank) -> None:
    before = os.umask(0)
    try:
        room = Classroom(tmp_path / "course", whole_bank, ("ada",), ("bytes-per-gpu",))
        room.hand_in("ada", mistaken)
        assert run(room, tmp_path / "results").exit_code == 0
    finally:
        os.umask(before)
    made = [path for path in (tmp_path / "results", *(tmp_path / "results").rglob("*")) if path.name != ".lock"]
    assert {str(path): oct(path.stat().st_mode) for path in made if path.stat().st_mode & 0o077} == {}
