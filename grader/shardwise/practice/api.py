"""The student's desk: check, hint, solution, another and practice, as they are called in a notebook."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any

import __main__
from shardwise.bank.bank import bank, pose, revive_form
from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.kinds.calls import here
from shardwise.markdown.feedback import as_plain, bundle
from shardwise.markdown.html import to_plain
from shardwise.marking import check as mark
from shardwise.marking import read_only
from shardwise.question import Feedback, Outcome, Question

if TYPE_CHECKING:
    from shardwise.practice.widget import Practice

_NOT_GIVEN = object()


class Said:
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
class Desk:
    """What this kernel remembers: for which seed each problem is drawn, how many hints were given, and the last one."""

    seeds: dict[str, int] = field(default_factory=dict)
    hints: dict[tuple[str, int], int] = field(default_factory=dict)
    last: str | None = None

    def question(self, name: str | None) -> Question:
        """The question under that name, drawn for its present seed."""
        if name is None and self.last is None:
            raise ShardwiseError("Which problem? Give its name, for example hint('bytes-per-gpu').")
        if name is not None and not isinstance(name, str):
            raise ShardwiseError(
                f"A problem's name is text, such as 'bytes-per-gpu', and this is of type {type(name).__name__}."
            )
        problem = bank().find(name or self.last or "")
        self.last = problem.id
        return pose(problem, self.seeds.get(problem.id, 0))

    def hinted(self, asked: Question, count: int) -> None:
        """Remember that `count` hints of a question were given elsewhere, if it is the variant on this desk."""
        place = (asked.id, self.seeds.get(asked.id, 0))
        if asked.seed == str(place[1]):
            self.hints[place] = max(count, self.hints.get(place, 0))


_DESK = Desk()


def check(name: str, answer: Any = _NOT_GIVEN) -> Checked | Said:
    """Mark an answer to the problem of that name.

    Without `answer` the variable named after the problem is taken: `bytes_per_gpu` for `bytes-per-gpu`,
    or the function that the problem asks for.
    """
    try:
        asked = _DESK.question(name)
    except ShardwiseError as error:
        return Said(str(error))
    variable = kinds()[asked.kind].variable(asked.form, asked.variable)
    raw = vars(__main__).get(variable) if answer is _NOT_GIVEN else answer
    return Checked(mark(asked, None if _untouched(asked.kind, asked.form, raw) else raw, runner=here))


def hint(name: str | None = None) -> Said:
    """The next hint of a problem; the last one checked when no name is given."""
    try:
        asked = _DESK.question(name)
    except ShardwiseError as error:
        return Said(str(error))
    place = (asked.id, _DESK.seeds.get(asked.id, 0))
    given = _DESK.hints.get(place, 0)
    _DESK.hints[place] = given + 1
    if given >= len(asked.hints):
        return Said(f'That was the last hint. `solution("{asked.slug}")` shows the way.')
    more = len(asked.hints) - given - 1
    rest = "" if more == 0 else f" *({more} more)*"
    return Said(f"**Hint {given + 1}.** {asked.hints[given]}{rest}")


def solution(name: str | None = None) -> Said:
    """The worked solution with this question's own numbers."""
    try:
        asked = _DESK.question(name)
    except ShardwiseError as error:
        return Said(str(error))
    return Said(f'**Solution.**\n\n{asked.solution}\n\n`another("{asked.slug}")` draws new numbers.')


def another(name: str | None = None) -> Said:
    """A fresh variant of a problem; `check` marks that one from now on."""
    try:
        before = _DESK.question(name)
        _DESK.seeds[before.id] = _DESK.seeds.get(before.id, 0) + 1
        for _ in range(20):  # a variant that reads the same is no variant
            after = _DESK.question(before.id)
            if after.prompt != before.prompt:
                break
            _DESK.seeds[before.id] += 1
        same = "" if after.prompt != before.prompt else "*It reads the same each time; what it is tried on is new.*\n\n"
        return Said(same + _asked(after))
    except ShardwiseError as error:
        return Said(str(error))


def practice(name: str | None = None) -> Practice | Said:
    """The problem as a form with buttons, where its kind has one; else its question."""
    from shardwise.practice.widget import KINDS, Practice

    try:
        asked = _DESK.question(name)
    except ShardwiseError as error:
        return Said(str(error))
    return Practice(asked) if asked.kind in KINDS else Said(_asked(asked))


def _asked(asked: Question) -> str:
    kind = kinds()[asked.kind]
    how = kind.instruction(asked.form, kind.variable(asked.form, asked.variable))
    return f'### {asked.title}\n\n{asked.prompt}\n\n{how} Then `check("{asked.slug}")`.'


def _untouched(kind: str, form: Any, raw: Any) -> bool:
    """Whether a function is still the one that the notebook came with."""
    if kind != "code" or not hasattr(raw, "__code__"):
        return False
    starter = compile(ast.parse(kinds()[kind].cells(form, "")), "<starter>", "exec")
    codes = [one for one in starter.co_consts if isinstance(one, CodeType)]
    given: CodeType = raw.__code__
    return any(_does(one) == _does(given) for one in codes)


def _does(code: CodeType) -> tuple[Any, ...]:
    """What a function does, whatever its docstring says, which is its first constant."""
    return code.co_code, code.co_names, code.co_consts[1:]


@dataclass(frozen=True)
class HandedOut:
    """The questions of a graded notebook: enough to read answers, nothing to judge them by."""

    questions: Mapping[str, Mapping[str, Any]]

    def check(self, name: str, answer: Any = _NOT_GIVEN) -> Checked | Said:
        """Say how an answer is read, and never whether it is right."""
        one = self.questions.get(name) if isinstance(name, str) else None
        if one is None:
            return Said(f"This set has no problem “{name}”; it has {', '.join(self.questions)}.")
        kind_name = str(one["kind"])
        form = revive_form(kind_name, one["form"])
        variable = kinds()[kind_name].variable(form, name.replace("-", "_"))
        raw = vars(__main__).get(variable) if answer is _NOT_GIVEN else answer
        raw = None if _untouched(kind_name, form, raw) else raw
        return Checked(read_only(form, kind_name, raw, question=name, points=float(one["points"])))


def handed_out(questions: Mapping[str, Mapping[str, Any]]) -> HandedOut:
    """What the first cell of a graded notebook calls: its questions, without their keys."""
    return HandedOut(questions)
