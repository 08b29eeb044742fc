"""Changes in a set or its roster since it was last assigned: refused if students would get other questions, or described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shardwise.course.assigning.lockfile import Lock, choice_in, due_in
from shardwise.course.assigning.roster import Student
from shardwise.errors import ShardwiseError


def must_keep_problems(before: Lock, header: Mapping[str, Any]) -> None:
    """Raise ShardwiseError if the set has other problems than its lock file."""
    if before.header["problems"] != header["problems"]:
        raise ShardwiseError(
            f"{before.path} was drawn from a version of this set with other problems, and students may have those notebooks. "
            "Give the set a new name, or use another --out."
        )


def must_keep_ids(before: Lock, students: Sequence[Student]) -> None:
    """Raise ShardwiseError if a student of the lock file has another id on the roster, and so would get new questions.

    A student is recognised by an id, in any capitals, or an alias. A name counts only if most new students have the name of
    somebody who left, as on a roster from another system.
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
        if was.casefold() == now.casefold():  # on many disks, both would share a folder
            raise ShardwiseError(
                f"The roster has {now!r}, but the lock file has {was!r}. Write {was!r} in the roster, as before."
            )
        raise ShardwiseError(
            f"The roster calls a student {now!r} who is {was!r} in the lock file. Rename the column with the ids of the lock file "
            "to `student`, so that everybody keeps their questions."
        )


def changes_between(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """Describe the changes between two headers of a set's lock file."""
    names = ("title", "intro", "hand_in", "due", "attempts")
    pairs = [(name, old[name], new[name]) for name in names]
    points = zip(new["problems"], old["points"], new["points"], strict=True)
    sections = {**old.get("sections", {}), **new.get("sections", {})}
    pairs += [(f"due date of section {name}", due_in(old, name), due_in(new, name)) for name in sections]
    pairs += [(f"points of {_label(entry)}", _points(was), _points(now)) for entry, was, now in points]
    return tuple(f"{name}: {_text(before)} → {_text(after)}" for name, before, after in pairs if before != after)


def _label(entry: Any) -> str:
    names, _ = choice_in(entry)
    slugs = ", ".join(name.rpartition("/")[2] for name in names)
    return slugs if isinstance(entry, str) else f"the pool {slugs}"


def _text(value: Any) -> str:
    return "none" if value in (None, "") else f"{value}"[:60]


def _points(given: float | None) -> str:
    return "as in the bank" if given is None else f"{given:g}"
