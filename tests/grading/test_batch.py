"""A batch loses nothing: kills, full disks, unreadable files and dead workers, each of them real."""

from __future__ import annotations

import csv
import math
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from classroom import QUICK, Classroom
from shardwise.atomic_files import alone_in
from shardwise.bank.bank import Bank
from shardwise.course.assigning.simulated_class import mistaken, right
from shardwise.course.collecting import submitted_files as found_files
from shardwise.errors import ShardwiseError
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.running.executors import Here, pool
from shardwise.grading.worker import Settings, Task, work

SHARDWISE = (sys.executable, "-m", "shardwise")
CLASS = tuple(f"s{number:02}" for number in range(12))
FEW = ("bytes-per-gpu", "ring-time", "ring-time-function", "ring-or-tree")  # quick to draw and to grade
HANGING = 60  # seconds; a limit against hanging, not for speed
SLEEP = 4  # seconds; less than the limit of a cell
SETTINGS = Settings(limits=QUICK)

pytestmark = pytest.mark.usefixtures("one_sandbox")


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Classroom:
    """A class whose submissions are right, mistaken, right, ..."""
    made = Classroom(tmp_path, whole_bank, CLASS, FEW)
    for place, student in enumerate(CLASS):
        made.hand_in(student, (right, mistaken)[place % 2])
    return made


def files(out: Path) -> dict[str, bytes]:
    """Return every byte of the results except the ledger, which contains times."""
    found = [path for path in out.rglob("*") if path.is_file() and not path.name.startswith((".", LEDGER))]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


def command(room: Classroom, out: Path, *more: str) -> list[str]:
    return [*SHARDWISE, "grade", str(room.handed_in), "--out", str(out), "--workers", "2", *more]


def undisturbed(room: Classroom) -> dict[str, bytes]:
    subprocess.run(command(room, room.out / "calm"), check=True, capture_output=True)
    return files(room.out / "calm")


def gradings(out: Path) -> int:
    """Return the number of results in the ledger, read like another program would."""
    try:
        with sqlite3.connect(f"file:{out / LEDGER}?mode=ro", uri=True, timeout=5) as db:
            count: int = db.execute("SELECT COUNT(*) FROM grading").fetchone()[0]
    except sqlite3.OperationalError:  # does not exist yet
        return 0
    db.close()
    return count


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + HANGING
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def living(marker: str) -> list[int]:
    """Return the processes that are not zombies and have this marker in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


@pytest.mark.slow
def test_a_batch_killed_at_any_point_ends_as_an_undisturbed_one(room: Classroom) -> None:
    expected = undisturbed(room)
    dice = random.Random("kill")
    for attempt in range(4):
        out = room.out / f"killed-{attempt}"
        marker = f"SHARDWISE_TEST_MARKER={room.out.name}-{attempt}"
        environment = {**os.environ, **dict([marker.split("=")])}
        for stop_at in sorted(dice.sample(range(len(CLASS)), 2)):
            grading = subprocess.Popen(
                command(room, out), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            until(lambda: gradings(out) >= stop_at or grading.poll() is not None)  # noqa: B023
            time.sleep(dice.random() * 0.05)
            grading.kill()
            grading.communicate()
            until(lambda: not living(marker))  # noqa: B023  no worker and no sandbox outlives the batch
            assert gradings(out) >= min(stop_at, len(CLASS))
        subprocess.run(command(room, out), check=True, capture_output=True)
        assert files(out) == expected


def test_what_is_graded_is_not_graded_again(room: Classroom) -> None:
    out = room.out / "results"
    grade([room.handed_in], out, settings=SETTINGS)
    before = {grading.key: grading.at for grading in history(out)}
    room.hand_in("s00", mistaken)
    batch = grade([room.handed_in], out, settings=SETTINGS)
    after = history(out)
    assert [grading.result.student for grading in after if grading.key not in before] == ["s00"]
    assert len(after) == len(CLASS) + 1
    first, second = (grading.result.points for grading in after if grading.result.student == "s00")
    assert first is not None and second is not None and first > second
    assert {result.student: result.points for result in batch.results()}["s00"] == second


def history(out: Path) -> list[Any]:
    with Ledger(out / LEDGER) as ledger:
        return list(ledger.history())


@pytest.mark.parametrize("harm", ["gone", "edited", "another kind"])
def test_a_page_that_is_gone_or_edited_is_written_again(room: Classroom, harm: str) -> None:
    out = room.out / "results"
    grade([room.handed_in], out, settings=SETTINGS)
    page = out / "feedback" / "week-1" / "s03.html"
    whole = page.read_bytes()
    if harm == "gone":
        page.unlink()
    elif harm == "edited":
        page.write_bytes(whole.replace(b"Incorrect", b"Correct"))
    settings = Settings(limits=QUICK, solutions=harm == "another kind")
    grade([room.handed_in], out, settings=settings)
    assert (page.read_bytes() == whole) == (harm != "another kind")
    assert (b"Worked solution" in page.read_bytes()) == (harm == "another kind")
    assert len(history(out)) == len(CLASS)  # the same grade, not another one


def test_grading_part_of_a_class_does_not_make_the_others_missing(room: Classroom) -> None:
    few = [room.handed_in / student for student in CLASS[:3]]
    grade(few, room.out, locks=[room.lock], settings=SETTINGS)
    with pytest.raises(
        ShardwiseError, match=r"contains grades of 2 more notebooks, such as .*s01.*Name all of the notebooks"
    ):
        grade(few[:1], room.out, locks=[room.lock], settings=SETTINGS)
    assert {path.stem for path in room.out.rglob("*.html")} == set(CLASS[:3])
    for folder in few[1:]:
        shutil.rmtree(folder)
    graded = grade(few[:1], room.out, locks=[room.lock], settings=SETTINGS)
    assert [result.student for result in graded.results() if result.status == "graded"] == list(CLASS[:1])


def test_a_class_graded_part_by_part_into_one_folder_keeps_every_part(room: Classroom) -> None:
    first, second = CLASS[:3], CLASS[3:6]

    def graded(students: Sequence[str]) -> dict[str, str]:
        """Return each row's status by student."""
        batch = grade([room.handed_in / one for one in students], room.out, locks=[room.lock], settings=SETTINGS)
        reports.write_tables(batch)
        assert [result.student for result in batch.handed_in()] == list(students)
        with (room.out / "grades.csv").open(encoding="utf-8", newline="") as table:
            return {row["student"]: row["status"] for row in csv.DictReader(table)}

    graded(first)
    graded(second)
    rows = graded(first)
    assert rows == {student: "graded" if student in (*first, *second) else "missing" for student in CLASS}
    assert {path.stem for path in room.out.rglob("*.html")} == {*first, *second}
    shutil.rmtree(room.handed_in / second[0])  # withdrawn
    assert {student for student, status in graded(first).items() if status == "graded"} == {*first, *second[1:]}


def test_the_results_do_not_depend_on_workers_and_order(room: Classroom) -> None:
    expected = undisturbed(room)
    out = room.out / "one-by-one"
    for found in reversed(list(found_files.find([room.handed_in]))):
        grade([found.path], out, locks=[room.lock.path])
    reports.write_tables(grade([room.handed_in], out))
    assert files(out) == expected


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing(room: Classroom) -> None:
    """It is killed while the last notebook is running, which takes longer than finding and killing the worker."""
    room.hand_in("s11", right, f"import time\ntime.sleep({SLEEP})")
    expected = undisturbed(room)
    out = room.out / "bereft"
    grading = subprocess.Popen(command(room, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: gradings(out) == 11)
    os.kill(workers_of(grading.pid).pop(), signal.SIGKILL)
    assert gradings(out) == 11, "the machine is so busy that the last notebook came back before its worker was killed"
    said, complaints = grading.communicate()
    assert grading.returncode == 0, complaints.decode()
    assert b"12 graded, 0 could not be graded" in said
    assert (
        b"graded again, because of an error in the grader, a worker that died, or a file that could not be read."
        in complaints
    )
    assert files(out) == expected


def workers_of(command: int) -> list[int]:
    """Return the processes of a command's pool, which it forked. The servers of its sandboxes are also its children."""
    children = [
        int(entry.name) for entry in Path("/proc").glob("[0-9]*") if int(stat_of(int(entry.name))[1]) == command
    ]
    return [child for child in children if words_of(child) == words_of(command)]


def words_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def stat_of(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the process state on, so that the parent is the second; see proc(5)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["", "0"]


@pytest.mark.parametrize("place", [0, 1])
def test_a_pool_ends_although_an_idle_worker_died_with_the_queues_lock(place: int) -> None:
    """One of the two idle workers holds that lock while it waits for work."""
    with pool(2)() as executor:
        assert executor.submit(os.getpid).result() != os.getpid()
        assert executor.submit(os.getpid).result() != os.getpid()
        workers = list(executor._processes)  # type: ignore[attr-defined]
        os.kill(workers[min(place, len(workers) - 1)], signal.SIGKILL)


def deadly(settings: Settings, task: Task, sent_by: str) -> Any:
    """Work that kills its process for one student's notebook, as the system does when memory runs out."""
    if task.student == "s05":
        os.kill(os.getpid(), signal.SIGKILL)
    return work(settings, task, sent_by)


class Deadly(Executor):
    """Open a pool whose workers do that deadly work."""

    def __init__(self, inner: Executor) -> None:
        self.inner = inner

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self.inner.submit(deadly, *args, **kwargs)


@contextmanager
def deadly_pool() -> Iterator[Executor]:
    with pool(2)() as inner:
        yield Deadly(inner)


def dies(_: bytes) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_pool_ends_although_its_workers_died_before_they_read_what_was_sent() -> None:
    with pool(2)() as executor:
        sent = [executor.submit(dies, bytes(10**6)) for _ in range(8)]  # more than a pipe holds
        with pytest.raises(BrokenProcessPool):
            sent[0].result()


@pytest.mark.slow
def test_a_notebook_that_kills_every_worker_affects_no_other(room: Classroom) -> None:
    batch = grade([room.handed_in], room.out / "results", settings=SETTINGS, workers=2, executor=deadly_pool)
    results = {result.student: result for result in batch.results()}
    assert results["s05"].status == "ungraded"
    assert results["s05"].points is None
    assert (
        "Error in the grader, not in the notebook: the worker that graded it died (BrokenProcessPool), every time."
        in results["s05"].reason
    )
    assert {result.status for student, result in results.items() if student != "s05"} == {"graded"}
    again = grade([room.handed_in], room.out / "results", settings=SETTINGS)  # it is retried next time
    assert {result.status for result in again.results()} == {"graded"}


def test_an_unreadable_file_is_reported_and_read_the_next_time(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = room.out / "results"
    memory = Path("/proc/self/mem")  # it looks like a regular file, but reading its beginning fails
    [result] = grade([memory], out).results()
    assert (result.status, result.reason) == ("ungraded", "This file cannot be read: Input/output error.")
    failures = iter([OSError(5, "Input/output error")])
    whole = found_files.read_bounded

    def flaky(path: Path, most: int) -> bytes:
        if path.name == "week-1.ipynb" and "s04" in path.parts and (error := next(failures, None)):
            raise error
        return whole(path, most)

    monkeypatch.setattr(found_files, "read_bounded", flaky)
    batch = grade([room.handed_in], out, settings=SETTINGS)
    assert {result.status for result in batch.results()} == {"graded"}
    assert next(failures, None) is None
    assert batch.tried_again == 1


def test_two_runs_do_not_write_into_one_folder(room: Classroom) -> None:
    out = room.out / "results"
    with alone_in(out):
        done = subprocess.run(command(room, out), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"shardwise: Another shardwise command is writing to {out}. Wait until it ends, or use another folder.\n"
    )


def test_an_interrupt_reports_that_nothing_is_lost(room: Classroom) -> None:
    out = room.out / "results"
    room.hand_in("s11", right, f"import time\ntime.sleep({SLEEP})")
    grading = started(command(room, out))
    until(lambda: gradings(out) >= 1)
    grading.send_signal(signal.SIGINT)
    _, complaints = grading.communicate()
    assert grading.returncode == 130
    assert complaints == stopped(out)


def started(words: list[str]) -> subprocess.Popen[str]:
    """Start a command like a terminal, in its own process group, which handles Ctrl-C even if this process ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # otherwise it would inherit ignored signals
    try:
        return subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
    finally:
        signal.signal(signal.SIGINT, before)


def stopped(out: Path) -> str:
    return f"Stopped. Grades so far are saved in {out}. Run the same command again to continue.\n"


@pytest.mark.parametrize("harm", ["a folder in its place", "a table dropped"])
def test_an_unusable_ledger_is_reported_with_a_message(tmp_path: Path, harm: str) -> None:
    path = tmp_path / LEDGER
    if harm == "a folder in its place":
        path.mkdir()
    else:
        Ledger(path).close()
        with closing(sqlite3.connect(path)) as database, database:
            for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                database.execute(f"DROP TABLE {table}")
    with pytest.raises(ShardwiseError, match="cannot be used as a ledger"), Ledger(path) as ledger:
        list(ledger.history())


def test_a_ledger_of_another_version_is_refused_and_unchanged(tmp_path: Path) -> None:
    path = tmp_path / LEDGER
    Ledger(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 4")  # that version did not record what counted when
    before = path.read_bytes()
    with pytest.raises(
        ShardwiseError, match=r"another version of shardwise \(in format 4; this version reads format 6\)"
    ):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_file_that_is_not_a_ledger_is_left_alone(room: Classroom) -> None:
    out = room.out / "results"
    out.mkdir()
    (out / LEDGER).write_text("my notes, all of them, in a file with an unlucky name")
    with pytest.raises(ShardwiseError, match=r"is not a shardwise ledger .*Move it away to start a new one\."):
        grade([room.handed_in], out)
    assert (out / LEDGER).read_text().startswith("my notes")


def test_an_archive_is_read_without_being_unpacked(room: Classroom) -> None:
    """One zip file, as from a learning platform, here with members that point outside."""
    archive = room.out / "class.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for student in CLASS[:3]:
            zipped.write(room.handed_in / student / "week-1.ipynb", f"{student}/week-1.ipynb")
        for name in ("../out.ipynb", "/abs.ipynb", "a/../../up.ipynb", "..\\win.ipynb"):
            zipped.writestr(zipfile.ZipInfo(name), (room.handed_in / "s03" / "week-1.ipynb").read_bytes())
        link = zipfile.ZipInfo("s04/week-1.ipynb")
        link.external_attr = (0o120777) << 16
        zipped.writestr(link, "/etc/passwd")
        zipped.writestr("s05/week-1.ipynb", b" " * 30_000_000, zipfile.ZIP_DEFLATED)
    before = {path for path in room.out.rglob("*") if "results" not in path.parts}
    batch = grade([archive], room.out / "results", locks=[room.lock.path], settings=SETTINGS)
    results = {result.path.removeprefix(f"{archive}/"): result for result in batch.results() if result.path}
    assert {path for path, result in results.items() if result.status == "graded"} == {
        f"{student}/week-1.ipynb" for student in CLASS[:3]
    }
    refused = [result.reason for result in results.values() if result.status == "ungraded"]
    assert sum("its name points outside the archive" in reason for reason in refused) == 5
    assert sum("This notebook has 30 MB" in reason for reason in refused) == 1
    assert {path for path in room.out.rglob("*") if "results" not in path.parts} == before


def test_results_of_unsafe_grading_are_never_reused_as_safe_ones(room: Classroom) -> None:
    out = room.out / "results"
    notebook = room.handed_in / "s00"
    grade([notebook], out, locks=[room.lock.path], settings=Settings(unsafe=True))
    batch = grade([notebook], out, locks=[room.lock.path], settings=Settings())
    assert next(batch.results()).tier != "none"


@pytest.mark.parametrize("forge", [
    lambda found: (replace(found[0], student="s02"), found[1]),
    lambda found: (),
    lambda found: "nothing",
    lambda found: ("points", 4),
    lambda found: (replace(found[0], points=99.0), found[1]),
    lambda found: (replace(found[0], points=math.nan), found[1]),
    lambda found: (replace(found[0], scores=(1, 2)), found[1]),
])  # fmt: skip
def test_an_impossible_result_from_a_worker_is_an_error_in_the_grader(
    room: Classroom, forge: Callable[[Any], Any]
) -> None:
    """A broken worker of a cluster, or somebody else's, may do that."""

    class Forging(Here):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_result(forge(fn(*args, **kwargs)))
            return future

    one = room.handed_in / "s01"
    batch = grade([one], room.out / "results", settings=SETTINGS, executor=lambda: nullcontext(Forging()))
    [result] = batch.handed_in()
    assert (result.student, result.status, result.points) == ("s01", "ungraded", None)
    assert result.reason.startswith("Error in the grader, not in the notebook: a worker returned an impossible result")
