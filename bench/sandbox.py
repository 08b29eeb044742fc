"""What a sandboxed job costs at each tier, next to running the same sources in this very process.

    python bench/sandbox.py [--jobs 200] [--tiers 1 1b 2 none]

Two jobs: an empty one, and a notebook of 20 questions (12 quantities, 4 functions, 4 choices) with right answers.
CPU is user and system time: `grader` of this process, `sandbox` of the server and of all processes that it made.
What starting and stopping costs is measured apart and taken off. The floor compiles, executes and calls, and does
nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from room import our_room

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import right
from shardwise.kinds import kind_of, variable_of
from shardwise.sandbox import Calls, Cell, Sandbox, SandboxUnavailable, Step, Value, open_sandbox

_UNSAFE_JOBS = 20  # a process each, from a cold start


def notebook() -> list[Step]:
    """A prelude, 20 cells with right answers, and a request for each answer."""
    with tempfile.TemporaryDirectory() as folder:
        our_room(Path(folder), 1)
        questions = Lock(Path(folder) / "bench.lock.jsonl").questions("s00000")
    steps: list[Step] = [Cell("prelude", "from shardwise import check, hint")]
    steps += [Cell(question.slug, right(question) or "") for question in questions]
    for question in questions:
        asked, key = kind_of(question).request(question, variable_of(question)), f"answer-{question.slug}"
        steps.append(Value(key, asked.name) if asked.inputs is None else Calls(key, asked.name, tuple(asked.inputs)))
    return steps


def floor(steps: Sequence[Step]) -> float:
    """Milliseconds of CPU for the same sources and calls, in this process."""
    began = time.process_time()
    namespace: dict[str, object] = {}
    for step in steps:
        if isinstance(step, Cell) and step.key != "prelude":
            exec(compile(step.source, step.key, "exec"), namespace)
        elif isinstance(step, Calls):
            for inputs in step.inputs:
                with contextlib.suppress(Exception):  # some are to be refused
                    namespace[step.name](**inputs)  # type: ignore[operator]
    return 1000 * (time.process_time() - began)


@dataclass(frozen=True)
class Cost:
    """Milliseconds a job."""

    wall: float
    grader: float
    sandbox: float


def cost(tier: str, steps: Sequence[Step], jobs: int) -> Cost:
    """Of one job among many in a warm sandbox."""
    idle = _children_ms(tier, steps, 0)[0]
    busy, walls, graders = _children_ms(tier, steps, jobs)
    return Cost(statistics.median(walls), statistics.median(graders), (busy - idle) / jobs)


def _children_ms(tier: str, steps: Sequence[Step], jobs: int) -> tuple[float, list[float], list[float]]:
    """CPU of everything that a sandbox started in its life; wall and own CPU of each job."""
    before, walls, graders = _children_cpu(), [], []
    with _opened(tier) as sandbox:
        for _ in range(5):
            sandbox.run(steps)
        for _ in range(jobs):
            wall, own = time.perf_counter(), time.process_time()
            sandbox.run(steps)
            walls.append(1000 * (time.perf_counter() - wall))
            graders.append(1000 * (time.process_time() - own))
    return 1000 * (_children_cpu() - before), walls, graders


def _opened(tier: str) -> Sandbox:
    return open_sandbox(unsafe=True) if tier == "none" else open_sandbox(tier=tier)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def start(tier: str) -> float:
    """Seconds until a sandbox has started and stood the attacks: the median of five."""
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        with _opened(tier):
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--tiers", nargs="+", default=["1", "1b", "2", "none"])
    given = parser.parse_args()
    steps = notebook()
    print(f"{'':6}{'start':>8}{'an empty job, ms':>28}{'20 questions, ms':>30}")
    print(f"{'tier':6}{'s':>8}" + f"{'wall':>12}{'grader':>8}{'sandbox':>9}" * 2)
    for tier in given.tiers:
        jobs = _UNSAFE_JOBS if tier == "none" else given.jobs
        try:
            costs = [cost(tier, each, jobs) for each in ([], steps)]
        except SandboxUnavailable as refused:
            print(f"{tier:6} {refused}", file=sys.stderr)
            continue
        cells = "".join(f"{each.wall:12.1f}{each.grader:8.2f}{each.sandbox:9.2f}" for each in costs)
        print(f"{tier:6}{start(tier):8.2f}{cells}")
    floors = [floor(steps) for _ in range(given.jobs)]
    print(f"the floor, in this process: {statistics.median(floors):.2f} ms")


if __name__ == "__main__":
    main()
