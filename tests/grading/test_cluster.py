"""A batch on a cluster: a real Dask scheduler and real worker processes on this machine, some of them killed, some unfit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from classroom import QUICK, Classroom
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.simulated_class import blank, mistaken, right, unreadable
from shardwise.errors import ShardwiseError
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.cluster import cluster
from shardwise.grading.cluster import executor as remote
from shardwise.grading.cluster import scheduler as way
from shardwise.grading.outcome import Batch
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.running.executors import Gone
from shardwise.grading.worker import Settings

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")

STUDENTS = tuple(f"s{number:02}" for number in range(20))
SLOW = ("s05", "s09", "s13")  # so that a worker is killed while it is working
SLEEP = "import time\ntime.sleep(60)"
SETTINGS = Settings(limits=QUICK)
SOON = 30.0  # seconds

# Code that makes a new worker unfit, and leaves a mark if the worker is given work nevertheless.
MARK = """
import pathlib, shardwise.grading.worker
real = shardwise.grading.worker.work
def work(*arguments):
    pathlib.Path({mark!r}).touch()
    return real(*arguments)
shardwise.grading.worker.work = work
"""
OTHER_ENGINE = "shardwise.grading.worker.engine = lambda: '0.0.9+another'\n"
NO_SANDBOX = "import platform, shutil\nshutil.which = lambda _: None\nplatform.machine = lambda: 'vax'\n"
NO_SHARDWISE = "import sys\nsys.modules['shardwise'] = None\n"


class Hall:
    """A scheduler and its workers, each in its own process group."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        idle = ("--idle-timeout", "10 minutes")  # in case nobody is left to stop it
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(self._file), *idle)
        with self.client() as client:
            self.address: str = client.scheduler.address

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{len(self._processes)}.log").open("wb")
        words = [sys.executable, "-m", "dask", *command, "--host", "127.0.0.1", "--no-dashboard"]
        with log:
            process = subprocess.Popen(words, stdout=log, stderr=log, cwd=self._folder, start_new_session=True)
        self._processes.append(process)
        return process

    @contextmanager
    def client(self) -> Iterator[distributed.Client]:
        """Return another client than the batch's, to observe it."""
        with distributed.Client(scheduler_file=str(self._file), timeout=SOON, set_as_default=False) as client:
            yield client

    def worker(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker with a nanny, which starts another one when it dies."""
        return self._start("worker", "--scheduler-file", str(self._file), "--nthreads", "1", *options)

    def unfit(self, how: str) -> Path:
        """Start a worker that runs this code first; return the file that exists if it was given work."""
        number = len(self._processes)
        mark, script = self._folder / f"mark-{number}", self._folder / f"preload_{number}.py"
        script.write_text((MARK.format(mark=str(mark)) if how != NO_SHARDWISE else "") + how)
        self.worker("--no-nanny", "--preload", str(script))
        return mark

    def await_workers(self, count: int) -> None:
        with self.client() as client:
            client.wait_for_workers(count, timeout=SOON)

    def dismiss(self, count: int = 0) -> None:
        """Kill the latest `count` workers, or all."""
        for process in self._processes[-count:]:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def hall_with(folder: Path, workers: int) -> Iterator[Hall]:
    folder.mkdir(exist_ok=True)
    opened = Hall(folder)
    try:
        for _ in range(workers):
            opened.worker()
        if workers:
            opened.await_workers(workers)
        yield opened
    finally:
        opened.dismiss()


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with hall_with(tmp_path_factory.mktemp("hall"), 2) as opened:
        yield opened


class Class:
    """Submissions of all qualities, and their results on this machine."""

    def __init__(self, folder: Path, bank: Bank) -> None:
        self.room = Classroom(folder, bank, STUDENTS)
        for place, student in enumerate(STUDENTS):
            slow = SLEEP if student in SLOW else None
            self.room.hand_in(student, (right, mistaken, unreadable, blank)[place % 4], slow)
        self.alone = self.results(self.grade(folder / "alone", workers=2))

    def grade(self, out: Path, workers: int = 1, **more: object) -> Batch:
        return grade([self.room.handed_in], out, workers=workers, settings=SETTINGS, **more)  # type: ignore[arg-type]

    def on(self, place: str, out: Path, said: list[str], step: Callable[[], object] = lambda: None) -> Batch:
        """Grade on a cluster; call `step` once, after the first result."""
        came: list[int] = []

        def progress(found: int) -> None:
            came.append(found)
            if len(came) == 1:
                step()

        with cluster(place, SETTINGS, said.append) as (executor, width):
            return self.grade(out, width, executor=executor, progress=progress)

    def results(self, batch: Batch) -> dict[str, bytes]:
        """Return the bytes of tables and pages."""
        reports.write_tables(batch)
        files = [path for path in batch.out.rglob("*") if path.is_file() and not path.name.startswith((LEDGER, "."))]
        return {path.relative_to(batch.out).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, whole_bank: Bank) -> Class:
    made = Class(tmp_path_factory.mktemp("class"), whole_bank)
    assert len(made.alone) == len(STUDENTS) + 3
    return made


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes_as_this_machine(hall: Hall, course: Class, tmp_path: Path) -> None:
    said: list[str] = []
    batch = course.on(hall.address, tmp_path / "out", said)
    assert course.results(batch) == course.alone
    assert said == [f"{os.uname().nodename}: 2 workers, sandbox 1"]


@pytest.mark.slow
def test_a_worker_killed_in_mid_batch_loses_nothing(hall: Hall, course: Class, tmp_path: Path) -> None:
    victim = hall.worker()
    hall.await_workers(3)
    with hall.client() as client:
        before = set(client.scheduler_info()["workers"])

        def kill_it_at_work() -> None:
            kill(victim)
            while len(client.scheduler_info()["workers"]) == len(before):
                time.sleep(0.05)

        batch = course.on(hall.address, tmp_path / "out", [], kill_it_at_work)
        assert len(client.scheduler_info()["workers"]) == 2
    assert course.results(batch) == course.alone


@pytest.mark.slow
def test_unfit_workers_are_named_and_given_nothing_whenever_they_join(
    hall: Hall, course: Class, tmp_path: Path
) -> None:
    marks = [hall.unfit(NO_SANDBOX), hall.unfit(NO_SHARDWISE)]
    hall.await_workers(4)
    said: list[str] = []

    def another_joins() -> None:
        marks.append(hall.unfit(OTHER_ENGINE))
        end = time.monotonic() + SOON
        while len(said) < 2 and time.monotonic() < end:
            time.sleep(0.05)

    try:
        batch = course.on(hall.address, tmp_path / "out", said, another_joins)
    finally:
        hall.dismiss(len(marks))
    assert course.results(batch) == course.alone
    first, later = said
    assert "2 workers, sandbox 1" in first
    assert first.count(": excluded the worker ") == 2
    assert ": Student code cannot be isolated on this machine" in first
    assert ": shardwise is not installed on it" in first
    assert ": it runs shardwise 0.0.9+another, but this batch comes from" in later
    assert not any(mark.exists() for mark in marks)


@pytest.mark.slow
def test_when_the_scheduler_dies_grades_are_kept_and_this_machine_continues(course: Class, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        hall_with(tmp_path / "hall", 1) as small,
        pytest.raises(Gone, match=r"went away .* Grades so far are saved\. Run the same command again"),
    ):
        course.on(small.address, out, [], lambda: kill(small.scheduler))
    with Ledger(out / LEDGER) as ledger:
        kept = [grading.key for grading in ledger.history()]
    assert 0 < len(kept) < len(STUDENTS)
    assert course.results(course.grade(out)) == course.alone
    with Ledger(out / LEDGER) as ledger:
        after = [grading.key for grading in ledger.history()]
    assert len(after) == len(STUDENTS)  # none of them twice
    assert set(kept) <= set(after)


@pytest.mark.slow
def test_without_workers_a_batch_does_not_wait_for_ever(
    course: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_LOOK", 0.2)
    monkeypatch.setattr(remote, "_PATIENCE", 0.4)
    with hall_with(tmp_path / "hall", 1) as small:
        with pytest.raises(Gone, match="No workers are left"):
            course.on(small.address, tmp_path / "out", [], lambda: small.dismiss(1))
        monkeypatch.setattr(way, "_ANSWER", 2)
        monkeypatch.setattr(way, "_FIRST", 1)
        with pytest.raises(ShardwiseError, match=r"has no workers. Start workers:  dask worker tcp://127"):
            course.on(small.address, tmp_path / "out", [])
        small.dismiss()
        with pytest.raises(ShardwiseError, match="No Dask scheduler answers at tcp://127"):
            course.on(small.address, tmp_path / "out", [])


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ShardwiseError, match=r'pip install "shardwise\[dask\]"'), cluster("tcp://x", SETTINGS, print):
        pass


@pytest.mark.parametrize(("place", "package"), [("slurm", "dask-jobqueue"), ("kubernetes", "dask-kubernetes")])
def test_starting_workers_needs_the_package_and_their_number(
    place: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, way.STARTERS[place][1], None)
    with pytest.raises(ShardwiseError, match="Use --workers to set how many"), cluster(place, SETTINGS, print):
        pass
    with (
        pytest.raises(ShardwiseError, match=rf'needs {package} .* pip install "shardwise\[{place}\]"'),
        cluster(place, SETTINGS, print, 2),
    ):
        pass


def test_an_invalid_address_is_reported() -> None:
    with (
        pytest.raises(ShardwiseError, match="'node1' is not the address of a scheduler"),
        cluster("node1", SETTINGS, print),
    ):
        pass


SBATCH = """#!/bin/sh
cp "$1" {folder}/job-$$.sh
setsid sh {folder}/job-$$.sh > {folder}/job-$$.log 2>&1 &
echo "Submitted batch job $!"
"""


@pytest.mark.slow
def test_slurm_jobs_grade_like_any_worker(course: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything except Slurm itself: a script in its place runs the job here."""
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    import dask.config

    with pytest.raises(ShardwiseError, match="sbatch is not installed here"):  # noqa: SIM117
        with cluster("slurm", SETTINGS, print, 2):
            pass
    for name, script in (("sbatch", SBATCH.format(folder=tmp_path)), ("scancel", '#!/bin/sh\nkill -TERM -- "-$1"\n')):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    job = {
        "cores": 1,
        "processes": 1,
        "memory": "2GB",
        "interface": "lo",
        "scheduler-options": {"dashboard_address": "127.0.0.1:0"},
    }
    with dask.config.set({f"jobqueue.slurm.{name}": value for name, value in job.items()}):
        said: list[str] = []
        with cluster("slurm", SETTINGS, said.append, 2) as (executor, width):
            assert width == 2
            batch = course.grade(tmp_path / "out", width, executor=executor)
    assert course.results(batch) == course.alone
    [script, _] = tmp_path.glob("job-*.sh")
    assert "#SBATCH --cpus-per-task=1" in script.read_text()
    assert "--nthreads 1" in script.read_text()


def test_nothing_is_graded_on_a_cluster_without_a_sandbox() -> None:
    with pytest.raises(ShardwiseError, match="its workers receive every student's keys"):  # noqa: SIM117
        with cluster("tcp://127.0.0.1:1", Settings(unsafe=True), print):
            pass


@pytest.mark.slow
def test_the_command_grades_on_a_cluster(hall: Hall, course: Class, tmp_path: Path) -> None:
    notebook = course.room.handed_in / "s00"
    more = ["--lock", str(course.room.lock.path), "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, ["grade", str(notebook), *more, "--scheduler", hall.address])
    assert "2 workers, sandbox 1" in done.stderr
    assert "1 graded" in done.stdout
    assert "slurm" not in done.output
    both = CliRunner().invoke(app, ["grade", str(notebook), *more, "--scheduler", hall.address, "--slurm"])
    assert "Use only one of --scheduler, --slurm and --kubernetes" in str(both.exception)
