"""Formula: an expression in named symbols, equal to ours everywhere, however it is written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.formula import compare as formulas
from shardwise.kinds.formula.advice import in_words_of
from shardwise.kinds.formula.explain import explain, rounded
from shardwise.kinds.formula.points import are_told_apart, parse, points_of, telling
from shardwise.kinds.formula.tree import FormulaError, symbols_in
from shardwise.kinds.formula.typeset import formula_as_mathml
from shardwise.kinds.inputs import Input
from shardwise.markdown.html import inline, to_html
from shardwise.markdown.plain import GREEK
from shardwise.question import Feedback, Form, Key, Outcome, Question
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose, with_values
from shardwise.template.references import References
from shardwise.units import show_number

AGREEMENT = 1e-9  # relative, between formula, reference and oracle at a point
FEWEST_DIGITS, MOST_DIGITS = 4, 12  # of the values of two formulas; numbers that agree in the first ten count as equal


class Answer(author.AuthorModel):
    """The `answer` of a formula problem."""

    formula: author.Prose = Field(description="Ours; may contain {{ params }}.")
    reference: author.Reference
    oracle: author.Oracle
    symbols: Mapping[str, Input] = Field(min_length=1, description="The symbols a student may use, and their values.")
    arguments: author.Arguments = Field({})


class Mistake(author.AuthorModel):
    """A wrong formula that teachers know."""

    formula: author.Prose = Field(description="The wrong formula, in the symbols of the question.")
    say: author.Say


class FormulaTemplate(author.Template):
    """A problem answered by a formula."""

    kind: Literal["formula"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()


class FormulaForm(Form):
    """The symbols and what they stand for."""

    symbols: Mapping[str, str]


class KnownMistake(Key):
    """A recognised wrong formula."""

    formula: str
    say: str


class FormulaKey(Key):
    """Our formula, the points at which formulas are compared, and the recognised wrong ones."""

    formula: str
    points: tuple[Mapping[str, float], ...]
    mistakes: tuple[KnownMistake, ...] = ()


@dataclass(frozen=True)
class Solved:
    """The formulas with the student's numbers in them, and the points, also as arguments of the reference."""

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
    starter = """\
prompt: |
  Write the time until the last byte of a file has crossed a link as a formula.
answer:
  formula: L + B/W
  reference: example.transfer_seconds           # solutions/example.py
  oracle: example.played_transfer_seconds       # solutions/oracles/example.py
  symbols:
    B: {argument: file_bytes, means: bytes of the file, choice: [1.0e+9, 2.0e+9]}
    W: {argument: bandwidth_bytes_per_s, means: rate of the link in bytes per second, choice: [1.0e+10, 2.5e+10]}
    L: {argument: latency_s, means: latency in seconds, choice: [0.05, 0.1]}
mistakes:
  - formula: B/W
    say: The first byte is on its way for a while, too.
"""

    def solve(self, template: FormulaTemplate, draw: Draw) -> Solved:
        answer = template.answer
        formula = with_values(answer.formula, draw.values)
        mistakes = tuple(with_values(mistake.formula, draw.values) for mistake in template.mistakes)
        points, base = points_of((formula, *mistakes), answer.symbols, draw.rng)
        if not are_told_apart((formula, *mistakes), tuple(answer.symbols), points):
            raise Reject("a mistake equals the formula, or another mistake, at every point")
        return Solved(formula, mistakes, tuple(points), tuple(base))

    def pose(self, template: FormulaTemplate, draw: Draw, solved: Solved) -> Posed:
        names = {**draw.printed, "key": solved.formula}
        symbols = {name: symbol.means or name for name, symbol in template.answer.symbols.items()}
        key = FormulaKey(
            formula=solved.formula,
            points=solved.points,
            mistakes=tuple(
                KnownMistake(formula=text, say=prose(mistake.say, names))
                for text, mistake in zip(solved.mistakes, template.mistakes, strict=True)
            ),
        )
        return Posed(FormulaForm(symbols=symbols), key, names={"key": f"`{solved.formula}`"})

    def body(self, form: FormulaForm) -> str:
        rows = "\n".join(f"- ${_tex(name)}$: {means}" for name, means in form.symbols.items())
        return f"Answer with a formula in these symbols:\n\n{rows}"

    def view(self, form: FormulaForm) -> View:
        symbols = [
            {"name": name, "html": inline(f"${_tex(name)}$"), "means": inline(means)}
            for name, means in form.symbols.items()
        ]
        field = {"type": "line", "label": "Your formula", "is_code": True, "has_preview": True}
        return {
            "how": f"A formula as plain text, for example {self.example(form)}.",
            "html": to_html(self.body(form)), "symbols": symbols, "fields": [field],
        }  # fmt: skip

    def preview(self, form: FormulaForm, raw: Any) -> View:
        try:
            value = parsed_answer(self, form, raw)
            return {} if value is None else {"html": formula_as_mathml(value.tree)}
        except FormulaError as error:
            return {"why": error.brief}
        except Unreadable as error:
            return {"why": str(error)}

    def parse(self, form: FormulaForm, raw: Any) -> Any:
        if not isinstance(raw, str):
            raise Unreadable(f"I expected a formula as text, such as {self.example(form)!r}, but this is of type "
                             f"{type(raw).__name__}.")  # fmt: skip
        return formulas.parse_formula(raw, form.symbols)

    def read(self, form: FormulaForm, value: Any) -> str:
        return str(value)

    def right_at(
        self, template: FormulaTemplate, key: FormulaKey, given: Mapping[str, Any]
    ) -> tuple[Mapping[str, float], float] | None:
        known = {name: given.get(symbol.argument or name) for name, symbol in template.answer.symbols.items()}
        numbers = {name: float(number) for name, number in known.items() if isinstance(number, int | float)}
        if len(numbers) < len(known):
            return None
        return numbers, formulas.formula_value(parse(key.formula, tuple(numbers)), numbers)

    def value_at(self, value: Any, numbers: Mapping[str, float]) -> float | None:
        return formulas.formula_value(value, numbers) if symbols_in(value.tree) else None

    def matches(self, question: Question, value: Any, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        ours = parse(key.formula, tuple(form.symbols))
        counter = formulas.difference(value, ours, key.points)
        if counter is None:
            return Feedback.judged(question, 1.0)
        where = ", ".join(f"{name} = {show_number(_whole(number))}" for name, number in counter.point.items())
        given, right = _shown(counter.theirs, counter.ours)
        example = f"At {where} your formula gives {given}, and the correct one gives {right}."
        for index, slip in enumerate(key.mistakes):
            wrong = parse(slip.formula, tuple(form.symbols))
            if formulas.is_recognised(value, wrong, key.points):
                said = f"{_cancelled(value, wrong)}{slip.say}"
                return Feedback.judged(question, 0.0, said, example, mistake=index)
        return Feedback.judged(question, 0.0, example)

    def explain(self, question: Question, value: Any) -> str:
        key, form = self.key_and_form(question)
        ours = parse(key.formula, tuple(form.symbols))
        return explain(value, ours) or rounded(value, ours, key.points)

    def example(self, form: FormulaForm) -> str:
        return "(" + " + ".join(form.symbols) + ")/2"

    def samples(self, question: Question) -> Sequence[Sample]:
        key, _ = self.key_and_form(question)
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

    def prove(self, template: FormulaTemplate, draw: Draw, solved: Solved) -> Proof:
        proof = Proof(confirmed=True)
        answer, references = template.answer, draw.references
        ours = parse(solved.formula, tuple(answer.symbols))
        reference, oracle = references.reference(answer.reference), references.oracle(answer.oracle)
        for point, base in zip(solved.points, solved.base, strict=True):
            names = {**draw.values, **base}
            results = [
                formulas.formula_value(ours, point),
                float(references.call(reference, names, answer.arguments)),
                float(references.call(oracle, names, answer.arguments)),
            ]
            if not all(math.isclose(result, results[0], rel_tol=AGREEMENT) for result in results):
                proof.confirmed = False
                proof.faults.append(
                    f"at {dict(point)} the formula gives {results[0]!r}, {answer.reference} {results[1]!r} and "
                    f"{answer.oracle} {results[2]!r}"
                )
                break
        known = telling((solved.formula, *solved.mistakes), tuple(answer.symbols.items()))
        proof.faults += [
            f"no values of the symbols distinguish {wrong} from {solved.formula}; add values at which the two differ"
            for wrong in known.untold
        ]
        return proof

    def faults(self, template: FormulaTemplate, references: References) -> Iterator[str]:
        for name, symbol in template.answer.symbols.items():
            if not symbol.values():
                yield f"answer.symbols.{name} has no values of its own; use choice, range, log_range or fixed"


def _whole(number: float) -> float:
    """Return a number as a whole one if only a rounding error prevents that, as in 3000002.9999999995."""
    near = round(number)
    return near if math.isclose(number, near, rel_tol=1e-12) else number


def _cancelled(value: formulas.ParsedFormula, wrong: formulas.ParsedFormula) -> str:
    """Return what cancels in a formula that equals a known one: the student may have derived it in another way."""
    theirs, left = (dict.fromkeys(symbols_in(formula.tree)) for formula in (value, wrong))
    lost = [f"`{name}`" for name in theirs if name not in left]
    if not lost or value.fingerprint != wrong.fingerprint:
        return ""
    return f"In your formula {in_words_of(lost)} cancel{'' if lost[1:] else 's'}, which leaves `{wrong}`. "


def _shown(*numbers: float) -> list[str]:
    """Return different numbers with enough digits to distinguish them, or words for an undefined one."""
    for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
        shown = [
            show_number(_whole(number), digits) if math.isfinite(number) else "nothing (it is undefined there)"
            for number in numbers
        ]
        if len(set(shown)) == len(shown):
            break
    return shown


def _tex(name: str) -> str:
    head, _, tail = name.partition("_")
    head = rf"\{head}" if head in GREEK else head if len(head) == 1 else rf"\mathrm{{{head}}}"
    return f"{head}_{{\\mathrm{{{tail}}}}}" if tail else head


KIND = FormulaKind()
