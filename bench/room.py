"""Classes that have handed in, for the benchmarks: 12 quantities, 4 functions and 4 choices, all answered right."""

from __future__ import annotations

import json
from pathlib import Path

from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.keys import KEY_FILE, course_key
from shardwise.course.assigning.lockfile import Lock, writing
from shardwise.course.assigning.simulated_class import hand_in, right
from shardwise.kinds import variable_of
from shardwise.question import Question

BANK = Bank.open(Path(__file__).resolve().parents[1])
WANTED = {"quantity": 12, "code": 4, "choice": 4}


def twenty() -> list[str]:
    """The questions, taken in the bank's order."""
    chosen: list[str] = []
    for kind, count in WANTED.items():
        chosen += [name for name, problem in BANK.problems.items() if problem.data["kind"] == kind][:count]
    return chosen


def our_room(folder: Path, count: int, drawn: int = 200) -> Path:
    """A class of `count` that has handed in; gives the folder of submissions.

    The first `drawn` students have draws of their own. The others have theirs again under another name: a class of 10,000
    would take longer to draw than to grade.
    """
    definition = SetDefinition.model_validate({"name": "bench", "title": "Bench", "problems": twenty()})
    students = [Student(f"s{number:05}", f"Student {number}") for number in range(min(count, drawn))]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / KEY_FILE).write_text(bytes(32).hex())  # the same draws every time
    key, _ = course_key(folder / KEY_FILE)
    lock = Lock(assign(BANK, definition, students, key, folder).lock)
    for student in students:
        hand_in(lock, folder / "notebooks", folder / "submitted", student.id, right)
    with writing(lock.path, key) as lines:
        lines.add(lock.header)
        for student in students:
            lines.add(json.loads(lock.line(student.id)))
        for number in range(drawn, count):
            lines.add(_again(lock, folder / "submitted", students[number % drawn].id, f"s{number:05}"))
    return folder / "submitted"


def _again(lock: Lock, submitted: Path, old: str, new: str) -> dict[str, object]:
    """A student's work handed in under another name; gives the other's line of the lock."""
    notebook = json.loads((submitted / old / "bench.ipynb").read_text("utf-8"))
    notebook["metadata"]["shardwise"]["student"] = new
    place = submitted / new / "bench.ipynb"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(notebook), "utf-8")
    return {**json.loads(lock.line(old)), "name": f"Student {new}", "student": new}


def answer(question: Question) -> tuple[str, str]:
    """A right answer as a cell, and asserts on it as a peer would write them."""
    variable = variable_of(question)
    source = right(question) or ""
    if question.kind != "code":
        return source, f"assert {variable} == {(source or '=').partition('=')[2].strip()}"
    cases = [(dict(case.inputs), case.expected) for case in question.key.cases if not case.raises]  # type: ignore[attr-defined]
    return source, f"for given, expected in {cases!r}:\n    assert {variable}(**given) == expected"
