"""The lint of one problem, draw by draw: its faults, and its worst margin."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from shardwise.bank.bank import Problem
from shardwise.bank.cpu_limit import ENDLESS, TooLong, at_most, overdue
from shardwise.bank.lint.dimensions import dimension_faults
from shardwise.bank.lint.legible import keeping_faults, legibility_faults
from shardwise.bank.lint.never_drawn import REMEDY, Waiting
from shardwise.bank.lint.parameters import taken_silently, unused
from shardwise.bank.lint.places import Place, place_of
from shardwise.bank.lint.sample_answers import marked_otherwise, published_faults
from shardwise.bank.lint.unthinking import unthinking_faults
from shardwise.bank.lint.visible_numbers import Solutions, hidden, typed_numbers
from shardwise.bank.lint.wording import wording_faults
from shardwise.bank.posing import pose, question_of, solved
from shardwise.errors import Fault, ShardwiseError, said_by
from shardwise.template.references import Unloadable

ACCEPTED = 0.10  # a template that accepts a smaller share of its draws is badly constrained
DISTINCT = 5  # fewer different questions than this are not randomisation
SAME = 60  # messages that agree in this many characters are the same fault
SAMPLED = 5  # seeds for which every known answer is marked
OVER = 40  # seeds whose questions are examined together
MARKED = 100  # seeds for which mistakes and right answers in every form are marked; for the others, one right answer


@dataclass
class Report:
    """The lint's results for one problem."""

    problem: str
    kind: str
    seeds: int
    accepted: float = 1.0
    distinct: int = 0
    margin: float = float("inf")
    confirmed: bool = False
    faults: list[Fault] = field(default_factory=list)
    is_earlier: bool = False  # whether it comes from an earlier run, because nothing has changed since


def _accepts_too_few(accepted: int, rejected: int) -> bool:
    """Return whether significantly fewer draws are accepted than should be.

    >>> _accepts_too_few(5, 48), _accepts_too_few(5000, 48_000)  # both are 9.4 %
    (False, True)
    """
    drawn = accepted + rejected
    by_chance = 2 * math.sqrt(drawn * ACCEPTED * (1 - ACCEPTED))  # two standard deviations
    return accepted < drawn * ACCEPTED - by_chance


def lint_problem(problem: Problem, *, seeds: int) -> Report:
    """Draw a problem for `seeds` seeds; confirm each key, check that no mistake is near it, and render every text."""
    report = Report(problem.id, problem.template.kind, seeds)
    found = _Found(problem)
    try:
        with at_most():
            for message in problem.kind.faults(problem.template, problem.references):
                found.add(message)
            for name in unused(problem):
                found.add(f"params.{name} is drawn but never used", ("params", name))
            for part, name, message in typed_numbers(problem):
                found.add(message, solution_of(problem, part), remedy=f"Write {{{{ {name} }}}} instead.")
            for place, name, function in taken_silently(problem):
                found.add(
                    f"{function} has a default for {name}, but gets the parameter of that name instead",
                    place,
                    remedy=f"If that is what you want, write `arguments: {{{name}: {name}}}`; otherwise rename the parameter.",
                )
        seen = _Seen(Waiting(problem.template.params, seeds), Solutions(problem))
        rejected = confirmed = 0
        for seed in range(seeds):
            with at_most():
                rejected += _lint_seed(problem, seed, report, seen, found)
            confirmed += report.confirmed
        if not found.count:
            _lint_over(problem, found)
        report.confirmed = confirmed == seeds
        report.accepted = seeds / (seeds + rejected) if seeds else 1.0
        report.distinct = len(seen.asked)
        if _accepts_too_few(seeds, rejected):
            found.add(
                f"accepts only {report.accepted:.1%} of its draws",
                remedy="Relax `where`, or move mistakes further from the key.",
            )
        if seeds >= 50 and report.distinct < DISTINCT:
            found.add(
                f"{seeds} seeds give only {report.distinct} different questions",
                remedy="Give its parameters more values.",
            )
        for name, message in seen.waiting.faults():
            found.add(message, ("params", name), remedy=REMEDY)
        for part, message in seen.solutions.faults():
            found.add(message, solution_of(problem, part), remedy="Write {{ key }} instead.")
        if not report.confirmed and problem.kind.needs_oracle:
            found.add("no oracle confirms the key of every draw")
    except TooLong as error:
        message = overdue(problem.references.line_of(error))
        found.add(message, place_of(problem, message, error), remedy=ENDLESS)
    except Unloadable as error:
        report.faults = [*found.faults(), error.fault]
        return report
    except BaseException as error:  # a reference or an oracle may raise anything, even KeyboardInterrupt
        message = said_by(error) if not isinstance(error, ShardwiseError) else str(error)
        if line := problem.references.line_of(error.__cause__ or error):
            message += f" (at {line})"
        found.add(message, place_of(problem, message, error))
    report.faults = found.faults()
    return report


@dataclass
class _Seen:
    """What the draws of a problem have shown so far."""

    waiting: Waiting
    solutions: Solutions
    asked: set[str] = field(default_factory=set)  # the questions with their keys, as JSON


class _Found:
    """The faults of one problem; a fault of several seeds is reported once, with the first seed and the number of others."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._seeds: dict[tuple[Place, str], list[str]] = {}
        self._words: dict[tuple[Place, str], tuple[str, str]] = {}
        self.count = 0

    def add(self, message: str, place: Place = (), *, seed: str = "", remedy: str = "") -> None:
        """Record a fault; messages that differ only in their numbers are the same fault."""
        self.count += 1
        message = " ".join(message.split())
        place = place or place_of(self._problem, message)
        key = place, re.sub(r"\d[\d.,e+]*", "0", message)[:SAME]
        self._words.setdefault(key, (message, remedy))
        self._seeds.setdefault(key, []).append(seed)

    def faults(self) -> list[Fault]:
        """Return the faults with their places."""
        return [
            self._problem.source.fault(
                place, self._which(seeds) + self._words[place, key][0], self._words[place, key][1]
            )
            for (place, key), seeds in self._seeds.items()
        ]

    def _which(self, seeds: list[str]) -> str:
        several = sorted(set(seeds), key=seeds.index)
        if several == [""]:
            return ""
        return f"seed {several[0]}{f' and {len(several) - 1} more' if len(several) > 1 else ''}: "


def _lint_seed(problem: Problem, number: int, report: Report, seen: _Seen, found: _Found) -> int:
    """Lint one draw, and return how many attempts were rejected before it."""
    seed, sampled = str(number), number < SAMPLED
    drawn, made = solved(problem, seed)
    seen.waiting.drawn(drawn.values)
    question = question_of(problem, drawn, made)
    seen.asked.add(question.model_dump_json(include={"prompt", "form", "key"}))
    if number < MARKED:
        seen.solutions.drawn(question)
    proof = problem.kind.prove(problem.template, drawn, made)
    report.confirmed = proof.confirmed
    report.margin = min(report.margin, proof.margin)
    for message in proof.faults:
        found.add(message, seed=seed)
    for message in published_faults(question):
        found.add(message, ("solution",), seed=seed)
    if sampled:
        for name, message in hidden(problem, drawn, question):
            remedy = "Show it in the prompt, or show a value that determines it."
            found.add(message, ("params", name), seed=seed, remedy=remedy)
        for name, message in (*wording_faults(question, problem.text), *legibility_faults(question)):
            found.add(message, (name,), seed=seed)
        for message in keeping_faults(question):
            found.add(message, seed=seed)
        for part, (template, its) in enumerate(problem.kind.parts(problem.template, drawn, made)):
            place: Place = () if template is problem.template else ("parts", part)
            for message in dimension_faults(template, its):
                found.add(message, (*place, "answer", "unit"))
    for message in marked_otherwise(problem, question, is_sampled=sampled, only_one=number >= MARKED):
        found.add(message, seed=seed)
    return drawn.rng.attempt


def _lint_over(problem: Problem, found: _Found) -> None:
    """Return the faults that show only across many draws, if each draw is sound by itself."""
    drawn = []
    for seed in range(OVER):
        with at_most():
            drawn.append(pose(problem, seed))
    for message, remedy in problem.kind.faults_over(problem.template, problem.references, drawn):
        found.add(message, problem.kind.over_draws_at, remedy=remedy)
    for message in unthinking_faults(drawn):
        found.add(message)


def solution_of(problem: Problem, part: int) -> Place:
    """Return the path of a part's solution, or of the whole problem's if the part has none."""
    place = ("parts", part, "solution")
    return place if problem.source.at(place) else ("solution",)
