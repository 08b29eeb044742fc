"""Chapters: a student's progress through the problems of a bank, chapter by chapter, and what to practise next."""

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
    """A problem of the bank and the student's record with it."""

    problem: Problem
    record: Record

    @property
    def most(self) -> float:
        """The most points that it can earn."""
        return float(self.problem.data["points"])

    def when(self) -> datetime:
        """Return when it is due, or the end of time if it was never asked."""
        return self.record.due or datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ChapterProgress:
    """A chapter of the bank, with its problems in notebook order."""

    name: str
    title: str
    rows: tuple[ProblemRow, ...]
    now: datetime

    @property
    def solved(self) -> int:
        """The number of solved problems."""
        return sum(row.record.is_solved for row in self.rows)

    @property
    def mastered(self) -> int:
        """The number of mastered problems."""
        return sum(row.record.is_mastered for row in self.rows)

    @property
    def points(self) -> float:
        """The points earned, counting the best attempt at each problem."""
        return sum(row.record.points for row in self.rows)

    @property
    def most(self) -> float:
        """The total points of all problems."""
        return sum(row.most for row in self.rows)

    @property
    def due(self) -> list[ProblemRow]:
        """The problems that are due, most overdue first."""
        today = self.now.astimezone().date()
        return sorted((row for row in self.rows if row.record.is_due(today)), key=ProblemRow.when)

    @property
    def new(self) -> list[ProblemRow]:
        """The problems that were not started."""
        return [row for row in self.rows if not row.record.is_begun]

    @property
    def left(self) -> list[ProblemRow]:
        """The problems left for a student who works through the chapter: due ones, then all that are not solved yet."""
        due = self.due
        return [*due, *(row for row in self.rows if not row.record.is_solved and row not in due)]

    @property
    def next(self) -> ProblemRow | None:
        """The next problem to practise: due, else new, else not mastered; None when all are mastered and none is due."""
        rest = [row for row in self.rows if not row.record.is_mastered]
        return next(iter([*self.due, *self.new, *rest]), None)


@dataclass(frozen=True)
class Progress:
    """The chapters of the banks in use, and the events of problems that these banks do not have."""

    chapters: tuple[ChapterProgress, ...]
    strangers: Mapping[str, int]  # the number of events of each

    def chapter(self, name: str) -> ChapterProgress | None:
        """Return the chapter of that name, or None."""
        return next((chapter for chapter in self.chapters if chapter.name == name), None)

    @property
    def due(self) -> list[ProblemRow]:
        """The problems that are due in all chapters, most overdue first."""
        return sorted((row for chapter in self.chapters for row in chapter.due), key=ProblemRow.when)

    @property
    def done_today(self) -> int:
        """The number of problems practised today, anywhere: an answer was judged, or the solution shown."""
        return sum(
            row.record.was_practised(chapter.now.astimezone().date())
            for chapter in self.chapters
            for row in chapter.rows
        )

    def daily(self, *, more: bool = False) -> list[ProblemRow]:
        """Return the rest of today's five problems, or five more: due ones, most overdue first, and at least one new one."""
        wanted = DAILY if more else max(DAILY - self.done_today, 0)
        due = self.due
        first = due[: max(wanted - 1, 0)]
        new = list(islice(self._new(), wanted - len(first)))
        return [*first, *new, *due[len(first) :]][:wanted]

    def _new(self) -> Iterator[ProblemRow]:
        """Yield the problems that were not started, in chapter order, favouring chapters with the fewest started problems."""
        places = [
            (len(chapter.rows) - len(new) + place, row)
            for chapter in self.chapters
            for new in [chapter.new]
            for place, row in enumerate(new)
        ]
        return (row for _, row in sorted(places, key=itemgetter(0)) if not row.problem.kind.takes_long)


def progress_of(banks: Banks, events: Sequence[Event], now: datetime, *, only: str | None = None) -> Progress:
    """Return a student's progress after these events, in all chapters or in one. Raises ShardwiseError for an unreadable bank."""
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
    """Map the old ids of renamed problems to their new ones. A renamed problem has a file whose digest was seen under the old id."""
    strange = [event for event in events if _place(event) not in ours]
    if not strange:
        return {}
    holders = {(event.variant.bank, event.digest): _place(event) for event in events if _place(event) in ours}
    holders |= {(place[0], problem.digest): place for place, problem in ours.items()}
    found = ((_place(event), holders.get((event.variant.bank, event.digest))) for event in strange)
    return {old: new for old, new in found if new is not None}


def _place(event: Event) -> _Place:
    return event.variant.bank, event.variant.problem
