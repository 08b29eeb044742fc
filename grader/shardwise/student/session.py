"""A session: what this kernel remembers of a student's practice. A check cell's result never depends on it."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from shardwise.errors import ShardwiseError, Unreadable
from shardwise.kinds import kind_of, text_of
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import NumericKind
from shardwise.markdown.escaping import literal
from shardwise.question import Feedback, Question
from shardwise.student.progress.events import SEED, Place, Variant
from shardwise.student.progress.journal import JUDGED, Journal, usual_journal

if TYPE_CHECKING:
    from shardwise.bank.bank import Banks

WHICH = "Which problem? Give its name, such as 'monthly-payment'."
_LONGEST = 100  # characters in a seed
_TRIES = 20  # variants to try for one that reads differently, before an identical one is shown


@dataclass
class Session:
    """The banks, the variants that were viewed and drawn, the hints given, and the last question."""

    named: tuple[str, ...] = ()  # banks that `use_bank` named
    seeds: dict[str, str] = field(default_factory=dict)  # by problem: the variant viewed last
    drawn: dict[str, str] = field(default_factory=dict)  # by problem: the variant that another() drew last
    hints: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # the indices of the hints given, in order
    parts: dict[tuple[str, str], Mapping[str, bool]] = field(
        default_factory=dict
    )  # which parts were right at the last check
    shown: dict[tuple[str, str], float] = field(default_factory=dict)  # when, by the monotonic clock
    burst: list[float] = field(default_factory=list)  # when forms were opened since the last progress card
    last: str | None = None

    @classmethod
    def of(cls, banks: Banks) -> Session:
        """Return a session with banks that are already open."""
        made = cls()
        vars(made)["banks"] = banks
        return made

    @cached_property
    def banks(self) -> Banks:
        """The banks in use."""
        from shardwise.bank.discovery import open_banks  # a graded notebook needs no bank

        return open_banks(self.named)

    @cached_property
    def journal(self) -> Journal:
        """The journal that saves the student's progress."""
        return usual_journal()

    def question(self, name: str | None, seed: int | str | None = None) -> Question:
        """Return the question of that name; without a seed, the variant of it that was viewed last."""
        if name is None and self.last is None:
            raise ShardwiseError(WHICH)
        if name is not None and not isinstance(name, str):
            raise ShardwiseError(f"A problem name must be text, such as 'monthly-payment', not {type(name).__name__}.")
        if seed is not None and (not isinstance(seed, int | str) or isinstance(seed, bool)):
            raise ShardwiseError(f"A seed must be a whole number, such as seed=7, not {type(seed).__name__}.")
        is_too_long = len(seed) > _LONGEST if isinstance(seed, str) else abs(seed or 0) >= 10**_LONGEST
        if is_too_long:
            raise ShardwiseError(f"A seed can have at most {_LONGEST} characters. Try seed=7.")
        problem = self.banks.find(name or self.last or "")
        return self.look_at(self._posed(problem.id, self.seeds.get(problem.id, SEED) if seed is None else str(seed)))

    def look_at(self, asked: Question) -> Question:
        """Make this the question that hint() and solution() refer to."""
        self.last = asked.id
        self.shown.setdefault((asked.id, asked.seed), time.monotonic())
        self.seeds[asked.id] = asked.seed
        return asked

    def fresh(self, before: Question, after: str) -> Question:
        """Return the first unseen variant beyond `after`; one that reads differently from `before`, if any of the next few does."""
        number, met = int(after) if after.isdecimal() else 0, self.journal.seeds(self._variant(before))
        unmet = (str(seed) for seed in count(number + 1) if str(seed) not in met)
        for seed in islice(unmet, _TRIES):
            fresh = self._posed(before.id, seed)
            if text_of(fresh) != text_of(before):
                break
        return self.look_at(fresh)

    def following(self, asked: Question) -> Question | None:
        """Return the next problem of the chapter, as notebooks show it; None after the last."""
        ids = [problem.id for problem in self.banks.of_chapter(self.banks.find(asked.id).chapter)]
        place = ids.index(asked.id) + 1
        return self.look_at(self._posed(ids[place], SEED)) if place < len(ids) else None

    def ending(self, asked: Question) -> str:
        """Return the text for the end of a question's chapter, in Markdown."""
        from shardwise.student.progress.chapters import progress_of
        from shardwise.student.progress.clock import now
        from shardwise.student.progress.ending import ending

        chapter = self.banks.find(asked.id).chapter
        (found,) = progress_of(self.banks, self.journal.events(), now(), only=chapter).chapters
        return ending(self.banks, found)

    def hinted(self, asked: Question, wanted: int, place: Place) -> list[str]:
        """Return up to `wanted` hints of a question. Which hint comes next depends on the last check."""
        variant = (asked.id, asked.seed)
        self._give(asked, kind_of(asked).hints_in_turn(asked, self.parts.get(variant, {})), wanted, place)
        return [text for _, text in self._told(asked, asked.hints)][: max(0, wanted)]

    def hinted_part(self, asked: Question, part: str | None, wanted: int, place: Place) -> list[str]:
        """Return up to `wanted` hints to one part of a question, worded for that part; without a part, the general ones."""
        owners = kind_of(asked).owners_of_hints(asked)
        self._give(asked, [hint for hint, owner in enumerate(owners) if owner == part], wanted, place)
        return [text for owner, text in self.given_hints(asked) if owner == part][: max(0, wanted)]

    def given_hints(self, asked: Question) -> list[tuple[str | None, str]]:
        """Return the hints given so far, in order, each with its part; they are numbered within each part."""
        return self._told(asked, kind_of(asked).hints_in_place(asked))

    def _told(self, asked: Question, hints: Sequence[str]) -> list[tuple[str | None, str]]:
        owners, told, number = kind_of(asked).owners_of_hints(asked), [], Counter[str | None]()
        for hint in self.hints.get((asked.id, asked.seed), ()):
            number[owner := owners[hint]] += 1
            told.append((owner, f"**Hint {number[owner]}.** {hints[hint]}"))
        return told

    def _give(self, asked: Question, order: Sequence[int], wanted: int, place: Place) -> None:
        """Give hints until `wanted` of these have been given, counting earlier ones, and save that."""
        given = self.hints.setdefault((asked.id, asked.seed), [])
        left = [hint for hint in order if hint not in given]
        if new := left[: max(0, wanted - (len(order) - len(left)))]:
            given += new
            self.journal.hinted(self._variant(asked), asked.digest, len(given), place)

    def answered(self, asked: Question, feedback: Feedback, place: Place) -> Feedback:
        """Save what an answer earned, and return its feedback. A note is added once if progress cannot be saved."""
        if feedback.outcome not in JUDGED:
            return feedback
        self.parts[asked.id, asked.seed] = feedback.parts
        variant, now = self._variant(asked), time.monotonic()
        seconds = now - self.shown.get((asked.id, asked.seed), now)
        # Nobody answers within a second: the question must have been shown before this session began.
        self.journal.answered(variant, asked.digest, feedback, place, seconds if seconds >= 1 else None)
        if (guess := feedback.guess) is not None:
            self.journal.estimated(variant, guess.off, confidence=guess.confidence, hit=guess.hit)
        note = self.journal.trouble()
        return feedback.saying(*feedback.remarks, f"*{literal(note)}*") if note else feedback

    def was_answered(self, asked: Question) -> bool:
        """Return whether an answer to this variant was judged, now or before a restart."""
        return (asked.id, asked.seed) in self.parts or self.journal.was_answered(self._variant(asked), asked.digest)

    def state(self, asked: Question) -> dict[str, bool]:
        """Return whether the problem of a question is solved and mastered."""
        record = self.journal.record(self._variant(asked))
        return {"solved": record.is_solved, "mastered": record.is_mastered}

    def showed_solution(self, asked: Question, place: Place) -> None:
        """Save that the solution of a question was shown."""
        self.journal.showed_solution(self._variant(asked), asked.digest, place)

    def estimated(self, asked: Question, raw: Any) -> None:
        """Save the estimate that was made before the answer; only numeric questions have one. Raises Unreadable."""
        kind = kind_of(asked)
        if isinstance(kind, NumericKind):
            value, exact = parsed_answer(kind, asked.form, raw), kind.number(asked.key)
            if value is None or exact == 0:
                return
            estimate = kind.given(asked, value)
            if estimate * exact <= 0:
                raise Unreadable("An estimate must have the same sign as the answer and must not be 0.")
            self.journal.estimated(self._variant(asked), math.log10(estimate / exact))

    def typed(self, asked: Question, drafts: Mapping[str, Any]) -> None:
        """Save what was typed into a question's form, by key, so that it survives a restart."""
        self.journal.typed(self._variant(asked).bank, drafts)

    def drafts_of(self, asked: Question) -> dict[str, Any]:
        """Return what was typed for a problem before, by key."""
        return self.journal.drafts_of(self._variant(asked).bank, asked.id)

    def _variant(self, asked: Question) -> Variant:
        """Return the variant under which progress is saved; its bank is "" if the question is from another bank."""
        from shardwise.bank.discovery import name_of

        with suppress(ShardwiseError):
            return Variant(name_of(self.banks.find(asked.id).bank), asked.id, asked.seed)
        return Variant("", asked.id, asked.seed)

    def _posed(self, problem: str, seed: str) -> Question:
        from shardwise.bank.posing import pose

        return pose(self.banks.find(problem), seed)
