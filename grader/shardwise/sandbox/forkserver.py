"""The isolating backend: hands each job to a fork server, as sealed shared memory over a socket."""

from __future__ import annotations

import fcntl
import mmap
import os
import socket

from .backend import Attempt, AttemptRequest
from .inside import messages, shared_memory
from .inside.messages import JobReport
from .job import Limits
from .launch import Plan, Server, Starting, start

_GRACE_SECONDS = 3.0  # after an attempt's time limit, by when the server must have reported its end
_SYMPY_SECONDS = 20.0  # more if it may have to import sympy first, which takes 0.5, or 3 from a cold disk


class ForkServer:
    """Keeps a server running, and a second one with numpy once a job mentions it; replaces a server that died.

    Forking from a server that has imported numpy takes 2 to 3 ms longer, which only jobs that mention it should pay.
    """

    def __init__(self, plan: Plan, limits: Limits, begun: Starting | None = None) -> None:
        """With the server that was begun for this plan, or one that is started now. Raises SandboxUnavailable."""
        self._plan, self._limits = plan, limits
        self._servers: dict[bool, Server] = {False: (begun or Starting(plan, limits)).ready()}

    def server(self, *, numpy: bool = False) -> Server:
        """The running server, with numpy or without."""
        if numpy in self._servers and self._servers[numpy].has_ended():
            self._discard(numpy)
        if numpy not in self._servers:
            self._servers[numpy] = start(self._plan, self._limits, numpy=numpy)
        return self._servers[numpy]

    def attempt(self, request: AttemptRequest) -> Attempt:
        """Hand a job to the server and wait until it reports the end."""
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
        """The server's report; None if it died or does not answer, and then it is replaced."""
        sympy, numpy = "sympy" in request.libraries, bool(request.libraries)
        message = messages.JobRequest(
            request.cell_seconds, request.call_seconds, request.seconds, sympy, request.steps, request.inputs
        )
        control = self.server(numpy=numpy).control
        try:
            control.settimeout(request.seconds + _GRACE_SECONDS + (_SYMPY_SECONDS if sympy else 0))
            socket.send_fds(control, [message.to_bytes()], [descriptor])
            answer = control.recv(messages.MESSAGE_BYTES)
            if answer:
                return messages.read_job_report(answer)
        except OSError:
            pass
        self._discard(numpy)
        return None

    def _discard(self, numpy: bool) -> None:
        server = self._servers.pop(numpy, None)
        if server is not None:
            server.stop()

    def close(self) -> None:
        """Stop the servers, and every job with them."""
        for numpy in list(self._servers):
            self._discard(numpy)


def _sealed_memory(size: int) -> int:
    """Shared memory of a size that cannot be changed: reading beyond the end of a shrunk one would crash the reader."""
    descriptor = os.memfd_create("job", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor
