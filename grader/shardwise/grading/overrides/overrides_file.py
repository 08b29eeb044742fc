"""The file `overrides.yaml`: reads it, checks it against lock files, and appends to it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from shardwise.atomic_files import make_folder, write_file
from shardwise.course.assigning.lockfile import Lock, problems_in
from shardwise.course.collecting.names import names_of
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.grading.overrides.model import Accept, Override
from shardwise.grading.overrides.rulings import NO_RULINGS, Ruling, StudentRulings
from shardwise.kinds import kind_of
from shardwise.kinds.base import NumericKind
from shardwise.template.yaml_source import Source, load_yaml, parse_yaml, validate
from shardwise.text_files import read_text

OVERRIDES_FILE = "overrides.yaml"
_LETTERS = re.compile(r"[\W_]*[^\W_](?:[\W_]+[^\W_])*[\W_]*")  # such as b, 'a, c' or {"1": "a", "2": "f"}


@cache
def adapter_of_entries() -> TypeAdapter[tuple[Override, ...]]:
    """Return the pydantic adapter that validates the entries of an `overrides.yaml`."""
    return TypeAdapter(tuple[Override, ...])


@dataclass(frozen=True)
class Overrides:
    """The entries of an `overrides.yaml`, in order; a later entry wins over an earlier one."""

    entries: tuple[Override, ...] = ()
    source: Source | None = field(default=None, repr=False)

    def check(self, locks: Iterable[Lock]) -> None:
        """Raise Faulty with every student, section and question that is unknown to the lock file of its set.

        An entry for all sets may be about a student who is in only one of them.
        """
        known = list(locks)
        faults = [fault for lock in known for fault in self._faults(lock)]
        for number, entry in enumerate(self.entries if known else ()):
            if not entry.set:
                of_each = [tuple(self._faults_of_students(number, entry, lock)) for lock in known]
                faults += sorted(of_each, key=len)[0]
        if faults:
            raise Faulty(faults)

    def _faults(self, lock: Lock) -> Iterator[Fault]:
        for number, entry in enumerate(self.entries):
            if entry.set != lock.set_name:
                continue
            yield from self._faults_of_students(number, entry, lock)
            slugs = [problem.rpartition("/")[2] for problem in problems_in(lock.header)]
            if entry.question and entry.question.rpartition("/")[2] not in slugs:
                remedy = f"The questions are {', '.join(slugs)}."
                yield self._fault(
                    (number, "question"), f"unknown question {entry.question!r} in {lock.set_name}", remedy
                )
            elif entry.accept and (why := _cannot_accept(entry, entry.accept, lock)):
                remedy = "Accept words of the feedback instead, or the text of an option."
                yield self._fault((number, "accept"), f"{entry.question}: {why}", remedy)

    def _faults_of_students(self, number: int, entry: Override, lock: Lock) -> Iterator[Fault]:
        for name in entry.student:
            count = len(_students_called(name, lock))
            if count != 1:
                who = "is not in" if count == 0 else "may be several students of"
                remedy = "Write the student's id, in quotes if it is a number."
                yield self._fault((number, "student"), f"{name!r} {who} {lock.path.name}", remedy)
        for section in entry.section:
            if section not in (sections := sorted({lock.section_of(student) for student in lock.places} - {""})):
                remedy = f"The sections are {', '.join(sections)}." if sections else "The roster lists no sections."
                yield self._fault((number, "section"), f"unknown section {section!r}", remedy)

    def sets(self) -> dict[str, int]:
        """Return the sets that entries name, with their numbers of entries."""
        return dict(Counter(entry.set for entry in self.entries if entry.set))

    def _fault(self, path: tuple[str | int, ...], message: str, remedy: str) -> Fault:
        return self.source.fault(path, message, remedy) if self.source else Fault(f"--{path[-1]}", message, remedy)

    def of(self, lock: Lock, student: str) -> StudentRulings:
        """Return the rulings on a student's notebook."""
        rulings = NO_RULINGS
        for entry in self.entries:
            if entry.set in ("", lock.set_name) and _is_about(entry, lock, student):
                rulings = _ruled(rulings, entry)
        return rulings

    def documents(self) -> list[str]:
        """Return the entries as JSON, for the ledger."""
        return [
            json.dumps(entry.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
            for entry in self.entries
        ]

    def with_entries(self, more: Sequence[Override]) -> Overrides:
        """Return these overrides with more entries."""
        return replace(self, entries=(*self.entries, *more))


NO_OVERRIDES = Overrides()


def load_overrides(path: Path) -> Overrides:
    """Read an `overrides.yaml`; a file of comments decides nothing. Raises Faulty with all its faults."""
    source = load_yaml(path)
    if source.data is None:
        return Overrides((), source)
    return Overrides(validate(source, adapter_of_entries()), source)


def add_overrides(path: Path, entries: Sequence[Override]) -> None:
    """Append entries to an `overrides.yaml`, which keeps its comments.

    Raises Faulty if the file has faults, and ShardwiseError if nothing can be appended to it.
    """
    lines = [f"- {_flow(entry.model_dump(mode='json', exclude_defaults=True))}\n" for entry in entries]
    make_folder(path.parent, mode=0o700)
    with _alone_with(path):
        before = read_text(path, str(path)) if path.exists() else _HEAD
        old = load_overrides(path) if path.exists() else NO_OVERRIDES
        _, column = old.source.places.get((0,), (0, 2)) if old.source else (0, 2)
        text = before.rstrip("\n") + "\n" + "".join(" " * (column - 2) + line for line in lines)
        try:
            is_whole = len(parse_yaml(text, str(path)).data or ()) == len(old.entries) + len(entries)
        except Faulty:
            is_whole = False
        if not is_whole:
            raise ShardwiseError(
                f"No entry can be added at the end of {path}. Begin each entry on a line of its own with a hyphen, without "
                f"[ ] around them, or add this yourself:\n{''.join(lines).rstrip()}"
            )
        write_file(path, text.encode(), private=True)


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    """Lock the folder of a file while entries are added, so that two processes do not overwrite each other's entries."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


_HEAD = "# Decisions about results. `shardwise grade` and `shardwise regrade` apply them; docs/overrides.md explains each.\n"


def _flow(document: Mapping[str, Any]) -> str:
    """Return an entry as a line of YAML: JSON values are valid in it."""
    short = {
        name: value[0] if name in ("student", "section") and len(value) == 1 else value
        for name, value in document.items()
    }
    return "{" + ", ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in short.items()) + "}"


def _students_called(name: str, lock: Lock) -> frozenset[str]:
    """Return the students of a set with this id, alias or name."""
    if name in lock.places:
        return frozenset({name})
    names = names_of(lock)
    return names.with_id(name) or names.person(name)


def _cannot_accept(entry: Override, accept: Accept, lock: Lock) -> str:
    """Return why an entry cannot accept an answer; empty if it can."""
    slug, student = entry.question.rpartition("/")[2], next(iter(lock.students()), None)
    asked = next((each for each in lock.questions(student) if each.slug == slug), None) if student is not None else None
    if asked is None:
        return ""
    if accept.expression and not isinstance(kind_of(asked), NumericKind):
        return "an expression needs a question whose answer is a number"
    is_for_one = len(entry.student) == 1 and not entry.section
    if accept.answer and kind_of(asked).is_shuffled and _LETTERS.fullmatch(accept.answer) and not is_for_one:
        return f"{accept.answer!r} means something else in each notebook, because options are shuffled"
    return ""


def _is_about(entry: Override, lock: Lock, student: str) -> bool:
    if not entry.student and not entry.section:
        return True
    return lock.section_of(student) in entry.section or any(
        student in _students_called(name, lock) for name in entry.student
    )


def _ruled(rulings: StudentRulings, entry: Override) -> StudentRulings:
    """Return a student's rulings with one more decision."""
    notes, reasons = (entry.note,) * bool(entry.note), (f"{_said(entry)}: {entry.why}",)
    if entry.question:
        slug = entry.question.rpartition("/")[2]
        ruling = _ruled_question(rulings.questions.get(slug, Ruling()), entry, notes, reasons)
        return replace(rulings, questions={**rulings.questions, slug: ruling})
    rulings = replace(rulings, notes=(*rulings.notes, *notes), reasons=(*rulings.reasons, *reasons))
    match entry.action:
        case "points":
            return replace(rulings, points=entry.points, excused="")
        case "excuse":
            return replace(rulings, excused=entry.why)
        case "due":
            return replace(rulings, due=entry.due)
        case "late":
            return replace(rulings, late=None if entry.late == "none" else entry.late)
        case "attempts":
            return replace(rulings, attempts=entry.attempts or "")
    return rulings


def _ruled_question(before: Ruling, entry: Override, notes: tuple[str, ...], reasons: tuple[str, ...]) -> Ruling:
    ruling = replace(before, notes=(*before.notes, *notes), reasons=(*before.reasons, *reasons))
    match entry.action:
        case "accept":
            assert entry.accept is not None
            return replace(ruling, accepted=(*before.accepted, (entry.accept, entry.points)))
        case "points":
            return replace(ruling, points=entry.points, at_least=None)
        case "at_least":
            return replace(ruling, at_least=entry.at_least)
        case "drop":
            return replace(ruling, is_dropped=True, is_bonus=False)
        case "bonus":
            return replace(ruling, is_bonus=True, is_dropped=False)
    return ruling


def _said(entry: Override) -> str:
    """Return a decision in a few words, for tables."""
    value = getattr(entry, entry.action)
    if entry.action in ("drop", "bonus", "excuse"):
        return {"drop": "dropped", "bonus": "bonus", "excuse": "excused"}[entry.action]
    if entry.accept:
        points = "" if entry.points is None else f" for {entry.points:g} points"
        return f"accept {entry.accept.answer or entry.accept.expression or entry.accept.feedback}{points}"
    if isinstance(value, float | int):
        return f"{entry.action.replace('_', ' ')} {value:g}"
    return entry.action
