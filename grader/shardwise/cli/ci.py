"""Checks that decide the exit code of a CI job, and results without classmates' names for its reports."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from shardwise.course.gradescope import METADATA
from shardwise.errors import ShardwiseError
from shardwise.grading.outcome import Batch
from shardwise.grading.reports import VISIBILITIES
from shardwise.grading.results import Result


@dataclass(frozen=True)
class Threshold:
    """The points below which CI fails, as a number or as a share of the maximum."""

    text: str
    points: float
    is_share: bool

    def passed_by(self, result: Result) -> bool:
        """Return whether a graded notebook reaches the threshold; one that could not be graded fails for that reason."""
        return (result.points or 0.0) >= (self.points * result.max_points if self.is_share else self.points) - 1e-9


def threshold(text: str) -> Threshold:
    """Parse `--fail-under`, such as 20 or 60%. Raises ShardwiseError."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
    if not found or (found[2] and float(found[1]) > 100):
        raise ShardwiseError(f"--fail-under takes points or a percentage, such as 20 or 60%, not {text!r}.")
    number = float(found[1])
    return Threshold(text.strip(), number / 100 if found[2] else number, bool(found[2]))


_CLASSMATE = "another student"  # in reports that students may read


def handed_in(batch: Batch) -> list[Result]:
    """Return the results of the submitted notebooks, without students who handed in nothing and without classmates' names."""
    owners: dict[str, set[str]] = {}  # students by their ids, names and aliases
    for lock in batch.locks.values():
        for student in lock.students():
            name, also = lock.called(student)
            for word in (student, name, *also):
                owners.setdefault(word, set()).add(student)
    words = sorted((re.escape(word) for word in owners if len(word) > 1), key=len, reverse=True)
    named = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None

    def without_classmates(result: Result) -> Result:
        if not (result.reason and named):
            return result
        kept = named.sub(lambda word: word[0] if result.student in owners[word[0]] else _CLASSMATE, result.reason)
        return replace(result, reason=kept)

    return [without_classmates(result) for result in batch.handed_in()]


def say_who_is_under(batch: Batch, least: Threshold, say: Callable[[str], None]) -> bool:
    """Report the graded notebooks below the threshold; return whether there are any."""
    under = [result for result in batch.handed_in() if result.complete and not least.passed_by(result)]
    for result in under:
        say(
            f"{result.student} has {result.points or 0:g} of {result.max_points:g} points, below --fail-under {least.text}"
        )
    return bool(under)


def say_who_is_another(batch: Batch, expected: str, say: Callable[[str], None]) -> bool:
    """Report the notebooks that do not belong to the expected chapter or set; return whether there are any.

    The file's name proves nothing: a student can rename a solved notebook of another chapter.
    """
    others = [result for result in batch.handed_in() if result.set != expected]
    for result in others:
        say(f"{result.path} belongs to {result.set or 'no chapter or set'}, but --expect names {expected}")
    return bool(others)


def must_be_a_visibility(visibility: str) -> None:
    """Raise ShardwiseError for a visibility that Gradescope does not have."""
    if visibility not in VISIBILITIES:
        raise ShardwiseError(f"--visibility must be one of {', '.join(VISIBILITIES)}, not {visibility!r}.")


def metadata_of(gradescope: Path | None) -> Path | None:
    """Return the path of Gradescope's metadata for a results.json; it is never in the student's submission folder."""
    file = gradescope.resolve().parent.parent / METADATA if gradescope else None
    return file if file and file.is_file() else None
