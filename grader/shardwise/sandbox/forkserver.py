"""The backend with a boundary: jobs go to a fork server, in sealed memory, over a socket."""

from __future__ import annotations

import fcntl
import mmap
import os
import socket

from .backend import Attempt, Order
from .inside import messages, region
from .inside.messages import Report
from .launch import Plan, Server, start
from .steps import Limits

_GRACE_SECONDS = 3.0  # by which a server may overrun an attempt's own limit before it is given up
_SYMPY_SECONDS = 20.0  # more when it may have to load sympy first: 0.5, or 3 from a cold disk


class ForkServer:
    """Keeps a server running, and a second one with numpy once a job mentions it; replaces one that is gone.

    What a process has loaded is copied for each of its jobs, so that those which need no numpy go without.
    """

    def __init__(self, plan: Plan, limits: Limits) -> None:
        self._plan, self._limits = plan, limits
        self._servers: dict[bool, Server] = {}
        self.server(numpy=False)

    def server(self, *, numpy: bool = False) -> Server:
        """The running server, with numpy or without."""
        if numpy in self._servers and self._servers[numpy].process.poll() is not None:
            self._discard(numpy)
        if numpy not in self._servers:
            self._servers[numpy] = start(self._plan, self._limits, numpy=numpy)
        return self._servers[numpy]

    def attempt(self, order: Order) -> Attempt:
        """Hand a job to the server and wait until it reports the end."""
        size = region.size_for(len(order.job), order.room_bytes)
        descriptor = _sealed_memory(size)
        try:
            with mmap.mmap(descriptor, size) as memory:
                region.put_job(memory, order.job, order.room_bytes)
                report = self._exchange(descriptor, order)
                frames, finished = region.read_frames(memory, len(order.job), order.room_bytes)
                progress = region.read_progress(memory)
        finally:
            os.close(descriptor)
        if report is None:
            return Attempt("server", progress=progress, frames=frames)
        return Attempt(report.ended, report.code, report.cpu_seconds, finished, progress, frames)

    def _exchange(self, descriptor: int, order: Order) -> Report | None:
        """The server's report, or None if it died or fell silent; then it is gone for good."""
        sympy, numpy = "sympy" in order.libraries, bool(order.libraries)
        message = messages.Order(order.cell_seconds, order.call_seconds, order.seconds, sympy)
        control = self.server(numpy=numpy).control
        try:
            control.settimeout(order.seconds + _GRACE_SECONDS + (_SYMPY_SECONDS if sympy else 0))
            socket.send_fds(control, [message.to_bytes()], [descriptor])
            answer = control.recv(messages.MESSAGE_BYTES)
            if answer:
                return messages.read_report(answer)
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
    """Shared memory whose size nobody can change any more: to shrink it would crash whoever reads it."""
    descriptor = os.memfd_create("job", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor
