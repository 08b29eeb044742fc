"""Order: items to be put in sequence, some or all of them drawn by the seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any, Literal

from pydantic import Field, model_validator

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Dice, Kind, Posed, Proof, Sample, said
from shardwise.kinds.calls import Runner
from shardwise.kinds.labels import Labelled, label, letters, listed
from shardwise.question import Form, Key, Outcome, Question, Verdict
from shardwise.template import model as author
from shardwise.template.expressions import evaluate, prose
from shardwise.template.parameters import dice as throw
from shardwise.template.parameters import shuffled
from shardwise.template.references import HELPERS

APART = 0.02  # two values nearer than 2 % are not worth ordering; such a draw is rejected


class Item(author.AuthorModel):
    """One thing to be placed."""

    id: str = Field(pattern=r"^[a-z0-9_-]+$")
    text: author.Prose = Field(min_length=1)
    value: author.Value | None = Field(None, description="Expression to sort by, ascending.")
    oracle: author.Value | None = Field(None, description="The same by another road; the lint compares the orders.")


class Answer(author.AuthorModel):
    """The `answer` of an ordering problem."""

    first: author.Prose = Field(min_length=3, description="What the beginning of the list means.")
    shown: int | None = Field(None, ge=3, le=10)
    items: tuple[Item, ...] = Field(min_length=3, max_length=12)

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        if len({one.id for one in self.items}) != len(self.items):
            raise ValueError("two items have the same id")
        if len({one.value is None for one in self.items}) > 1:
            raise ValueError("either every item has a `value` or none has")
        return self


class Mistake(author.AuthorModel):
    """A wrong order that teachers know."""

    order: tuple[str, ...]
    say: author.Prose = Field(min_length=10)


class OrderTemplate(author.Template):
    """A problem answered by an order."""

    kind: Literal["order"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()

    @model_validator(mode="after")
    def _mistakes_are_orders(self) -> OrderTemplate:
        ids = sorted(one.id for one in self.answer.items)
        for mistake in self.mistakes:
            if sorted(mistake.order) != ids:
                raise ValueError(f"a mistake's order names every item once; the items are {', '.join(ids)}")
        return self


class OrderForm(Form):
    """The items as the student sees them."""

    first: str
    items: tuple[Labelled, ...]


class Slip(Key):
    """A recognised wrong order."""

    order: tuple[str, ...]
    say: str


class OrderKey(Key):
    """The letters in the right order, and the recognised wrong orders."""

    order: tuple[str, ...]
    mistakes: tuple[Slip, ...] = ()


@dataclass(frozen=True)
class Solved:
    """The ids in the right order, and in the order shown."""

    right: tuple[str, ...]
    shown: tuple[str, ...]


def agreement(given: Sequence[str], right: Sequence[str]) -> float:
    """Kendall's rank correlation, at least 0: 1 for the same order, 0 for what shuffling gives on average.

    >>> agreement("abcd", "abcd"), agreement("dcba", "abcd"), round(agreement("bacd", "abcd"), 3)
    (1.0, 0.0, 0.667)
    """
    pairs = list(combinations(right, 2))
    kept = sum(given.index(first) < given.index(second) for first, second in pairs)
    return max(0.0, 2 * kept / len(pairs) - 1)


class OrderKind(Kind[OrderTemplate, OrderForm, OrderKey]):
    """Items to be put in sequence."""

    name = "order"
    about = "Items to be put in sequence; part of the points for a nearly right order (Kendall's rank correlation)."
    Template = OrderTemplate
    Form = OrderForm
    Key = OrderKey

    def solve(self, template: OrderTemplate, values: Mapping[str, Any], dice: Dice) -> Solved:
        answer = template.answer
        items = sorted(answer.items, key=lambda one: throw(dice.seed, dice.problem, f"item {one.id}"))
        drawn = {one.id for one in items[: answer.shown or len(items)]}
        right = self._sorted([one for one in answer.items if one.id in drawn], values, use_oracle=False)
        shown = shuffled(sorted(right), dice.seed, dice.problem, "shuffle")
        if tuple(shown) == right:  # never show the answer as the order they stand in
            shown = [*shown[1:], shown[0]]
        return Solved(right, tuple(shown))

    def _sorted(self, items: Sequence[Item], values: Mapping[str, Any], *, use_oracle: bool) -> tuple[str, ...]:
        names = {**values, **HELPERS}
        if items[0].value is None:
            return tuple(one.id for one in items)

        def size(one: Item) -> float:
            given = one.oracle if use_oracle and one.oracle is not None else one.value
            return float(evaluate(given if given is not None else 0, names))

        sizes = sorted((size(one), one.id) for one in items)
        for (low, _), (high, _) in pairwise(sizes):
            if high - low <= APART * max(abs(low), abs(high)) and not use_oracle:
                raise Reject(f"two values lie within {APART:.0%} of each other")
        return tuple(name for _, name in sizes)

    def pose(self, template: OrderTemplate, solved: Solved, names: Mapping[str, Any], dice: Dice) -> Posed:
        texts = {one.id: prose(one.text, names) for one in template.answer.items}
        labelled = label([texts[name] for name in solved.shown])
        letter = {name: one.label for name, one in zip(solved.shown, labelled, strict=True)}
        right = tuple(letter[name] for name in solved.right)
        slips: dict[tuple[str, ...], Slip] = {}
        for mistake in template.mistakes:
            order = tuple(letter[name] for name in mistake.order if name in letter)
            if order != right and order not in slips:
                slips[order] = Slip(order=order, say=said(mistake.say, names))
        first = prose(template.answer.first, names)
        tail = f"{listed(labelled)}\n\n*Put the letters in order; first comes: {first}.*"
        key_text = ", ".join(f"**{letter[name]})** {texts[name]}" for name in solved.right)
        key = OrderKey(order=right, mistakes=tuple(slips.values()))
        return Posed(OrderForm(first=first, items=labelled), key, tail=tail, names={"key": key_text})

    def parse(self, form: OrderForm, raw: Any) -> tuple[str, ...]:
        if isinstance(raw, set | frozenset):
            raise Unreadable(f"A set has no order. An answer looks like {self.example(form)}")
        given = letters(raw, form.items, self.example(form))
        missing = [one.label for one in form.items if one.label not in given]
        if missing:
            raise Unreadable(
                f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing: every letter has a place."
            )
        return tuple(given)

    def read(self, form: OrderForm, value: tuple[str, ...]) -> str:
        return " → ".join(value)

    def matches(self, question: Question, value: tuple[str, ...], runner: Runner) -> Verdict:
        key = question.key
        assert isinstance(key, OrderKey)
        if value == key.order:
            return Verdict(credit=1.0)
        credit = agreement(value, key.order)
        for index, slip in enumerate(key.mistakes):
            if value == slip.order:
                return Verdict(credit=credit, say=slip.say, mistake=index)
        wrong = next(place for place, (one, right) in enumerate(zip(value, key.order, strict=True)) if one != right)
        if wrong == 0:
            return Verdict(credit=credit, say=f"**{value[0]}** does not come first.")
        return Verdict(credit=credit, say=f"The first {wrong} are right; **{value[wrong]}** does not come next.")

    def example(self, form: OrderForm) -> str:
        return " ".join(one.label for one in form.items)

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = question.key, question.form
        assert isinstance(key, OrderKey) and isinstance(form, OrderForm)

        def outcome(order: Sequence[str]) -> Outcome:
            return Outcome.PARTIAL if agreement(order, key.order) > 0 else Outcome.INCORRECT

        return [
            Sample(" ".join(key.order), Outcome.CORRECT),
            Sample(list(key.order), Outcome.CORRECT),
            Sample("".join(key.order).upper(), Outcome.CORRECT),
            *(Sample(" ".join(slip.order), outcome(slip.order), index) for index, slip in enumerate(key.mistakes)),
            Sample(" ".join(key.order[:-1]), Outcome.UNREADABLE),
            Sample("z y x", Outcome.UNREADABLE),
            Sample("", Outcome.BLANK),
        ]

    def cells(self, form: OrderForm, variable: str) -> str:
        return f"{variable} = ...  # every letter once, such as {self.example(form)!r}"

    def prove(self, template: OrderTemplate, values: Mapping[str, Any], solved: Solved, dice: Dice) -> Proof:
        items = [one for one in template.answer.items if one.id in solved.right]
        proof = Proof(confirmed=all(one.oracle is not None for one in items))
        if proof.confirmed and self._sorted(items, values, use_oracle=True) != solved.right:
            proof.faults.append("the values and the oracles give different orders")
        if template.answer.shown and template.answer.shown > len(template.answer.items):
            proof.faults.append(
                f"answer.shown is {template.answer.shown}, and there are {len(template.answer.items)} items"
            )
        return proof

    def faults(self, template: OrderTemplate) -> Iterator[str]:
        fixed = tuple(one.id for one in template.answer.items if one.value is None)
        for number, mistake in enumerate(template.mistakes, start=1):
            if mistake.order == fixed:
                yield f"mistake {number} is the right order"


KIND = OrderKind()
