"""A session: what this kernel remembers of a student's practice. What a check cell marks never depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from shardwise.errors import ShardwiseError
from shardwise.kinds import text_of
from shardwise.question import Question

if TYPE_CHECKING:
    from shardwise.bank.bank import Banks

SEED = "0"  # of the variant that every practice notebook shows, and that check() marks unless it names another
WHICH = "Which problem? Give its name, such as 'bytes-per-gpu'."
_TRIES = 20  # variants that read the same as the one before, until one that does is shown


@dataclass
class Session:
    """The banks, the variants that were looked at and drawn, the hints that were given, and the last question."""

    named: tuple[str, ...] = ()  # banks that `use_bank` named
    seeds: dict[str, str] = field(default_factory=dict)  # of each problem, the variant that was looked at last
    drawn: dict[str, str] = field(default_factory=dict)  # of each problem, the variant that another() drew last
    hints: dict[tuple[str, str], int] = field(default_factory=dict)
    last: str | None = None

    @cached_property
    def banks(self) -> Banks:
        """The banks whose problems are practised."""
        from shardwise.bank.discovery import open_banks  # a graded notebook needs no bank

        return open_banks(self.named)

    def question(self, name: str | None, seed: int | str | None = None) -> Question:
        """The question under that name; without a seed, the variant of it that was looked at last."""
        if name is None and self.last is None:
            raise ShardwiseError(WHICH)
        if name is not None and not isinstance(name, str):
            raise ShardwiseError(
                f"A problem's name is text, such as 'bytes-per-gpu', and this is of type {type(name).__name__}."
            )
        if seed is not None and (not isinstance(seed, int | str) or isinstance(seed, bool)):
            raise ShardwiseError(
                f"A seed is a whole number, such as seed=7, and this is of type {type(seed).__name__}."
            )
        problem = self.banks.find(name or self.last or "")
        return self.look_at(self._posed(problem.id, self.seeds.get(problem.id, SEED) if seed is None else str(seed)))

    def look_at(self, asked: Question) -> Question:
        """Remember that hint() and solution() are about this question from now on."""
        self.last = asked.id
        self.seeds[asked.id] = asked.seed
        return asked

    def fresh(self, before: Question, after: str) -> Question:
        """The first variant beyond `after` that reads differently from the one before, if any of the next few does."""
        number = int(after) if after.isdecimal() else 0
        for step in range(1, _TRIES + 1):
            fresh = self._posed(before.id, str(number + step))
            if text_of(fresh) != text_of(before):
                break
        return self.look_at(fresh)

    def following(self, asked: Question) -> Question | None:
        """The problem after this one in its chapter, as notebooks show it; None after the last."""
        ids = [problem.id for problem in self.banks.of_chapter(self.banks.find(asked.id).chapter)]
        place = ids.index(asked.id) + 1
        return self.look_at(self._posed(ids[place], SEED)) if place < len(ids) else None

    def hinted(self, asked: Question, count: int) -> None:
        """Remember that `count` hints of a question were given."""
        place = (asked.id, asked.seed)
        self.hints[place] = max(count, self.hints.get(place, 0))

    def _posed(self, problem: str, seed: str) -> Question:
        from shardwise.bank.posing import pose

        return pose(self.banks.find(problem), seed)
