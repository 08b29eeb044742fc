"""The isolating backend: sends each job to a fork server, as sealed shared memory over a socket."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import socket

from .backend import Attempt, AttemptRequest
from .inside import messages, shared_memory
from .inside.messages import JobReport
from .job import Limits
from .launch import Plan, Server, start

_GRACE_SECONDS = 3.0  # after an attempt's time limit, the server has this long to report its end
_SYMPY_SECONDS = 20.0  # added if the job may import sympy first, which takes 0.5 seconds, or 3 from a cold disk


class ForkServer:
    """A backend that keeps a server running and replaces one that dies."""

    def __init__(self, plan: Plan, limits: Limits) -> None:
        """Start a server. Raises SandboxUnavailable."""
        self._plan, self._limits = plan, limits
        self._server: Server | None = start(plan, limits)

    def server(self) -> Server:
        """Return the running server."""
        if self._server and self._server.process.poll() is not None:
            self.close()
        if not self._server:
            self._server = start(self._plan, self._limits)
        return self._server

    def attempt(self, request: AttemptRequest) -> Attempt:
        """Send a job to the server and wait until it reports the end."""
        size = shared_memory.size_for(len(request.job), request.results_bytes)
        descriptor = _sealed_memory(size)
        try:
            with mmap.mmap(descriptor, size) as memory:
                shared_memory.write_job(memory, request.job, request.results_bytes)
                report = self._exchange(descriptor, request)
                frames, finished = shared_memory.read_frames(memory, len(request.job), request.results_bytes)
                progress = shared_memory.read_progress(memory)
        finally:
            os.close(descriptor)
        if report is None:
            return Attempt("server", progress=progress, frames=frames)
        return Attempt(report.ended, report.code, report.cpu_seconds, finished, progress, frames, report.seconds)

    def _exchange(self, descriptor: int, request: AttemptRequest) -> JobReport | None:
        """Return the server's report; None if the server died or does not answer, in which case it is replaced."""
        limits = request.limits
        control = self.server().control
        try:
            control.settimeout(limits.seconds + _GRACE_SECONDS + (_SYMPY_SECONDS if limits.sympy else 0))
            socket.send_fds(control, [messages.to_bytes(limits)], [descriptor])
            answer = control.recv(messages.MESSAGE_BYTES)
            if answer:
                return JobReport(*json.loads(answer))
        except OSError:
            pass
        self.close()
        return None

    def close(self) -> None:
        """Stop the server and its jobs."""
        if self._server:
            self._server.stop()
        self._server = None


def _sealed_memory(size: int) -> int:
    """Return shared memory of fixed size: reading beyond the end of shrunk memory would crash the reader."""
    descriptor = os.memfd_create("job", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor
