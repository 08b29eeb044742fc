"""The program that grades a submission in Gradescope's container: `python -m shardwise.exchange.gradescope_run /autograder`.

Each submission has a container of its own. Before any of the student's code starts, the names and lock files of all other
students are deleted from it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.course.assigning.keys import read_key
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock
from shardwise.course.collecting.identity import of_set
from shardwise.course.collecting.names import names_of
from shardwise.course.collecting.receipts import by_file, by_time
from shardwise.course.collecting.submissions import Stripped, parse_notebook
from shardwise.course.collecting.submitted_files import BadSubmission, SubmittedFile, find
from shardwise.course.gradescope import METADATA, People, called, submitted_at, submitters
from shardwise.grading.batch import grade
from shardwise.grading.intake import Decisions
from shardwise.grading.reports import VISIBILITIES, gradescope
from shardwise.grading.results import Result
from shardwise.grading.worker import our_fault

KEY = "autograder.key"  # signs the zip's lock files, and nothing else
LOCKS = "students"  # the folder with a lock file for each student
NOT_GRADED = "not-graded.json"  # the results if no others can be written


def grade_upload(root: Path, visibility: str = "visible") -> None:
    """Grade the submission below `root`, laid out as Gradescope's /autograder, and write its results.json."""
    try:
        results = _graded(root)
    except Exception as error:
        traceback.print_exc()  # for the instructor; the student reads that this is not a grade
        results = [Result("", status="ungraded", reason=our_fault(error))]
    write_gradescope(results, root / "results" / "results.json", visibility)


def _graded(root: Path) -> Sequence[Result]:
    """Return the result of the submission; if it does not have exactly one notebook, an ungraded result for each."""
    source, submission, metadata = root / "source", root / "submission", root / METADATA
    key = read_key(source / KEY)
    [path] = source.glob(f"*{LOCK_SUFFIX}")
    everybody = Lock(path, key)
    files = list(find([submission], lambda _: True))
    candidates = [file for file in files if not file.is_stray] or files
    if len(candidates) != 1:
        return [Result("", everybody.set_name, status="ungraded", path=str(file)) for file in candidates]
    try:
        student = _student_of(candidates[0], everybody, submitters(metadata))
    except BadSubmission as why:
        return [Result("", everybody.set_name, status="ungraded", reason=str(why))]
    own = _delete_all_but(student, source)
    at = submitted_at(metadata)
    decisions = Decisions(student, by_time(at, "gradescope") if at else by_file)
    with tempfile.TemporaryDirectory() as out:
        return list(grade([submission], Path(out), locks=[Lock(own, key)], decisions=decisions).handed_in())


def _student_of(file: SubmittedFile, everybody: Lock, uploaders: People) -> str:
    """Return the student who submitted a notebook. Raises BadSubmission if it belongs to another student, or to nobody."""
    if not uploaders:
        raise BadSubmission(f"Gradescope did not say who submitted this notebook: {METADATA} is missing or unreadable.")
    try:
        submission = parse_notebook(file.contents(), "")
    except Stripped:
        students = called(uploaders, names_of(everybody)).students
        if len(students) != 1:
            raise
        return next(iter(students))
    if submission.set != everybody.set_name:
        raise BadSubmission(
            f"This notebook is not for the set {everybody.set_name!r}. Hand in the notebook of this assignment."
        )
    return of_set(file, submission, everybody, uploaders=uploaders).student


def _delete_all_but(student: str, source: Path) -> Path:
    """Delete the list of students and all other students' lock files; return the student's own lock file."""
    own = source / LOCKS / f"{student}{LOCK_SUFFIX}"
    for path in (*source.glob(f"*{LOCK_SUFFIX}"), *(source / LOCKS).iterdir()):
        if path != own:
            path.unlink()
    return own


def write_gradescope(results: Sequence[Result], path: Path, visibility: str = "visible") -> bool:
    """Write Gradescope's results.json, and return whether it contains a grade.

    The file is always written: without it, students only see that the autograder failed.
    """
    if len(results) == 1:
        (result,) = results
    else:
        names = ", ".join(sorted(Path(result.path).name for result in results)[:5])
        found = f"{len(results)}: {names}" if results else "none"
        result = Result("", status="ungraded", reason=f"Hand in one notebook (*.ipynb); found {found}.")
    write_file(path, json.dumps(gradescope(result, visibility), ensure_ascii=False, indent=2).encode())
    return result.complete


def main() -> None:
    """Grade the submission that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--visibility", choices=VISIBILITIES, default="visible")
    given = parser.parse_args()
    grade_upload(given.root, given.visibility)


if __name__ == "__main__":
    main()
