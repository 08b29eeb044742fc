"""CPU time of check() as a student calls it: draw the question, mark the answer, make what the notebook shows.

python bench/checking.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from shardwise import check
from shardwise.bank.bank import Problem
from shardwise.bank.discovery import open_banks
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of, kinds
from shardwise.kinds.calls import Recorded
from shardwise.question import Question

FIRST = """
import time
start = time.process_time()
from shardwise import check
imported = time.process_time()
check({slug!r}, {answer!r})._repr_mimebundle_()
print(imported - start, time.process_time() - imported)
"""


def answers(question: Question) -> list[Any]:
    """Answers of every outcome: right, mistaken, unreadable and blank; functions stand for their recorded calls."""
    samples = [sample.raw for sample in kind_of(question).samples(question)]
    return [_function(question, raw) if isinstance(raw, Recorded) else raw for raw in samples]


def _function(question: Question, recorded: Recorded) -> Callable[..., Any]:
    """A function that returns and raises what was recorded."""
    calls = {repr(case.inputs): call for case, call in zip(_cases(question), recorded.calls, strict=True)}

    def function(**inputs: Any) -> Any:
        call = calls[repr(inputs)]
        if call.status == "raised":
            raise ValueError(call.error)
        return call.value

    return function


def _cases(question: Question) -> tuple[Any, ...]:
    cases: tuple[Any, ...] = getattr(question.key, "cases", ())
    return cases


def again(problem: Problem) -> list[float]:
    """Seconds of each check in a kernel that has checked this problem before."""
    question, times = pose(problem, 0), []
    for raw in answers(question) * 3:
        start = time.process_time()
        check(problem.id, raw)._repr_mimebundle_()
        times.append(time.process_time() - start)
    return times[len(times) // 3 :]


def first(problem: Problem, answer: str) -> tuple[float, float]:
    """Seconds of importing `check`, and of the first check in a new kernel."""
    program = FIRST.format(slug=problem.id, answer=answer)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported, checked = map(float, done.stdout.split())
    return imported, checked


def written(question: Question) -> str:
    """A readable answer as text."""
    return kind_of(question).example(question.form)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="new kernels for each kind")
    rounds = parser.parse_args().rounds
    everything = open_banks().read_all().problems.values()
    by_kind = {kind: [problem for problem in everything if problem.data["kind"] == kind] for kind in kinds()}
    print(f"{'ms of CPU':10}{'median':>9}{'95 %':>9}{'import':>10}{'first':>9}")
    for kind, problems in by_kind.items():
        if not problems:
            continue
        times = sorted(1e3 * seconds for problem in problems for seconds in again(problem))
        tried = [first(problems[0], written(pose(problems[0], 0))) for _ in range(rounds)]
        imported, checked = (1e3 * median(column) for column in zip(*tried, strict=True))
        print(f"{kind:10}{median(times):9.2f}{times[len(times) * 95 // 100]:9.2f}{imported:10.0f}{checked:9.0f}")


if __name__ == "__main__":
    main()
