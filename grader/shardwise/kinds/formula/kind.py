"""Formula: an expression in named symbols, equal to ours everywhere, however it is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal

from pydantic import Field

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Dice, Kind, Posed, Proof, Sample, said
from shardwise.kinds.calls import Runner
from shardwise.kinds.cases import Case, Input, cases
from shardwise.kinds.formula import compare as formulas
from shardwise.kinds.formula.explain import explain
from shardwise.question import Form, Key, Outcome, Question, Verdict
from shardwise.template import model as author
from shardwise.template.expressions import prose
from shardwise.template.references import arguments, oracle, reference
from shardwise.units import show_number

AGREEMENT = 1e-9  # relative, between formula, reference and oracle at a point


class Answer(author.AuthorModel):
    """The `answer` of a formula problem."""

    formula: author.Prose = Field(description="Ours; may contain {{ params }}.")
    reference: str
    oracle: str
    symbols: Mapping[str, Input] = Field(min_length=1, description="The symbols a student may use, and their values.")
    arguments: Mapping[str, author.Value] = {}


class Mistake(author.AuthorModel):
    """A wrong formula that teachers know."""

    formula: author.Prose
    say: author.Prose = Field(min_length=10)


class FormulaTemplate(author.Template):
    """A problem answered by a formula."""

    kind: Literal["formula"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()


class FormulaForm(Form):
    """The symbols and what they stand for."""

    symbols: Mapping[str, str]


class Slip(Key):
    """A recognised wrong formula."""

    formula: str
    say: str


class FormulaKey(Key):
    """Our formula, the points at which it is compared, and the recognised wrong ones."""

    formula: str
    points: tuple[Mapping[str, float], ...]
    mistakes: tuple[Slip, ...] = ()


@dataclass(frozen=True)
class Solved:
    """The formulas with the student's numbers in them, and the points, also as the reference's arguments."""

    formula: str
    mistakes: tuple[str, ...]
    points: tuple[Mapping[str, float], ...]
    base: tuple[Mapping[str, Any], ...]


class FormulaKind(Kind[FormulaTemplate, FormulaForm, FormulaKey]):
    """An expression in named symbols."""

    name = "formula"
    about = "An expression, compared exactly and then at sampled points; feedback shows a counter-example."
    Template = FormulaTemplate
    Form = FormulaForm
    Key = FormulaKey

    def solve(self, template: FormulaTemplate, values: Mapping[str, Any], dice: Dice) -> Solved:
        answer = template.answer
        drawn = cases(answer.symbols, (), dice, drawn=6)
        solved = Solved(
            formula=prose(answer.formula, values),
            mistakes=tuple(prose(one.formula, values) for one in template.mistakes),
            points=tuple(_points(answer.symbols, drawn)),
            base=tuple(one.base for one in drawn),
        )
        if not _apart(
            (solved.formula, *solved.mistakes),
            tuple(answer.symbols),
            _grid(answer.reference, tuple(answer.symbols.items())),
        ):
            raise Reject("a mistake equals the formula, or another mistake")
        return solved

    def pose(self, template: FormulaTemplate, solved: Solved, names: Mapping[str, Any], dice: Dice) -> Posed:
        symbols = {name: one.means or name for name, one in template.answer.symbols.items()}
        key = FormulaKey(
            formula=solved.formula,
            points=solved.points,
            mistakes=tuple(
                Slip(formula=text, say=said(one.say, {**names, "key": solved.formula}))
                for text, one in zip(solved.mistakes, template.mistakes, strict=True)
            ),
        )
        rows = "\n".join(f"- ${_tex(name)}$: {means}" for name, means in symbols.items())
        tail = f"Answer with a formula in these symbols:\n\n{rows}"
        return Posed(FormulaForm(symbols=symbols), key, tail=tail, names={"key": f"`{solved.formula}`"})

    def parse(self, form: FormulaForm, raw: Any) -> Any:
        if not isinstance(raw, str):
            raise Unreadable(f"I expected a formula as text, such as {self.example(form)!r}, and this is of type "
                             f"{type(raw).__name__}.")  # fmt: skip
        return formulas.parse(raw, form.symbols)

    def read(self, form: FormulaForm, value: Any) -> str:
        return str(value)

    def matches(self, question: Question, value: Any, runner: Runner) -> Verdict:
        key, form = question.key, question.form
        assert isinstance(key, FormulaKey) and isinstance(form, FormulaForm)
        ours = _parse(key.formula, tuple(form.symbols))
        counter = formulas.difference(value, ours, key.points)
        if counter is None:
            return Verdict(credit=1.0)
        where = ", ".join(f"{name} = {show_number(_whole(number))}" for name, number in counter.point.items())
        example = f"At {where} yours gives {_shown(counter.theirs)}, and the right one {_shown(counter.ours)}."
        for index, slip in enumerate(key.mistakes):
            wrong = _parse(slip.formula, tuple(form.symbols))
            if formulas.difference(value, wrong, key.points) is None:
                return Verdict(credit=0.0, say=f"{slip.say}\n\n{example}", mistake=index)
        return Verdict(credit=0.0, say=example)

    def explain(self, question: Question, value: Any) -> str:
        key, form = question.key, question.form
        assert isinstance(key, FormulaKey) and isinstance(form, FormulaForm)
        return explain(value, _parse(key.formula, tuple(form.symbols)))

    def example(self, form: FormulaForm) -> str:
        return "(" + " + ".join(form.symbols) + ")/2"

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = question.key, question.form
        assert isinstance(key, FormulaKey) and isinstance(form, FormulaForm)
        return [
            Sample(key.formula, Outcome.CORRECT),
            Sample(f"(2*({key.formula}))/2", Outcome.CORRECT),
            Sample(f"({key.formula}) + 1", Outcome.INCORRECT),
            *(Sample(slip.formula, Outcome.INCORRECT, index) for index, slip in enumerate(key.mistakes)),
            Sample("", Outcome.BLANK),
            Sample("2 +", Outcome.UNREADABLE),
            Sample("unheard_of * 2", Outcome.UNREADABLE),
            Sample("__import__('os')", Outcome.UNREADABLE),
            Sample(3, Outcome.UNREADABLE),
        ]

    def cells(self, form: FormulaForm, variable: str) -> str:
        return f"{variable} = ...  # a formula as text, such as {self.example(form)!r}"

    def prove(self, template: FormulaTemplate, values: Mapping[str, Any], solved: Solved, dice: Dice) -> Proof:
        proof = Proof(confirmed=True)
        answer = template.answer
        ours = _parse(solved.formula, tuple(answer.symbols))
        first, second = reference(answer.reference), oracle(answer.oracle)
        for point, base in zip(solved.points, solved.base, strict=True):
            names = {**values, **base}
            results = [
                formulas.evaluate(ours, point),
                float(first(**arguments(first, names, answer.arguments))),
                float(second(**arguments(second, names, answer.arguments))),
            ]
            if not all(math.isclose(one, results[0], rel_tol=AGREEMENT) for one in results):
                proof.confirmed = False
                proof.faults.append(
                    f"at {dict(point)} the formula gives {results[0]!r}, {answer.reference} {results[1]!r} and "
                    f"{answer.oracle} {results[2]!r}"
                )
                break
        return proof

    def faults(self, template: FormulaTemplate) -> Iterator[str]:
        for name, one in template.answer.symbols.items():
            if not one.values():
                yield f"answer.symbols.{name} has no values of its own; use choice, range, log_range or fixed"


_parse = lru_cache(maxsize=4096)(formulas.parse)


@lru_cache(maxsize=4096)
def _apart(texts: tuple[str, ...], symbols: tuple[str, ...], grid: tuple[tuple[float, ...], ...]) -> bool:
    """Whether no two of these formulas are equal, tried on the same points for every seed."""
    points = [dict(zip(symbols, values, strict=True)) for values in grid]
    pairs = combinations([_parse(text, symbols) for text in texts], 2)
    return all(formulas.difference(theirs, ours, points) is not None for ours, theirs in pairs)


@lru_cache(maxsize=256)
def _grid(name: str, symbols: tuple[tuple[str, Input], ...]) -> tuple[tuple[float, ...], ...]:
    """Points for telling formulas apart, independent of the seed."""
    drawn = cases(dict(symbols), (), Dice("grid", name), drawn=6)
    return tuple(tuple(point.values()) for point in _points(dict(symbols), drawn))


def _points(symbols: Mapping[str, Input], drawn: Sequence[Case]) -> list[dict[str, float]]:
    """The points by symbol, in base units."""
    return [{name: float(one.base[spec.argument or name]) for name, spec in symbols.items()} for one in drawn]


def _whole(number: float) -> float:
    """A number as a whole one where only rounding keeps it from that, as in 3000002.9999999995."""
    near = round(number)
    return near if math.isclose(number, near, rel_tol=1e-12) else number


def _shown(number: float) -> str:
    return show_number(_whole(number)) if math.isfinite(number) else "nothing (it is undefined there)"


def _tex(name: str) -> str:
    head, _, tail = name.partition("_")
    head = head if len(head) == 1 else rf"\mathrm{{{head}}}"
    return f"{head}_{{\\mathrm{{{tail}}}}}" if tail else head


KIND = FormulaKind()
