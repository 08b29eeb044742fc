"""The self-test: small attacks that isolation has to stop before it is trusted with a student's notebook.

The attacks are real: a kernel's version or a container's policy says what should be impossible, but only an attempt shows what
is. Each attack is a cell that sets the variable `breach`.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .job import Cell, Limits, Value

_MANY = 16  # times the limit on processes; while other threads of the user end, slightly more than the limit can start


@dataclass(frozen=True)
class Attack:
    """An attack: source that sets `breach` to True if it succeeds; an exception means that it was stopped."""

    name: str
    source: str
    says: str  # completes the sentence "sandboxed code …" if the attack succeeded
    tiers: tuple[str, ...] = ("1", "1b", "2")


@contextlib.contextmanager
def targets(limits: Limits) -> Iterator[list[Attack]]:
    """Yield the attacks, with real targets: a file, two listening sockets, and this process."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="canary-", dir=_place_for_a_socket()))
        os.chmod(folder, 0o755)
        canary = Path(folder) / "canary"
        canary.write_text("sings")
        canary.chmod(0o644)
        inet = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(Path(folder) / "socket"))
        os.chmod(Path(folder) / "socket", 0o777)
        unix.listen()
        yield _attacks(str(canary), inet.getsockname()[1], str(Path(folder) / "socket"), limits)


def _place_for_a_socket() -> str:
    """Return a folder for temporary files whose path is short: the path of a Unix socket has at most 107 bytes."""
    usual = tempfile.gettempdir()
    short = (
        place for place in (usual, "/tmp", "/var/tmp") if len(os.fsencode(place)) < 80 and os.access(place, os.W_OK)
    )
    return next(short, usual)


def _attacks(canary: str, port: int, unix_path: str, limits: Limits) -> list[Attack]:
    connect_unix = f"s = socket.socket(socket.AF_UNIX); s.connect({unix_path!r})"
    connect_inet = f"s = socket.create_connection(('127.0.0.1', {port}), 1)"
    stacks = "import _thread; _thread.stack_size(32768)"  # small, because otherwise memory would run out first
    gate = "gate = _thread.allocate_lock(); gate.acquire()"
    threads = f"for _ in range({_MANY * limits.processes}): _thread.start_new_thread(gate.acquire, ())"
    clone = "pid = libc.syscall({'x86_64': 57}.get(os.uname().machine, 220), 17, 0, 0, 0, 0)"
    return [
        Attack("read", f"breach = open({canary!r}).read() == 'sings'", "read a file that was not its own"),
        Attack("write", "open('made', 'w').write('x'); breach = True", "wrote a file"),
        Attack("inet", f"import socket; {connect_inet}; breach = True", "reached a network socket"),
        Attack("unix", f"import socket; {connect_unix}; breach = True", "reached a Unix socket"),
        Attack(
            "signal",
            f"import os; os.kill({os.getpid()}, 0); breach = True",
            "sent a signal to the grader",
        ),
        Attack(
            "parent",
            "import os; os.kill(os.getppid(), 0); breach = True",
            "sent a signal to its parent",
        ),
        Attack("fork", "import os; pid = os.fork() or os._exit(0); breach = True", "started a process"),
        Attack(
            "raw fork",
            f"import ctypes, os; libc = ctypes.CDLL(None); {clone}\nif pid == 0: libc._exit(0)\nbreach = pid > 0",
            "started a process with a raw system call",
        ),
        Attack(
            "exec", "import os, sys; os.execv(sys.executable, ['python', '-c', '']); breach = True", "started a program"
        ),
        Attack(
            "memory",
            f"import mmap; mmap.mmap(-1, {limits.memory_bytes}).close(); breach = True",
            "allocated more memory than its limit",
        ),
        Attack(
            "limits",
            "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); breach = True",
            "changed its own limits",
        ),
        Attack("listing", "import os; breach = bool(os.listdir('/'))", "listed the root directory", ("1", "2")),
        # Last, because its threads live until the job ends, and with them a fork fails even if nothing else prevents it.
        Attack("threads", f"{stacks}; {gate}\n{threads}\nbreach = True", "started more threads than its limit"),
    ]


def steps_for(attacks: list[Attack]) -> list[Cell | Value]:
    """Return a job with all attacks, which fetches the variable `breach` after each."""
    steps: list[Cell | Value] = []
    for attack in attacks:
        steps.append(Cell(f"{attack.name}: try", "breach = False\n" + attack.source))
        steps.append(Value(attack.name, "breach"))
    return steps
