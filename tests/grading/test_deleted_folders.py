"""A folder that is deleted while a command writes into it: one sentence, and no table that says that nobody was graded."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from drawing import every_sixth_at_once
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.scaffold import init_bank, new_problem
from writing_commands import begun, complaints, left, prepared

WRITING = {
    "assign": ".lock",
    "grade": "ledger.sqlite",
    "regrade": ".regrade/ledger.sqlite",
}  # and the first that lies there
MEANWHILE = """
import sys
from pathlib import Path

def delete(event, arguments):
    if event == "os.rename" and str(arguments[1]).endswith("02-more.ipynb"):
        Path("out/01-first-chapter.ipynb").unlink()

sys.addaudithook(delete)
from shardwise.__main__ import main
main()
"""


@pytest.mark.parametrize("name", every_sixth_at_once(list(WRITING)))
def test_a_folder_that_is_deleted_meanwhile_is_said_in_a_sentence(name: str, tmp_path: Path) -> None:
    prepared(tmp_path, name)
    ran = begun(tmp_path, name)
    while not (tmp_path / "out" / WRITING[name]).exists():
        assert ran.poll() is None
        time.sleep(0.001)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)  # a file may come while it deletes
    assert complaints(ran) == [
        "shardwise: out was deleted or moved away while something was written into it. Run the same command again."
    ]
    assert ran.returncode == 2
    assert "out/grades.csv" not in left(tmp_path)


@pytest.mark.slow
def test_a_notebook_that_is_deleted_while_others_are_rendered_is_said_in_a_sentence(tmp_path: Path) -> None:
    init_bank(tmp_path / "bank")
    new_problem("02-more/one", "choice", Banks([Bank.open(tmp_path / "bank")]))
    words = [sys.executable, "-c", MEANWHILE, "render", "--out", "out", "--bank", "bank"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1] == (
        "shardwise: out/01-first-chapter.ipynb: deleted while others were written. Run the same command again."
    )
