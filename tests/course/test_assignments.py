"""Sets: different for each student, always the same for one student, and without the key in the notebooks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from checkout import edited
from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.drawing import seed_for
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.set_file import load_set
from shardwise.course.assigning.simulated_class import right
from shardwise.errors import Faulty, ShardwiseError

DEFINITION = SetDefinition.model_validate(
    {"name": "w1", "title": "Week 1", "problems": ["bytes-per-gpu", {"id": "ring-time-function", "points": 7}, "ring-time-bug",
                                                     "reading-bus-bandwidth", "bytes-per-gpu-formula"], "attempts": 2}
)  # fmt: skip
STUDENTS = [Student("ada", "Ada A."), Student("bo", "Bo B.")]
KEY = b"0" * 32


def test_each_student_gets_their_own_numbers_and_the_same_again(whole_bank: Bank, tmp_path: Path) -> None:
    first = assign(whole_bank, DEFINITION, STUDENTS, KEY, tmp_path / "a").lock
    again = assign(whole_bank, DEFINITION, STUDENTS, KEY, tmp_path / "b").lock
    other = assign(whole_bank, DEFINITION, STUDENTS, b"1" * 32, tmp_path / "c").lock
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    lock = Lock(first, KEY)
    assert lock.questions("ada")[0].prompt != lock.questions("bo")[0].prompt
    assert lock.questions("ada")[1].points == 7
    assert seed_for(KEY, "ada", "w1", "p") != seed_for(KEY, "ada", "w2", "p")


def test_the_notebook_contains_neither_key_nor_reference(whole_bank: Bank, tmp_path: Path) -> None:
    lock = Lock(assign(whole_bank, DEFINITION, STUDENTS, KEY, tmp_path).lock, KEY)
    text = (tmp_path / "notebooks" / "ada" / "w1.ipynb").read_text("utf-8")
    nbformat.validate(nbformat.reads(text, as_version=4))
    handed_out = json.dumps(json.loads(text), ensure_ascii=False)
    for question in lock.questions("ada"):
        key = question.key.model_dump(mode="json")
        assert question.solution[:80] not in handed_out
        assert all(hint[:60] not in handed_out for hint in question.hints)
        assert question.seed not in handed_out
        for name in ("original_line", "formula"):
            if name in key:
                assert key[name] not in handed_out
        if question.kind == "quantity":
            assert repr(key["value"]) not in handed_out
            assert all(mistake["say"][:40] not in handed_out for mistake in key["mistakes"])
    asked = [
        question for question in lock.questions("ada") if question.kind != "choice"
    ]  # the page contains its letters
    answers = [source for source in map(right, asked) if source]
    assert all(answer.split("=", 1)[1].strip() not in handed_out for answer in answers)


def test_metadata_and_cells_use_handles_and_reveal_nothing_about_the_bank(whole_bank: Bank, tmp_path: Path) -> None:
    lock = Lock(assign(whole_bank, DEFINITION, STUDENTS[:1], KEY, tmp_path).lock, KEY)
    notebook = json.loads((tmp_path / "notebooks" / "ada" / "w1.ipynb").read_text("utf-8"))
    questions = lock.questions("ada")
    assert [question.handle for question in questions] == ["q1", "q2", "q3", "q4", "q5"]
    handles = [cell["metadata"]["shardwise"].get("question") for cell in notebook["cells"]]
    assert [handle for handle in handles if handle] == [f"q{number}" for number in range(1, 6) for _ in range(3)]
    about = json.dumps([notebook["metadata"], *((cell["id"], cell["metadata"]) for cell in notebook["cells"])])
    for question in questions:
        assert question.slug not in about
        assert question.id not in json.dumps(notebook)


def test_editing_a_template_does_not_change_assigned_notebooks(whole_bank: Bank, tmp_path: Path) -> None:
    path = assign(whole_bank, DEFINITION, STUDENTS[:1], KEY, tmp_path).lock
    before = path.read_bytes()
    notebook = (tmp_path / "notebooks" / "ada" / "w1.ipynb").read_bytes()
    problem = whole_bank.problems["01-ring-all-reduce/bytes-per-gpu"]
    other = edited(problem, title="Edited", prompt="Edited: {{ gpus }} and {{ message_bytes }}")
    problems = {**whole_bank.problems, problem.id: other}
    done = assign(replace(whole_bank, problems=problems), DEFINITION, STUDENTS, KEY, tmp_path)
    assert done.kept == 1
    assert path.read_bytes().startswith(before[: before.rindex(b'{"students"')])
    assert (tmp_path / "notebooks" / "ada" / "w1.ipynb").read_bytes() == notebook
    assert Lock(path, KEY).questions("bo")[0].title == "Edited"


@pytest.mark.parametrize(("change", "seen"), [({"format": 1}, "1"), ({"format": None}, "None"), ({}, "1")])
def test_a_lock_of_another_format_is_refused_with_a_message(
    whole_bank: Bank, tmp_path: Path, change: dict[str, object], seen: str
) -> None:
    path = assign(whole_bank, DEFINITION, STUDENTS[:1], KEY, tmp_path).lock
    first, rest = path.read_text("utf-8").split("\n", 1)
    header = {name: value for name, value in json.loads(first).items() if name != "format"}
    path.write_text(f"{json.dumps({**header, **change, 'version': '0.0.9'})}\n{rest}", "utf-8")
    with pytest.raises(ShardwiseError, match="Grade it with the version that wrote it") as caught:
        Lock(path, KEY)
    assert f"{path} was written by shardwise 0.0.9 in format {seen}, but this version reads format 4." in str(
        caught.value
    )


def test_every_fault_of_a_set_is_named_at_its_line(whole_bank: Bank, tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(
        "name: w1\ntitle: Week 1\nproblems:\n  - bytes-per-gpo\n  - ring-time\n  - 01-ring-all-reduce/ring-time\n"
    )
    with pytest.raises(Faulty) as error:
        load_set(path, whole_bank)
    text = str(error.value)
    assert "set.yaml:4:5: Unknown problem “bytes-per-gpo”. Did you mean bytes-per-gpu" in text
    assert "set.yaml:6:5: 01-ring-all-reduce/ring-time is listed twice" in text
    path.write_text("name: Week 1!\ntitle: Week 1\nproblems: [{id: ring-time, points: many}]\n")
    with pytest.raises(Faulty) as error:
        load_set(path, whole_bank)
    assert [fault.message for fault in error.value.faults] == [
        "name: expected a valid file name, but found 'Week 1!'",
        "problems.0.points: expected a number, but found 'many'",
    ]
    assert "Use the letters a to z in either case" in error.value.faults[0].remedy
    path.write_text("name: w1\ntitle: Week 1\nproblems: [ring-time]\ndue: 2026-12-01T10:00:00\natempts: 3\n")
    with pytest.raises(Faulty) as error:
        load_set(path, whole_bank)
    assert "a due date needs an offset" in str(error.value)
    assert "Did you mean 'attempts'?" in str(error.value)


@pytest.mark.parametrize("due", ["20261201", "0", "'20261201'", "1.5e9", "true", "next tuesday", "01.12.2026"])
def test_an_invalid_date_is_not_a_due_date(whole_bank: Bank, tmp_path: Path, due: str) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(f"name: w1\ntitle: Week 1\nproblems: [ring-time]\ndue: {due}\n")
    with pytest.raises(Faulty, match="a due date looks like 2026-12-01T23:59:00"):
        load_set(path, whole_bank)


@pytest.mark.parametrize(("points", "is_taken"), [("0.25", True), ("33.33", True), ("0.1", True), ("2", True), ("0.125", False), ("33.333333", False)])  # fmt: skip
def test_points_have_two_decimals(whole_bank: Bank, tmp_path: Path, points: str, is_taken: bool) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(f"name: w1\ntitle: Week 1\nproblems: [{{id: ring-time, points: {points}}}]\n")
    if is_taken:
        assert load_set(path, whole_bank).problems[0].points == float(points)
        return
    with pytest.raises(Faulty, match=f"points can have at most two decimals, not {points}"):
        load_set(path, whole_bank)
