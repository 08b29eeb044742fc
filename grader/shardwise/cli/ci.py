"""What CI and Gradescope want of a grading: a file in their form, and an exit code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.course.gradescope import METADATA
from shardwise.errors import ShardwiseError
from shardwise.grading import reports
from shardwise.grading.outcome import Batch
from shardwise.grading.reports import VISIBILITIES
from shardwise.grading.results import Result


@dataclass(frozen=True)
class Threshold:
    """The points below which CI is to fail, as a number or as a share of what can be had."""

    text: str
    points: float
    is_share: bool

    def passed_by(self, result: Result) -> bool:
        """Whether a graded notebook reaches it; one that could not be graded fails for that."""
        return (result.points or 0.0) >= (self.points * result.max_points if self.is_share else self.points) - 1e-9


def threshold(text: str) -> Threshold:
    """What `--fail-under` says, such as 20 or 60%."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
    if not found or (found[2] and float(found[1]) > 100):
        raise ShardwiseError(f"--fail-under takes points or a percentage, such as 20 or 60%; I saw {text!r}.")
    number = float(found[1])
    return Threshold(text.strip(), number / 100 if found[2] else number, bool(found[2]))


def handed_in(batch: Batch) -> list[Result]:
    """The notebooks that were named; what their classmates did, or did not do, is none of CI's business."""
    return list(batch.handed_in())


def say_who_is_under(batch: Batch, least: Threshold, say: Callable[[str], None]) -> bool:
    """Name the graded notebooks below the threshold, and tell whether there are any."""
    under = [result for result in handed_in(batch) if result.complete and not least.passed_by(result)]
    for result in under:
        say(f"{result.student} has {result.points or 0:g} of {result.max_points:g} points; --fail-under {least.text}")
    return bool(under)


def say_who_is_another(batch: Batch, expected: str, say: Callable[[str], None]) -> bool:
    """Name the notebooks that are not of the expected chapter or set, and tell whether there are any.

    A file's name says nothing: another chapter, solved, can lie under it.
    """
    others = [result for result in handed_in(batch) if result.set != expected]
    for result in others:
        say(f"{result.path} is {f'of {result.set}' if result.set else 'of no chapter or set'}; --expect {expected}")
    return bool(others)


def write_junit(batch: Batch, path: Path) -> None:
    """JUnit XML of the notebooks that were found."""
    reports.write_junit(handed_in(batch), path)


def must_be_a_visibility(visibility: str) -> None:
    """Raise ShardwiseError for what Gradescope does not know."""

    if visibility not in VISIBILITIES:
        raise ShardwiseError(f"--visibility is one of {', '.join(VISIBILITIES)}; I saw {visibility!r}.")


def metadata_of(gradescope: Path | None) -> Path | None:
    """Return the path of Gradescope's metadata for a results.json, never in the student's submission folder."""

    file = gradescope.resolve().parent.parent / METADATA if gradescope else None
    return file if file and file.is_file() else None


def write_gradescope(results: Sequence[Result], path: Path, visibility: str = "visible") -> bool:
    """Write Gradescope's results.json, and tell whether it holds a grade.

    It is written in any case: without it a student sees only that the autograder failed.
    """
    if len(results) == 1:
        (result,) = results
    else:
        found = (
            f"here are {len(results)}: {', '.join(sorted(Path(result.path).name for result in results)[:5])}"
            if results
            else "here is none"
        )
        result = Result("", status="ungraded", reason=f"Hand in one notebook (*.ipynb); {found}.")
    write_file(path, json.dumps(reports.gradescope(result, visibility), ensure_ascii=False, indent=2).encode())
    return result.complete
