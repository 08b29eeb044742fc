"""A class whose answers are known: numbers of our choice for real draws, marked and written as `grade` writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from checkout import checkout_bank
from classroom import hand_out
from shardwise.analysis.report import report_of
from shardwise.analysis.responses import responses_of
from shardwise.course.assigning.keys import KEY_FILE, course_key
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock
from shardwise.grading.results import RESULTS, Result, marked, read_results, to_json
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.kinds.quantity.model import QuantityKey
from shardwise.marking import check
from shardwise.question import Question

Answering = Callable[[int, Question], Any]  # the raw answer of a student, by number, to a question


def right(question: Question) -> Any:
    """Return the right answer."""
    return kind_of(question).samples(question)[0].raw


def times(question: Question, factor: float) -> str:
    """Return a multiple of the key of a quantity, with four figures."""
    assert isinstance(question.key, QuantityKey)
    written: str = kind_of(question).written(question.form, float(f"{question.key.value * factor:.4g}"))  # type: ignore[attr-defined]
    return written


def made_class(
    folder: Path, students: int, problems: Sequence[str], answer: Answering, extra: Sequence[Result] = ()
) -> tuple[Lock, Path]:
    """Hand out a set, mark everybody's answers and write their results; return the lock file and the results' folder."""
    names = [f"student-{number}" for number in range(students)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / KEY_FILE).write_text("6b" * 32)
    secret, _ = course_key(folder / KEY_FILE)
    hand_out(checkout_bank(), names, problems, secret, folder)
    lock = Lock(folder / f"week-1{LOCK_SUFFIX}")
    lines = []
    for number, name in enumerate(names):
        questions = lock.questions(name)
        said = [check(each, answer(number, each), runner=run_here, is_graded=True) for each in questions]
        result = Result(name, "week-1", name=name.title(), late=number == 1, section="AB"[number % 2])
        lines.append(to_json(marked(result, questions, said)))
    lines += map(to_json, extra)
    out = folder / "results"
    out.mkdir()
    (out / RESULTS).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return lock, out


def report_on(lock: Lock, results: Path) -> dict[str, Any]:
    """Return the report on a class that `made_class` has made."""
    return report_of(responses_of(read_results(results), lock), set_name="week-1", title="Week 1")
