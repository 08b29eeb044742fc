"""Small attacks that every boundary has to stop before it is trusted with a student's notebook.

They are carried out, not looked up: a kernel version, a build option or a container's policy says what ought
to hold, an attempt says what does. Each attack is a cell that leaves a word for how it went.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .steps import Cell, Value


@dataclass(frozen=True)
class Attack:
    """Source that sets `breach` if it got through; an exception means that it was stopped."""

    name: str
    source: str
    says: str  # the sentence for somebody whose machine let it through
    tiers: tuple[str, ...] = ("1", "1b", "2")


@contextlib.contextmanager
def targets(memory_bytes: int) -> Iterator[list[Attack]]:
    """Attacks on things that exist and would answer: a file, two listening sockets, this very process."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="canary-"))
        os.chmod(folder, 0o755)
        canary = Path(folder) / "canary"
        canary.write_text("sings")
        canary.chmod(0o644)
        inet = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        unix = stack.enter_context(socket.socket(socket.AF_UNIX))
        unix.bind(str(Path(folder) / "socket"))
        os.chmod(Path(folder) / "socket", 0o777)
        unix.listen()
        yield _attacks(str(canary), inet.getsockname()[1], str(Path(folder) / "socket"), memory_bytes)


def _attacks(canary: str, port: int, unix_path: str, memory_bytes: int) -> list[Attack]:
    connect_unix = f"s = socket.socket(socket.AF_UNIX); s.connect({unix_path!r})"
    connect_inet = f"s = socket.create_connection(('127.0.0.1', {port}), 1)"
    clone = "pid = libc.syscall({'x86_64': 57}.get(os.uname().machine, 220), 17, 0, 0, 0, 0)"
    return [
        Attack("read", f"breach = open({canary!r}).read() == 'sings'", "read a file that was not its own"),
        Attack("write", "open('made', 'w').write('x'); breach = True", "wrote a file"),
        Attack("inet", f"import socket; {connect_inet}; breach = True", "reached a network socket"),
        Attack("unix", f"import socket; {connect_unix}; breach = True", "reached a Unix socket"),
        Attack(
            "signal",
            f"import os; os.kill({os.getpid()}, 0); breach = True",
            "could send a signal to the grader",
        ),
        Attack(
            "parent",
            "import os; os.kill(os.getppid(), 0); breach = True",
            "could send a signal to its parent",
        ),
        Attack("fork", "import os; pid = os.fork() or os._exit(0); breach = True", "started a process"),
        Attack(
            "raw fork",
            f"import ctypes, os; libc = ctypes.CDLL(None); {clone}\nif pid == 0: libc._exit(0)\nbreach = pid > 0",
            "started a process by a bare system call",
        ),
        Attack(
            "exec", "import os, sys; os.execv(sys.executable, ['python', '-c', '']); breach = True", "started a program"
        ),
        Attack(
            "memory",
            f"import mmap; mmap.mmap(-1, {memory_bytes}).close(); breach = True",
            "took more memory than its limit",
        ),
        Attack(
            "limits",
            "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); breach = True",
            "could change its own limits",
        ),
        Attack("listing", "import os; breach = bool(os.listdir('/'))", "listed the root directory", ("1", "2")),
    ]


def steps_for(attacks: list[Attack]) -> list[Cell | Value]:
    """One job with all attacks, and after each the variable that tells."""
    steps: list[Cell | Value] = []
    for attack in attacks:
        steps.append(Cell(f"{attack.name}: try", "breach = False\n" + attack.source))
        steps.append(Value(attack.name, "breach"))
    return steps
