"""What a kind of question is: everything that the rest of the package asks of one, in one class."""

from __future__ import annotations

import abc
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from shardwise.errors import Unreadable
from shardwise.kinds.calls import Call, Inputs, Runner
from shardwise.question import Feedback, Form, Key, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.model import Template
from shardwise.template.references import References

AnyTemplate = TypeVar("AnyTemplate", bound=Template)
AnyForm = TypeVar("AnyForm", bound=Form)
AnyKey = TypeVar("AnyKey", bound=Key)
View = Mapping[str, Any]  # plain data, as JSON has it


@dataclass(frozen=True)
class Posed:
    """What a kind makes of a draw: the form and the key of the question, and names for its solution's text."""

    form: Form
    key: Key
    names: Mapping[str, Any] = field(default_factory=dict)
    hints: tuple[str, ...] = ()  # rendered, after those of the template itself
    solution: str = ""  # likewise


@dataclass(frozen=True)
class Request:
    """What is fetched from a notebook that was run: the value of a variable, or what a function gives for some inputs."""

    name: str
    inputs: Sequence[Inputs] | None = None  # None: the value itself


@dataclass(frozen=True)
class Sample:
    """An answer whose outcome is known in advance."""

    raw: Any
    outcome: Outcome
    mistake: int | None = None


@dataclass
class Proof:
    """What the lint found out about one draw: faults in words, and how far mistakes lie from the key.

    `margin` is the gap between the two closest answers divided by the sum of their tolerances; above 1 is safe.
    """

    faults: list[str] = field(default_factory=list)
    margin: float = float("inf")
    confirmed: bool = False  # an oracle agreed with the key

    def near(self, margin: float) -> None:
        """Record a margin; the worst is kept."""
        self.margin = min(self.margin, margin)


class Kind(abc.ABC, Generic[AnyTemplate, AnyForm, AnyKey]):
    """One kind of question. A new kind is a folder with a subclass.

    `Posed.names` of a kind should have a `key`: the right answer as the solution's text shows it.
    """

    name: ClassVar[str]
    about: ClassVar[str]  # one sentence for the documentation
    starter: ClassVar[str]  # YAML: what follows the head of a new problem, see bank/scaffold.py
    starter_program: ClassVar[str] = ""  # that the solution of a new problem shows, where answers are programs
    needs_oracle: ClassVar[bool] = True  # whether the lint demands that an oracle confirms every key
    is_program: ClassVar[bool] = False  # whether an answer is a program, which a terminal takes from a file
    estimated_first: ClassVar[bool] = False  # whether a form offers to commit to a rough number before computing
    may_be_part: ClassVar[bool] = (
        True  # whether it may be a part of a case: its answer is a value that a dictionary holds
    )
    over_draws_at: ClassVar[
        tuple[str | int, ...]
    ] = ()  # the place of faults that show over many draws, where it is one
    guessed: ClassVar[float] = 0.0  # the share of the points that an answer without a thought may earn on average
    script: ClassVar[str] = ""  # an ES module with field types of its own, as desk/src/scripts.js describes it
    takes_long: ClassVar[bool] = False  # whether a question fills an evening, and is none of the five for a day
    Template: ClassVar[type[Template]]
    Form: ClassVar[type[Form]]
    Key: ClassVar[type[Key]]

    def manual(self) -> str:
        """Return how a problem of this kind is written, in Markdown: the file `<name>.md` next to its module, if there is one."""
        file = Path(inspect.getfile(type(self))).with_name(f"{self.name}.md")
        return file.read_text("utf-8") if file.is_file() else ""

    # From a template to a question ----------------------------------------------------------------------------------

    @abc.abstractmethod
    def solve(self, template: AnyTemplate, draw: Draw) -> Any:
        """The key and the recognised mistakes of one draw; raises Reject when they cannot be distinguished."""

    @abc.abstractmethod
    def pose(self, template: AnyTemplate, draw: Draw, solved: Any) -> Posed:
        """Form, key and texts of the question."""

    @abc.abstractmethod
    def prove(self, template: AnyTemplate, draw: Draw, solved: Any) -> Proof:
        """Confirm one draw's key by the oracle, and every mistake apart from it."""

    def faults(self, template: AnyTemplate, references: References) -> Iterator[str]:
        """Faults of a template that show without a draw."""
        return iter(())

    def faults_over(
        self, template: AnyTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        """Yield faults that show only over many draws, each with its remedy; `references` are those that drew them."""
        return iter(())

    def parts(self, template: AnyTemplate, draw: Draw, solved: Any) -> Iterator[tuple[Any, Draw]]:
        """The templates with an `answer` of their own that a question is made of, and their draws."""
        yield template, draw

    def pieces(self, question: Question) -> Iterator[Question]:
        """Yield the questions that a question is made of: itself, or the parts of a case."""
        yield question

    # How it is shown ------------------------------------------------------------------------------------------------

    def body(self, form: AnyForm) -> str:
        """Markdown that follows the prompt where there is no form: the options, the listing, the signature."""
        return ""

    @abc.abstractmethod
    def view(self, form: AnyForm) -> View:
        """The form as plain data for any front end: what to show and what to collect, and nothing of the key.

        `how` says how to answer, in plain text; `html`, if it is there, is shown next to the prompt. `fields` are shown
        in this order. Each has a `type`, and a `name` where the answer is a dictionary; a single field without a name is
        the answer itself. The types, with what a field of each has (`html` is HTML, all else plain text):

        - line: one line of text; `label`, perhaps `is_code`, a `note`, `mends`: the listing whose picked line is in it,
          and `has_preview`: it shows what `preview` says
        - number: `label`, `range` in words, `is_whole`; in place of the range it shows why `preview` cannot read it
        - options: `pick` (one, many) and `options`, each with `label` and `html`; the answer is a list of labels
        - order: `items`, each with `label` and `html`; the answer is a list of labels
        - pairs: `items` and `options`; the answer is a dictionary from the label of an item to that of an option
        - program: `label`, `source` to begin with, and the `function` that `run` calls
        - listing: `label`, and `lines` of a program to pick one from; the answer is its number
        - parts: `parts`, each with `name`, `label`, `points`, the number of its `hints`, `html`, `how` and `fields`; the
          answer is a dictionary
        - group: `label`, and `fields` of its own, perhaps with `html` and `how` above them; the answer is theirs

        A kind with a `script` can use the types that it brings as well.
        """

    def preview(self, form: AnyForm, raw: Any) -> View:
        """How an answer is read so far, while it is being written: plain data for the form, and nothing of the key.

        For a field without a name it is what that field shows: `read` in plain text or `html`, or `why` it cannot be read.
        Where the answer is a dictionary it is one of these for each name that has something to show.
        """
        return {}

    @abc.abstractmethod
    def example(self, form: AnyForm) -> str:
        """What an answer looks like, for a student whose answer could not be read. Never the key."""

    def unthinking(self, form: AnyForm) -> Mapping[str, Any]:
        """Return answers that are given without thinking, by what they are called: the lint proves that they earn nothing."""
        return {"the example of how to answer": self.example(form)}

    @abc.abstractmethod
    def cells(self, form: AnyForm, variable: str) -> str:
        """The source that an answer cell starts with."""

    def variable(self, form: AnyForm, default: str) -> str:
        """The name under which a notebook keeps the answer."""
        return default

    def instruction(self, form: AnyForm, variable: str) -> str:
        """One sentence that says how to answer in a notebook."""
        return f"Assign your answer to `{variable}`, for example `{variable} = {self.example(form)!r}`."

    def owners_of_hints(self, question: Question) -> Sequence[str | None]:
        """For each hint the name of the part that it is for; None where it is for all of the question."""
        return [None] * len(question.hints)

    def hints_in_place(self, question: Question) -> Sequence[str]:
        """The hints as they are shown in a form, where each is in the part that it is for."""
        return question.hints

    def hints_in_turn(self, question: Question, parts: Mapping[str, bool]) -> Sequence[int]:
        """The places of the hints in the order in which they help who has these parts right; none where nothing was checked."""
        return range(len(question.hints))

    def mistakes(self, question: Question) -> list[str]:
        """Return the feedback for each recognised mistake, for the author."""
        return [mistake.say for mistake in getattr(question.key, "mistakes", ())]

    # From an answer to a verdict ------------------------------------------------------------------------------------

    def key_and_form(self, question: Question) -> tuple[AnyKey, AnyForm]:
        """Return the key and the form of a question of this kind, typed as this kind's own."""
        return cast(AnyKey, question.key), cast(AnyForm, question.form)

    def is_untouched(self, form: AnyForm, raw: Any) -> bool:
        """Whether a live value is what the notebook came with."""
        return False

    @abc.abstractmethod
    def parse(self, form: AnyForm, raw: Any) -> Any:
        """The answer as a value; raises Unreadable in words for the student. Pure; needs no key.

        `raw` is what a notebook's variable holds, what the fields of a form give, or the text that somebody typed after
        `shardwise check`: so whatever an answer is, it should be readable as text, too.
        """

    @abc.abstractmethod
    def read(self, form: AnyForm, value: Any) -> str:
        """How the answer was read, in a few words."""

    def gaps(self, form: AnyForm, value: Any) -> str:
        """Which parts of an answer are missing or could not be read, and why; nothing when it is whole."""
        return ""

    def unread(self, form: AnyForm, value: Any) -> str:
        """Why parts of an answer could not be read, in words; nothing when all that is there was read."""
        return ""

    @abc.abstractmethod
    def matches(self, question: Question, value: Any, runner: Runner) -> Feedback:
        """Judge a value: `Feedback.judged` with the share of the points that it earns, and remarks; perhaps a picture."""

    def explain(self, question: Question, value: Any) -> str:
        """What is wrong with a value that no recognised mistake fits; nothing when that cannot be said.

        It may take half a second, so the verdict does not depend on it.
        """
        return ""

    def has_bars(self, question: Question) -> bool:
        """Whether answers come to numbers against limits, which a form draws once one was judged."""
        return False

    def bars(self, question: Question, raw: Any) -> View:
        """What an answer, judged or not, comes to against its limits: data for the drawing `bars`, or `why` there is none.

        Nothing of a kind without bars.
        """
        return {}

    def right_at(
        self, template: AnyTemplate, key: AnyKey, given: Mapping[str, Any]
    ) -> tuple[Mapping[str, float], float] | None:
        """Where answers hold for any numbers, as formulas do: these numbers by symbol, and what the right one gives for them.

        None of any other kind, and where one of the numbers is missing.
        """
        return None

    def value_at(self, value: Any, numbers: Mapping[str, float]) -> float | None:
        """What an answer gives for numbers by symbol; None where it is the same for all."""
        return None

    def request(self, question: Question, variable: str) -> Request:
        """What is fetched from a notebook that was run in the sandbox."""
        return Request(variable)

    def trial(self, question: Question) -> Inputs | None:
        """A call that tells whether a function runs at all, for a notebook that does not judge; None where nothing is called."""
        return None

    def run(self, question: Question, raw: Any, arguments: str, runner: Runner) -> tuple[str, str]:
        """What a student's function gives for these arguments, or for those of a sample where none are typed.

        Gives the arguments as they would be typed, and what happened, in Markdown. Raises Unreadable.
        """
        raise Unreadable("There is nothing to run here.")

    def collect(self, question: Question, variable: str, calls: Sequence[Call], *, is_untouched: bool) -> Any:
        """The raw answer from the calls that were made for a request with inputs, None where there is none.

        Raises Unreadable. `is_untouched` tells that the answer cell is as it was handed out. A kind whose request has
        inputs defines this; any other is never asked, so being asked is a fault of ours and is reported as one.
        """
        raise NotImplementedError(f"{self.name} asks for a value and for no calls")

    @abc.abstractmethod
    def samples(self, question: Question) -> Sequence[Sample]:
        """Answers whose outcome is known in advance: the tests of every bank use them at once."""

    def sample_source(self, question: Question, variable: str, raw: Any) -> str:
        """The source of an answer cell that gives the raw answer of a sample."""
        return f"{variable} = {raw!r}"


class NumericKind(Kind[AnyTemplate, AnyForm, AnyKey]):
    """A kind whose answer is one number that a reference gives: later parts of a case may continue with it."""

    @abc.abstractmethod
    def number(self, key: AnyKey) -> float:
        """The right number, in base units."""

    @abc.abstractmethod
    def given(self, question: Question, value: Any) -> float:
        """The number that an answer gives, in base units."""

    @abc.abstractmethod
    def written(self, form: AnyForm, number: float) -> str:
        """An answer that gives this number, in base units."""

    @abc.abstractmethod
    def is_near(self, form: AnyForm, key: AnyKey, number: float) -> bool:
        """Whether a number is right."""

    @abc.abstractmethod
    def is_whole(self, form: AnyForm, key: AnyKey) -> bool:
        """Whether only a whole number can be meant."""

    @abc.abstractmethod
    def with_number(self, key: AnyKey, number: float) -> AnyKey:
        """The key of the same question if another number were right."""

    @abc.abstractmethod
    def recomputed(self, template: AnyTemplate, references: References, values: Mapping[str, Any]) -> Any:
        """What the reference among these gives for some values."""
