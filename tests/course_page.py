"""The page docs/course.md, carried out: its files are written and its commands run, while a class of simulated students hands in."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from zlib import crc32

from checkout import ROOT
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import fill, mistaken, right, unreadable
from shardwise.question import Question

PAGE = ROOT / "docs" / "course.md"
BIN = Path(sys.executable).parent
_BLOCK = re.compile(r"```(console|yaml)\n(.*?)```", re.DOTALL)
ABILITIES = (1.0, 0.85, 0.7, 0.55, 0.4)  # the share of right answers


def answer_of(number: int, question: Question) -> str | None:
    """Return the answer of a student: the first is always right, the others now and then, and seldom unreadable."""
    luck = crc32(f"{number} {question.slug}".encode()) % 100 / 100
    write = right if luck < ABILITIES[(number - 1) % len(ABILITIES)] else unreadable if luck > 0.97 else mistaken
    return write(question)


@dataclass
class CoursePage:
    """A run through the page in a folder."""

    folder: Path
    size: int  # of the class
    said: dict[str, str] = field(default_factory=dict)  # by command

    @property
    def course(self) -> Path:
        return self.folder / "my-course"

    @property
    def students(self) -> list[str]:
        return [f"s{number:02}" for number in range(1, self.size + 1)]

    def run(self, until: str = "") -> None:
        """Carry out the page, up to a heading."""
        at = self.folder
        for language, block in _BLOCK.findall(PAGE.read_text("utf-8").partition(until or "\0")[0]):
            if language == "yaml":
                name, _, text = block.partition("\n")
                (at / name.removeprefix("# ")).write_text(text, "utf-8")
                continue
            for command in block.splitlines():
                words = shlex.split(command)
                if words[0] == "cd":
                    at = at / words[1]
                    continue
                self._before(command)
                self.said[command] = self._done(words, at)

    def _before(self, command: str) -> None:
        """Do what other people do before a command."""
        if command.startswith("shardwise list"):
            (self.course / "roster.csv").write_text("".join(self._canvas()), "utf-8")
        if command == "shardwise grade week-1" and not (self.course / "submitted").exists():
            for number, (student, text) in enumerate(
                self._answers("assigned/week-1/notebooks/{}/week-1.ipynb"), start=1
            ):
                name = f"Student {student[1:]}_{5000 + number}_assignsubmission_file_"
                self._put(self.course / "submitted" / "week-1" / name / "week-1.ipynb", text)
        if command == "shardwise grade week-1 --nbgrader nb":
            for student, text in self._answers("nb/release/{}/week-1/week-1.ipynb"):
                self._put(self.course / "nb" / "submitted" / student / "week-1" / "week-1.ipynb", text)

    def _canvas(self) -> Iterator[str]:
        """Yield the lines of a roster as Canvas exports it."""
        yield "Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (901)\n    Points Possible,,,,,10.00\n"
        for number, student in enumerate(self.students, start=1):
            yield f'"{student[1:]}, Student",{1000 + number},u{number},{student},{"AB"[number % 2]},\n'
        yield '"Student, Test",1999,,3f0c5d1f,A,\n'

    def _answers(self, notebook: str) -> Iterator[tuple[str, str]]:
        """Yield the notebooks of all students but the last, with their answers."""
        lock = Lock(self.course / "assigned" / "week-1" / "week-1.lock.jsonl")
        for number, student in enumerate(self.students[:-1], start=1):
            handed_out = json.loads((self.course / notebook.format(student)).read_text("utf-8"))
            yield student, json.dumps(fill(handed_out, lock.questions(student), partial(answer_of, number)))

    @staticmethod
    def _put(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def _done(self, words: list[str], at: Path) -> str:
        """Run a command with this environment's programs, and return what it prints."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SHARDWISE")}
        environment |= {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONWARNINGS": "ignore"}
        environment |= {"JUPYTER_CONFIG_DIR": str(self.folder / "jupyter"), "SHARDWISE_TRUST": "*"}
        who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@x.edu"}
        environment |= {**who, **{name.replace("AUTHOR", "COMMITTER"): value for name, value in who.items()}}
        done = subprocess.run(words, cwd=at, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
        return done.stdout
