"""Which boundary is chosen, how it is tested, and what happens if there is none or if it breaks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shardwise.errors import ShardwiseError
from shardwise.sandbox import (
    Calls,
    CallsResult,
    Cell,
    CellResult,
    Limits,
    Sandbox,
    SandboxUnavailable,
    Step,
    Value,
    ValueResult,
    attacks,
    launch,
    layout,
    open_sandbox,
    probe,
)
from shardwise.sandbox.backend import Attempt, AttemptRequest
from shardwise.sandbox.inside import wire_format
from shardwise.sandbox.inside.shared_memory import CELL_LIMIT, WHOLE_STEP, RunProgress
from shardwise.sandbox.tiers import open_tier

from .conftest import QUICK, open_named, tell


def test_the_strongest_boundary_is_chosen_and_named(strongest: Sandbox) -> None:
    with open_sandbox() as chosen:
        assert (chosen.tier, chosen.description) == (strongest.tier, strongest.description)
    assert "namespaces, seccomp and Landlock" in chosen.description


def test_probing_reports_every_tier() -> None:
    assert [(verdict.name, verdict.passed) for verdict in probe(limits=QUICK)] == [
        ("1", True),
        ("1b", True),
        ("2", True),
    ]


def edited(place: Path, file: str, old: str, new: str) -> str:
    """Return a copy of the inner package without one of its walls."""
    inside = place / "inside"
    shutil.copytree(layout.inner_directory(), inside)
    text = (inside / file).read_text()
    assert old in text
    (inside / file).write_text(text.replace(old, new))
    return str(inside)


SECCOMP = ("confinement.py", "system_calls.install_filter(seccomp.for_process(self.filter, os.getpid()))", "pass")
RLIMITS = ("confinement.py", "set_limits(self.limits)", "pass")
LANDLOCK = ("confinement.py", "landlock.restrict(self.ruleset)", "pass")
FORK = ("seccomp.py", 'Rule("clone", tests=(Test(0, _CLONE_THREAD | _CLONE_NEW, _CLONE_THREAD),))', 'Rule("clone")')
WRITE = ("seccomp.py", 'Rule("openat", tests=(Test(2, _WRITES, 0),))', 'Rule("openat")')
THREADS = (
    "resource_limits.py",
    "for name, bound in limits.items():",
    "for name, bound in limits.items() - {('NPROC', limits['NPROC'])}:",
)
EXEC = ("seccomp.py", "write 1 64;", "write 1 64; execve 59 221;")


@pytest.mark.parametrize(
    ("tier", "wall", "complaint"),
    [
        ("1", SECCOMP, "changed its own limits|sent a signal|started a process"),
        ("1", LANDLOCK, "listed the root directory"),
        ("1", RLIMITS, "allocated more memory than its limit"),
        ("1b", FORK, "started a process"),
        ("1b", EXEC, "started a program"),
        ("1b", WRITE, "wrote a file"),
        pytest.param("2", LANDLOCK, "read a file that was not its own", marks=pytest.mark.slow),
        pytest.param("2", SECCOMP, "reached a|sent a signal|started a process", marks=pytest.mark.slow),
        pytest.param("2", RLIMITS, "allocated more memory than its limit", marks=pytest.mark.slow),
        pytest.param("2", FORK, "started a process", marks=pytest.mark.slow),
        ("1", THREADS, "started more threads than its limit"),
        pytest.param("1b", THREADS, "started more threads than its limit", marks=pytest.mark.slow),
        pytest.param("2", THREADS, "started more threads than its limit", marks=pytest.mark.slow),
    ],
)
def test_a_boundary_with_a_hole_is_refused(
    tier: str, wall: tuple[str, str, str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = edited(tmp_path, *wall)
    monkeypatch.setattr(layout, "inner_directory", lambda: broken)
    with pytest.raises(pytest.fail.Exception, match=f"in a self-test, sandboxed code ({complaint})"):
        open_named(tier)


@pytest.mark.parametrize(
    ("tier", "wall"),
    [
        ("1", ("confinement.py", 'mount("tmpfs", self.box, "tmpfs"', 'mount("tmpfs", self.box, "nofs"')),
        ("1b", ("confinement.py", "seccomp.for_process(self.filter, os.getpid())", "bytes(8)")),
        ("2", ("landlock.py", "_RESTRICT_SELF, ctypes.c_int(ruleset)", "_RESTRICT_SELF, ctypes.c_int(-1)")),
    ],
)
def test_isolation_that_fails_stops_the_job_before_it_reads_anything(
    tier: str, wall: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = edited(tmp_path, *wall)
    monkeypatch.setattr(layout, "inner_directory", lambda: broken)
    with pytest.raises(pytest.fail.Exception, match="even an empty job does not finish"):
        open_named(tier)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
NO_SWITCH = ("server.py", 'system_calls.become(**config["become"])', "pass")
NO_READER = ("system_calls.py", "_libc.setfsuid(ctypes.c_uint32(reader))\n    if", "if")


@as_root
def test_a_server_that_stays_root_is_refused_because_nothing_limits_its_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = edited(tmp_path, *NO_SWITCH)
    monkeypatch.setattr(layout, "inner_directory", lambda: broken)
    with pytest.raises(SandboxUnavailable, match="started more threads than its limit"):
        open_tier(launch.Plan("2", become_nobody=True, reads_as_owner=True), QUICK)


@as_root
def test_for_an_unreadable_private_python_the_remedy_says_where_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = edited(tmp_path, *NO_READER)  # nobody else can list this folder
    monkeypatch.setattr(layout, "inner_directory", lambda: broken)
    with pytest.raises(SandboxUnavailable, match="files are not opened as user 0") as refused:
        open_sandbox(tier="2")
    assert "where everybody can read" in refused.value.remedy
    (verdict,) = [verdict for verdict in probe() if verdict.name == "2"]
    assert "files are not opened as user 0" in verdict.reason
    assert "where everybody can read" in verdict.remedy


@as_root
def test_roots_server_without_namespaces_is_a_separate_user_without_capabilities() -> None:
    plan = launch.Plan("2", become_nobody=True, reads_as_owner=True)
    with open_tier(plan, QUICK) as first, open_tier(plan, QUICK) as second, open_named("2") as usual:
        found = [status(server_of(sandbox).process.pid) for sandbox in (first, second, usual)]
        assert "as a separate user" in first.description
        assert "as a separate user" in usual.description
    sets = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
    assert [int(found[0][name], 16) for name in sets] == [0] * len(sets)
    assert {int(server[name], 16) for server in found for name in ("CapPrm", "CapEff", "CapAmb")} == {0}
    assert [server["Groups"].strip() for server in found] == [""] * 3
    users = [server["Uid"].split() for server in found]  # real, effective, saved, and the user for opening files
    assert [len(set(numbers[:3])) for numbers in users] == [1, 1, 1]
    assert len({"0", *(numbers[0] for numbers in users)}) == 4
    assert [numbers[3] for numbers in users[:2]] == ["0", "0"]


def status(pid: int) -> dict[str, str]:
    """Return the kernel's status of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)}


@as_root
def test_jobs_without_namespaces_do_not_count_each_others_threads() -> None:
    storm = "import _thread, time\n_thread.stack_size(32768)\ntold = 0\ntry:\n    while told < 1000:\n"
    storm += "        _thread.start_new_thread(time.sleep, (60,)); told += 1\nexcept RuntimeError: pass"
    most = QUICK.processes - 2  # the server and the job's first thread count too
    with open_named("2", Limits(cell_seconds=60)) as noisy, open_named("2") as quiet:
        hold = threading.Thread(target=noisy.run, args=([Cell("hold", storm + "\ntime.sleep(60)")],))
        hold.start()
        job = job_with_threads(server_of(noisy).process.pid, most)
        assert tell(quiet, storm) == most
        os.kill(job, signal.SIGKILL)
        hold.join()


def job_with_threads(server: int, threads: int) -> int:
    """Return the process of a server's job, as soon as it has that many threads besides its first."""
    for _ in range(3000):
        for child in Path(f"/proc/{server}/task/{server}/children").read_text().split():
            if status(int(child))["Threads"] == str(threads + 1):
                return int(child)
        time.sleep(0.01)
    pytest.fail(f"no job has {threads} threads besides its first")


def test_a_tree_that_shows_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = layout.layout

    def generous(*, moved: bool) -> layout.Layout:
        seen = real(moved=moved)
        return layout.Layout(
            seen.python,
            (*seen.binds, (tempfile.gettempdir(), tempfile.gettempdir())),
            seen.symlinks,
            seen.masks,
            seen.packages,
            seen.inside,
        )

    monkeypatch.setattr(launch, "layout", generous)
    with pytest.raises(pytest.fail.Exception, match="read a file that was not its own"):
        open_named("2")


def test_a_long_path_for_temporary_files_does_not_stop_the_attacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("runner-temp-" * 9)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with attacks.targets(Limits()) as every:
        assert "unix" in [attack.name for attack in every]


def test_every_attack_succeeds_without_a_boundary() -> None:
    """An attack that never gets through proves nothing by failing."""
    with open_sandbox(limits=QUICK, unsafe=True) as bare, attacks.targets(Limits(memory_bytes=2**20)) as every:
        harmful = {"exec", "parent"}  # these would replace the job itself, or show the same as `signal`
        results = bare.run(attacks.steps_for([attack for attack in every if attack.name not in harmful])).results
    values = {name: result.value for name, result in results.items() if isinstance(result, ValueResult)}
    assert values == dict.fromkeys(values, True)
    assert len(values) == len(every) - len(harmful)


def test_without_bubblewrap_and_without_filters_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with open_sandbox() as weaker:
        assert weaker.tier == "2"
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(SandboxUnavailable) as refused:
        open_sandbox()
    assert "system-call filters exist only for" in str(refused.value)
    assert "--unsafe-no-sandbox" in refused.value.remedy


def test_bubblewrap_that_fails_is_quoted_with_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o111)
    monkeypatch.setattr(shutil, "which", lambda _name: str(broken))
    verdicts = {verdict.name: verdict for verdict in probe()}
    assert [verdicts[name].passed for name in ("1", "1b", "2")] == [False, False, True]
    assert verdicts["1"].reason == "bwrap: setting up uid map: Permission denied"
    assert "kernel.apparmor_restrict_unprivileged_userns=0" in verdicts["1"].remedy
    assert "--unsafe-no-sandbox" not in verdicts["1"].remedy  # another tier works


def test_on_other_systems_importing_works_and_opening_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxUnavailable, match="this is darwin"):
        open_sandbox()


@pytest.mark.parametrize("absent", [("fcntl", "resource"), ("ctypes",)])
def test_importing_needs_no_linux_only_modules(absent: tuple[str, ...]) -> None:
    code = f"import sys; sys.modules.update(dict.fromkeys({absent!r})); import shardwise.sandbox"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_shardwise_imports_nothing_of_the_sandbox() -> None:
    code = "import shardwise, sys; print([name for name in sys.modules if 'sandbox' in name])"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout == "[]\n"


@pytest.fixture
def own(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A sandbox that a test may break."""
    with open_named("1") as opened:
        yield opened


def server_of(sandbox: Sandbox) -> launch.Server:
    return sandbox._backend.server()  # type: ignore[attr-defined, no-any-return]


def test_every_job_finds_numpy_loaded_and_a_job_that_mentions_sympy_finds_that_too(own: Sandbox) -> None:
    look = "import sys\nx = [name in sys.modules for name in ('numpy', 'sym' + 'py')]"
    for mention, loaded in (("", [True, False]), ("# sympy", [True, True])):
        result = own.run([Cell("look", f"{look} {mention}"), Value("x", "x")]).results["x"]
        assert result == ValueResult("ok", loaded, "list"), mention


def test_a_machine_without_filters_is_refused_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    before = descriptors()
    monkeypatch.setattr("platform.machine", lambda: "vax")
    with pytest.raises(SandboxUnavailable, match="system-call filters exist only for"):
        open_sandbox()
    assert descriptors() == before


def test_a_server_that_fails_to_start_is_refused_with_its_last_words(monkeypatch: pytest.MonkeyPatch) -> None:
    before = descriptors()
    monkeypatch.setattr(launch, "_server_command", lambda *_: [sys.executable, "-c", "raise OSError('no luck')"])
    with pytest.raises(SandboxUnavailable, match="OSError: no luck"):
        open_sandbox(tier="2")
    assert descriptors() == before


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_server_that_died_is_replaced_unnoticed(own: Sandbox) -> None:
    before = server_of(own)
    before.process.kill()
    before.process.wait()
    job = own.run([Cell("a", "print(1)")])
    assert (job.results["a"], job.restarts) == (CellResult("ok"), 0)
    assert server_of(own).process.pid != before.process.pid


def test_a_server_that_dies_during_a_job_is_replaced_and_the_job_run_again(own: Sandbox) -> None:
    killer = threading.Timer(0.3, server_of(own).process.kill)
    killer.start()
    job = own.run([Cell("a", "import time; time.sleep(0.7); print(1)"), Value("x", "x")])
    assert (job.results["a"], job.restarts) == (CellResult("ok"), 0)


@pytest.mark.slow
def test_a_server_that_falls_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shardwise.sandbox.forkserver._GRACE_SECONDS", 0.2)
    with open_named("2", Limits(cell_seconds=2.0, job_seconds=2.0)) as own:
        os.kill(server_of(own).process.pid, signal.SIGSTOP)
        assert own.run([Cell("a", "print(1)")]).results["a"] == CellResult("ok")


def test_nothing_is_left_running_after_closing() -> None:
    sandbox = open_named("1")
    server = server_of(sandbox)
    spin = "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin).start()"
    sandbox.run([Cell("spin", spin)])
    sandbox.close()
    assert server.process.poll() is not None
    with pytest.raises(ShardwiseError, match="closed"):
        sandbox.run([])


def test_threads_that_share_a_sandbox_get_their_own_results(strongest: Sandbox) -> None:
    seen: dict[int, object] = {}

    def work(number: int) -> None:
        for _ in range(5):
            job = strongest.run([Cell("a", f"x = {number}"), Value("x", "x")])
            result = job.results["x"]
            seen[number] = isinstance(result, ValueResult) and result.value

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {number: number for number in range(4)}


@pytest.mark.slow
def test_the_whole_job_has_a_deadline() -> None:
    with open_named("1", Limits(cell_seconds=60, job_seconds=2.0)) as hasty:
        began = time.monotonic()
        job = hasty.run([Cell("a", "x = 1"), Cell("b", "import time; time.sleep(50)"), Cell("c", "x"), Value("x", "x")])
        assert time.monotonic() - began < 30  # well before the cell would have ended by itself
    statuses = [getattr(result, "status", None) for result in job.results.values()]
    assert statuses == ["ok", "timeout", "skipped", "skipped"]


STOPPED = """
from shardwise.sandbox import Cell, Limits, Value, open_sandbox

with open_sandbox(limits=Limits(job_seconds=2.0)) as sandbox:
    print("ready", flush=True)
    job = sandbox.run([Cell("ends", "import os, time; time.sleep(0.5); os._exit(0)"), Cell("sets", "x = 7"), Value("x", "x")])
print(job.results["x"].value, job.seconds < 2)
"""


@pytest.mark.slow
def test_a_job_has_its_full_time_although_a_shell_stops_the_command_meanwhile() -> None:
    """Ctrl-Z and `fg` after longer than a job's limit; the job itself continues."""
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None and command.stdout.readline() == "ready\n"
        time.sleep(0.2)
        command.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        command.send_signal(signal.SIGCONT)
        assert command.stdout.read() == "7 True\n"


@pytest.mark.slow
def test_processor_time_has_its_own_limit() -> None:
    spin = "import hashlib, threading\ndef spin():\n    while True: hashlib.sha256(bytes(10**6))\n"
    spin += "for _ in range(4): threading.Thread(target=spin).start()\nimport time; time.sleep(50)"
    with open_named("1", Limits(cell_seconds=60, cpu_seconds=1)) as frugal:
        began = time.monotonic()
        job = frugal.run([Cell("spin", spin), Cell("after", "print(1)")])
        assert time.monotonic() - began < 40
    assert job.results == {"spin": CellResult("timeout"), "after": CellResult("ok")}


@pytest.fixture(scope="module")
def unsafe() -> Iterator[Sandbox]:
    limits = Limits(cell_seconds=4.0, job_seconds=30.0)  # this includes starting a process and importing numpy
    with open_sandbox(limits=limits, unsafe=True) as opened:
        yield opened


@pytest.mark.slow
def test_without_isolation_the_same_jobs_give_the_same_results(unsafe: Sandbox, strongest: Sandbox) -> None:
    steps: list[Step] = [
        Cell("a", "import numpy as np, random\nx = np.arange(3)\nz = [random.random(), np.random.rand(), hash('x')]"),
        Cell("b", "1 / 0"),
        Cell("c", "import os; os._exit(3)"),
        Cell("d", "while True: pass"),
        Cell("e", "from shardwise import check\ny = check('q').score()"),
        Cell("f", "import matplotlib"),
        Value("x", "x"),
        Value("y", "y"),
        Value("z", "z"),
        Calls("g", "g", ({"x": 1}, {"x": 2}), source="def g(x):\n    if x == 1: raise ValueError(x)\n    return x"),
    ]
    plain, walled = unsafe.run(steps), strongest.run(steps)
    assert plain.results == walled.results
    assert plain.restarts == walled.restarts == 2
    assert unsafe.tier == "none"


@pytest.mark.slow
def test_a_job_that_waited_is_repeated_once_but_not_one_that_computed(unsafe: Sandbox, tmp_path: Path) -> None:
    tried = tmp_path / "tried"  # a line per attempt; the first waits, as on a busy machine
    mark = f"file = open({str(tried)!r}, 'a'); file.write('.'); file.flush()\n"
    waits = mark + "import time\ntime.sleep(9 if file.tell() < {} else 0)"
    for once, status, restarts, attempts in ((2, "ok", 0, 2), (9, "timeout", 1, 2)):
        tried.write_text("")
        job = unsafe.run([Cell("waits", waits.format(once)), Cell("next", "print(1)")])
        assert (job.results["waits"], job.results["next"]) == (CellResult(status), CellResult("ok"))
        assert (job.restarts, len(tried.read_text())) == (restarts, attempts)
    tried.write_text("")
    job = unsafe.run([Cell("spins", mark + "while True: pass")])
    assert job.results["spins"] == CellResult("timeout")
    # A busy machine gives it at most 2 s of the first 4, and then at most 4 of the second.
    assert len(tried.read_text()) == 1 or job.cpu_seconds < 6


class Attempts:
    """A backend whose first attempts time out in the first step; it records the time that each attempt was given."""

    def __init__(self, *, took: float, cpu_seconds: float, times: int) -> None:
        late = Attempt("limit", cpu_seconds=cpu_seconds, progress=RunProgress(0, WHOLE_STEP, CELL_LIMIT), seconds=took)
        self._attempts = [late] * times
        self.first: Attempt | None = None  # before those
        self.given: list[float] = []

    def attempt(self, request: AttemptRequest) -> Attempt:
        self.given.append(request.limits.seconds)
        if self.first:
            first, self.first = self.first, None
            return first
        return self._attempts.pop() if self._attempts else Attempt("itself", finished=True, seconds=1.0)

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("took", "cpu_seconds", "given"),
    [
        (
            10.0,
            0.1,
            [60.0, 60.0, 50.0],
        ),  # it waited: the attempt is repeated, and later steps have as much time as without it
        (12.0, 6.9, [60.0, 60.0, 48.0]),  # it waited for half of its 10 s, and earlier cells computed
        (12.0, 7.1, [60.0, 48.0]),  # it computed
        (15.1, 0.1, [60.0, 44.9]),  # no time is left for it
    ],
)
def test_the_time_of_a_repetition_is_not_taken_from_later_steps(
    took: float, cpu_seconds: float, given: list[float]
) -> None:
    attempts = Attempts(took=took, cpu_seconds=cpu_seconds, times=len(given) - 1)
    with Sandbox(attempts, Limits(), "none", "told beforehand") as sandbox:
        job = sandbox.run([Cell("waits", "pass"), Cell("next", "pass")])
    assert attempts.given == pytest.approx(given)
    assert job.results["waits"] == CellResult("timeout")
    assert job.seconds == pytest.approx(took + 1.0)  # the marking of a notebook counts this time too


def test_a_result_is_kept_although_its_step_times_out_when_the_job_runs_again() -> None:
    answered, dies = wire_format.to_text([0, WHOLE_STEP, "ok", ""]).encode(), RunProgress(1, WHOLE_STEP, CELL_LIMIT)
    attempts = Attempts(took=10.0, cpu_seconds=9.9, times=1)
    attempts.first = Attempt("itself", 1, progress=dies, frames=(answered,), seconds=1.0)
    with Sandbox(attempts, Limits(), "none", "told beforehand") as sandbox:
        job = sandbox.run([Cell("first", "print(1)"), Cell("dies", "import os; os._exit(1)")])
    assert job.results == {"first": CellResult("ok"), "dies": CellResult("killed")}


@pytest.mark.slow
def test_a_step_that_had_answered_is_not_blamed_when_the_jobs_time_ends_while_it_runs_again() -> None:
    with open_named("1", Limits(cell_seconds=2.0, job_seconds=4.0)) as sandbox:
        steps: list[Step] = [
            Cell("slow", "import time; time.sleep(1.2); print(1)"),
            Cell("ends", "import time; time.sleep(9)"),  # at 3.2 s
            Cell("next", "pass"),
        ]
        job = sandbox.run(steps)
    assert job.results == {
        "slow": CellResult("ok"),
        "ends": CellResult("timeout"),
        "next": CellResult("skipped"),
    }
    assert job.restarts == 1
    assert 3.9 < job.seconds < 30


def test_without_isolation_what_a_job_started_dies_with_it(unsafe: Sandbox, tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    daemon = f"import os, time\nif os.fork() == 0:\n    time.sleep(0.5)\n    open({str(sign)!r}, 'w'); os._exit(0)"
    unsafe.run([Cell("daemon", daemon)])
    time.sleep(0.8)
    assert not sign.exists()


def test_a_soak_of_mixed_jobs_neither_leaks_nor_mixes(strongest: Sandbox) -> None:
    jobs: list[Callable[[int], str]] = [
        lambda n: f"x = {n}",
        lambda n: f"x = {n}\nraise ValueError",
        lambda n: f"x = {n}\nimport threading; threading.Thread(target=threading.Event().wait).start()",
    ]
    before = descriptors()
    for number in range(150):
        source = jobs[number % len(jobs)](number)
        steps: list[Step] = [Cell("a", source), Value("x", "x")]
        if number % 10 == 0:
            steps.append(Cell("end", "import os; os._exit(0)"))
        result = strongest.run(steps).results["x"]
        assert result == ValueResult("ok", number, "int")
    assert descriptors() == before


def test_calls_results_keep_the_order_of_their_inputs(strongest: Sandbox) -> None:
    inputs = tuple({"x": number} for number in range(100))
    result = strongest.run([Calls("f", "f", inputs, source="def f(x): return -x")]).results["f"]
    assert isinstance(result, CallsResult)
    assert [call.value for call in result.results] == [-number for number in range(100)]


def test_no_directory_of_other_packages_is_visible_not_even_its_names() -> None:
    for moved in (False, True):
        seen = layout.layout(moved=moved)
        readable, listable = layout.readable_paths(seen)
        assert not [path for path in (*readable, *listable) if path.endswith(("site-packages", "dist-packages"))]
        assert sys.prefix == sys.base_prefix or not [path for path in listable if path.startswith(sys.prefix + "/")]
        assert {Path(place).name for place in seen.packages.values()} == {"numpy", "sympy", "mpmath"}
