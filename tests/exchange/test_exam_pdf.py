"""PDF exams: papers without keys, keys that our marking accepts, and marking of answers on paper."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

import pypdf
import pytest

from checkout import asked, checkout_bank, posed, template
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.course.assigning.assignments import SetDefinition, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.roster import Student
from shardwise.errors import Faulty, ShardwiseError
from shardwise.exchange.exam_answers import TABLE, answer_columns, transcribe
from shardwise.exchange.exam_keys import accepted, right_answer
from shardwise.exchange.exam_pdf import Exam, Paper, key_source, paper_source, pdf_of, write_exam
from shardwise.grading.batch import grade
from shardwise.grading.worker import Settings
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.kinds.case.model import CaseForm, CaseKey
from shardwise.kinds.quantity.model import QuantityKey
from shardwise.markdown.plain import to_plain
from shardwise.marking import check
from shardwise.question import Key, Question

EXAM = Exam("midterm", "Midterm: rings & trees", "You have **90 minutes**.", "1 December 2026")
SECRET = bytes(32)
PROBLEMS = ("gpus-behind-one-link", "which-bytes-are-which", "ring-time-bug", "ring-time-function", "a-thinner-network")


def text_of_pdf(pdf: bytes) -> str:
    """Return the text of a PDF, with single spaces."""
    pages = pypdf.PdfReader(io.BytesIO(pdf)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def numbers_in(text: str) -> set[str]:
    """Return the numerals of a text."""
    return set(re.findall(r"\d+(?:[.,]\d+)?", text))


def pieces_of(question: Question) -> list[Question]:
    """Return the questions that a question consists of."""
    return list(kind_of(question).pieces(question))


def without_key(question: Question) -> Question:
    """Return a question without its key; a case, which needs one, with other numbers in its key."""
    key = question.key
    if isinstance(key, CaseKey):
        parts = [part.model_copy(update={"key": {**part.key, "value": 1.0} if "value" in part.key else part.key})
                 for part in key.parts]  # fmt: skip
        return question.model_copy(update={"key": CaseKey(parts=tuple(parts)), "solution": "", "hints": ()})
    return question.model_copy(update={"key": Key(), "solution": "", "hints": (), "takeaway": "", "params": {}})


def test_a_paper_contains_nothing_of_the_key(problem: Problem) -> None:
    question = pose(problem, 7)
    paper = paper_source(EXAM, Paper("A", (question,)))
    assert paper == paper_source(EXAM, Paper("A", (without_key(question),)))


@pytest.fixture(scope="module")
def every_question() -> tuple[Question, ...]:
    return tuple(pose(problem, 7) for problem in checkout_bank().read_all().problems.values())


def test_the_paper_of_the_whole_bank_has_the_numbers_of_its_variants_and_no_answers(
    every_question: tuple[Question, ...],
) -> None:
    text = text_of_pdf(pdf_of(paper_source(EXAM, Paper("A", every_question))))
    assert EXAM.title in text and "90 minutes" in text and "1 December 2026" in text and "midterm · Variant A" in text
    numbers = numbers_in(text)
    assert {n for question in every_question for n in numbers_in(to_plain(question.prompt))} <= numbers
    prompts = numbers_in(
        " ".join(f"{question.prompt} {kind_of(question).body(question.form)}" for question in every_question)
    )
    keys = {
        n
        for question in every_question
        if isinstance(question.key, QuantityKey)
        for n in numbers_in(str(right_answer(question)))
    }
    assert not {n for n in keys if len(n) > 4} - prompts & numbers - prompts


@pytest.mark.slow
def test_the_key_of_the_whole_bank_has_every_answer(every_question: tuple[Question, ...]) -> None:
    text = text_of_pdf(pdf_of(key_source(EXAM, [Paper("A", every_question), Paper("B", every_question[:3])])))
    assert "Key: Variant A" in text and "Key: Variant B" in text
    squeezed = re.sub(r"\s", "", text)
    for question in every_question:
        for piece in pieces_of(question):
            answer = right_answer(piece)
            for said in (answer,) if isinstance(answer, str) else answer.values():
                assert re.sub(r"\s", "", said).replace("-", "") in squeezed.replace("-", ""), question.id


def test_the_answers_in_the_key_are_marked_correct(problem: Problem) -> None:
    for piece in pieces_of(pose(problem, 7)):
        feedback = check(piece, right_answer(piece), runner=run_here)
        assert feedback.credit == 1, (right_answer(piece), feedback)


@pytest.mark.parametrize("name", ["ring-time", "a-thinner-network"])
def test_the_accepted_range_in_the_key_is_that_of_our_marking(name: str) -> None:
    question = asked(name, 7)
    low, high = ((float(end.split()[0]), end.split()[1]) for end in accepted(question).split(" to "))
    for (number, unit), inward in ((low, 1.001), (high, 0.999)):
        sure = ", 100 %" if question.kind == "estimate" else ""
        assert check(question, f"{number * inward} {unit}{sure}").credit == 1
        assert check(question, f"{number / inward} {unit}{sure}").credit == 0


def test_a_formula_that_cannot_be_printed_is_reported_with_its_problem() -> None:
    question = asked("ring-time").model_copy(update={"prompt": r"$\begin{matrix} 1 & 2 \end{matrix}$"})
    with pytest.raises(ShardwiseError, match=r"ring-time: a PDF cannot show the formula .*matrix"):
        paper_source(EXAM, Paper("A", (question,)))


def test_a_name_or_prompt_cannot_run_as_typst() -> None:
    name = '#panic("hacked") $ ] "\\'
    question = asked("ring-time").model_copy(update={"prompt": "#panic(1) `#panic(2)` ] ) \\"})
    text = text_of_pdf(pdf_of(paper_source(EXAM, Paper("ada", (question,), "ada", name))))
    assert '#panic("hacked")' in text and "#panic(2)" in text


def test_each_page_names_its_paper_and_the_total_of_its_pages() -> None:
    pages = pypdf.PdfReader(
        io.BytesIO(pdf_of(paper_source(EXAM, Paper("ada", (asked("ring-time"),), "ada", "Ada"))))
    ).pages
    for number, page in enumerate(pages, start=1):
        text = " ".join(page.extract_text().split())
        assert "midterm · Ada (ada)" in text and f"Page {number} of {len(pages)}" in text


# Answers on paper ----------------------------------------------------------------------------------------------------


def exam_in(folder: Path, *students: Student, is_for_anybody: bool, problems: tuple[str, ...] = PROBLEMS) -> Lock:
    """Write an exam and return its lock file."""
    definition = SetDefinition.model_validate(
        {"name": "midterm", "title": "Midterm", "problems": problems, "due": "2020-01-01T00:00:00Z"}
    )
    lock = Lock(assign(checkout_bank(), definition, students, SECRET, folder, notebooks=False).lock, SECRET)
    write_exam(lock, folder, date="", is_for_anybody=is_for_anybody)
    return lock


def typed_in(lock: Lock, variant: str) -> dict[str, str]:
    """Return the right answers of a variant as an instructor types them, by column."""
    found: dict[str, str] = {}
    for number, question in enumerate(lock.questions(variant), start=1):
        columns = answer_columns(number, question)
        answer = right_answer(question)
        if question.kind == "estimate":
            answer = dict(zip(columns.values(), str(answer).split(", "), strict=True))
        found |= {column: answer[part] if isinstance(answer, Mapping) else answer for column, part in columns.items()}
    return found


def fill_table(path: Path, *rows: Mapping[str, str]) -> None:
    """Write rows under the head of an exam's table."""
    head = next(csv.reader(path.read_text("utf-8-sig").splitlines()))
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, head)
        table.writeheader()
        table.writerows(rows)


@pytest.mark.usefixtures("one_sandbox")
def test_answers_typed_from_a_students_paper_earn_the_points_of_a_notebook(tmp_path: Path) -> None:
    students = [Student("ada", "Ada Lovelace"), Student("bo", "Bo Berg")]
    lock = exam_in(tmp_path / "exam", *students, is_for_anybody=False)
    right = typed_in(lock, "ada")
    assert (tmp_path / "exam" / TABLE).read_text("utf-8-sig").splitlines()[0] == ",".join(["student", "name", *right])
    fill_table(tmp_path / "exam" / TABLE, {"student": "ada", **right, "q1": "7 parsecs", "q3.fix": ""})
    done = transcribe(lock, tmp_path / "exam" / TABLE, tmp_path / "typed")
    assert (done.students, done.blank) == (1, ("bo",))
    batch = grade([done.submitted], tmp_path / "results", locks=(done.lock,), key=SECRET, settings=Settings())
    by_student = {result.student: result for result in batch.results()}
    ada = by_student["ada"]
    assert ada.status == "graded" and not ada.late
    assert by_student["bo"].status == "missing"
    assert ada.points == ada.max_points - 2 - 1


@pytest.mark.usefixtures("one_sandbox")
def test_a_student_is_marked_with_the_variant_that_the_table_names(tmp_path: Path) -> None:
    lock = exam_in(tmp_path / "exam", Student("A", "A"), Student("B", "B"), is_for_anybody=True)
    rows = [
        {"student": "ada", "variant": "B", **typed_in(lock, "B")},
        {"student": "bo", "variant": "A", **typed_in(lock, "B")},
    ]
    fill_table(tmp_path / "exam" / TABLE, *rows)
    done = transcribe(lock, tmp_path / "exam" / TABLE, tmp_path / "typed")
    batch = grade([done.submitted], tmp_path / "results", locks=(done.lock,), key=SECRET, settings=Settings())
    points = {result.student: (result.points, result.max_points) for result in batch.results()}
    assert set(points) == {"ada", "bo"}
    assert points["ada"][0] == points["ada"][1]
    assert (points["bo"][0] or 0) < points["bo"][1]


def test_all_faults_of_a_table_are_reported_at_once(tmp_path: Path) -> None:
    lock = exam_in(tmp_path, Student("A", "A"), is_for_anybody=True, problems=("ring-time",))
    table = tmp_path / TABLE
    table.write_text("student,variant,q1,q9,notes\nada,A,3 ms,,\nada,A,3 ms,,\nbo,C,3 ms,,\n../x,A,,4,\n", "utf-8")
    with pytest.raises(Faulty) as raised:
        transcribe(lock, table, tmp_path / "typed")
    said = [str(fault) for fault in raised.value.faults]
    assert len(said) == 5 and not (tmp_path / "typed").exists()
    for part in (
        ":1:1: the column 'notes' is not a question",
        ":3:1: student 'ada' has two lines",
        ":4:1: unknown variant 'C'\n     Write one of those in midterm.lock.jsonl: A.",
        ":5:1: student '../x'",
        ":5:1: ../x has an answer to q9, which is not on that paper",
    ):
        assert any(part in line for line in said), (part, said)


def test_parts_of_a_case_have_columns_with_their_numbers_on_paper() -> None:
    question = posed(template("case"))
    assert isinstance(question.form, CaseForm)
    assert answer_columns(4, question) == {f"q4.{n}": part.name for n, part in enumerate(question.form.parts, start=1)}
