"""The fork server: it loads the libraries once, then makes a process for every job it is handed.

It never reads what a student wrote. A job arrives as a descriptor of shared memory; the server passes it on
to a fresh child, watches the clock, and reports how the child ended.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import mmap
import os
import select
import signal
import socket
import struct
import sys
import time
from dataclasses import dataclass
from typing import Any

from . import child, imports, kernel, landlock, seccomp
from .region import CALL_LIMIT, HEADER_BYTES, put_job, read_progress, size_for

_TICK_SECONDS = 0.02  # how often a job's progress is looked at, hence how late a limit may strike
_NAMESPACES = kernel.CLONE_NEWPID | kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC
_MESSAGE_BYTES = 4096
_WARM_UPS = 10  # Python 3.11 rewrites a function's code after its eighth call
# numpy imports some of its parts only when they are first touched; the rest is what notebooks import most.
_PRELOADED = """
numpy numpy.random numpy.linalg resource _sitebuiltins collections dataclasses enum fractions functools heapq itertools
math operator statistics string typing
"""


@dataclass(frozen=True)
class Order:
    """What the controller says about a job besides the job itself."""

    cell_seconds: float
    call_seconds: float
    seconds: float  # left for this attempt
    sympy: bool  # whether the job mentions it


def main(configuration: str) -> None:
    """Serve until the controller closes its end."""
    config = json.loads(configuration)
    control = socket.socket(fileno=config["control"])
    if config["tier"] == "2":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.drop_capabilities()
    sys.argv, sys.orig_argv = [""], [""]  # they name paths of the host
    imports.install(config["packages"])
    for name in _PRELOADED.split():
        _load(name)
    _warm_up()
    walls = _prepare(config)
    gc.disable()
    gc.collect()
    gc.freeze()
    control.send(json.dumps({"landlock": landlock.abi_version(), "uid": os.getuid()}).encode())
    _silence()
    while True:
        _serve(control, walls)


def _load(name: str) -> None:
    """Import once for all jobs to come; where a package is missing, the cell that wants it will say so."""
    try:
        importlib.import_module(name)
    except ImportError:
        return


def _warm_up() -> None:
    """Run a few jobs of our own right here: whatever Python fills in at first use, no child has to copy."""
    cell = {"step": "cell", "key": "a", "source": "def f(x):\n    return [x]\ny = 1.5\nprint(y)"}
    value = {"step": "value", "key": "b", "name": "y"}
    calls = {"step": "calls", "key": "c", "name": "f", "source": None, "inputs": [[["x", 1]], [["x", {"d": []}]]]}
    sizes = {"output_bytes": 100, "result_bytes": 1000, "memory_bytes": 1000}
    job = json.dumps({"steps": [cell, value, calls], "skip": {}, **sizes}).encode()
    streams, main = (sys.stdin, sys.stdout, sys.stderr), sys.modules["__main__"]
    for _ in range(_WARM_UPS):
        with mmap.mmap(-1, size_for(len(job), 4000)) as memory:
            put_job(memory, job, 4000)
            child.run_job(memory)
    (sys.stdin, sys.stdout, sys.stderr), sys.modules["__main__"] = streams, main


def _prepare(config: dict[str, Any]) -> child.Walls:
    rules = -1
    if config["tier"] in ("1", "2"):
        rules = landlock.ruleset(config["readable"], config["listable"])
    return child.Walls(
        tier=config["tier"],
        machine=config["machine"],
        box=config["box"],
        rules=rules,
        filter=seccomp.job_filter(config["machine"]),
        limits=config["limits"],
    )


def _silence() -> None:
    """From here on nothing written to stdout or stderr goes anywhere, a child's writes included."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _serve(control: socket.socket, walls: child.Walls) -> None:
    data, memory_fd = _receive(control)
    if not data or memory_fd < 0:
        os._exit(0)
    order = Order(**json.loads(data))
    if order.sympy and "sympy" not in sys.modules:
        _load("sympy")
        gc.collect()
        gc.freeze()
    began = time.monotonic()
    pid, pidfd = _fork(walls, memory_fd)
    ended = _watch(pidfd, memory_fd, control, order, began)
    os.close(pidfd)
    os.close(memory_fd)
    _, status, usage = os.wait4(pid, 0)
    if walls.tier in ("1", "1b"):  # elsewhere -1 would mean every process of this user
        _sweep()
    code = os.waitstatus_to_exitcode(status)
    report = {"ended": ended, "code": code, "cpu_seconds": usage.ru_utime + usage.ru_stime}
    control.send(json.dumps(report).encode())


def _receive(control: socket.socket) -> tuple[bytes, int]:
    descriptors = array.array("i")
    data, ancillary, _, _ = control.recvmsg(_MESSAGE_BYTES, socket.CMSG_SPACE(4))
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: struct.calcsize("i")])
    return data, descriptors[0] if descriptors else -1


def _fork(walls: child.Walls, memory_fd: int) -> tuple[int, int]:
    server_pid = os.getpid()
    if walls.tier in ("1", "1b"):
        pid, pidfd = kernel.clone_into_namespaces(walls.machine, _NAMESPACES)
    else:
        pid = os.fork()
        pidfd = os.pidfd_open(pid) if pid else -1
    if pid == 0:
        child.become_job(walls, memory_fd, server_pid)
    return pid, pidfd


def _watch(pidfd: int, memory_fd: int, control: socket.socket, order: Order, began: float) -> str:
    """Wait for the child to end, or end it; why it ended."""
    header = mmap.mmap(memory_fd, max(HEADER_BYTES, mmap.PAGESIZE), prot=mmap.PROT_READ)
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    poller.register(control, select.POLLIN)
    seen, since = -1, began
    while True:
        ready = [descriptor for descriptor, _ in poller.poll(_TICK_SECONDS * 1000)]
        if pidfd in ready:
            return "itself"
        if ready:  # the controller is gone
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os._exit(0)
        now, progress = time.monotonic(), read_progress(header)
        if progress.beat != seen:
            seen, since = progress.beat, now if seen >= 0 else began
        limit = order.call_seconds if progress.limit == CALL_LIMIT else order.cell_seconds
        if now - since > limit or now - began > order.seconds:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            return "limit" if now - since > limit else "deadline"


def _sweep() -> None:
    """Kill and reap whatever else is left in the server's own namespace."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return
    try:
        while os.waitpid(-1, 0)[0]:
            continue
    except ChildProcessError:
        return
