"""Whole commands, measured: wall time, CPU time of the process and of all that it started, and memory."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

# A person's Python keeps its modules as it compiled them. Without that, half of a quick command's time goes into compiling.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

_PR_SET_CHILD_SUBREAPER = 36  # prctl(2): orphans become ours, so that their CPU time is counted as well


@dataclass(frozen=True)
class Usage:
    """What a command took."""

    seconds: float
    cpu_seconds: float
    own_bytes: int  # the most memory the command's own process held, if that was asked for
    all_bytes: int  # the most that it and all it started held together, shared pages counted by their share


def run(command: Sequence[str], folder: Path, more: Mapping[str, str] | None = None, *, memory: bool = False) -> Usage:
    """Run a command to its end. Raises SystemExit with its last words when it fails.

    Memory is looked at only when it is asked for: adding up the pages of all processes takes time of the cores that they need.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, start = _children_cpu(), time.perf_counter()
    with (folder / ".said").open("w+") as said:
        process = subprocess.Popen(command, cwd=folder, env={**ENVIRONMENT, **(more or {})}, stdout=said, stderr=said)
        with _watched(process.pid) if memory else nullcontext([0, 0]) as peaks:
            code = process.wait()
            seconds = time.perf_counter() - start
        if code:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)} failed:\n{said.read()[-3000:]}")
    with suppress(ChildProcessError):
        while True:
            os.wait()
    return Usage(seconds, _children_cpu() - before, *peaks)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _watched(pid: int) -> Iterator[list[int]]:
    """Samples memory from the outside, ten times a second."""
    peaks, over = [0, 0], threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            own = _status_bytes(pid, "VmHWM:")
            every = sum(_pss_bytes(process) for process in [pid, *_descendants(pid)])
            peaks[:] = max(peaks[0], own), max(peaks[1], every)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peaks
    finally:
        over.set()
        watcher.join()


def _descendants(pid: int) -> Iterator[int]:
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield int(child)
                yield from _descendants(int(child))


def _status_bytes(pid: int, name: str) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    return 0


def _pss_bytes(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
