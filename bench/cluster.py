"""Submissions graded per second on a Dask cluster of this machine, next to the local pool, and what a large batch is sized by.

    python bench/cluster.py [--submissions 200] [--rounds 3]

Two clusters, of one and of two worker processes, and the local pool with one and with two, in turn in every round, so that a
slow spell of the machine hits all of them. The workers of the clusters are warm (a first batch is not counted), as on a
cluster that stays; those of the pool start with each batch. From a process that is loaded to written grades and pages.
Then, from one batch on two workers: CPU of the controller and of the scheduler, bytes of a task and of its result,
bytes on disk, and memory.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from distributed import Client
from room import our_room

from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.cluster import cluster
from shardwise.grading.running.executors import Opener, here
from shardwise.grading.worker import Settings


@contextmanager
def dask_of(count: int, folder: Path) -> Iterator[tuple[str, int]]:
    """A scheduler and so many worker processes; gives its address and the scheduler's pid."""
    folder.mkdir()
    command = [sys.executable, "-m", "dask"]
    options = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(folder / "scheduler.json")]
    with ExitStack() as stack, (folder / "log").open("wb") as log:

        def start(*words: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen([*command, *words, *options], cwd=folder, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            return process

        scheduler = start("scheduler", "--port", "0")
        start("worker", "--nthreads", "1", "--nworkers", str(count))
        with Client(scheduler_file=str(folder / "scheduler.json"), timeout=120, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=120)
            address = client.scheduler.address
        yield address, scheduler.pid


def cpu_of(pid: int) -> float:
    """CPU seconds that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Weighing(Executor):
    """Runs calls here, and weighs what they would be on a wire."""

    def __init__(self) -> None:
        self.there: list[float] = []
        self.back: list[float] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        result = fn(*args, **kwargs)
        self.there.append(len(pickle.dumps((fn, args))))
        self.back.append(len(pickle.dumps(result)))
        future.set_result(result)
        return future


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        submitted, out = our_room(scratch / "room", given.submissions), scratch / "results"

        def batch(executor: Opener | None, width: int) -> float:
            shutil.rmtree(out, ignore_errors=True)
            start = time.perf_counter()
            reports.write_tables(grade([submitted], out, executor=executor, workers=width))
            return time.perf_counter() - start

        runs: dict[str, Callable[[], float]] = {}
        for count in (1, 2):
            address, scheduler = stack.enter_context(dask_of(count, scratch / f"dask-{count}"))
            executor, width = stack.enter_context(cluster(address, Settings(), print))
            batch(executor, width)
            runs[f"Dask, {count}"] = lambda executor=executor, width=width: batch(executor, width)
            runs[f"pool, {count}"] = lambda count=count: batch(None, count)
        rounds = [[run() for run in runs.values()] for _ in range(given.rounds)]
        times = dict(zip(runs, zip(*rounds, strict=True), strict=True))
        print(f"{'workers':10}{'submissions/s':>14}{'ms each':>10}")
        for name, seconds in times.items():
            each = statistics.median(seconds) / given.submissions
            print(f"{name:10}{1 / each:14.1f}{1000 * each:10.1f}")
        for name, other in (("Dask, 1", "pool, 1"), ("Dask, 2", "pool, 2"), ("Dask, 2", "Dask, 1")):
            ratios = [b / a for a, b in zip(times[name], times[other], strict=True)]
            print(
                f"{name} beside {other}: {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})"
            )

        alone = time.process_time()
        runs["pool, 2"]()
        alone, ours, theirs = time.process_time() - alone, time.process_time(), cpu_of(scheduler)
        runs["Dask, 2"]()
        ours, theirs = time.process_time() - ours, cpu_of(scheduler) - theirs
        print(f"CPU a submission: controller {1000 * ours / given.submissions:.1f} ms (with the pool {1000 * alone / given.submissions:.1f}), "
              f"scheduler {1000 * theirs / given.submissions:.1f} ms")  # fmt: skip
        pages = sum(page.stat().st_size for page in out.glob("feedback/**/*.html"))
        tables = {file.name: file.stat().st_size for file in out.iterdir() if file.is_file()}
        print(f"KB on disk a submission: page {pages / given.submissions / 1000:.1f}, "
              + ", ".join(f"{name} {size / given.submissions / 1000:.1f}" for name, size in sorted(tables.items())))  # fmt: skip
        weighing = Weighing()

        @contextmanager
        def weighed() -> Iterator[Executor]:
            with here():  # which closes the sandbox at its end
                yield weighing

        before = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
        batch(weighed, 1)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)  # the sandbox: its server has been waited for
        print(f"KB on the wire a submission: task {sum(weighing.there) / given.submissions / 1000:.1f}, "
              f"result {sum(weighing.back) / given.submissions / 1000:.1f}")  # fmt: skip
        sandboxed = children.ru_utime + children.ru_stime - before[0].ru_utime - before[0].ru_stime
        grading = time.process_time() - before[1] + sandboxed - ours
        print(
            f"CPU of grading a submission: {1000 * grading / given.submissions:.1f} ms, all of it but the controller's"
        )
        print(f"memory of the controller: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB at most")


if __name__ == "__main__":
    main()
