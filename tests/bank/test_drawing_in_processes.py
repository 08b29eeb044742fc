"""A large class is drawn in several processes: the same files as in one, and none of them outlives the command."""

from __future__ import annotations

import pickle
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
