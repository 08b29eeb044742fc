"""Chapters: a student's progress through the problems of a bank, chapter by chapter, and what to practise next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import count, islice, pairwise, takewhile
from operator import itemgetter

from shardwise.bank.bank import Banks, Problem
from shardwise.bank.discovery import name_of
from shardwise.student.progress.events import Event
from shardwise.student.progress.status import Record, record_of

DAILY = 5
_Place = tuple[str, str]  # a bank's name and a problem's id


@dataclass(frozen=True)
class ProblemRow:
    """A problem of the bank and the student's record with it, now and at the start of the day."""

    problem: Problem
    record: Record
    morning: Record

    @property
    def most(self) -> float:
        """The most points that it can earn."""
        return float(self.problem.data["points"])

    @property
    def is_done_today(self) -> bool:
        """Whether an answer was judged today, or the solution shown."""
        return len(self.record.reviews) > len(self.morning.reviews)

    @property
    def seed(self) -> str:
        """The seed of the variant to ask: as in its notebook the first time, and with new numbers afterwards."""
        return self.record.seed

    def when(self) -> datetime:
        """Return when it is due, or the end of time if it was never asked."""
        return self.record.due or datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class ChapterProgress:
    """A chapter of the bank, with its problems in notebook order."""

    name: str
    title: str
    summary: str
    rows: tuple[ProblemRow, ...]
    now: datetime
    following: str = ""  # the name of the next chapter; empty for the last

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
    def today(self) -> date:
        """The local day."""
        return self.now.astimezone().date()

    @property
    def due(self) -> list[ProblemRow]:
        """The problems that are due, most overdue first."""
        return sorted((row for row in self.rows if row.record.is_due(self.today)), key=ProblemRow.when)

    @property
    def new(self) -> list[ProblemRow]:
        """The problems that were not started."""
        return [row for row in self.rows if not row.record.is_begun]

    @property
    def open(self) -> list[ProblemRow]:
        """The problems that are not solved yet, in notebook order."""
        return [row for row in self.rows if not row.record.is_solved]

    @property
    def left(self) -> list[ProblemRow]:
        """The problems left for a student who works through the chapter: due ones, then all that are not solved yet."""
        due = self.due
        return [*due, *(row for row in self.open if row not in due)]

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
    def five(self) -> list[ProblemRow]:
        """Today's five problems, chosen from the records at the start of the day, so that other work does not use them up."""
        return self._chosen(lambda row: row.morning)

    @property
    def done_today(self) -> int:
        """The number of today's five that were practised today: an answer was judged, or the solution shown."""
        return len(self.five) - len(self.daily())

    @property
    def due_today(self) -> list[ProblemRow]:
        """The due problems among the rest of today's five. Other due problems wait for the next days."""
        return [row for row in self.daily() if row.record.is_begun]

    @property
    def waiting(self) -> int:
        """The number of due problems that wait for the next days."""
        return len(self.due) - len(self.due_today)

    def daily(self, *, more: bool = False) -> list[ProblemRow]:
        """Return the rest of today's five problems, or five more, chosen from the records as they are now."""
        if more:
            return self._chosen(lambda row: row.record)
        return [row for row in self.five if not row.is_done_today]

    def _chosen(self, record: Callable[[ProblemRow], Record]) -> list[ProblemRow]:
        """Choose five problems by these records: due ones, and at least one new one."""
        due, new = self._mixed(record), list(islice(self._new(record), DAILY))
        first = due[: DAILY - 1]
        return [*first, *new[: DAILY - len(first)], *due[len(first) :]][:DAILY]

    def _mixed(self, record: Callable[[ProblemRow], Record]) -> list[ProblemRow]:
        """Return what is due, mixed across chapters: the most overdue problem of each chapter, then the next of each."""
        places: list[tuple[int, datetime, ProblemRow]] = []
        for chapter in self.chapters:
            found = [
                (due, row)
                for row in chapter.rows
                if (due := record(row).due_by(chapter.today)) is not None and not row.problem.kind.takes_long
            ]
            places += [(place, *each) for place, each in enumerate(sorted(found, key=itemgetter(0)))]
        return [row for _, _, row in sorted(places, key=itemgetter(0, 1))]

    def _new(self, record: Callable[[ProblemRow], Record]) -> Iterator[ProblemRow]:
        """Yield the problems that were not started, in chapter order, favouring chapters with the fewest started problems."""
        places = [
            (len(chapter.rows) - len(new) + place, row)
            for chapter in self.chapters
            for new in [[row for row in chapter.rows if not record(row).is_begun]]
            for place, row in enumerate(new)
        ]
        return (row for _, row in sorted(places, key=itemgetter(0)) if not row.problem.kind.takes_long)


def streak(events: Iterable[Event], now: datetime) -> int:
    """Return on how many days in a row an answer was judged, up to today, or to yesterday if none was today."""
    days = {event.at.astimezone().date() for event in events if event.what == "answer"}
    today = now.astimezone().date()
    last = today if today in days else today - timedelta(days=1)
    return next(length for length in count() if last - timedelta(days=length) not in days)


def progress_of(banks: Banks, events: Sequence[Event], now: datetime, *, only: str | None = None) -> Progress:
    """Return a student's progress after these events, in all chapters or in one. Raises ShardwiseError for an unreadable bank."""
    names = {bank.folder: name_of(bank.folder) for bank in banks.all}
    ours = {(names[bank.folder], problem.id): problem for bank in banks.all for problem in bank.problems.values()}
    moved = _moved(ours, events)
    done: dict[_Place, list[Event]] = {}
    for event in events:
        place = _place(event)
        done.setdefault(moved.get(place, place), []).append(event)
    chapters, following = [], dict(pairwise([*banks.chapters, ""]))
    for name, chapter in banks.chapters.items():
        if only not in (None, name):
            continue
        its = banks.of_chapter(name)
        rows = [_row(problem, done.get((names[problem.bank], problem.id), ()), now) for problem in its]
        chapters.append(ChapterProgress(name, chapter.title, chapter.summary, tuple(rows), now, following[name]))
    strangers = {
        place[1]: len(events) for place, events in done.items() if place[0] in names.values() and place not in ours
    }
    return Progress(tuple(chapters), strangers)


def _row(problem: Problem, events: Sequence[Event], now: datetime) -> ProblemRow:
    """Return a problem with its records after these events, now and at the start of the day."""
    today, record = now.astimezone().date(), record_of(events, now)
    # An event from the future was written under a wrong clock, and cannot be of today.
    before = list(takewhile(lambda event: event.at > now or event.at.astimezone().date() < today, events))
    return ProblemRow(problem, record, record if len(before) == len(events) else record_of(before, now))


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
