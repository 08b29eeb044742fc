"""The entire bank, and properties of a question of every kind; the lint checks properties of every problem."""

from __future__ import annotations

from functools import cache

from checkout import checkout_bank, of_each_kind
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.lint.unlisted_files import stray_files, twins
from shardwise.bank.posing import pose
from shardwise.course.assigning.lockfile import line_of, read_line
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Question


@cache
def drawn(name: str, seed: int | str) -> Question:
    """A question for several tests, because drawing takes longest."""
    return pose(checkout_bank().problems[name], seed)


@of_each_kind(3)
def test_a_question_survives_a_lock_file(formed: Problem) -> None:
    question = drawn(formed.id, "a seed of text")
    line = line_of({"name": "Ada", "questions": [question.model_dump(mode="json")], "student": "ada"})
    _, (again,) = read_line(line.encode())
    assert (again.form, again.key) == (question.form, question.key)
    assert again.model_dump_json() == question.model_dump_json()  # arguments and symbols keep their order
    for sample in formed.kind.samples(question)[:3]:
        assert check(again, sample.raw, runner=run_here) == check(question, sample.raw, runner=run_here)


@of_each_kind(3)
def test_the_form_reveals_nothing_about_the_key(formed: Problem) -> None:
    public = drawn(formed.id, 1).form.model_dump_json()
    for secret in ("mistakes", "correct", "original", "witness", "expected", "rel_tol"):
        assert f'"{secret}"' not in public


def test_the_whole_bank_has_no_stray_files_and_no_twins(whole_bank: Bank) -> None:
    assert stray_files(whole_bank) == []
    assert twins(whole_bank) == []


def test_every_chapter_has_every_sort_of_problem(whole_bank: Bank) -> None:
    for chapter in whole_bank.chapters:
        found = {part.kind for problem in whole_bank.of_chapter(chapter) for part in problem.template.answered}
        assert {"quantity", "choice", "order", "formula"} <= found, chapter


def test_the_bank_contains_what_was_promised(whole_bank: Bank) -> None:
    found = [problem.template.kind for problem in whole_bank.problems.values()]
    assert len(found) >= 50
    assert found.count("code") >= 6
    assert found.count("bugline") >= 6
