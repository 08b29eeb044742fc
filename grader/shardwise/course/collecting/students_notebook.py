"""A student's notebook: the questions of a set with the student's name, the due date, and how to hand in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from shardwise.course.assigning.dates import in_words
from shardwise.course.assigning.handed_out import MARK, notebook_digest
from shardwise.course.assigning.lockfile import due_in
from shardwise.course.assigning.notebooks import compact_text, set_notebook
from shardwise.question import Question


def student_notebook(
    header: Mapping[str, Any], student: str, name: str, questions: Sequence[Question], section: str = ""
) -> str:
    """Return the text of a student's notebook file, made only from the lock file."""
    made = set_notebook(
        questions,
        set_name=header["set"],
        intro=_intro(header, name, questions, due_in(header, section)),
        closing=f"## Before you hand in\n\n{_hand_in(header)}",
        metadata={"set": header["set"], "student": student},
    )
    made["metadata"]["shardwise"][MARK] = notebook_digest(made)
    return compact_text(made)


def _intro(header: Mapping[str, Any], name: str, questions: Sequence[Question], until: str | None) -> str:
    """Return the introduction of a graded notebook: its student, number of questions, due date, and how to answer."""
    total = sum(question.points for question in questions)
    count = f"{len(questions)} question{'' if len(questions) == 1 else 's'}, {total:g} points"
    due = f", **due {in_words(datetime.fromisoformat(until))}**" if until else ""
    about = [
        f"# {header['title']}",
        f"**{_inert(name)}**: {count}{due}.",
        str(header.get("intro") or ""),
        "First run the cell “Set-up” below this text. Then answer in the cell under each question and run the cell below it, which "
        "shows how your answer is read, but not whether it is right. Your numbers differ from those of other students. When this "
        "notebook is graded, Python has its standard library, numpy and sympy, but no other packages.",
        _hand_in(header),
    ]
    return "\n\n".join(part for part in about if part)


def _hand_in(header: Mapping[str, Any]) -> str:
    """Return how to hand in, and how often."""
    where = str(header.get("hand_in") or "")
    file = f"Save this notebook and hand in the file, `{header['set']}.ipynb`, without renaming it."
    attempts = header.get("attempts")
    often = (
        ""
        if not attempts
        else f"You can hand in {'once' if attempts == 1 else f'{attempts} times; the last submission counts'}."
    )
    return " ".join(part for part in (where or file, often) if part)


def _inert(name: str) -> str:
    return re.sub(r"[^\w .,'@-]", " ", name)
