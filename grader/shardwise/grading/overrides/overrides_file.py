"""The file `overrides.yaml`: read with all its faults, checked against lock files, and appended to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from shardwise.atomic_files import write_file
from shardwise.course.assigning.lockfile import Lock, problems_in
from shardwise.course.collecting.names import names_of
from shardwise.errors import Fault, Faulty
from shardwise.grading.overrides.model import Override
from shardwise.grading.overrides.rulings import NO_RULINGS, Ruling, StudentRulings
from shardwise.template.yaml_source import Source, load_yaml, validate
from shardwise.text_files import read_text

OVERRIDES_FILE = "overrides.yaml"


@cache
def adapter_of_entries() -> TypeAdapter[tuple[Override, ...]]:
    """Return what validates the entries of an `overrides.yaml`."""
    return TypeAdapter(tuple[Override, ...])


@dataclass(frozen=True)
class Overrides:
    """The entries of an `overrides.yaml`, in order; a later entry wins over an earlier one."""

    entries: tuple[Override, ...] = ()
    source: Source | None = field(default=None, repr=False)

    def check(self, locks: Iterable[Lock]) -> None:
        """Raise Faulty with every student, section and question that is unknown to the lock file of its set."""
        if faults := [fault for lock in locks for fault in self._faults(lock)]:
            raise Faulty(faults)

    def _faults(self, lock: Lock) -> Iterator[Fault]:
        for number, entry in enumerate(self.entries):
            if entry.set != lock.set_name:
                continue
            for name in entry.student:
                count = len(_students_called(name, lock))
                if count != 1:
                    who = "is not in" if count == 0 else "may be several students of"
                    yield self._fault(
                        (number, "student"), f"{name!r} {who} {lock.path.name}", "Write the student's id."
                    )
            for section in entry.section:
                if section not in (sections := sorted({lock.section_of(student) for student in lock.places} - {""})):
                    remedy = f"The sections are {', '.join(sections)}." if sections else "The roster has no sections."
                    yield self._fault((number, "section"), f"there is no section {section!r}", remedy)
            slugs = [problem.rpartition("/")[2] for problem in problems_in(lock.header)]
            if entry.question and entry.question.rpartition("/")[2] not in slugs:
                remedy = f"The questions are {', '.join(slugs)}."
                yield self._fault((number, "question"), f"{lock.set_name} has no question {entry.question!r}", remedy)

    def _fault(self, path: tuple[str | int, ...], message: str, remedy: str) -> Fault:
        return self.source.fault(path, message, remedy) if self.source else Fault(f"--{path[-1]}", message, remedy)

    def of(self, lock: Lock, student: str) -> StudentRulings:
        """Return what is decided about a student's notebook."""
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
    """Append entries to an `overrides.yaml`, which keeps its comments. Raises Faulty if the file has faults."""
    before = read_text(path, str(path)) if path.exists() else _HEAD
    if path.exists():
        load_overrides(path)
    lines = [f"- {_flow(entry.model_dump(mode='json', exclude_defaults=True))}\n" for entry in entries]
    write_file(path, (before.rstrip("\n") + "\n" + "".join(lines)).encode(), private=True)


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
            return replace(rulings, points=entry.points)
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
            return replace(ruling, points=entry.points)
        case "at_least":
            return replace(ruling, at_least=entry.at_least)
        case "drop":
            return replace(ruling, is_dropped=True)
        case "bonus":
            return replace(ruling, is_bonus=True)
    return ruling


def _said(entry: Override) -> str:
    """Return a decision in a few words, for tables."""
    value = getattr(entry, entry.action)
    if entry.action in ("drop", "bonus", "excuse"):
        return {"drop": "dropped", "bonus": "bonus", "excuse": "excused"}[entry.action]
    if isinstance(value, float | int):
        return f"{entry.action.replace('_', ' ')} {value:g}"
    return entry.action
