"""An instructor with a bank of another field: every step from the first listing to the last regrading."""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from typer.testing import CliRunner, Result

from added_kinds import installed
from checkout import checkout_bank
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.cli.main import app
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.notebooks import PRACTICE_SEED, chapter_notebook, file_text
from shardwise.course.assigning.simulated_class import fill, hand_in, mistaken, right
from shardwise.kinds import OURS, variable_of
from shardwise.question import Question

OWN = Path(__file__).parents[2] / "examples" / "bank"
CHAPTER = "01-loans-and-bonds"
KINDS = {*OURS, "allocation"}  # shardwise's and the bank's
PAYMENT = f"{CHAPTER}/monthly-payment"

# Jupyter's kernels and Dask leave sockets open, which causes warnings.
pytestmark = pytest.mark.filterwarnings("ignore")


def four_dollars_off(question: Question) -> str | None:
    """Return a right answer, except for a payment that is four dollars too high; the tolerance is one dollar."""
    if question.slug != "monthly-payment":
        return right(question)
    return f"{variable_of(question)} = '{question.key.model_dump()['value'] + 4:.2f} dollars'"


CLASS: dict[str, Callable[[Question], str | None]] = {"ada": right, "bo": mistaken, "cleo": four_dollars_off}


@pytest.fixture(autouse=True, scope="module")
def its_kind_is_installed_and_no_bank_is_meant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, installed(OWN, tmp_path_factory.mktemp("packages")):
        patch.delenv("SHARDWISE_BANK", raising=False)
        yield


def shardwise(*words: str | Path) -> Result:
    """Run a command that must succeed."""
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == 0, done.output + repr(done.exception)
    return done


# Listed and proved ------------------------------------------------------------------------------------------------------


def test_every_problem_is_listed_with_its_bank() -> None:
    done = shardwise("list", "--bank", OWN, "--json")
    assert {row["kind"] for row in json.loads(done.stdout)} == KINDS
    assert f"Bank: {OWN} (1 chapter, {len(KINDS)} problems)" in done.stderr


def test_the_examples_in_its_references_are_true() -> None:
    references = Bank.open(OWN).references
    for name in ("loans.monthly_payment", "savings.balance", "zero.price", "arguments.require_counts"):
        module = sys.modules[references.reference(name).__module__]
        tried = doctest.testmod(module)
        assert tried.attempted > 0
        assert tried.failed == 0


# Practised --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def practised(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    """The practice notebook after a kernel has run it, with one mistake, otherwise right answers, and three more cells."""
    folder = tmp_path_factory.mktemp("practice")
    assert f"{CHAPTER}.ipynb written" in shardwise("render", "--typed", "--bank", OWN, "--out", folder).stdout
    again = shardwise("render", "--typed", "--bank", OWN, "--out", folder, "--check")
    assert "1 notebook, 0 out of date" in again.stdout
    questions = [pose(problem, PRACTICE_SEED) for problem in Bank.open(OWN).of_chapter(CHAPTER)]
    handed_out = json.loads((folder / f"{CHAPTER}.ipynb").read_text("utf-8"))

    def write(question: Question) -> str | None:
        return mistaken(question) if question.id == PAYMENT else right(question)

    node = nbformat.reads(json.dumps(fill(handed_out, questions, write)), as_version=4)
    more = ("hint('monthly-payment')", "another('monthly-payment')", "practice('when-yields-rise')")
    node.cells += [nbformat.v4.new_code_cell(source) for source in more]
    NotebookClient(node, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    return node


def shown(node: nbformat.NotebookNode, kind: str) -> list[str]:
    """Return the outputs of a notebook's cells in one format."""
    outputs = [output for cell in node.cells for output in cell.get("outputs", [])]
    return [str(output["data"][kind]) for output in outputs if kind in output.get("data", {})]


def test_practice_marks_answers_and_names_a_mistake(practised: nbformat.NotebookNode) -> None:
    heads = [text.partition("\n")[0] for text in shown(practised, "text/plain")]
    scores = [float(head.split("·")[1].split()[0]) for head in heads if "points" in head and "·" in head]
    questions = [pose(problem, PRACTICE_SEED) for problem in Bank.open(OWN).of_chapter(CHAPTER)]
    assert scores == [0.0 if question.id == PAYMENT else question.points for question in questions]
    assert "You charged interest on the whole loan to the end." in "\n".join(shown(practised, "text/html"))


def test_hints_variants_and_forms_come_from_the_bank_as_well(practised: nbformat.NotebookNode) -> None:
    said = "\n".join(shown(practised, "text/markdown"))
    assert "**Hint 1.** You need the monthly rate" in said
    assert "### What the house costs per month" in said
    assert shown(practised, "application/vnd.jupyter.widget-view+json")


# Assigned and graded ----------------------------------------------------------------------------------------------------


class Course:
    """A set with problems of two banks, assigned, submitted and graded."""

    def __init__(self, folder: Path) -> None:
        self.banks = ("--bank", OWN, "--bank", "shipped")
        self.folder, self.submitted, self.results = folder, folder / "submitted", folder / "results"
        roster = folder / "roster.csv"
        roster.write_text("student,name\n" + "".join(f"{student},{student.title()}\n" for student in CLASS))
        (folder / "key").write_text("6b" * 32)  # the same draws every time
        done = shardwise("assign", OWN / "set.yaml", "--roster", roster, "--out", folder, "--key", folder / "key",
                         *self.banks)  # fmt: skip
        assert f"{len(CLASS)} notebooks in" in done.stdout
        self.lock = Lock(folder / "week-1.lock.jsonl")
        for student, write in CLASS.items():
            hand_in(self.lock, folder / "notebooks", self.submitted, student, write)
        self.grade(self.results)

    def grade(self, out: Path, *more: str) -> None:
        shardwise("grade", self.submitted, "--out", out, "--lock", self.lock.path, *more)

    def graded(self, out: Path) -> dict[str, Any]:
        """Return the line of each student in results.jsonl."""
        lines = (out / "results.jsonl").read_text("utf-8").splitlines()
        return {result["student"]: result for result in map(json.loads, lines)}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return Course(tmp_path_factory.mktemp("course"))


def test_problems_of_both_banks_are_in_one_set(course: Course) -> None:
    chapters = {question.id.partition("/")[0] for question in course.lock.questions("ada")}
    assert chapters == {CHAPTER, "01-ring-all-reduce", "02-zero"}
    assert {question.kind for question in course.lock.questions("ada")} == KINDS
    assert course.lock.questions("ada")[0].params != course.lock.questions("cleo")[0].params


def test_right_answers_get_all_points_and_a_mistake_its_feedback(course: Course) -> None:
    graded = course.graded(course.results)
    assert (
        graded["ada"]["points"]
        == graded["ada"]["max_points"]
        == sum(question.points for question in course.lock.questions("ada"))
    )
    assert graded["bo"]["points"] < graded["bo"]["max_points"] / 2
    feedback = {answer["question"]: answer for answer in graded["bo"]["questions"]}
    assert feedback[PAYMENT]["mistake"] == 0
    page = (course.results / "feedback" / "week-1" / "bo.html").read_text("utf-8")
    assert "You charged interest on the whole loan to the end." in page
    lost = {answer["question"] for answer in graded["cleo"]["questions"] if answer["outcome"] != "correct"}
    assert lost == {PAYMENT}


# Runs the code cells of a notebook as Python, where no bank can be imported, and prints the result of every check cell and
# the files of the bank's folder that were run.
ALONE = """
import ast, json, sys

class NoBank:
    asked = []
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "shardwise_bank":
            self.asked.append(name)
            raise ImportError(name)

sys.meta_path.insert(0, NoBank())
gave = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    role = cell["metadata"].get("shardwise", {}).get("role")
    if role == "check" and "question" in cell["metadata"]["shardwise"]:
        imports, call = cell["source"].split("\\n")
        exec(imports)
        checked = eval(call)
        gave[checked.feedback.question] = [str(checked.outcome), checked.feedback.read, checked.feedback.say]
    elif cell["cell_type"] == "code":
        exec(cell["source"])
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
print(json.dumps({"gave": gave, "asked": NoBank.asked, "run": [file for file in files if file.startswith(sys.argv[2])]}))
"""


def test_a_graded_notebook_reads_every_answer_without_the_bank(course: Course, tmp_path: Path) -> None:
    (tmp_path / "alone.py").write_text(ALONE)
    words = [sys.executable, tmp_path / "alone.py", course.submitted / "ada" / "week-1.ipynb", OWN]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["asked"] == told["run"] == []
    assert list(told["gave"]) == [question.slug for question in course.lock.questions("ada")]
    for outcome, read, say in told["gave"].values():
        assert outcome == "None"
        assert say.endswith("It will be marked after you hand in.")
        assert read


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the bank, for tests to fix."""
    made = tmp_path / "bank"
    shutil.copytree(OWN, made, ignore=shutil.ignore_patterns("__pycache__"))
    return made


def edit(bank: Path, file: str, old: str, new: str) -> None:
    path = bank / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


AT_THE_END = "return principal_dollars * monthly_rate / (1 - (1 + monthly_rate) ** -months)"
IN_ADVANCE = f"{AT_THE_END} / (1 + monthly_rate)"


def test_a_fixed_reference_is_noticed_although_no_template_changed(course: Course, copy: Path, tmp_path: Path) -> None:
    edit(copy, "solutions/loans.py", AT_THE_END, IN_ADVANCE)
    shutil.copytree(course.folder, tmp_path / "course")
    out = tmp_path / "course" / "results"
    done = shardwise("regrade", tmp_path / "course" / "submitted", "--out", out, "--yes", "--workers", "1",
                     "--bank", copy, "--bank", "shipped")  # fmt: skip
    assert "references of the bank" in done.stdout
    assert f"ada      {PAYMENT} " in done.stdout
    assert " bo " not in done.stdout
    # Values in the notebooks that were computed with the reference cannot change any more.
    assert f"{CHAPTER}/rebate-or-zero-rate now draws different numbers than in the assigned notebooks" in done.stdout
    # Two points for the payment, and two for the case's part that asks for one; later parts are still right.
    assert course.graded(out)["ada"]["points"] == course.graded(course.results)["ada"]["points"] - 4
    questions = Lock(tmp_path / "course" / "week-1.lock.jsonl").questions("ada")
    assert [question.cell for question in questions] == [question.cell for question in course.lock.questions("ada")]
    assert "references of the bank" in shardwise("history", "--out", out, "--student", "ada").stdout


def test_a_submitted_bank_is_not_opened_when_its_notebook_is_graded(tmp_path: Path) -> None:
    """A bank contains code, and a student may put one next to a notebook, with a shardwise.toml that names it."""
    checkout, sign = tmp_path / "checkout", tmp_path / "sign"
    ours = "01-ring-all-reduce"
    shutil.copytree(OWN / "problems" / CHAPTER, checkout / "problems" / ours)
    (checkout / f"{ours}.ipynb").write_text(file_text(chapter_notebook(checkout_bank(), ours, typed=True)), "utf-8")
    shutil.copytree(OWN / "solutions", checkout / "solutions")
    for module in (checkout / "solutions").glob("*.py"):
        module.write_text(f"open({str(sign)!r}, 'w').write('run')\n", "utf-8")
    (checkout / "shardwise.toml").write_text('bank = ["."]\n')
    words = ["grade", f"{ours}.ipynb", "--out", "results", "--workers", "1"]
    done = subprocess.run([sys.executable, "-m", "shardwise", *words], cwd=checkout, capture_output=True, text=True)
    assert (done.returncode, "0  of 50" in done.stdout) == (0, True), done.stdout + done.stderr
    assert "shardwise.toml, because a student may have submitted it" in done.stderr
    assert not sign.exists()
