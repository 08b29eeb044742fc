"""Starting a fork server in one of the tiers of isolation."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import os
import platform
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from . import bubblewrap
from .backend import SandboxUnavailable
from .bubblewrap import NOBODY
from .inside import seccomp
from .inside.messages import MESSAGE_BYTES, Greeting, read_greeting
from .interpreter import ENVIRONMENT, inner_command
from .job import Limits
from .layout import Layout, layout, readable_paths

_START_SECONDS = 20.0  # usually 0.3, but importing numpy from a cold disk can take long
_KILL_SECONDS = 5.0  # until a process that was killed has ended; usually a hundredth of one

# Users for servers at tier 2: above those of systemd's containers and SSSD's domains (to 2000200000), below
# systemd's foreign ones (from 2147352576); systemd.io/UIDS-GIDS and sssd-ad(5), 2025.
_FIRST_OWN_USER, _OWN_USERS = 0x78000000, 2**26


@dataclass(frozen=True)
class Plan:
    """A way to start a server: the tier, and whether root becomes nobody first.

    Where nobody can read the interpreter, tier 2 may still open files with the rights of its owner.
    """

    tier: str
    become_nobody: bool
    reads_as_owner: bool = False


@dataclass(frozen=True)
class Server:
    """A running fork server. Of the processes that hold it, one may use it: that which began it, or one forked from that."""

    process: subprocess.Popen[bytes]
    watched: int  # a descriptor by which any process, and not its parent alone, knows whether it runs (pidfd_open)
    control: socket.socket
    greeting: Greeting

    def has_ended(self) -> bool:
        """Whether its process runs no more."""
        return _ends(self.watched, 0)

    def stop(self) -> None:
        """Close the control socket, which ends the server, and make sure."""
        self.control.close()
        _kill(self.process, self.watched, patience=0.5)


class Starting:
    """A server that was begun. It gets ready by itself; who waits for it may be a process that was forked meanwhile."""

    def __init__(self, plan: Plan, limits: Limits, *, numpy: bool = False) -> None:
        """Begin to start a server. Raises SandboxUnavailable when that cannot even be tried."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs, contextlib.ExitStack() as stack:
                self._stderr = stack.enter_context(tempfile.TemporaryFile())
                command = stack.enter_context(_command(plan, limits, theirs, numpy))
                self._process = _popen(command, self._stderr)
                self._watched = _descriptor_of(self._process)
                self._needed = stack.pop_all()
        except BaseException:
            self._control.close()
            raise

    def ready(self) -> Server:
        """Wait until it is ready. Raises SandboxUnavailable with the last line of its stderr."""
        with self._needed:
            greeting = _greeting(self._control)
            if greeting is not None:
                return Server(self._process, self._watched, self._control, greeting)
            _kill(self._process, self._watched)
            self._control.close()
            self._stderr.seek(0)
            raise SandboxUnavailable(_last_line(self._stderr.read()))

    def hand_over(self) -> None:
        """Give it up to a process that was forked from this one. It ends when that one does, so this one closes its end of the socket."""
        self._control.close()

    def end(self) -> None:
        """Kill the server, whichever process uses it, and delete what it needed to start."""
        self._control.close()
        self._needed.close()
        _kill(self._process, self._watched)


def start(plan: Plan, limits: Limits, *, numpy: bool = False) -> Server:
    """Start a server and wait until it is ready. Raises SandboxUnavailable with the last line of its stderr."""
    return Starting(plan, limits, numpy=numpy).ready()


def _descriptor_of(process: subprocess.Popen[bytes]) -> int:
    try:
        return os.pidfd_open(process.pid)
    except OSError as error:
        process.kill()
        process.wait()
        remedy = "Linux 5.3 or newer has them, unless a container forbids them."
        raise SandboxUnavailable(f"this system has no descriptors of processes: {error}", remedy) from None


def _kill(process: subprocess.Popen[bytes], watched: int, patience: float = 0.0) -> None:
    """Kill a process that has not ended by itself within so many seconds; `watched` is of no use afterwards."""
    if not _ends(watched, patience):
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(watched, signal.SIGKILL)
        _ends(watched, _KILL_SECONDS)
    os.close(watched)
    process.wait()  # a zombie is its parent's; another process is told so at once


def _ends(watched: int, seconds: float) -> bool:
    poller = select.poll()
    poller.register(watched, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


@dataclass(frozen=True)
class _Command:
    arguments: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...]
    identity: dict[str, Any]


@contextlib.contextmanager
def _command(plan: Plan, limits: Limits, control: socket.socket, numpy: bool) -> Iterator[_Command]:
    machine = platform.machine()
    if machine not in seccomp.MACHINES:
        raise SandboxUnavailable(f"system-call filters are written for {seccomp.MACHINES}, not for {machine}")
    if plan.tier == "2":
        yield _without_namespaces(plan, limits, control, machine, numpy)
        return
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap (the program bwrap) is not installed")
    seen = layout(moved=True)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), tempfile.TemporaryDirectory(prefix="root-") as root:
        os.write(writing, seccomp.server_filter(machine))
        os.close(writing)
        inner = _server_command(plan.tier, seen, _rlimits(limits), control, machine, bubblewrap.BOX, numpy)
        if plan.become_nobody:
            arguments = bubblewrap.command_as_root(bwrap, reading, seen, inner, root)
        else:
            arguments = bubblewrap.command(bwrap, reading, seen, inner)
        yield _Command(arguments, ENVIRONMENT, (control.fileno(), reading), {})


def _without_namespaces(plan: Plan, limits: Limits, control: socket.socket, machine: str, numpy: bool) -> _Command:
    seen = layout(moved=False)
    user = _user_of_its_own() if plan.become_nobody else os.geteuid()
    # The limit counts every thread of the user on this machine, for there is no namespace to count within.
    rlimits = _rlimits(limits, others=_threads_of(user))
    become, identity = dict[str, int](), dict[str, Any]()
    if plan.reads_as_owner:
        become = {"user": user, "group": NOBODY, "reader": os.stat(seen.inside).st_uid}
    elif plan.become_nobody:
        identity = {"user": user, "group": NOBODY, "extra_groups": []}
    inner = _server_command("2", seen, rlimits, control, machine, "", numpy, become)
    return _Command(inner, ENVIRONMENT, (control.fileno(),), identity)


def _user_of_its_own() -> int:
    """A user of whom nothing else runs here, so that the jobs of other servers do not count against this server's limit.

    `nobody`, where a container has no such users.
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
    machine: str,
    box: str,
    numpy: bool,
    become: Mapping[str, int] | None = None,
) -> list[str]:
    readable, listable = readable_paths(seen)
    config = {
        "tier": tier,
        "control": control.fileno(),
        "machine": machine,
        "packages": seen.packages,
        "readable": readable,
        "listable": [*listable, *([os.path.dirname(box)] if box else [])],
        "box": box,
        "numpy": numpy,
        "limits": rlimits,
        "become": become,
    }
    return inner_command(seen.python, seen.inside, "server", config)


def _rlimits(limits: Limits, *, others: int = 0) -> dict[str, int]:
    """Resource limits. A job without fork, memfd and writable files has its memory bounded by its address space."""
    return {
        "AS": limits.memory_bytes,
        "CPU": limits.cpu_seconds,
        "FSIZE": 0,
        "NOFILE": limits.files,
        "NPROC": limits.processes + others,
        "STACK": 8 * 2**20,  # of a thread, too
        "CORE": 0,
    }


def _threads_of(user: int) -> int:
    count = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += len(os.listdir(f"/proc/{entry.name}/task"))
    return count


@functools.cache
def _starter(_process: int) -> concurrent.futures.Executor:
    return concurrent.futures.ThreadPoolExecutor(1, "sandbox-starter")


def _popen(command: _Command, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the server from a thread that lives as long as this process: the main one, or one of our own.

    A server dies with the thread that started it (PR_SET_PDEATHSIG means threads), and another thread that opens a sandbox may
    end long before the sandbox is closed.
    """

    def popen() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command.arguments,
            env=command.environment,
            pass_fds=command.descriptors,
            stdin=subprocess.DEVNULL,
            stdout=stderr,
            stderr=stderr,
            cwd="/",
            start_new_session=True,
            **command.identity,
        )

    try:
        if threading.current_thread() is threading.main_thread():
            return popen()
        return _starter(os.getpid()).submit(popen).result()
    except OSError as error:
        raise SandboxUnavailable(f"the server did not start: {error}") from None
    except RuntimeError as error:  # the interpreter is ending, and takes no more work: nobody needs a server now
        raise SandboxUnavailable(f"the server was not started: {error}") from None


def _greeting(control: socket.socket) -> Greeting | None:
    control.settimeout(_START_SECONDS)
    try:
        data = control.recv(MESSAGE_BYTES)
    except (OSError, TimeoutError):
        return None
    return read_greeting(data) if data else None


def _last_line(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else f"the server ended without a word ({sys.platform})"
