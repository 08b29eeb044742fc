"""Submissions graded per second, beside `nbgrader autograde` on the same 20 questions, in one run.

    python bench/grading.py [--submissions 200] [--nbgrader 20]

The questions: 12 quantities, 4 functions, 4 choices. nbgrader gets a notebook of its own making: the same answer cells, and
test cells with plain asserts on the right values, so that it pays for none of our code. Both are timed as whole processes,
from a cold start to written grades. Alternating rounds, medians.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from shardwise.bank import bank
from shardwise.kinds import kinds
from shardwise.locks import Lock
from shardwise.question import Question
from shardwise.sets import SetDefinition, Student, assign
from shardwise.simulated import hand_in, right

BIN = Path(sys.executable).parent
WANTED = {"quantity": 12, "code": 4, "choice": 4}


def twenty() -> list[str]:
    """The questions, taken in the bank's order."""
    chosen: list[str] = []
    for kind, count in WANTED.items():
        chosen += [name for name in bank().problems if bank().find(name).template.kind == kind][:count]
    return chosen


def our_room(folder: Path, count: int) -> Path:
    """A class of `count` that has handed in right answers; gives the folder of submissions."""
    definition = SetDefinition.model_validate({"name": "bench", "title": "Bench", "problems": twenty()})
    students = [Student(f"s{number:05}", f"Student {number}") for number in range(count)]
    lock = Lock(assign(bank(), definition, students, bytes(32), folder).lock)
    for student in students:
        hand_in(lock, folder / "notebooks", folder / "submitted", student.id, right)
    return folder / "submitted"


def their_room(folder: Path, count: int, questions: list[Question]) -> None:
    """An nbgrader course with the same answers, and asserts as its tests."""
    (folder / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = 'c'\nc.CourseDirectory.root = {str(folder)!r}\n"
    )
    source = new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    answers = {}
    for question in questions:
        variable = kinds()[question.kind].variable(question.form, question.variable)
        answers[question.slug] = right(question) or ""
        source.cells.append(_cell(f"{question.slug}-answer", f"{variable} = ...", solution=True))
        source.cells.append(_cell(f"{question.slug}-test", _asserts(question, variable), points=question.points))
    path = folder / "source" / "bench" / "bench.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(source, path)
    _run(folder, str(BIN / "nbgrader"), "generate_assignment", "bench", "--create")
    released = json.loads((folder / "release" / "bench" / "bench.ipynb").read_text("utf-8"))
    for cell in released["cells"]:
        slug = cell["metadata"]["nbgrader"]["grade_id"].removesuffix("-answer")
        if slug in answers:
            cell["source"] = answers[slug]
    for number in range(count):
        handed_in = folder / "submitted" / f"s{number:05}" / "bench" / "bench.ipynb"
        handed_in.parent.mkdir(parents=True)
        handed_in.write_text(json.dumps(released), "utf-8")


def _cell(grade_id: str, source: str, *, solution: bool = False, points: float | None = None) -> nbformat.NotebookNode:
    metadata = {"schema_version": 3, "grade": points is not None, "locked": points is not None, "solution": solution,
                "task": False, "grade_id": grade_id}  # fmt: skip
    if points is not None:
        metadata["points"] = points
    return new_code_cell(source, id=grade_id[:64], metadata={"nbgrader": metadata})


def _asserts(question: Question, variable: str) -> str:
    if question.kind != "code":
        return f"assert {variable} == {(right(question) or '=').partition('=')[2].strip()}"
    cases = [(dict(case.inputs), case.expected) for case in question.key.cases if not case.raises]  # type: ignore[attr-defined]
    return f"for given, expected in {cases!r}:\n    assert {variable}(**given) == expected"


def _run(folder: Path, *command: str) -> float:
    environment = {
        **os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "JUPYTER_CONFIG_DIR": str(folder / "jupyter"),
    }  # fmt: skip
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return seconds


def timed(rounds: int, *runs: Callable[[], float]) -> list[list[float]]:
    """Each run once a round, in turn, so that a slow spell of the machine hits all of them."""
    return [list(times) for times in zip(*([run() for run in runs] for _ in range(rounds)), strict=True)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=200, help="ours")
    parser.add_argument("--nbgrader", type=int, default=20, help="theirs, in one process as they recommend")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        ours, theirs = Path(scratch) / "ours", Path(scratch) / "theirs"
        theirs.mkdir()
        submitted = our_room(ours, given.submissions)
        questions = Lock(ours / "bench.lock.jsonl").questions("s00000")
        their_room(theirs, given.nbgrader, questions)

        def grade() -> float:
            shutil.rmtree(ours / "results", ignore_errors=True)
            return _run(ours, str(BIN / "shardwise"), "grade", str(submitted), "--out", str(ours / "results"))

        def one() -> float:
            shutil.rmtree(ours / "results", ignore_errors=True)
            return _run(ours, str(BIN / "shardwise"), "grade", str(submitted / "s00000"), "--out", str(ours / "one"),
                        "--lock", str(ours / "bench.lock.jsonl"), "--workers", "1")  # fmt: skip

        def autograde() -> float:
            return _run(theirs, str(BIN / "nbgrader"), "autograde", "bench", "--create", "--force")

        mine, nbgrader = timed(given.rounds, grade, autograde)
        rates = (
            statistics.median(given.submissions / s for s in mine),
            statistics.median(given.nbgrader / s for s in nbgrader),
        )
        ratios = [(given.submissions / a) / (given.nbgrader / b) for a, b in zip(mine, nbgrader, strict=True)]
        print(f"{'':24}{'submissions/s':>14}{'ms each':>10}")
        print(
            f"{'shardwise grade':24}{rates[0]:14.1f}{1000 / rates[0]:10.1f}   ({given.submissions} submissions, 2 workers, sandboxed)"
        )
        print(
            f"{'nbgrader autograde':24}{rates[1]:14.2f}{1000 / rates[1]:10.0f}   ({given.nbgrader} submissions, one process, no sandbox)"
        )
        print(
            f"ratio, median of {given.rounds} rounds: {statistics.median(ratios):.0f} (from {min(ratios):.0f} to {max(ratios):.0f})"
        )
        lone = statistics.median(one_ for (one_,) in ([one()] for _ in range(given.rounds)))
        print(f"one submission from a cold start: {lone:.2f} s")


if __name__ == "__main__":
    main()
