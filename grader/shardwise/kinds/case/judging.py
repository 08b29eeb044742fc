"""Judging a case: each part by itself and, if it is wrong, by what follows from the student's earlier results.

An error costs points once. Later parts may build on a wrong result if it was readable and plausible, and if the step
from it is more than a copy: a correct step earns the points of the later part. The same holds for a wrong formula and the
part that asks for its value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from shardwise.kinds.answers import explained
from shardwise.kinds.base import NumericKind
from shardwise.kinds.calls import Runner
from shardwise.kinds.case.carrying import CarriedBounds, carried_results
from shardwise.kinds.case.model import PartForm, PartKey, questions_of
from shardwise.kinds.case.reading import PartReplies, Reply
from shardwise.markdown.escaping import literal, safe
from shardwise.question import Feedback, Note, Outcome, Question

ABSURD = "Your answer to {names} is not plausible here, so later parts do not use it."

AS_ROUNDED = "your earlier results as you rounded them"
MOST_TITLES = 3  # of parts in one line


@dataclass(frozen=True)
class JudgedPart:
    """The outcome of a part: its verdict if it was answered, and the student's wrong results from which it follows."""

    form: PartForm
    question: Question
    reply: Reply
    verdict: Feedback | None = None
    carried: tuple[str, ...] = ()
    by_formula: bool = False  # it follows from a wrong formula of the student's
    say: str = ""

    @property
    def earned(self) -> float:
        """Its points."""
        return self.form.points * self.verdict.credit if self.verdict else 0.0

    @property
    def is_right(self) -> bool:
        """Whether it counts as right."""
        return self.verdict is not None and self.verdict.outcome == Outcome.CORRECT


@dataclass
class _Own:
    """The results from which a student continued: the right ones, replaced by the student's own where there are any."""

    right: list[float]
    all: list[float]  # as the student wrote them, rounding and all
    wrong_alone: list[float]  # the right ones exact
    wrong: dict[int, str] = field(default_factory=dict)  # what to call each wrong one
    absurd: set[int] = field(default_factory=set)
    formulas: dict[int, tuple[str, Any, Any]] = field(
        default_factory=dict
    )  # what to call each wrong one, its kind, itself


def judge(question: Question, replies: PartReplies, runner: Runner) -> list[JudgedPart]:
    """Judge each part."""
    parts = list(questions_of(question))
    right = [_right(form, asked) for form, _, asked in parts]
    own = _Own(right, [*right], [*right])
    found = []
    for place, ((form, key, asked), reply) in enumerate(zip(parts, replies.parts, strict=True)):
        made = _judged(form, key, asked, reply, own, runner)
        if (absurd := _needs(key) & own.absurd) and reply.value is not None and not made.is_right:
            names = " and ".join(_called(parts[other][0]) for other in sorted(absurd))
            made = replace(made, say=ABSURD.format(names=names))
        _go_on(place, form, key, asked, reply, made, own)
        found.append(made)
    return found


def bounds_of(form: PartForm, key: PartKey, asked: Question, *, within: float | None = None) -> CarriedBounds:
    """Return the range of plausible results of a part."""
    kind: Any = form.its_kind
    return CarriedBounds(
        kind.number(asked.key),
        key.within if within is None else within,
        key.lowest,
        key.highest,
        kind.is_whole(asked.form, asked.key),
    )


def _right(form: PartForm, asked: Question) -> float:
    kind = form.its_kind
    return float(kind.number(asked.key)) if isinstance(kind, NumericKind) else math.nan


def _needs(key: PartKey) -> set[int]:
    return {place for way in key.ways for place in way.needs}


def _judged(form: PartForm, key: PartKey, asked: Question, reply: Reply, own: _Own, runner: Runner) -> JudgedPart:
    """Judge a part by the right answer and, if it is wrong, by what follows from the student's earlier results."""
    if reply.value is None:
        return JudgedPart(form, asked, reply)
    kind = form.its_kind
    verdict = kind.matches(asked, reply.value, runner)
    if verdict.credit >= 1:
        return JudgedPart(form, asked, reply, verdict)
    for other, carried, by_formula in _other_keys(form, key, asked, own):
        again = kind.matches(asked.model_copy(update={"key": other}), reply.value, runner)
        if again.credit > verdict.credit:
            return JudgedPart(form, asked, reply, again, carried, by_formula)
    return JudgedPart(form, asked, reply, explained(kind, asked, reply.value, verdict))


def _other_keys(
    form: PartForm, key: PartKey, asked: Question, own: _Own
) -> Iterator[tuple[Any, tuple[str, ...], bool]]:
    """Yield the keys that follow from the student's own results, what each follows from, and whether that is a formula."""
    for results in (own.all, own.wrong_alone):
        if (other := _followed(form, key, asked, own, results)) is not None:
            names = tuple(own.wrong[place] for place in sorted(_needs(key)) if place in own.wrong)
            yield other, names or (AS_ROUNDED,), False
    if key.formula is not None and (other := _by_formula(form, key, asked, own)) is not None:
        yield other, (own.formulas[key.formula.place][0],), True


def _followed(form: PartForm, key: PartKey, asked: Question, own: _Own, results: Sequence[float]) -> Any:
    """Return the key that follows from the student's own results; None if it is the right one, or if none follows."""
    needs = _needs(key)
    if all(results[place] == own.right[place] for place in needs):
        return None
    for way in key.ways:
        found = carried_results(way, [results[place] for place in way.needs])
        if found is None:
            continue
        kind: Any = form.its_kind
        if way.result is None:
            return None if way.key == key.key else kind.Key.model_validate(way.key)
        if way.result < len(way.needs):  # an earlier result as it is
            return None
        number = found[way.result]
        return kind.with_number(asked.key, number) if _is_a_step(number, form, key, asked, own) else None
    return None


def _by_formula(form: PartForm, key: PartKey, asked: Question, own: _Own) -> Any:
    """Return the key that the student's wrong formula gives with this part's numbers; None if there is no such formula.

    A formula without a symbol would only copy an answer, and an implausible number earns nothing.
    """
    if key.formula is None or key.formula.place not in own.formulas:
        return None
    _, asked_before, value = own.formulas[key.formula.place]
    number, kind = asked_before.value_at(value, key.formula.point), form.its_kind
    if number is None or not isinstance(kind, NumericKind) or not bounds_of(form, key, asked).hold(number):
        return None
    return None if kind.is_near(asked.form, asked.key, number) else kind.with_number(asked.key, number)


def _is_a_step(number: float, form: PartForm, key: PartKey, asked: Question, own: _Own) -> bool:
    """Return whether a number that follows is possible, and different from the right one."""
    kind: Any = form.its_kind
    if not bounds_of(form, key, asked, within=math.inf).hold(number):
        return False
    return not (_needs(key) & set(own.wrong) and kind.is_near(asked.form, asked.key, number))


def _go_on(
    place: int, form: PartForm, key: PartKey, asked: Question, reply: Reply, made: JudgedPart, own: _Own
) -> None:
    """Record the result on which later parts build: the student's own, or what would follow if there is none."""
    kind: Any = form.its_kind
    if not isinstance(kind, NumericKind):
        if reply.value is not None and not made.is_right:
            own.formulas[place] = (
                f"your answer to {_called(form)} ({_short(kind.read(asked.form, reply.value))})",
                kind,
                reply.value,
            )
        return
    if reply.value is not None:
        number = kind.given(asked, reply.value)
        if bounds_of(form, key, asked).hold(number):
            own.all[place] = number
            if not kind.is_near(asked.form, asked.key, number):
                own.wrong_alone[place] = number
                own.wrong[place] = f"your answer to {_called(form)} ({_short(kind.read(asked.form, reply.value))})"
            return
        own.absurd.add(place)
    other = _followed(form, key, asked, own, own.all) or _by_formula(form, key, asked, own)
    if other is not None:
        own.all[place] = own.wrong_alone[place] = kind.number(other)
        if not kind.is_near(asked.form, asked.key, kind.number(other)):
            own.wrong[place] = f"what follows for {_called(form)} from your answers"


def _called(form: PartForm) -> str:
    return f"“{form.title}”"


def _short(text: str) -> str:
    return literal(safe(" ".join(text.split())[:40]))


def notes(found: Sequence[JudgedPart]) -> dict[str, Note]:
    """Return the feedback on each part, for a form that shows it next to the part."""
    return {judged.form.name: _note(judged) for judged in found}


def _note(judged: JudgedPart) -> Note:
    verdict = judged.verdict
    if verdict is None:
        outcome = Outcome.UNREADABLE if judged.reply.why else Outcome.BLANK
        return Note(outcome=outcome, earned=0.0, say=literal(judged.reply.why))
    wrong = Outcome.PARTIAL if verdict.credit > 0 else Outcome.INCORRECT
    outcome = Outcome.CORRECT if judged.is_right else wrong
    return Note(outcome=outcome, earned=round(judged.earned, 4), say=_words(judged, verdict, ""))


def paragraphs(found: Sequence[JudgedPart]) -> Iterator[str]:
    """Yield the feedback: one paragraph for all parts that are right, one for all without an answer, and one for each other part."""
    numbered = dict(enumerate(found, start=1))
    right = {number: judged for number, judged in numbered.items() if judged.is_right and not _said(judged)}
    blank = {number: judged for number, judged in numbered.items() if judged.reply.is_blank}
    if right:
        yield _together("✓ Right", right)
    for number, judged in numbered.items():
        if number not in right and number not in blank:
            yield f"**{_mark(judged)} {number}. {judged.form.title}** · {_points([judged])} · {_said(judged)}".removesuffix(
                " · "
            )
    if blank:
        yield _together("○ No answer", blank)


def _together(what: str, parts: Mapping[int, JudgedPart]) -> str:
    """Return one line about several parts: with their titles if they are few, with their numbers if they are many."""
    if len(parts) <= MOST_TITLES:
        named = ", ".join(f"{number}. {judged.form.title}" for number, judged in parts.items())
    else:
        named = ", ".join(_spans([*parts]))
    return f"**{what}:** {named} · {_points([*parts.values()])}"


def _spans(numbers: Sequence[int]) -> Iterator[str]:
    """Yield ascending numbers in a short form, such as "1, 3 to 5".

    >>> list(_spans([1, 2, 3, 5, 8, 9]))
    ['1 to 3', '5', '8', '9']
    """
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        span = [str(number) for _, number in group]
        yield from [f"{span[0]} to {span[-1]}"] if len(span) > 2 else span


def _points(parts: Sequence[JudgedPart]) -> str:
    return f"{sum(judged.earned for judged in parts):.3g} of {sum(judged.form.points for judged in parts):g}"


def _mark(judged: JudgedPart) -> str:
    if judged.verdict is None:
        return "?"
    return "✓" if judged.is_right else "◐" if judged.verdict.credit > 0 else "✗"


def _said(judged: JudgedPart) -> str:
    """Return the feedback on a part: why it cannot be read, or the words of its verdict."""
    if judged.verdict is None:
        return literal(judged.reply.why)
    reading = judged.form.its_kind.read(judged.question.form, judged.reply.value)
    return _words(judged, judged.verdict, f"I read {_short(reading)}.")


def _words(judged: JudgedPart, verdict: Feedback, reading: str) -> str:
    """Return the feedback on a part that was read; if it is wrong and no form shows its reading, with the reading."""
    words = []
    if judged.carried:
        off = "these numbers are off" if len(judged.carried) > 1 else "that number is off"
        off = "that formula is off" if judged.by_formula else off
        though = "" if judged.carried == (AS_ROUNDED,) else f", though {off}: an error counts once"
        words.append(f"Right from {' and '.join(judged.carried)}{though}.")
    elif verdict.credit < 1 and reading:
        words.append(reading)
    if verdict.say and verdict.credit < 1:
        words.append(verdict.say)
    if judged.say:
        words.append(judged.say)
    return "\n\n".join(words) if len(words) > 1 and "\n" in "".join(words) else " ".join(words)
