"""Where the processor time of one submission goes: the stages of the pipeline, timed in one process with a warm sandbox.

python bench/stages.py [--submissions 200]
"""

from __future__ import annotations

import argparse
import functools
import resource
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from isolation import _warm
from room import our_room

from shardwise.grading import batch, intake, worker
from shardwise.grading import submission as grading
from shardwise.grading.batch import grade
from shardwise.grading.running import sandboxes
from shardwise.sandbox import Sandbox

STAGES = (  # what is timed, and what it is called
    (intake.Intake, "prepare", "reading the notebook and its line of the lock"),
    (worker, "read_line", "questions and keys as objects"),
    (Sandbox, "run", "the grader's side of the sandbox: packing, reading frames"),
    (grading, "_mark", "marking the answers"),
    (worker, "page", "the feedback page"),
    (batch._Run, "_keep", "writing page and ledger"),
)


def stages(submitted: Path, lock: Path) -> dict[str, float]:
    """Milliseconds of processor time a submission, by stage."""
    spent: dict[str, float] = defaultdict(float)

    def timed(function: Any, name: str) -> Any:
        @functools.wraps(function)
        def run(*given: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return function(*given, **named)
            finally:
                spent[name] += time.process_time() - start

        return run

    paths = sorted(submitted.iterdir())
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="bench-") as out:
        grade(paths, Path(out) / "warm", locks=[lock], executor=_warm)
        for owner, name, label in STAGES:
            stack.enter_context(patch.object(owner, name, timed(getattr(owner, name), label)))
        start = time.process_time()
        grade(paths, Path(out) / "timed", locks=[lock], executor=_warm)
        everything = time.process_time() - start
    before = _children()
    sandboxes.close()
    job = (_children() - before) / (2 * len(paths))  # the sandbox's own time is known when it has ended
    found = {label: spent[label] / len(paths) for _, _, label in STAGES}
    found["the rest of the grader"] = everything / len(paths) - sum(found.values())
    found["the job in the sandbox, its start shared out"] = job
    return {label: seconds * 1000 for label, seconds in found.items()}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show(found: dict[str, float]) -> None:
    """Print the stages."""
    for label, value in found.items():
        print(f"{label:62}{value:6.2f} ms")
    print(f"{'together, without the way from process to process':62}{sum(found.values()):6.2f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=200)
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        submitted = our_room(Path(scratch), parser.parse_args().submissions)
        show(stages(submitted, Path(scratch) / "bench.lock.jsonl"))


if __name__ == "__main__":
    main()
