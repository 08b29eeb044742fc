"""A student's function in practice: it is stopped in time and silently, and the kernel lives on."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import __main__
from checkout import fresh_session
from drawing import every_sixth_at_once
from shardwise.kinds.calls import Call, Made, run_here
from shardwise.question import Outcome
from shardwise.student import api
from shardwise.student.running import in_a_process
from shardwise.student.running import in_a_thread as limited
from shardwise.student.running.in_a_thread import run_limited

LIMIT = 0.2  # seconds; students have two
PATIENCE = LIMIT + limited._REACTION + 20  # for one unresponsive call, on a busy machine


@pytest.fixture(autouse=True)
def _nothing_is_said_behind_the_students_back(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[None]:
    """Check that no thread ends with a traceback, and that nothing is printed."""
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    yield
    assert raised == []
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "")


def called(program: Callable[..., Any] | str, *values: Any, seconds: float = LIMIT) -> list[Call]:
    return list(run_limited(program, "f", [{"x": value} for value in values], seconds=seconds, loading=5.0))


def statuses(program: Callable[..., Any] | str, *values: Any, seconds: float = LIMIT) -> list[str]:
    return [call.status for call in called(program, *values, seconds=seconds)]


def works() -> bool:
    """Return whether the next answer is marked as if nothing had happened."""
    return [call.value for call in called(lambda x: 2 * x, 1, 2, 3)] == [2, 4, 6]


# What comes back ------------------------------------------------------------------------------------------------------


def test_every_call_comes_back_in_order() -> None:
    def f(x: int) -> int:
        if x == 2:
            raise ValueError("not 2")
        return x * x

    assert called(f, 1, 2, 3) == [Made("returned", 1), Made("raised", error="ValueError: not 2"), Made("returned", 9)]
    assert called(f) == []


@pytest.mark.parametrize(
    "program",
    [
        "def f(x): return x + 1",
        "def f(x):\n    exit()",
        "def f(renamed): return renamed + 1",
        "def g(x): return 1",
        "f = 7",
        "raise SystemExit\ndef f(x): return 1",
        "def f(x): return f(x)",
        "import numpy as np\ndef f(x): return np.float64(x)",
        "def f(x, y): return 1",
        "class Odd(Exception):\n    def __str__(self): raise ValueError\ndef f(x): raise Odd",
    ],
)
def test_a_call_is_what_it_is_without_a_limit(program: str) -> None:
    assert called(program, 1, 2) == run_here(program, "f", [{"x": 1}, {"x": 2}])


def test_what_a_function_prints_is_swallowed(capfd: pytest.CaptureFixture[str]) -> None:
    source = "import sys\nprint('at once')\ndef f(x):\n    print('x' * 10**6)\n    print('no', file=sys.stderr)\n    return x"
    assert called(source, 1, 2) == [Made("returned", 1), Made("returned", 2)]
    assert capfd.readouterr() == ("", "")
    print("and afterwards printing works")
    assert capfd.readouterr().out == "and afterwards printing works\n"


# What takes too long --------------------------------------------------------------------------------------------------

IN_C = {
    "a sum": "sum(range(10**12))",
    "a regular expression": "import re\n    re.match('(a+)+b', 'a' * 60)",
    "a sleep": "import time\n    time.sleep(60)",
    "a lock": "import threading\n    x = threading.Lock()\n    x.acquire()\n    x.acquire()",
}


@pytest.mark.parametrize("body", IN_C.values(), ids=IN_C)
def test_a_source_that_computes_in_c_is_stopped_in_time(body: str) -> None:
    start = time.monotonic()
    assert called(f"def f(x):\n    {body}", 1) == [Made("timeout")]
    assert time.monotonic() - start < PATIENCE
    assert statuses("def f(x): return x", 1) == ["returned"]


def test_a_source_that_wants_all_memory_does_not_get_it() -> None:
    (call,) = called("def f(x): return len('a' * 10**11)", 1, seconds=5.0)
    assert (call.status, call.error) == ("raised", "MemoryError")


@pytest.mark.parametrize(
    "body", ["import os; os._exit(0)", "import os; os.abort()", "import os, signal; os.kill(os.getpid(), 9)"]
)
def test_a_source_that_ends_its_process_ends_no_more_than_that(body: str) -> None:
    source = f"def f(x):\n    if x == 2: {body}\n    return x"
    assert statuses(source, 1, 2, 3, seconds=5.0) == ["returned", "killed", "returned"]
    assert statuses(f"{body}\ndef f(x): return x", 1, 2, seconds=5.0) == ["killed", "skipped"]


ENDLESS = {
    "a loop": "while True: pass",
    "a loop that catches what it can": "while True:\n        try: x += 1\n        except Exception: pass",
    "a loop that catches an exit, too": "while True:\n        try: x += 1\n        except (Exception, SystemExit): pass",
    "a loop of calls": "while True: len('a')",
    "a recursion without end": "for _ in iter(int, 1):\n        [0] * 10",
    "a comprehension": "sum(1 for _ in iter(int, 1))",
    "a value that prints without end": "class X:\n        def __repr__(self):\n            while True: pass\n    return [X()]",
}  # fmt: skip


@pytest.mark.parametrize("body", every_sixth_at_once(list(ENDLESS.values())), ids=ENDLESS)
def test_what_does_not_end_is_stopped(body: str) -> None:
    before = set(threading.enumerate())
    start = time.monotonic()
    assert called(f"def f(x):\n    {body}", 1) == [Made("timeout")]
    assert LIMIT <= time.monotonic() - start < PATIENCE
    assert works()
    no_more_than(before)


def no_more_than(before: set[threading.Thread]) -> None:
    """Wait until all other threads have ended."""
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive()


def test_after_two_that_take_too_long_the_rest_is_skipped() -> None:
    source = "def f(x):\n    while x % 2 == 0: pass\n    return x"
    start = time.monotonic()
    assert statuses(source, 1, 2, 3, 4, 5, 6, 7) == ["returned", "timeout", "returned", "timeout", *["skipped"] * 3]
    assert time.monotonic() - start < PATIENCE
    assert works()


def test_a_loop_that_catches_everything_does_not_hang_the_caller() -> None:
    stop = threading.Event()  # so that the test leaves no loop behind

    def f(x: int) -> None:
        while not stop.is_set():
            with contextlib.suppress(BaseException):
                stop.wait(0.001)

    try:
        start = time.monotonic()
        assert statuses(f, 1, 2, 3) == ["timeout", "skipped", "skipped"]
        assert time.monotonic() - start < PATIENCE
        assert works()
    finally:
        stop.set()


# An interrupt ---------------------------------------------------------------------------------------------------------


def interrupted() -> None:
    """Press the stop button of the notebook while the function runs."""
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass


def test_an_interrupt_is_the_callers_and_ends_the_function() -> None:
    threads: list[threading.Thread] = []

    def f(x: int) -> None:
        threads.append(threading.current_thread())
        interrupted()

    with pytest.raises(KeyboardInterrupt):
        called(f, 1, 2, seconds=30)
    (thread,) = threads
    thread.join(5)
    assert not thread.is_alive()
    assert len(threads) == 1  # the second call was not made
    assert works()


def test_a_check_that_is_interrupted_says_so_and_the_next_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_SESSION", fresh_session())

    def ring_all_reduce_ms(**_: Any) -> None:
        interrupted()

    made = api.check("ring-time-function", ring_all_reduce_ms)
    assert isinstance(made, api.Message)
    assert made.markdown == "Stopped. This answer was not marked."
    again = api.check("ring-time-function", lambda **_: 1)
    assert isinstance(again, api.Checked)
    assert again.outcome == Outcome.INCORRECT


# Where there are no threads -------------------------------------------------------------------------------------------


def test_a_system_without_threads_runs_the_function_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    assert called("def f(x):\n    print('x')\n    return x", 1) == [Made("returned", 1)]


def test_a_system_without_processes_runs_a_source_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for executable in ("", None, "/does/not/exist", sys.executable):
        monkeypatch.setattr(sys, "executable", executable)
        monkeypatch.setattr(in_a_process, "_BOOT", "raise SystemExit")  # the last one cannot import shardwise
        assert called("def f(x): return x", 1, 2) == [Made("returned", 1), Made("returned", 2)]


def test_the_exit_of_a_notebook_ends_the_call_and_not_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPython adds its own `exit` to the student's names, and calling it would silently end the kernel."""
    ended: list[str] = []
    monkeypatch.setattr(__main__, "exit", lambda: ended.append("the kernel"), raising=False)
    source = compile("def leaves(gpus):\n    exit()\n", "<cell>", "exec")
    monkeypatch.setattr(__main__, "leaves", None, raising=False)
    exec(source, vars(__main__))
    (call,) = run_limited(vars(__main__)["leaves"], "leaves", [{"gpus": 8}])
    assert call.status == "raised" and call.error.startswith("SystemExit")
    assert ended == []
    vars(__main__)["exit"]()
    assert ended == ["the kernel"]
