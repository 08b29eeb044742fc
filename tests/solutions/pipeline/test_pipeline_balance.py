"""Unequal stages against steps that are played and layers that are dealt one by one."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.pipeline import pipeline_balance as engine
from solutions.oracles.pipeline.pipeline import play_orders
from solutions.oracles.pipeline.schedules import schedule
from solutions.pipeline import pipeline_balance as balance
from solutions.shapes import models


@pytest.mark.parametrize(("model", "layers"), [("Llama-3-8B", 2.41), ("Llama-3-70B", 1.23), ("Llama-3-405B", 0.66)])
def test_the_head_in_layers(model: str, layers: float) -> None:
    shape = {
        name: getattr(models, name)(model=model) for name in ("hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")
    }
    assert balance.head_in_layers(**shape) == pytest.approx(layers, abs=5e-3)
    assert math.isclose(balance.head_in_layers(**shape), engine.head_in_layers(**shape), rel_tol=1e-12)


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.integers(1, 30))
def test_the_slowest_stage_paces_a_step_that_is_played(tenths: list[int], micro_batches: int) -> None:
    case: dict[str, Any] = {"stage_seconds": tuple(ticks / 10 for ticks in tenths), "micro_batches": micro_batches}
    assert math.isclose(balance.unequal_step_seconds(**case), engine.unequal_step_seconds(**case), rel_tol=1e-9)


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(st.integers(2, 8), st.integers(1, 30), st.integers(1, 9), st.integers(0, 20))
def test_1f1b_is_paced_alike_when_the_last_stage_is_the_slowest(
    stages: int, micro_batches: int, ticks: int, more: int
) -> None:
    each = [ticks] * (stages - 1) + [ticks + more]
    orders = [schedule(rank, stages, micro_batches, 1) for rank in range(stages)]
    played = play_orders(orders, [{"F": one, "B": 2 * one} for one in each])
    assert played.ticks == balance.unequal_step_seconds(
        stage_seconds=tuple(3 * one for one in each), micro_batches=micro_batches
    )


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(layers=st.integers(8, 130), stages=st.integers(2, 16), hundredths=st.integers(0, 400))
def test_no_other_number_of_layers_on_the_last_stage_is_quicker(layers: int, stages: int, hundredths: int) -> None:
    head = hundredths / 100
    if layers < stages:
        return
    best = balance.best_last_stage(layers=layers, stages=stages, head_layers=head)
    assert best == engine.best_last_stage(layers=layers, stages=stages, head_layers=head)
    paces = {}
    for x in range(layers - stages + 2):
        case = {"layers": layers, "stages": stages, "last_stage_layers": x, "head_layers": head}
        paces[x] = balance.slowest_stage_layers(**case)
        if x + head > 0:
            assert math.isclose(paces[x], engine.slowest_stage_layers(**case), rel_tol=1e-9)
    assert paces[best] == min(paces.values())


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(each=st.integers(1, 20), stages=st.integers(2, 16), hundredths=st.integers(0, 500))
def test_the_best_split_is_never_slower_than_the_even_one(each: int, stages: int, hundredths: int) -> None:
    case = {"layers": each * stages, "stages": stages, "head_layers": hundredths / 100}
    gain = balance.gain_of_the_best_split(**case)
    assert math.isclose(gain, engine.gain_of_the_best_split(**case), rel_tol=1e-9, abs_tol=1e-12)
    assert gain >= 0


@pytest.mark.parametrize(
    ("function", "case", "why"),
    [
        (balance.unequal_step_seconds, {"stage_seconds": (), "micro_batches": 4}, "stages"),
        (balance.unequal_step_seconds, {"stage_seconds": (1.0, 0.0), "micro_batches": 4}, "stage_seconds"),
        (
            balance.slowest_stage_layers,
            {"layers": 8, "stages": 4, "last_stage_layers": 6, "head_layers": 1},
            "leave one",
        ),
        (balance.gain_of_the_best_split, {"layers": 9, "stages": 4, "head_layers": 1}, "evenly"),
        (balance.best_last_stage, {"layers": 8, "stages": 1, "head_layers": 1}, "one stage"),
        (balance.best_last_stage, {"layers": 8, "stages": 4, "head_layers": -1}, "head_layers"),
    ],
)
def test_an_impossible_argument_is_refused(function: Any, case: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        function(**case)
