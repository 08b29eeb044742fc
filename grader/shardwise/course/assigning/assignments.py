"""Assigning a set: a definition, a roster and a course key become one notebook per student and a lock file with every draw."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardwise import __version__
from shardwise.atomic_files import alone_in, write_file
from shardwise.bank.bank import Catalogue
from shardwise.course.assigning.changes import changes_between, must_keep_ids, must_keep_problems
from shardwise.course.assigning.drawing import Maker
from shardwise.course.assigning.handed_out import is_as_handed_out
from shardwise.course.assigning.keys import key_fingerprint
from shardwise.course.assigning.lockfile import FORMAT, LOCK_SUFFIX, Lock, line_of, student_line, writing
from shardwise.course.assigning.roster import Student
from shardwise.course.assigning.set_file import Entry, Pool, SetDefinition
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.text_files import first_line, has_contents


@dataclass(frozen=True)
class Assigned:
    """Result of `assign`."""

    lock: Path
    notebooks: int  # for everybody in the lock file
    kept: int  # students who were already in the lock file and keep their draws, including those who left the roster
    left: tuple[str, ...] = ()  # students in the lock file who are no longer on the roster
    changes: tuple[str, ...] = ()  # changes in the set since the last run
    worked_in: tuple[Path, ...] = ()  # notebooks that are out of date but contain work, so they were not overwritten
    other_sections: Mapping[str, int] = field(
        default_factory=dict
    )  # number of students in each section without a due date of its own


def assign(
    bank: Catalogue,
    definition: SetDefinition,
    students: Sequence[Student],
    key: bytes,
    out: Path,
    *,
    force: bool = False,
    notebooks: bool = True,
    progress: Callable[[], None] = lambda: None,
) -> Assigned:
    """Write the lock file and a notebook for each student under `out`. Students who are already locked keep their draws.

    The lock file is written first, as a whole, and then every notebook that is missing or contains no work. That way the next
    run completes an interrupted one. With `force`, notebooks that contain work are overwritten too. Raises ShardwiseError if
    the existing lock file has other problems, or if a notebook asks questions that can no longer be drawn.

    With `notebooks=False`, only the lock file is written, for a set that is handed out in another form.

    `progress` is called twice per student: after their line in the lock file, and after their notebook.
    """
    path = out / f"{definition.name}{LOCK_SUFFIX}"
    header = _header(bank, definition, key)
    maker = Maker(bank, header, key)
    with alone_in(out):
        for left_over in out.glob(f".{path.name}.*.new"):  # remains of a run that was killed
            left_over.unlink()
        before = _lock_so_far(path, key)
        if before:
            must_keep_problems(before, header)
            must_keep_ids(before, students)
        sections = _sections_of(before, students)
        _must_have_students(definition, sections)
        changes = changes_between(before.header, header) if before else ()
        on_roster = {student.id: student for student in students}
        drawn = before.places if before else {}
        with writing(path, key) as lines:
            lines.add(header)
            if before:
                points = _new_points(before.header["points"], bank, definition)
                for name in drawn:
                    lines.sign(_updated(json.loads(before.line(name)), on_roster.get(name), points))
                    progress()
            for student in students:
                if student.id not in drawn:
                    place = None if force else _place(out, student.id, definition.name)
                    lines.sign(maker.line(student, place))
                    progress()
        lock, worked_in = Lock(path, key), []
        for name in lock.students() if notebooks else ():
            place = _place(out, name, definition.name)
            if not _hand_out(maker.notebook(name, lock.line(name), lock.section_of(name)), place, force=force):
                worked_in.append(place)
            progress()
    others = {name: n for name, n in sections.items() if definition.sections and name not in definition.sections}
    left = tuple(name for name in drawn if name not in on_roster)
    return Assigned(path, len(lock.places), len(drawn), left, changes, tuple(worked_in), others)


def _sections_of(before: Lock | None, students: Sequence[Student]) -> Counter[str]:
    """Count the students in each section, including those who are in the lock file but no longer on the roster."""
    drawn = {student: before.section_of(student) for student in before.places} if before else {}
    return Counter((drawn | {student.id: student.section for student in students}).values())


def _must_have_students(definition: SetDefinition, sections: Mapping[str, int]) -> None:
    """Raise ShardwiseError if a section of the set has no students, since a typo would give a section the wrong due date."""
    if empty := [repr(name) for name in definition.sections if name not in sections]:
        on_roster = ", ".join(repr(name) for name in sorted(sections) if name)
        raise ShardwiseError(
            f"The set {definition.name} has a due date for section {' and '.join(empty)}, but no student on the roster is in it. "
            + (f"The roster has {on_roster}." if on_roster else 'The roster needs a column "section".')
        )


def _lock_so_far(path: Path, key: bytes) -> Lock | None:
    """Return the existing lock file, even one that was cut off while it was written; None without a complete line."""
    if not path.exists():
        return None
    if not first_line(path, BOUNDS.lock_header_bytes).endswith(b"\n"):
        return None
    return Lock(path, key, cut_off=True)


def _header(bank: Catalogue, definition: SetDefinition, key: bytes) -> dict[str, Any]:
    sections = {name: {"due": section.due.isoformat()} for name, section in definition.sections.items()}
    return {
        "format": FORMAT,
        "set": definition.name,
        "title": definition.title,
        "intro": definition.intro,
        "hand_in": definition.hand_in,
        "attempts": definition.attempts,
        "due": definition.due.isoformat() if definition.due else None,
        **({"sections": sections} if sections else {}),
        "problems": [_in_header(entry, bank) for entry in definition.problems],
        "points": [entry.points for entry in definition.problems],
        "key": key_fingerprint(key),
        "version": __version__,
    }


def _in_header(entry: Entry | Pool, bank: Catalogue) -> Any:
    if isinstance(entry, Entry):
        return bank.find(entry.id).id
    return {"pool": [bank.find(name).id for name in entry.pool], "choose": entry.choose}


def _new_points(old: Sequence[float | None], bank: Catalogue, definition: SetDefinition) -> dict[int, float]:
    """Return the points of the questions whose points were changed in the set, by the question's place in a student's notebook."""
    found, place = dict[int, float](), 0
    for entry, before in zip(definition.problems, old, strict=True):
        name, count = (entry.id, 1) if isinstance(entry, Entry) else (entry.pool[0], entry.choose)
        if entry.points != before:
            worth = entry.points or float(bank.find(name).data["points"])
            found |= dict.fromkeys(range(place, place + count), worth)
        place += count
    return found


def _updated(line: dict[str, Any], today: Student | None, points: Mapping[int, float]) -> bytes:
    """Return a student's line with current names and points; a student who left the roster keeps the old names."""
    for place, worth in points.items():
        line["questions"][place]["points"] = worth
    whose = today or Student(line["student"], line["name"], line.get("also", ()), line.get("section", ""))
    return line_of(student_line(line["student"], whose.name, line["questions"], whose.also, whose.section)).encode()


def _hand_out(text: str, path: Path, *, force: bool) -> bool:
    """Write a student's notebook unless that would overwrite work; return whether the file is up to date."""
    if path.exists() and not force and not is_as_handed_out(path):
        return False
    if not has_contents(path, text.encode()):
        write_file(path, text.encode())
    return True


def _place(out: Path, student: str, name_of_set: str) -> Path:
    return out / "notebooks" / student / f"{name_of_set}.ipynb"
