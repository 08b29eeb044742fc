"""An author adds a kind: every command of docs/kinds.md, in a clone, from the copy to the grades."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from added_kinds import install, path_with, visible
from checkout import ROOT
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import fill, right

NOT_RUN = ("make ", ". ", "python -m pytest")  # commands that are already done, or would take minutes
TYPED = {"shardwise practice --chapter 02-shares": "latency 10 ms\n!\nquit\n"}


def commands() -> list[str]:
    """Return the commands of the page, in order."""
    blocks = re.findall(r"^ *```console\n(.*?)```", (ROOT / "docs" / "kinds.md").read_text("utf-8"), re.DOTALL | re.M)
    return [line for block in blocks for line in textwrap.dedent(block).splitlines() if not line.startswith(NOT_RUN)]


class Author:
    """An author in a clone of the repository, with a shell whose environment has shardwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: dict[str, str] = {}
        self.packages = folder / "packages"
        (folder / "bin").mkdir()
        program = folder / "bin" / "shardwise"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m shardwise "$@"\n')
        program.chmod(0o755)
        (folder / "examples").symlink_to(ROOT / "examples")
        self.environment = {
            name: value for name, value in os.environ.items() if name not in ("SHARDWISE_TRUST", "SHARDWISE_BANK")
        }
        self.environment |= {
            "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": path_with(self.packages),
            "XDG_CONFIG_HOME": str(folder / "config"),
        }

    def does(self, command: str) -> None:
        if command.startswith("cd "):
            self.folder = (self.folder / command.removeprefix("cd ")).resolve()
        elif command == "pip install -e .":
            install(self.folder, self.packages)
        elif command.startswith("jupyter lab "):
            self.answers(self.folder / command.removeprefix("jupyter lab "))
        else:
            done = subprocess.run(
                command, shell=True, cwd=self.folder, env=self.environment, input=TYPED.get(command, ""),
                capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            self.said[command] = done.stdout

    def answers(self, notebook: Path) -> None:
        """Answer an assigned notebook like a student in JupyterLab; a practice notebook only has to exist."""
        node = json.loads(notebook.read_text("utf-8"))
        if "course" in notebook.parts:
            with visible(self.packages):
                questions = Lock(self.folder / "course" / "week-1.lock.jsonl").questions("ada")
                node = fill(node, questions, right)
            notebook.write_text(json.dumps(node), "utf-8")


def test_following_the_page_gives_a_kind_that_grades(tmp_path: Path) -> None:
    author = Author(tmp_path)
    for command in commands():
        author.does(command)
    said = author.said
    assert said["shardwise kinds shares"].startswith("Named amounts that add up to a whole")
    assert "1 problem, 100 draws each: all sound" in said["shardwise lint where-time-goes --seeds 100"]
    assert "Correct" in said['shardwise check where-time-goes "latency 10 ms, sending 80 ms" --seed 1']
    assert "Enter an amount for sending." in said["shardwise practice --chapter 02-shares"]
    with (tmp_path / "my-bank" / "course" / "results" / "grades.csv").open() as table:
        (ada,) = csv.DictReader(table)
    assert (ada["status"], ada["points"], ada["max_points"]) == ("graded", "2", "2")


def test_the_page_names_every_step() -> None:
    words = {command.split()[1] for command in commands() if command.startswith("shardwise ")}
    assert words >= {"init", "kinds", "new", "lint", "show", "check", "practice", "render", "assign", "grade"}
