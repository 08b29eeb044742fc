"""A ledger that lies in a folder of results is believed when the course key, or one known here, has signed its rows."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.simulated_class import mistaken
from shardwise.errors import ShardwiseError
from shardwise.grading.ledger import LEDGER, Ledger

CHANGES = {
    "points": "UPDATE grading SET points = 4, scores = replace(scores, '0.0', '2.0')",
    "notes": "UPDATE grading SET notes = '{'",
    "answers": "UPDATE grading SET answers = '[{}]'",
    "the signer": "DELETE FROM signer; INSERT INTO signer VALUES ('0')",
    "an attempt": "UPDATE counted SET student = 'bo'",
    "whose": "UPDATE notebook SET student = 'bo'",
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
    assert "was changed" in words or "was not made with a course key that I have" in words
    assert "move it away" in words.lower()


def test_a_ledger_that_was_made_with_another_key_is_refused(results: tuple[Classroom, Path], tmp_path: Path) -> None:
    """As a student can put one into a repository, with points by a key of their own."""
    room, out = results
    (tmp_path / "elsewhere").mkdir()
    Ledger(tmp_path / "elsewhere" / LEDGER, [bytes(32)]).close()
    shutil.copy(tmp_path / "elsewhere" / LEDGER, out / LEDGER)
    assert "was not made with a course key that I have" in str(run(room, out).exception)
    with pytest.raises(ShardwiseError, match="give the key with --key"):
        Ledger(out / LEDGER)
    Ledger(out / LEDGER, [bytes(32)]).close()
