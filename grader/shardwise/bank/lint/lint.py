"""The lint of banks: their files, and their problems in several processes, except for those that passed before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, replace
from pathlib import Path

from shardwise.bank.bank import Bank, Banks, Problem
from shardwise.bank.chapters import section_faults
from shardwise.bank.lint.passed import Passed
from shardwise.bank.lint.problem import Report, lint_problem
from shardwise.bank.lint.unlisted_files import stray_files, twins
from shardwise.bank.pages.curriculum import curriculum_faults
from shardwise.bank.pages.interactive_figures import moving_faults
from shardwise.bank.processes import processes
from shardwise.errors import Fault, Faulty, ShardwiseError


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

    Raises ShardwiseError if none matches, and Faulty if one cannot be read.
    """
    found = [(bank, name) for bank in banks.all for name in bank.problems if bank.problems[name].is_among(only)]
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


def faults_of(reports: Sequence[Report]) -> list[Fault]:
    """Return the distinct faults of some reports: a fault in a module of references occurs in every problem that uses it."""
    return list(dict.fromkeys(fault for report in reports for fault in report.faults))
