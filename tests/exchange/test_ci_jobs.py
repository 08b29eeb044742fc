"""The jobs for GitHub and GitLab: they are valid, and their scripts run in a clean checkout with an empty home."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from checkout import ROOT
from classroom import Classroom
from shardwise import __version__
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank
from shardwise.course.assigning.notebooks import chapter_notebook, file_text
from shardwise.course.assigning.simulated_class import fill, mistaken, right
from shardwise.question import Question
from shardwise.template.yaml_source import parse_yaml

BEGINNINGS = ROOT / "grader" / "shardwise" / "course" / "beginnings"
ACTION = ROOT / ".github" / "actions" / "grade" / "action.yml"
WORKFLOW = ROOT / ".github" / "workflows" / "grade-notebooks.yml"
PRACTICE, GRADE, LINT, GITLAB = (
    "for-students/practice.yml",
    "dot-github/workflows/grade.yml",
    "dot-github/workflows/lint.yml",
    "dot-gitlab-ci.yml",
)
BIN = Path(sys.executable).parent
CHAPTER = "16-capstone-405b"
FEW = ("bytes-per-gpu", "ring-or-tree")


def as_written(name: str) -> str:
    """Return the text of a file as `init course` writes it."""
    return (BEGINNINGS / name).read_text("utf-8").replace("{version}", __version__)


def loaded(text: str) -> Any:
    return json.loads(json.dumps(parse_yaml(text, "job").data))


def filled_in(text: str, values: Mapping[str, str]) -> str:
    """Replace GitHub's expressions in a text by these values. Raises KeyError for another expression."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda name: values[name[1]], text)


class Repository:
    """A repository that a job clones, and an empty home folder for the job."""

    def __init__(self, folder: Path) -> None:
        self.origin, self.checkout, self.home = folder / "origin", folder / "checkout", folder / "home"
        self.origin.mkdir(parents=True)
        self.home.mkdir()
        self.git("init", "-q", cwd=self.origin)

    def git(self, *words: str, cwd: Path) -> str:
        name = ["-c", "user.name=Ada", "-c", "user.email=ada@x.edu"]
        return subprocess.run(["git", *name, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout

    def add(self, name: str, text: str) -> None:
        path = self.origin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def clone(self) -> None:
        self.git("add", "-A", cwd=self.origin)
        self.git("commit", "-q", "-m", "Hand in", cwd=self.origin)
        self.git("clone", "-q", self.origin.as_uri(), str(self.checkout), cwd=self.origin)

    def run(self, script: str, variables: Mapping[str, str]) -> int:
        """Run a script as a runner does, with this environment's shardwise, and return its exit code."""
        clean = {"HOME": str(self.home), "PATH": f"{BIN}:/usr/bin:/bin", "TMPDIR": str(self.home), "CI": "true"}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        done = subprocess.run(command, cwd=self.checkout, env={**clean, **variables}, capture_output=True, text=True)
        self.said = done.stdout + done.stderr
        assert "Traceback" not in self.said, self.said
        return done.returncode


class GitHub(Repository):
    """A repository on GitHub, whose job runs the `grade` step of our action."""

    def grade(self, given: Mapping[str, str]) -> int:
        inputs = {
            name: str(about.get("default", "")) for name, about in loaded(ACTION.read_text("utf-8"))["inputs"].items()
        }
        assert set(given) <= set(inputs)
        known = {f"inputs.{name}": value for name, value in {**inputs, **given}.items()}
        [step] = [step for step in loaded(ACTION.read_text("utf-8"))["runs"]["steps"] if step.get("id") == "grade"]
        files = {name: self.home / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP")}
        files["RUNNER_TEMP"].mkdir(exist_ok=True)
        variables = {name: filled_in(value, known) for name, value in step["env"].items()}
        code = self.run(step["run"], {**variables, **{name: str(path) for name, path in files.items()}})
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text("utf-8") if files["GITHUB_STEP_SUMMARY"].exists() else ""
        self.results = Path(files["GITHUB_OUTPUT"].read_text("utf-8").strip().rpartition("=")[2])
        assert self.git("status", "--porcelain", "--ignored", cwd=self.checkout) == ""
        return code

    def grade_as_student(self) -> int:
        """Run practice.yml, with the workflow that it calls and the action that the workflow uses."""
        given = loaded(as_written(PRACTICE))["jobs"]["grade"]["with"]
        known = {
            f"inputs.{name}": given.get(name, "")
            for name in loaded(WORKFLOW.read_text("utf-8"))["on"]["workflow_call"]["inputs"]
        }
        assert set(known) >= {f"inputs.{name}" for name in given}
        *_, step = loaded(WORKFLOW.read_text("utf-8"))["jobs"]["grade"]["steps"]
        return self.grade({name: filled_in(value, known) for name, value in step["with"].items()})


@pytest.fixture(scope="module")
def practised(whole_bank: Bank) -> Callable[[Callable[[Question], str | None]], str]:
    """Return a function that fills in a student's practice notebook, as `render --typed` writes it."""
    questions = [pose(problem, "0") for problem in whole_bank.of_chapter(CHAPTER)]
    text = file_text(chapter_notebook(whole_bank, CHAPTER, typed=True))
    return lambda write: json.dumps(fill(json.loads(text), questions, write))


def committed_course(repository: Repository, folder: Path, bank: Bank) -> str:
    """Commit a course with two submissions; return its key, which is not committed."""
    room = Classroom(folder, bank, ("ada", "bo", "cleo"), FEW)
    repository.add("assigned/week-1/week-1.lock.jsonl", room.lock.path.read_text("utf-8"))
    for student, write in (("ada", right), ("bo", mistaken)):
        answers = fill(room.notebook(student), room.lock.questions(student), write)  # type: ignore[arg-type]
        repository.add(f"submitted/week-1/{student}/week-1.ipynb", json.dumps(answers))
    return room.lock.key.hex()


# Validity -----------------------------------------------------------------------------------------------------------


def test_every_job_is_valid_for_its_system_and_for_zizmor(tmp_path: Path) -> None:
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for name in (PRACTICE, GRADE, LINT):
        (workflows / Path(name).name).write_text(as_written(name))
    (tmp_path / ".gitlab-ci.yml").write_text(as_written(GITLAB))
    check = [BIN / "check-jsonschema", "--quiet", "--builtin-schema"]
    for command in (
        [*check, "vendor.github-workflows", WORKFLOW, *workflows.iterdir()],
        [*check, "vendor.github-actions", ACTION],
        [*check, "vendor.gitlab-ci", tmp_path / ".gitlab-ci.yml"],
        [BIN / "zizmor", "--offline", "--quiet", ACTION, WORKFLOW, tmp_path / ".github"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_action_and_the_workflow_use_this_release() -> None:
    assert f"default: shardwise[bank]=={__version__}\n" in ACTION.read_text("utf-8")
    assert f"actions/grade@v{__version__} " in WORKFLOW.read_text("utf-8")


# GitHub -------------------------------------------------------------------------------------------------------------


def test_a_students_push_is_graded_and_summarised(tmp_path: Path, practised: Callable[..., str]) -> None:
    github = GitHub(tmp_path)
    github.add(f"{CHAPTER}.ipynb", practised(right))
    github.add("results/ledger.sqlite", "forged")
    github.clone()
    assert github.grade_as_student() == 0, github.said
    assert github.summary.startswith(f"## {CHAPTER}: ")
    assert {"junit.xml", "summary.md", "grades.csv", "feedback"} <= {path.name for path in github.results.iterdir()}
    assert list(github.results.glob("feedback/*/*.html"))


def test_a_students_mistakes_fail_the_job_and_are_named(tmp_path: Path, practised: Callable[..., str]) -> None:
    github = GitHub(tmp_path)
    github.add(f"{CHAPTER}.ipynb", practised(mistaken))
    github.clone()
    assert github.grade_as_student() == 1, github.said
    assert "below --fail-under 60%" in github.said
    assert "✗ Incorrect" in github.summary and "\n### " in github.summary


def test_a_repository_without_a_notebook_fails_the_job_in_words(tmp_path: Path) -> None:
    github = GitHub(tmp_path)
    github.add("README.md", "empty")
    github.clone()
    assert github.grade_as_student() == 2
    assert "Cannot find a notebook (*.ipynb)" in github.said


def test_a_course_is_graded_with_its_key_from_a_secret(tmp_path: Path, whole_bank: Bank) -> None:
    github = GitHub(tmp_path / "github")
    key = committed_course(github, tmp_path / "course", whole_bank)
    github.clone()
    *_, step = loaded(as_written(GRADE))["jobs"]["grade"]["steps"]
    known = {"inputs.set": "week-1", "secrets.SHARDWISE_KEY": key}
    assert github.grade({name: filled_in(value, known) for name, value in step["with"].items()}) == 0, github.said
    assert "| ada | week-1 | 4 of 4 points |" in github.summary
    assert "cleo" not in github.summary
    assert [suite.name for suite in JUnitXml.fromfile(str(github.results / "junit.xml"))] == ["week-1.ada", "week-1.bo"]
    assert ',"git",' in (github.results / "grades.csv").read_text("utf-8")
    assert github.grade({name: filled_in(value, {**known, "secrets.SHARDWISE_KEY": ""}) for name, value in step["with"].items()}) == 2  # fmt: skip
    assert "the course key that signed it is missing" in github.said


def test_a_fault_in_the_courses_bank_is_annotated_and_fails_the_job(tmp_path: Path) -> None:
    github = GitHub(tmp_path)
    init_bank(github.origin / "bank", ("quantity",))
    github.clone()
    [script] = [step["run"] for step in loaded(as_written(LINT))["jobs"]["lint"]["steps"] if step.get("name") == "Lint"]
    for said in ("all sound", "all sound; 1 unchanged since an earlier run"):
        assert github.run(script, {}) == 0
        assert f": {said}\n" in github.said
    assert list((github.home / ".cache" / "shardwise" / "lint").iterdir())  # what the step before it keeps
    problem = next((github.checkout / "bank" / "problems").glob("*/first-quantity.yaml"))
    problem.write_text(problem.read_text().replace("oracle: example.", "oracle: example.no_"))
    assert github.run(script, {}) == 1
    assert f"::error file={problem.relative_to(github.checkout)},line=" in github.said


# GitLab -------------------------------------------------------------------------------------------------------------


def gitlab(repository: Repository, **variables: str) -> int:
    job = loaded(as_written(GITLAB))["grade"]
    defaults = {name: str(value) for name, value in job["variables"].items()}
    return repository.run("\n".join(job["script"]), {**defaults, **variables})


@pytest.mark.parametrize(("write", "code"), [(right, 0), (mistaken, 1)])
def test_gitlab_keeps_the_results_of_this_run_only(
    tmp_path: Path, practised: Callable[..., str], write: Callable[[Question], str | None], code: int
) -> None:
    repository = Repository(tmp_path)
    repository.add(f"{CHAPTER}.ipynb", practised(write))
    repository.add("results/feedback/forged.html", "100 %")
    repository.clone()
    assert gitlab(repository) == code, repository.said
    kept = repository.checkout / "results"
    assert not list(kept.rglob("forged.html"))
    assert {"junit.xml", "summary.md", "feedback"} <= {path.name for path in kept.iterdir()}


def test_gitlab_grades_a_course_with_its_key_from_a_variable(tmp_path: Path, whole_bank: Bank) -> None:
    repository = Repository(tmp_path / "gitlab")
    key = committed_course(repository, tmp_path / "course", whole_bank)
    repository.clone()
    [options] = re.findall(r"OPTIONS to\n# (.+)", as_written(GITLAB))
    given = {"NOTEBOOKS": "submitted/week-1", "OPTIONS": options, "SHARDWISE_KEY": key}
    assert gitlab(repository, **given) == 0, repository.said
    assert "2 graded, 0 could not be graded, 1 missing" in repository.said
