"""A large class is drawn in several processes: the same files as in one, and none of them outlives the command."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from checkout import ROOT
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.scaffold import init_bank
from shardwise.course.assigning import drawing
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.errors import Fault, Faulty, ShardwiseError

KEY = bytes(32)
MIXED = (
    "bytes-per-gpu",
    "ring-time-function",
    "ring-time-bug",
    "plan-the-layout",
    "reading-bus-bandwidth",
    "monthly-payment",
)
LONG = 2000  # students of the class that is interrupted: it would take half a minute


def definition_of(*problems: str) -> SetDefinition:
    return SetDefinition.model_validate({"name": "w1", "title": "Week 1", "problems": problems})


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def always_in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "FEW", 0)


@pytest.mark.usefixtures("always_in_processes")
def test_processes_write_what_one_would_and_complete_it(tmp_path: Path) -> None:
    """Of two banks, with students who were drawn before."""
    banks = Banks([Bank.open(ROOT), Bank.open(ROOT / "examples" / "bank")])
    students = [Student(f"s{number}", f"Student {number}") for number in range(20)]
    steps: list[str] = []
    for name, workers in (("one", 1), ("three", 3)):
        out = tmp_path / name
        assign(banks, definition_of(*MIXED), students[:3], KEY, out, workers=workers)
        assign(
            banks,
            definition_of(*MIXED),
            students,
            KEY,
            out,
            workers=workers,
            progress=lambda name=name: steps.append(name),
        )
    assert files(tmp_path / "one") == files(tmp_path / "three")
    assert len(files(tmp_path / "one")) == 22
    assert steps.count("one") == steps.count("three") == 40


@pytest.mark.usefixtures("always_in_processes")
def test_what_goes_wrong_in_a_process_is_said_as_in_one(tmp_path: Path) -> None:
    init_bank(tmp_path / "bank")
    code = tmp_path / "bank" / "solutions" / "example.py"
    whole = code.read_text()
    students = [Student(f"s{number}", f"Student {number}") for number in range(8)]
    for line, said in (
        ("raise RuntimeError('boom')", "first-quantity, seed .*: RuntimeError: boom"),
        ("__import__('os')._exit(3)", "A process ended in the midst of its work"),
    ):
        code.write_text(whole.replace("    return", f"    {line}\n    return", 1))
        bank = Bank.open(tmp_path / "bank")
        with pytest.raises(ShardwiseError, match=said):
            assign(bank, definition_of("first-quantity"), students, KEY, tmp_path / "out", workers=2)
    assert [name for name in files(tmp_path / "out") if name != ".lock"] == []


def test_faults_come_out_of_a_process_whole() -> None:
    faulty = Faulty([Fault("a.yaml:1", "is empty", "Write it."), Fault("b.yaml", "is missing")])
    again = pickle.loads(pickle.dumps(faulty))
    assert again.faults == faulty.faults and str(again) == str(faulty)


@pytest.fixture
def drawing_a_long_class(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A command that is drawing a class in processes of its own, as a terminal begins it."""
    (tmp_path / "set.yaml").write_text("name: w1\ntitle: Week 1\nproblems: [ring-time-function, plan-the-layout]\n")
    (tmp_path / "roster.csv").write_text("student\n" + "".join(f"s{number}\n" for number in range(LONG)))
    words = [
        sys.executable,
        "-m",
        "shardwise",
        "assign",
        "set.yaml",
        "--roster",
        "roster.csv",
        "--out",
        "out",
        "--bank",
        str(ROOT),
    ]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what is ignored here would be ignored there
    try:
        running = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    finally:
        signal.signal(signal.SIGINT, before)
    until = time.monotonic() + 60
    while not list(tmp_path.glob("out/.w1*.new")) and time.monotonic() < until:
        time.sleep(0.02)
    assert children(running.pid) or len(os.sched_getaffinity(0)) == 1
    with running:  # closes what it says and waits for its end
        yield running
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until_gone(processes: list[int]) -> None:
    until = time.monotonic() + 30
    while any(Path(f"/proc/{process}").exists() for process in processes):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_ctrl_c_ends_it_with_all_its_processes_and_leaves_nothing(
    drawing_a_long_class: subprocess.Popen[str], tmp_path: Path
) -> None:
    begun = children(drawing_a_long_class.pid)
    os.killpg(drawing_a_long_class.pid, signal.SIGINT)  # as a terminal does: to every process
    _, complaints = drawing_a_long_class.communicate(timeout=60)
    stopped = "Stopped. The same command writes what is missing in out."
    assert (drawing_a_long_class.returncode, complaints.splitlines()[-1]) == (130, stopped)
    assert len(complaints.splitlines()) == 2  # the bank, and that
    wait_until_gone(begun)
    assert sorted(files(tmp_path / "out")) == [".lock", "course.key"]


@pytest.mark.slow
def test_its_processes_end_when_it_is_killed(drawing_a_long_class: subprocess.Popen[str], tmp_path: Path) -> None:
    begun = children(drawing_a_long_class.pid)
    drawing_a_long_class.kill()
    drawing_a_long_class.wait()
    wait_until_gone(begun)
    (tmp_path / "roster.csv").write_text("student\ns1\n")
    again = [*map(str, drawing_a_long_class.args)]  # type: ignore[union-attr]
    done = subprocess.run(again, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sorted(files(tmp_path / "out")) == [".lock", "course.key", "notebooks/s1/w1.ipynb", "w1.lock.jsonl"]
