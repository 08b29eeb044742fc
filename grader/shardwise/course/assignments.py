"""Sets: a definition, a roster and a course key become one notebook a student, and a lock file with every draw."""

from __future__ import annotations

import csv
import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator

from shardwise import __version__
from shardwise.atomic_files import replacing
from shardwise.bank.bank import Catalogue
from shardwise.bank.posing import pose
from shardwise.course.lockfile import FORMAT, LOCK_SUFFIX, Lock, line_of
from shardwise.course.notebooks import compact_text, set_notebook
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.question import Question
from shardwise.template import yaml_source
from shardwise.template.model import AuthorModel

SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}"  # what a file name may be on every system


class Entry(AuthorModel):
    """One problem of a set."""

    id: str = Field(description="The problem's id, or its slug.")
    points: float | None = Field(None, gt=0, le=100, description="Instead of the template's points.")


def _entry(value: Any) -> Any:
    return {"id": value} if isinstance(value, str) else value


class SetDefinition(AuthorModel):
    """A set of problems to be handed out."""

    name: str = Field(pattern=rf"^{SAFE_NAME}$", description="Names the files, and is part of every seed.")
    title: str = Field(min_length=3)
    intro: str = Field("", description="Markdown above the first question.")
    problems: tuple[Annotated[Entry, BeforeValidator(_entry, json_schema_input_type=str | Entry)], ...] = Field(
        min_length=1
    )
    attempts: int | None = Field(None, ge=1, description="How often a student may hand in; shown in the notebook.")
    due: datetime | None = Field(None, description="ISO 8601 with an offset, such as 2026-12-01T23:59:00+01:00.")

    @field_validator("due", mode="after")
    @classmethod
    def _with_offset(cls, due: datetime | None) -> datetime | None:
        if due is not None and due.tzinfo is None:
            raise ValueError("a due date needs an offset, such as 2026-12-01T23:59:00+01:00 or ...Z")
        return due


@dataclass(frozen=True)
class Student:
    """One line of a roster."""

    id: str
    name: str


def load_set(path: Path, bank: Catalogue) -> SetDefinition:
    """A set's definition. Raises Faulty with all its faults, also for problems that do not exist or come twice."""
    source = yaml_source.load(path)
    made: SetDefinition = yaml_source.validate(source, SetDefinition)
    faults, seen = [], dict[str, str]()
    for place, entry in enumerate(made.problems):
        try:
            problem = bank.find(entry.id)
        except ShardwiseError as error:
            faults.append(source.fault(("problems", place), str(error)))
            continue
        if problem.slug in seen:
            other = seen[problem.slug]
            why = "comes twice" if other == problem.id else f"and {other} would have the same name in a notebook"
            faults.append(source.fault(("problems", place), f"{problem.id} {why}", "Take one of them out."))
        seen[problem.slug] = problem.id
    if faults:
        raise Faulty(faults)
    return made


def load_roster(path: Path) -> list[Student]:
    """A roster: CSV with a `student` column and perhaps a `name`. Raises Faulty with all its faults."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise Faulty([Fault(str(path), f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError:
        raise Faulty([Fault(str(path), "is not UTF-8 text", "Save the table as CSV in UTF-8.")]) from None
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or "student" not in rows[0]:
        seen = ", ".join(rows[0]) if rows else "nothing"
        raise Faulty([Fault(f"{path}:1:1", f"I saw {seen}", "A roster begins with the line: student,name")])
    faults, students = [], {}
    for number, row in enumerate(rows, start=2):
        identity = (row["student"] or "").strip()
        if not re.fullmatch(SAFE_NAME, identity):
            faults.append(Fault(f"{path}:{number}:1", f"student {identity!r} is no name for a file",
                                "Use letters, digits, . _ @ and -, at most 64, beginning with a letter or digit."))  # fmt: skip
        elif identity.lower() in students:
            faults.append(Fault(f"{path}:{number}:1", f"student {identity!r} comes twice"))
        students[identity.lower()] = Student(identity, (row.get("name") or identity).strip())
    if faults:
        raise Faulty(faults)
    return list(students.values())


def course_key(path: Path) -> tuple[bytes, bool]:
    """The course's secret key, and whether it was made just now. Whoever has it can draw every student's questions."""
    if path.exists():
        key = path.read_text("ascii", errors="replace").strip()
        if not re.fullmatch(r"[0-9a-f]{64}", key):
            raise ShardwiseError(f"{path} is no course key: I expected 64 hexadecimal digits.")
        return bytes.fromhex(key), False
    made = secrets.token_bytes(32)
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(made.hex() + "\n")
    return made, True


def seed_for(key: bytes, student: str, set_name: str, problem: str) -> str:
    """The seed of one student's question: HMAC-SHA256, so that nobody without the key can foresee it."""
    text = "\0".join((student, set_name, problem))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:24]


def draw_set(bank: Catalogue, definition: SetDefinition, key: bytes, student: str) -> list[Question]:
    """A student's questions."""
    questions = []
    for number, entry in enumerate(definition.problems, start=1):
        problem = bank.find(entry.id)
        question = pose(problem, seed_for(key, student, definition.name, problem.id))
        changed: dict[str, Any] = {"handle": f"q{number}"}
        if entry.points is not None:
            changed["points"] = entry.points
        questions.append(question.model_copy(update=changed))
    return questions


def student_notebook(header: Mapping[str, Any], student: str, name: str, questions: Sequence[Question]) -> str:
    """The text of a student's notebook file, made from lock data alone."""
    about = [f"# {header['title']}", f"**{_inert(name)}**", str(header.get("intro") or "")]
    if header.get("due"):
        about.append(f"Due: {header['due']}")
    if header.get("attempts"):
        about.append(
            f"You may hand in {header['attempts']} time{'s' if header['attempts'] != 1 else ''}; the last one counts."
        )
    total = sum(question.points for question in questions)
    about.append(
        f"{len(questions)} questions, {total:g} points. The numbers are yours alone. Answer in the cell under each question; "
        "`check(...)` below it says how your answer is read, and not whether it is right."
    )
    setup = {
        question.slug: {
            "kind": question.kind, "points": question.points, "form": question.form.model_dump(mode="json")
        }
        for question in questions
    }  # fmt: skip
    made = set_notebook(
        questions,
        intro="\n\n".join(part for part in about if part),
        setup=setup,
        metadata={"set": header["set"], "student": student},
    )
    return compact_text(made)


def _inert(name: str) -> str:
    return re.sub(r"[^\w .,'@-]", " ", name)


@dataclass(frozen=True)
class Assigned:
    """What `assign` did."""

    lock: Path
    notebooks: int
    kept: int  # students whose draws were in the lock already and stayed as they were


def assign(
    bank: Catalogue,
    definition: SetDefinition,
    students: Sequence[Student],
    key: bytes,
    out: Path,
    *,
    progress: Callable[[], None] | None = None,
) -> Assigned:
    """Write a notebook for each student under `out`, and the lock file. Who is in the lock already keeps their draws.

    Raises ShardwiseError when the lock there belongs to another version of the set.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{definition.name}{LOCK_SUFFIX}"
    header = {
        "format": FORMAT,
        "set": definition.name,
        "title": definition.title,
        "intro": definition.intro,
        "attempts": definition.attempts,
        "due": definition.due.isoformat() if definition.due else None,
        "problems": [bank.find(entry.id).id for entry in definition.problems],
        "points": [entry.points for entry in definition.problems],
        "key": hashlib.sha256(b"shardwise course key" + key).hexdigest()[:16],  # to notice another key, not to find it
        "version": __version__,
    }
    lock = Lock(path) if path.exists() else None
    if lock:
        same = all(lock.header.get(name) == header[name] for name in ("problems", "points", "key"))
        if not same:
            raise ShardwiseError(
                f"{path} was drawn from another version of this set or with another key, and notebooks may be out. "
                "Give the set a new name, or another --out."
            )
        header = lock.header
    known = lock.places if lock else {}
    with replacing(path) as fresh, fresh.open("w", encoding="utf-8") as file:
        # As a whole or not at all: an interrupted run leaves the lock that was there, and the next one draws the same.
        file.write(path.read_text("utf-8") if lock else line_of(header))
        for student in students:
            if lock and student.id in known:
                questions = lock.questions(student.id)
            else:
                questions = draw_set(bank, definition, key, student.id)
                dumped = [question.model_dump(mode="json") for question in questions]
                file.write(line_of({"name": student.name, "questions": dumped, "student": student.id}))
            folder = out / "notebooks" / student.id
            folder.mkdir(parents=True, exist_ok=True)
            text = student_notebook(header, student.id, student.name, questions)
            (folder / f"{definition.name}.ipynb").write_text(text, "utf-8")
            if progress:
                progress()
    kept = sum(student.id in known for student in students)
    return Assigned(path, len(students), kept)
