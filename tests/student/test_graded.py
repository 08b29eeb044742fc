"""Graded sets on the student's side: how answers are read and which are missing, but never whether they are right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import __main__
from checkout import TEMPLATES, asked, posed, template
from shardwise.course.assigning.notebooks import readable
from shardwise.kinds import kind_of, kinds
from shardwise.question import Outcome, Question
from shardwise.student import api
from shardwise.student.failed_cells import FailedCells
from shardwise.student.graded import GradedSet, GradedSets
from shardwise.student.messages import Checked, Message
from shardwise.student.running.in_a_thread import run_limited
from shardwise.units import show_amount

SENDS, FUNCTION = "bytes-per-gpu", "ring-time-function"


@pytest.fixture(autouse=True)
def _fresh_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Provide a kernel without graded sets, and delete its names after the test."""
    monkeypatch.setattr(api, "_GRADED", GradedSets())
    before = set(vars(__main__))
    yield
    for name in set(vars(__main__)) - before:
        delattr(__main__, name)


def run(source: str) -> None:
    """Run a cell."""
    exec(compile(source, "<cell>", "exec"), vars(__main__))


def right(name: str, seed: int = 3) -> str:
    key: Any = asked(name, seed).key
    return show_amount(key.value, "GB", digits=9)


def said(made: Any) -> str:
    assert isinstance(made, Message), made
    return made.markdown


def handed(*questions: Question) -> GradedSet:
    """Return the set that the first cell of a graded notebook registers."""
    return GradedSet("week-1", {question.slug: readable(question) for question in questions}, FailedCells())


def given_out(*questions: Question) -> None:
    """Run the first cell of a graded notebook."""
    api.handed_out("week-1", handed(*questions).questions)


def test_a_graded_notebook_says_how_an_answer_is_read_and_when_it_cannot_be() -> None:
    notebook = handed(asked(SENDS, 3))
    run("bytes_per_gpu = '1_750 MB'")
    made = notebook.check(SENDS)
    assert isinstance(made, Checked)
    assert repr(made) == "→ Read\nI read: 1750 MB\n\nRead. It will be marked after you hand in."
    assert made.points == 0.0
    unread = notebook.check(SENDS, "1750 ms")
    assert "this question asks for an amount of data" in repr(unread)
    assert "An answer looks like 250 GB." in repr(unread)
    assert repr(notebook.check(SENDS, ...)).startswith("○ No answer yet")


def test_a_name_that_nothing_sets_is_said_with_the_one_that_may_be_meant() -> None:
    notebook = handed(asked(SENDS, 3))
    assert repr(notebook.check(SENDS)) == "○ No answer yet\nNo cell that you ran sets bytes_per_gpu."
    run("bytes_per_gpus = '1_750 MB'")
    assert repr(notebook.check(SENDS)).endswith("There is bytes_per_gpus; is that your answer?")
    run("del bytes_per_gpus")


def test_the_answer_to_another_question_is_never_the_one_that_may_be_meant() -> None:
    graded = handed(asked("ring-time"), asked("ring-time-bug"))
    run("ring_time_bug = {'line': 2}")
    made = graded.check("ring-time")
    assert isinstance(made, Checked)
    assert made.feedback.say.startswith("No cell that you ran sets `ring_time`.")
    assert "is that your answer" not in made.feedback.say


def test_an_answer_that_is_only_given_to_check_is_said_not_to_be_kept() -> None:
    made = handed(asked(SENDS)).check(SENDS, "3 GB")
    assert isinstance(made, Checked)
    assert made.feedback.outcome is None
    assert (
        made.feedback.say == "This was only a test and is not saved. The value of `bytes_per_gpu` is what gets marked."
    )


def test_a_check_without_a_name_says_which_problems_there_are() -> None:
    made = handed(asked(SENDS, 3)).check(None)
    assert isinstance(made, Message)
    assert made.markdown.startswith("Which problem? Give its name. This set has ")


def test_a_graded_notebook_knows_only_its_own_problems() -> None:
    strangers: list[Any] = ["ring-time", 7, []]
    for name in strangers:
        made = handed(asked(SENDS, 3)).check(name)
        assert f"This set has no problem “{name}”; it has bytes-per-gpu." in said(made)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_known_answers_right_and_wrong_are_told_the_same_in_a_graded_notebook(kind: str) -> None:
    question = posed(template(kind), 3)
    notebook = handed(question)
    told = set()
    for sample in kind_of(question).samples(question):
        made = notebook.check(question.slug, sample.raw)
        assert isinstance(made, Checked)
        judged = sample.outcome in (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
        assert made.outcome == (None if judged else sample.outcome), sample
        if judged and made.feedback.parts.get("whole", True):
            told.add(made.feedback.model_copy(update={"read": ""}).model_dump_json())
    assert len(told) == 1


def function(body: str) -> str:
    """Return a cell that defines the required function."""
    question = asked(FUNCTION)
    return kinds()["code"].cells(question.form, "").replace("    ...", f"    {body}")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 2 * gpus", "ran, and returned `"),
        ("return None or gpus.real", "ran, and returned `"),
        (
            "return 1 / 0",
            "raised `ZeroDivisionError: division by zero`.\n\nFix that. It will be marked after you hand in.",
        ),
        ("return gpu", "raised `NameError: name 'gpu' is not defined"),
        ("gpus * 2", "returned `None`. Is there a `return` at the end?"),
    ],
)
def test_a_function_is_called_once_to_see_that_it_runs(body: str, words: str) -> None:
    is_tried(body, words)


def test_a_function_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_limited.__kwdefaults__, "seconds", 0.3)
    is_tried("while True: pass", "took too long and was stopped.")


def is_tried(body: str, words: str) -> None:
    run(function(body))
    made = handed(asked(FUNCTION)).check(FUNCTION)
    assert isinstance(made, Checked)
    assert made.outcome is None
    assert made.feedback.say.startswith("`ring_all_reduce_ms(message_gb=")
    assert words in made.feedback.say


def test_check_all_tells_answered_blank_and_unreadable_apart() -> None:
    given_out(asked(SENDS), asked("ring-time"), asked("ring-or-tree"), asked(FUNCTION))
    run("bytes_per_gpu = '3 GB'\nring_time = '3 GB'\n" + function("return 1 / 0"))
    told = said(api.check_all())
    assert told.startswith(
        "**1 answered, 1 blank, 1 unreadable, 1 fails.** This does not say whether an answer is right."
    )
    rows = told.splitlines()[-4:]
    assert rows[0] == f"| 1 | {asked(SENDS).title} | → answered | `3 GB` |"
    assert rows[1].startswith(f"| 2 | {asked('ring-time').title} | ? unreadable | I couldn't read “`3 GB`”")
    assert rows[2].startswith(f"| 3 | {asked('ring-or-tree').title} | ○ blank |")
    assert "| ✗ fails | `ring_all_reduce_ms(" in rows[3] and "raised `ZeroDivisionError" in rows[3]


def test_an_answer_of_which_a_part_is_missing_or_unreadable_is_incomplete_and_says_why() -> None:
    given_out(asked("ring-time-bug"))
    run("ring_time_bug = {'line': 99, 'input': {}, 'fix': 'x = 1'}")
    made = api.check("ring-time-bug")
    assert isinstance(made, Checked) and made.feedback.say == (
        "line is the number of a line, 1 to 5. Not answered yet: input.\n\nParts that are missing or cannot be read earn nothing."
    )
    told = said(api.check_all())
    assert told.startswith("**1 incomplete.**")
    assert "| ◐ incomplete | line is the number of a line, 1 to 5. Not answered yet: input. |" in told


def test_the_verbs_of_practice_say_that_a_graded_set_has_none() -> None:
    given_out(asked(SENDS))
    for verb, what in (
        (api.hint, "hints"),
        (api.solution, "solutions"),
        (api.another, "variants"),
        (api.practice, "forms"),
    ):
        for told in (verb(), verb(SENDS)):
            assert said(told).startswith("This set is graded, so there are no ")
            assert f"{what} here. Practice notebooks have them." in said(told)


def test_a_cell_of_a_set_whose_first_cell_was_not_run_says_so_and_judges_nothing() -> None:
    for told in (api.check(SENDS, right(SENDS), of="week-1"), api.check_all(of="week-1")):
        assert said(told).startswith("The questions of the set “week-1” are not loaded yet. Run the cell “Set-up”")
    given_out(asked(SENDS))
    for made in (api.check(SENDS, right(SENDS), of="week-1"), api.check(SENDS, right(SENDS))):
        assert isinstance(made, Checked) and made.outcome is None


def test_check_all_is_for_graded_sets() -> None:
    assert said(api.check_all()) == "check_all() is for graded sets. Here, check() marks each answer."
