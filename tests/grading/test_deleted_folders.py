"""A folder that is deleted while a command writes to it: one line, and no table that claims that nobody was graded."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from drawing import every_sixth_at_once
from writing_commands import begun, complaints, left, prepared

WRITING = {
    "assign": ".lock",
    "grade": "ledger.sqlite",
    "regrade": ".regrade/ledger.sqlite",
}  # and the first file in it


@pytest.mark.parametrize("name", every_sixth_at_once(list(WRITING)))
def test_a_folder_that_is_deleted_meanwhile_is_reported_in_a_sentence(name: str, tmp_path: Path) -> None:
    prepared(tmp_path, name)
    ran = begun(tmp_path, name)
    while not (tmp_path / "out" / WRITING[name]).exists():
        assert ran.poll() is None
        time.sleep(0.001)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)  # a file may appear during the deletion
    assert complaints(ran) == [
        "shardwise: out was deleted or moved while files were being written to it. Run the same command again."
    ]
    assert ran.returncode == 2
    assert "out/grades.csv" not in left(tmp_path)
