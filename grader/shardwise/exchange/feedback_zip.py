"""Feedback for Moodle: a zip archive of feedback pages, as “Upload multiple feedback files in a zip” takes it.

Moodle (mod/assign/feedback/file/importziplib.php) finds the student by the number in the name of a folder,
NAME_NUMBER_assignsubmission_file_, which is the one in the archive of the submissions that it offers for download.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.atomic_files import replacing
from shardwise.course.assigning.roster import Student
from shardwise.errors import ShardwiseError
from shardwise.exchange.learning_platforms import Directory
from shardwise.grading.feedback_page import file_of
from shardwise.grading.outcome import PAGES
from shardwise.grading.results import Result
from shardwise.text_files import must_be_ordinary

_FOLDER = re.compile(r"(?P<who>[^/\\]+?)_(?P<number>[0-9]+)_assignsubmission_[a-z]+(?:_.*)?")
_HIDDEN = re.compile(
    r"(?:Participant|Teilnehmer(?:/in|in)?)(?: \d+)?"
)  # what Moodle calls everybody if names are hidden


@dataclass(frozen=True)
class Zipped:
    """What is in an archive of feedback, and for whom it has none."""

    pages: int
    unknown: Sequence[str]  # students with a page, for whom no folder of Moodle's is known


def write_feedback_zip(
    results: Sequence[Result], folder: Path, students: Iterable[Student], to: Path, submissions: Path | None = None
) -> Zipped:
    """Write an archive with the feedback pages in a folder of results.

    A student's folder in the archive is the one in `submissions`, the archive or folder that Moodle offered for download, or
    the one that their notebook was graded in. Whoever has two folders there gets none, since one may be a namesake's. Raises ShardwiseError if no folder of Moodle's is known.
    """
    if submissions and submissions.is_file() and to.exists() and submissions.samefile(to):
        raise ShardwiseError(f"{to} is the archive of the submissions. Choose another file for the feedback.")
    paged = [result for result in results if result.status == "graded" and (folder / PAGES / _page(result)).is_file()]
    directory = Directory([*students, *(Student(result.student, result.name) for result in results)])
    names = _only_folders(_folders_in(_names_in(submissions), directory)) if submissions else {}
    for result in paged:
        for part in re.split(r"[/\\:]", result.path):
            if (found := _FOLDER.fullmatch(part)) and _is_theirs(found["who"], result, directory):
                names[result.student] = names.get(result.student) or _folder(found)
    if not any(result.student in names for result in paged):
        raise ShardwiseError(
            "No folder of Moodle's, such as Ada Lovelace_12345_assignsubmission_file_, is known here. Download all submissions from "
            "the assignment in Moodle, and name that archive with --submissions."
        )
    with replacing(to, private=True) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in paged:
            if result.student in names:
                archive.write(folder / PAGES / _page(result), f"{names[result.student]}/feedback-{result.set}.html")
    unknown = [result.student for result in paged if result.student not in names]
    return Zipped(len(paged) - len(unknown), unknown)


def _page(result: Result) -> str:
    return file_of(result.set, result.student)


def _names_in(submissions: Path) -> Iterator[str]:
    """Yield the names of the files and folders at the top of an archive or a folder. Raises ShardwiseError."""
    try:
        if submissions.is_dir():
            yield from (path.name for path in submissions.iterdir())
        else:
            must_be_ordinary(submissions)
            with zipfile.ZipFile(submissions) as archive:
                yield from (name.partition("/")[0] for name in archive.namelist())
    except (OSError, zipfile.BadZipFile) as error:
        raise ShardwiseError(
            f"{submissions} cannot be read as an archive or a folder of submissions: {getattr(error, 'strerror', None) or error}."
        ) from None


def _folders_in(names: Iterable[str], directory: Directory) -> Iterator[tuple[str, str]]:
    """Yield the students whom names in Moodle's format mean, with their folders."""
    for name in names:
        if (found := _FOLDER.fullmatch(name)) and (student := directory.meant_by([found["who"]])):
            yield student, _folder(found)


def _only_folders(folders: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return each student's folder, without those who have several: classmates of the same name may not all be on the roster."""
    several: dict[str, set[str]] = {}
    for student, folder in folders:
        several.setdefault(student, set()).add(folder)
    return {student: next(iter(theirs)) for student, theirs in several.items() if len(theirs) == 1}


def _folder(found: re.Match[str]) -> str:
    return f"{found['who']}_{found['number']}_assignsubmission_file_"


def _is_theirs(who: str, result: Result, directory: Directory) -> bool:
    """Return whether a folder is its student's, and not somebody else's whose notebook was graded for them by hand."""
    return bool(_HIDDEN.fullmatch(who)) or directory.meant_by([who]) in (result.student, None)
