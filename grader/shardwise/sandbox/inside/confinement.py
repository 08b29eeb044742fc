"""Confining a job's process: its own mounts, no capabilities, resource limits, Landlock and a system-call filter."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from . import landlock, seccomp, system_calls
from .resource_limits import set_limits
from .shared_memory import EXIT_BROKEN

_BOX_OPTIONS = "size=1m,nr_inodes=64,mode=0700"  # small: nothing can be written there anyway


@dataclass(frozen=True)
class Confinement:
    """What a job's process needs to confine itself. Made by the server, used by each job."""

    namespaces: bool
    box: str  # where a job mounts a tmpfs of its own, to be its working directory
    ruleset: int  # of Landlock; -1 for none
    limits: Mapping[str, int]  # as Python's resource module names them
    filter: bytes  # of seccomp, before the process's own number is in it

    def apply(self, server_pid: int) -> None:
        """Confine this process for good. OSError unless every part took effect."""
        system_calls.prctl(system_calls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if self.namespaces:
            flags = system_calls.MS_NOSUID | system_calls.MS_NODEV | system_calls.MS_NOEXEC
            system_calls.mount("none", "/", None, system_calls.MS_REC | system_calls.MS_PRIVATE)
            system_calls.mount("tmpfs", self.box, "tmpfs", flags, _BOX_OPTIONS)
            os.chdir(self.box)
        elif os.getppid() != server_pid:  # the server died before this process asked to be killed with it
            os._exit(EXIT_BROKEN)
        system_calls.drop_capabilities()
        system_calls.prctl(system_calls.PR_SET_NO_NEW_PRIVS, 1)
        set_limits(self.limits)
        if self.ruleset >= 0:
            landlock.restrict(self.ruleset)
            os.close(self.ruleset)
        system_calls.install_filter(seccomp.for_process(self.filter, os.getpid()))
