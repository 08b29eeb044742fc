"""Gradients between micro-batches: references against counted shards, played collectives and averaged tokens."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.accumulation import gradient_buffers
from solutions.oracles.accumulation import gradient_buffers as engine
from solutions.zero import zero

billions = st.integers(1, 70).map(lambda number: number * 1e9)
gpus = st.integers(1, 128)
widths = st.sampled_from([2, 4])


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-6)


@given(parameters=billions, gpus=gpus)
def test_states_with_an_fp32_sum_are_the_tensors_of_one_gpu(parameters: float, gpus: int) -> None:
    case = {"parameters": parameters, "gpus": gpus}
    assert same(gradient_buffers.buffered_state_bytes(**case), engine.held_state_bytes(**case))


@given(parameters=billions, gpus=gpus)
def test_an_fp32_sum_costs_two_bytes_a_parameter_more_than_bf16_gradients(parameters: float, gpus: int) -> None:
    buffered = gradient_buffers.buffered_state_bytes(parameters=parameters, gpus=gpus)
    assert same(buffered - zero.state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=1), 2 * parameters)


@given(parameters=billions, gpus=gpus, steps=st.integers(1, 64), width=widths)
def test_what_deferring_saves_and_holds_is_what_the_tables_say(
    parameters: float, gpus: int, steps: int, width: int
) -> None:
    case: dict[str, Any] = {"parameters": parameters, "gpus": gpus, "bytes_per_gradient": width}
    saved = gradient_buffers.deferred_traffic_bytes(accumulation_steps=steps, **case)
    assert same(saved, engine.counted_deferred_traffic(accumulation_steps=steps, **case))
    held = gradient_buffers.deferred_memory_bytes(**case)
    assert same(held, engine.counted_deferred_memory(**case))
    assert same(saved, (steps - 1) * held)  # each reduce-scatter that is left out would have sent what is held instead


@given(parameters=billions, gpus=st.integers(2, 128), width=widths, part=st.floats(0.1, 3.0))
def test_deferring_fits_exactly_where_the_other_shards_fit(
    parameters: float, gpus: int, width: int, part: float
) -> None:
    case: dict[str, Any] = {"parameters": parameters, "gpus": gpus, "bytes_per_gradient": width}
    free = part * gradient_buffers.deferred_memory_bytes(**case)
    if not math.isclose(part, 1.0, rel_tol=1e-6):
        verdict = gradient_buffers.deferral(free_bytes=free, **case)
        assert verdict == ("fits" if part > 1 else "too large") == engine.allocated_deferral(free_bytes=free, **case)


def test_what_is_as_large_as_the_free_memory_fits() -> None:
    case: dict[str, Any] = {"parameters": 2**30, "gpus": 8, "bytes_per_gradient": 4}
    free = gradient_buffers.deferred_memory_bytes(**case)
    assert gradient_buffers.deferral(free_bytes=free, **case) == "fits"
    assert engine.allocated_deferral(free_bytes=free, **case) == "fits"


@given(mine=st.integers(1, 4000), others=st.lists(st.integers(1, 4000), max_size=8))
def test_a_mean_of_means_pulls_as_the_averages_say(mine: int, others: list[int]) -> None:
    case = {"micro_batch_tokens": mine, "batch_tokens": mine + sum(others), "accumulation_steps": 1 + len(others)}
    assert same(gradient_buffers.token_pull(**case), engine.moved_by_one_token(**case))


@given(counts=st.lists(st.integers(1, 4000), min_size=1, max_size=8))
def test_pulls_average_to_one_over_the_tokens(counts: list[int]) -> None:
    case: dict[str, Any] = {"batch_tokens": sum(counts), "accumulation_steps": len(counts)}
    pulls = [gradient_buffers.token_pull(micro_batch_tokens=count, **case) for count in counts]
    assert same(sum(map(math.prod, zip(pulls, counts, strict=True))), sum(counts))


BAD: list[tuple[Any, dict[str, Any]]] = [
    (gradient_buffers.buffered_state_bytes, {"parameters": 0, "gpus": 8}),
    (gradient_buffers.deferred_traffic_bytes, {"parameters": 1e9, "gpus": 8, "accumulation_steps": 0,
                                               "bytes_per_gradient": 4}),
    (gradient_buffers.deferred_memory_bytes, {"parameters": 1e9, "gpus": 0, "bytes_per_gradient": 4}),
    (gradient_buffers.deferral, {"parameters": 1e9, "gpus": 8, "bytes_per_gradient": 4, "free_bytes": -1}),
    (gradient_buffers.token_pull, {"micro_batch_tokens": 9, "batch_tokens": 8, "accumulation_steps": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("function", "arguments"), BAD)
def test_impossible_arguments_are_refused(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        function(**arguments)
