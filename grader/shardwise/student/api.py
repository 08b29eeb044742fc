"""The student's verbs: check, hint, solution, another, practice and use_bank, as they are called in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import __main__
from shardwise.errors import Faulty, ShardwiseError
from shardwise.kinds import kind_of, kinds, text_of, variable_of
from shardwise.markdown.feedback import as_plain, bundle
from shardwise.markdown.html import to_plain
from shardwise.marking import check as mark
from shardwise.marking import read_only
from shardwise.question import Feedback, Outcome, Question
from shardwise.student.limited import run_limited

if TYPE_CHECKING:
    from shardwise.bank.bank import Banks
    from shardwise.student.widget import Practice

_NOT_GIVEN = object()


class Message:
    """Something said to a student: shows itself richly in a notebook and plainly elsewhere."""

    def __init__(self, markdown: str) -> None:
        self.markdown = markdown

    def __repr__(self) -> str:
        return to_plain(self.markdown)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/markdown": self.markdown}


class Points(float):
    """The points of one answer as the value of a cell: a number for nbgrader, nothing more to look at for a reader."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(float(self)), "text/html": ""}


class Checked:
    """The feedback to one answer. `.score()` shows it and gives the points, for graders that read a cell's value."""

    def __init__(self, feedback: Feedback) -> None:
        self.feedback = feedback

    @property
    def outcome(self) -> Outcome | None:
        """What became of the answer; None where answers are read and not judged."""
        return self.feedback.outcome

    @property
    def points(self) -> float:
        """The points earned."""
        return self.feedback.points

    def __repr__(self) -> str:
        return as_plain(self.feedback)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self.feedback)

    def score(self) -> float | None:
        """Show the feedback and give the points; None when the fault is ours, which graders count in full."""
        try:
            from IPython.display import display

            display(self)
        except ImportError:
            print(self)
        return None if self.feedback.outcome == Outcome.BROKEN else Points(self.feedback.points)


@dataclass
class Session:
    """What this kernel remembers: the banks, for which seed each problem is drawn, hints that were given, the last problem."""

    named: tuple[str, ...] = ()  # banks that `use_bank` named
    seeds: dict[str, int] = field(default_factory=dict)
    hints: dict[tuple[str, int], int] = field(default_factory=dict)
    last: str | None = None

    @cached_property
    def banks(self) -> Banks:
        """The banks whose problems are practised."""
        from shardwise.bank.discovery import open_banks  # a graded notebook needs no bank

        return open_banks(self.named)

    def question(self, name: str | None) -> Question:
        """The question under that name, drawn for its present seed."""
        from shardwise.bank.posing import pose

        if name is None and self.last is None:
            raise ShardwiseError("Which problem? Give its name, for example hint('bytes-per-gpu').")
        if name is not None and not isinstance(name, str):
            raise ShardwiseError(
                f"A problem's name is text, such as 'bytes-per-gpu', and this is of type {type(name).__name__}."
            )
        problem = self.banks.find(name or self.last or "")
        self.last = problem.id
        return pose(problem, self.seeds.get(problem.id, 0))

    def hinted(self, asked: Question, count: int) -> None:
        """Remember that `count` hints of a question were given elsewhere, if it is the variant that is practised."""
        place = (asked.id, self.seeds.get(asked.id, 0))
        if asked.seed == str(place[1]):
            self.hints[place] = max(count, self.hints.get(place, 0))


_SESSION = Session()


def use_bank(*folders: str | list[str]) -> Message:
    """Practise the problems of these banks from now on; "shipped" is the one that is installed. Gives what was opened."""
    global _SESSION
    names = [name for folder in folders for name in (folder if isinstance(folder, list | tuple) else [folder])]
    fresh = Session(tuple(map(str, names)))
    try:
        opened = fresh.banks
    except ShardwiseError as error:  # the session goes on with the banks that it had
        return Message(_said(error))
    _SESSION = fresh
    return Message(f"Bank: {opened}")


def check(name: str, answer: Any = _NOT_GIVEN) -> Checked | Message:
    """Mark an answer to the problem of that name.

    Without `answer` the variable named after the problem is taken: `bytes_per_gpu` for `bytes-per-gpu`,
    or the function that the problem asks for.
    """
    try:
        asked = _SESSION.question(name)
    except ShardwiseError as error:
        return Message(_said(error))
    raw = vars(__main__).get(variable_of(asked)) if answer is _NOT_GIVEN else answer
    untouched = kind_of(asked).is_untouched(asked.form, raw)
    try:
        return Checked(mark(asked, None if untouched else raw, runner=run_limited))
    except KeyboardInterrupt:
        return Message("Stopped. This answer was not marked.")


def _said(error: ShardwiseError) -> str:
    """An error for a student; the faults of a bank keep their lines."""
    return f"```text\n{error}\n```" if isinstance(error, Faulty) else str(error)


def hint(name: str | None = None) -> Message:
    """The next hint of a problem; the last one checked when no name is given."""
    try:
        asked = _SESSION.question(name)
    except ShardwiseError as error:
        return Message(_said(error))
    place = (asked.id, _SESSION.seeds.get(asked.id, 0))
    given = _SESSION.hints.get(place, 0)
    _SESSION.hints[place] = given + 1
    if given >= len(asked.hints):
        return Message(f'That was the last hint. `solution("{asked.slug}")` shows the way.')
    more = len(asked.hints) - given - 1
    rest = "" if more == 0 else f" *({more} more)*"
    return Message(f"**Hint {given + 1}.** {asked.hints[given]}{rest}")


def solution(name: str | None = None) -> Message:
    """The worked solution with this question's own numbers."""
    try:
        asked = _SESSION.question(name)
    except ShardwiseError as error:
        return Message(_said(error))
    return Message(f'**Solution.**\n\n{asked.solution}\n\n`another("{asked.slug}")` draws new numbers.')


def another(name: str | None = None) -> Message:
    """A fresh variant of a problem; `check` marks that one from now on."""
    try:
        before = _SESSION.question(name)
        _SESSION.seeds[before.id] = _SESSION.seeds.get(before.id, 0) + 1
        for _ in range(20):  # a variant that reads the same is no variant
            after = _SESSION.question(before.id)
            if text_of(after) != text_of(before):
                break
            _SESSION.seeds[before.id] += 1
        same = text_of(after) == text_of(before)
        note = "*It reads the same each time; what it is tried on is new.*\n\n" if same else ""
        return Message(note + asked_in_words(after))
    except ShardwiseError as error:
        return Message(_said(error))


def practice(name: str | None = None) -> Practice | Message:
    """The problem as a form with buttons."""
    from shardwise.student.widget import Practice

    try:
        asked = _SESSION.question(name)
    except ShardwiseError as error:
        return Message(_said(error))
    return Practice(asked)


def asked_in_words(asked: Question) -> str:
    """A question with how to answer it, in Markdown."""
    how = kind_of(asked).instruction(asked.form, variable_of(asked))
    return f'### {asked.title}\n\n{text_of(asked)}\n\n{how} Then `check("{asked.slug}")`.'


@dataclass(frozen=True)
class HandedOut:
    """The questions of a graded notebook: enough to read answers, nothing to judge them by, and no bank."""

    questions: Mapping[str, Mapping[str, Any]]

    def check(self, name: str, answer: Any = _NOT_GIVEN) -> Checked | Message:
        """Say how an answer is read, and never whether it is right."""
        asked = self.questions.get(name) if isinstance(name, str) else None
        if asked is None:
            return Message(f"This set has no problem “{name}”; it has {', '.join(self.questions)}.")
        kind = kinds().get(str(asked["kind"]))
        if kind is None:
            return Message(f"This set has a question of the kind {asked['kind']!r}, which is not installed here.")
        form = kind.Form.model_validate(asked["form"])
        raw = vars(__main__).get(kind.variable(form, name.replace("-", "_"))) if answer is _NOT_GIVEN else answer
        raw = None if kind.is_untouched(form, raw) else raw
        return Checked(read_only(form, kind.name, raw, question=name, points=float(asked["points"])))


def handed_out(questions: Mapping[str, Mapping[str, Any]]) -> HandedOut:
    """What the first cell of a graded notebook calls: its questions, without their keys."""
    return HandedOut(questions)
