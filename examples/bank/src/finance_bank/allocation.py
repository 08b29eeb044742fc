"""The kind `allocation`: named amounts that add up to a whole, such as the interest and the principal in a payment."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from pydantic import Field, model_validator

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.blanks import is_blank
from shardwise.kinds.calls import Runner
from shardwise.question import Feedback, Form, Key, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.template.model import AuthorModel, Prose, Template, UnitName, Value
from shardwise.units import from_base, read, show_number, unit
from shardwise.units.parsing import plural

Amounts = Mapping[str, float]  # by name, in the question's unit

# What an author writes ------------------------------------------------------------------------------------------------


class Amount(AuthorModel):
    """One of the amounts: its label, its value, and its value by an independent computation."""

    means: Prose
    value: Value
    oracle: Value


class Answer(AuthorModel):
    """The `answer` of a problem: the amounts by name, and the whole that they add up to."""

    unit: UnitName
    whole: Value
    within: float = Field(gt=0, description="How far a right amount may be off, in the unit.")
    amounts: dict[str, Amount] = Field(min_length=2, max_length=6)


class Mistake(AuthorModel):
    """A wrong allocation that authors expect."""

    gives: dict[str, Value]
    say: Prose = Field(min_length=10)


class AllocationTemplate(Template):
    """A problem that is answered by an allocation."""

    kind: Literal["allocation"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()

    @model_validator(mode="after")
    def _mistakes_are_allocations(self) -> AllocationTemplate:
        if any(mistake.gives.keys() != self.answer.amounts.keys() for mistake in self.mistakes):
            raise ValueError(f"a mistake needs all amounts: {', '.join(self.answer.amounts)}")
        return self


# What a student sees, and what only marking sees ----------------------------------------------------------------------


class AllocationForm(Form):
    """The amounts' names and meanings, and what they add up to."""

    unit: str
    whole: float
    within: float
    amounts: Mapping[str, str]


class KnownMistake(Key):
    """A recognised wrong allocation."""

    amounts: Amounts
    say: str


class AllocationKey(Key):
    """The right amounts, and the recognised mistakes."""

    amounts: Amounts
    mistakes: tuple[KnownMistake, ...] = ()


class AllocationKind(Kind[AllocationTemplate, AllocationForm, AllocationKey]):
    """Amounts that add up to a whole."""

    name = "allocation"
    about = "Named amounts that add up to a whole; each has its share of the points."
    Template, Form, Key = AllocationTemplate, AllocationForm, AllocationKey
    starter = """\
params:
  file_bytes: {choice: [1, 2, 4], unit: GB}
  latency_s: {choice: [5, 10, 15], unit: ms}
prompt: |
  You send a file of {{ file_bytes }} over a link of 100 Gbit/s with a latency of {{ latency_s }}. How does the time divide into latency and sending?
answer:
  unit: ms
  whole: ref("example.transfer_seconds", file_bytes=file_bytes, bandwidth_bytes_per_s=12.5e9, latency_s=latency_s)
  within: 1                                     # tolerance, in the unit
  amounts:                                      # in base units; the lint compares each value with its oracle
    latency:
      means: the latency
      value: latency_s
      oracle: oracle("example.played_transfer_seconds", file_bytes=0, bandwidth_bytes_per_s=12.5e9, latency_s=latency_s)
    sending:
      means: sending the file
      value: file_bytes / 12.5e9
      oracle: oracle("example.played_transfer_seconds", file_bytes=file_bytes, bandwidth_bytes_per_s=12.5e9, latency_s=0)
mistakes:
  - gives: {latency: 2 * latency_s, sending: file_bytes / 12.5e9 - latency_s}
    say: The file crosses the link once, and nothing comes back.
"""

    # From a template to a question ------------------------------------------------------------------------------------

    def solve(self, template: AllocationTemplate, draw: Draw) -> list[Amounts]:
        """Return the right allocation, and then that of each mistake."""
        answer = template.answer
        right = {name: _worked_out(answer, draw, amount.value) for name, amount in answer.amounts.items()}
        wrong = [
            {name: _worked_out(answer, draw, mistake.gives[name]) for name in right} for mistake in template.mistakes
        ]
        equal = dict.fromkeys(right, sum(right.values()) / len(right))
        if any(_distance(*pair) <= 2 * answer.within for pair in combinations([right, *wrong, equal], 2)):
            raise Reject("a mistake, or equal amounts, is too close to another allocation")
        return [right, *wrong]

    def pose(self, template: AllocationTemplate, draw: Draw, solved: list[Amounts]) -> Posed:
        (right, *wrong), answer = solved, template.answer
        means = {name: prose(amount.means, draw.printed) for name, amount in answer.amounts.items()}
        whole = _worked_out(answer, draw, answer.whole)
        form = AllocationForm(unit=answer.unit, whole=whole, within=answer.within, amounts=means)
        says = [prose(mistake.say, draw.printed) for mistake in template.mistakes]
        known = [KnownMistake(amounts=amounts, say=say) for amounts, say in zip(wrong, says, strict=True)]
        return Posed(form, AllocationKey(amounts=right, mistakes=tuple(known)), names={"key": self.read(form, right)})

    def prove(self, template: AllocationTemplate, draw: Draw, solved: list[Amounts]) -> Proof:
        (right, *_), answer, proof = solved, template.answer, Proof(confirmed=True)
        whole = _worked_out(answer, draw, answer.whole)
        for name, amount in answer.amounts.items():
            if abs(_worked_out(answer, draw, amount.oracle) - right[name]) > answer.within / 100:
                proof.faults.append(f"{name}: value and oracle differ; one of the two is wrong")
        for amounts in solved:
            if abs(sum(amounts.values()) - whole) > answer.within / 10:
                proof.faults.append(f"{amounts} adds up to {sum(amounts.values()):g}, but the whole is {whole:g}")
        for pair in combinations(solved, 2):
            proof.near(_distance(*pair) / (2 * answer.within))
        return proof

    # How it is shown --------------------------------------------------------------------------------------------------

    def body(self, form: AllocationForm) -> str:
        rows = "\n".join(f"- `{name}`: {means}" for name, means in form.amounts.items())
        return f"{rows}\n\n*{_how(form)}*"

    def view(self, form: AllocationForm) -> View:
        lines = [
            {"type": "line", "name": name, "label": text, "has_preview": True} for name, text in form.amounts.items()
        ]
        return {"how": _how(form), "fields": lines}

    def preview(self, form: AllocationForm, raw: Any) -> View:
        shown: dict[str, View] = {}
        left = form.whole
        given = raw if isinstance(raw, Mapping) else {}
        for name in [name for name in form.amounts if not is_blank(given.get(name))]:
            try:
                amount = _amount(form, name, given[name])
            except Unreadable as error:
                shown[name] = {"why": str(error)}
            else:
                left -= amount
                shown[name] = {"read": f"{_shown(form, amount)}, which leaves {_shown(form, left)} of the whole"}
        return shown

    def example(self, form: AllocationForm) -> str:
        return ", ".join(f"{name} {self._share(form)}" for name in form.amounts)

    def _share(self, form: AllocationForm) -> str:
        """Return the amount of equal shares, in round numbers."""
        return _written(form, round(form.whole / len(form.amounts), -math.floor(math.log10(form.within))))

    def cells(self, form: AllocationForm, variable: str) -> str:
        rows = "".join(f'    "{name}": ...,  # {text}\n' for name, text in form.amounts.items())
        return f"{variable} = {{  # an amount for each, such as {self._share(form)!r}\n{rows}}}"

    # From an answer to a verdict --------------------------------------------------------------------------------------

    def parse(self, form: AllocationForm, raw: Any) -> Amounts:
        given = raw
        if isinstance(raw, str):  # "interest 1,500, principal: 316.25"
            given = dict(re.findall(r"([a-z_]+)[\s:=]+((?:[^,;\n]|,(?=\d))+)", raw))
        if not isinstance(given, Mapping) or not given.keys() <= form.amounts.keys():
            raise Unreadable(f"I expected an amount for each of {', '.join(form.amounts)}.")
        if missing := [name for name in form.amounts if is_blank(given.get(name))]:
            raise Unreadable(f"Enter an amount for {', '.join(missing)}.")
        amounts = {name: _amount(form, name, given[name]) for name in form.amounts}
        total = sum(amounts.values())
        if abs(total - form.whole) > len(amounts) * form.within:
            raise Unreadable(
                f"Your amounts add up to {_shown(form, total)}, but the whole is {_shown(form, form.whole)}."
            )
        return amounts

    def read(self, form: AllocationForm, value: Amounts) -> str:
        return ", ".join(f"{name} {_shown(form, amount)}" for name, amount in value.items())

    def matches(self, question: Question, value: Amounts, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        parts = {name: abs(value[name] - right) <= form.within for name, right in key.amounts.items()}
        credit = sum(parts.values()) / len(parts)
        for index, mistake in enumerate(key.mistakes):
            if _distance(value, mistake.amounts) <= form.within:
                return Feedback.judged(question, credit, mistake.say, mistake=index, parts=parts)
        most = max(parts, key=lambda name: value[name] - key.amounts[name])
        remark = "" if credit == 1 else f"Your value of `{most}`, {form.amounts[most]}, is too large."
        return Feedback.judged(question, credit, remark, parts=parts)

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)

        def written(amounts: Amounts) -> dict[str, str]:
            return {name: _written(form, amount) for name, amount in amounts.items()}

        def outcome(amounts: Amounts) -> Outcome:
            is_any = any(abs(amounts[name] - right) <= form.within for name, right in key.amounts.items())
            return Outcome.PARTIAL if is_any else Outcome.INCORRECT

        wrong = [
            Sample(written(mistake.amounts), outcome(mistake.amounts), index)
            for index, mistake in enumerate(key.mistakes)
        ]
        first, right = next(iter(key.amounts)), written(key.amounts)
        return [
            Sample(right, Outcome.CORRECT),
            Sample(", ".join(f"{name}: {text}" for name, text in right.items()), Outcome.CORRECT),
            Sample(dict(key.amounts), Outcome.CORRECT),
            *wrong,
            Sample(self.example(form), outcome(dict.fromkeys(right, form.whole / len(right)))),
            Sample({**right, first: _written(form, 9 * form.whole)}, Outcome.UNREADABLE),
            Sample({first: right[first]}, Outcome.UNREADABLE),
            Sample({**right, first: "much"}, Outcome.UNREADABLE),
            Sample("something", Outcome.UNREADABLE),
            Sample(dict.fromkeys(right, ...), Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]


def _worked_out(answer: Answer, draw: Draw, value: str | float) -> float:
    """Evaluate an author's expression, in the question's unit."""
    return from_base(float(draw.evaluate(value)), answer.unit)


def _distance(first: Amounts, second: Amounts) -> float:
    """Return the largest difference between two allocations."""
    return max(abs(first[name] - second[name]) for name in first)


def _how(form: AllocationForm) -> str:
    return f"Enter an amount for each. Together they are {_shown(form, form.whole)}."


def _shown(form: AllocationForm, amount: float) -> str:
    return f"{show_number(amount, digits=7)} {plural(unit(form.unit).text, amount)}".strip()


def _written(form: AllocationForm, number: float) -> str:
    return f"{number:.10g} {plural(unit(form.unit).text, number)}".strip()


def _amount(form: AllocationForm, name: str, raw: Any) -> float:
    """Return an amount in the question's unit; a bare number is in that unit. Raises Unreadable."""
    text = str(raw).strip()
    is_bare = re.fullmatch(r"[-+]?[\d.,\s]+(?:e[-+]?\d+)?", text)
    try:
        return from_base(read(f"{text} {unit(form.unit).text}" if is_bare else text, form.unit).value, form.unit)
    except Unreadable as error:
        raise Unreadable(f"{name}: {error}") from None


KIND = AllocationKind()
