"""The entire bank, and properties of a question of every kind; the lint checks properties of every problem."""

from __future__ import annotations

from checkout import of_each_kind
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.posing import pose
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
