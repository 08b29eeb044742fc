"""The feedback page that a student gets for a graded set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from checkout import checkout_bank
from shardwise.bank.posing import pose
from shardwise.grading.feedback_page import LONGEST_SOURCE, HandIn, page
from shardwise.grading.results import Result, marked
from shardwise.kinds import kind_of, variable_of
from shardwise.kinds.calls import run_here
from shardwise.marking import check
from shardwise.question import Feedback, Question

NUMBER, FUNCTION, ORDER = "bytes-per-gpu", "ring-time-function", "order-of-a-step"
DUE = datetime.fromisoformat("2026-12-01T23:59:00+01:00")


def asked(name: str, number: int) -> Question:
    return pose(checkout_bank().find(name), 3).model_copy(update={"handle": f"q{number}"})


QUESTIONS = [asked(name, number) for number, name in enumerate((NUMBER, FUNCTION, ORDER), start=1)]


def shown(
    answers: list[object], sources: dict[str, str] | None = None, *, late: bool = False, notes: Sequence[str] = ()
) -> str:
    """Return the page of a student with these answers, from cells with these sources."""
    feedback: list[Feedback] = [
        check(question, raw, runner=run_here) for question, raw in zip(QUESTIONS, answers, strict=True)
    ]
    result = marked(Result("ada", "week-1", name="Ada Arnold", late=late, notes=tuple(notes)), QUESTIONS, feedback)
    return page(result, QUESTIONS, feedback, handed_in=HandIn("The first week", DUE, sources or {}))


def test_a_page_shows_its_set_its_due_date_and_whether_it_was_late() -> None:
    early, late = shown([None] * 3), shown([None] * 3, late=True)
    for text in (early, late):
        assert "<h1>The first week</h1>" in text
        assert f"Ada Arnold: <strong>0</strong> of {total()} points" in text
        assert "Due Tuesday, 1 December 2026, 23:59 (UTC+01:00); handed in" in text
    assert "handed in on time." in early
    assert "handed in <strong>late</strong>." in late


def total() -> str:
    return f"{sum(question.points for question in QUESTIONS):g}"


def test_a_page_shows_the_question_then_the_students_own_code_then_the_verdict() -> None:
    source = "def ring_all_reduce_ms(gpus, **_):\n    return '<b>' if gpus < 3 else 7"
    text = shown(["1 B", source, None], {"q1": 'bytes_per_gpu = "1 B"', "q2": source})
    second = text[text.index('id="question-2"') : text.index('id="question-3"')]
    assert "if gpus &lt; 3 else 7" in second and "<b>" not in second
    prompt, own, verdict = (
        second.index(words) for words in ('class="question"', "<h3>Your answer</h3>", "✗ Incorrect")
    )
    assert prompt < own < verdict
    assert re.search(r'<pre class="listing"><code><span style="--at:0">def ring', second)


def test_notes_on_the_notebook_are_at_the_top_and_escaped() -> None:
    notes = ("Cell 4 is not a code cell and was not run.", "cell-7 (added by the student) stopped: <b>'&")
    text = shown([None] * 3, notes=notes)
    top = text[: text.index("<table>")]
    assert '<p class="note">Cell 4 is not a code cell and was not run.</p>' in top
    assert '<p class="note">cell-7 (added by the student) stopped: &lt;b&gt;&#39;&amp;</p>' in top
    assert 'class="note"' not in shown([None] * 3)


def test_a_page_is_final() -> None:
    text = shown(["1 B", None, None])
    assert "✗ Incorrect" in text and "○ No answer" in text
    for word in ("Not yet", "yet", "Assign your answer", "Define the function", "attempt"):
        assert word not in text, word


def test_an_unchanged_cell_is_not_an_answer() -> None:
    untouched = {question.cell: kind_of(question).cells(question.form, variable_of(question)) for question in QUESTIONS}
    assert "Your answer" not in shown([None] * 3, untouched)
    assert "Your answer" not in shown(
        [None] * 3, dict.fromkeys(untouched, "\n")
    )  # an emptied cell is not an answer either


def test_a_very_long_source_is_cut() -> None:
    text = shown([None] * 3, {"q1": f"bytes_per_gpu = {'9' * 100_000}"})
    assert text.count("9") < LONGEST_SOURCE + 200
    assert "more characters)" in text


def test_a_page_suggests_practice_with_the_most_expensive_chapter_first() -> None:
    key = QUESTIONS[0].key.model_dump()["value"]
    some = shown([f"{key!r} B", "def ring_all_reduce_ms(**_): return 7", None])
    listed = some[some.index("What to practise next") : some.index('id="question-1"')]
    assert 'another("bytes-per-gpu")' not in listed  # that answer was right
    assert listed.index('another("ring-time-function")') < listed.index('another("order-of-a-step")')
    assert "<code>01-ring-all-reduce.ipynb</code>" in listed
    right = [sample.raw for question in QUESTIONS for sample in kind_of(question).samples(question)[:1]]
    assert "What to practise next" not in shown(right)
