"""A class of 96 hands in one set in every layout that course systems write: each notebook finds its student, or words say what to do."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from checkout import ROOT
from shardwise.cli.main import app
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import blank, fill, right, unreadable
from shardwise.grading.results import Result, read_results

CLASS = Path(__file__).with_name("class")
ENTRIES: list[dict[str, Any]] = YAML(typ="safe").load(CLASS / "submissions.yaml")
EXPORT = "gradescope/assignment_1_export/submission_metadata.yml"
HANDED_IN, DUE = datetime.fromisoformat("2026-06-01T10:00:00Z"), "2026-06-02T00:00:00Z"
LATER = datetime.fromisoformat("2026-06-03T10:00:00Z")
OTHER_FILES = {
    "broken": b"{",
    "empty": b"",
    "export": (CLASS / "submission_metadata.yml").read_bytes(),
    "foreign": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "page": b"<p>My answer",
    "PDF": b"%PDF-1.7",
    "picture": b"\x89PNG",
    "script": b"answer = 1\n",
}

pytestmark = pytest.mark.usefixtures("one_sandbox")


def contents(lock: Lock, words: str) -> bytes:
    """Return a file's contents: one of the others, or a student's notebook, changed as the words before the student say."""
    if words in OTHER_FILES:
        return OTHER_FILES[words]
    how, _, student = words.rpartition(" ")
    made = json.loads((lock.path.parent / "notebooks" / student / "week-1.ipynb").read_text("utf-8"))
    made = fill(made, lock.questions(student), {"blank": blank, "unreadable": unreadable}.get(how, right))
    ours = made["metadata"]["shardwise"]
    match how:
        case "nameless":
            del ours["student"]
        case "stranger's":
            ours["student"] = "zzorn"
        case "week-0":
            ours["set"] = "week-0"
        case "old":
            made["nbformat"] = 3
        case "stripped":
            for each in (made, *made["cells"]):
                each["metadata"] = {}
    text = json.dumps(made, indent=1, ensure_ascii=False)
    match how:
        case "cut":
            text = text[: len(text) // 2]
        case "unmerged":
            text = text.replace('"cells": [', '<<<<<<< HEAD\n"cells": [', 1)
    return text.encode({"wide": "utf-16", "marked": "utf-8-sig"}.get(how, "utf-8"))


def zipped(files: Mapping[str, bytes], at: datetime = HANDED_IN) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in packed(files).items():
            archive.writestr(zipfile.ZipInfo(name, at.timetuple()[:6]), data)
    return made.getvalue()


def packed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with an archive in place of those with .zip/ in their path."""
    archives: dict[str, dict[str, bytes]] = {}
    plain: dict[str, bytes] = {}
    for place, data in files.items():
        outer, mark, inner = place.partition(".zip/")
        if mark:
            archives.setdefault(f"{outer}.zip", {})[inner] = data
        else:
            plain[place] = data
    return plain | {
        place: zipped(inside, at=LATER) for place, inside in archives.items()
    }  # a student's clock may be wrong


def command(*words: object) -> Any:
    return CliRunner().invoke(app, [*map(str, words), "--bank", str(ROOT)])


@pytest.fixture(scope="module")
def lock(tmp_path_factory: pytest.TempPathFactory) -> Lock:
    """The set, handed out to the class."""
    folder = tmp_path_factory.mktemp("course")
    definition = f"name: week-1\ntitle: Week 1\nproblems: [bytes-per-gpu, ring-or-tree]\ndue: {DUE}\n"
    (folder / "week-1.yaml").write_text(definition)
    done = command("assign", folder / "week-1.yaml", "--roster", CLASS / "roster.csv", "--out", folder)
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    return Lock(folder / "week-1.lock.jsonl")


@pytest.fixture(scope="module")
def files(lock: Lock) -> dict[str, bytes]:
    """Everything that was handed in."""
    handed_in = [entry for whole in ENTRIES for entry in whole.values() if isinstance(entry, dict)]
    made = {place: contents(lock, words) for each in handed_in for place, words in each.items()}
    return made | {EXPORT: OTHER_FILES["export"]}


@pytest.fixture(scope="module")
def results(lock: Lock, files: dict[str, bytes]) -> dict[str, list[Result]]:
    """The results of each student, and those of nobody."""
    submitted = lock.path.parent / "submitted"
    for place, data in packed(files).items():
        path = submitted / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (HANDED_IN.timestamp(),) * 2)
    return graded(submitted, lock)


def graded(submitted: Path, lock: Lock) -> dict[str, list[Result]]:
    out = lock.path.parent / f"results of {submitted.name}"
    done = command("grade", submitted, "--lock", lock.path, "--out", out)
    assert done.exit_code == 1, f"{done.output}{done.exception}"  # some need a decision
    found: dict[str, list[Result]] = {}
    for result in read_results(out):
        found.setdefault(result.student or "nobody", []).append(result)
    return found


def outcome(result: Result) -> str:
    if result.status == "graded":
        return f"{'late ' if result.late else ''}{result.points:g}"
    return result.reason if result.status == "ungraded" else result.status


@pytest.mark.parametrize("entry", ENTRIES, ids=[next(iter(entry)) for entry in ENTRIES])
def test_a_submission_finds_its_student_or_words_say_what_to_do(
    results: dict[str, list[Result]], entry: dict[str, Any]
) -> None:
    (_, handed_in), *students = entry.items()
    for student, expected in students:
        own = results[student]
        if student == "nobody":
            own = [each for each in own if each.path.partition("/submitted/")[2] in handed_in]
        [said] = {outcome(each) for each in own}  # the rows of two versions have the same words
        is_exact = re.fullmatch(r"(late )?[\d.]+|missing", str(expected))
        assert said == str(expected) if is_exact else str(expected) in said


def test_nobody_is_missing_from_the_results_and_nothing_else_is_in_them(results: dict[str, list[Result]]) -> None:
    listed = [student for entry in ENTRIES for student in list(entry)[1:]]
    students = [student for student in listed if student != "nobody"]
    assert sorted(students) == sorted(set(results) - {"nobody"})
    assert len(results["nobody"]) == listed.count("nobody")
    assert all(len(own) == 1 for own in results.values() if any(each.points is not None for each in own))


def test_a_class_in_one_archive_is_graded_as_in_folders(
    lock: Lock, files: dict[str, bytes], results: dict[str, list[Result]], tmp_path: Path
) -> None:
    in_folders = {place: data for place, data in files.items() if not place.startswith(("gradescope/", "ppaul/"))}
    archive = tmp_path / "download.zip"
    archive.write_bytes(zipped(in_folders))
    found = graded(archive, lock)
    for student, own in results.items():
        if "/gradescope/" not in own[0].path and student not in ("ppaul", "ggross"):
            assert [(each.status, each.points, each.late) for each in found[student]] == [
                (each.status, each.points, each.late) for each in own
            ]


def test_an_archive_that_would_lose_who_submitted_what_is_refused(
    lock: Lock, files: dict[str, bytes], tmp_path: Path
) -> None:
    gradescope = {place.removeprefix("gradescope/"): data for place, data in files.items() if "gradescope/" in place}
    (tmp_path / "export.zip").write_bytes(zipped(gradescope))
    (tmp_path / "class.zip").write_bytes(zipped({place: data for place, data in files.items() if "moodle/" in place}))
    reasons = {Path(each.path).name: each.reason for each in graded(tmp_path, lock)["nobody"]}
    assert "is read only from a folder. Unpack the archive" in reasons["export.zip"]
    assert "has the notebooks of a class, name it in the command instead" in reasons["class.zip"]
