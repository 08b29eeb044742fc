"""The student's verbs as a student meets them: check, hint, solution and another, in the namespace of a fresh kernel."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import __main__
from checkout import SEVEN, checkout_bank, fresh_session, posed, template
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of, kinds
from shardwise.marking import broken
from shardwise.question import Outcome, Question
from shardwise.student import api
from shardwise.student.api import Checked, Message, another, check, handed_out, hint, solution
from shardwise.units import show

SENDS = "bytes-per-gpu"
FUNCTION = "ring-time-function"


@pytest.fixture(autouse=True)
def _fresh_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A session that remembers nothing, and a kernel whose names are forgotten after the test."""
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    before = set(vars(__main__))
    yield
    for name in set(vars(__main__)) - before:
        delattr(__main__, name)


def asked(name: str, seed: int = 0) -> Question:
    return pose(checkout_bank().find(name), seed)


def shown(name: str) -> Message:
    """The question that is practised, as `another` shows it."""
    return Message(api.asked_in_words(api._SESSION.question(name)))


def run(source: str) -> None:
    """Run a cell."""
    exec(compile(source, "<cell>", "exec"), vars(__main__))


def checked(*args: Any) -> Checked:
    made = check(*args)
    assert isinstance(made, Checked), made
    return made


def said(made: Any) -> str:
    assert isinstance(made, Message), made
    return made.markdown


def right(name: str, seed: int = 0) -> str:
    key: Any = asked(name, seed).key
    return show(key.value, "GB", digits=9)


# check -----------------------------------------------------------------------------------------------------------


def test_a_variable_named_after_the_problem_is_the_answer() -> None:
    assert checked(SENDS).outcome == Outcome.BLANK
    run("bytes_per_gpu = ...")
    assert checked(SENDS).outcome == Outcome.BLANK
    run(f"bytes_per_gpu = {right(SENDS)!r}")
    assert checked(SENDS).outcome == Outcome.CORRECT
    assert checked(f"01-ring-all-reduce/{SENDS}").points == 2
    run("bytes_per_gpu = '3 ms'")
    assert checked(SENDS).outcome == Outcome.UNREADABLE


def test_an_answer_may_be_given_in_the_call() -> None:
    run("bytes_per_gpu = 'nonsense'")
    assert checked(SENDS, right(SENDS)).outcome == Outcome.CORRECT
    assert checked(SENDS, None).outcome == Outcome.BLANK


def test_an_untouched_function_is_blank_and_a_touched_one_is_marked() -> None:
    question = asked(FUNCTION)
    starter = kinds()["code"].cells(question.form, "")
    run(starter)
    assert checked(FUNCTION).outcome == Outcome.BLANK
    run(starter.replace("message", "size", 1).replace("Returns", "Gives"))
    assert checked(FUNCTION).outcome == Outcome.BLANK
    for constant in ("3", "'ring'", "None or 3"):
        run(starter.replace("    ...", f"    return {constant}"))
        assert checked(FUNCTION).outcome == Outcome.INCORRECT, constant
    run(starter.replace("    ...", "    steps = 2 * (gpus - 1)"))  # the return is missing, and it is an attempt
    assert "Every call returned None" in checked(FUNCTION).feedback.say
    run(
        starter.replace(
            "    ...", "    return 2 * (gpus - 1) * (message_gb / gpus / bandwidth_gb_per_s * 1e3 + latency_us / 1e3)"
        )
    )
    assert checked(FUNCTION).outcome == Outcome.CORRECT
    run(f"{question.form.model_dump()['function']} = 12")
    assert checked(FUNCTION).outcome == Outcome.UNREADABLE


def test_a_function_that_exits_does_not_end_the_kernel() -> None:
    run("import sys\ndef ring_all_reduce_ms(**_): sys.exit()")
    assert "raised `SystemExit" in checked(FUNCTION).feedback.say


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bytes-per-gpo", "There is no problem “bytes-per-gpo”. Did you mean bytes-per-gpu"),
        ("bytes_per_gpu", "Did you mean bytes-per-gpu"),
        ("zzzzzz", "There is no problem “zzzzzz”. `shardwise list` shows them all."),
        ("1.75 GB", "There is no problem “1.75 GB”."),
        (1.75, "A problem's name is text, such as 'bytes-per-gpu', and this is of type float."),
        (len, "and this is of type builtin_function_or_method."),
        ([], "and this is of type list."),
    ],
)
def test_what_is_no_problem_is_said_without_a_traceback(name: Any, words: str) -> None:
    for verb in (check, hint, solution, another, api.practice):
        assert words in said(verb(name))


def test_a_name_is_needed_until_one_was_used() -> None:
    for verb in (hint, solution, another, api.practice):
        assert said(verb()) == "Which problem? Give its name, for example hint('bytes-per-gpu')."
    shown(SENDS)
    assert "**Hint 1.**" in said(hint())
    assert "**Solution.**" in said(solution())


def test_a_score_is_the_points_and_none_when_the_fault_is_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(SENDS, right(SENDS)).score() == 2.0
    assert checked(SENDS, "1 B").score() == 0.0
    assert checked(SENDS, "1 ms").score() == 0.0
    assert Checked(broken(asked(SENDS), OSError("disk full"))).score() is None
    printed = capsys.readouterr().out
    for words in ("✓ Correct · 2 of 2 points", "✗ Not yet · 0 of 2 points", "? Unreadable", "! Our fault"):
        assert words in printed


def test_feedback_shows_itself_richly_and_plainly() -> None:
    made = checked(SENDS, "1 B")
    bundle = made._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown", "text/html"}
    assert repr(made) == bundle["text/plain"]
    assert "I read: 1 B" in bundle["text/plain"]
    assert "<code>1 B</code>" in bundle["text/html"]


# hint, solution, another -----------------------------------------------------------------------------------------


def test_hints_come_one_at_a_time_and_end() -> None:
    count = len(asked(SENDS).hints)
    given_ = [said(hint(SENDS)) for _ in range(count)]
    assert [text.startswith(f"**Hint {number}.** ") for number, text in enumerate(given_, 1)] == [True] * count
    assert f"*({count - 1} more)*" in given_[0]
    assert "more)*" not in given_[-1]
    for _ in range(2):
        assert said(hint(SENDS)) == 'That was the last hint. `solution("bytes-per-gpu")` shows the way.'
    another(SENDS)
    assert said(hint(SENDS)).startswith("**Hint 1.**")


def test_the_solution_has_the_questions_own_numbers_and_another_draws_new_ones() -> None:
    before = said(shown(SENDS))
    first = said(solution(SENDS))
    assert asked(SENDS).solution in first
    assert 'another("bytes-per-gpu")' in first
    after = said(another(SENDS))
    assert after != before
    assert said(shown(SENDS)) == after
    assert said(solution(SENDS)) != first


def test_another_is_what_check_marks_from_then_on() -> None:
    old = right(SENDS)
    assert checked(SENDS, old).outcome == Outcome.CORRECT
    another(SENDS)
    seed = api._SESSION.seeds[f"01-ring-all-reduce/{SENDS}"]
    assert checked(SENDS, right(SENDS, seed)).outcome == Outcome.CORRECT
    assert checked("ring-time", "1 ms").outcome == Outcome.INCORRECT  # the others stay as they were
    assert list(api._SESSION.seeds) == [f"01-ring-all-reduce/{SENDS}"]


def test_another_reads_differently_or_says_that_it_does_not(problem: Problem) -> None:
    before = said(shown(problem.id))
    after = said(another(problem.id))
    if problem.template.kind in ("code", "formula") and after.endswith(before):
        assert after == f"*It reads the same each time; what it is tried on is new.*\n\n{before}"
        cases = {pose(problem, seed).key.model_dump_json() for seed in range(20)}
        assert len(cases) > 1
    else:
        assert after.split("\n\n")[1:] != before.split("\n\n")[1:]
        assert "reads the same" not in after


def test_a_question_says_how_to_answer_and_how_to_check() -> None:
    text = said(shown(SENDS))
    assert "Assign your answer to `bytes_per_gpu`, for example `bytes_per_gpu = '2.5 GB'`." in text
    assert text.endswith('Then `check("bytes-per-gpu")`.')
    assert "Define the function `ring_all_reduce_ms`." in said(shown(FUNCTION))


def test_every_verb_is_a_function_whatever_was_imported_before() -> None:
    for cell in ("from shardwise import *", "from shardwise import another, check, hint, practice, solution"):
        cell += "\nfrom shardwise.question import Outcome\nprint(another('ring-time'), check, hint, practice, solution)"
        ran = subprocess.run([sys.executable, "-c", cell], capture_output=True, text=True, check=True)
        assert ran.stdout.startswith("### How long the ring takes")


def test_a_fresh_python_needs_one_import() -> None:
    cell = "from shardwise import *\nbytes_per_gpu = '3 ms'\nprint(check('bytes-per-gpu'))\nprint(hint())"
    ran = subprocess.run([sys.executable, "-W", "error", "-c", cell], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("? Unreadable\nI couldn't read “3 ms”. “ms” is a time; this question asks for")
    assert "Hint 1. " in ran.stdout
    assert ran.stderr == ""


# A graded notebook -----------------------------------------------------------------------------------------------


def handed(question: Question) -> api.HandedOut:
    """What the first cell of a graded notebook holds for one question."""
    form = question.form.model_dump(mode="json")
    return handed_out({question.slug: {"kind": question.kind, "form": form, "points": question.points}})


def test_a_graded_notebook_says_how_an_answer_is_read_and_when_it_cannot_be() -> None:
    notebook = handed(asked(SENDS, 3))
    run("bytes_per_gpu = '1,750 MB'")
    made = notebook.check(SENDS)
    assert isinstance(made, Checked)
    assert repr(made) == "→ Read\nI read: 1,750 MB\n\nRead. It is marked after you hand in."
    assert made.score() == 0.0
    unread = notebook.check(SENDS, "1,750 ms")
    assert "this question asks for an amount of data" in repr(unread)
    assert "An answer looks like 2.5 GB." in repr(unread)
    assert repr(notebook.check(SENDS, ...)).startswith("○ No answer yet")


def test_a_graded_notebook_knows_only_its_own_problems() -> None:
    strangers: list[Any] = ["ring-time", 7, []]
    for name in strangers:
        made = handed(asked(SENDS, 3)).check(name)
        assert f"This set has no problem “{name}”; it has bytes-per-gpu." in said(made)


@settings(max_examples=150, deadline=1000)
@given(st.floats(0.001, 1000), st.sampled_from(["GB", "MB", "GiB"]))
def test_a_graded_notebook_never_tells_right_from_wrong(number: float, unit: str) -> None:
    key, other = HANDED.check(SENDS, KEY), HANDED.check(SENDS, f"{number:.6g} {unit}")
    assert isinstance(key, Checked)
    assert isinstance(other, Checked)
    assert key.feedback.model_copy(update={"read": ""}) == other.feedback.model_copy(update={"read": ""})
    assert key.feedback.outcome is None
    assert key.points == other.points == 0


HANDED = handed(asked(SENDS, 3))
KEY = right(SENDS, 3)


@pytest.mark.parametrize("kind", SEVEN)
def test_known_answers_right_and_wrong_are_told_the_same_in_a_graded_notebook(kind: str) -> None:
    question = posed(template(kind), 3)
    notebook = handed(question)
    told = set()
    for sample in kind_of(question).samples(question):
        made = notebook.check(question.slug, sample.raw)
        assert isinstance(made, Checked)
        judged = sample.outcome in (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
        assert made.outcome == (None if judged else sample.outcome), sample
        if judged:
            told.add(made.feedback.model_copy(update={"read": ""}).model_dump_json())
    assert len(told) == 1
