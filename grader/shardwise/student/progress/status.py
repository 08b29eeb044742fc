"""Records: each problem's state, derived from a student's events. It is never saved, so it cannot disagree with them.

A variant counts as remembered when it is answered right, and as forgotten when its first answer is wrong or its solution is
opened. Answers after the solution was opened do not count: the next variant has new numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from shardwise.question import Outcome
from shardwise.student.progress.events import SEED, Event

if TYPE_CHECKING:
    from fsrs import Scheduler

MASTERED = 3  # different variants answered right without a hint
_AGAIN, _HARD, _GOOD = 1, 2, 3  # the values of fsrs.Rating; fsrs is imported only when needed
_DIGITS = 15  # of a seed that is counted on; longer ones were typed by somebody
_LONGEST = 365  # days until a problem is asked again, at most


@dataclass
class _Tried:
    """The history of one variant."""

    hints: set[int] = field(default_factory=set)
    is_open: bool = False  # its solution was shown before it was answered right
    is_right: bool = False
    is_missed: bool = False  # an answer was not fully right


@dataclass
class Record:
    """A student's record with one problem."""

    seeds: set[str] = field(default_factory=set)  # of the variants seen
    points: float = 0.0  # of the best answer
    is_solved: bool = False
    right: set[str] = field(default_factory=set)  # seeds of the variants answered right
    unaided: set[str] = field(default_factory=set)  # seeds of the variants answered right without a hint
    reviews: list[tuple[datetime, int]] = field(default_factory=list)  # when it was reviewed, and with which rating

    @property
    def is_mastered(self) -> bool:
        """Whether three different variants were answered right without a hint."""
        return len(self.unaided) >= MASTERED

    @property
    def is_begun(self) -> bool:
        """Whether it was answered or its solution shown."""
        return bool(self.reviews)

    @cached_property
    def due(self) -> datetime | None:
        """When to ask it again, with new numbers; None if it was never asked."""
        if not self.reviews:
            return None
        from fsrs import Card, Rating

        card = Card(card_id=1)
        for at, rating in self.reviews:
            card, _ = _scheduler().review_card(card, Rating(rating), at)
        return card.due

    def is_due(self, today: date) -> bool:
        """Return whether it is due on that local day or was due before."""
        return self.due is not None and self.due.astimezone().date() <= today

    def due_by(self, today: date) -> datetime | None:
        """Return when it was due if that is on that local day or before, otherwise None."""
        return self.due if self.is_due(today) else None

    @property
    def seed(self) -> str:
        """The seed of the variant to ask: as in its notebook the first time, and with new numbers afterwards."""
        return self.next_seed() if self.is_begun else SEED

    def next_seed(self) -> str:
        """Return the seed of an unseen variant. Practice notebooks use 0."""
        return str(max((int(seed) for seed in self.seeds if seed.isdecimal() and len(seed) <= _DIGITS), default=0) + 1)


def record_of(events: Iterable[Event], now: datetime) -> Record:
    """Return a student's record with one problem after these events, which must be in order.

    Only their order is trusted, since a clock may have been wrong: times are clamped to be non-decreasing and not after now.
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
                    found.right.add(seed)
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
    """Return a scheduler that counts in days, and without randomness: the same events always give the same date."""
    from fsrs import Scheduler

    return Scheduler(learning_steps=(), relearning_steps=(), maximum_interval=_LONGEST, enable_fuzzing=False)
