"""Losses and changes of a step against a clock that is filled segment by segment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.layout import diagnosis
from solutions.oracles.layout import diagnosis as clocked

pipelines = {
    "micro_batch_s": st.floats(0.01, 1), "stages": st.sampled_from([1, 2, 4, 8]), "virtual_stages": st.sampled_from([1, 2]),
    "micro_batches": st.sampled_from([8, 16, 24]),
}  # fmt: skip
traces = st.fixed_dictionaries(
    {
        **pipelines, "step_s": st.floats(32, 60), "recomputed": st.booleans(), "kernel_efficiency": st.floats(0.2, 0.6),
        "best_efficiency": st.floats(0.6, 0.9),
    }
)  # fmt: skip


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(trace=traces)
def test_losses_are_those_of_a_clock(trace: dict[str, Any]) -> None:
    lost = {part: diagnosis.lost_seconds(part=part, **trace) for part in diagnosis.PARTS}
    for part, seconds in lost.items():
        assert seconds == pytest.approx(clocked.lost_seconds(part=part, **trace), rel=1e-9, abs=1e-9)
        assert seconds >= -1e-9
    first, second = sorted(lost.values())[-1:-3:-1]
    assume(first > second * 1.000001)
    assert diagnosis.largest_loss(**trace) == clocked.largest_loss(**trace)
    products_s = trace["step_s"] - sum(lost.values())  # at the best rate, nothing computed twice
    busy_s = trace["micro_batches"] * trace["micro_batch_s"] * trace["kernel_efficiency"] / trace["best_efficiency"]
    assert products_s == pytest.approx(busy_s * (0.75 if trace["recomputed"] else 1), rel=1e-9)
