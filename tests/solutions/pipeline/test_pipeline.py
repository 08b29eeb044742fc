"""The pipeline's references against steps that are played, its limits, and numbers of the papers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.pipeline import pipeline as engine
from solutions.oracles.pipeline.schedules import gpipe, schedule
from solutions.pipeline import pipeline

shapes = st.tuples(st.integers(1, 12), st.integers(1, 40))


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(shapes)
def test_1f1b_played_has_the_bubble_of_the_formulas(shape: tuple[int, int]) -> None:
    case = {"stages": shape[0], "micro_batches": shape[1]}
    assert same(pipeline.bubble_overhead(**case), engine.bubble_overhead(**case))
    assert same(pipeline.bubble_idle_fraction(**case), engine.bubble_idle_fraction(**case))
    assert same(
        pipeline.step_seconds(**case, micro_batch_seconds=0.3), engine.step_seconds(**case, micro_batch_seconds=0.3)
    )


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(stages=st.integers(2, 16), rounds=st.integers(1, 4), virtual_stages=st.integers(2, 4))
def test_interleaving_played_has_the_bubble_of_the_formulas(stages: int, rounds: int, virtual_stages: int) -> None:
    case = {"stages": stages, "micro_batches": rounds * stages, "virtual_stages": virtual_stages}
    overhead, idle = pipeline.bubble_overhead(**case), pipeline.bubble_idle_fraction(**case)
    assert same(overhead, engine.bubble_overhead(**case))
    assert same(idle, engine.bubble_idle_fraction(**case))
    assert same(idle, overhead / (1 + overhead))
    assert idle < 1
    step = {**case, "micro_batch_seconds": 0.2}
    assert same(pipeline.step_seconds(**step), engine.step_seconds(**step))


def test_interleaving_of_a_broken_round_is_refused() -> None:
    with pytest.raises(ValueError, match="multiple of the stages"):
        engine.play(16, 4, 2)


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(shapes)
def test_gpipe_and_1f1b_end_at_the_same_time(shape: tuple[int, int]) -> None:
    stages, micro_batches = shape
    played = engine.play_orders(
        [gpipe(rank, stages, micro_batches) for rank in range(stages)], [{"F": 1, "B": 2}] * stages
    )
    assert played.ticks == engine.play(stages, micro_batches).ticks
    assert [played.peak_held(rank) for rank in range(stages)] == [micro_batches] * stages


def test_four_micro_batches_on_sixteen_stages() -> None:
    case = {"stages": 16, "micro_batches": 4}
    assert pipeline.bubble_overhead(**case) == 3.75
    assert pipeline.bubble_overhead(**case, virtual_stages=2) == 1.875
    assert pipeline.bubble_idle_fraction(**case) == pytest.approx(0.789, abs=5e-4)
    assert pipeline.bubble_idle_fraction(**case, virtual_stages=2) == pytest.approx(0.652, abs=5e-4)
    eight = {"stages": 8}
    assert pipeline.bubble_idle_fraction(**eight, micro_batches=8) == pytest.approx(7 / 15)
    assert pipeline.bubble_idle_fraction(**eight, micro_batches=64) == pytest.approx(7 / 71)


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(
    stages=st.integers(2, 16), per_cent=st.integers(2, 40), virtual_stages=st.sampled_from([1, 2, 4]),
    strict=st.booleans(), rounded=st.booleans(),
)  # fmt: skip
def test_the_smallest_number_of_micro_batches_reaches_the_target_and_one_less_does_not(
    stages: int, per_cent: int, virtual_stages: int, strict: bool, rounded: bool
) -> None:
    case: dict[str, Any] = {
        "stages": stages, "virtual_stages": virtual_stages, "strict": strict, "multiple": stages if rounded else 1,
    }  # fmt: skip
    target = Fraction(per_cent, 100)
    for measure in ("overhead", "idle fraction"):
        found = pipeline.smallest_micro_batches(**case, target=per_cent / 100, measure=measure)
        assert found == engine.smallest_micro_batches(**case, target=per_cent / 100, measure=measure)
        assert found % case["multiple"] == 0
        for micro_batches, expected in ((found, True), (found - case["multiple"], False)):
            if micro_batches < 1:
                continue
            whole = virtual_stages * micro_batches + (stages - 1 if measure == "idle fraction" else 0)
            bubble = Fraction(stages - 1, whole)
            assert (bubble < target if strict else bubble <= target) is expected


def test_five_per_cent_strictly_and_not() -> None:
    eight: dict[str, Any] = {"stages": 8, "target": 0.05, "measure": "overhead"}
    assert [pipeline.smallest_micro_batches(**eight, virtual_stages=v) for v in (1, 2, 4)] == [140, 70, 35]
    strict = {**eight, "strict": True}
    assert [pipeline.smallest_micro_batches(**strict, virtual_stages=v) for v in (1, 2, 4)] == [141, 71, 36]
    whole = {**strict, "multiple": 8}
    assert [pipeline.smallest_micro_batches(**whole, virtual_stages=v) for v in (1, 2, 4)] == [144, 72, 40]
    idle: dict[str, Any] = {**strict, "measure": "idle fraction"}
    assert [pipeline.smallest_micro_batches(**idle, virtual_stages=v) for v in (1, 2, 4)] == [134, 67, 34]


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(shape=shapes, place=st.integers(0, 11))
def test_what_a_stage_holds_is_what_it_holds_when_played(shape: tuple[int, int], place: int) -> None:
    stages, micro_batches = shape
    case = {"stages": stages, "stage": place % stages, "micro_batches": micro_batches}
    assert pipeline.in_flight(**case) == engine.in_flight(**case)
    assert pipeline.warm_up_forwards(**case) == engine.warm_up_forwards(**case)


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(stages=st.integers(2, 10), rounds=st.integers(1, 4), virtual_stages=st.integers(1, 4), place=st.integers(0, 9))
def test_interleaved_chunks_are_those_of_the_played_step(
    stages: int, rounds: int, virtual_stages: int, place: int
) -> None:
    case = {
        "stages": stages, "stage": place % stages, "micro_batches": rounds * stages, "virtual_stages": virtual_stages,
    }  # fmt: skip
    assert pipeline.interleaved_chunks_in_flight(**case) == engine.interleaved_chunks_in_flight(**case)
    shape = {"stages": stages, "virtual_stages": virtual_stages}
    assert same(pipeline.interleaving_memory_factor(**shape), engine.interleaving_memory_factor(**shape))


def test_the_first_of_four_stages_holds_four_and_warms_up_with_three() -> None:
    case = {"stages": 4, "micro_batches": 12}
    assert pipeline.in_flight_by_stage(**case) == engine.in_flight_by_stage(**case) == (4, 3, 2, 1)
    assert pipeline.warm_up_by_stage(**case) == (3, 2, 1, 0)


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(stages=st.integers(1, 12), fewer=st.integers(1, 32), factor=st.integers(1, 4), virtual_stages=st.integers(1, 3))
def test_more_replicas_speed_a_step_up_by_less_than_their_number(
    stages: int, fewer: int, factor: int, virtual_stages: int
) -> None:
    case = {
        "stages": stages, "micro_batches": fewer * factor, "factor": factor, "virtual_stages": virtual_stages,
    }  # fmt: skip
    speedup = pipeline.speedup_of_more_replicas(**case)
    assert same(speedup, engine.speedup_of_more_replicas(**case))
    assert 1 <= speedup <= factor


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(
    stages=st.integers(1, 12), micro_batches=st.integers(1, 20), stage_layers=st.integers(1, 16),
    kilobytes=st.integers(10, 900), gigabytes=st.integers(10, 150),
)  # fmt: skip
def test_one_token_more_would_not_fit(
    stages: int, micro_batches: int, stage_layers: int, kilobytes: int, gigabytes: int
) -> None:
    case: dict[str, Any] = {
        "stages": stages, "micro_batches": micro_batches, "stage_layers": stage_layers, "token_layer_bytes": kilobytes * 1e3,
        "room_bytes": gigabytes * 1e9,
    }  # fmt: skip
    assert pipeline.largest_micro_batch_tokens(**case) == engine.largest_micro_batch_tokens(**case)


def test_a_deadlock_is_noticed() -> None:
    orders = [[("B", 0, 0), ("F", 0, 0)], schedule(1, 2, 1, 1)]
    with pytest.raises(RuntimeError, match="deadlocks"):
        engine.play_orders(orders, [{"F": 1, "B": 2}] * 2)


@pytest.mark.parametrize(
    ("function", "case", "why"),
    [
        (pipeline.bubble_overhead, {"stages": 0, "micro_batches": 4}, "stages"),
        (pipeline.bubble_idle_fraction, {"stages": 4, "micro_batches": 0}, "micro_batches"),
        (pipeline.step_seconds, {"stages": 4, "micro_batches": 4, "micro_batch_seconds": 0}, "micro_batch_seconds"),
        (pipeline.smallest_micro_batches, {"stages": 4, "target": 0, "measure": "overhead"}, "target"),
        (pipeline.smallest_micro_batches, {"stages": 4, "target": 5, "measure": "idle fraction"}, "target"),
        (pipeline.smallest_micro_batches, {"stages": 4, "target": 0.1, "measure": "share"}, "measure"),
        (pipeline.in_flight, {"stages": 4, "stage": 4, "micro_batches": 4}, "from 0 to 3"),
        (pipeline.speedup_of_more_replicas, {"stages": 4, "micro_batches": 9, "factor": 2}, "evenly"),
        (pipeline.warm_up_forwards, {"stages": 4, "stage": -1, "micro_batches": 4}, "stage"),
        (pipeline.in_flight, {"stages": 4, "stage": 0.5, "micro_batches": 4}, "stage"),
        (
            pipeline.interleaved_chunks_in_flight,
            {"stages": 4, "stage": 0, "micro_batches": 6, "virtual_stages": 2},
            "no multiple",
        ),
    ],
)
def test_an_impossible_argument_is_refused(function: Any, case: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        function(**case)
