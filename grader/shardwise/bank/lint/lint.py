"""The lint: checks a bank draw by draw and reports the worst margin of each problem."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from shardwise.bank.bank import Bank, Banks, Problem, section_faults
from shardwise.bank.cpu_limit import ENDLESS, TooLong, at_most, overdue
from shardwise.bank.lint.dimensions import dimension_faults
from shardwise.bank.lint.legible import keeping_faults, legibility_faults
from shardwise.bank.lint.never_drawn import REMEDY, Waiting
from shardwise.bank.lint.passed import Passed
from shardwise.bank.lint.places import Place, place_of
from shardwise.bank.lint.unlisted_files import stray_files, twins
from shardwise.bank.lint.unthinking import unthinking_faults
from shardwise.bank.lint.visible_numbers import Solutions, hidden, typed_numbers
from shardwise.bank.lint.wording import wording_faults
from shardwise.bank.pages.curriculum import curriculum_faults
from shardwise.bank.pages.interactive_figures import moving_faults
from shardwise.bank.posing import pose, question_of, solved
from shardwise.bank.processes import processes
from shardwise.errors import Fault, Faulty, ShardwiseError, said_by
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Outcome, Question
from shardwise.template.references import Unloadable, keywords

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


def lint(
    banks: Banks,
    *,
    seeds: int,
    only: Sequence[str] = (),
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    cached: bool = False,
) -> list[Report]:
    """Lint some banks, or only their problems with a slug or the beginning of an id in `only`.

    Raises Faulty if files cannot be loaded. With `only`, other problems are not even read. With `cached`, a problem that passed
    before with at least as many seeds is not proved again unless something that it depends on has changed.
    """
    named = chosen(banks, only)
    faults: list[Fault] = []
    for bank in banks.all:
        names = [name for its, name in named if its is bank]
        found = [] if only else [*stray_files(bank), *twins(bank), *moving_faults(bank)]
        for chapter in dict.fromkeys(name.partition("/")[0] for name in names):
            found += section_faults(bank, chapter)
        faults += with_bank(banks, bank, [*found, *curriculum_faults(bank, names)])
    jobs = [(str(bank.folder), name, seeds) for bank, name in named]
    passed = {
        str(bank.folder): Passed(bank, [name for its, name in named if its is bank]) for bank in banks.all if cached
    }
    proved = {
        job: replace(Report(**before), is_earlier=True)
        for job in jobs
        if cached and (before := passed[job[0]].report(job[1], seeds))
    }
    left = [job for job in jobs if job not in proved]
    try:
        for job, report in _proved(left, workers) if left else ():
            proved[job] = report
            if progress:
                progress(len(left))
    finally:  # what passed before an interrupt has passed
        for folder, known in passed.items():
            fresh = {job[1]: proved[job] for job in left if job in proved and job[0] == folder}
            known.add({name: asdict(report) for name, report in fresh.items() if not report.faults})
    reports = [
        replace(proved[job], faults=with_bank(banks, bank, proved[job].faults))
        for job, (bank, _) in zip(jobs, named, strict=True)
    ]
    if faults:
        reports.append(Report("(files)", "", 0, confirmed=True, faults=faults))
    return reports


def chosen(banks: Banks, only: Sequence[str]) -> list[tuple[Bank, str]]:
    """Return the problems with a slug or the beginning of an id in `only`; all of them if it is empty.

    Raises ShardwiseError if there is none, Faulty if one cannot be read.
    """
    found = [
        (bank, name)
        for bank in banks.all
        for name in bank.problems
        if not only or name.startswith(tuple(only)) or _slug(name) in only
    ]
    if not found:
        raise ShardwiseError(f"No problem's id starts with {' or '.join(only)}. `shardwise list` shows all problems.")
    unreadable = [fault for bank, name in found for fault in with_bank(banks, bank, _unreadable(bank, name))]
    if unreadable:
        raise Faulty(unreadable)
    return found


def with_bank(banks: Banks, bank: Bank, faults: Sequence[Fault]) -> list[Fault]:
    """Return the faults of one of several banks, with the bank's name in their places: file names may repeat."""
    if len(banks.all) == 1:
        return list(faults)
    return [replace(fault, place=f"{bank.folder}/{fault.place}") for fault in faults]


def _slug(name: str) -> str:
    return name.rpartition("/")[2]


def _unreadable(bank: Bank, name: str) -> Sequence[Fault]:
    try:
        _ = bank.problems[name].template
    except Faulty as error:
        return error.faults
    return ()


Job = tuple[str, str, int]  # the bank's folder, the problem, the number of seeds


def _proved(jobs: Sequence[Job], workers: int | None) -> Iterator[tuple[Job, Report]]:
    """Yield each job with its report as it finishes. Raises ShardwiseError if a process dies."""
    cores = os.cpu_count() or 1
    with processes(min(workers or cores, cores, len(jobs))) as pool:
        proofs = {pool.submit(_job, job): job for job in jobs}
        for proof in as_completed(proofs):
            try:
                yield proofs[proof], proof.result()
            except BrokenProcessPool:
                raise ShardwiseError(
                    "A lint process died. Does a reference or an oracle call os._exit, run out of memory or crash a library? "
                    "Lint one problem at a time to find it."
                ) from None


_OPENED: dict[str, Bank] = {}  # the banks of this process, by folder


def _job(job: Job) -> Report:
    return lint_problem(problem_of(job), seeds=job[2])


def problem_of(job: Job) -> Problem:
    """Return the problem of a job; each process opens a bank only once."""
    folder, name, _ = job
    if folder not in _OPENED:
        _OPENED[folder] = Bank.open(Path(folder))
    return _OPENED[folder].problems[name]


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


def marked_otherwise(
    problem: Problem, question: Question, *, is_sampled: bool = True, only_one: bool = False
) -> Iterator[str]:
    """Yield the sample answers that are marked differently than intended.

    If the draw is not sampled, only right answers and recognised mistakes are marked, and no programs, which take long to
    run. With `only_one`, one right answer is marked: `prove` has already checked the mistakes of that draw.
    """
    if problem.kind.is_program and not is_sampled:
        return
    samples = problem.kind.samples(question)
    if not is_sampled:
        samples = [each for each in samples if each.outcome is Outcome.CORRECT or each.mistake is not None]
    if only_one:
        samples = [each for each in samples if each.outcome is Outcome.CORRECT][:1]
    for sample in samples:
        feedback = check(question, sample.raw, runner=run_here)
        if feedback.outcome != sample.outcome or sample.mistake not in (None, feedback.mistake):
            yield (
                f"the answer {sample.raw!r:.80} is marked {feedback.outcome} ({feedback.mistake}) "
                f"instead of {sample.outcome} ({sample.mistake}): {feedback.say[:80]}"
            )


def published_faults(question: Question) -> Iterator[str]:
    """Yield why the program that the solution publishes would not be marked correct."""
    kind = kind_of(question)
    if not kind.is_program:
        return
    name = kind.variable(question.form, question.variable)
    for program in re.findall(r"```python\n(.*?)```", question.solution, re.DOTALL):
        if re.search(rf"^def {name}\(", program, re.MULTILINE):
            feedback = check(question, program, runner=run_here)
            if feedback.outcome is not Outcome.CORRECT:
                yield f"the program in the solution is marked {feedback.outcome}: {feedback.say[:160]}"


def solution_of(problem: Problem, part: int) -> Place:
    """Return the path of a part's solution, or of the whole problem's if the part has none."""
    place = ("parts", part, "solution")
    return place if problem.source.at(place) else ("solution",)


def unused(problem: Problem) -> list[str]:
    """Return the parameters that no text, expression or keyword of the reference mentions."""
    template = problem.template
    text = template.model_dump_json(exclude={"title", "source", "tags"})
    references = [getattr(getattr(part, "answer", None), "reference", None) for part in template.answered]
    used = {name for given in references if given for name, _ in keywords(problem.references.reference(given))}
    return [name for name in template.params if name not in used and len(re.findall(rf"\b{name}\b", text)) < 2]


def taken_silently(problem: Problem) -> Iterator[tuple[Place, str, str]]:
    """Yield optional arguments that a parameter of the same name fills although `arguments` does not list them.

    Each comes as its place, its name and the function. If the author meant to use the default, the key is wrong.
    """
    for number, part in enumerate(problem.template.answered):
        answer = getattr(part, "answer", None)
        written = getattr(answer, "arguments", None)
        if written is None:  # this kind calls no function, or not by parameter names
            continue
        place: Place = ("answer",) if part is problem.template else ("parts", number, "answer")
        called = [
            (name, find(name))
            for what, find in (("reference", problem.references.reference), ("oracle", problem.references.oracle))
            if (name := getattr(answer, what, None))
        ]
        for name in part.params:
            takers = [function for function, found in called if (name, False) in keywords(found)]
            if takers and name not in written:
                yield place, name, takers[0]


def faults_of(reports: Sequence[Report]) -> list[Fault]:
    """Return the distinct faults of some reports: a fault in a module of references occurs in every problem that uses it."""
    return list(dict.fromkeys(fault for report in reports for fault in report.faults))
