"""nbgrader courses: `assign` adds sets, and `grade` reads submissions and writes scores, comments and graded notebooks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import glob
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from shardwise.atomic_files import write_file
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.notebooks import Notebook, compact_text
from shardwise.course.collecting.receipts import Receipt, by_file
from shardwise.course.collecting.submitted_files import BadSubmission, SubmittedFile, find
from shardwise.errors import ShardwiseError
from shardwise.grading.results import Result, read_results
from shardwise.text_files import read_bounded

if TYPE_CHECKING:
    from shardwise.grading.intake import Locks

_STAMP = "timestamp.txt"  # the file in which nbgrader records when a submission was received
_SECRET = "submission_secret.txt"  # by which `nbgrader release_feedback` finds the student
_LONGEST = 1000  # bytes of either file
_NEEDS = "--nbgrader needs nbgrader: pip install 'shardwise[nbgrader]'"


def _directory(root: Path) -> Any:
    """Return nbgrader's description of a course folder, according to its configuration. Raises ShardwiseError."""
    try:
        from nbgrader.apps.baseapp import NbGrader
    except ImportError:
        raise ShardwiseError(_NEEDS) from None
    if root.exists() and not root.is_dir():
        raise ShardwiseError(f"--nbgrader needs the folder of an nbgrader course, but {root} is a file.")
    app = NbGrader(log_level=logging.ERROR, load_cwd_config=False, raise_config_file_errors=True)
    try:
        app.initialize([], root=str(root.resolve()))
    except Exception as error:  # the configuration is a program
        raise ShardwiseError(f"nbgrader's configuration for {root} cannot be loaded: {error}") from None
    app.coursedir.root = str(root.resolve())
    return app.coursedir


def put_into_nbgrader(root: Path, lock_path: Path, key: bytes) -> str:
    """Add a set to an nbgrader course, and return what was done.

    Writes the assignment, its answer cells and the students into the gradebook, the version that nbgrader works with into
    `source`, and each student's notebook into `release/<student>`.
    """
    directory = _directory(root)
    from shardwise.exchange.nbgrader_gradebook import opened_gradebook, save_assignment, save_students
    from shardwise.exchange.nbgrader_notebooks import grade_cells, released_notebook, source_notebook

    lock = Lock(lock_path, key)
    name, cells = lock.set_name, grade_cells(lock)
    source = source_notebook(lock, cells)
    root.mkdir(parents=True, exist_ok=True)
    if (database := _database(directory)) and not directory.groupshared:
        database.touch(mode=0o600)  # it will contain grades
    with opened_gradebook(directory.db_url) as gradebook:
        save_assignment(gradebook, directory.db_url, lock, source)
        save_students(gradebook, lock)
    _write(_notebook(directory, directory.source_directory, ".", name), source)
    for student in lock.students():
        _write(_notebook(directory, directory.release_directory, student, name), released_notebook(lock, student))
    points, students = sum(cell.max_points for cell in cells), len(lock.places)
    where = _notebook(directory, directory.release_directory, "<student>", name)
    return (
        f"nbgrader: assignment {name} in {root}, {len(cells)} question{'s' * (len(cells) != 1)}, {points:g} points, "
        f"{students} student{'s' * (students != 1)}. Hand out {_shown(where, root)}"
    )


def _database(directory: Any) -> Path | None:
    """Return the file of the course's gradebook; None if it is on a server."""
    kind, _, path = directory.db_url.partition(":///")
    return Path(path) if kind == "sqlite" else None


def _notebook(directory: Any, step: str, student: str, name: str) -> Path:
    """Return the path of a student's notebook in the folder of a step, such as `submitted`."""
    return Path(directory.format_path(step, student, name)) / f"{name}.ipynb"


def _shown(path: Path, root: Path) -> Path:
    return root / path.relative_to(root.resolve()) if path.is_relative_to(root.resolve()) else path


def _write(path: Path, notebook: Notebook, *, private: bool = False) -> None:
    write_file(path, compact_text(notebook).encode(), private=private)


def by_timestamp(found: SubmittedFile, student: str) -> Receipt:
    """Return when nbgrader received a notebook; if that is unknown, when its file was last changed."""
    stamp = None if found.member else _stamp(found.path.parent)
    return Receipt(stamp, "nbgrader") if stamp else by_file(found, student)


def _stamp(folder: Path) -> datetime | None:
    """Return the time that nbgrader recorded in a folder; None if it is missing or cannot be read."""
    from nbgrader.utils import parse_utc

    try:
        at: datetime = parse_utc(read_bounded(folder / _STAMP, _LONGEST).decode().strip())
    except (OSError, ValueError, OverflowError, AttributeError):
        return None
    return at.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Collected:
    """The submissions of some sets in an nbgrader course."""

    root: Path
    paths: list[Path]
    locks: tuple[Lock, ...]

    def record(self, out: Path) -> str:
        """Write the results in `out` into the course, and return what was done."""
        directory, contents, results = _directory(self.root), _contents_of(self.paths), read_results(out)
        return "\n".join(_recorded(self.root, directory, lock, results, contents) for lock in self.locks)


def collected(root: Path, paths: Sequence[Path], near: Locks) -> Collected:
    """Return the submissions in these paths; from the course's own folder, only those of the sets with a lock file.

    Raises ShardwiseError if a set is not in the course.
    """
    directory = _directory(root)
    from shardwise.exchange.nbgrader_gradebook import has_assignment, opened_gradebook

    locks = tuple(near.known.values())
    if not locks:
        raise ShardwiseError(" ".join(near.unused) or "--nbgrader needs the set's lock file. Name it with --lock.")
    if (database := _database(directory)) and not database.exists():
        raise ShardwiseError(f"Cannot find the gradebook {_shown(database, root)}. {_assign(root)}")
    with opened_gradebook(directory.db_url) as gradebook:
        if unknown := [lock.set_name for lock in locks if not has_assignment(gradebook, lock.set_name)]:
            raise ShardwiseError(
                f"Cannot find the assignment {unknown[0]!r} in the nbgrader course {root}. {_assign(root)}"
            )
    course = {root.resolve(), root.resolve() / directory.submitted_directory}
    pattern = [directory.format_path(directory.submitted_directory, "*", lock.set_name) for lock in locks]
    inside = [Path(folder) for each in pattern for folder in sorted(glob(each))]
    chosen = [each for path in paths for each in (inside if path.resolve() in course else [path])]
    if not chosen:
        raise ShardwiseError(
            f"Nobody has handed in {' or '.join(lock.set_name for lock in locks)}: {_shown(Path(pattern[0]), root)} does not exist. "
            "`nbgrader collect` and `nbgrader zip_collect` create it."
        )
    return Collected(root, list(dict.fromkeys(chosen)), locks)


def _assign(root: Path) -> str:
    return f"Add the set to the course:  shardwise assign ... --nbgrader {quote(str(root))}"


def _recorded(
    root: Path, directory: Any, lock: Lock, results: Iterable[Result], contents: Callable[[str], bytes | None]
) -> str:
    """Write the results of a set into the gradebook, and graded notebooks into `autograded`; return what was done."""
    from shardwise.exchange import nbgrader_gradebook as book

    name = lock.set_name
    ours = [each for each in results if each.set == name and each.student in lock.places]
    places = {
        student: {question.id: place for place, question in enumerate(lock.questions(student))}
        for student in {result.student for result in ours}
    }
    max_points = _max_points(lock, ours, places)
    saved: list[tuple[bool, bool]] = []
    with book.opened_gradebook(directory.db_url) as gradebook:
        book.save_students(gradebook, lock)
        book.save_max_points(gradebook, name, max_points)
        by_student = attrgetter("student")
        for student, rows in groupby(sorted(ours, key=by_student), key=by_student):
            several = list(rows)
            result = next((each for each in several if each.status == "graded"), several[0])
            if result.status in ("missing", "excused") and not book.has_submission(gradebook, name, student):
                continue
            saved.append(book.save_result(gradebook, result, places[student], _dated(directory, result)))
            _write_graded(directory, lock, several, result, contents, max_points)
    return _summary(root, name, saved)


def _max_points(lock: Lock, results: Iterable[Result], places: Mapping[str, Mapping[str, int]]) -> list[float]:
    """Return the maximum of each question, after the instructor's decisions; as assigned if nobody answered it."""
    from shardwise.exchange.nbgrader_notebooks import grade_cells

    decided: dict[int, float] = {}
    for result in results:
        for feedback in result.feedback:
            place = places[result.student][feedback.question]
            decided[place] = max(decided.get(place, 0.0), feedback.max_points)
    return [decided.get(place, cell.max_points) for place, cell in enumerate(grade_cells(lock))]


def _contents_of(paths: Sequence[Path]) -> Callable[[str], bytes | None]:
    """Return a function that reads a submitted notebook by the path in its result, or returns None if it cannot."""
    files = {str(found): found for found in find(paths, lambda _folder: False)}

    def contents(path: str) -> bytes | None:
        try:
            return files[path].contents() if path in files else None
        except BadSubmission:
            return None

    return contents


def _dated(directory: Any, result: Result) -> datetime | None:
    """Write a submission's time into the folders where formgrader compares it with the gradebook's; return that time."""
    folder = Path(directory.format_path(directory.submitted_directory, result.student, result.set))
    at, known = datetime.fromisoformat(result.received) if result.received else None, _stamp(folder)
    if at is not None and known is not None and known.replace(microsecond=0) == at:
        at = known  # results have whole seconds
    graded = Path(directory.format_path(directory.autograded_directory, result.student, result.set))
    for place in (folder, graded):
        if at is not None and _stamp(place) != at and (place.is_dir() or place == graded):
            write_file(place / _STAMP, f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f} UTC".encode())
    with suppress(OSError):  # only what went through nbgrader's exchange has one
        write_file(graded / _SECRET, read_bounded(folder / _SECRET, _LONGEST), private=True)
    return at


def _write_graded(
    directory: Any,
    lock: Lock,
    several: Sequence[Result],
    result: Result,
    contents: Callable[[str], bytes | None],
    max_points: Sequence[float],
) -> None:
    """Write the notebook that formgrader and `nbgrader generate_feedback` show."""
    from shardwise.exchange.nbgrader_notebooks import graded_notebook
    from shardwise.markdown.escaping import literal

    is_graded = result.status == "graded"
    reasons = [] if is_graded else [f"**Not graded.** {literal(each.reason)}" for each in several]
    late = ["This was received after the due date."] if result.late else []
    remarks = [*reasons, *late, *(literal(note) for note in result.notes)]
    handed_in = contents(result.path) if is_graded else None
    notebook = graded_notebook(lock, result.student, handed_in, remarks, max_points)
    place = _notebook(directory, directory.autograded_directory, result.student, lock.set_name)
    _write(place, notebook, private=not directory.groupshared)


def _summary(root: Path, name: str, saved: Sequence[tuple[bool, bool]]) -> str:
    """Return what was done, and the next command; `saved` is what `save_result` returned for each submission."""
    count, to_grade, kept = len(saved), sum(manual for manual, _ in saved), sum(by_hand for _, by_hand in saved)
    text = f"nbgrader: {count} submission{'s' * (count != 1)} of {name} in the gradebook of {root}"
    text += f", {to_grade} to look at in formgrader" if to_grade else ""
    text += f", {kept} with scores or comments set there, which were kept" if kept else ""
    return f"{text}.\nFeedback pages:  cd {quote(str(root))} && nbgrader generate_feedback {quote(name)} --force"
