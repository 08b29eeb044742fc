"""What isolation costs: the same pipeline (read, execute, mark, write), in the sandbox and with no isolation at all.

    python bench/isolation.py [--submissions 200] [--rounds 5]

One worker, warm. Without isolation a notebook's cells are executed by `exec` in the grader's own process and its functions are
called there; everything else is the same code on the same files.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from room import our_room

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.collecting.submissions import Submission
from shardwise.grading import worker
from shardwise.grading.batch import grade
from shardwise.grading.running import executors, sandboxes
from shardwise.grading.worker import Settings
from shardwise.kinds import variable_of
from shardwise.kinds.calls import Recorded, run_here
from shardwise.kinds.code.model import CodeKey
from shardwise.marking import check
from shardwise.question import Feedback, Question
from shardwise.sandbox import Sandbox


def in_process(
    submission: Submission, questions: Sequence[Question], _sandbox: Sandbox
) -> tuple[list[Feedback], list[str]]:
    """A notebook executed and marked right here."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cell in submission.cells:
            with contextlib.suppress(Exception):
                exec(compile(cell.source, cell.key, "exec"), names)
        return [check(question, _answer(question, names), runner=run_here) for question in questions], []


def _answer(question: Question, names: dict[str, Any]) -> Any:
    value = names.get(variable_of(question))
    if isinstance(question.key, CodeKey):
        return Recorded(tuple(run_here(value, "", [case.inputs for case in question.key.cases])))
    return value


@contextmanager
def _warm() -> Iterator[Executor]:
    """This process as the command uses it, but that its sandbox stays open."""
    with patch.object(sandboxes, "close"), executors.here() as executor:
        yield executor


def isolation(submitted: Path, lock: Lock, rounds: int = 5) -> list[float]:
    """Ratios of wall time: isolated over in-process, on the same submissions within a round and on others in the next."""
    everybody = sorted(submitted.iterdir())
    count = len(everybody) // rounds

    def seconds(paths: Sequence[Path], settings: Settings) -> float:
        with tempfile.TemporaryDirectory(prefix="bench-") as out:
            start = time.perf_counter()
            batch = grade(paths, Path(out), locks=[lock.path], settings=settings, executor=_warm)
            taken = time.perf_counter() - start
            assert all(row.points == row.max_points for row in batch.results() if row.status != "missing")
        return taken

    def bare(paths: Sequence[Path]) -> float:
        with patch.object(worker, "grade_one", in_process):
            return seconds(paths, Settings(unsafe=True))

    def isolated(paths: Sequence[Path]) -> float:
        return seconds(paths, Settings())

    for run in (bare, isolated):  # to have rendered every text before, as in the middle of a large batch
        run(everybody)
    ratios = []
    for number in range(rounds):
        paths = everybody[number * count : (number + 1) * count]
        runs = (bare, isolated) if number % 2 else (isolated, bare)
        taken = {run: run(paths) for run in runs}
        ratios.append(taken[isolated] / taken[bare])
        print(f"isolated {taken[isolated] / count * 1000:.2f} ms, in-process {taken[bare] / count * 1000:.2f} ms each: "
              f"ratio {ratios[-1]:.2f}")  # fmt: skip
    sandboxes.close()
    return ratios


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        submitted = our_room(Path(scratch), given.submissions)
        ratios = isolation(submitted, Lock(Path(scratch) / "bench.lock.jsonl"), given.rounds)
    print(f"median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
