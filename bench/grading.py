"""Grading next to nbgrader and Otter on the same 20 questions, in one run, with the targets and whether they are met.

    python bench/grading.py [--submissions 200] [--nbgrader 20] [--rounds 3]

All are timed as whole processes, from a cold start to written grades; in turn, so that a slow spell of the machine hits all of
them. Ratios are taken within a round, and their median is reported.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measure import Usage, run
from peers import Nbgrader, Otter, install
from room import our_room
from stages import show, stages

from shardwise.course.assigning.lockfile import Lock

SHARDWISE = str(Path(sys.executable).with_name("shardwise"))


class Ours:
    """A class of ours, graded by the command."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder, self.count = folder, count
        self.submitted = our_room(folder, count)
        self.lock = Lock(folder / "bench.lock.jsonl")

    def grade(self, *what: str) -> Usage:
        """With all its workers, in the strongest sandbox, and a page for each student."""
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        given = what or (str(self.submitted),)
        return run([SHARDWISE, "grade", *given, "--lock", str(self.lock.path), "--out", "results"], self.folder)


def rounds(count: int, *runs: Callable[[], Usage]) -> list[list[Usage]]:
    """Each run once a round, in turn."""
    return [list(taken) for taken in zip(*([once() for once in runs] for _ in range(count)), strict=True)]


def middle(values: list[float]) -> str:
    """The median, and from where to where."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.3g} ({low:.3g} to {high:.3g})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=200, help="ours")
    parser.add_argument("--nbgrader", type=int, default=20, help="theirs, in one process as they recommend")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    install()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        ours = Ours(folder / "ours", given.submissions)
        questions = ours.lock.questions("s00000")
        nbgrader = Nbgrader(folder / "nbgrader", given.nbgrader, questions)
        otter = Otter(folder / "otter", questions)
        alone = lambda: ours.grade(str(ours.submitted / "s00000"), "--workers", "1")  # noqa: E731
        many, theirs, others, cold = rounds(given.rounds, ours.grade, nbgrader.grade, otter.grade, alone)
        helps = [run([SHARDWISE, "--help"], folder) for _ in range(5)]
        spent = stages(ours.submitted, ours.lock.path)
    rows = [("shardwise grade", given.submissions, many), ("nbgrader autograde", given.nbgrader, theirs),
            ("otter run", 1, others)]  # fmt: skip
    print(f"{'':22}{'submissions':>12}{'a second':>10}{'ms each':>10}{'CPU ms each':>13}{'shardwise is faster':>26}")
    for name, count, taken in rows:
        seconds = statistics.median(usage.seconds for usage in taken) / count
        cpu = statistics.median(usage.cpu_seconds for usage in taken) / count
        ratios = [(b.seconds / count) / (a.seconds / given.submissions) for a, b in zip(many, taken, strict=True)]
        faster = "" if taken is many else f"{middle(ratios)} times"
        print(f"{name:22}{count:>12}{1 / seconds:>10.3g}{seconds * 1000:>10.3g}{cpu * 1000:>13.3g}{faster:>26}")
    each = [usage.seconds / given.submissions * 1000 for usage in many]
    targets = [
        ("a notebook in a batch", "under 30 ms", each, statistics.median(each) < 30),
        ("one notebook, cold", "under 1 s", [c.seconds for c in cold], statistics.median(c.seconds for c in cold) < 1.0),
        ("shardwise --help", "under 0.5 s", [c.seconds for c in helps], statistics.median(c.seconds for c in helps) < 0.5),
    ]  # fmt: skip
    print("\nprocessor time of one submission")
    show(spent)
    print()
    for what, target, values, met in targets:
        print(f"{what:38}{target:22}{middle(list(values)):30}{'met' if met else 'NOT MET'}")


if __name__ == "__main__":
    main()
