"""A class with a set handed out: what the tests of grading, batches and clusters begin with."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from checkout import checkout_bank
from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.keys import KEY_FILE, course_key
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock
from shardwise.course.assigning.simulated_class import hand_in
from shardwise.grading.batch import grade
from shardwise.grading.outcome import Batch
from shardwise.grading.results import Result
from shardwise.grading.worker import Settings
from shardwise.sandbox import Limits

TWENTY = (
    "bytes-per-gpu", "ring-time", "data-sheet-time", "message-worth-its-latency", "algorithm-and-bus-bandwidth", "measured-utilisation",
    "tree-steps", "crossover-size", "link-gap", "gpus-behind-one-link", "the-job-next-door", "ring-time-function", "ring-or-tree",
    "reading-bus-bandwidth", "bytes-per-gpu-formula", "order-by-time", "order-ring-events", "ring-time-bug",
    "bus-bandwidth-bug", "electricity-with-the-building",
)  # fmt: skip
CLASS = ("ada", "bo", "cleo", "dan", "eve", "finn", "gus", "hana", "ivo", "joy", "kim")
QUICK = Limits(cell_seconds=1.5)  # the default of 10 s is for slow students, not for slow tests


def hand_out(bank: Bank, students: Sequence[str], problems: Sequence[str], secret: bytes, folder: Path) -> None:
    """Write the lock file and the notebooks of a class."""
    definition = SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": problems})
    assign(bank, definition, [Student(name, name.title()) for name in students], secret, folder)


@cache
def handed_out(students: tuple[str, ...], problems: tuple[str, ...], secret: bytes) -> Path:
    """What a class got from the bank of this checkout, which no test changes: drawn once, for all who begin with it."""
    folder = Path(mkdtemp(prefix="class-", dir=os.environ["XDG_CACHE_HOME"]))  # which ends with the run
    hand_out(checkout_bank(), students, problems, secret, folder)
    return folder


class Classroom:
    """A class with a set handed out."""

    def __init__(
        self,
        folder: Path,
        bank: Bank,
        students: Sequence[str] = CLASS,
        problems: Sequence[str] = TWENTY,
        key: str = "6b",
    ) -> None:
        self.out = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / KEY_FILE).write_text(key * 32)  # the same draws every time
        secret, _ = course_key(folder / KEY_FILE)
        if bank is checkout_bank():
            shutil.copytree(handed_out(tuple(students), tuple(problems), secret), folder, dirs_exist_ok=True)
        else:
            hand_out(bank, students, problems, secret, folder)
        self.lock = Lock(folder / f"week-1{LOCK_SUFFIX}")
        self.handed_in = folder / "submitted"

    def hand_in(self, student: str, write: Callable[..., str | None], attack: str | None = None) -> Path:
        return hand_in(self.lock, self.out / "notebooks", self.handed_in, student, write, attack)

    def notebook(self, student: str) -> dict[str, object]:
        text = (self.out / "notebooks" / student / "week-1.ipynb").read_text("utf-8")
        return json.loads(text)  # type: ignore[no-any-return]

    def put(self, student: str, notebook: object, folder: str | None = None) -> Path:
        path = self.handed_in / (folder or student) / "week-1.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook if isinstance(notebook, str) else json.dumps(notebook), "utf-8")
        return path

    def command(self, verb: str, *more: object) -> list[str]:
        """The words of a command over all that was handed in, with one worker."""
        return [verb, str(self.handed_in), "--out", str(self.out / "results"), "--workers", "1", *map(str, more)]

    def batch(self, workers: int = 1) -> Batch:
        """Graded anew: what an earlier run left is gone."""
        out = self.out / "results"
        shutil.rmtree(out, ignore_errors=True)
        return grade([self.handed_in], out, workers=workers, settings=Settings(limits=QUICK))

    def grade(self, workers: int = 1) -> dict[str, Result]:
        return {result.student: result for result in self.batch(workers).results()}
