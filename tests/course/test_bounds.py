"""Limits on submissions, with the real command: one student's files cost others neither their grades nor their time."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import shardwise
from classroom import Classroom
from shardwise.bank.bank import Bank
from shardwise.bank.lesson import figure_of, lesson_of
from shardwise.cli.main import app
from shardwise.course.assigning.simulated_class import fill, right
from shardwise.course.collecting import identity
from shardwise.course.collecting import submitted_files as found_files
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.course.collecting.submitted_files import BadSubmission
from shardwise.errors import Faulty
from shardwise.grading import batch

CHAPTER = "01-ring-all-reduce"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, whole_bank: Bank) -> Classroom:
    return Classroom(
        tmp_path_factory.mktemp("course"), whole_bank, ("ada", "mallory", "zoe"), ("bytes-per-gpu", "ring-time")
    )


@pytest.fixture
def room(drawn: Classroom, tmp_path: Path) -> Classroom:
    """Two honest students, one before and one after the attacker in alphabetical order."""
    drawn.handed_in = tmp_path / "submitted"
    for student in ("ada", "zoe"):
        drawn.hand_in(student, right)
    (drawn.handed_in / "mallory").mkdir()
    return drawn


def own(room: Classroom, student: str = "mallory") -> str:
    return json.dumps(fill(room.notebook(student), room.lock.questions(student), right))  # type: ignore[arg-type]


def graded(room: Classroom, *paths: Path, out: Path | None = None) -> tuple[list[dict[str, Any]], str]:
    """Return the rows of the table and the output, after checking that each honest student has one row with points."""
    out = out or room.handed_in.parent / "results"
    options = "--out", str(out), "--lock", str(room.lock.path), "--workers", "1"
    ran = CliRunner().invoke(app, ["grade", *map(str, paths or [room.handed_in]), *options])
    assert ran.exit_code in (0, 1), ran.output
    assert "Traceback" not in ran.output
    with (out / "grades.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    for student in ("ada", "zoe"):
        [row] = [row for row in rows if row["student"] == student]
        assert row["points"] == row["max_points"] != "", row
        assert (out / "feedback" / "week-1" / f"{student}.html").is_file()
    return [row for row in rows if row["student"] not in ("ada", "zoe")], ran.output


def zipped(path: Path, members: dict[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, contents in members.items():
            archive.writestr(name, contents)
    return path


@pytest.fixture
def deep(room: Classroom) -> Iterator[Path]:
    """A folder with 1,200 nested folders, which Python's own function could not delete."""
    place, at = room.handed_in / "mallory", os.getcwd()
    os.chdir(place)
    try:
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
        Path("week-1.ipynb").write_text(own(room))
        os.chdir(at)
        yield place
    finally:
        os.chdir(at)
        subprocess.run(["rm", "-rf", place / "d"], check=True)


def test_folders_nested_1200_deep_are_reported(room: Classroom, deep: Path) -> None:
    [row], _ = graded(room)
    assert (row["student"], row["status"]) == (deep.name, "ungraded")
    assert "more than 16 levels deep" in row["reason"]


def practice(room: Classroom) -> str:
    return json.dumps(
        {"cells": [], "metadata": {"shardwise": {"practice": CHAPTER}}, "nbformat": 4, "nbformat_minor": 5}
    )


def test_a_practice_notebook_with_a_name_of_255_bytes_gets_its_own_page(room: Classroom) -> None:
    names = ["x" * 249, "x" * 248 + "y", "é" * 120]
    for name in names:
        (room.handed_in / f"{name}.ipynb").write_text(practice(room))
    rows, _ = graded(room)
    assert [row["status"] for row in rows] == ["graded"] * 3 + ["missing"]
    pages = list((room.handed_in.parent / "results" / "feedback" / CHAPTER).iterdir())
    assert len(pages) == 3
    assert all(len(page.name.encode()) < 130 for page in pages)


def test_a_page_that_cannot_be_written_is_reported_and_the_others_are_written(room: Classroom) -> None:
    (room.handed_in / "mallory" / "week-1.ipynb").write_text(own(room))
    (room.handed_in.parent / "results" / "feedback" / "week-1" / "mallory.html" / "in the way").mkdir(parents=True)
    [row], _ = graded(room)
    assert (row["student"], row["status"], row["points"]) == ("mallory", "ungraded", "")
    assert "Error in the grader, not in the notebook: IsADirectoryError" in row["reason"]


@pytest.mark.parametrize("lie", ["locator", "none"])
def test_an_archive_that_hides_the_length_of_its_list_cannot_be_read(room: Classroom, lie: str) -> None:
    path = zipped(room.handed_in / "mallory" / "work.zip", {"week-1.ipynb": own(room)})
    whole = path.read_bytes()
    at = whole.rindex(b"PK\5\6")
    locator = b"PK\6\7" + bytes(16)
    path.write_bytes(whole[:at] + locator + whole[at:] if lie == "locator" else whole[:at])
    [row], _ = graded(room)
    assert "not a readable zip archive" in row["reason"]


@pytest.mark.slow
def test_a_small_archive_that_unpacks_to_a_gigabyte_is_read_to_its_bound(room: Classroom) -> None:
    bomb = '{"cells": [' + "[]," * 300_000 + "[]" + " " * 18_000_000 + '], "nbformat": 4, "metadata": {}}'
    zipped(room.handed_in / "mallory" / "work.zip", {f"{number}.ipynb": bomb for number in range(50)})
    began = time.process_time()
    rows, _ = graded(room)
    assert time.process_time() - began < 15  # an archive of 40 members once took 82 s
    assert len(rows) == BOUNDS.unpacked_bytes // len(bomb) + 1
    assert "48 more notebooks here were not read" in rows[-1]["reason"]


def test_of_25_notebooks_of_a_student_20_are_read(room: Classroom) -> None:
    for number in range(15):
        place = room.handed_in / "mallory" / f"try {number}"
        place.mkdir()
        (place / "week-1.ipynb").write_text("{")
    zipped(room.handed_in / "mallory" / "more.zip", {f"{number}.ipynb": "{" for number in range(10)})
    rows, _ = graded(room)
    assert len(rows) == 21
    [line] = [row for row in rows if "more notebooks here" in row["reason"]]
    assert (line["student"], line["notebook"]) == ("mallory", str(room.handed_in / "mallory"))
    assert line["reason"].startswith("5 more notebooks here were not read: the limit per student is 20")


def test_a_notebook_of_a_million_brackets_is_refused_before_it_is_parsed(room: Classroom) -> None:
    nested = "[" * 500 + "]" * 500
    (room.handed_in / "mallory" / "week-1.ipynb").write_text("[" + ",".join([nested] * 2_000) + "]")
    [row], _ = graded(room)
    assert row["reason"] == "This notebook has more than 1,000,000 brackets. Clear its outputs."


# A command and its own peak memory: the value from `wait4` includes the process that started it.
AND_ITS_MEMORY = """
import atexit, pathlib
from shardwise.__main__ import main
atexit.register(lambda: print(pathlib.Path("/proc/self/status").read_text()))
main()
"""


@pytest.mark.parametrize(
    "name",
    ["sparse.lock.jsonl", *(pytest.param(name, marks=pytest.mark.slow) for name in ("brackets.lock.jsonl", "many"))],
)
def test_lock_files_in_a_students_repository_cost_nobody_a_grade(room: Classroom, name: str) -> None:
    """If the notebooks are named one by one, they are above only mallory's."""
    repository = room.handed_in / "mallory"
    (repository / "work").mkdir()
    (repository / "work" / "week-1.ipynb").write_text(own(room))
    if name == "sparse.lock.jsonl":
        with (repository / name).open("wb") as file:
            file.truncate(1_500_000_000)
    elif name == "brackets.lock.jsonl":
        (repository / name).write_bytes(b"[" + b"[]," * 30_000_000)
    else:
        for number in range(3_000):
            (repository / f"{number}.lock.jsonl").write_text('{"set": "week-1", "format": 3, "key": "theirs"}\n')
    notebooks = sorted(room.handed_in.rglob("*.ipynb"))
    out = room.handed_in.parent / "results"
    grades = ["grade", *map(str, notebooks), "--out", str(out), "--workers", "1"]
    command = [sys.executable, "-c", AND_ITS_MEMORY, *grades]
    environment = {**os.environ, "SHARDWISE_KEY": room.lock.key.hex()}
    shutil.copy(room.lock.path, room.handed_in.parent)
    grader = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert grader.stdout is not None
    with grader.stdout:
        said = grader.stdout.read()
    assert (grader.wait(), "Traceback" in said) == (0, False), said
    assert said.count(".lock.jsonl") == 1, said
    assert int(re.findall(r"VmHWM:\s+(\d+) kB", said)[-1]) < 300_000


@pytest.mark.parametrize("name", ["WEEK.IPYNB", "week-1.Ipynb", "work.ZIP"])
def test_a_suffix_may_be_in_capitals(room: Classroom, name: str) -> None:
    path = room.handed_in / "mallory" / name
    if name.endswith("ZIP"):
        zipped(path, {"Week.IPYNB": own(room)})
    else:
        path.write_text(own(room))
    [row], _ = graded(room)
    assert row["points"] == row["max_points"] != ""


def test_files_that_jupyter_and_a_mac_put_into_an_archive_are_ignored(room: Classroom) -> None:
    junk = {
        "week/.ipynb_checkpoints/week-1-checkpoint.ipynb": own(room), "__MACOSX/week/._week-1.ipynb": b"\0\5\x16\7",
        "week/._week-1.ipynb": b"\0\5\x16\7", ".ipynb_checkpoints/week-1-checkpoint.ipynb": "{",
    }  # fmt: skip
    zipped(room.handed_in / "mallory" / "work.zip", {**junk, "week/week-1.ipynb": own(room)})
    (room.handed_in / "mallory" / "._week-1.ipynb").write_bytes(b"\0\5\x16\7")
    (room.handed_in / "mallory" / "__MACOSX").mkdir()
    (room.handed_in / "mallory" / "__MACOSX" / "week-1.ipynb").write_text("{")
    [row], _ = graded(room)
    assert row["points"] == row["max_points"] != ""


def test_an_archive_without_a_notebook_is_reported_unless_there_is_another(room: Classroom) -> None:
    zipped(room.handed_in / "mallory" / "data.zip", {"data.csv": "1"})
    [row], _ = graded(room)
    assert (row["student"], row["reason"]) == (
        "mallory",
        "This archive contains no notebook (*.ipynb), only data.csv. Hand in the notebook itself.",
    )
    (room.handed_in / "mallory" / "week-1.ipynb").write_text(own(room))
    [row], _ = graded(room, out=room.handed_in.parent / "again")
    assert row["status"] == "graded"


@pytest.mark.parametrize(
    "names", [["report.pdf"], ["work.tar.gz"], ["a.py", "b.html", "c.docx", *(f"d{n}.png" for n in range(9))]]
)
def test_a_file_that_is_neither_notebook_nor_zip_is_reported_unless_there_is_a_notebook(
    room: Classroom, names: list[str]
) -> None:
    for name in names:
        (room.handed_in / "mallory" / name).write_text("")
        (room.handed_in / name).write_text("")  # and nobody's
    [row], _ = graded(room)
    assert (row["student"], row["status"]) == ("mallory", "ungraded")
    assert all(name in row["reason"] for name in names[:5])
    assert re.search(
        r"neither a notebook \(\*.ipynb\) nor an|neither notebooks \(\*.ipynb\) nor archives", row["reason"]
    )
    (room.handed_in / "mallory" / "week-1.ipynb").write_text(own(room))
    [row], _ = graded(room, out=room.handed_in.parent / "again")
    assert row["status"] == "graded"


@pytest.mark.parametrize("name", ["week-1.ipynb.txt", "week-1.IPYNB.json"])
def test_a_notebook_with_a_suffix_that_a_browser_added_is_read(room: Classroom, name: str) -> None:
    (room.handed_in / "mallory" / name).write_text(own(room))
    [row], _ = graded(room)
    assert row["points"] == row["max_points"] != ""


def test_nested_archives_are_read_within_bounds(room: Classroom) -> None:
    packed = zipped(room.handed_in.parent / "inner.zip", {"week-1.ipynb": own(room)}).read_bytes()
    for depth in range(3):
        outer = zipped(room.handed_in / "mallory" / "outer.zip", {"inner.zip": packed})
        [row], _ = graded(room, out=room.handed_in.parent / f"out-{depth}")
        assert row["status"] == ("graded" if depth < 2 else "ungraded"), row["reason"]
        packed = outer.read_bytes()
    assert "Archives are nested too deeply here" in row["reason"]
    bomb = zipped(room.handed_in.parent / "bomb.zip", {"week-1.ipynb": b"0" * 39_000_000}).read_bytes()
    zipped(room.handed_in / "mallory" / "outer.zip", {f"{number}.zip": bomb * 1 for number in range(30)})
    started = time.monotonic()
    rows, _ = graded(room, out=room.handed_in.parent / "bombs")
    assert {row["status"] for row in rows} == {"ungraded"}
    assert time.monotonic() - started < 20


def test_an_encrypted_archive_is_reported(room: Classroom) -> None:
    path = zipped(room.handed_in / "mallory" / "week-1.zip", {"week-1.ipynb": own(room)})
    packed = bytearray(path.read_bytes())
    for record, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        packed[packed.find(record) + flags] |= 1
    path.write_bytes(packed)
    [row], _ = graded(room)
    assert row["reason"] == "This member of a zip archive is encrypted. Hand in the notebook itself."


def test_an_unreadable_folder_is_reported(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refusing(place: Any) -> Any:
        if Path(place).name == "mallory":
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refusing)
        found = list(found_files.find([room.handed_in], lambda folder: folder.name in room.lock.places))
    assert [notebook.path.parent.name for notebook in found] == ["ada", "zoe", "submitted"]
    with pytest.raises(BadSubmission, match=r"This folder cannot be read: Permission denied\."):
        found[-1].contents()
    assert identity.owner(found[-1], room.lock) == "mallory"


@pytest.mark.parametrize("is_named", [True, False], ids=["named", "found"])
def test_times_in_an_archive_count_only_if_it_was_named(tmp_path: Path, is_named: bool) -> None:
    member = zipfile.ZipInfo("week-1.ipynb", (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(tmp_path / "work.zip", "w") as archive:
        archive.writestr(member, "{}")
    [found] = found_files.find([tmp_path / "work.zip" if is_named else tmp_path])
    assert (found.changed().year == 1980) is is_named
    assert is_named or found.changed().year >= datetime.now().year - 1


UNBOUNDED = {  # files that only we write, by module
    "course/collecting/archives.py": {"read"},  # the end of an archive, 65,557 bytes
    "course/assigning/keys.py": {"read_bytes"},  # the register of the keys that were used here
    "grading/running/cores.py": {"read_text"},  # of /proc and /sys
    "grading/feedback_page.py": {"read_text"},  # of the package
}


def test_course_and_grading_limit_the_bytes_that_they_read() -> None:
    """A new unbounded read fails here: use read_bounded, first_line or lines_of from text_files, or a file's read(most)."""
    package = Path(shardwise.__file__).parent
    found: dict[str, set[str]] = {}
    for path in [*package.glob("course/**/*.py"), *package.glob("grading/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name, bounded = node.func.attr, bool(node.args)
                if name in ("read_text", "read_bytes") or (name in ("read", "readline", "readlines") and not bounded):
                    found.setdefault(path.relative_to(package).as_posix(), set()).add(name)
    assert found == UNBOUNDED


@pytest.mark.parametrize("file", ["figures/plot.png", "lesson.md"])
def test_a_link_out_of_the_bank_is_not_rendered_into_a_notebook(tmp_path: Path, file: str) -> None:
    chapter = tmp_path / "bank" / "problems" / "01-x"
    (chapter / "figures").mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (chapter / file).symlink_to(secret)
    with pytest.raises(Faulty, match="is a link to a file outside of the bank"):
        figure_of(chapter, "plot.png") if file.startswith("figures") else lesson_of(chapter)


def test_the_notebooks_of_one_student_share_a_time_budget_and_others_do_not_wait(
    room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A notebook beyond the budget gets no zero: it is not graded, and the report says why."""
    monkeypatch.setattr(batch, "BOUNDS", replace(BOUNDS, seconds=1.5, at_once=1))
    slow = json.loads(own(room))
    slow["cells"].append({"cell_type": "code", "source": "import time\ntime.sleep(1)", "metadata": {}})
    for number in range(5):  # one after the other; the intake prepares the next while one runs
        slow["cells"][-1]["source"] += f"\n{number}"
        (room.handed_in / "mallory" / f"{number}.ipynb").write_text(json.dumps(slow))
    rows, _ = graded(room)
    ungraded = [row for row in rows if "that one student has in a run" in row["reason"]]
    assert len(ungraded) == 2
    assert all(row["points"] == "" for row in ungraded)
