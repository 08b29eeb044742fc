"""Split backward passes against schedules that are played operation by operation."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.pipeline import zero_bubble as engine
from solutions.pipeline import zero_bubble

names = st.sampled_from(zero_bubble.SCHEDULES)
TIMES: dict[str, Any] = {"forward_s": 1.0, "input_backward_s": 1.0, "weight_backward_s": 1.0}


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(
    name=names, stages=st.integers(2, 10), rounds=st.integers(2, 4), forward=st.integers(8, 12),
    of_input=st.integers(8, 13), of_weights=st.integers(4, 8), virtual_stages=st.sampled_from([2, 4]),
)  # fmt: skip
def test_the_table_of_the_paper_is_what_a_played_step_does(
    name: str, stages: int, rounds: int, forward: int, of_input: int, of_weights: int, virtual_stages: int
) -> None:
    times = {"forward_s": forward, "input_backward_s": of_input, "weight_backward_s": of_weights}
    shape: dict[str, Any] = {"schedule": name, "stages": stages}
    if name == "interleaved":
        shape["virtual_stages"] = virtual_stages
    assert math.isclose(
        zero_bubble.bubble_seconds(**shape, **times), engine.bubble_seconds(**shape, **times), abs_tol=1e-9
    )
    step = {**shape, "micro_batches": rounds * stages}
    assert math.isclose(zero_bubble.step_seconds(**step, **times), engine.step_seconds(**step, **times), rel_tol=1e-12)
    assert zero_bubble.peak_micro_batches(**step) == engine.peak_micro_batches(**step)
    gain = zero_bubble.throughput_gain(**step, **times)
    assert math.isclose(gain, engine.throughput_gain(**step, **times), abs_tol=1e-9)


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(
    name=st.sampled_from(["1F1B", "ZB-H1", "ZB-H2"]), stages=st.integers(1, 8), rounds=st.integers(2, 4),
    forward=st.integers(90, 110), of_input=st.integers(90, 110), of_weights=st.integers(50, 90), hop=st.integers(0, 9),
)  # fmt: skip
def test_hops_cost_what_a_played_step_shows(
    name: str, stages: int, rounds: int, forward: int, of_input: int, of_weights: int, hop: int
) -> None:
    case: dict[str, Any] = {
        "schedule": name, "stages": stages, "micro_batches": rounds * stages, "forward_s": forward,
        "input_backward_s": of_input, "weight_backward_s": of_weights, "hop_s": hop,
    }  # fmt: skip
    rate = zero_bubble.bubble_rate_with_hops(**case)
    assert math.isclose(rate, engine.bubble_rate_with_hops(**case), rel_tol=1e-9, abs_tol=1e-12)


def test_interleaving_of_one_piece_is_1f1b() -> None:
    for function in (zero_bubble.step_seconds, zero_bubble.throughput_gain):
        case = {"stages": 4, "micro_batches": 4, **TIMES}  # the fewest that these schedules take
        assert function(schedule="interleaved", **case) == function(schedule="1F1B", **case)
        assert math.isclose(
            function(schedule="1F1B", **case), getattr(engine, function.__name__)(schedule="1F1B", **case), abs_tol=1e-9
        )
    one, whole = (zero_bubble.bubble_seconds(schedule=name, stages=4, **TIMES) for name in ("interleaved", "1F1B"))
    assert one == whole
    held = [zero_bubble.peak_micro_batches(schedule=s, stages=4, micro_batches=8) for s in ("interleaved", "1F1B")]
    assert held[0] == held[1]


def test_two_stages_wait_for_hops_in_every_round() -> None:
    case = {"schedule": "1F1B", "stages": 2, "micro_batches": 6, "hop_s": 8}
    times = {"forward_s": 100, "input_backward_s": 100, "weight_backward_s": 60}
    rate = zero_bubble.bubble_rate_with_hops(**case, **times)
    assert math.isclose(rate, engine.bubble_rate_with_hops(**case, **times), rel_tol=1e-9)


def test_a_schedule_that_just_fits_fits() -> None:
    case: dict[str, Any] = {"stages": 8, "micro_batches": 32, "virtual_stages": 2, **TIMES}
    room = {"micro_batch_bytes": 4e9, "room_bytes": 8 * 4e9, "splits_backward": True}
    assert zero_bubble.quickest_schedule_that_fits(**case, **room) == "ZB-H1"
    assert engine.quickest_schedule_that_fits(**case, **room) == "ZB-H1"


def test_the_v_schedules_of_the_authors_table() -> None:
    peaks = {
        name: [zero_bubble.v_schedule_peak_micro_batches(schedule=name, stages=p) for p in (4, 8, 16)]
        for name in ("V-Min", "V-Half", "V-ZB")
    }
    assert peaks == {"V-Min": [2, 4, 6], "V-Half": [3, 5, 9], "V-ZB": [4, 8, 16]}
