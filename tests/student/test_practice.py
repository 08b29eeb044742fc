"""The student's functions check, hint, solution and another, in the namespace of a fresh kernel."""

from __future__ import annotations

import pydoc
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import __main__
from checkout import asked, fresh_session, of_each_kind
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds import kinds
from shardwise.kinds.calls import run_here
from shardwise.marking import broken
from shardwise.marking import check as mark
from shardwise.question import Outcome
from shardwise.student import api
from shardwise.student.api import another, check, hint, solution
from shardwise.student.failed_cells import FailedCells
from shardwise.student.graded import GradedSets
from shardwise.student.in_words import asked_in_words
from shardwise.student.messages import Checked, Message
from shardwise.units import show_amount

SENDS = "bytes-per-gpu"
FUNCTION = "ring-time-function"


@pytest.fixture(autouse=True)
def _fresh_kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Provide a new session and a fresh kernel, and delete its names after the test."""
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    monkeypatch.setattr(api, "_GRADED", GradedSets())
    before = set(vars(__main__))
    yield
    for name in set(vars(__main__)) - before:
        delattr(__main__, name)


def shown(name: str) -> Message:
    """Return the variant that was viewed last, as `another` shows it."""
    return Message(asked_in_words(api._SESSION.question(name)))


def run(source: str) -> None:
    """Run a cell."""
    exec(compile(source, "<cell>", "exec"), vars(__main__))


def checked(*args: Any, **more: Any) -> Checked:
    made = check(*args, **more)
    assert isinstance(made, Checked), made
    return made


def said(made: Any) -> str:
    assert isinstance(made, Message), made
    return made.markdown


def right(name: str, seed: int = 0) -> str:
    key: Any = asked(name, seed).key
    return show_amount(key.value, "GB", digits=9)


# check -----------------------------------------------------------------------------------------------------------


def test_a_cell_in_which_nothing_was_typed_is_silent() -> None:
    assert check(SENDS, ...) is None


def test_a_variable_named_after_the_problem_is_the_answer() -> None:
    assert checked(SENDS).outcome == Outcome.BLANK
    run("bytes_per_gpu = ...")
    assert checked(SENDS).outcome == Outcome.BLANK
    run(f"bytes_per_gpu = {right(SENDS)!r}")
    assert checked(SENDS).outcome == Outcome.CORRECT
    assert checked(f"01-ring-all-reduce/{SENDS}").points == 2
    run("bytes_per_gpu = '3 ms'")
    assert checked(SENDS).outcome == Outcome.UNREADABLE


@pytest.mark.parametrize("text", ["return 1if 1else 2", "return (1)(2)", "return 'a' is 'b'", "return '\\d'"])
def test_python_warns_nobody_of_a_text_that_is_an_answer(text: str) -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        mark(asked(FUNCTION), f"def ring_all_reduce_ms(**_):\n    {text}\n", runner=run_here)
        warnings.warn("another", UserWarning, stacklevel=1)
    assert [str(one.message) for one in warned] == ["another"]


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
    run(starter.replace("    ...", "    steps = 2 * (gpus - 1)"))  # the return is missing, but it counts as an attempt
    assert "Every call returned None" in checked(FUNCTION).feedback.say
    run(
        starter.replace(
            "    ...", "    return 2 * (gpus - 1) * (message_gb / gpus / bandwidth_gb_per_s * 1e3 + latency_us / 1e3)"
        )
    )
    assert checked(FUNCTION).outcome == Outcome.CORRECT
    run(f"{question.form.model_dump()['function']} = 12")
    assert checked(FUNCTION).outcome == Outcome.UNREADABLE


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bytes-per-gpo", "Unknown problem “bytes-per-gpo”. Did you mean bytes-per-gpu"),
        ("bytes_per_gpu", "Did you mean bytes-per-gpu"),
        ("zzzzzz", "Unknown problem “zzzzzz”. `shardwise list` shows all problems; for another bank, add --bank."),
        ("1.75 GB", "Unknown problem “1.75 GB”."),
        (1.75, "A problem name must be text, such as 'monthly-payment', not float."),
        (len, "not builtin_function_or_method."),
        ([], "not list."),
    ],
)
def test_what_is_no_problem_is_said_without_a_traceback(name: Any, words: str) -> None:
    for verb in (check, hint, solution, another, api.practice):
        assert words in said(verb(name))


def test_help_says_which_answer_is_checked_when_none_is_given() -> None:
    assert "answer: 'Any' = <the variable named after the problem>" in pydoc.plain(pydoc.render_doc(check))


def test_a_name_is_needed_until_one_was_used() -> None:
    for verb in (check, hint, solution, another):
        assert said(verb()) == "Which problem? Give its name, such as 'monthly-payment'."
    shown(SENDS)
    assert "**Hint 1.**" in said(hint())
    assert "**Solution.**" in said(solution())


def test_nbgrader_reads_the_points_and_counts_what_is_our_fault_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = Checked(broken(asked(SENDS), OSError("disk full")))
    made = {2.0: checked(SENDS, right(SENDS)), 0.0: checked(SENDS, "1 ms")}
    assert [one._repr_mimebundle_()["text/plain"][:11] for one in made.values()] == ["✓ Correct ·", "? Unreadabl"]
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for points, one in made.items():
        assert one._repr_mimebundle_()["text/plain"] == str(points)
    assert fault._repr_mimebundle_()["text/plain"].startswith("! Our fault")  # nbgrader gives full points for text


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
        assert said(hint(SENDS)) == 'That was the last hint. `solution("bytes-per-gpu")` shows the worked solution.'
    another(SENDS)
    assert said(hint(SENDS)).startswith("**Hint 1.**")


def test_hints_of_a_case_begin_at_the_first_part_that_is_not_right_yet() -> None:
    case = "train-a-model"
    question = asked(case)
    first = [f"*{number}. {part.title}" for number, part in enumerate(question.form.parts, 1)]  # type: ignore[attr-defined]
    assert first[0] in said(hint(case))
    answers: Any = next(sample.raw for sample in kinds()["case"].samples(question) if sample.outcome == Outcome.CORRECT)
    names = list(answers)
    check(case, {**answers, names[2]: "3000 layers", names[6]: None})
    assert [first[2] in said(hint(case)) for _ in range(2)] == [True, True]
    assert said(hint(case)).startswith(f"**Hint 1.** {first[6]}")
    check(case, {**answers, names[5]: None})
    assert first[5] in said(hint(case))
    given = [said(hint(case)) for _ in question.hints]  # then all the others, each once
    assert any(first[0] in text for text in given)
    assert given[-1].startswith("That was the last hint.")
    told = {text for text in given if text.startswith("**Hint")}
    assert len(told) == len(question.hints) - 5


def test_the_solution_has_the_questions_own_numbers_and_another_draws_new_ones() -> None:
    before = said(shown(SENDS))
    first = said(solution(SENDS))
    assert asked(SENDS).solution in first
    assert 'another("bytes-per-gpu")' in first
    after = said(another(SENDS))
    assert after != before
    assert said(shown(SENDS)) == after
    assert said(solution(SENDS)) != first


def test_a_check_marks_the_variant_of_its_cell_whatever_another_drew() -> None:
    old = right(SENDS)
    drawn = said(another(SENDS))
    assert 'check("bytes-per-gpu", seed=1)' in drawn
    assert checked(SENDS, old).outcome == Outcome.CORRECT
    assert checked(SENDS, right(SENDS, 1), seed=1).outcome == Outcome.CORRECT
    monday = [said(another(SENDS)) for _ in range(2)]
    assert 'check("bytes-per-gpu", seed=2)' in monday[0] and 'check("bytes-per-gpu", seed=3)' in monday[1]
    assert checked(SENDS, right(SENDS, 1), seed=1).outcome == Outcome.CORRECT


def test_a_new_answer_under_the_old_check_is_told_of_the_check_that_marks_it() -> None:
    another(SENDS)
    wrong = checked(SENDS, right(SENDS, 1))
    assert wrong.outcome != Outcome.CORRECT
    note = (
        'This marks the question in the notebook. To check the one from another(), run check("bytes-per-gpu", seed=1).'
    )
    assert repr(wrong).endswith(note)
    assert "This marks" not in repr(checked(SENDS, right(SENDS)))
    assert "This marks" not in repr(checked("ring-time", "1 ms"))
    assert "This marks" not in repr(checked(SENDS, "1 B", seed=1))


def ran(failed: FailedCells, source: str, cell: str | None = "c1") -> None:
    """Run a cell as IPython does."""
    failed.begins(SimpleNamespace(raw_cell=source))
    error = None
    try:
        run(source)
    except Exception as raised:
        error = raised
    info = SimpleNamespace(cell_id=cell)
    failed.ended(SimpleNamespace(info=info, error_before_exec=None, error_in_exec=error))


def test_a_failed_cell_that_was_run_again_with_another_name_is_not_said_to_stop() -> None:
    failed = FailedCells()
    ran(failed, "answer = 1 / 0")
    assert "stopped: `ZeroDivisionError" in str(failed.why("answer"))
    ran(failed, "other = 2", "c2")  # says nothing about the cell that failed
    assert "stopped" in str(failed.why("answer"))
    ran(failed, "answr = 2")
    assert failed.why("answer") is None  # nothing is there, and check() says so


@pytest.mark.parametrize("typed", ["1.75 GB", "138 micro-batches", "8 %", "1.5e-3 s"])
def test_a_unit_without_quotes_is_shown_with_them(typed: str) -> None:
    failed = FailedCells()
    ran(failed, f"answer = {typed}  # at last")
    assert f"Put a number with a unit in quotes: `answer = '{typed}'`" in str(failed.why("answer"))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("answer = 2*P + 12*P/N  # bytes", "`P` is part of your answer and not a variable, put the answer in quotes: `answer = '2*P + 12*P/N'`"),
        ("answer = d", "put the answer in quotes: `answer = 'd'`"),
        ("answer = {1: e, 2: f}", "If `e` is part of your answer and not a variable, put the answer in quotes."),
        ("steps = n\nanswer = 2 * 3", ""),
        ("answer = max(1, 2) + len(5)", ""),
    ],
)  # fmt: skip
def test_an_answer_that_may_lack_its_quotes_is_shown_with_them(source: str, says: str) -> None:
    failed = FailedCells()
    ran(failed, source)
    why = str(failed.why("answer"))
    assert why.startswith("The cell that sets `answer` stopped: ")
    assert why.endswith(says) if says else "quotes" not in why


def test_an_old_value_that_its_cell_no_longer_sets_does_not_count_silently() -> None:
    failed = FailedCells()
    ran(failed, "answer = 1")
    ran(failed, "answer = 1 / 0")
    ran(failed, "answr = 2")
    why = failed.why("answer")
    assert why == (
        "The cell that used to set `answer` ran again and no longer sets it. It sets `answr`; is that your answer?"
    )
    assert "The variable still holds its old value, which does not count." in failed.feedback("q", 1, "answer", why).say
    ran(failed, "answer = 3", "c2")
    assert failed.why("answer") is None


def test_a_variant_is_shown_again_by_its_seed_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = said(another(SENDS)), said(another(SENDS))
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    assert said(another(SENDS, seed=2)) == second
    assert said(another(SENDS, seed="1")) == first
    assert said(hint(SENDS)).startswith("**Hint 1.**")
    assert asked(SENDS, 1).solution in said(solution())  # for the variant viewed last
    assert asked(SENDS, 2).solution in said(solution(SENDS, seed=2))


def test_a_seed_that_is_none_is_said() -> None:
    for seed, kind in ((1.5, "float"), (True, "bool"), ([], "list")):
        made: Any = check(SENDS, "1 B", seed=seed)  # type: ignore[arg-type]
        assert said(made) == f"A seed must be a whole number, such as seed=7, not {kind}."
    for long in (10**5000, -(10**100), "7" * 101):
        assert said(check(SENDS, "1 B", seed=long)) == "A seed can have at most 100 characters. Try seed=7."


@of_each_kind(3)
def test_another_reads_differently_or_says_that_it_does_not(formed: Problem) -> None:
    before = said(shown(formed.id))
    after = said(another(formed.id))
    if formed.template.kind in ("code", "formula") and "stays the same" in after:
        seed = api._SESSION.drawn[formed.id]
        fresh = before.replace(f'check("{formed.slug}")', f'check("{formed.slug}", seed={seed})')
        assert after == f"*The text stays the same; the test inputs are new.*\n\n{fresh}"
        cases = {pose(formed, seed).key.model_dump_json() for seed in range(20)}
        assert len(cases) > 1
    else:
        assert after.split("\n\n")[1:] != before.split("\n\n")[1:]
        assert "stays the same" not in after


def test_a_check_before_the_answers_cell_ran_says_so() -> None:
    assert "run that cell first" in checked(SENDS).feedback.say
    run("bytes_per_gpu = ...")
    assert "run that cell first" not in checked(SENDS).feedback.say
    assert "run that cell first" not in checked(SENDS, None).feedback.say


def test_a_question_says_how_to_answer_and_how_to_check() -> None:
    text = said(shown(SENDS))
    assert "Assign your answer to `bytes_per_gpu`, for example `bytes_per_gpu = '250 GB'`." in text
    assert re.search(r'In a new cell:\n\n```python\nbytes_per_gpu = \.\.\..*\n\ncheck\("bytes-per-gpu"\)\n```$', text)
    assert "Define the function `ring_all_reduce_ms`." in said(shown(FUNCTION))


def test_every_verb_is_a_function_whatever_was_imported_before() -> None:
    for cell in ("from shardwise import *", "from shardwise import another, check, hint, practice, progress, solution"):
        cell += "\nfrom shardwise.question import Outcome\nprint(another('ring-time'), check, hint, practice, progress, solution)"
        ran = subprocess.run([sys.executable, "-c", cell], capture_output=True, text=True, check=True)
        assert ran.stdout.startswith("### How long does a ring all-reduce take?")


def test_a_fresh_python_needs_one_import() -> None:
    cell = "from shardwise import *\nbytes_per_gpu = '3 ms'\nprint(check('bytes-per-gpu'))\nprint(hint())"
    ran = subprocess.run([sys.executable, "-W", "error", "-c", cell], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("? Unreadable\nI couldn't read “3 ms”. “ms” is a time; this question asks for")
    assert "Hint 1. " in ran.stdout
    assert ran.stderr == ""


def test_tab_offers_the_verbs_before_they_are_loaded() -> None:
    import shardwise

    assert set(shardwise.__all__) <= set(dir(shardwise))
