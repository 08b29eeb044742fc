"""Step times under accumulation: formulas against events with a start and an end, and measured times turned round."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from solutions.accumulation import accumulation_time
from solutions.oracles.accumulation import accumulation_time as engine

times = st.floats(1e-3, 5.0)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(steps=st.integers(1, 200), micro_batch_s=times, all_reduce_s=times)
def test_share_and_overhead_are_two_views_of_one_wait(steps: int, micro_batch_s: float, all_reduce_s: float) -> None:
    case = {"accumulation_steps": steps, "micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    share, overhead = accumulation_time.communication_share(**case), accumulation_time.communication_overhead(**case)
    assert share < overhead
    assert same(share, overhead / (1 + overhead))


milliseconds = st.integers(1, 400).map(lambda value: value / 1000)


@given(micro_batch_s=milliseconds, all_reduce_s=milliseconds, percent=st.integers(1, 60))
def test_the_smallest_number_of_steps_meets_the_share_and_one_less_does_not(
    micro_batch_s: float, all_reduce_s: float, percent: int
) -> None:
    case = {"micro_batch_s": micro_batch_s, "all_reduce_s": all_reduce_s}
    limit = percent / 100
    steps = accumulation_time.steps_for_share(largest_share=limit, **case)
    assert accumulation_time.communication_share(accumulation_steps=steps, **case) <= limit * (1 + 1e-9)
    if steps > 1:
        assert accumulation_time.communication_share(accumulation_steps=steps - 1, **case) > limit
    if steps < 5000:
        assert steps == engine.tried_steps_for_share(largest_share=limit, **case)


def test_a_step_that_grows_with_its_micro_batches_waits_for_nothing() -> None:
    assert accumulation_time.waiting_seconds(few_steps=4, few_step_s=1.0, many_steps=8, many_step_s=2.0) == 0
