"""What a kind of question offers: solve, pose, parse, matches, explain, example, samples, cells and its part of the lint."""

from __future__ import annotations

import abc
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from shardwise.kinds.calls import Runner
from shardwise.question import Form, Key, Outcome, Question, Verdict
from shardwise.template.expressions import prose
from shardwise.template.model import Template

AnyTemplate = TypeVar("AnyTemplate", bound=Template)
AnyForm = TypeVar("AnyForm", bound=Form)
AnyKey = TypeVar("AnyKey", bound=Key)


@dataclass(frozen=True)
class Dice:
    """Whose dice a kind throws when it draws options, cases or mutants."""

    seed: str
    problem: str
    attempt: int = 0  # throws rejected before this one; a new throw draws new cases too


@dataclass(frozen=True)
class Posed:
    """What a kind adds to a question: its form, its key, text after the prompt, and names for the solution."""

    form: Form
    key: Key
    tail: str = ""  # Markdown after the prompt: the options, the listing, the signature
    names: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """An answer whose outcome is known in advance."""

    raw: Any
    outcome: Outcome
    mistake: int | None = None


@dataclass
class Proof:
    """What the lint found out about one draw: faults in words, and how far mistakes lie from the key, in tolerances."""

    faults: list[str] = field(default_factory=list)
    margin: float = float("inf")
    confirmed: bool = False  # an oracle agreed with the key

    def near(self, margin: float) -> None:
        """Record a margin; the worst is kept."""
        self.margin = min(self.margin, margin)


class Kind(abc.ABC, Generic[AnyTemplate, AnyForm, AnyKey]):
    """One kind of question."""

    name: ClassVar[str]
    about: ClassVar[str]  # one sentence for the documentation
    Template: ClassVar[type[Template]]
    Form: ClassVar[type[Form]]
    Key: ClassVar[type[Key]]

    @abc.abstractmethod
    def solve(self, template: AnyTemplate, values: Mapping[str, Any], dice: Dice) -> Any:
        """The key and the recognised mistakes of one draw; raises Reject when they cannot be told apart."""

    @abc.abstractmethod
    def pose(self, template: AnyTemplate, solved: Any, names: Mapping[str, Any], dice: Dice) -> Posed:
        """Form, key and texts of the question; `names` is for prose."""

    @abc.abstractmethod
    def parse(self, form: AnyForm, raw: Any) -> Any:
        """The answer as a value; raises Unreadable in words for the student. Pure; needs no key."""

    @abc.abstractmethod
    def read(self, form: AnyForm, value: Any) -> str:
        """How the answer was read, in a few words."""

    @abc.abstractmethod
    def matches(self, question: Question, value: Any, runner: Runner) -> Verdict:
        """The share of the points that the value earns, and what to say about it."""

    def explain(self, question: Question, value: Any) -> str:
        """What more can be said of a value that is not right and no recognised mistake; it may take its time."""
        return ""

    @abc.abstractmethod
    def example(self, form: AnyForm) -> str:
        """What an answer looks like, for a student whose answer could not be read. Never the key."""

    @abc.abstractmethod
    def samples(self, question: Question) -> Sequence[Sample]:
        """Answers whose outcome is known in advance."""

    @abc.abstractmethod
    def cells(self, form: AnyForm, variable: str) -> str:
        """The source that an answer cell starts with."""

    @abc.abstractmethod
    def prove(self, template: AnyTemplate, values: Mapping[str, Any], solved: Any, dice: Dice) -> Proof:
        """Confirm one draw's key by the oracle, and every mistake apart from it."""

    def variable(self, form: AnyForm, default: str) -> str:
        """The name under which a notebook keeps the answer."""
        return default

    def instruction(self, form: AnyForm, variable: str) -> str:
        """One sentence that says how to answer in a notebook."""
        return f"Assign your answer to `{variable}`, for example `{variable} = {self.example(form)!r}`."

    def faults(self, template: AnyTemplate) -> Iterator[str]:
        """Faults of a template that show without a draw."""
        return iter(())


def said(text: str, names: Mapping[str, Any]) -> str:
    """A mistake's or option's sentence with the student's numbers."""
    return prose(text, names)
