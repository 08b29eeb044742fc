"""Attacks on the sandbox, each of which would report its success."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import shardwise
from shardwise.sandbox import Calls, CallsResult, Cell, CellResult, Sandbox, Step, Value, ValueResult

Source = Callable[[str], object]


@pytest.fixture
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that every user of this machine can read."""
    place = tmp_path_factory.mktemp("canary")
    file = place / "canary"
    file.write_text("sings")
    file.chmod(0o644)
    for folder in (place, *place.parents):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o111)
    return file


def stopped(told: object) -> bool:
    """Check for a refusal, by whichever wall comes first."""
    kinds = ("PermissionError", "FileNotFoundError", "NotADirectoryError", "OSError", "ProcessLookupError")
    return isinstance(told, str) and told.startswith(tuple(f"raised: {kind}" for kind in kinds))


def test_no_file_outside_can_be_read(source: Source, canary: Path) -> None:
    grader = Path(shardwise.__file__)
    for path in (canary, Path("/etc/shadow"), Path("/etc/passwd"), grader, grader.with_name("errors.py")):
        assert path.exists()
        assert stopped(source(f"told = open({str(path)!r}).read()")), path


def test_neither_the_grader_nor_its_solutions_can_be_imported(source: Source) -> None:
    told = source(
        "import shardwise, shardwise.solutions, shardwise.grading.submission as g, sys\n"
        "told = [repr(shardwise.solutions.ring), repr(g.check), getattr(shardwise, '__file__', None),"
        " [p for p in sys.path if 'site-packages' in p]]"
    )
    assert told == ["(not shown while grading)", "(not shown while grading)", None, []]
    checkout = Path(__file__).parents[2]
    told = source(f"import sys; sys.path.insert(0, {str(checkout)!r})\nimport solutions as told")
    assert isinstance(told, str)
    assert told.startswith("raised: ModuleNotFoundError")


def test_site_packages_stay_out_of_reach_even_by_path(source: Source) -> None:
    import pydantic

    place = Path(pydantic.__file__)
    assert stopped(source(f"told = open({str(place)!r}).read()"))
    told = source(f"import sys; sys.path.insert(0, {str(place.parents[1])!r})\nimport pydantic_core as told")
    assert isinstance(told, str)
    assert told.startswith(("raised: ModuleNotFoundError", "raised: PermissionError"))


def test_other_processes_cannot_be_seen(source: Source) -> None:
    assert stopped(source("import os; told = os.listdir('/proc')"))
    assert stopped(source(f"told = open('/proc/{os.getpid()}/environ').read()"))
    assert stopped(source("told = open('/proc/self/environ').read()"))


def test_the_environment_says_nothing_about_the_host(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    told = source("import os; told = dict(os.environ)")
    assert isinstance(told, dict)
    assert {"PYTHONHASHSEED", "OMP_NUM_THREADS"} <= set(told) <= {*told} - {"TOKEN", "USER"}


def test_no_socket_can_be_opened(source: Source, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as inet, socket.socket(socket.AF_UNIX) as unix:
        port, path = inet.getsockname()[1], "\0canary-" + str(os.getpid())
        unix.bind(path)
        unix.listen()
        attempts = [
            f"socket.create_connection(('127.0.0.1', {port}), 1)",
            f"socket.socket(socket.AF_UNIX).connect({path!r})",
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 53))",
            "socket.socketpair()[0].connect('\\0x')",
            "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
            f"socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', {path!r})",
            f"socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', {str(tmp_path)!r})",
            "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendmsg([b'x'])",
        ]
        for attempt in attempts:
            assert stopped(source(f"import socket; told = repr({attempt})")), attempt


def test_no_process_can_be_started(source: Source) -> None:
    attempts = [
        "import os; told = os.fork()",
        "import os; told = os.posix_spawn('/bin/sh', ['sh'], {})",
        "import subprocess; told = subprocess.run(['true']).returncode",
        "import os; told = os.execv('/proc/self/exe', ['x'])",
        "import multiprocessing as m; p = m.get_context('fork').Process(target=print); p.start(); told = 'started'",
    ]
    for attempt in attempts:
        assert stopped(source(attempt)), attempt


def test_a_fork_bomb_stays_one_process(source: Source) -> None:
    told = source(
        "import os\ntold = 0\nfor _ in range(1000):\n    try:\n        os.fork()\n        told += 1\n"
        "    except OSError: pass"
    )
    assert told == 0


SYSCALLS = {
    "ptrace": (101, 0),
    "mount": (165, 0),
    "unshare": (272, 0x10000000),
    "setns": (308, 0),
    "memfd_create": (319, 0),
    "bpf": (321, 0),
    "io_uring_setup": (425, 1),
    "keyctl": (250, 0),
    "clone with a new user namespace": (56, 0x10000000),
    "fork": (57, 0),
    "vfork": (58, 0),
    "setsid": (112, 0),
    "chroot": (161, 0),
    "process_vm_readv": (310, 1),
    "pidfd_open": (434, 1),
    "seccomp": (317, 0),
    "capset": (126, 0),
    "personality": (135, 0xFFFFFFFF),
    "shmget": (29, 0),
}


@pytest.mark.skipif("os.uname().machine != 'x86_64'", reason="the numbers are those of x86_64")
def test_raw_system_calls_are_refused(source: Source) -> None:
    told = source(
        f"import ctypes, os; libc = ctypes.CDLL(None, use_errno=True); told = {{}}\n"
        f"for name, (number, argument) in {SYSCALLS!r}.items():\n"
        "    ctypes.set_errno(0); result = libc.syscall(number, argument, 0, 0, 0, 0)\n"
        "    if result == 0 and number in (57, 58, 56): os._exit(0)\n"
        "    told[name] = [result, ctypes.get_errno()]"
    )
    assert told == {name: [-1, 1] for name in SYSCALLS}


@pytest.mark.skipif("os.uname().machine != 'x86_64'", reason="the second interface exists on x86_64 only")
@pytest.mark.parametrize("number", [0x40000000 + 39, 0x40000000 + 512])
def test_the_x32_interface_kills_the_process(sandbox: Sandbox, number: int) -> None:
    job = sandbox.run([Cell("call", f"import ctypes; ctypes.CDLL(None).syscall({number})"), Cell("after", "")])
    assert (job.results["call"], job.results["after"]) == (CellResult("killed"), CellResult("ok"))


def test_no_signal_leaves_the_process(source: Source) -> None:
    grader = os.getpid()
    for target in (grader, "os.getppid()", -1, 0, 2):
        assert stopped(source(f"import os; os.kill({target}, 9); told = 'sent'")), target
    told = source(
        f"import fcntl, os, signal; r, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, {grader}); told = 'owned'"
    )
    assert stopped(told)
    told = source("import fcntl, os; r, w = os.pipe(); told = fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)")
    assert stopped(told)


def test_signals_to_itself_end_at_most_the_process_itself(sandbox: Sandbox) -> None:
    for signal_name in ("SIGKILL", "SIGSTOP", "SIGTERM", "SIGSEGV"):
        source = f"import os, signal; os.kill(os.getpid(), signal.{signal_name})"
        job = sandbox.run([Cell("self", source), Cell("after", "print(1)")])
        assert job.results["self"] == CellResult("killed"), signal_name
        assert job.results["after"] == CellResult("ok")


def test_stopping_oneself_by_raise_does_not_stop_the_clock(sandbox: Sandbox) -> None:
    job = sandbox.run([Cell("stop", "import signal; signal.raise_signal(signal.SIGSTOP)"), Cell("after", "print(1)")])
    stop = job.results["stop"]
    assert stop == CellResult("ok") or stop == CellResult("timeout")  # ignored by the first process of a namespace
    assert job.results["after"] == CellResult("ok")


def test_nothing_can_be_written_anywhere(source: Source) -> None:
    attempts = [
        "open('file', 'w')",
        "open('/var/tmp/file', 'w')",
        "open('/dev/shm/file', 'w')",
        "os.mkdir('folder')",
        "os.symlink('/etc/passwd', 'link')",
        "os.open('.', os.O_TMPFILE | os.O_RDWR)",
        "os.memfd_create('x')",
        "os.mkfifo('fifo')",
        "os.remove('/box/job')",
        "os.chmod('.', 0o777)",
        "shelve.open('x')",
        "sqlite3.connect('x.db').execute('create table t (x)')",
        "multiprocessing.shared_memory.SharedMemory(create=True, size=10**9)",
    ]
    for attempt in attempts:
        told = source(f"import os, shelve, sqlite3, multiprocessing.shared_memory\ntold = repr({attempt})")
        assert (
            stopped(told)
            or (isinstance(told, str) and "unable to open database" in told)
            or (isinstance(told, str) and told.startswith("raised: error:"))
        ), (attempt, told)


def test_limits_cannot_be_raised(source: Source) -> None:
    for limit in ("RLIMIT_AS", "RLIMIT_NPROC", "RLIMIT_CPU", "RLIMIT_FSIZE"):
        raised = source(f"import resource as r; r.setrlimit(r.{limit}, (10**12, 10**12)); told = 'raised'")
        assert isinstance(raised, str)
        assert raised.startswith(("raised: ValueError", "raised: PermissionError")), raised


def test_the_memory_limit_cannot_be_bypassed(source: Source) -> None:
    told = source(
        "import mmap\ntold = 0; held = []\ntry:\n    while told < 6000:\n"
        "        held.append(mmap.mmap(-1, 10**7)); told += 10\nexcept OSError: pass"
    )
    assert isinstance(told, int)
    assert told < 1100


@pytest.mark.parametrize("stack", [0, 32768], ids=["usual stacks", "small stacks"])
def test_too_many_threads_are_refused(stack: int, source: Source) -> None:
    told = source(
        # not threading.Thread, whose start() waits for the new thread, for ever if that thread has no memory to signal
        f"import _thread, time\n_thread.stack_size({stack})\ntold = 0\ntry:\n    for _ in range(10_000):\n"
        "        _thread.start_new_thread(time.sleep, (60,)); told += 1\n"
        "except (RuntimeError, MemoryError): pass"
    )
    assert isinstance(told, int)
    assert 10 <= told <= 200


def test_threads_left_behind_do_not_hold_the_job_up(sandbox: Sandbox) -> None:
    began = time.monotonic()
    source = "import threading, time\nfor _ in range(4): threading.Thread(target=time.sleep, args=(60,)).start()"
    job = sandbox.run([Cell("threads", source), Cell("after", "print(1)")])
    assert job.results["after"] == CellResult("ok")
    assert job.restarts == 0
    assert time.monotonic() - began < 40


def test_a_background_thread_cannot_outlive_its_job(sandbox: Sandbox) -> None:
    spin = "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()"
    sandbox.run([Cell("spin", spin)])
    idle = sandbox.run([Cell("sleep", "import time; time.sleep(0.3)")])
    assert idle.cpu_seconds < 0.2


def test_every_descriptor_is_harmless(source: Source) -> None:
    told = source(
        "import os, stat\ntold = []\nfor fd in range(1024):\n    try:\n        mode = os.fstat(fd).st_mode\n"
        "    except OSError: continue\n    told.append([fd, stat.S_ISCHR(mode)])"
    )
    assert told == [[0, True], [1, True], [2, True]]


def test_closing_every_descriptor_changes_nothing(sandbox: Sandbox) -> None:
    job = sandbox.run([Cell("close", "import os; os.closerange(0, 1024)\nx = 5\nprint(x)"), Value("x", "x")])
    assert job.results["close"] == CellResult("ok")
    assert job.results["x"] == ValueResult("ok", 5, "int")


SCRIBBLE = """
import ctypes, gc, mmap, sys
memories = [o for o in gc.get_objects() if isinstance(o, mmap.mmap)]
for module in list(sys.modules.values()):
    pass
frame = sys._getframe()
while frame:
    memories += [v for v in frame.f_locals.values() if isinstance(v, mmap.mmap)]
    writer = frame.f_locals.get('self')
    writer = getattr(writer, '_writer', writer)
    if isinstance(getattr(writer, '_memory', None), mmap.mmap): memories.append(writer._memory)
    frame = frame.f_back
told = len(memories)
for memory in memories:
    memory[{start}:{stop}] = {fill} * ({stop} - {start})
"""


@pytest.mark.parametrize(
    ("start", "stop", "fill"),
    [(0, 64, "b'\\xff'"), (0, 64, "b'\\0'"), (8, 20, "b'\\x7f'"), (32, 40, "b'\\xff'"), (0, 4096, "b'['")],
)
def test_scribbling_over_the_shared_memory_hurts_only_its_own_job(
    sandbox: Sandbox, start: int, stop: int, fill: str
) -> None:
    scribble = SCRIBBLE.format(start=start, stop=stop, fill=fill)
    job = sandbox.run([Cell("scribble", scribble), Cell("b", "x = 1"), Value("x", "x")])
    assert set(job.results) == {"scribble", "b", "x"}
    bystander = sandbox.run([Cell("b", "x = 1"), Value("x", "x")])
    assert bystander.results["x"] == ValueResult("ok", 1, "int")


def test_the_scribbler_does_find_the_memory(source: Source) -> None:
    """Otherwise the test above would prove nothing."""
    assert source(SCRIBBLE.format(start=0, stop=0, fill="b''")) != 0


FORGE = """
import sys
frame = sys._getframe()
while 'self' not in frame.f_locals: frame = frame.f_back
writer = frame.f_locals['self']._writer
for forged in {forged}:
    writer.write(forged)
{after}
"""


@pytest.mark.parametrize(
    "forged",
    [
        "[b'[' * 100_000]",
        "[b'[3, -1, \"ok\", ' + b'[' * 50_000 + b']' * 50_000 + b', \"\", \"\"]']",
        "[b'[3, -1, \"ok\", ' + b'9' * 200_000 + b', \"int\", \"\"]']",
        '[b\'[3, -1, "ok", "\\\\ud800", "str", ""]\']',
        '[b\'[99, -1, "ok", "", ""]\', b\'[-1, -1, "ok", "", ""]\', b\'[true, -1, "ok", "", ""]\']',
        '[b\'[2, 7, "returned", 1, ""]\', b\'[2, -5, "returned", 1, ""]\', b\'[2, 1e999, "returned", 1, ""]\']',
        "[b'{}', b'null', b'\\xff\\xfe', b'[1]', b'[1, 2, 3, 4, 5, 6, 7]', b'[0, -1, \"hacked\", \"\"]']",
        '[b\'[3, -1, "ok", {"d": [[[], 1]]}, "", ""]\', b\'[3, -1, "ok", {"x": 1}, "", ""]\']',
        "[b'[0, -1, \"ok\", \"' + b'y' * 300_000 + b'\"]']",
    ],
)
@pytest.mark.parametrize("after", ["", "import os; os._exit(0)"], ids=["goes on", "and leaves"])
def test_forged_frames_neither_crash_nor_reach_beyond_their_job(strongest: Sandbox, forged: str, after: str) -> None:
    calls = Calls("calls", "f", ({"x": 1}, {"x": 2}))
    steps: list[Step] = [
        Cell("forge", FORGE.format(forged=forged, after=after)),
        Cell("b", "def f(x): return x"),
        calls,
    ]
    job = strongest.run([*steps, Value("value", "y")])
    forge, called, value = job.results["forge"], job.results["calls"], job.results["value"]
    assert isinstance(forge, CellResult)
    assert isinstance(called, CallsResult)
    assert isinstance(value, ValueResult)
    assert forge.status in ("ok", "raised", "killed", "memory")
    assert value == ValueResult("missing")
    assert [result.value for result in called.results] == [1, 2]


def test_a_flood_of_frames_costs_a_job_its_own_answers_and_nothing_else(strongest: Sandbox) -> None:
    flood = FORGE.format(forged="[b'[]'] * 100_000", after="")
    job = strongest.run([Cell("flood", flood), Cell("b", "x = 1"), Value("x", "x")])
    assert {result.status for result in job.results.values()} == {"killed"}  # type: ignore[union-attr]


def test_control_characters_do_not_reach_the_graders_terminal(strongest: Sandbox) -> None:
    job = strongest.run([Cell("cell", "raise ValueError('\\x1b[2J\\x00tab\\t\\x9b1m')")])
    assert job.results["cell"] == CellResult("raised", "ValueError: \ufffd[2J\ufffdtab\t\ufffd1m (line 1)")


def test_a_forged_value_is_still_only_a_value(strongest: Sandbox) -> None:
    forged = '[b\'[1, -1, "ok", 42, "int", ""]\']'
    job = strongest.run([Cell("forge", FORGE.format(forged=forged, after="x = 6")), Value("x", "x")])
    assert job.results["x"] == ValueResult("ok", 6, "int")  # the honest frame came later


def test_claiming_that_the_job_never_started_is_the_students_fault(sandbox: Sandbox) -> None:
    claim = "writer._memory[8:20] = b'\\xff' * 8 + b'\\0' * 4\nimport os; os._exit(70)"
    job = sandbox.run([Cell("claim", FORGE.format(forged="[]", after=claim)), Cell("b", "print(1)")])
    assert job.results["claim"] == CellResult("killed")
    assert job.results["b"] == CellResult("ok")


def test_patching_pythons_internals_hurts_only_the_job_itself(sandbox: Sandbox) -> None:
    patch = (
        "import builtins, json, struct, sys\n"
        "json.dumps = json.loads = lambda *a, **k: 'forged'\njson.JSONEncoder.encode = lambda *a: 'forged'\n"
        "for name in ('len', 'isinstance', 'type', 'str', 'list', 'print', 'getattr', 'int'):\n"
        "    setattr(builtins, name, None)\n"
    )
    sandbox.run([Cell("patch", patch), Cell("b", "x = 1"), Value("x", "x")])
    assert sandbox.run([Cell("b", "x = len('ab')"), Value("x", "x")]).results["x"] == ValueResult("ok", 2, "int")


def test_a_patched_builtin_does_not_break_an_honest_notebook(strongest: Sandbox) -> None:
    patch = "import builtins\nbuiltins.len = builtins.isinstance = lambda *a: 0\nbuiltins.type = None"
    job = strongest.run([Cell("patch", patch), Cell("b", "x = [1, 2]"), Value("x", "x")])
    assert job.results["b"] == CellResult("ok")


@pytest.mark.parametrize(
    "leave",
    [
        "import builtins; builtins.leaked = 1",
        "import sys; sys.leaked = 1",
        "import math; math.leaked = 1",
        "import numpy; numpy.leaked = 1",
        "import os; os.environ['leaked'] = '1'",
        "import sys; sys.modules['leaked'] = sys",
        "import random, numpy; [random.random() for _ in range(9)]; numpy.random.rand(9)",
        "import gc, signal; gc.disable(); signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "import os; os._exit(1)",
        "while True: pass",
    ],
)
def test_nothing_passes_from_one_job_to_the_next(strongest: Sandbox, leave: str) -> None:
    look = (
        "import builtins, math, numpy, os, random, sys\n"
        "told = [hasattr(m, 'leaked') for m in (builtins, sys, math, numpy)]"
        " + ['leaked' in os.environ, 'leaked' in sys.modules, random.random(), numpy.random.rand(), os.listdir('.')]"
    )
    before = strongest.run([Cell("look", look), Value("told", "told")])
    strongest.run([Cell("leave", leave)])
    after = strongest.run([Cell("look", look), Value("told", "told")])
    assert before.results == after.results
    told = after.results["told"]
    assert isinstance(told, ValueResult)
    assert isinstance(told.value, list)
    assert told.value[:6] == [False] * 6
    assert told.value[-1] == []


def test_a_job_cannot_gain_privileges(source: Source) -> None:
    told = source(
        "import os, ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "told = [libc.setuid(0), libc.setgid(0), libc.prctl(38, 0, 0, 0, 0), libc.unshare(0x10000000)]"
    )
    assert told == [-1, -1, -1, -1]


BUMP = """
import sys, threading, time
frame = sys._getframe()
while 'self' not in frame.f_locals: frame = frame.f_back
writer = frame.f_locals['self']._writer
def bump():
    for number in range(10_000):
        try: writer.begin({claim}, -1, 0)
        except TypeError: return
        time.sleep(0.3)
threading.Thread(target=bump, daemon=True).start()
until = time.monotonic() + 4
while time.monotonic() < until: pass
got = True
"""


@pytest.mark.parametrize("claim", ["0", "number % 2", "4 - number % 4"], ids=["itself", "two in turn", "backwards"])
def test_a_thread_that_reports_progress_gives_its_cell_no_more_time(sandbox: Sandbox, claim: str) -> None:
    cells = [Cell("bumps", BUMP.format(claim=claim)), *(Cell(str(number), "print(1)") for number in range(4))]
    began = time.monotonic()
    job = sandbox.run([*cells, Value("got", "got")])
    assert job.results["got"] == ValueResult("missing")
    assert job.results["bumps"] == CellResult("timeout") or job.restarts > 0
    assert time.monotonic() - began < 40


@pytest.mark.slow
def test_a_cell_that_impersonates_later_ones_uses_only_the_jobs_time(sandbox: Sandbox) -> None:
    """A student could have put its code into them: nobody outside can tell whose code runs."""
    bumps = BUMP.format(claim="number // 2").replace("+ 4", "+ 60")
    began = time.monotonic()
    job = sandbox.run(
        [Cell("bumps", bumps), *(Cell(str(number), "") for number in range(50)), Value("got", "got")], seconds=3
    )
    assert job.results["got"] != ValueResult("ok", True, "bool")
    assert time.monotonic() - began < 40  # well before the cell would have ended by itself
