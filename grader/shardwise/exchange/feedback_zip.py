"""Feedback for Moodle: a zip archive of feedback pages for “Upload multiple feedback files in a zip”.

Moodle (mod/assign/feedback/file/importziplib.php) identifies the student by the number in a folder's name,
NAME_NUMBER_assignsubmission_file_. The archive of submissions that it offers for download has the same folders.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
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
_HIDDEN = re.compile(r"(?:Participant|Teilnehmer(?:/in|in)?)(?: \d+)?")  # everybody's name, if Moodle hides names


@dataclass(frozen=True)
class Zipped:
    """The contents of an archive of feedback pages."""

    pages: int
    unknown: Sequence[str]  # students whose page was omitted, because their folder in Moodle is unknown


def write_feedback_zip(
    results: Sequence[Result], folder: Path, students: Iterable[Student], to: Path, submissions: Path | None = None
) -> Zipped:
    """Write an archive with the feedback pages in a folder of results.

    A student's folder in the archive has the same name as in `submissions`, the archive or folder that was downloaded from
    Moodle, or in the path of the graded notebook. If two folders in `submissions` match a student, neither is used, since one
    may be a namesake's. Raises ShardwiseError if no student's folder is known.
    """
    if submissions and submissions.is_file() and to.exists() and submissions.samefile(to):
        raise ShardwiseError(f"{to} is the archive of the submissions. Choose another file for the feedback.")
    paged = [result for result in results if result.status == "graded" and (folder / PAGES / _page(result)).is_file()]
    directory = Directory([*students, *(Student(result.student, result.name) for result in results)])
    names = _folders_in(submissions, directory) if submissions else {}
    for result in paged:
        for part in re.split(r"[/\\:]", result.path):
            if (found := _FOLDER.fullmatch(part)) and _is_theirs(found["who"], result, directory):
                names[result.student] = names.get(result.student) or _folder(found)
    if not any(result.student in names for result in paged):
        raise ShardwiseError(
            "Cannot find folders from Moodle, such as Ada Lovelace_12345_assignsubmission_file_. Download all submissions from the "
            "assignment in Moodle, and name that archive with --submissions."
        )
    with replacing(to, private=True) as fresh, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        for result in paged:
            if result.student in names:
                archive.write(folder / PAGES / _page(result), f"{names[result.student]}/feedback-{result.set}.html")
    unknown = [result.student for result in paged if result.student not in names]
    return Zipped(len(paged) - len(unknown), unknown)


def _page(result: Result) -> str:
    return file_of(result.set, result.student)


def _folders_in(submissions: Path, directory: Directory) -> dict[str, str]:
    """Return each student's folder in an archive or a folder, without students that several folders match. Raises ShardwiseError."""
    folders: dict[str, set[str]] = {}
    for name in _names_in(submissions):
        if (found := _FOLDER.fullmatch(name)) and (student := directory.meant_by([found["who"]])):
            folders.setdefault(student, set()).add(_folder(found))
    return {student: next(iter(names)) for student, names in folders.items() if len(names) == 1}


def _names_in(submissions: Path) -> list[str]:
    """Return the names of the files and folders at the top of an archive or a folder. Raises ShardwiseError."""
    try:
        if submissions.is_dir():
            return [path.name for path in submissions.iterdir()]
        must_be_ordinary(submissions)
        with zipfile.ZipFile(submissions) as archive:
            return [name.partition("/")[0] for name in archive.namelist()]
    except (OSError, zipfile.BadZipFile) as error:
        raise ShardwiseError(
            f"{submissions} cannot be read as an archive or a folder of submissions: {getattr(error, 'strerror', None) or error}."
        ) from None


def _folder(found: re.Match[str]) -> str:
    return f"{found['who']}_{found['number']}_assignsubmission_file_"


def _is_theirs(who: str, result: Result, directory: Directory) -> bool:
    """Return whether a folder's name may belong to the student of a result: with --student, it could be another student's notebook."""
    return bool(_HIDDEN.fullmatch(who)) or directory.meant_by([who]) in (result.student, None)
