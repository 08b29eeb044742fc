"""The lint: proves the whole bank sound, draw by draw, and prints the worst margin of each problem."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from shardwise.bank.bank import Bank, Banks, Problem
from shardwise.bank.digests import files_below
from shardwise.bank.posing import pose, solved
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.kinds import text_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.template.expressions import prose
from shardwise.template.references import keywords

ACCEPTED = 0.10  # a template that accepts fewer draws than this is badly constrained
DISTINCT = 5  # fewer different questions than this are no randomisation
SAMPLED = 5  # seeds on which every known answer is marked; the rest is proved on keys and margins alone


@dataclass
class Report:
    """What the lint found out about one problem."""

    problem: str
    kind: str
    seeds: int
    accepted: float = 1.0
    distinct: int = 0
    margin: float = float("inf")
    confirmed: bool = False
    faults: list[Fault] = field(default_factory=list)


def lint(
    banks: Banks,
    *,
    seeds: int,
    only: Sequence[str] = (),
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Report]:
    """Lint some banks, or of their problems those with a slug, or the beginning of an id, among `only`.

    Raises Faulty when files cannot be loaded at all; with `only`, other problems are not even read.
    """
    if not only:
        banks.read_all()
    faults = [] if only else [fault for bank in banks.all for fault in (*stray_files(bank), *twins(bank))]
    chosen = [
        (bank, name)
        for bank in banks.all
        for name in bank.problems
        if not only or name.startswith(tuple(only)) or _slug(name) in only
    ]
    if not chosen:
        raise ShardwiseError(f"No problem's id starts with {' or '.join(only)}. `shardwise list` shows them all.")
    unreadable = [fault for bank, name in chosen for fault in _unreadable(bank, name)]
    if unreadable:
        raise Faulty(unreadable)
    jobs = [(str(bank.folder), name, seeds) for bank, name in chosen]
    reports: list[Report] = []
    with ProcessPoolExecutor(max_workers=workers or os.cpu_count()) as pool:
        for report in pool.map(_job, jobs):
            reports.append(report)
            if progress:
                progress(len(jobs))
    if faults:
        reports.append(Report("(files)", "", 0, confirmed=True, faults=faults))
    return reports


def _slug(name: str) -> str:
    return name.rpartition("/")[2]


def _unreadable(bank: Bank, name: str) -> Sequence[Fault]:
    try:
        bank.problems[name]
    except Faulty as error:
        return error.faults
    return ()


_OPENED: dict[str, Bank] = {}  # of this process, by folder


def _job(job: tuple[str, str, int]) -> Report:
    folder, name, seeds = job
    if folder not in _OPENED:
        _OPENED[folder] = Bank.open(Path(folder))
    return lint_problem(_OPENED[folder].problems[name], seeds=seeds)


def lint_problem(problem: Problem, *, seeds: int) -> Report:
    """Draw a problem for `seeds` seeds; confirm each key, prove each mistake apart, render every text."""
    report = Report(problem.id, problem.template.kind, seeds)

    def fault(message: str, remedy: str = "") -> None:
        if len(report.faults) < 8:
            report.faults.append(problem.source.fault((), message, remedy))

    try:
        for message in problem.kind.faults(problem.template, problem.references):
            fault(message)
        for message in unused(problem):
            fault(message)
        seen: set[str] = set()
        rejected = confirmed = 0
        for seed in range(seeds):
            rejected += _lint_seed(problem, str(seed), report, seen, fault, sampled=seed < SAMPLED)
            confirmed += report.confirmed
        report.confirmed = confirmed == seeds
        report.accepted = seeds / (seeds + rejected) if seeds else 1.0
        report.distinct = len(seen)
    except (Exception, SystemExit) as error:  # a reference or an oracle may raise anything at an author's numbers
        fault(f"{type(error).__name__}: {error}" if not isinstance(error, ShardwiseError) else str(error))
        return report
    if report.accepted < ACCEPTED:
        fault(f"accepts {report.accepted:.1%} of its draws", "Loosen `where`, or move mistakes away from the key.")
    if seeds >= 50 and report.distinct < DISTINCT:
        fault(f"{seeds} seeds give only {report.distinct} different questions", "Widen its parameters.")
    if not report.confirmed and problem.kind.needs_oracle:
        fault("no oracle confirms its key on every draw")
    return report


def _lint_seed(
    problem: Problem, seed: str, report: Report, seen: set[str], fault: Callable[[str], None], *, sampled: bool
) -> int:
    """One draw; gives how many throws were rejected before it."""
    drawn, found = solved(problem, seed)
    proof = problem.kind.prove(problem.template, drawn, found)
    report.confirmed = proof.confirmed
    report.margin = min(report.margin, proof.margin)
    for message in proof.faults:
        fault(f"seed {seed}: {message}")
    if sampled:
        question = pose(problem, seed)
        for text in (text_of(question), question.solution, *question.hints):
            written = set(re.findall(r"\w+", problem.source.text))
            if raw := set(re.findall(r"\b(?:nan|inf|None|Undefined)\b", text)) - written:
                fault(f"seed {seed}: a text shows the raw value {' and '.join(sorted(raw))}: {text[:60]!r}")
        for sample in problem.kind.samples(question):
            feedback = check(question, sample.raw, runner=run_here)
            if feedback.outcome != sample.outcome or (
                sample.mistake is not None and feedback.mistake != sample.mistake
            ):
                fault(
                    f"seed {seed}: the answer {sample.raw!r:.80} is marked {feedback.outcome} ({feedback.mistake}), "
                    f"where {sample.outcome} ({sample.mistake}) was meant: {feedback.say[:80]}"
                )
    prompt, *_ = [prose(text, drawn.printed) for text in (problem.template.prompt, *problem.template.hints)]
    seen.add(prompt + repr(found))
    return drawn.rng.attempt


def unused(problem: Problem) -> list[str]:
    """Parameters that nothing mentions: neither texts, nor expressions, nor the reference's keywords."""
    template = problem.template
    text = template.model_dump_json(exclude={"title", "source", "tags"})
    name_of_reference = getattr(getattr(template, "answer", None), "reference", None)
    used = set()
    if name_of_reference:
        used = {name for name, _ in keywords(problem.references.reference(name_of_reference))}
    return [
        f"params.{name} is drawn and never used"
        for name in template.params
        if name not in used and len(re.findall(rf"\b{name}\b", text)) < 2
    ]


def stray_files(bank: Bank) -> list[Fault]:
    """Files and folders that belong to nothing."""
    faults = [
        Fault(f"problems/{path.name}", "belongs to nothing")
        for path in sorted(bank.lessons.iterdir())
        if path.is_file() and path.name != "README.md" and not path.name.startswith(".")
    ]
    for chapter in sorted(path for path in bank.lessons.iterdir() if path.is_dir() and not path.name.startswith(".")):
        if chapter.name not in bank.chapters:
            faults.append(Fault(f"problems/{chapter.name}", "is no chapter: it has no chapter.yaml"))
            continue
        known = {"chapter.yaml", "lesson.md", *(f"{slug}.yaml" for slug in bank.chapters[chapter.name].problems)}
        lesson = (chapter / "lesson.md").read_text("utf-8") if (chapter / "lesson.md").exists() else ""
        if not lesson:
            faults.append(Fault(f"problems/{chapter.name}", "has no lesson.md"))
        known |= set(re.findall(r"\]\((figures/[\w.-]+)\)", lesson))
        present = set(files_below(chapter))
        faults += [Fault(f"problems/{chapter.name}/{name}", "belongs to nothing") for name in sorted(present - known)]
        faults += [
            Fault(f"problems/{chapter.name}/lesson.md", f"shows {name}, and that file does not exist")
            for name in sorted(known - present - {"lesson.md"})
        ]
    return faults


def twins(bank: Bank) -> list[Fault]:
    """Slugs, titles and notebook variables that two problems share."""
    faults = []
    for what in ("slug", "title"):
        seen: dict[str, str] = {}
        for problem in bank.problems.values():
            name = problem.slug if what == "slug" else problem.template.title
            if name in seen:
                faults.append(problem.source.fault((), f"has the {what} {name!r}, and so has {seen[name]}"))
            seen[name] = problem.id
    return faults


def faults_of(reports: Sequence[Report]) -> list[Fault]:
    """Every fault of some reports."""
    return [fault for report in reports for fault in report.faults]
