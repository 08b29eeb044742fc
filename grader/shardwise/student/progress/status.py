"""Records: what follows from a student's events for each problem. Nothing of it is kept, so it cannot disagree with them.

A variant counts as remembered when it is answered right, and as forgotten when it is first answered wrong or its solution is
opened. What is answered after its solution was opened counts for nothing: the next variant has fresh numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from shardwise.question import Outcome
from shardwise.student.progress.events import Event

if TYPE_CHECKING:
    from fsrs import Scheduler

MASTERED = 3  # different variants right without a hint
_AGAIN, _HARD, _GOOD = 1, 2, 3  # the values of fsrs.Rating, which is not loaded before there is something to rate
_LONGEST = 365  # days until a problem is asked again, however well it is known


@dataclass
class _Tried:
    """What happened to one variant."""

    hints: set[int] = field(default_factory=set)
    is_open: bool = False  # its solution was shown before it was right
    is_right: bool = False
    is_missed: bool = False  # it was answered otherwise than right


@dataclass
class Record:
    """How a student stands with one problem."""

    seeds: set[str] = field(default_factory=set)  # of the variants that were met
    points: float = 0.0  # the most that one of them earned
    is_solved: bool = False
    unaided: set[str] = field(default_factory=set)  # seeds of the variants that were right without a hint
    reviews: list[tuple[datetime, int]] = field(default_factory=list)  # when it was met, and how that went

    @property
    def is_mastered(self) -> bool:
        """Whether three different variants were right without a hint."""
        return len(self.unaided) >= MASTERED

    @property
    def is_begun(self) -> bool:
        """Whether it was answered, or its solution read."""
        return bool(self.reviews)

    @cached_property
    def due(self) -> datetime | None:
        """When it should be asked again, with fresh numbers; None when it was never asked."""
        if not self.reviews:
            return None
        from fsrs import Card, Rating

        card = Card(card_id=1)
        for at, rating in self.reviews:
            card, _ = _scheduler().review_card(card, Rating(rating), at)
        return card.due

    def is_due(self, today: date) -> bool:
        """Whether it should be asked on that day, here, or was to be asked before it."""
        return self.due is not None and self.due.astimezone().date() <= today

    def was_practised(self, day: date) -> bool:
        """Whether a variant was answered, or its solution shown, on that day here."""
        return any(at.astimezone().date() == day for at, _ in self.reviews)

    def next_seed(self) -> str:
        """The seed of a variant that was not met yet. Practice notebooks begin with 0."""
        return str(max((int(seed) for seed in self.seeds if seed.isdecimal()), default=0) + 1)


def record_of(events: Iterable[Event], now: datetime) -> Record:
    """How a student stands with one problem after these events, in the order in which they happened.

    The order counts and not the clock, which may have been wrong: none happened before the one before it, or after now.
    """
    found, tried, at = Record(), dict[str, _Tried](), datetime.min.replace(tzinfo=UTC)
    for event in events:
        at = min(max(at, event.at), now)
        seed = event.variant.seed
        found.seeds.add(seed)
        variant = tried.setdefault(seed, _Tried())
        if variant.is_right or variant.is_open:
            continue
        match event.what:
            case "hint":
                variant.hints.add(event.hint)
            case "solution":
                variant.is_open = True
                if not variant.is_missed:
                    found.reviews.append((at, _AGAIN))
            case "answer":
                found.points = max(found.points, event.points)
                if event.outcome == Outcome.CORRECT:
                    variant.is_right = found.is_solved = True
                    is_helped = bool(variant.hints)
                    if not is_helped:
                        found.unaided.add(seed)
                    found.reviews.append((at, _HARD if is_helped or variant.is_missed else _GOOD))
                elif not variant.is_missed:
                    variant.is_missed = True
                    found.reviews.append((at, _HARD if event.outcome == Outcome.PARTIAL else _AGAIN))
    return found


@lru_cache(maxsize=1)
def _scheduler() -> Scheduler:
    """Counts in days, not in minutes as for a vocabulary, and without chance: the same events give the same date."""
    from fsrs import Scheduler

    return Scheduler(learning_steps=(), relearning_steps=(), maximum_interval=_LONGEST, enable_fuzzing=False)
