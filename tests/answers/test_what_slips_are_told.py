"""Slips that students make are named: the corpora in slips*.yaml, over several seeds, against the goals."""

from __future__ import annotations

from functools import cache

import pytest

from answers.slips import ACCEPTED, FILE, GUESS, NAMED, OTHER, Marked, became, marked, shares, slips
from drawing import every_sixth_at_once
from shardwise.question import Feedback, Outcome


@cache
def rows() -> list[Marked]:
    return list(marked(slips(), seeds=5))


def test_most_slips_are_named_and_nearly_all_likely_ones() -> None:
    everything = shares(rows())
    likely = shares([row for row in rows() if row.slip.likely])
    assert everything[NAMED] >= 0.97
    assert likely[NAMED] >= 0.99
    assert everything[OTHER] < 0.01
    assert everything[GUESS] < 0.01
    assert likely[GUESS] == 0


def test_no_slip_is_accepted() -> None:
    assert [row for row in rows() if row.became == ACCEPTED] == []


LEAST = {  # the share of a chapter's slips that are named
    "01": 0.92,
    "02": 0.87,
    "03": 0.9,
    "04": 0.86,
    "05": 0.95,
    "06": 0.93,
    "07": 0.94,
    "08": 0.92,
    "09": 0.91,
    "10": 0.91,
    "11": 0.97,
    "12": 0.94,
    "13": 0.97,
    "14": 0.96,
    "15": 0.95,
}


@pytest.mark.parametrize("chapter", every_sixth_at_once(list(LEAST)))
def test_slips_written_from_the_prompts_of_a_chapter_are_named(chapter: str) -> None:
    told = list(marked(slips(FILE.with_name(f"slips-{chapter}.yaml")), seeds=3))
    likely = shares([row for row in told if row.slip.likely])
    assert shares(told)[NAMED] >= LEAST[chapter]
    assert likely[NAMED] >= 0.99
    assert shares(told)[OTHER] < 0.02
    assert shares(told)[GUESS] < 0.03
    assert likely[GUESS] < 0.01
    assert shares(told)[ACCEPTED] == 0


def test_fresh_slips_of_all_chapters_reach_the_goals() -> None:
    told = list(marked(slips(FILE.with_name("slips-fresh.yaml")), seeds=3))
    likely = shares([row for row in told if row.slip.likely])
    assert likely[NAMED] >= 0.95
    assert shares(told)[NAMED] >= 0.93
    assert shares(told)[OTHER] < 0.01
    assert shares(told)[ACCEPTED] == 0


@pytest.mark.parametrize(
    ("say", "credit", "mistake", "column"),
    [
        ("Where is the Latency?", 0.0, None, "named"),
        ("That is one phase.", 0.0, 2, "another mistake named"),
        ("You are off by a factor of 8.", 0.0, None, "a guess that misses"),
        ("Too high, by more than a factor of 2.", 0.0, None, "only how far"),
        ("At N = 2 your formula gives 1, and the correct one gives 2.", 0.0, None, "only how far"),
        ("Correct.", 1.0, None, "accepted"),
    ],
)
def test_feedback_is_counted_in_its_column(say: str, credit: float, mistake: int | None, column: str) -> None:
    slip = slips()[0].__class__("p", "no latency", "key", "true", True, ("latency",))
    outcome = Outcome.CORRECT if credit else Outcome.INCORRECT
    given = Feedback(question="p", outcome=outcome, credit=credit, max_points=1, remarks=(say,), mistake=mistake)
    assert became(slip, given) == column
