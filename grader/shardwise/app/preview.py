"""The preview: a bank for its author, with many variants of each problem, their keys, mistakes and faults."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any

from shardwise.app.variants import finite, linted, posed_variants
from shardwise.bank.bank import Bank, Banks, Problem
from shardwise.bank.digests import files_below
from shardwise.bank.processes import end_at_once, is_of_the_command
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.markdown.escaping import safe
from shardwise.markdown.html import to_html
from shardwise.question import Question
from shardwise.student.desk import Desk, error_reply
from shardwise.student.progress.journal import Journal
from shardwise.student.session import Session

Data = dict[str, Any]
Request = Mapping[str, Any]
_PATIENCE = 30.0  # seconds for twelve draws, which take about one
_ENDLESS = f"This problem has not been drawn after {_PATIENCE:g} seconds. Does a reference loop without end?"
_CHANGED = "A file changed while this problem was being drawn."
_DIED = "The process that draws this problem died. Does a reference call os._exit, or run out of memory?"


class Preview:
    """The replies to the page of a preview. Requests of forms go to a desk that saves no progress.

    - `bank`: the problems by chapter, and the faults of the chapters. It opens the banks again if a file has changed.
    - `variants`: the questions that the last sound version of a problem poses.
    - `lint`: the faults that the lint finds in these draws of a problem.
    - `stamp`: a text that changes when a file of the banks does.
    """

    def __init__(self, banks: Banks, only: Sequence[str] = (), variants: int = 12) -> None:
        self.banks = banks
        self._only, self._count = only, variants
        self._faults: Sequence[Fault] = ()  # of chapters, since the banks were opened
        self._stamp = self._now()
        self._desk = self._fresh_desk()
        self._good: dict[str, list[tuple[Question, Data]]] = {}  # by problem: the last sound version
        self._jobs: set[Future[Any]] = set()  # unfinished
        self._lock = Lock()
        self._pool = _pool()
        self._why_ended = ""  # why the processes before these were ended
        self._pool.submit(int)  # the first process starts while the browser does

    def reply(self, request: Any) -> Data:
        """Return the reply to a request, or one with an `error` in HTML. Never raises."""
        action = _ACTIONS.get(str(request.get("do"))) if isinstance(request, Mapping) else None
        if action is None:
            return self._desk.reply(request)
        try:
            return action(self, request)
        except ShardwiseError as error:
            return {"error": to_html(safe(str(error)))}
        except Exception as error:
            return error_reply(error)

    def close(self) -> None:
        """End the processes that draw."""
        end_at_once(self._pool)

    def _bank(self, _: Request) -> Data:
        with self._lock:
            self._reopen()
        shown = [problem for problem in self.banks.problems.values() if problem.is_among(self._only)]
        return {
            "bank": str(self.banks),
            "chapters": [
                {"title": self.banks.chapters[chapter].title, "problems": list(map(_listed, problems))}
                for chapter, problems in groupby(shown, key=lambda problem: problem.chapter)
            ],
            "faults": list(map(str, self._faults)),
        }

    def _variants(self, request: Request) -> Data:
        problem = self._problem(request)
        made, fault = self._done(posed_variants, problem)
        is_good = made is not None and len(made) == self._count
        if is_good:
            self._good[problem.id] = made
        known = self._good.get(problem.id) or made or []
        return {
            "path": min(str(problem.path), os.path.relpath(problem.path), key=len),
            "isOld": not is_good and problem.id in self._good,
            "why": fault,
            "variants": [{**data, "given": self._desk.open(question)} for question, data in known],
        }

    def _lint(self, request: Request) -> Data:
        report, fault = self._done(linted, self._problem(request))
        if report is None:
            return {"faults": [fault], "margin": None}
        return {"faults": list(map(str, report.faults)), "margin": finite(report.margin)}

    def _problem(self, request: Request) -> Problem:
        return self.banks.find(str(request.get("problem")))

    def _done(self, job: Callable[[Path, str, int], Any], problem: Problem) -> tuple[Any, str]:
        """Return the result of a job in another process, or None and why the job failed."""
        pool = self._pool
        future: Future[Any] = pool.submit(job, problem.bank, problem.id, self._count)
        self._jobs.add(future)
        try:
            return future.result(_PATIENCE if job is posed_variants else None), ""
        except TimeoutError:
            with self._lock:
                self._end(pool, _ENDLESS)
            return None, _ENDLESS
        except (BrokenProcessPool, CancelledError):
            with self._lock:
                self._end(pool, _DIED)
                return None, self._why_ended
        except ShardwiseError as error:
            return None, str(error)
        finally:
            self._jobs.discard(future)

    def _end(self, pool: ProcessPoolExecutor, why: str) -> None:
        """End the processes of a pool and start new ones, unless that has been done already."""
        if self._pool is pool:
            self._pool, self._why_ended = _pool(), why
            end_at_once(pool)

    def _reopen(self) -> None:
        """Open the banks again if a file has changed. If a chapter is faulty now, the banks stay as they were."""
        stamp = self._now()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        if self._jobs:  # about the files as they were, and perhaps without an end
            self._end(self._pool, _CHANGED)
        try:
            self.banks, self._faults = Banks([Bank.open(bank.folder) for bank in self.banks.all]), ()
        except Faulty as error:
            self._faults = error.faults
        except ShardwiseError as error:
            self._faults = [Fault("problems", str(error))]
        self._desk = self._fresh_desk()

    def _fresh_desk(self) -> Desk:
        session = Session.of(self.banks)
        session.journal = Journal(None)
        return Desk(session)

    def _now(self) -> str:
        """Return a text that changes when a file of the banks does."""
        digest = hashlib.sha256()
        for bank in self.banks.all:
            for folder in (bank.lessons, bank.folder / "solutions"):
                for name in files_below(folder):
                    try:
                        state = (folder / name).stat()
                    except OSError:  # an editor is replacing it
                        continue
                    digest.update(f"{name} {state.st_mtime_ns} {state.st_size}\n".encode(errors="replace"))
        return digest.hexdigest()


_ACTIONS: dict[str, Callable[[Preview, Request], Data]] = {
    "bank": Preview._bank,
    "variants": Preview._variants,
    "lint": Preview._lint,
    "stamp": lambda preview, _: {"stamp": preview._now()},
}


def chosen_problems(banks: Banks, named: Sequence[str]) -> list[str]:
    """Return the names of problems, each a slug or the beginning of an id. Raises ShardwiseError for an unknown one."""
    for name in named:
        if not any(problem.is_among([name]) for problem in banks.problems.values()):
            banks.find(name)  # raises an error with the closest names
    return list(named)


def _pool() -> ProcessPoolExecutor:
    """Return two processes: one poses what the page shows first, while the other lints."""
    return ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), initializer=is_of_the_command)


def _listed(problem: Problem) -> Data:
    """Return what the list of problems shows."""
    try:
        data = problem.data
        return {"id": problem.id, **{name: data[name] for name in ("title", "kind", "points", "difficulty")}}
    except Faulty as error:
        return {"id": problem.id, "title": problem.slug, "why": error.faults[0].message}
