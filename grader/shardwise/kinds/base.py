"""The interface of a kind of question: everything that the rest of the package needs from one, in one class."""

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
View = Mapping[str, Any]  # plain data, as in JSON


@dataclass(frozen=True)
class Posed:
    """The question that a kind makes of a draw: its form, its key, and names for the text of its solution."""

    form: Form
    key: Key
    names: Mapping[str, Any] = field(default_factory=dict)
    hints: tuple[str, ...] = ()  # rendered, after those of the template itself
    solution: str = ""  # likewise


@dataclass(frozen=True)
class Request:
    """What to fetch from an executed notebook: the value of a variable, or the results of a function for some inputs."""

    name: str
    inputs: Sequence[Inputs] | None = None  # None for the value itself


@dataclass(frozen=True)
class Sample:
    """An answer whose outcome is known in advance."""

    raw: Any
    outcome: Outcome
    mistake: int | None = None


@dataclass
class Proof:
    """The result of linting one draw: faults in words, and how far mistakes are from the key.

    `margin` is the gap between the two closest answers divided by the sum of their tolerances; above 1 is safe.
    """

    faults: list[str] = field(default_factory=list)
    margin: float = float("inf")
    confirmed: bool = False  # an oracle agreed with the key

    def near(self, margin: float) -> None:
        """Record a margin; the smallest is kept."""
        self.margin = min(self.margin, margin)


class Kind(abc.ABC, Generic[AnyTemplate, AnyForm, AnyKey]):
    """One kind of question. A new kind is a folder with a subclass.

    `Posed.names` of a kind should have a `key`: the right answer as the solution's text shows it.
    """

    name: ClassVar[str]
    about: ClassVar[str]  # one sentence for the documentation
    starter: ClassVar[str]  # YAML that follows the header of a new problem, see bank/scaffold.py
    starter_program: ClassVar[str] = ""  # the program in the solution of a new problem, if answers are programs
    needs_oracle: ClassVar[bool] = True  # whether the lint requires an oracle to confirm every key
    is_shuffled: ClassVar[bool] = False  # whether an answer names options by letters, which differ between draws
    is_program: ClassVar[bool] = False  # whether an answer is a program, which a terminal reads from a file
    estimated_first: ClassVar[bool] = False  # whether a form lets students commit to a rough number before computing
    may_be_part: ClassVar[bool] = (
        True  # whether it can be a part of a case: its answer is a value that fits in a dictionary
    )
    over_draws_at: ClassVar[
        tuple[str | int, ...]
    ] = ()  # where faults that show only over many draws are reported, if in one place
    guessed: ClassVar[float] = 0.0  # the largest average share of the points for answers without thinking
    another: ClassVar[tuple[str, str]] = (  # the button that draws a new variant, and what the form says then
        "New numbers",
        "The same problem with new numbers.",
    )
    script: ClassVar[str] = ""  # an ES module that adds field types, as desk/src/scripts.js describes
    takes_long: ClassVar[bool] = False  # whether a question takes an evening, so that it is not among the five of a day
    Template: ClassVar[type[Template]]
    Form: ClassVar[type[Form]]
    Key: ClassVar[type[Key]]

    def manual(self) -> str:
        """Return the manual for authors in Markdown: the file `<name>.md` next to the module, if there is one."""
        file = Path(inspect.getfile(type(self))).with_name(f"{self.name}.md")
        return file.read_text("utf-8") if file.is_file() else ""

    # From a template to a question ----------------------------------------------------------------------------------

    @abc.abstractmethod
    def solve(self, template: AnyTemplate, draw: Draw) -> Any:
        """Return the key and the recognised mistakes of one draw. Raises Reject if they cannot be distinguished."""

    @abc.abstractmethod
    def pose(self, template: AnyTemplate, draw: Draw, solved: Any) -> Posed:
        """Return the form, the key and the texts of the question."""

    @abc.abstractmethod
    def prove(self, template: AnyTemplate, draw: Draw, solved: Any) -> Proof:
        """Confirm that the oracle agrees with a draw's key, and that every mistake differs from it."""

    def faults(self, template: AnyTemplate, references: References) -> Iterator[str]:
        """Yield faults of a template that show without a draw."""
        return iter(())

    def faults_over(
        self, template: AnyTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        """Yield faults that show only over many draws, each with its remedy; `references` are those that drew them."""
        return iter(())

    def parts(self, template: AnyTemplate, draw: Draw, solved: Any) -> Iterator[tuple[Any, Draw]]:
        """Yield the templates with an `answer` that a question consists of, and their draws."""
        yield template, draw

    def pieces(self, question: Question) -> Iterator[Question]:
        """Yield the questions that a question consists of: itself, or the parts of a case."""
        yield question

    # How it is shown ------------------------------------------------------------------------------------------------

    def body(self, form: AnyForm) -> str:
        """Return the Markdown that follows the prompt if there is no form: the options, the listing, the signature."""
        return ""

    @abc.abstractmethod
    def view(self, form: AnyForm) -> View:
        """Return the form as plain data for any front end: what to show and what to collect, but nothing of the key.

        `how` says how to answer, in plain text; `html`, if it is there, is shown next to the prompt. `fields` are shown
        in this order. Each has a `type`, and a `name` where the answer is a dictionary; a single field without a name is
        the answer itself. The types, with what a field of each has (`html` is HTML, all else plain text):

        - line: one line of text; `label`, perhaps `is_code`, a `note`, `mends`: the listing whose picked line is in it,
          and `has_preview`: it shows what `preview` says
        - number: `label`, `range` in words, `is_whole`; in place of the range it shows why `preview` cannot read it
        - options: `pick` (one, many) and `options`, each with `label` and `html`; the answer is a list of labels
        - confidence: `label`, and a table `earned`: for each percentage `sure`, the shares of the points for a `right` and a
          `wrong` answer; the answer is the percentage
        - order: `items`, each with `label` and `html`; the answer is a list of labels
        - pairs: `items` and `options`; the answer is a dictionary from the label of an item to that of an option
        - program: `label`, `source` to begin with, and the `function` that `run` calls
        - listing: `label`, and `lines` of a program to pick one from; the answer is its number
        - parts: `parts`, each with `name`, `label`, `points`, the number of its `hints`, `html`, `how` and `fields`; the
          answer is a dictionary
        - group: `label`, and `fields` of its own, perhaps with `html` and `how` above them, or a `typical` answer to each, with
          which a button fills them; the answer is theirs

        A kind with a `script` can use the types that it brings as well.
        """

    def preview(self, form: AnyForm, raw: Any) -> View:
        """Return how an unfinished answer is read so far: plain data for the form, but nothing of the key.

        For a field without a name it is what that field shows: `read` in plain text or `html`, or `why` it cannot be read.
        If the answer is a dictionary, there is one of these for each name that has something to show.
        """
        return {}

    @abc.abstractmethod
    def example(self, form: AnyForm) -> str:
        """Return what an answer looks like, for a student whose answer could not be read. Never the key."""

    def unthinking(self, form: AnyForm) -> Mapping[str, Any]:
        """Return answers that need no thinking, by their names: the lint proves that they earn nothing."""
        return {"the example of how to answer": self.example(form)}

    @abc.abstractmethod
    def cells(self, form: AnyForm, variable: str) -> str:
        """Return the source that an answer cell starts with."""

    def variable(self, form: AnyForm, default: str) -> str:
        """Return the name under which a notebook keeps the answer."""
        return default

    def instruction(self, form: AnyForm, variable: str) -> str:
        """Return one sentence that explains how to answer in a notebook."""
        return f"Assign your answer to `{variable}`, for example `{variable} = {self.example(form)!r}`."

    def owners_of_hints(self, question: Question) -> Sequence[str | None]:
        """Return for each hint the name of its part; None for a hint on the whole question."""
        return [None] * len(question.hints)

    def hints_in_place(self, question: Question) -> Sequence[str]:
        """Return the hints as a form shows them, each within its part."""
        return question.hints

    def hints_in_turn(self, question: Question, parts: Mapping[str, bool]) -> Sequence[int]:
        """Return the indices of the hints, most helpful first; `parts` says which parts are right, and is empty before a check."""
        return range(len(question.hints))

    def mistakes(self, question: Question) -> list[str]:
        """Return the feedback for each recognised mistake, for the author."""
        return [mistake.say for mistake in getattr(question.key, "mistakes", ())]

    # From an answer to a verdict ------------------------------------------------------------------------------------

    def key_and_form(self, question: Question) -> tuple[AnyKey, AnyForm]:
        """Return the key and the form of a question of this kind, typed as this kind's own."""
        return cast(AnyKey, question.key), cast(AnyForm, question.form)

    def is_untouched(self, form: AnyForm, raw: Any) -> bool:
        """Return whether a live value is still what the notebook came with."""
        return False

    @abc.abstractmethod
    def parse(self, form: AnyForm, raw: Any) -> Any:
        """Return the answer as a value. Raises Unreadable in words for the student. Pure; needs no key.

        `raw` is what a notebook's variable holds, what the fields of a form give, or the text that somebody typed after
        `shardwise check`: so every answer should also be readable as text.
        """

    @abc.abstractmethod
    def read(self, form: AnyForm, value: Any) -> str:
        """Return how the answer was read, in a few words."""

    def gaps(self, form: AnyForm, value: Any) -> str:
        """Return which parts of an answer are missing or could not be read, and why; "" if it is complete."""
        return ""

    def unread(self, form: AnyForm, value: Any) -> str:
        """Return why parts of an answer could not be read; "" if all that is there was read."""
        return ""

    @abc.abstractmethod
    def matches(self, question: Question, value: Any, runner: Runner) -> Feedback:
        """Judge a value: `Feedback.judged` with the share of the points that it earns, and remarks; perhaps a picture."""

    def explain(self, question: Question, value: Any) -> str:
        """Return what is wrong with a value that fits no recognised mistake; "" if that is unknown.

        It may take half a second, so the verdict does not depend on it.
        """
        return ""

    def has_bars(self, question: Question) -> bool:
        """Return whether answers lead to numbers with limits, which a form draws after a check."""
        return False

    def bars(self, question: Question, raw: Any) -> View:
        """Return the numbers of an answer and their limits: data for the drawing `bars`, or `why` there is none.

        Empty for a kind without bars.
        """
        return {}

    def right_at(
        self, template: AnyTemplate, key: AnyKey, given: Mapping[str, Any]
    ) -> tuple[Mapping[str, float], float] | None:
        """Return a point for answers that hold at every point, as formulas do: its symbols, and the right value there.

        None for any other kind, and if one of the numbers is missing.
        """
        return None

    def value_at(self, value: Any, numbers: Mapping[str, float]) -> float | None:
        """Return the value of an answer at a point; None if it is the same at all points."""
        return None

    def request(self, question: Question, variable: str) -> Request:
        """Return what to fetch from a notebook that was run in the sandbox."""
        return Request(variable)

    def trial(self, question: Question) -> Inputs | None:
        """Return a call that shows whether a function runs, for notebooks that do not judge; None if nothing is called."""
        return None

    def run(self, question: Question, raw: Any, arguments: str, runner: Runner) -> tuple[str, str]:
        """Run a student's function on these arguments, or on those of a sample if none are typed.

        Return the arguments as one would type them, and what happened, in Markdown. Raises Unreadable.
        """
        raise Unreadable("There is nothing to run here.")

    def collect(self, question: Question, variable: str, calls: Sequence[Call], *, is_untouched: bool) -> Any:
        """Return the raw answer from the calls that were made for a request with inputs; None if there is none.

        Raises Unreadable. `is_untouched` means that the answer cell is as it was handed out. A kind whose request has
        inputs defines this; a call for any other kind is our fault, and is reported as such.
        """
        raise NotImplementedError(f"{self.name} asks for a value and for no calls")

    @abc.abstractmethod
    def samples(self, question: Question) -> Sequence[Sample]:
        """Return answers whose outcome is known in advance. The tests of every bank use them."""

    def sample_source(self, question: Question, variable: str, raw: Any) -> str:
        """Return the source of an answer cell that gives the raw answer of a sample."""
        return f"{variable} = {raw!r}"


class NumericKind(Kind[AnyTemplate, AnyForm, AnyKey]):
    """A kind whose answer is one number that a reference gives, so that later parts of a case can build on it."""

    @abc.abstractmethod
    def number(self, key: AnyKey) -> float:
        """Return the right number, in base units."""

    @abc.abstractmethod
    def given(self, question: Question, value: Any) -> float:
        """Return the number of an answer, in base units."""

    @abc.abstractmethod
    def written(self, form: AnyForm, number: float) -> str:
        """Return an answer with this number, which is in base units."""

    @abc.abstractmethod
    def is_near(self, form: AnyForm, key: AnyKey, number: float) -> bool:
        """Return whether a number is right."""

    @abc.abstractmethod
    def is_whole(self, form: AnyForm, key: AnyKey) -> bool:
        """Return whether the answer must be a whole number."""

    @abc.abstractmethod
    def with_number(self, key: AnyKey, number: float) -> AnyKey:
        """Return the key that the question would have if another number were right."""

    @abc.abstractmethod
    def recomputed(self, template: AnyTemplate, references: References, values: Mapping[str, Any]) -> Any:
        """Return the result of the reference for some values."""
