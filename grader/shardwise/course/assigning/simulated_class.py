"""Simulated students: assigned notebooks filled with known answers, for demos, rehearsals and benchmarks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.kinds import kind_of, variable_of
from shardwise.question import Outcome, Question
from shardwise.text_files import read_bounded

Writer = Callable[[Question], str | None]  # returns the source of an answer cell; None keeps the cell unchanged

ATTACKS = {
    "reads the reference": "import shardwise_bank\nprint((shardwise_bank.folder() / 'solutions' / 'ring.py').read_text())",
    "ends its process": "import os\nos._exit(0)",
    "loops for ever": "while True:\n    pass",
    "allocates 6 GB": "hoard = bytearray(6 * 10**9)",
    "opens a socket": "import socket\nsocket.create_connection(('127.0.0.1', 80), timeout=2)",
    "prints 200 MB": "for _ in range(200):\n    print('x' * 1_000_000)",
}


def right(question: Question) -> str | None:
    """Return the source of the right answer."""
    return _written(question, Outcome.CORRECT, None)


def mistaken(question: Question) -> str | None:
    """Return the source of the first recognised mistake or, without one, of the first wrong answer."""
    tries = ((Outcome.INCORRECT, 0), (Outcome.PARTIAL, 0), (Outcome.INCORRECT, None), (Outcome.PARTIAL, None))
    return next((text for text in (_written(question, *wanted) for wanted in tries) if text), None)


def unreadable(question: Question) -> str | None:
    """Return the source of an answer that cannot be read."""
    return f"{variable_of(question)} = 'a lot, I think'"


def blank(question: Question) -> str | None:
    """Return None, so that the cell stays unchanged."""
    return None


def _written(question: Question, outcome: Outcome, mistake: int | None) -> str | None:
    kind = kind_of(question)
    for sample in kind.samples(question):
        if sample.outcome == outcome and (mistake is None or sample.mistake == mistake):
            return kind.sample_source(question, variable_of(question), sample.raw)
    return None


def fill(notebook: dict[str, Any], questions: Sequence[Question], write: Writer) -> dict[str, Any]:
    """Return a notebook with its answer cells filled in and all other cells unchanged."""
    known = {question.cell: question for question in questions}
    for cell in notebook["cells"]:
        ours = cell["metadata"].get("shardwise", {})
        if ours.get("role") == "answer" and ours.get("question") in known:
            source = write(known[ours["question"]])
            if source is not None:
                cell["source"] = source
    return notebook


def add_cell(notebook: dict[str, Any], source: str, place: int = 3) -> dict[str, Any]:
    """Return a notebook with an additional code cell, as a student would add it."""
    cell: dict[str, Any] = {
        "cell_type": "code",
        "id": f"added-{place}",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
    notebook["cells"].insert(place, cell)
    return notebook


def hand_in(
    lock: Lock, handed_out: Path, handed_in: Path, student: str, write: Writer, attack: str | None = None
) -> Path:
    """Fill in a student's notebook and put it into the folder of submissions; `attack` is the source of an added cell."""
    name = f"{lock.set_name}.ipynb"
    notebook = json.loads(read_bounded(handed_out / student / name, BOUNDS.bytes))
    notebook = fill(notebook, lock.questions(student), write)
    if attack:
        notebook = add_cell(notebook, attack)
    path = handed_in / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), "utf-8")
    return path
