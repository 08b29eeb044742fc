"""Launching a fork server in one of the tiers of isolation."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from . import bubblewrap
from .backend import SandboxUnavailable
from .bubblewrap import NOBODY
from .inside import seccomp
from .inside.messages import MESSAGE_BYTES, Greeting
from .interpreter import ENVIRONMENT, inner_command
from .job import Limits
from .layout import Layout, layout, readable_paths

_START_SECONDS = 20.0  # usually 0.3, but importing numpy from a cold disk can take much longer

# Users for servers at tier 2: above those of systemd's containers and SSSD's domains (to 2000200000), below
# systemd's foreign ones (from 2147352576); systemd.io/UIDS-GIDS and sssd-ad(5), 2025.
_FIRST_OWN_USER, _OWN_USERS = 0x78000000, 2**26


@dataclass(frozen=True)
class Plan:
    """A way to start a server: the tier, and whether root becomes nobody first.

    If the user `nobody` cannot read the interpreter, tier 2 may open files with the permissions of the interpreter's owner.
    """

    tier: str
    become_nobody: bool
    reads_as_owner: bool = False


@dataclass(frozen=True)
class Server:
    """A running fork server."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    greeting: Greeting

    def stop(self) -> None:
        """Close the control socket, which ends the server, and make sure that it ends."""
        self.control.close()
        _kill(self.process, patience=0.5)


def start(plan: Plan, limits: Limits) -> Server:
    """Start a server and wait until it is ready. Raises SandboxUnavailable with the last line of its stderr."""
    control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        with tempfile.TemporaryFile() as stderr, _command(plan, limits, theirs) as command:
            process = _popen(command, stderr)
            theirs.close()  # so that a failing server is noticed at once
            greeting = _greeting(control)
            if greeting is not None:
                return Server(process, control, greeting)
            _kill(process)
            stderr.seek(0)
            raise SandboxUnavailable(_last_line(stderr.read()))
    except BaseException:
        control.close()
        raise
    finally:
        theirs.close()


def _kill(process: subprocess.Popen[bytes], patience: float = 0.0) -> None:
    """Kill a process unless it ends by itself within `patience` seconds."""
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def _command(plan: Plan, limits: Limits, control: socket.socket) -> Iterator[Mapping[str, Any]]:
    """Yield the arguments of Popen that start a server with this plan."""
    machine = platform.machine()
    if machine not in seccomp.MACHINES:
        raise SandboxUnavailable(f"system-call filters exist only for {seccomp.MACHINES}, not for {machine}")
    if plan.tier == "2":
        yield _without_namespaces(plan, limits, control)
        return
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap (the program bwrap) is not installed")
    seen = layout(moved=True)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), tempfile.TemporaryDirectory(prefix="root-") as root:
        os.write(writing, seccomp.server_filter(machine))
        os.close(writing)
        inner = _server_command(plan.tier, seen, _rlimits(limits), control, bubblewrap.BOX)
        if plan.become_nobody:
            arguments = bubblewrap.command_as_root(bwrap, reading, seen, inner, root)
        else:
            arguments = bubblewrap.command(bwrap, reading, seen, inner)
        yield {"args": arguments, "pass_fds": (control.fileno(), reading)}


def _without_namespaces(plan: Plan, limits: Limits, control: socket.socket) -> dict[str, Any]:
    seen = layout(moved=False)
    user = _user_of_its_own() if plan.become_nobody else os.geteuid()
    # Without a namespace, the limit counts every thread of the user on this machine.
    rlimits = _rlimits(limits, others=_threads_of(user))
    become, identity = dict[str, int](), dict[str, Any]()
    if plan.reads_as_owner:
        become = {"user": user, "group": NOBODY, "reader": os.stat(seen.inside).st_uid}
    elif plan.become_nobody:
        identity = {"user": user, "group": NOBODY, "extra_groups": []}
    inner = _server_command("2", seen, rlimits, control, "", become)
    return {"args": inner, "pass_fds": (control.fileno(),), **identity}


def _user_of_its_own() -> int:
    """Return a user without other processes here, so that other servers' jobs do not count against this server's limit.

    That is `nobody` if a container has no such users.
    """
    user = _FIRST_OWN_USER + int.from_bytes(os.urandom(4), "little") % _OWN_USERS
    with open("/proc/self/uid_map") as lines:
        ranges = [[int(word) for word in line.split()] for line in lines]
    return user if any(first <= user < first + length for first, _, length in ranges) else NOBODY


def _server_command(
    tier: str,
    seen: Layout,
    rlimits: dict[str, int],
    control: socket.socket,
    box: str,
    become: Mapping[str, int] | None = None,
) -> list[str]:
    readable, listable = readable_paths(seen)
    config = {
        "tier": tier,
        "control": control.fileno(),
        "packages": seen.packages,
        "readable": readable,
        "listable": [*listable, *([os.path.dirname(box)] if box else [])],
        "box": box,
        "limits": rlimits,
        "become": become,
    }
    return inner_command(seen.python, seen.inside, "server", config)


def _rlimits(limits: Limits, *, others: int = 0) -> dict[str, int]:
    """Return the resource limits. Without fork, memfd and writable files, the address space limits a job's memory."""
    return {
        "AS": limits.memory_bytes,
        "CPU": limits.cpu_seconds,
        "FSIZE": 0,
        "NOFILE": limits.files,
        "NPROC": limits.processes + others,
        "STACK": 8 * 2**20,  # also for threads
        "CORE": 0,
    }


def _threads_of(user: int) -> int:
    count = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += len(os.listdir(f"/proc/{entry.name}/task"))
    return count


def _popen(command: Mapping[str, Any], stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    nowhere = subprocess.DEVNULL
    try:
        return subprocess.Popen(
            **command,
            env=ENVIRONMENT,
            stdin=nowhere,
            stdout=stderr,
            stderr=stderr,
            cwd="/",
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxUnavailable(f"the server did not start: {error}") from None


def _greeting(control: socket.socket) -> Greeting | None:
    control.settimeout(_START_SECONDS)
    try:
        data = control.recv(MESSAGE_BYTES)
    except (OSError, TimeoutError):
        return None
    return Greeting(*json.loads(data)) if data else None


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else f"the server ended without a message ({sys.platform})"
