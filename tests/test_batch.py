"""A batch loses nothing: kills, full disks, unreadable files and dead workers, each of them real."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from classroom import QUICK
from classroom import Classroom as Room

from shardwise.atomic_files import alone_in
from shardwise.bank.bank import Bank
from shardwise.course import submissions
from shardwise.course.simulated_class import add_cell, fill, mistaken, right
from shardwise.errors import ShardwiseError
from shardwise.grading import reports
from shardwise.grading.batch import grade
from shardwise.grading.executors import pool
from shardwise.grading.ledger import LEDGER, Ledger
from shardwise.grading.worker import Settings, Task, work

SHARDWISE = str(Path(sys.executable).with_name("shardwise"))
CLASS = tuple(f"s{number:02}" for number in range(12))
FEW = ("bytes-per-gpu", "ring-time", "ring-time-function", "ring-or-tree")  # quick to draw and to grade
HANGING = 60  # seconds: a bound against waiting for ever, not for speed
SETTINGS = Settings(limits=QUICK)


@pytest.fixture
def room(tmp_path: Path, whole_bank: Bank) -> Room:
    """A class that has handed in: right, mistaken, right, ..."""
    made = Room(tmp_path, whole_bank, CLASS, FEW)
    for place, student in enumerate(CLASS):
        made.hand_in(student, (right, mistaken)[place % 2])
    return made


def files(out: Path) -> dict[str, bytes]:
    """Every byte of the results, but for the ledger, which also says when."""
    found = [one for one in out.rglob("*") if one.is_file() and not one.name.startswith((".", LEDGER))]
    return {one.relative_to(out).as_posix(): one.read_bytes() for one in found}


def command(room: Room, out: Path, *more: str) -> list[str]:
    return [SHARDWISE, "grade", str(room.handed_in), "--out", str(out), "--workers", "2", *more]


def undisturbed(room: Room) -> dict[str, bytes]:
    subprocess.run(command(room, room.out / "calm"), check=True, capture_output=True)
    return files(room.out / "calm")


def gradings(out: Path) -> int:
    """How many results the ledger holds; as another program would look."""
    try:
        with sqlite3.connect(f"file:{out / LEDGER}?mode=ro", uri=True, timeout=5) as db:
            count: int = db.execute("SELECT COUNT(*) FROM grading").fetchone()[0]
    except sqlite3.OperationalError:  # not there yet
        return 0
    db.close()
    return count


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + HANGING
    while not what():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def living(marker: str) -> list[int]:
    """Processes that are not zombies and whose environment has this marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_batch_killed_at_any_point_ends_as_an_undisturbed_one(room: Room) -> None:
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


def test_what_is_graded_is_not_graded_again(room: Room) -> None:
    out = room.out / "results"
    grade([room.handed_in], out, settings=SETTINGS)
    before = {one.key: one.at for one in history(out)}
    room.hand_in("s00", mistaken)
    batch = grade([room.handed_in], out, settings=SETTINGS)
    after = history(out)
    assert [one.graded.student for one in after if one.key not in before] == ["s00"]
    assert len(after) == len(CLASS) + 1
    first, second = (one.graded.points for one in after if one.graded.student == "s00")
    assert first is not None and second is not None and first > second
    assert {row.student: row.points for row in batch.rows()}["s00"] == second


def history(out: Path) -> list[Any]:
    with Ledger(out / LEDGER) as ledger:
        return list(ledger.history())


@pytest.mark.parametrize("harm", ["gone", "edited", "another kind"])
def test_a_page_that_is_gone_or_edited_is_written_again(room: Room, harm: str) -> None:
    out = room.out / "results"
    grade([room.handed_in], out, settings=SETTINGS)
    page = out / "feedback" / "week-1" / "s03.html"
    whole = page.read_bytes()
    if harm == "gone":
        page.unlink()
    elif harm == "edited":
        page.write_bytes(whole.replace(b"Not yet", b"Correct"))
    settings = Settings(limits=QUICK, solutions=harm == "another kind")
    grade([room.handed_in], out, settings=settings)
    assert (page.read_bytes() == whole) == (harm != "another kind")
    assert (b"the worked solution" in page.read_bytes()) == (harm == "another kind")
    assert len(history(out)) == len(CLASS)  # the grade is the same, and not a second one


def test_the_results_do_not_depend_on_workers_and_order(room: Room) -> None:
    expected = undisturbed(room)
    out = room.out / "one-by-one"
    for path in reversed(submissions_of(room)):
        grade([path], out, locks=[room.lock.path])
    reports.write(grade([room.handed_in], out))
    assert files(out) == expected


def submissions_of(room: Room) -> list[Path]:
    return [one.path for one in submissions.find([room.handed_in])]


def test_a_worker_that_is_killed_costs_nothing(room: Room) -> None:
    expected = undisturbed(room)
    out = room.out / "bereft"
    marker = f"SHARDWISE_TEST_MARKER={room.out.name}-bereft"
    environment = {**os.environ, **dict([marker.split("=")])}
    grading = subprocess.Popen(command(room, out), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: gradings(out) >= 1)
    workers = [pid for pid in living(marker) if b"multiprocessing" in command_line(pid)]
    assert workers
    os.kill(max(workers), signal.SIGKILL)
    said, complaints = grading.communicate()
    assert grading.returncode == 0, complaints.decode()
    assert b"12 graded, 0 could not be" in said
    assert b"tried again: a worker had died, or a file could not be read." in complaints
    assert files(out) == expected


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("place", [0, 1])
def test_a_pool_is_left_although_an_idle_worker_died_with_the_lock_of_their_queue(place: int) -> None:
    """An idle worker waits for work while it holds that lock; one of the two does."""
    with pool(2)() as executor:
        assert executor.submit(os.getpid).result() != os.getpid()
        assert executor.submit(os.getpid).result() != os.getpid()
        workers = list(executor._processes)  # type: ignore[attr-defined]
        os.kill(workers[min(place, len(workers) - 1)], signal.SIGKILL)


def deadly(settings: Settings, tasks: list[Task], sent_by: str) -> Any:
    """Work that kills its process, as the machine does when memory runs out, whenever it meets one student."""
    if any(task.graded.student == "s05" for task in tasks):
        os.kill(os.getpid(), signal.SIGKILL)
    return work(settings, tasks, sent_by)


class Deadly(Executor):
    """A pool whose workers do deadly work."""

    def __init__(self, inner: Executor) -> None:
        self.inner = inner

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self.inner.submit(deadly, *args, **kwargs)


@contextmanager
def deadly_pool() -> Iterator[Executor]:
    with pool(2)() as inner:
        yield Deadly(inner)


def test_a_notebook_that_kills_every_worker_is_ungraded_and_takes_nobody_with_it(room: Room) -> None:
    batch = grade([room.handed_in], room.out / "results", settings=SETTINGS, workers=2, executor=deadly_pool)
    rows = {row.student: row for row in batch.rows()}
    assert rows["s05"].status == "ungraded"
    assert rows["s05"].points is None
    assert "Our fault: the worker that graded this ended (BrokenProcessPool), every time." in rows["s05"].reason
    assert {row.status for student, row in rows.items() if student != "s05"} == {"graded"}
    again = grade([room.handed_in], room.out / "results", settings=SETTINGS)  # next time it is tried again
    assert {row.status for row in again.rows()} == {"graded"}


def test_a_full_disk_is_said_and_what_was_graded_is_kept(room: Room) -> None:
    """On a disk of its own, so small that a filler leaves room for a few results only."""
    expected = undisturbed(room)
    out, copied = room.out / "small-disk", room.out / "copied"
    out.mkdir()
    grading = " ".join(command(room, out))
    script = (
        f"head -c {2 * 2**20} /dev/zero > {out}/filler; {grading}; echo code $?; ls {out}; rm {out}/filler; "
        f"{grading} && cp -r {out} {copied}"
    )
    disk = ["bwrap", "--dev-bind", "/", "/", "--size", str(2 * 2**20 + 400_000), "--tmpfs", str(out)]
    done = subprocess.run([*disk, "sh", "-c", script], capture_output=True, text=True, check=True)
    assert f"shardwise: There is no room left where {out} lies." in done.stderr
    assert "Traceback" not in done.stderr
    assert "code 2" in done.stdout
    assert "12 graded, 0 could not be" in done.stdout
    assert files(copied) == expected


def test_a_file_that_cannot_be_read_is_reported_and_read_the_next_time(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = room.out / "results"
    memory = Path("/proc/self/mem")  # an ordinary file by its looks, which cannot be read at its beginning
    [row] = grade([memory], out).rows()
    assert (row.status, row.reason) == ("ungraded", "This file cannot be read: Input/output error.")
    failures = iter([OSError(5, "Input/output error")])
    whole = Path.read_bytes

    def flaky(path: Path) -> bytes:
        if path.name == "week-1.ipynb" and "s04" in path.parts and (error := next(failures, None)):
            raise error
        return whole(path)

    monkeypatch.setattr(Path, "read_bytes", flaky)
    batch = grade([room.handed_in], out, settings=SETTINGS)
    assert {row.status for row in batch.rows()} == {"graded"}
    assert next(failures, None) is None
    assert batch.tried_again == 1


def test_two_runs_do_not_write_into_one_folder(room: Room) -> None:
    out = room.out / "results"
    with alone_in(out):
        done = subprocess.run(command(room, out), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"shardwise: Another shardwise is writing results into {out}. Wait for it, or take another folder.\n"
    )


def test_an_interrupt_says_that_nothing_is_lost(room: Room) -> None:
    out = room.out / "results"
    grading = subprocess.Popen(command(room, out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: gradings(out) >= 1)
    grading.send_signal(signal.SIGINT)
    _, complaints = grading.communicate()
    assert grading.returncode == 130
    assert complaints == f"Stopped. What was graded is kept in {out}; the same command goes on from there.\n"


def test_a_file_that_is_no_ledger_is_left_alone(room: Room) -> None:
    out = room.out / "results"
    out.mkdir()
    (out / LEDGER).write_text("my notes, all of them, in a file with an unlucky name")
    with pytest.raises(ShardwiseError, match=r"is no ledger of ours .*Move it away to begin anew\."):
        grade([room.handed_in], out)
    assert (out / LEDGER).read_text().startswith("my notes")


def test_an_archive_is_read_without_being_unpacked(room: Room) -> None:
    """As a learning platform gives it: one zip file, here with members that lead out of it."""
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
    before = {one for one in room.out.rglob("*") if "results" not in one.parts}
    batch = grade([archive], room.out / "results", locks=[room.lock.path], settings=SETTINGS)
    rows = {row.path.removeprefix(f"{archive}/"): row for row in batch.rows() if row.path}
    assert {path for path, row in rows.items() if row.status == "graded"} == {
        f"{one}/week-1.ipynb" for one in CLASS[:3]
    }
    refused = [row.reason for row in rows.values() if row.status == "ungraded"]
    assert sum("its name leads out of the archive" in one for one in refused) == 5
    assert sum("This notebook has 30 MB" in one for one in refused) == 1
    assert {one for one in room.out.rglob("*") if "results" not in one.parts} == before


def test_an_archive_with_someone_elses_notebook_is_refused(room: Room) -> None:
    archive = room.out / "class.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.write(room.handed_in / "s00" / "week-1.ipynb", "s01/week-1.ipynb")
    [row, *_] = grade([archive], room.out / "results", locks=[room.lock.path]).rows()
    assert row.reason == "This is s00's notebook in s01's folder."


def test_a_damaged_archive_is_reported(room: Room) -> None:
    (room.handed_in / "s00" / "broken.zip").write_bytes(b"PK\x03\x04 and then nothing")
    batch = grade([room.handed_in], room.out / "results", settings=SETTINGS)
    [row] = [row for row in batch.rows() if row.status == "ungraded"]
    assert row.path.endswith("broken.zip")
    assert "This file is no zip archive that can be read" in row.reason


def test_results_of_unsafe_grading_are_never_taken_for_safe_ones(room: Room) -> None:
    out = room.out / "results"
    one = room.handed_in / "s00"
    grade([one], out, locks=[room.lock.path], settings=Settings(unsafe=True))
    batch = grade([one], out, locks=[room.lock.path], settings=Settings())
    assert next(batch.rows()).tier != "none"


def test_a_student_whose_cell_hangs_delays_and_harms_nobody(room: Room) -> None:
    slow = add_cell(fill(room.notebook("s01"), room.lock.questions("s01"), right), "while True: pass")
    room.put("s01", json.dumps(slow))
    batch = grade([room.handed_in], room.out / "results", settings=SETTINGS, workers=2)
    assert {row.status for row in batch.rows()} == {"graded"}
    shutil.rmtree(room.out / "results")
