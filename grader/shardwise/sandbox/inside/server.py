"""The fork server: it imports the libraries once, then forks a process for every job.

It never reads the student's code. A job arrives as a descriptor of shared memory; the server passes it on to a new process,
enforces the time limits, and reports how the process ended.
"""

from __future__ import annotations

import array
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

from . import imports, job_process, landlock, notebook, seccomp, system_calls
from .confinement import Confinement
from .deadlines import Deadlines
from .messages import MESSAGE_BYTES, Greeting, JobReport, JobRequest, to_bytes
from .shared_memory import HEADER_BYTES, read_progress

_TICK_SECONDS = 0.02  # between checks of a job's progress, hence the maximum delay in enforcing a limit
_NAMESPACES = system_calls.CLONE_NEWPID | system_calls.CLONE_NEWNS | system_calls.CLONE_NEWIPC
# Imported once for all jobs: the modules that notebooks import most often, and shardwise's stand-in.
_PRELOADED = """
resource collections dataclasses enum fractions functools heapq itertools math operator statistics string typing shardwise
numpy numpy.random numpy.linalg
"""


def main(configuration: str) -> None:
    """Serve until the controller closes its end."""
    config = json.loads(configuration)
    control = socket.socket(fileno=config["control"])
    system_calls.shrink_bounding_set()
    if config["become"]:
        system_calls.become(**config["become"])  # before PR_SET_PDEATHSIG, because a change of user resets it
    if config["tier"] == "2":
        system_calls.prctl(system_calls.PR_SET_PDEATHSIG, signal.SIGKILL)
        system_calls.drop_capabilities()
        system_calls.prctl(system_calls.PR_SET_NO_NEW_PRIVS, 1)
    sys.argv, sys.orig_argv = [""], [""]  # they contain paths of the host
    imports.install(config["packages"])
    _import_all(_PRELOADED.split())
    notebook.add_builtins()
    confinement = _confinement(config)
    job_process.seed_numpy()
    control.send(to_bytes(Greeting(os.getuid())))
    _discard_output()
    while True:
        _serve(control, confinement)


def _import_all(names: Iterable[str]) -> None:
    """Import these modules for all future jobs. If one is missing, the cell that imports it will fail."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def _confinement(config: dict[str, Any]) -> Confinement:
    tier = config["tier"]
    ruleset = -1
    if tier in ("1", "2"):
        if not landlock.abi_version():
            sys.exit("this kernel has no Landlock")
        ruleset = landlock.ruleset(config["readable"], config["listable"])
    code = seccomp.job_filter(os.uname().machine)
    return Confinement(tier in ("1", "1b"), config["box"], ruleset, config["limits"], code)


def _discard_output() -> None:
    """Redirect stdin, stdout and stderr of the server and its jobs to /dev/null."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _serve(control: socket.socket, confinement: Confinement) -> None:
    """Run the next job; exit when the controller has closed its end."""
    data, memory_fd = _receive(control)
    if not data or memory_fd < 0:
        os._exit(0)
    request = JobRequest(*json.loads(data))
    if request.sympy and "sympy" not in sys.modules:
        _import_all(["sympy"])
    began = time.monotonic()
    pid, pidfd = _fork(confinement, memory_fd)
    ended = _watch(pidfd, memory_fd, control, request, began)
    took = time.monotonic() - began
    os.close(pidfd)
    os.close(memory_fd)
    _, status, usage = os.wait4(pid, 0)
    if confinement.namespaces:  # without namespaces, this would kill every process of the user
        _kill_all_others()
    code = os.waitstatus_to_exitcode(status)
    control.send(to_bytes(JobReport(ended, code, usage.ru_utime + usage.ru_stime, took)))


def _receive(control: socket.socket) -> tuple[bytes, int]:
    descriptors = array.array("i")
    data, ancillary, _, _ = control.recvmsg(MESSAGE_BYTES, socket.CMSG_SPACE(4))
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: struct.calcsize("i")])
    return data, descriptors[0] if descriptors else -1


def _fork(confinement: Confinement, memory_fd: int) -> tuple[int, int]:
    server_pid = os.getpid()
    if confinement.namespaces:
        pid, pidfd = system_calls.clone_into_namespaces(_NAMESPACES)
    else:
        pid = os.fork()
        pidfd = os.pidfd_open(pid) if pid else -1
    if pid == 0:
        job_process.run_confined(confinement, memory_fd, server_pid)
    return pid, pidfd


def _watch(pidfd: int, memory_fd: int, control: socket.socket, request: JobRequest, began: float) -> str:
    """Wait for the child to end, or kill it at a limit; return why it ended."""
    header = mmap.mmap(memory_fd, max(HEADER_BYTES, mmap.PAGESIZE), prot=mmap.PROT_READ)
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    poller.register(control, select.POLLIN)
    deadlines = Deadlines(request, began)
    while True:
        ready = [descriptor for descriptor, _ in poller.poll(_TICK_SECONDS * 1000)]
        if pidfd in ready:
            return "itself"
        if ready:  # the controller is gone
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            os._exit(0)
        if over := deadlines.passed(read_progress(header), time.monotonic()):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            return over


def _kill_all_others() -> None:
    """Kill and reap all other processes in the server's PID namespace, which a job left running."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return
    try:
        while os.waitpid(-1, 0)[0]:
            continue
    except ChildProcessError:
        return
