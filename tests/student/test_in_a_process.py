"""Programs in a process of their own: each call is answered, whatever the program writes, starts and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardwise.kinds.calls import Made
from shardwise.student.running.in_a_thread import run_limited

PATIENCE = 30.0  # seconds, on a busy machine


def test_what_a_program_writes_where_only_we_may_costs_its_calls_alone() -> None:
    source = "import os\ndef f(x):\n    for to in range(3, 12):\n        try: os.write(to, b'x' * 10)\n        except OSError: pass\n    return x"
    calls = run_limited(source, "f", [{"x": 1}], seconds=PATIENCE)
    assert [call.status for call in calls] in (["returned"], ["killed"])


def test_a_folder_that_was_deleted_keeps_no_program_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_limited("def f(x): return x", "f", [{"x": 1}], seconds=PATIENCE) == [Made("returned", 1)]
