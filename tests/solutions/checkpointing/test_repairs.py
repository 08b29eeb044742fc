"""Repairs after spikes, alarms and crashes, against simulations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.checkpointing import repairs
from solutions.oracles.checkpointing import repairs as played


@given(spike=st.integers(100, 5000), every=st.integers(1, 900), margin=st.integers(0, 100))
def test_the_checkpoint_is_the_newest_that_is_old_enough(spike: int, every: int, margin: int) -> None:
    case = {"spike_step": spike, "every": every, "margin_steps": margin}
    assert repairs.rollback_step(**case) == played.rollback_step(**case)


def test_alarms_break_even_where_the_true_share_is_the_ratio_of_the_costs() -> None:
    assert repairs.alarm_seconds_saved(alarms=40, true_alarms=10, failure_s=1200, swap_s=300) == 0
    assert repairs.alarm_seconds_saved(alarms=10, true_alarms=10, failure_s=1200, swap_s=300) == 9000


def test_more_true_alarms_than_alarms_are_refused() -> None:
    with pytest.raises(ValueError, match="true_alarms must be at most 3, not 4"):
        repairs.alarm_seconds_saved(alarms=3, true_alarms=4, failure_s=1, swap_s=1)


def test_a_margin_beyond_the_start_is_refused() -> None:
    with pytest.raises(ValueError, match="margin_steps must be at most spike_step 50, not 100"):
        repairs.rollback_step(spike_step=50, every=10)


@given(restart=st.floats(60, 900), test=st.floats(60, 3600), back=st.floats(10, 900))
def test_both_procedures_cost_the_same_at_the_share(restart: float, test: float, back: float) -> None:
    case = {"restart_s": restart, "test_s": test, "return_s": back}
    assert repairs.restart_first_share(**case) == pytest.approx(played.restart_first_share(**case))
