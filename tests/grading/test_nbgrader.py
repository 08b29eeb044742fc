"""The real nbgrader accepts our practice notebooks unchanged, and gives the same points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat.v3 import MetadataValidatorV3
from nbgrader.preprocessors import ClearSolutions

from checkout import ROOT, checkout_bank
from classroom import Classroom
from drawing import every_sixth_at_once
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose, pose_chapter
from shardwise.cell_names import names_set_by
from shardwise.course.assigning.notebooks import PRACTICE_SEED, chapter_notebook, file_text
from shardwise.course.assigning.simulated_class import fill, mistaken, right
from shardwise.grading.batch import grade
from shardwise.kinds import variable_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Outcome, Question

pytestmark = pytest.mark.filterwarnings("ignore")  # we cannot fix deprecations of nbgrader and Jupyter

NBGRADER = Path(sys.executable).parent / "nbgrader"
CHAPTER = "01-ring-all-reduce"


def _nbgrader(course: Path, *words: str) -> None:
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(course / "jupyter"), "PYTHONWARNINGS": "ignore"}
    environment["SHARDWISE_BANK"] = str(ROOT)
    done = subprocess.run(
        [str(NBGRADER), *words], cwd=course, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("chapter", every_sixth_at_once(list(checkout_bank().chapters)))
def test_nbgraders_own_validator_accepts_every_notebook(chapter: str, whole_bank: Bank) -> None:
    notebook = nbformat.from_dict(chapter_notebook(whole_bank, chapter, typed=True))
    nbformat.validate(notebook)
    for cell in notebook.cells:
        MetadataValidatorV3().validate_cell(cell)
    ids = [cell.metadata["nbgrader"]["grade_id"] for cell in notebook.cells]
    assert len(ids) == len(set(ids))


def test_nbgrader_keeps_the_skeletons_and_its_stub_is_not_an_answer(whole_bank: Bank, tmp_path: Path) -> None:
    notebook = nbformat.from_dict(chapter_notebook(whole_bank, CHAPTER, typed=True))
    released, _ = ClearSolutions().preprocess(notebook, {})
    questions = {
        question.id: question for problem in whole_bank.of_chapter(CHAPTER) for question in [pose(problem, "0")]
    }
    answers = [cell for cell in released.cells if cell.metadata["shardwise"]["role"] == "answer"]
    for cell in answers:
        assert "raise NotImplementedError()" in cell.source
        question = questions[cell.metadata["shardwise"]["question"]]
        assert names_set_by(cell.source) == [variable_of(question)]
    path = tmp_path / "submitted" / "ada" / f"{CHAPTER}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(released))
    batch = grade([path], tmp_path / "out", practice=partial(pose_chapter, whole_bank))
    [result] = batch.results()
    assert {feedback.outcome for feedback in result.feedback} == {Outcome.BLANK}
    assert len(result.feedback) == len(answers)


def test_a_stub_left_in_a_set_is_not_an_answer(whole_bank: Bank, tmp_path: Path) -> None:
    stubs = {
        "ada": "# YOUR CODE HERE\n{indent}raise NotImplementedError()",  # nbgrader's default
        "bo": "raise NotImplementedError",
        "cleo": "raise NotImplementedError('Write this.')  # TODO",
    }
    room = Classroom(tmp_path, whole_bank, tuple(stubs), ("bytes-per-gpu", "ring-time-function", "order-by-time"))
    for student, stub in stubs.items():
        notebook: Any = room.notebook(student)
        for cell in notebook["cells"]:
            if cell["metadata"]["shardwise"]["role"] == "answer":
                lines = cell["source"].split("\n")
                is_body = lines[-1] == "    ..."  # of a function
                kept, indent = (lines[:-1], "    ") if is_body else ([], "")
                cell["source"] = "\n".join([*kept, indent + stub.format(indent=indent)])
        room.put(student, notebook)
    for result in room.grade().values():
        assert [feedback.outcome for feedback in result.feedback] == [Outcome.BLANK] * 3, result.student


@pytest.mark.slow
def test_generate_and_autograde_give_our_points(
    whole_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # nbgrader calls alembic by name, so the environment's bin must be on the path
    monkeypatch.setenv("PATH", f"{NBGRADER.parent}{os.pathsep}{os.environ['PATH']}")
    source = tmp_path / "source" / "ps1" / f"{CHAPTER}.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(file_text(chapter_notebook(whole_bank, CHAPTER, typed=True)), "utf-8")
    (tmp_path / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = 'c'\nc.CourseDirectory.root = {str(tmp_path)!r}\n"
    )
    _nbgrader(tmp_path, "generate_assignment", "ps1", "--create")
    released = json.loads((tmp_path / "release" / "ps1" / f"{CHAPTER}.ipynb").read_text("utf-8"))
    questions = [pose(problem, PRACTICE_SEED) for problem in whole_bank.of_chapter(CHAPTER)]

    expected = {}
    for student, writers in {"right": [right], "mixed": [right, mistaken], "blank": []}.items():
        plan = {question.id: writers[place % len(writers)] for place, question in enumerate(questions) if writers}
        filled = fill(
            json.loads(json.dumps(released)),
            questions,
            lambda question, plan=plan: plan[question.id](question) if plan else None,
        )
        path = tmp_path / "submitted" / student / "ps1" / f"{CHAPTER}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(filled), "utf-8")
        expected[student] = {
            question.slug: _our_points(question, plan[question.id](question) if plan else None)
            for question in questions
        }
    _nbgrader(tmp_path, "autograde", "ps1", "--create")

    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        for student, points in expected.items():
            graded = gradebook.find_submission_notebook(CHAPTER, "ps1", student)
            theirs = {grade.name.removesuffix("-check"): grade.score for grade in graded.grades}
            assert theirs == pytest.approx(points), student
    assert sum(expected["right"].values()) == sum(question.points for question in questions)
    assert 0 < sum(expected["mixed"].values()) < sum(expected["right"].values())
    assert sum(expected["blank"].values()) == 0


def _our_points(question: Question, source: str | None) -> float:
    if source is None:
        return 0.0
    namespace: dict[str, object] = {}
    exec(source, namespace)
    return check(question, namespace[variable_of(question)], runner=run_here).points
