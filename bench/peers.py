"""The peers: nbgrader and Otter, each in an environment of its own, with courses made by their own tools.

They get the same answers to the same questions, in notebooks of their own kind with plain asserts for tests, so that they pay
for none of our code.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
from measure import Usage, run
from nbformat.v4 import new_code_cell, new_notebook, new_raw_cell
from room import answer

from shardwise.question import Question

ROOT = Path(__file__).resolve().parents[1]
HOMES = ROOT / ".bench"  # their environments
NAMES = ("nbgrader", "otter")


def install() -> None:
    """Make the peers' environments, from the lock files next to this one."""
    uv = str(Path(sys.executable).with_name("uv"))
    for name in NAMES:
        lock, home = Path(__file__).with_name(f"{name}.lock"), HOMES / name
        stamp = home / "lock"
        if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
            shutil.rmtree(home, ignore_errors=True)
            subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(home)], check=True)
            subprocess.run([uv, "pip", "install", "-q", "--python", str(home / "bin" / "python"), "--require-hashes",
                            "-r", str(lock)], check=True)  # fmt: skip
            shutil.copy(lock, stamp)


def _environment(name: str, folder: Path) -> dict[str, str]:
    """Their programs and kernels first, and no configuration of whoever runs this."""
    home = HOMES / name
    return {
        "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "VIRTUAL_ENV": str(home),
        "JUPYTER_CONFIG_DIR": str(folder / "jupyter"),
        "JUPYTER_DATA_DIR": str(folder / "jupyter"),
        "JUPYTER_PATH": str(home / "share" / "jupyter"),
    }


class Nbgrader:
    """A course of which `count` students have handed in."""

    def __init__(self, folder: Path, count: int, questions: Sequence[Question]) -> None:
        self.folder, self.count = folder, count
        folder.mkdir(parents=True)
        (folder / "nbgrader_config.py").write_text(
            f"c = get_config()\nc.CourseDirectory.course_id = 'c'\nc.CourseDirectory.root = {str(folder)!r}\n"
        )
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        source, answers = new_notebook(metadata={"kernelspec": kernel}), {}
        for question in questions:
            answers[question.slug], tests = answer(question)
            source.cells.append(_cell(f"{question.slug}-answer", "...", solution=True))
            source.cells.append(_cell(f"{question.slug}-test", tests, points=question.points))
        path = folder / "source" / "bench" / "bench.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(source, path)
        self._nbgrader("generate_assignment", "bench", "--create")
        released = json.loads((folder / "release" / "bench" / "bench.ipynb").read_text("utf-8"))
        for cell in released["cells"]:
            slug = cell["metadata"]["nbgrader"]["grade_id"].removesuffix("-answer")
            if slug in answers:
                cell["source"] = answers[slug]
        for number in range(count):
            handed_in = folder / "submitted" / f"s{number:05}" / "bench" / "bench.ipynb"
            handed_in.parent.mkdir(parents=True)
            handed_in.write_text(json.dumps(released), "utf-8")

    def grade(self) -> Usage:
        """All submissions in one process, as nbgrader recommends."""
        return self._nbgrader("autograde", "bench", "--create", "--force")

    def _nbgrader(self, *command: str) -> Usage:
        program = str(HOMES / "nbgrader" / "bin" / "nbgrader")
        return run([program, *command], self.folder, _environment("nbgrader", self.folder))


def _cell(grade_id: str, source: str, *, solution: bool = False, points: float | None = None) -> nbformat.NotebookNode:
    metadata = {"schema_version": 3, "grade": points is not None, "locked": points is not None, "solution": solution,
                "task": False, "grade_id": grade_id}  # fmt: skip
    if points is not None:
        metadata["points"] = points
    return new_code_cell(source, id=grade_id[:64], metadata={"nbgrader": metadata})


class Otter:
    """An assignment and one submission of it: `otter run` grades one at a time."""

    def __init__(self, folder: Path, questions: Sequence[Question]) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        master = new_notebook(metadata={"kernelspec": kernel})
        master.cells.append(new_raw_cell("# ASSIGNMENT CONFIG\nname: bench\ngenerate: true\nexport_cell: false"))
        for question in questions:
            source, tests = answer(question)
            master.cells += [
                new_raw_cell(f"# BEGIN QUESTION\nname: {question.slug}\npoints: {question.points:g}"),
                new_raw_cell("# BEGIN SOLUTION"), new_code_cell(source), new_raw_cell("# END SOLUTION"),
                new_raw_cell("# BEGIN TESTS"), new_code_cell(tests), new_raw_cell("# END TESTS"),
                new_raw_cell("# END QUESTION"),
            ]  # fmt: skip
        nbformat.write(master, folder / "bench.ipynb")
        self._otter("assign", "bench.ipynb", "dist", "--no-pdfs")
        [self.autograder] = (folder / "dist" / "autograder").glob("*.zip")
        shutil.copy(folder / "dist" / "autograder" / "bench.ipynb", folder / "submission.ipynb")
        (folder / "results").mkdir()

    def grade(self) -> Usage:
        """One submission, without a container."""
        return self._otter("run", "submission.ipynb", "-a", str(self.autograder), "-o", "results", "--no-logo")

    def _otter(self, *command: str) -> Usage:
        return run([str(HOMES / "otter" / "bin" / "otter"), *command], self.folder, _environment("otter", self.folder))
