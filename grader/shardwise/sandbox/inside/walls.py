"""The walls of a job: prepared once by the server, put up by each job around itself."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from . import kernel, landlock, seccomp
from .limits import bounds
from .region import EXIT_BROKEN

_BOX_BYTES = 2**20  # enough for a working directory in which nothing can be written anyway


@dataclass(frozen=True)
class Walls:
    """The calls that a job makes, in this order, and the filter that comes last."""

    namespaces: bool
    box: str  # the directory to mount a job's own tmpfs on
    rules: int  # a Landlock ruleset, -1 for none
    first: tuple[kernel.Call, ...]
    second: tuple[kernel.Call, ...]  # once it is in its box
    filter: ctypes.Array[ctypes.c_char]
    own_pid_at: tuple[int, ...]  # where in the filter the process's own number belongs
    last: kernel.Call

    def put_up(self, server_pid: int) -> None:
        """OSError unless every wall stands."""
        for call in self.first:
            call.make()
        if self.namespaces:
            os.chdir(self.box)
        elif os.getppid() != server_pid:  # it died before the first call
            os._exit(EXIT_BROKEN)
        for call in self.second:
            call.make()
        if self.rules >= 0:
            os.close(self.rules)
        own_pid = os.getpid()
        for at in self.own_pid_at:
            struct.pack_into("=I", self.filter, at, own_pid)
        self.last.make()


def prepare(tier: str, machine: str, box: str, rules: int, limits: Mapping[str, int]) -> Walls:
    """The walls of a tier, with a Landlock ruleset or -1, and limits as Python's resource module names them."""
    namespaces = tier in ("1", "1b")
    first = [kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)]
    if namespaces:
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        first.append(kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE))
        first.append(kernel.mount("tmpfs", box, "tmpfs", flags, f"size={_BOX_BYTES},nr_inodes=64,mode=0700"))
    second = kernel.dropping_capabilities()
    second.append(kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1))
    second += [kernel.limit(number, bound) for number, bound in bounds(limits)]
    if rules >= 0:
        second.append(landlock.restricting(rules))
    program = seccomp.job_filter(machine)
    code = ctypes.create_string_buffer(program, len(program))
    return Walls(
        namespaces, box, rules, tuple(first), tuple(second), code, seccomp.own_pid_at(program),
        kernel.loading_seccomp(code),
    )  # fmt: skip
