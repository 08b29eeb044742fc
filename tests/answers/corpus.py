"""The corpus of answers: spellings of every kind, filled in from the key of real questions, marked, and counted."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pint
import sympy

from answers.contexts import CONTEXTS
from checkout import checkout_bank, posed, template, yaml_data
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Feedback, Question

FILES = Path(__file__).parent.glob("*.yaml")
KINDS = sorted(
    path.stem for path in FILES if not path.stem.startswith("slips")
)  # each has its spellings in a file of its name
OFTEN = ("every class", "common", "now and then")
MUSTS = ("correct", "incorrect", "unreadable")
FEW = {"match": 9}  # seeds of a kind of which the bank has few problems
_NAMES = {"np": np, "pint": pint, "sympy": sympy, "Fraction": Fraction, "Decimal": Decimal, "abs": abs, "float": float, "int": int,
          "list": list, "tuple": tuple, "dict": dict, "set": set, "str": str, "reversed": reversed, "sorted": sorted, "len": len, "repr": repr, "round": round, "enumerate": enumerate, "zip": zip, "chr": chr, "range": range}  # fmt: skip


@dataclass(frozen=True)
class Spelling:
    """One way to write an answer, how often it occurs, and what must happen to it."""

    often: str
    must: str
    write: str = ""  # with placeholders
    value: str = ""  # or an expression that gives what a notebook holds
    says: str = ""  # an expression that the feedback must match
    condition: str = "True"  # on the question
    problem: str = ""  # the only problem that it is for

    @property
    def label(self) -> str:
        return self.write or self.value


@dataclass(frozen=True)
class Trial:
    """A spelling of one question's answer, and what was said to it."""

    spelling: Spelling
    question: Question
    raw: Any
    feedback: Feedback

    @property
    def outcome(self) -> str:
        return "incorrect" if self.feedback.outcome == "partial" else str(self.feedback.outcome)

    @property
    def is_as_it_must_be(self) -> bool:
        said = self.outcome == self.spelling.must
        return said and (not self.spelling.says or re.search(self.spelling.says, self.feedback.say) is not None)

    def __str__(self) -> str:
        said = " ".join(self.feedback.say.split())[:140]
        return f"{self.question.slug} seed {self.question.seed}: {self.raw!r} is {self.outcome}, must be {self.spelling.must}: {said}"


@cache
def spellings(kind: str) -> tuple[Spelling, ...]:
    """The spellings of a kind, from its file."""
    rows = yaml_data(Path(__file__).with_name(f"{kind}.yaml"))
    return tuple(
        Spelling(**{"condition" if name == "if" else name: text for name, text in row.items()}) for row in rows
    )


@cache
def _problems(kind: str) -> tuple[Problem, ...]:
    """The problems of a kind, looked up once: to find them the whole bank has to be read."""
    return tuple(problem for problem in checkout_bank().read_all().problems.values() if problem.kind.name == kind)


def _of_problem(problem: Problem, seeds: int) -> Iterator[Question]:
    return (pose(problem, seed) for seed in range(FEW.get(problem.kind.name, seeds)))


def questions(kind: str, seeds: int, problems: Sequence[Problem] | None = None) -> Iterator[Question]:
    """Questions of a kind to try spellings on, drawn with several seeds.

    They are drawn from every problem of that kind in the bank, or from those that are given, and from the template that the
    tests have of each kind, for spellings that need more than the bank's problems ask.
    """
    for problem in _problems(kind) if problems is None else problems:
        yield from _of_problem(problem, seeds)
    yield from (posed(template(kind), seed) for seed in range(seeds))


def trials(kind: str, seeds: int, every: int = 1) -> Iterator[Trial]:
    """Every spelling of a kind on every question that it makes sense for.

    With `every` 6 that is on a sixth of the problems; of the others only those are posed that a spelling needs which no
    question was for yet.
    """
    unmet = set(spellings(kind))
    chosen = _problems(kind)[::every]
    for question in questions(kind, seeds, chosen):
        yield from _trials_of(question, spellings(kind), unmet)
    for problem in _problems(kind):
        wanted = [spelling for spelling in unmet if spelling.problem in ("", problem.slug)]
        if wanted and problem not in chosen:
            for question in _of_problem(problem, seeds):
                yield from _trials_of(question, wanted, unmet)


def _trials_of(question: Question, tried: Sequence[Spelling], unmet: set[Spelling]) -> Iterator[Trial]:
    """The spellings that make sense for a question; they are no longer unmet."""
    for context in CONTEXTS[question.kind](question):
        for spelling in tried:
            if spelling.problem in ("", question.slug) and evaluated(spelling.condition, context):
                unmet.discard(spelling)
                raw = raw_of(spelling, context)
                yield Trial(spelling, question, raw, _marked(question, raw))


def _marked(question: Question, raw: Any) -> Feedback:
    with redirect_stdout(io.StringIO()):  # some of the functions print
        return check(question, raw, runner=run_here)


def raw_of(spelling: Spelling, context: Mapping[str, Any]) -> Any:
    return evaluated(spelling.value, context) if spelling.value else spelling.write.format_map(context)


def evaluated(expression: str, context: Mapping[str, Any]) -> Any:
    """An expression of the corpus, which is our own."""
    return eval(_compiled(expression), {"__builtins__": {}, **_NAMES}, dict(context))


@cache
def _compiled(expression: str) -> CodeType:
    """Each is evaluated for hundreds of questions, and reading it takes longer than that."""
    return compile(expression, "<corpus>", "eval")


def table(seeds: int) -> dict[tuple[str, str], tuple[int, int, int]]:
    """By kind and frequency: right answers, how many of them are accepted, and how many are marked wrong."""
    counted: dict[tuple[str, str], tuple[int, int, int]] = {}
    for kind in KINDS:
        for trial in trials(kind, seeds):
            if trial.spelling.must == "correct":
                place = kind, trial.spelling.often
                tried, accepted, wrong = counted.get(place, (0, 0, 0))
                is_accepted, is_wrong = trial.outcome == "correct", trial.outcome == "incorrect"
                counted[place] = tried + 1, accepted + is_accepted, wrong + is_wrong
    return counted
