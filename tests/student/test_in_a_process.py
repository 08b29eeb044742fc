"""Misbehaving programs in a separate process: the kernel never runs their output, and nothing of them is left behind."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shardwise.kinds.calls import Call, Made
from shardwise.student.running.in_a_thread import run_limited

PATIENCE = 30.0  # seconds, on a busy machine


def called(program: str, *values: int) -> list[Call]:
    return list(run_limited(program, "f", [{"x": value} for value in values], seconds=PATIENCE))


class Held:
    """A named pipe, which a process holds open for writing until it ends."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "held"
        os.mkfifo(self.path)
        self._reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def is_let_go(self) -> bool:
        """Wait for the next write, and return whether no writer is left."""
        assert select.select([self._reader], [], [], PATIENCE)[0]
        return os.read(self._reader, 1) == b""


def test_a_program_that_forks_is_answered_once_for_each_call() -> None:
    for source in ("import os\ndef f(x):\n    os.fork()\n    return x", "import os\nos.fork()\ndef f(x): return x"):
        assert called(source, 1, 2, 3) == [Made("returned", 1), Made("returned", 2), Made("returned", 3)]


@pytest.mark.parametrize(
    "starts",
    [
        "import os\nif os.fork() == 0: time.sleep(60)",
        "import subprocess\nsubprocess.Popen(['sleep', '60'], close_fds=False)",
    ],
)
def test_what_a_program_has_started_ends_with_it(starts: str, tmp_path: Path) -> None:
    held = Held(tmp_path)
    opens = f"import os, time\nos.set_inheritable(os.open({str(held.path)!r}, os.O_WRONLY), True)"
    assert called(f"{opens}\n{starts}\ndef f(x): return x", 1) == [Made("returned", 1)]
    assert held.is_let_go()


def test_a_program_ends_when_the_kernel_is_killed(tmp_path: Path) -> None:
    held = Held(tmp_path)
    source = f"held = open({str(held.path)!r}, 'w')\ndef f(x):\n    held.write('x'), held.flush()\n    while True: pass"
    kernel = f"from shardwise.student.running.in_a_thread import run_limited; run_limited({source!r}, 'f', [{{'x': 1}}], seconds=60.0)"
    process = subprocess.Popen([sys.executable, "-c", kernel])
    assert not held.is_let_go()
    process.kill()
    process.wait()
    assert held.is_let_go()


BOOBY_TRAPS = {
    "a value that lies about its class": "class E:\n        n = 0\n        @property\n        def __class__(self):\n"
    "            self.n += 1\n            return int if self.n > 5 else E\n        __reduce__ = trap\n    return E()",
    "a key that is a text of its own class": "class E(str):\n        __str__ = lambda self: self\n        __reduce__ = trap\n    return {E('a'): 1}",
    "a text of its own class that prints a value": "class R(str):\n        __reduce_ex__ = trap\n        replace = lambda self, *_: self\n"
    "    class E:\n        __repr__ = lambda self: R('a')\n    return E()",
    "an error's name": "class N:\n        __reduce__ = trap\n    class M(type):\n        __name__ = property(lambda _: N())\n"
    "    class E(Exception, metaclass=M): pass\n    raise E()",
    "bytes of its own": "import pickle\n    class E:\n        __reduce__ = trap\n    for to in range(3, 12):\n"
    "        try: os.write(to, pickle.dumps(E()))\n        except OSError: pass\n    return x",
}  # fmt: skip


@pytest.mark.parametrize("body", BOOBY_TRAPS.values(), ids=BOOBY_TRAPS)
def test_nothing_that_a_source_returns_runs_in_the_kernel(body: str, tmp_path: Path) -> None:
    sprung = tmp_path / "sprung"
    source = f"import os\ntrap = lambda *_: (os.mkdir, ({str(sprung)!r},))\ndef f(x):\n    {body}"
    (call,) = called(source, 1)
    assert not sprung.exists()
    assert call.status in ("returned", "raised", "killed") and type(call.error) is str


def test_a_value_that_is_too_large_is_not_taken_in() -> None:
    assert called("def f(x): return 'a' * 20_000_000", 1) == [
        Made("unreadable", error="more than 10 MB"),
    ]


def test_a_folder_that_was_deleted_keeps_no_program_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert called("def f(x): return x", 1) == [Made("returned", 1)]


def test_what_a_program_starts_in_a_session_of_its_own_keeps_nobody_waiting() -> None:
    source = "import os, threading, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\n    os._exit(0)\n"
    thread = "threading.Thread(target=time.sleep, args=(20,)).start()\n"
    began = time.monotonic()
    assert called(f"{source}{thread}def f(x): return x", 1) == [Made("returned", 1)]
    assert time.monotonic() - began < 15


def test_a_program_that_ends_itself_did_not_run_out_of_time() -> None:
    (call,) = called("import os\ndef f(x): os._exit(1)", 1)
    assert call.status == "killed"
