"""Choice: one or several right options, drawn and shuffled by the seed, with feedback on each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.labels import (
    LONGEST,
    LOPSIDED,
    Labelled,
    as_list,
    as_view,
    in_every_draw,
    joined,
    label,
    letters,
    lopsided,
    ticked,
)
from shardwise.question import Feedback, Form, Key, Outcome, Question
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.template.references import References

EARNS = "Each right option earns a share of the points, and each wrong one costs a share."

_RANGE = re.compile(r"\(?([a-z])\)?\s*(?:-|–|—|\.\.+|…|to|through)\s*\(?([a-z])\)?")
_NONE = re.compile(r"(?:none|neither|nothing)(?: of (?:them|these|the above|the options|those))?\.?", re.IGNORECASE)
_EXCEPT = re.compile(
    r"(?:all|every(?:thing|one)?)(?: of (?:them|these))?(?:,? (?:except|but|without|save)(?: for)?) (.+)",
    re.IGNORECASE | re.S,
)
_ALL = re.compile(r"all(?: (?:of )?(?:them|these|the above|above|options))?\.?", re.IGNORECASE)


class Option(author.AuthorModel):
    """One option, and what to say to a student who picks it."""

    text: author.Prose = Field(min_length=1, description="What the student reads.")
    correct: author.Condition | None = Field(None, description="true, false or an expression.")
    value: Annotated[str | int | float | bool, AfterValidator(author.valid_expression)] | None = Field(
        None, description="With a reference: the option is right when this equals what the reference returns."
    )
    say: author.Prose = Field(min_length=5, description="Shown to a student who picks this option; Jinja2.")

    @model_validator(mode="after")
    def _one(self) -> Option:
        if (self.correct is None) == (self.value is None):
            raise ValueError("an option has either `correct` or, with a reference, a `value`")
        if isinstance(self.correct, str) and self.correct.lower() in ("yes", "no", "on", "off", "true", "false"):
            raise ValueError(f"correct is true or false without quotes; in YAML 1.2 {self.correct!r} is a string")
        return self


class Answer(author.AuthorModel):
    """The `answer` of a choice problem."""

    pick: Literal["one", "many"] = Field("one", description="How many options the student picks.")
    shown: int | None = Field(None, ge=2, le=10, description="How many options are drawn; the right ones always are.")
    reference: author.Reference | None = None
    oracle: author.Oracle | None = None
    arguments: author.Arguments = Field({})
    options: tuple[Option, ...] = Field(min_length=2, max_length=20, description="The options, right and wrong.")

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        if (self.reference is None) != (self.oracle is None):
            raise ValueError("a reference and an oracle come together")
        by_value = [option.value is not None for option in self.options]
        if any(by_value) != (self.reference is not None) or (any(by_value) and not all(by_value)):
            raise ValueError("with a reference every option has a `value`; without one every option says `correct`")
        return self


class ChoiceTemplate(author.Template):
    """A problem answered by picking from a list."""

    kind: Literal["choice"]
    answer: Answer


class ChoiceForm(Form):
    """The options as the student sees them."""

    pick: Literal["one", "many"]
    options: tuple[Labelled, ...]


class ChoiceKey(Key):
    """The letters of the right options, and what to say on each option."""

    correct: tuple[str, ...]
    say: Mapping[str, str]


@dataclass(frozen=True)
class Solved:
    """The right options, and the options shown, in order, as indices into the template."""

    correct: frozenset[int]
    order: tuple[int, ...]


class ChoiceKind(Kind[ChoiceTemplate, ChoiceForm, ChoiceKey]):
    """Options, one or many of them right."""

    name = "choice"
    is_shuffled = True
    about = "One or several right options, drawn and shuffled for each student; every option has its own feedback."
    starter = """\
# Drawn once per student and seed. A bare value is fixed.
params:
  file_bytes: {choice: [1, 2, 5, 10], unit: GB}
  bandwidth_bytes_per_s: {choice: [100, 200, 400], unit: Gbit/s, direction: per direction}
  latency_s: {choice: [50, 100], unit: ms}
prompt: |
  A file of {{ file_bytes }} crosses a link of {{ bandwidth_bytes_per_s }} with a latency of {{ latency_s }}.
  What does a link that is twice as fast do to the time?
answer:
  pick: one
  options:
    - text: It falls, but not by half.
      correct: true
      say: The latency stays as it is.
    - text: It falls by half.
      correct: false
      say: Only one part of the time depends on the rate.
    - text: It stays as it is.
      correct: false
      say: The bytes cross in half the time.
"""
    Template = ChoiceTemplate
    Form = ChoiceForm
    Key = ChoiceKey
    needs_oracle = False  # many choices are about concepts, which no oracle can confirm
    guessed = LOPSIDED  # a guess between two options

    def solve(self, template: ChoiceTemplate, draw: Draw) -> Solved:
        correct = self._correct(template, draw, use_oracle=False)
        if (len(correct) != 1) if template.answer.pick == "one" else not correct:
            raise Reject(f"{len(correct)} options are right")
        return Solved(correct, self._order(template.answer, correct, draw))

    def _correct(self, template: ChoiceTemplate, draw: Draw, *, use_oracle: bool) -> frozenset[int]:
        answer, references = template.answer, draw.references
        places = range(len(answer.options))
        if answer.reference is None or answer.oracle is None:
            return frozenset(place for place in places if draw.is_true(answer.options[place].correct or False))
        function = references.oracle(answer.oracle) if use_oracle else references.reference(answer.reference)
        key = references.call(function, draw.values, answer.arguments)
        return frozenset(place for place in places if _literal(answer.options[place].value, draw) == key)

    def _order(self, answer: Answer, correct: frozenset[int], draw: Draw) -> tuple[int, ...]:
        rng = draw.rng.steady
        wrong = [place for place in range(len(answer.options)) if place not in correct]
        wrong.sort(key=lambda place: rng.number(f"option {answer.options[place].text}"))
        room = len(answer.options) if answer.shown is None else max(0, answer.shown - len(correct))
        return tuple(rng.shuffled(sorted([*correct, *wrong[:room]]), "shuffle"))

    def pose(self, template: ChoiceTemplate, draw: Draw, solved: Solved) -> Posed:
        names = draw.printed
        options = [template.answer.options[place] for place in solved.order]
        labelled = label([prose(option.text, names) for option in options])
        form = ChoiceForm(pick=template.answer.pick, options=labelled)
        key = ChoiceKey(
            correct=tuple(
                line.label for line, place in zip(labelled, solved.order, strict=True) if place in solved.correct
            ),
            say={line.label: prose(option.say, names) for line, option in zip(labelled, options, strict=True)},
        )
        right = joined([line for line in labelled if line.label in key.correct])
        return Posed(form, key, names={"key": right})

    def body(self, form: ChoiceForm) -> str:
        how = (
            "One option is right." if form.pick == "one" else f"Several options may be right; name all of them. {EARNS}"
        )
        return f"{as_list(form.options)}\n\n*{how}*"

    def view(self, form: ChoiceForm) -> View:
        how = "Select one option." if form.pick == "one" else f"Select all that apply. {EARNS}"
        return {"how": how, "fields": [{"type": "options", "pick": form.pick, "options": as_view(form.options)}]}

    def parse(self, form: ChoiceForm, raw: Any) -> tuple[str, ...]:
        said = _said_of_all(form, raw) if isinstance(raw, str) and len(raw) <= LONGEST else None
        picked = said or letters(raw, form.options, self.example(form))
        if form.pick == "one" and len(picked) > 1:
            raise Unreadable(
                f"You named {len(picked)} options, but only one can be right. An answer looks like “a”.",
                shows_example=True,
            )
        return tuple(sorted(picked))

    def read(self, form: ChoiceForm, value: tuple[str, ...]) -> str:
        return ", ".join(value)

    def mistakes(self, question: Question) -> list[str]:
        key, _ = self.key_and_form(question)
        return [f"**{letter})** {said}" for letter, said in key.say.items() if letter not in key.correct]

    def matches(self, question: Question, value: tuple[str, ...], runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        right, wrong = set(value) & set(key.correct), set(value) - set(key.correct)
        missing = set(key.correct) - set(value)
        if not wrong and not missing:
            several = len(value) > 1
            said = (f"**{letter})** {key.say[letter]}" if several else key.say[letter] for letter in value)
            return Feedback.judged(question, 1.0, *said)
        words = [f"**{letter})** {key.say[letter]}" for letter in value if letter in wrong]
        if missing and not wrong:
            words.append("What you selected is right, but there is more.")
        credit = self._credit(len(right), len(wrong), len(key.correct), len(form.options))
        return Feedback.judged(question, credit, *words)

    def _credit(self, right: int, wrong: int, all_right: int, options: int) -> float:
        """Return the share of the points: none for selecting everything, even if only one option is wrong."""
        lost = wrong / min(all_right, options - all_right) if wrong else 0.0
        return max(0.0, right / all_right - lost)

    def example(self, form: ChoiceForm) -> str:
        return "a" if form.pick == "one" else "a, b"

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)
        wrong = [option.label for option in form.options if option.label not in key.correct]
        found = [
            Sample(", ".join(key.correct), Outcome.CORRECT),
            Sample(list(key.correct), Outcome.CORRECT),
            *(Sample(letter.upper(), Outcome.INCORRECT) for letter in wrong),
            Sample("", Outcome.BLANK),
            Sample("z", Outcome.UNREADABLE),
            Sample(7, Outcome.UNREADABLE),
        ]
        if form.pick == "one" and wrong:
            found.append(Sample([key.correct[0], wrong[0]], Outcome.UNREADABLE))
        if form.pick == "many" and len(key.correct) > 1:
            found.append(Sample(key.correct[0], Outcome.PARTIAL))
        return found

    def unthinking(self, form: ChoiceForm) -> Mapping[str, Any]:
        every = {"every option": [option.label for option in form.options]} if form.pick == "many" else {}
        return {**super().unthinking(form), **every}

    def faults_over(
        self, template: ChoiceTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        return lopsided([_right_texts(question) for question in drawn])

    def cells(self, form: ChoiceForm, variable: str) -> str:
        return f"{variable} = ...  # {'a letter' if form.pick == 'one' else 'letters'}, such as {self.example(form)!r}"

    def prove(self, template: ChoiceTemplate, draw: Draw, solved: Solved) -> Proof:
        proof = Proof(confirmed=template.answer.oracle is not None)
        if template.answer.oracle and self._correct(template, draw, use_oracle=True) != solved.correct:
            proof.confirmed = False
            proof.faults.append(f"{template.answer.reference} and {template.answer.oracle} point at different options")
        texts = [prose(template.answer.options[place].text, draw.printed) for place in solved.order]
        if len(set(texts)) != len(texts):
            proof.faults.append("two options that are shown together read the same")
        return proof

    def faults(self, template: ChoiceTemplate, references: References) -> Iterator[str]:
        drawn = template.answer.shown
        if drawn is not None and drawn > len(template.answer.options):
            yield f"answer.shown is {drawn}, but there are only {len(template.answer.options)} options"


def _right_texts(question: Question) -> tuple[str, ...]:
    """Return the right options of a draw."""
    key, form = question.key, question.form
    assert isinstance(key, ChoiceKey) and isinstance(form, ChoiceForm)
    texts = in_every_draw(form.options)
    return tuple(sorted(texts[label] for label in key.correct))


def _said_of_all(form: ChoiceForm, text: str) -> list[str] | None:
    """Return the letters that a text picks by a statement about all options, such as "all" or "a: no, b: yes"; None for any other text.

    Raises Unreadable for an ambiguous range.
    """
    if found := _RANGE.fullmatch(text.strip().lower()):
        _refuse_range(form, *found.groups())
    every = [option.label for option in form.options]
    if form.pick == "many" and _ALL.fullmatch(text.strip()):
        return every
    if form.pick == "many" and (found := _EXCEPT.fullmatch(text.strip())):
        left_out = letters(found[1], form.options, "all except a")
        return [letter for letter in every if letter not in left_out]
    if _NONE.fullmatch(text.strip()):
        return [_option_of_none(form, text.strip())]
    return ticked(text, form.options)


def _option_of_none(form: ChoiceForm, text: str) -> str:
    """Return the letter of the option that begins with "none" or "neither". Raises Unreadable if no option says that."""
    said = [option.label for option in form.options if re.match(r"\W*(?:none|neither|nothing)\b", option.text, re.I)]
    if len(said) == 1:
        return said[0]
    raise Unreadable(f"No option says “{text[:20]}”, and at least one of them is right. Name it by its letter.")


def _refuse_range(form: ChoiceForm, first: str, last: str) -> None:
    """Raise Unreadable for "a-c", unless the two are adjacent: then “from a to b” and “a and b” are the same."""
    between = [option.label for option in form.options if first <= option.label <= last]
    if len(between) > 2:
        raise Unreadable(
            f"“{first}-{last}” can be read as {', '.join(between)} and as {first}, {last}. Name the letters one by one.",
            shows_example=True,
        )


def _literal(value: Any, draw: Draw) -> Any:
    """Return an option's value: of the expression if the text is one over the parameters, else the text itself."""
    if isinstance(value, str) and value.isidentifier() and value not in {**draw.values, **draw.references.helpers}:
        return value
    return draw.evaluate(value)


KIND = ChoiceKind()
