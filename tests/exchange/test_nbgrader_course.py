"""A set in an nbgrader course: nbgrader's own code accepts the notebooks and the gradebook that we write."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import compute_checksum, is_grade, is_locked, is_solution

from checkout import checkout_bank
from classroom import Classroom
from shardwise.course.assigning.simulated_class import add_cell, fill, mistaken, right, unreadable
from shardwise.errors import ShardwiseError
from shardwise.exchange.nbgrader import Collected, by_timestamp, collected, put_into_nbgrader
from shardwise.exchange.nbgrader_gradebook import opened_gradebook, save_result
from shardwise.grading.batch import grade
from shardwise.grading.intake import Decisions, locks_near
from shardwise.grading.reports import write_tables
from shardwise.grading.results import Result, read_results

pytestmark = pytest.mark.filterwarnings("ignore")  # we cannot fix deprecations of nbgrader and Jupyter

STUDENTS = ("ada", "bo", "cleo", "dan", "eve")
PROBLEMS = ("bytes-per-gpu", "ring-time-function", "order-by-time")
HOSTILE = "<script>document.title = 'seen'</script>\n\n```\n[x](javascript:seen())"


class NbgraderClass(Classroom):
    """A class whose set is in an nbgrader course, a copy of `made`."""

    def __init__(self, folder: Path, made: Path) -> None:
        super().__init__(folder, checkout_bank(), STUDENTS, PROBLEMS)
        self.course = folder / "nbgrader"
        shutil.copytree(made, self.course)

    def place(self, step: str, student: str) -> Path:
        return self.course / step / student / "week-1" / "week-1.ipynb"

    def submit(self, student: str, write: Any, *, at: str = "", change: Any = lambda notebook: notebook) -> None:
        notebook = json.loads(self.place("release", student).read_text("utf-8"))
        path = self.place("submitted", student)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(change(fill(notebook, self.lock.questions(student), write))), "utf-8")
        if at:
            (path.parent / "timestamp.txt").write_text(at)

    def collected(self) -> Collected:
        return collected(self.course, [self.course / "submitted"], locks_near([], [self.lock.path]))

    def graded(self) -> str:
        """Grade the submissions as `shardwise grade --nbgrader` does, and return its summary."""
        submissions = self.collected()
        decisions = Decisions(received=by_timestamp)
        out = self.out / "results"
        write_tables(grade(submissions.paths, out, locks=submissions.locks, decisions=decisions))
        return submissions.record(out)

    @contextmanager
    def gradebook(self) -> Iterator[Any]:
        with Gradebook(f"sqlite:///{self.course / 'gradebook.db'}") as gradebook:
            yield gradebook

    def result(self, student: str) -> Result:
        [result] = [each for each in read_results(self.out / "results") if each.student == student]
        return result

    def grades(self, student: str) -> dict[str, Any]:
        with self.gradebook() as gradebook:
            found = gradebook.find_submission_notebook("week-1", "week-1", student).grades
            return {each.name: (each.score, each.needs_manual_grade) for each in found}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an nbgrader course with the set, made once for all tests: nbgrader takes seconds to create a gradebook."""
    folder = tmp_path_factory.mktemp("made")
    lock = Classroom(folder, checkout_bank(), STUDENTS, PROBLEMS).lock
    put_into_nbgrader(folder / "nbgrader", lock.path, lock.key)
    return folder / "nbgrader"


@pytest.fixture
def course(tmp_path: Path, made: Path) -> NbgraderClass:
    return NbgraderClass(tmp_path, made)


def test_nbgraders_own_code_accepts_every_notebook_that_assign_puts_into_a_course(course: NbgraderClass) -> None:
    releases = [course.place("release", student) for student in STUDENTS]
    for path in (*releases, course.place("source", ".")):
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        MetadataValidator().validate_nb(notebook)
        marked = [cell for cell in notebook.cells if is_grade(cell) or is_solution(cell) or is_locked(cell)]
        assert all(cell.metadata.nbgrader.checksum == compute_checksum(cell) for cell in marked)
        ids = [cell.metadata.nbgrader.grade_id for cell in notebook.cells]
        assert len(ids) == len(set(ids))
    with course.gradebook() as gradebook:
        cells = gradebook.find_notebook("week-1", "week-1").grade_cells
        assert {cell.name: cell.max_score for cell in cells} == {
            f"q{number}-answer": question.points for number, question in enumerate(course.lock.questions("ada"), start=1)
        }  # fmt: skip


def test_every_student_gets_a_variant_of_their_own_and_the_source_version_contains_none(course: NbgraderClass) -> None:
    questions = {tuple(_questions(course.place("release", student))) for student in STUDENTS}
    assert len(questions) == len(STUDENTS)
    source = course.place("source", ".").read_text("utf-8")
    prompts = [question.prompt for student in STUDENTS for question in course.lock.questions(student)]
    assert not any(prompt[:60] in source for prompt in prompts)


def _questions(path: Path) -> list[str]:
    """Return the texts of the questions in a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.metadata.get("shardwise", {}).get("role") == "question"]


def test_students_have_first_and_last_names_and_those_that_a_person_changed_stay(course: NbgraderClass) -> None:
    with course.gradebook() as gradebook:
        gradebook.update_or_create_student("ada", first_name="Augusta Ada", last_name="King")
    course.submit("ada", right)
    course.graded()
    with course.gradebook() as gradebook:
        ada, bo = gradebook.find_student("ada"), gradebook.find_student("bo")
        assert (ada.first_name, ada.last_name, bo.first_name, bo.last_name) == ("Augusta Ada", "King", None, "Bo")


def test_a_manual_score_and_comment_survive_and_a_changed_answer_asks_for_another_look(course: NbgraderClass) -> None:
    course.submit("bo", mistaken)
    course.graded()
    with course.gradebook() as gradebook:
        grade_of = gradebook.find_grade("q1-answer", "week-1", "week-1", "bo")
        grade_of.manual_score, grade_of.needs_manual_grade = 1.5, False  # as formgrader sets them
        comment = gradebook.find_comment("q1-answer", "week-1", "week-1", "bo")
        assert comment.comment.startswith("**✗ Incorrect")
        comment.manual_comment = "The method is right."
        gradebook.db.commit()
    assert "1 with scores or comments set there, which were kept" in course.graded()
    assert course.grades("bo")["q1-answer"] == (1.5, False)
    course.submit("bo", right)
    course.graded()
    assert course.grades("bo")["q1-answer"] == (1.5, True)
    assert course.grades("bo")["q2-answer"] == (course.lock.questions("bo")[1].points, False)
    with course.gradebook() as gradebook:
        assert gradebook.find_comment("q1-answer", "week-1", "week-1", "bo").comment == "The method is right."


def test_what_could_not_be_graded_needs_a_manual_grade_and_has_no_score(course: NbgraderClass) -> None:
    course.submit("cleo", unreadable)
    course.submit("dan", right)
    course.place("submitted", "dan").write_text("{broken", "utf-8")
    assert "2 submissions of week-1 in the gradebook of " in (summary := course.graded())
    assert ", 2 to look at in formgrader" in summary
    assert set(course.grades("cleo").values()) == {(0.0, True)}
    with course.gradebook() as gradebook:
        grades = gradebook.find_submission_notebook("week-1", "week-1", "dan").grades
        assert [(each.auto_score, each.needs_manual_grade) for each in grades] == [(None, True)] * len(PROBLEMS)
        for each in gradebook.find_submission_notebook("week-1", "week-1", "cleo").grades:
            each.needs_manual_grade = False  # somebody looked, and agrees
        gradebook.db.commit()
        with pytest.raises(MissingEntry):  # without a submission: nothing is entered
            gradebook.find_submission("week-1", "eve")
    assert "Not graded." in nbformat.read(course.place("autograded", "dan"), as_version=4).cells[0].source
    course.graded()
    assert set(course.grades("cleo").values()) == {(0.0, False)}


def test_nothing_that_a_student_wrote_is_markup_in_formgrader(course: NbgraderClass) -> None:
    def hostile(notebook: dict[str, Any]) -> dict[str, Any]:
        add_cell(notebook, HOSTILE)["cells"][3]["cell_type"] = "markdown"
        add_cell(notebook, "mine = 1", 4)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {"text/html": HOSTILE}}]
            cell["metadata"].get("nbgrader", {})["points"] = "<script>"
            if cell["metadata"].get("shardwise", {}).get("role") == "question":
                cell["source"] = HOSTILE
        return notebook

    course.submit("ada", right, change=hostile)
    course.graded()
    notebook = nbformat.read(course.place("autograded", "ada"), as_version=4)
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert [text for text in texts if "script" in text] == [f"````text\n{HOSTILE}\n````"]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code) and "mine = 1" in [cell.source for cell in code]
    assert "<script>" not in json.dumps([cell.metadata for cell in notebook.cells])
    assert _questions(course.place("autograded", "ada")) == _questions(course.place("release", "ada"))


def test_formgrader_shows_the_copy_of_an_answer_cell_that_counts(course: NbgraderClass) -> None:
    def copied(notebook: dict[str, Any]) -> dict[str, Any]:
        [place] = [place for place, cell in enumerate(notebook["cells"]) if cell["id"] == "q1-answer"]
        copy = {**notebook["cells"][place], "id": "copy", "source": "bytes_per_gpu = '1 GB'"}
        notebook["cells"].insert(place, copy)  # Jupyter copies the metadata too
        return notebook

    course.submit("ada", right, change=copied)
    course.graded()
    cells = nbformat.read(course.place("autograded", "ada"), as_version=4).cells
    [answer] = [cell for cell in cells if cell.metadata.get("nbgrader", {}).get("grade_id") == "q1-answer"]
    assert answer.source != "bytes_per_gpu = '1 GB'" and "bytes_per_gpu = '1 GB'" in [cell.source for cell in cells]
    assert course.grades("ada")["q1-answer"] == (course.lock.questions("ada")[0].points, False)


def test_the_time_is_nbgraders_and_formgrader_counts_the_submission_as_graded(course: NbgraderClass) -> None:
    course.submit("ada", right, at="2026-11-20 10:00:00.123456 UTC")
    course.submit("bo", right)
    course.graded()
    with course.gradebook() as gradebook:
        at = {student: gradebook.find_submission("week-1", student).timestamp for student in ("ada", "bo")}
    assert at["ada"] == datetime(2026, 11, 20, 10, 0, 0, 123456)
    stamp = (course.place("submitted", "bo").parent / "timestamp.txt").read_text()
    assert stamp == f"{at['bo']:%Y-%m-%d %H:%M:%S.%f} UTC"  # otherwise formgrader asks to autograde it
    ada = course.result("ada")
    assert ada.received_by == "nbgrader"
    assert datetime.fromisoformat(ada.received) == datetime(2026, 11, 20, 10, tzinfo=UTC)


def test_points_of_the_whole_notebook_become_a_penalty_or_are_added_to_the_last_question(course: NbgraderClass) -> None:
    course.submit("ada", right)
    course.graded()
    ada = course.result("ada")
    assert ada.points is not None
    for change, score, penalty in ((-1.5, ada.points, 1.5), (2.0, ada.points + 2, None), (0.0, ada.points, None)):
        submission = _saved(course, replace(ada, points=ada.points + change))
        assert (submission["score"], submission["penalty"]) == (score, penalty)
    on_paper = replace(ada, student="eve", answers_json="[]", points=4.0)  # decided, although nothing was handed in
    assert _saved(course, on_paper)["score"] == 4.0
    assert course.grades("eve")["q3-answer"] == (4.0, False)


def test_an_own_due_date_is_an_extension(course: NbgraderClass) -> None:
    with course.gradebook() as gradebook:
        gradebook.update_or_create_assignment("week-1", duedate="2026-12-01 12:00:00 UTC")
    course.submit("ada", right, at="2026-12-02 10:00:00 UTC")
    course.graded()
    ada = course.result("ada")
    for due, late in (("2026-12-02T13:00:00+01:00", 0.0), ("2026-12-01T13:00:00+01:00", 22 * 3600.0)):
        _saved(course, replace(ada, due=due))
        with course.gradebook() as gradebook:
            gradebook.update_or_create_submission("week-1", "ada", timestamp="2026-12-02 10:00:00 UTC")
            assert gradebook.find_submission("week-1", "ada").total_seconds_late == late


def _saved(course: NbgraderClass, result: Result) -> dict[str, Any]:
    places = {question.id: place for place, question in enumerate(course.lock.questions(result.student))}
    with opened_gradebook(f"sqlite:///{course.course / 'gradebook.db'}") as gradebook:
        save_result(gradebook, result, places, None)
    with course.gradebook() as gradebook:
        found = gradebook.find_submission_notebook("week-1", "week-1", result.student)
        return {"score": found.score, "penalty": found.late_submission_penalty}


def test_submissions_of_other_assignments_are_left_alone(course: NbgraderClass) -> None:
    course.submit("ada", right)
    other = course.course / "submitted" / "ada" / "week-0" / "week-0.ipynb"
    other.parent.mkdir()
    other.write_text("{}")
    assert course.collected().paths == [course.place("submitted", "ada").parent]


def test_an_assignment_of_the_same_name_is_refused(course: NbgraderClass) -> None:
    with course.gradebook() as gradebook:
        gradebook.add_notebook("problem-1", "week-1")
    with pytest.raises(ShardwiseError, match="already has an assignment 'week-1' with the notebook 'problem-1'"):
        put_into_nbgrader(course.course, course.lock.path, course.lock.key)


def test_faults_of_a_course_are_reported_in_words(course: NbgraderClass, tmp_path: Path) -> None:
    locks = locks_near([], [course.lock.path])
    with pytest.raises(ShardwiseError, match=r"Nobody has handed in week-1: .*zip_collect` create it"):
        course.collected()
    with pytest.raises(ShardwiseError, match=r"Cannot find the gradebook .*Add the set to the course"):
        collected(tmp_path / "no-course", [tmp_path], locks)
    with sqlite3.connect(course.course / "gradebook.db") as database:
        database.execute("DELETE FROM notebook")
    with pytest.raises(ShardwiseError, match=r"Cannot find the assignment 'week-1'"):
        course.collected()
    (course.course / "gradebook.db").write_text("no database")
    with pytest.raises(ShardwiseError, match="cannot be used: file is not a database"):
        course.collected()
    (course.course / "nbgrader_config.py").write_text("import no_such_module")
    with pytest.raises(ShardwiseError, match=r"configuration .* cannot be loaded: No module named 'no_such_module'"):
        course.collected()


def test_the_gradebook_and_graded_notebooks_are_private(course: NbgraderClass) -> None:
    course.submit("ada", right)
    course.graded()
    for path in (course.course / "gradebook.db", course.place("autograded", "ada")):
        assert path.stat().st_mode & 0o077 == 0
