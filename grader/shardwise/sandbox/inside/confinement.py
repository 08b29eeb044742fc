"""Confinement of a job's process: its own mounts, no capabilities, resource limits, Landlock and a system-call filter."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from . import landlock, seccomp, system_calls
from .resource_limits import set_limits
from .shared_memory import EXIT_BROKEN

_BOX_OPTIONS = "size=1m,nr_inodes=64,mode=0700"  # small, because nothing can be written there anyway


@dataclass(frozen=True)
class Confinement:
    """The data that a job's process needs to confine itself, created by the server and used by each job."""

    namespaces: bool
    box: str  # where a job mounts its own tmpfs as its working directory
    ruleset: int  # Landlock's; -1 for none
    limits: Mapping[str, int]  # with the names of Python's resource module
    filter: bytes  # seccomp's, before the process's own id is inserted

    def apply(self, server_pid: int) -> None:
        """Confine this process permanently. Raises OSError unless every part took effect."""
        system_calls.prctl(system_calls.PR_SET_PDEATHSIG, signal.SIGKILL)
        if self.namespaces:
            flags = system_calls.MS_NOSUID | system_calls.MS_NODEV | system_calls.MS_NOEXEC
            system_calls.mount("none", "/", None, system_calls.MS_REC | system_calls.MS_PRIVATE)
            system_calls.mount("tmpfs", self.box, "tmpfs", flags, _BOX_OPTIONS)
            os.chdir(self.box)
        elif os.getppid() != server_pid:  # the server died before this process could ask to be killed with it
            os._exit(EXIT_BROKEN)
        system_calls.drop_capabilities()
        system_calls.prctl(system_calls.PR_SET_NO_NEW_PRIVS, 1)
        set_limits(self.limits)
        if self.ruleset >= 0:
            landlock.restrict(self.ruleset)
            os.close(self.ruleset)
        system_calls.install_filter(seccomp.for_process(self.filter, os.getpid()))
