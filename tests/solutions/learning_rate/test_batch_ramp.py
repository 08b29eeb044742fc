"""Batch ramps against runs that are walked through, and the worked numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solutions.learning_rate import batch_ramp
from solutions.oracles.learning_rate import batch_ramp as engine


@given(tokens=st.integers(1, 3000), first=st.integers(1, 9), marks=st.tuples(st.integers(1, 500), st.integers(1, 2000)))
def test_whole_steps_are_those_that_a_trainer_walks(tokens: int, first: int, marks: tuple[int, int]) -> None:
    case = {"tokens": tokens, "first_batch": first, "first_mark": marks[0], "second_mark": marks[1]}
    assert batch_ramp.doubling_steps(**case) == engine.walked_doubling_steps(**case)


def test_a_ramp_to_four_million_costs_fifty_thousand_steps_more_than_none() -> None:
    none = batch_ramp.ramped_steps(tokens=1.5e12, first_batch=4e6, last_batch=4e6, stage_tokens=50e9)
    ramp = batch_ramp.ramped_steps(tokens=1.5e12, first_batch=1e6, last_batch=4e6, stage_tokens=50e9)
    assert none == 375_000
    assert ramp == 425_000


def test_a_run_may_end_with_its_ramp() -> None:
    case = {"tokens": 160, "first_batch": 4, "last_batch": 16, "stage_tokens": 80}
    assert batch_ramp.ramped_steps(**case) == engine.walked_ramp_steps(**case) == 30
