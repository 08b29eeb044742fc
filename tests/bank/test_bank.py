"""The entire bank, and properties of a question of every kind; the lint checks properties of every problem."""

from __future__ import annotations

from checkout import of_each_kind
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.posing import pose, solved
from shardwise.course.assigning.lockfile import line_of, read_line
from shardwise.kinds.calls import run_here
from shardwise.marking import check


@of_each_kind(3)
def test_a_question_survives_a_lock_file(formed: Problem) -> None:
    question = pose(formed, "a seed of text")
    line = line_of({"name": "Ada", "questions": [question.model_dump(mode="json")], "student": "ada"})
    _, (again,) = read_line(line.encode())
    assert (again.form, again.key) == (question.form, question.key)
    assert again.model_dump_json() == question.model_dump_json()  # arguments and symbols keep their order
    for sample in formed.kind.samples(question)[:3]:
        assert check(again, sample.raw, runner=run_here) == check(question, sample.raw, runner=run_here)


def test_every_chapter_has_every_sort_of_problem(whole_bank: Bank) -> None:
    for chapter in whole_bank.chapters:
        found = {part.kind for problem in whole_bank.of_chapter(chapter) for part in problem.template.answered}
        assert {"quantity", "choice", "order", "formula"} <= found, chapter


def test_an_out_of_memory_message_has_one_reading(whole_bank: Bank) -> None:
    """Unless fragments are the cause, all free pieces together would not serve the request, so joining them does not help."""
    problem = whole_bank.find("out-of-memory-message")
    for seed in range(150):
        values = solved(problem, str(seed))[0].values
        assert (values["free"] + values["gap"] > values["request"]) == (values["cause"] == "fragments"), seed


def test_the_hottest_gpu_is_asked_for_every_model(whole_bank: Bank) -> None:
    problem = whole_bank.find("hottest-gpu")
    drawn = {solved(problem, str(seed))[0].values["model"] for seed in range(60)}
    assert drawn == set(problem.template.params["model"].choice or ())
