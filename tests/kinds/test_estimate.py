"""Estimates: an honest confidence earns most, a wild number nothing, and what is said to a student is true."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkout import posed, problem_of, template
from shardwise.bank.lint.problem import lint_problem
from shardwise.errors import Faulty
from shardwise.kinds import kinds, text_of
from shardwise.kinds.estimate.scoring import credit
from shardwise.markdown.feedback import headline
from shardwise.marking import check
from shardwise.question import Feedback, Outcome

EIGHT = ("gpus: {choice: [8, 16, 32, 64]}", "gpus: 8")
ONE_GB = ("message_bytes: {range: [1, 8, 1], unit: GB}", "message_bytes: {choice: [1], unit: GB}")
QUESTION = posed(template("estimate", EIGHT, ONE_GB))  # 1.75 GB
SHARES = [number / 100 for number in range(101)]


def marked(raw: Any) -> Feedback:
    return check(QUESTION, raw)


# The points --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("belief", [0.0, 0.1, 0.35, 0.5, 0.8, 0.99, 1.0])
def test_one_earns_most_on_average_by_saying_what_one_believes(belief: float) -> None:
    earned = {
        said: belief * credit(hit=True, confidence=said) + (1 - belief) * credit(hit=False, confidence=said)
        for said in SHARES
    }
    assert max(earned, key=earned.__getitem__) == belief
    assert sorted(earned.values())[-2] < earned[belief]  # and by nothing else
    assert earned[belief] == pytest.approx((1 + belief**2) / 2)


@given(power=st.floats(min_value=-40, max_value=40).filter(lambda power: abs(power) > 2.01), sure=st.integers(0, 100))
def test_an_absurd_number_earns_nothing_whatever_its_confidence(power: float, sure: int) -> None:
    feedback = marked(f"{1.75e9 * 10.0**power!r} B, {sure} %")
    assert (feedback.outcome, feedback.points) == (Outcome.INCORRECT, 0.0)
    assert "earns nothing, whatever the confidence" in feedback.say


# What is reported ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "outcome", "points", "words"),
    [
        ("3 GB, 80 %", "correct", 1.96, "0.2 powers of ten too high, a factor of 1.7, which is right: within a factor of 3.2"),
        ("3 GB, 80 %", "correct", 1.96, "At 80 %, a right estimate earns 98 % of the points and a wrong one 18 %. 80 % is honest if 80 of a hundred"),
        ("3 GB, 20 %", "correct", 1.36, "You knew more than you thought."),
        ("30 GB, 50 %", "partial", 0.75, "Too high, by more than a factor of 10. Anything within a factor of 3.2 is right."),
        ("100 MB, 90 %", "partial", 0.19, "90 % is honest if 90 of a hundred such estimates are right. If fewer are, be less confident."),
        ("30 GB, 10 %", "partial", 0.99, "You were right to doubt it."),
        ("30 TB, 1 %", "incorrect", 0.0, "Too high, by more than a factor of 10 000. More than a factor of 100 earns nothing"),
    ],
)  # fmt: skip
def test_an_estimate_is_told_how_far_off_it_is_and_what_its_confidence_was_worth(
    raw: str, outcome: str, points: float, words: str
) -> None:
    feedback = marked(raw)
    assert (feedback.outcome, feedback.points) == (outcome, points)
    assert words in feedback.say


def test_a_right_estimate_is_called_correct_although_it_need_not_earn_everything() -> None:
    assert headline(marked("3 GB, 80 %")) == "✓ Correct · 1.96 of 2 points"
    assert headline(marked("30 GB, 80 %")) == "◐ Partly right · 0.36 of 2 points"


def test_both_ends_of_the_range_are_right() -> None:
    edge = 1.75 * 10**0.5
    assert marked(f"{edge:.12g} GB, 100 %").points == marked(f"{1.75 / 10**0.5:.12g} GB, 100 %").points == 2
    assert marked(f"{edge * 1.001:.12g} GB, 100 %").points == 0


def test_the_question_states_the_range_and_what_a_confidence_is_worth() -> None:
    text = text_of(QUESTION)
    assert "Anything within a factor of 3.2 of the exact value is right." in text
    earned = {sure: re.findall(rf"{sure} %.*?(\d+) %.*? (\d+) %", text)[0] for sure in (80, 50)}
    assert earned == {80: ("98", "18"), 50: ("88", "38")}
    narrow = posed(template("estimate", EIGHT, ONE_GB, ("  unit: GB", "  unit: GB\n  within: 2")))
    assert "within a factor of 2 of the exact value" in text_of(narrow) and "factor of 16 earns nothing" in text_of(
        narrow
    )
    assert check(narrow, "4 GB, 100 %").outcome == Outcome.INCORRECT
    assert check(narrow, "3 GB, 100 %").outcome == Outcome.CORRECT


def test_a_form_takes_both_numbers_in_its_first_field_and_a_confidence_with_its_sign() -> None:
    kind = kinds()["estimate"]
    for raw in ({"value": "2 GB, 80 %", "confidence": ""}, {"value": "2 GB", "confidence": "80 %"}):
        assert kind.parse(QUESTION.form, raw).confidence == 0.8


def test_a_wrong_estimate_is_told_its_band_and_not_the_number() -> None:
    for factor, band in ((3.17, "3"), (9.9, "5"), (10, "10"), (99, "30"), (1001, "1000")):
        for off, way in ((factor, "high"), (1 / factor, "low")):
            assert marked(f"{1.75 * off:.6g} GB, 80 %").say.startswith(f"Too {way}, by more than a factor of {band}.")


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("14 GB", "Bits or bytes?"),  # the question's number of GPUs is 8, too
        ("0.125 GB", "an intermediate result. What is still missing?"),
        ("1750 GB", "check the prefixes"),
        ("20 GB", "Estimate each factor to the nearest power of ten"),  # of one figure, between 8 times and 10 times
    ],
)
def test_a_wrong_estimate_is_named_where_its_digits_leave_one_cause(raw: str, words: str) -> None:
    assert words in marked(f"{raw}, 70 %").say


def test_a_number_behind_a_word_is_the_estimate_and_no_confidence() -> None:
    plain = posed(
        template("estimate", EIGHT, ONE_GB, ("  unit: GB", "  unit: token")).replace("bytes_sent_per_gpu", "steps")
    )
    for raw in ("about 30", "~ 30", "around 30"):
        feedback = check(plain, raw)
        assert feedback.outcome == Outcome.UNREADABLE
        assert "I read 30 tokens. How sure are you" in feedback.say


def test_a_percentage_and_its_confidence_are_told_apart() -> None:
    kind = kinds()["estimate"]
    form = QUESTION.form.model_copy(update={"unit": "%"})
    for raw in ("30 %, 80 %", "30 % 80 %", "30 %, 80", "80 % sure: 30 %", "30%, 0.8"):
        value = kind.parse(form, raw)
        assert (round(value.reading.value, 9), value.confidence) == (0.3, 0.8), raw


# The lint ----------------------------------------------------------------------------------------------------------


def said(*changes: tuple[str, str]) -> str:
    return "\n".join(map(str, lint_problem(problem_of(template("estimate", *changes)), seeds=8).faults))


def test_a_key_that_no_oracle_confirms_or_that_has_no_size_is_a_fault() -> None:
    other = ("ring.ring.simulated_bytes_sent_per_gpu", "ring.ring.simulated_bytes_sent_per_phase")
    assert "one of the two is wrong" in said(other)
    assert "the key is 0.0, which has no order of magnitude" in said(("gpus: {choice: [8, 16, 32, 64]}", "gpus: 1"))


@pytest.mark.parametrize("within", ["1.1", "11", "-2", "ten"])
def test_a_range_that_is_none_is_refused(within: str) -> None:
    with pytest.raises(Faulty, match=r"answer\.within: expected a number"):
        problem_of(template("estimate", ("  unit: GB", f"  unit: GB\n  within: {within}")))


@pytest.mark.parametrize(
    "words", ["confident sure ", "at ", "I am ", ", ", "(", "80 % ", "1 in ", "sure (", "of the time ", "3 GB, "]
)
def test_a_text_of_nothing_but_words_is_refused_at_once(words: str) -> None:
    for raw in ((words * 200)[:200], ("3 GB", (words * 200)[:200])):
        start = time.process_time()
        assert marked(raw).outcome == Outcome.UNREADABLE
        assert time.process_time() - start < 0.3


def test_a_confidence_that_is_no_share_is_shown_as_it_was_given() -> None:
    for sure, shown in (
        (10**400, "this is 10000000000000000000...."),
        (-(10**400), "this is -1000000000000000000...."),
        (101, "this is 101."),
        ("100.0001 %", "this is 100.0001."),
    ):
        feedback = marked(("2 GB", sure))
        assert feedback.outcome == Outcome.UNREADABLE
        assert shown in feedback.say
    assert marked("2 GB, 80\u200b %").read == marked("\ufeff2 GB, 80 %").read == "2 GB, 80 %"
