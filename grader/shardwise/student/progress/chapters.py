"""Chapters: how a student stands with the problems of a bank, chapter by chapter, and what to practise next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter

from shardwise.bank.bank import Banks, Problem
from shardwise.bank.discovery import name_of
from shardwise.student.progress.events import Event
from shardwise.student.progress.status import Record, record_of

DAILY = 5
_Place = tuple[str, str]  # a bank's name and a problem's id


@dataclass(frozen=True)
class ProblemRow:
    """A problem of the bank, and how the student stands with it."""

    problem: Problem
    record: Record

    @property
    def most(self) -> float:
        """The points that it can earn."""
        return float(self.problem.data["points"])

    def when(self) -> datetime:
        """When it is due; the end of time when it was never asked."""
        return self.record.due or datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ChapterProgress:
    """A chapter of the bank, with its problems in the order of the notebook."""

    name: str
    title: str
    rows: tuple[ProblemRow, ...]
    now: datetime

    @property
    def solved(self) -> int:
        """How many problems were solved."""
        return sum(row.record.is_solved for row in self.rows)

    @property
    def mastered(self) -> int:
        """How many problems are mastered."""
        return sum(row.record.is_mastered for row in self.rows)

    @property
    def points(self) -> float:
        """The points that were earned, of each problem the most."""
        return sum(row.record.points for row in self.rows)

    @property
    def most(self) -> float:
        """The points of all problems."""
        return sum(row.most for row in self.rows)

    @property
    def due(self) -> list[ProblemRow]:
        """The problems that are due, the longest overdue first."""
        today = self.now.astimezone().date()
        return sorted((row for row in self.rows if row.record.is_due(today)), key=ProblemRow.when)

    @property
    def new(self) -> list[ProblemRow]:
        """The problems that were not begun."""
        return [row for row in self.rows if not row.record.is_begun]

    @property
    def left(self) -> list[ProblemRow]:
        """What a student who works through the chapter has to do: what is due, then what is not solved yet, new or begun."""
        due = self.due
        return [*due, *(row for row in self.rows if not row.record.is_solved and row not in due)]

    @property
    def next(self) -> ProblemRow | None:
        """What to practise next: what is due, what is new, what is not mastered; nothing when all is mastered and none is due."""
        rest = [row for row in self.rows if not row.record.is_mastered]
        return next(iter([*self.due, *self.new, *rest]), None)


@dataclass(frozen=True)
class Progress:
    """The chapters of the banks that are practised, and what was kept of problems that they do not have."""

    chapters: tuple[ChapterProgress, ...]
    strangers: Mapping[str, int]  # how many events there are of each

    def chapter(self, name: str) -> ChapterProgress | None:
        """The chapter of that name."""
        return next((chapter for chapter in self.chapters if chapter.name == name), None)

    @property
    def due(self) -> list[ProblemRow]:
        """What is due in all chapters, the longest overdue first."""
        return sorted((row for chapter in self.chapters for row in chapter.due), key=ProblemRow.when)

    @property
    def done_today(self) -> int:
        """How many problems were practised today: an answer was judged, or the solution shown, wherever that was."""
        return sum(
            row.record.was_practised(chapter.now.astimezone().date())
            for chapter in self.chapters
            for row in chapter.rows
        )

    def daily(self, *, more: bool = False) -> list[ProblemRow]:
        """What is left of five for today, or five more: what is due, the longest overdue first, and at least one that is new."""
        wanted = DAILY if more else max(DAILY - self.done_today, 0)
        due = self.due
        first = due[: max(wanted - 1, 0)]
        new = list(islice(self._new(), wanted - len(first)))
        return [*first, *new, *due[len(first) :]][:wanted]

    def _new(self) -> Iterator[ProblemRow]:
        """What was not begun: in each chapter in its order, and the chapter first of which the fewest were begun."""
        places = [
            (len(chapter.rows) - len(new) + place, row)
            for chapter in self.chapters
            for new in [chapter.new]
            for place, row in enumerate(new)
        ]
        return (row for _, row in sorted(places, key=itemgetter(0)) if not row.problem.kind.takes_long)


def progress_of(banks: Banks, events: Sequence[Event], now: datetime, *, only: str | None = None) -> Progress:
    """How a student stands after these events, in all chapters or in one. Raises ShardwiseError for a bank that cannot be read."""
    names = {bank.folder: name_of(bank.folder) for bank in banks.all}
    ours = {(names[bank.folder], problem.id): problem for bank in banks.all for problem in bank.problems.values()}
    moved = _moved(ours, events)
    done: dict[_Place, list[Event]] = {}
    for event in events:
        place = _place(event)
        done.setdefault(moved.get(place, place), []).append(event)
    chapters = []
    for name, chapter in banks.chapters.items():
        if only not in (None, name):
            continue
        bank = banks.of(name)
        rows = [
            ProblemRow(problem, record_of(done.get((names[bank.folder], problem.id), ()), now))
            for problem in bank.of_chapter(name)
        ]
        chapters.append(ChapterProgress(name, chapter.title, tuple(rows), now))
    strangers = {
        place[1]: len(events) for place, events in done.items() if place[0] in names.values() and place not in ours
    }
    return Progress(tuple(chapters), strangers)


def _moved(ours: Mapping[_Place, Problem], events: Sequence[Event]) -> dict[_Place, _Place]:
    """Problems that have another id today, by their old one: the file of one, or what it was once, is the file of the other."""
    strange = [event for event in events if _place(event) not in ours]
    if not strange:
        return {}
    holders = {(event.variant.bank, event.digest): _place(event) for event in events if _place(event) in ours}
    holders |= {(place[0], problem.digest): place for place, problem in ours.items()}
    found = ((_place(event), holders.get((event.variant.bank, event.digest))) for event in strange)
    return {old: new for old, new in found if new is not None}


def _place(event: Event) -> _Place:
    return event.variant.bank, event.variant.problem
