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
from collections.abc import Iterable
from typing import Any

from . import child, imports, kernel, landlock, notebook, seccomp, walls
from .messages import MESSAGE_BYTES, Greeting, Order, Report, read_order
from .region import CALL_LIMIT, HEADER_BYTES, read_progress

_TICK_SECONDS = 0.02  # how often a job's progress is looked at, hence how late a limit may strike
_NAMESPACES = kernel.CLONE_NEWPID | kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC
# What notebooks import most, and shardwise's stand-in.
_PRELOADED = """
resource collections dataclasses enum fractions functools heapq itertools math operator statistics string typing shardwise
"""
_PARTS_OF_NUMPY = ("numpy", "numpy.random", "numpy.linalg")  # it imports some of them only when they are first touched


def main(configuration: str) -> None:
    """Serve until the controller closes its end."""
    config = json.loads(configuration)
    control = socket.socket(fileno=config["control"])
    kernel.shrink_bounding_set()
    if config["become"]:
        kernel.become(**config["become"])  # first, for it would undo the signal that comes next
    if config["tier"] == "2":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        kernel.drop_capabilities()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    sys.argv, sys.orig_argv = [""], [""]  # they name paths of the host
    imports.install(config["packages"])
    _load(_PRELOADED.split())
    if config["numpy"]:
        _load(_PARTS_OF_NUMPY)
    notebook.add_builtins()
    prepared = _walls(config)
    child.fix_numpys_randomness()
    _settle()
    control.send(Greeting(os.getuid(), landlock.abi_version()).to_bytes())
    _silence()
    while True:
        _serve(control, prepared)


def _load(names: Iterable[str]) -> None:
    """Import once for all jobs to come; where a package is missing, the cell that wants it will say so."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def _settle() -> None:
    """What is here now stays: no job need look through it for garbage."""
    gc.disable()
    gc.collect()
    gc.freeze()


def _walls(config: dict[str, Any]) -> walls.Walls:
    tier = config["tier"]
    rules = landlock.ruleset(config["readable"], config["listable"]) if tier in ("1", "2") else -1
    return walls.Walls(
        tier in ("1", "1b"), config["box"], rules, config["limits"], seccomp.job_filter(config["machine"])
    )


def _silence() -> None:
    """From here on nothing written to stdout or stderr goes anywhere, a child's writes included."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _serve(control: socket.socket, prepared: walls.Walls) -> None:
    data, memory_fd = _receive(control)
    if not data or memory_fd < 0:
        os._exit(0)
    order = read_order(data)
    if order.sympy and "sympy" not in sys.modules:
        _load(["sympy"])
        _settle()
    began = time.monotonic()
    pid, pidfd = _fork(prepared, memory_fd)
    ended = _watch(pidfd, memory_fd, control, order, began)
    os.close(pidfd)
    os.close(memory_fd)
    _, status, usage = os.wait4(pid, 0)
    if prepared.namespaces:  # elsewhere -1 would mean every process of this user
        _sweep()
    code = os.waitstatus_to_exitcode(status)
    control.send(Report(ended, code, usage.ru_utime + usage.ru_stime).to_bytes())


def _receive(control: socket.socket) -> tuple[bytes, int]:
    descriptors = array.array("i")
    data, ancillary, _, _ = control.recvmsg(MESSAGE_BYTES, socket.CMSG_SPACE(4))
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: struct.calcsize("i")])
    return data, descriptors[0] if descriptors else -1


def _fork(prepared: walls.Walls, memory_fd: int) -> tuple[int, int]:
    server_pid = os.getpid()
    if prepared.namespaces:
        pid, pidfd = kernel.clone_into_namespaces(_NAMESPACES)
    else:
        pid = os.fork()
        pidfd = os.pidfd_open(pid) if pid else -1
    if pid == 0:
        child.become_job(prepared, memory_fd, server_pid)
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
