"""Gradescope's autograder zip, run in a container at the paths that Gradescope uses."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from checkout import ROOT
from classroom import Classroom
from shardwise import __version__
from shardwise.bank.bank import Bank
from shardwise.cli.main import app
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock
from shardwise.course.assigning.simulated_class import ATTACKS, add_cell, fill, right
from shardwise.errors import ShardwiseError

FEW = ("bytes-per-gpu", "ring-or-tree")
ROSTER = (
    Student("ada", "Ada Berg", ("ada@x.edu",)),
    Student("bo", "Bo Holm", ("4711",)),
    Student("cleo", "Cleo Ng"),
)
ADA = {"name": "Ada Berg", "email": "ada@x.edu"}
BO = {"name": "B. Holm", "sid": "4711"}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory, whole_bank: Bank) -> Classroom:
    room = Classroom(tmp_path_factory.mktemp("course"), whole_bank, ("ada",), FEW)
    shutil.rmtree(room.out / "notebooks")
    (room.out / f"week-1{LOCK_SUFFIX}").unlink()
    definition = SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": FEW})
    room.lock = Lock(assign(whole_bank, definition, ROSTER, room.lock.key, room.out).lock)
    return room


@pytest.fixture(scope="module")
def made(room: Classroom) -> Path:
    out = room.out / "autograder.zip"
    done = CliRunner().invoke(
        app, ["autograder", str(room.lock.path), "--out", str(out), "--visibility", "after_published"]
    )
    assert done.exit_code == 0, done.output
    assert "for 3 students of week-1" in done.output
    assert out.stat().st_mode & 0o777 == 0o600
    return out


class Container:
    """A folder laid out as Gradescope's /autograder after setup.sh has run, and this Python where setup.sh installs one."""

    def __init__(self, folder: Path, made: Path) -> None:
        self.root = folder
        with zipfile.ZipFile(made) as packed:
            packed.extractall(folder / "source")
        shutil.copy(folder / "source" / "run_autograder", folder / "run_autograder")
        for script in (folder / "run_autograder", folder / "source" / "setup.sh"):
            script.chmod(0o755)  # as unzip does, and zipfile does not
        (folder / "results").mkdir()
        (folder / "submission").mkdir()

    def hand_in(self, uploader: Mapping[str, str], **files: Any) -> None:
        about = {"id": 1, "created_at": "2026-06-01T10:00:00.000-07:00", "users": [{"id": 7, **uploader}]}
        (self.root / "submission_metadata.json").write_text(json.dumps(about))
        for name, contents in files.items():
            text = contents if isinstance(contents, str) else json.dumps(contents)
            (self.root / "submission" / f"{name}.ipynb").write_text(text)

    def enter(self, script: str, *more: str | Path) -> None:
        """Run a script in the container with this machine's programs; `more` are further options of bubblewrap."""
        ours = ("proc", "dev", "opt", "tmp", "autograder")
        places = [place for place in sorted(Path("/").iterdir()) if place.name not in ours]
        links = [("--symlink", place.readlink(), place) for place in places if place.is_symlink()]
        binds = [("--bind", place, place) for place in places if not place.is_symlink()]
        command = [
            "bwrap", *chain.from_iterable((*links, *binds)), "--proc", "/proc", "--dev-bind", "/dev", "/dev",
            "--tmpfs", "/tmp", "--tmpfs", "/opt", "--bind", ROOT, ROOT, "--bind", self.root, "/autograder", *more,
            script,
        ]  # fmt: skip
        network = {name: os.environ[name] for name in os.environ if re.match("(UV|PIP|SSL|HTTPS?|https?)_", name)}
        clean = {**network, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp"}
        self.done = subprocess.run(command, env=clean, capture_output=True, text=True, timeout=600)
        assert self.done.returncode == 0, self.done.stderr

    def run(self, *more: str | Path) -> dict[str, Any]:
        """Grade as Gradescope does, and return the results.json; by default, with the Python that runs this test."""
        self.enter("/autograder/run_autograder", *(more or ("--bind", sys.prefix, "/opt/shardwise/env")))
        results: dict[str, Any] = json.loads((self.root / "results" / "results.json").read_text())
        return results


@pytest.fixture
def container(tmp_path: Path, made: Path) -> Container:
    return Container(tmp_path / "autograder", made)


def answered(room: Classroom, student: str) -> dict[str, Any]:
    return fill(room.notebook(student), room.lock.questions(student), right)  # type: ignore[arg-type]


def test_a_right_notebook_gets_its_points_and_leaves_no_classmates_keys_in_the_container(
    room: Classroom, container: Container
) -> None:
    container.hand_in(ADA, anything=answered(room, "ada"))
    found = container.run()
    assert (found["score"], [test["score"] for test in found["tests"]]) == (4, [2, 2])
    assert {found["visibility"], *(test["visibility"] for test in found["tests"])} == {"after_published"}
    kept = [path.name for path in (container.root / "source").rglob(f"*{LOCK_SUFFIX}")]
    assert kept == [f"ada{LOCK_SUFFIX}"]


def test_a_classmates_notebook_is_not_run_and_not_graded(room: Classroom, container: Container) -> None:
    container.hand_in(BO, anything=answered(room, "ada"))
    found = container.run()
    assert "This notebook names another student, but you submitted it." in found["output"]
    assert "ada" not in json.dumps(found).lower()
    assert (found["score"], found["tests"][0]["score"], found["visibility"]) == (0, 0, "visible")


def test_a_notebook_of_somebody_who_is_not_on_the_roster_is_not_graded(room: Classroom, container: Container) -> None:
    container.hand_in({"name": "Zoe Zorn"}, anything=answered(room, "ada"))
    assert "“Zoe Zorn”, who submitted it, is not in week-1.lock.jsonl" in container.run()["output"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "Hand in one notebook (*.ipynb); found none."),
        ({"one": "{}", "two": "{}"}, "Hand in one notebook (*.ipynb); found 2: one.ipynb, two.ipynb."),
        ({"one": '{"cells": ['}, "This is not a notebook, because it is not valid JSON"),
        ({"one": {"cells": [], "nbformat": 4, "metadata": {"shardwise": {"set": "week-9", "student": "ada"}}}}, "This notebook is not for the set 'week-1'."),
    ],
)  # fmt: skip
def test_what_cannot_be_graded_gets_a_score_and_a_reason(
    container: Container, files: dict[str, Any], reason: str
) -> None:
    container.hand_in(ADA, **files)
    found = container.run()
    assert reason in found["output"]
    assert "appears only because Gradescope requires a number" in found["output"]
    assert found["score"] == 0
    assert "Traceback" not in container.done.stdout + container.done.stderr


def test_a_notebook_that_lost_its_metadata_belongs_to_who_submitted_it(room: Classroom, container: Container) -> None:
    notebook = answered(room, "bo")
    for part in (notebook, *notebook["cells"]):
        part["metadata"] = {}
    container.hand_in(BO, anything=notebook)
    assert container.run()["score"] == 4


@pytest.mark.parametrize("has_bubblewrap", [True, False])
def test_an_attack_costs_its_own_cell_only(room: Classroom, container: Container, has_bubblewrap: bool) -> None:
    steal = "import glob\nfor name in glob.glob('/autograder/**/*.*', recursive=True) or ['/autograder/source/autograder.key']:\n    open(name).read()"
    forge = "open('/autograder/results/results.json', 'w').write('{\"score\": 100}')"
    notebook = answered(room, "ada")
    for source in (steal, forge, ATTACKS["ends its process"]):
        add_cell(notebook, source)
    container.hand_in(ADA, anything=notebook)
    here = ["--bind", sys.prefix, "/opt/shardwise/env"]
    found = container.run(*here, *([] if has_bubblewrap else ["--ro-bind", "/dev/null", "/usr/bin/bwrap"]))
    assert found["score"] == 4
    stopped = re.findall(r"stopped: (it ended its process|\w+Error)", found["output"])
    assert len(stopped) == 3, found["output"]
    assert (found["extra_data"]["tier"] == "2") == (not has_bubblewrap)


@pytest.mark.parametrize("broken", ["a lock file", "the program"])
def test_a_crash_of_ours_gets_a_score_and_says_that_it_is_ours(
    room: Classroom, container: Container, broken: str
) -> None:
    container.hand_in(ADA, anything=answered(room, "ada"))
    if broken == "a lock file":
        lock = container.root / "source" / "students" / f"ada{LOCK_SUFFIX}"
        lock.write_text(lock.read_text().replace('"points": 2', '"points": 3'))
    else:
        script = container.root / "run_autograder"
        script.write_text(script.read_text().replace("gradescope_run ", "gradescope_gone "))
    found = container.run()
    assert found["output"].startswith("Not graded: Error in the grader, not in the notebook: ")
    assert found["score"] == 0


def test_the_zip_holds_neither_the_course_key_nor_two_students_in_one_file(room: Classroom, made: Path) -> None:
    with zipfile.ZipFile(made) as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
        assert {name for name in files if packed.getinfo(name).external_attr >> 16 & 0o111} == {
            "setup.sh",
            "run_autograder",
        }
    assert not [name for name, text in files.items() if room.lock.key.hex() in text]
    seeds = {student: room.lock.questions(student)[0].seed for student in room.lock.students()}
    assert {name for name, text in files.items() for seed in seeds.values() if seed in text} == {
        f"students/{student}{LOCK_SUFFIX}" for student in seeds
    }
    for student, seed in seeds.items():
        assert [other for other in seeds.values() if other in files[f"students/{student}{LOCK_SUFFIX}"]] == [seed]
    assert f"shardwise=={__version__}\n" in files["requirements.txt"]
    assert "shardwise-bank" not in files["requirements.txt"]  # these two kinds are built in


def test_the_zips_key_signs_nothing_of_the_course(room: Classroom, container: Container) -> None:
    key = bytes.fromhex((container.root / "source" / "autograder.key").read_text())
    with pytest.raises(ShardwiseError, match="signed with a different course key"):
        Lock(room.lock.path, key)
    with pytest.raises(ShardwiseError, match="signed with a different course key"):
        Lock(container.root / "source" / "students" / f"ada{LOCK_SUFFIX}", room.lock.key)


def test_a_typo_never_overwrites_a_lock_file(room: Classroom) -> None:
    done = CliRunner().invoke(app, ["autograder", str(room.lock.path), "--out", str(room.lock.path)])
    assert "--out needs a file name that ends in .zip" in str(done.exception)


def test_in_a_course_folder_the_sets_name_is_enough(
    room: Classroom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "course.yaml").write_text("title: Systems\nsets: [sets/week-1.yaml]\n")
    shutil.copytree(room.out, tmp_path / "assigned" / "week-1")
    monkeypatch.chdir(tmp_path)
    for name in ("week-1", "sets/week-1.yaml"):
        done = CliRunner().invoke(app, ["autograder", name, "--out", "a.zip"])
        assert done.exit_code == 0, done.output
        assert zipfile.is_zipfile("a.zip")
    done = CliRunner().invoke(app, ["autograder", "week-2", "--out", "b.zip"])
    assert (
        "Cannot find the lock file week-2. Name the file that `assign` wrote" in str(done.exception)
        and not Path("b.zip").exists()
    )
    Path("bad.whl").touch()
    done = CliRunner().invoke(app, ["autograder", "week-1", "--out", "b.zip", "--wheel", "bad.whl"])
    assert "bad.whl is not a wheel" in str(done.exception) and not Path("b.zip").exists()


@pytest.mark.slow
def test_setup_installs_what_the_autograder_runs_with(room: Classroom, tmp_path: Path) -> None:
    """On this system instead of Gradescope's Ubuntu, so apt-get does nothing here."""
    for project in (ROOT, ROOT / "shardwise-bank"):
        subprocess.run(
            [sys.executable, "-m", "uv", "build", "-q", "--wheel", "--out-dir", tmp_path, project], check=True
        )
    wheels = [word for wheel in tmp_path.glob("*.whl") for word in ("--wheel", str(wheel))]
    done = CliRunner().invoke(app, ["autograder", str(room.lock.path), "--out", str(tmp_path / "a.zip"), *wheels])
    assert done.exit_code == 0, done.output
    container = Container(tmp_path / "autograder", tmp_path / "a.zip")
    installed, nothing = tmp_path / "opt", tmp_path / "apt-get"
    installed.mkdir()
    nothing.write_text("#!/bin/sh\n")
    nothing.chmod(0o755)
    opt = ("--bind", installed, "/opt/shardwise")
    container.enter("/autograder/source/setup.sh", *opt, "--bind", nothing, "/usr/bin/apt-get")
    container.hand_in(ADA, anything=answered(room, "ada"))
    assert container.run(*opt)["score"] == 4
