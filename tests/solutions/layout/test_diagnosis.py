"""Losses and changes of a step against a clock that is filled segment by segment."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.layout import diagnosis
from solutions.oracles.layout import diagnosis as clocked

TRACE: dict[str, Any] = {
    "step_s": 6.0, "micro_batch_s": 0.2, "micro_batches": 16, "stages": 8, "virtual_stages": 1, "recomputed": True,
    "kernel_efficiency": 0.6, "best_efficiency": 0.75,
}  # fmt: skip
RUN: dict[str, Any] = {
    "micro_batch_s": 0.2, "micro_batches": 16, "stages": 8, "virtual_stages": 1, "score_share": 0.12, "sync_s": 0.5,
    "loader_s": 0.2,
}  # fmt: skip
MEMORY: dict[str, Any] = {"free_bytes": 40e9, "interleave_bytes": 4e9, "selective_bytes": 30e9}
pipelines = {
    "micro_batch_s": st.floats(0.01, 1), "stages": st.sampled_from([1, 2, 4, 8]), "virtual_stages": st.sampled_from([1, 2]),
    "micro_batches": st.sampled_from([8, 16, 24]),
}  # fmt: skip
traces = st.fixed_dictionaries(
    {
        **pipelines, "step_s": st.floats(30, 60), "recomputed": st.booleans(), "kernel_efficiency": st.floats(0.2, 0.6),
        "best_efficiency": st.floats(0.6, 0.9),
    }
)  # fmt: skip
runs = st.fixed_dictionaries(
    {**pipelines, "score_share": st.floats(0, 1), "sync_s": st.floats(0, 2), "loader_s": st.floats(0, 2)}
)


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


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(run=runs, free=st.floats(0, 50e9))
def test_a_changed_step_is_that_of_a_changed_clock(run: dict[str, Any], free: float) -> None:
    after = {change: diagnosis.seconds_after(change=change, **run) for change in ("none", *diagnosis.CHANGES)}
    for change, seconds in after.items():
        assert seconds == pytest.approx(clocked.seconds_after(change=change, **run), rel=1e-9)
        assert seconds <= after["none"] * (1 + 1e-12)
    memory = {"free_bytes": free, "interleave_bytes": 10e9, "selective_bytes": 20e9}
    best = diagnosis.best_change(**run, **memory)
    assert after[best] == pytest.approx(after[clocked.best_change(**run, **memory)], rel=1e-9)
    assert (best != "interleave" or free >= 10e9) and (best != "selective" or free >= 20e9)


def test_memory_decides_among_the_changes() -> None:
    found = [diagnosis.best_change(**RUN, **{**MEMORY, "free_bytes": free}) for free in (30e9, 29.9e9, 4e9, 3.9e9)]
    assert found == ["selective", "interleave", "interleave", "overlap"]
    assert diagnosis.best_change(**{**RUN, "sync_s": 0, "loader_s": 0.3}, **{**MEMORY, "free_bytes": 0}) == "loader"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"step_s": 4.5}, "a step of 4.5 s is shorter than its pipeline's 4.6"),
        ({"best_efficiency": 0.5}, "kernel_efficiency 0.6 is above best_efficiency 0.5"),
        ({"step_s": 0}, "step_s"),
        ({"micro_batch_s": 0}, "micro_batch_s"),
        ({"kernel_efficiency": 60}, "kernel_efficiency"),
        ({"best_efficiency": 75}, "best_efficiency"),
        ({"stages": 0}, "stages"),
        ({"micro_batches": 0}, "micro_batches"),
        ({"virtual_stages": 0}, "virtual_stages"),
    ],
)
def test_a_trace_that_cannot_be_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        diagnosis.largest_loss(**{**TRACE, **wrong})


def test_recomputation_is_the_largest_loss_where_nothing_else_is_lost() -> None:
    trace = {**TRACE, "stages": 1, "step_s": 3.3, "best_efficiency": TRACE["kernel_efficiency"]}
    assert diagnosis.largest_loss(**trace) == "recomputation"


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(
        ValueError, match="part must be one of bubble, exposed, recomputation, slow kernels, not 'loader'"
    ):
        diagnosis.lost_seconds(part="loader", **TRACE)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"micro_batch_s": 0}, "micro_batch_s must be above 0"),
        ({"virtual_stages": 0}, "virtual_stages"),
        ({"sync_s": -1}, "sync_s"),
        ({"loader_s": -1}, "loader_s"),
        ({"score_share": -0.1}, "score_share"),
        ({"score_share": 1.5}, "score_share must be at most 1, not 1.5"),
        ({"change": "fp8"}, "change must be none or one of interleave, selective, overlap, loader, not 'fp8'"),
    ],
)
def test_a_change_that_cannot_be_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        diagnosis.seconds_after(**{"change": "none", **RUN, **wrong})


@pytest.mark.parametrize("argument", MEMORY)
def test_bytes_below_nothing_are_refused(argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        diagnosis.best_change(**RUN, **{**MEMORY, argument: -1})
