"""The backend with a boundary: jobs go to a fork server, in sealed memory, over a socket."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import socket
from typing import Any

from .backend import Attempt, Order
from .inside import region
from .launch import Plan, Server, start
from .steps import Limits

_GRACE_SECONDS = 3.0  # by which a server may overrun an attempt's own limit before it is given up
_SYMPY_SECONDS = 20.0  # more when it may have to load sympy first: 0.5, or 3 from a cold disk


class ForkServer:
    """Keeps one server running, starting another whenever it is gone."""

    def __init__(self, plan: Plan, limits: Limits) -> None:
        self._plan, self._limits = plan, limits
        self._server: Server | None = start(plan, limits)

    @property
    def server(self) -> Server:
        """The running server."""
        if self._server is not None and self._server.process.poll() is not None:
            self._discard()
        if self._server is None:
            self._server = start(self._plan, self._limits)
        return self._server

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
        return Attempt(report["ended"], report["code"], report["cpu_seconds"], finished, progress, frames)

    def _exchange(self, descriptor: int, order: Order) -> dict[str, Any] | None:
        """The server's report, or None if it died or fell silent; then it is gone for good."""
        message = {
            "cell_seconds": order.cell_seconds,
            "call_seconds": order.call_seconds,
            "seconds": order.seconds,
            "sympy": order.sympy,
        }
        control = self.server.control
        try:
            grace = _GRACE_SECONDS + (_SYMPY_SECONDS if order.sympy else 0)
            control.settimeout(order.seconds + grace)
            socket.send_fds(control, [json.dumps(message).encode()], [descriptor])
            answer = control.recv(4096)
            if answer:
                return dict(json.loads(answer))
        except OSError:
            pass
        self._discard()
        return None

    def _discard(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None

    def close(self) -> None:
        """Stop the server, and every job with it."""
        self._discard()


def _sealed_memory(size: int) -> int:
    """Shared memory whose size nobody can change any more: to shrink it would crash whoever reads it."""
    descriptor = os.memfd_create("job", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor
