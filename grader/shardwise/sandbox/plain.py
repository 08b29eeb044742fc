"""The backend without a boundary: each attempt in an ordinary process that can be killed, and can do anything."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from .backend import Attempt, Order
from .inside import region
from .interpreter import ENVIRONMENT, inner_command
from .layout import inner_directory, interpreter, package_directories
from .steps import Limits

_TICK_SECONDS = 0.02


class PlainProcesses:
    """Starts one process per attempt; a file takes the place of shared memory."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def attempt(self, order: Order) -> Attempt:
        """Run a job to its end or its limit."""
        memory = bytearray(region.size_for(len(order.job), order.room_bytes))
        region.put_job(memory, order.job, order.room_bytes)
        with tempfile.TemporaryDirectory(prefix="job-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / "job"
            file.write_bytes(memory)
            before = _children_cpu_seconds()
            process = self._start(file, folder, numpy=bool(order.libraries))
            ended = _watch(process, file, order)
            code = process.wait()
            _kill_session(process)
            cpu_seconds = _children_cpu_seconds() - before
            after = file.read_bytes() if file.exists() else b""
        if len(after) < len(memory):  # the job cut its own tongue out
            return Attempt(ended, code, cpu_seconds)
        frames, finished = region.read_frames(after, len(order.job), order.room_bytes)
        return Attempt(ended, code, cpu_seconds, finished, region.read_progress(after), frames)

    def _start(self, file: Path, folder: str, *, numpy: bool) -> subprocess.Popen[bytes]:
        limits = self._limits
        config = {
            "job": str(file),
            "packages": package_directories(),
            "numpy": numpy,
            "limits": {"AS": limits.memory_bytes, "CPU": limits.cpu_seconds, "CORE": 0},
        }
        nowhere = subprocess.DEVNULL
        return subprocess.Popen(
            inner_command(interpreter(), inner_directory(), "alone", config),
            env={**_system_environment(), **ENVIRONMENT, "HOME": folder},
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            cwd=folder,
            start_new_session=True,
        )

    def close(self) -> None:
        """Nothing outlives an attempt."""


def _system_environment() -> dict[str, str]:
    """Windows does not start a process without these."""
    return {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}


def _watch(process: subprocess.Popen[bytes], file: Path, order: Order) -> str:
    began = since = time.monotonic()
    seen = -1
    while True:
        try:
            process.wait(_TICK_SECONDS)
            return "itself"
        except subprocess.TimeoutExpired:
            now, progress = time.monotonic(), _progress(file)
        if progress.beat != seen:
            seen, since = progress.beat, now
        limit = order.call_seconds if progress.limit == region.CALL_LIMIT else order.cell_seconds
        if now - since > limit or now - began > order.seconds:
            process.kill()
            return "limit" if now - since > limit else "deadline"


def _progress(file: Path) -> region.Progress:
    try:
        with file.open("rb") as opened:
            return region.read_progress(opened.read(region.HEADER_BYTES))
    except (OSError, struct.error):
        return region.NOT_BEGUN


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    """Whatever the job started and left running, where there are sessions."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _children_cpu_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system
