"""The walls of a job: prepared once by the server, put up by each job around itself."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from . import kernel, landlock, seccomp
from .limits import set_limits
from .region import EXIT_BROKEN

_BOX_OPTIONS = "size=1m,nr_inodes=64,mode=0700"  # enough for a working directory in which nothing can be written anyway


@dataclass(frozen=True)
class Walls:
    """What a job's process needs to wall itself in."""

    namespaces: bool
    box: str  # the directory to mount a job's own tmpfs on
    rules: int  # a Landlock ruleset, -1 for none
    limits: Mapping[str, int]  # as Python's resource module names them
    filter: bytes

    def put_up(self, server_pid: int) -> None:
        """OSError unless every wall stands."""
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        if self.namespaces:
            flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
            kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
            kernel.mount("tmpfs", self.box, "tmpfs", flags, _BOX_OPTIONS)
            os.chdir(self.box)
        elif os.getppid() != server_pid:  # it died before the first call
            os._exit(EXIT_BROKEN)
        kernel.drop_capabilities()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        set_limits(self.limits)
        if self.rules >= 0:
            landlock.restrict(self.rules)
            os.close(self.rules)
        kernel.install_filter(seccomp.for_process(self.filter, os.getpid()))
