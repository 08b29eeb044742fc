"""Sets: a definition, a roster and a course key become one notebook per student and a lock file with every draw."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardwise import __version__
from shardwise.atomic_files import alone_in, write_file
from shardwise.bank.bank import Catalogue
from shardwise.course.assigning.drawing import Maker
from shardwise.course.assigning.handed_out import is_as_handed_out
from shardwise.course.assigning.keys import key_fingerprint
from shardwise.course.assigning.lockfile import (
    FORMAT,
    LOCK_SUFFIX,
    Lock,
    choice_in,
    due_in,
    line_of,
    student_line,
    writing,
)
from shardwise.course.assigning.roster import Student
from shardwise.course.assigning.set_file import Entry, Pool, SetDefinition
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.text_files import first_line, has_contents


@dataclass(frozen=True)
class Assigned:
    """What `assign` did."""

    lock: Path
    notebooks: int  # for everybody in the lock file
    kept: int  # students who were already in the lock file and keep their draws, including those who left the roster
    left: tuple[str, ...] = ()  # students in the lock file who are no longer on the roster
    changes: tuple[str, ...] = ()  # changes in the set since the last run
    worked_in: tuple[Path, ...] = ()  # notebooks that are out of date but contain work, so they were not overwritten
    other_sections: Mapping[str, int] = field(default_factory=dict)  # students by section without a due date of its own


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
        if before and before.header["problems"] != header["problems"]:
            raise ShardwiseError(
                f"{path} was drawn from a version of this set with other problems, and students may have those notebooks. "
                "Give the set a new name, or use another --out."
            )
        _must_be_the_students_of(before, students)
        sections = _sections_of(before, students)
        _must_have_students(definition, sections)
        changes = _changes(before.header, header) if before else ()
        kept = len(before.places) if before else 0
        on_roster = {student.id for student in students}
        left = tuple(student for student in before.places if student not in on_roster) if before else ()
        points = _new_points(before.header["points"], bank, definition) if before else {}
        with writing(path, key) as lines:
            lines.add(header)
            for line in _lines(
                before,
                points,
                students,
                maker,
                lambda student: None if force else _place(out, student, definition.name),
            ):
                lines.sign(line)
                progress()
        lock, worked_in = Lock(path, key), []
        for student in lock.students() if notebooks else ():
            place = _place(out, student, definition.name)
            if not _hand_out(maker.notebook(student, lock.line(student), lock.section_of(student)), place, force=force):
                worked_in.append(place)
            progress()
    others = {name: n for name, n in sections.items() if definition.sections and name not in definition.sections}
    return Assigned(path, len(lock.places), kept, left, changes, tuple(worked_in), others)


def _sections_of(before: Lock | None, students: Sequence[Student]) -> Counter[str]:
    """Return how many students each section has, those included who left the roster and are still in the lock file."""
    drawn = {student: before.section_of(student) for student in before.places} if before else {}
    return Counter((drawn | {student.id: student.section for student in students}).values())


def _must_have_students(definition: SetDefinition, sections: Mapping[str, int]) -> None:
    """Raise ShardwiseError for sections of a set without students: with a typo, a section would have the wrong due date."""
    if empty := [repr(name) for name in definition.sections if name not in sections]:
        on_roster = ", ".join(repr(name) for name in sorted(sections) if name)
        raise ShardwiseError(
            f"The set {definition.name} has a due date for section {' and '.join(empty)}, but no student on the roster is in it. "
            + (f"The roster has {on_roster}." if on_roster else 'The roster needs a column "section".')
        )


def _must_be_the_students_of(before: Lock | None, students: Sequence[Student]) -> None:
    """Raise ShardwiseError if a student of the lock file has another id in the roster, be it only in its capitals.

    On many disks, ids that differ only in capitals would share a folder.
    """
    drawn = {student.casefold(): student for student in before.places} if before else {}
    for student in students:
        if (was := drawn.get(student.id.casefold(), student.id)) != student.id:
            raise ShardwiseError(
                f"The roster has {student.id!r}, but the lock file has {was!r}. Write {was!r} in the roster, as before."
            )
    if before:
        _must_keep_ids(before, students)


def _must_keep_ids(before: Lock, students: Sequence[Student]) -> None:
    """Raise ShardwiseError if the roster, perhaps another system's, has other ids for students: they would get new questions.

    A student is recognised by an id or alias. Names count if most of the new ones are those of students who are gone.
    """
    on_roster = {student.id for student in students}
    gone = [student for student in before.places if student not in on_roster]
    by_alias = {alias.casefold(): student for student in gone for alias in (student, *before.called(student)[1])}
    by_name = {name: student for student in gone if (name := before.called(student)[0]) != student}
    new = [student for student in students if student.id not in before.places]
    known = [
        (by_alias[alias], each.id)
        for each in new
        for alias in map(str.casefold, (each.id, *each.also))
        if alias in by_alias
    ]
    named = [(by_name[each.name], each.id) for each in new if each.name in by_name]
    for was, now in known or (named if 2 * len(named) > len(new) else ()):
        raise ShardwiseError(
            f"The roster calls a student {now!r} who is {was!r} in the lock file. Rename the column with the ids of the lock file "
            "to `student`, so that everybody keeps their questions."
        )


def _lock_so_far(path: Path, key: bytes) -> Lock | None:
    """Return the existing lock file, even one that was cut off while it was written; None without a complete line."""
    if not path.exists():
        return None
    if not first_line(path, BOUNDS.lock_header_bytes).endswith(b"\n"):
        return None
    return Lock(path, key, cut_off=True)


def _header(bank: Catalogue, definition: SetDefinition, key: bytes) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "set": definition.name,
        "title": definition.title,
        "intro": definition.intro,
        "hand_in": definition.hand_in,
        "attempts": definition.attempts,
        "due": definition.due.isoformat() if definition.due else None,
        **({"sections": _sections(definition)} if definition.sections else {}),
        "problems": [_in_header(entry, bank) for entry in definition.problems],
        "points": [entry.points for entry in definition.problems],
        "key": key_fingerprint(key),
        "version": __version__,
    }


def _in_header(entry: Entry | Pool, bank: Catalogue) -> Any:
    if isinstance(entry, Entry):
        return bank.find(entry.id).id
    return {"pool": [bank.find(name).id for name in entry.pool], "choose": entry.choose}


def _sections(definition: SetDefinition) -> dict[str, Any]:
    return {name: {"due": section.due.isoformat()} for name, section in definition.sections.items()}


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Describe the changes in a set since the last run."""
    names = ("title", "intro", "hand_in", "due", "attempts")
    pairs = [(name, old[name], new[name]) for name in names]
    points = zip(new["problems"], old["points"], new["points"], strict=True)
    sections = {**old.get("sections", {}), **new.get("sections", {})}
    pairs += [(f"due date of section {name}", due_in(old, name), due_in(new, name)) for name in sections]
    pairs += [(f"points of {_label(entry)}", _points(was), _points(now)) for entry, was, now in points]
    return tuple(f"{name}: {_said(before)} → {_said(after)}" for name, before, after in pairs if before != after)


def _label(entry: Any) -> str:
    names, _ = choice_in(entry)
    slugs = ", ".join(name.rpartition("/")[2] for name in names)
    return slugs if isinstance(entry, str) else f"the pool {slugs}"


def _said(value: Any) -> str:
    return "none" if value in (None, "") else f"{value}"[:60]


def _points(given: float | None) -> str:
    return "as in the bank" if given is None else f"{given:g}"


def _lines(
    before: Lock | None, points: Mapping[int, float], students: Sequence[Student], maker: Maker, place: Callable[[str], Path | None]
) -> Iterator[bytes]:  # fmt: skip
    """Yield the lines of a lock file: existing students keep their draws, with current points and names; new ones are drawn."""
    on_roster = {student.id: student for student in students}
    known = before.places if before else {}
    for drawn in before.students() if before else ():
        yield _updated(json.loads(before.line(drawn)), on_roster.get(drawn), points)  # type: ignore[union-attr]
    yield from (maker.line(student, place(student.id)) for student in students if student.id not in known)


def _new_points(old: Sequence[float | None], bank: Catalogue, definition: SetDefinition) -> dict[int, float]:
    """Return the points of questions that the set has changed; points from a template stay as they were drawn."""
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
