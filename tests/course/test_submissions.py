"""A class of 80 hands in one set, in every layout that course systems write: each notebook finds its student, or words say what to do."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
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

HERE = Path(__file__).parent
ENTRIES: list[dict[str, Any]] = YAML(typ="safe").load(HERE / "submissions.yaml")
ON_TIME, DUE = "2026-06-01T10:00:00Z", "2026-06-02T00:00:00Z"
EXPORT = "".join(
    f"submission_{number}:\n  :submitters:\n{people}  :created_at: {when}\n  :results:\n    tests: []\n"
    for number, people, when in (
        (300001, "  - :name: Benjamin B.\n    :sid: s4410056\n    :email: ben@home.example\n", "2026-06-01 10:00:00.12 Z"),
        (300002, "  - :name: C. C.\n    :sid: ''\n    :email: ccohen@uni.example\n", "2026-06-01 10:00:00.12 Z"),
        (300003, "  - :name: Dirk Dorn\n    :sid: ''\n    :email: dirk@home.example\n", "2026-06-01 10:00:00.12 Z"),
        (300004, "  - :name: Ella Ebert\n    :sid:\n", "2026-06-01 10:00:00.12 Z"),
        (300005, "  - :name: Felix Fuchs\n  - :name: Greta Gross\n", "2026-06-01 10:00:00.12 Z"),
        (300006, "  - :name: Hugo Huber\n", "2026-06-03 10:00:00.12 Z"),
    )
)  # fmt: skip
OTHER_FILES = {
    "empty": b"",
    "PDF": b"%PDF-1.7",
    "picture": b"\x89PNG",
    "script": b"answer = 1\n",
    "page": b"<p>My answer",
}


def notebook(lock: Lock, notebooks: Path, words: str) -> bytes:
    """Return what is in a file: a student's notebook, changed as its first word says."""
    how, _, student = words.rpartition(" ")
    if words in OTHER_FILES or words == "broken":
        return OTHER_FILES.get(words, b"{")
    if words == "foreign":
        return json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    asked = "eengel" if student == "stranger" else student
    made = json.loads((notebooks / asked / "week-1.ipynb").read_text("utf-8"))
    made = fill(made, lock.questions(asked), {"blank": blank, "unreadable": unreadable}.get(how, right))
    ours = made["metadata"]["shardwise"]
    if how == "nameless":
        del ours["student"]
    elif how == "week-0":
        ours["set"] = how
    elif how == "old":
        made["nbformat"] = 3
    elif how == "stripped":
        for each in (made, *made["cells"]):
            each["metadata"] = {}
    if student == "stranger":
        ours["student"] = "zzorn"
    text = json.dumps(made, indent=1, ensure_ascii=False)
    if how == "broken":
        text = text[: len(text) // 2]
    if how == "unmerged":
        text = text.replace('"cells": [', '<<<<<<< HEAD\n"cells": [', 1)
    return text.encode({"wide": "utf-16", "marked": "utf-8-sig"}.get(how, "utf-8"))


def packed(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return files with an archive in place of those with .zip/ in their path, which may have archives in it."""
    archives: dict[str, dict[str, bytes]] = {}
    plain: dict[str, bytes] = {}
    for place, contents in files.items():
        outer, mark, inner = place.partition(".zip/")
        if mark:
            archives.setdefault(f"{outer}.zip", {})[inner] = contents
        else:
            plain[place] = contents
    for place, inside in archives.items():
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as file:
            for name, contents in packed(inside).items():
                file.writestr(name, contents)
        plain[place] = made.getvalue()
    return plain


def command(*words: object) -> Any:
    return CliRunner().invoke(app, [*map(str, words), "--bank", str(ROOT)])


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the set handed out and everything handed in."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "week-1.yaml").write_text(
        f"name: week-1\ntitle: Week 1\nproblems: [bytes-per-gpu, ring-or-tree]\ndue: {DUE}\n"
    )
    done = command("assign", folder / "week-1.yaml", "--roster", HERE / "class.csv", "--out", folder)
    assert done.exit_code == 0, f"{done.output}{done.exception}"
    lock = Lock(folder / "week-1.lock.jsonl")
    files = {
        place: notebook(lock, folder / "notebooks", words)
        for entry in ENTRIES
        for value in entry.values()
        if isinstance(value, dict)
        for place, words in value.items()
    }
    for place, contents in packed(
        files | {"gradescope/assignment_1_export/submission_metadata.yml": EXPORT.encode()}
    ).items():
        path = folder / "submitted" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        os.utime(path, (datetime.fromisoformat(ON_TIME).timestamp(),) * 2)
    return folder


@pytest.fixture(scope="module")
def results(course: Path, one_sandbox: None) -> dict[str, list[Result]]:
    """The results of a run over everything, by student; those without a student are in the list of nobody."""
    done = command("grade", course / "submitted", "--out", course / "results")
    assert done.exit_code == 1, f"{done.output}{done.exception}"  # some need a decision
    found: dict[str, list[Result]] = {}
    for result in read_results(course / "results"):
        found.setdefault(result.student or "nobody", []).append(result)
    return found


def outcome(result: Result) -> str:
    if result.status != "graded":
        return result.status if result.status == "missing" else result.reason
    return "incomplete" if result.points is None else f"{'late ' if result.late else ''}{result.points:g}"


@pytest.mark.parametrize("entry", ENTRIES, ids=[next(iter(entry)) for entry in ENTRIES])
def test_a_submission_finds_its_student_or_words_say_what_to_do(
    results: dict[str, list[Result]], entry: dict[str, Any]
) -> None:
    (what, files), *rows = entry.items()
    for student, expected in rows:
        own = results[student]
        if student == "nobody":
            own = [each for each in own if any(each.path.endswith(place) for place in files)]
        said = {outcome(each) for each in own}
        assert len(said) == 1 and own, f"{what}: {said}"
        [words] = said
        is_exact = re.fullmatch(r"(late )?[\d.]+|missing", str(expected))
        assert words == str(expected) if is_exact else str(expected) in words, f"{what}: {words}"


def test_every_student_and_every_submission_is_in_the_table(results: dict[str, list[Result]]) -> None:
    listed = [student for entry in ENTRIES for student in list(entry)[1:] if student != "nobody"]
    assert sorted(listed) == sorted(set(results) - {"nobody"}) == sorted(set(listed))
    assert len(results["nobody"]) == sum("nobody" in entry for entry in ENTRIES)
    with_points = [student for student in results if any(each.points is not None for each in results[student])]
    assert all(len(results[student]) == 1 for student in with_points)
