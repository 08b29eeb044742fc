"""The backend without isolation: runs each attempt in an ordinary process, which can do anything the user can."""

from __future__ import annotations

import contextlib
import os
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from .backend import Attempt, AttemptRequest
from .inside import shared_memory
from .inside.deadlines import Deadlines
from .interpreter import ENVIRONMENT, inner_command
from .job import Limits
from .layout import inner_directory, interpreter, package_directories

_TICK_SECONDS = 0.02


class UnsandboxedProcesses:
    """A backend that starts a process for each attempt and uses a file instead of shared memory."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def attempt(self, request: AttemptRequest) -> Attempt:
        """Run a job until it ends or reaches a limit."""
        memory = bytearray(shared_memory.size_for(len(request.job), request.results_bytes))
        shared_memory.write_job(memory, request.job, request.results_bytes)
        with tempfile.TemporaryDirectory(prefix="job-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / "job"
            file.write_bytes(memory)
            before = _children_cpu_seconds()
            process = self._start(file, folder)
            ended = _watch(process, file, request)
            code = process.wait()
            _kill_session(process)
            cpu_seconds = _children_cpu_seconds() - before
            after = file.read_bytes() if file.exists() else b""
        if len(after) < len(memory):  # the job truncated its result file
            return Attempt(ended, code, cpu_seconds)
        frames, finished = shared_memory.read_frames(after, len(request.job), request.results_bytes)
        return Attempt(ended, code, cpu_seconds, finished, shared_memory.read_progress(after), frames)

    def _start(self, file: Path, folder: str) -> subprocess.Popen[bytes]:
        limits = self._limits
        config = {
            "job": str(file),
            "packages": package_directories(),
            "limits": {"AS": limits.memory_bytes, "CPU": limits.cpu_seconds, "CORE": 0},
        }
        nowhere = subprocess.DEVNULL
        return subprocess.Popen(
            inner_command(interpreter(), inner_directory(), "unsandboxed", config),
            env={**_system_environment(), **ENVIRONMENT, "HOME": folder},
            stdin=nowhere,
            stdout=nowhere,
            stderr=nowhere,
            cwd=folder,
            start_new_session=True,
        )

    def close(self) -> None:
        """Do nothing: no process outlives its attempt."""


def _system_environment() -> dict[str, str]:
    """Return the environment variables that Windows needs to start a process."""
    return {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}


def _watch(process: subprocess.Popen[bytes], file: Path, request: AttemptRequest) -> str:
    deadlines = Deadlines(request.limits, time.monotonic())
    progress = shared_memory.NOT_BEGUN
    while True:
        try:
            process.wait(_TICK_SECONDS)
            return "itself"
        except subprocess.TimeoutExpired:
            progress = _progress(file) or progress
            over = deadlines.passed(progress, time.monotonic())
        if over:
            process.kill()
            return over


def _progress(file: Path) -> shared_memory.RunProgress | None:
    """Return the job's progress; None if its file cannot be read."""
    try:
        with file.open("rb") as opened:
            return shared_memory.read_progress(opened.read(shared_memory.HEADER_BYTES))
    except (OSError, struct.error):
        return None


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    """Kill processes that the job left running, on systems with process groups."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _children_cpu_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system
