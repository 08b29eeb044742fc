"""Bytes and hops of a pipeline against messages that are counted one by one."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.pipeline import pipeline_traffic as engine
from solutions.pipeline import pipeline_traffic as traffic


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(stages=st.integers(1, 10), virtual_stages=st.integers(1, 5), micro_batches=st.integers(1, 60))
@settings(deadline=None, max_examples=a_quarter_at_once(50))
def test_bytes_are_those_of_the_messages_of_a_played_step(stages: int, virtual_stages: int, micro_batches: int) -> None:
    shape = {"stages": stages, "virtual_stages": virtual_stages}
    assert traffic.boundaries(**shape) == engine.boundaries(**shape)
    step: dict[str, Any] = {**shape, "micro_batches": micro_batches, "message_bytes": 67108864.0}
    whole = traffic.pipeline_bytes(**step)
    assert same(whole, engine.pipeline_bytes(**step))
    by_gpu = [traffic.gpu_bytes(**step, stage=stage) for stage in range(stages)]
    assert by_gpu == [engine.gpu_bytes(**step, stage=stage) for stage in range(stages)]
    assert same(sum(by_gpu), whole)
    if stages > 1:
        seconds = traffic.busiest_gpu_seconds(**step, bandwidth_bytes_per_s=50e9)
        assert same(seconds, engine.busiest_gpu_seconds(**step, bandwidth_bytes_per_s=50e9))
        assert same(seconds, max(by_gpu) / 50e9)


@given(stages=st.integers(1, 10), micro_batches=st.integers(1, 50))
@settings(deadline=None, max_examples=a_quarter_at_once(60))
def test_hops_are_those_of_a_step_that_is_played_with_and_without(stages: int, micro_batches: int) -> None:
    case: dict[str, Any] = {"stages": stages, "hop_seconds": 2e-3}
    assert same(traffic.gpipe_hop_seconds(**case), engine.gpipe_hop_seconds(**case))
    case["micro_batches"] = micro_batches
    assert same(traffic.one_f_one_b_hop_seconds(**case), engine.one_f_one_b_hop_seconds(**case))


@given(stages=st.integers(1, 8), micro_batch_ms=st.integers(10, 200), hop_ms=st.integers(0, 40))
@settings(deadline=None, max_examples=a_quarter_at_once(40))
def test_so_many_in_flight_hide_the_hops_and_one_less_does_not(stages: int, micro_batch_ms: int, hop_ms: int) -> None:
    case = {
        "stages": stages, "micro_batch_seconds": micro_batch_ms / 1000, "hop_seconds": min(hop_ms, micro_batch_ms) / 1000,
    }  # fmt: skip
    assert traffic.in_flight_that_hides_hops(**case) == engine.in_flight_that_hides_hops(**case)
    assert same(traffic.one_f_one_b_slowdown(**case), engine.one_f_one_b_slowdown(**case))


@given(
    stages=st.integers(3, 10), virtual_stages=st.integers(1, 4), micro_batches=st.integers(1, 64),
    layers=st.integers(24, 126), tp=st.sampled_from([1, 2, 8]),
)  # fmt: skip
@settings(deadline=None, max_examples=a_quarter_at_once(40))
def test_work_wait_and_sending_are_those_of_a_played_step(
    stages: int, virtual_stages: int, micro_batches: int, layers: int, tp: int
) -> None:
    case: dict[str, Any] = {
        "stages": stages, "virtual_stages": virtual_stages, "micro_batches": micro_batches, "layers": layers, "tp": tp,
        "layer_seconds": 3e-3, "tokens": 8192, "hidden": 8192, "bandwidth_bytes_per_s": 50e9,
    }  # fmt: skip
    assert same(traffic.waiting_step_seconds(**case), engine.waiting_step_seconds(**case))


@given(
    stages=st.integers(3, 10), stage_layers=st.integers(1, 12), micro_batches=st.integers(1, 64),
    layer_us=st.integers(100, 9000), message_us=st.integers(0, 9000),
)  # fmt: skip
@settings(deadline=None, max_examples=a_quarter_at_once(60))
def test_the_best_number_of_virtual_stages_is_the_quickest_of_all(
    stages: int, stage_layers: int, micro_batches: int, layer_us: int, message_us: int
) -> None:
    case: dict[str, Any] = {
        "stages": stages, "stage_layers": stage_layers, "micro_batches": micro_batches,
        "layer_seconds": layer_us / 1e6, "message_seconds": message_us / 1e6,
    }  # fmt: skip
    assert traffic.best_virtual_stages(**case) == engine.best_virtual_stages(**case)
