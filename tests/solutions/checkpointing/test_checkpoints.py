"""Checkpoints: what they hold, how long they take, and how many are kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.checkpointing import checkpoints
from solutions.oracles.checkpointing import checkpoints as played
from solutions.shapes import models
from solutions.zero import adam

rates = st.floats(1e8, 1e13)


@given(parameters=st.floats(1e6, 1e13), weight=st.sampled_from([0, 2, 4]), moment=st.sampled_from([1, 2, 4]))
def test_a_file_is_filled_tensor_by_tensor(parameters: float, weight: float, moment: float) -> None:
    case = {"parameters": parameters, "bytes_per_weight": weight, "bytes_per_moment": moment}
    assert checkpoints.checkpoint_bytes(**case) == pytest.approx(played.checkpoint_bytes(**case), rel=1e-12)


def test_a_checkpoint_lacks_the_gradients_of_the_sixteen_bytes() -> None:
    whole = adam.replica_state_bytes(parameters=70e9)
    assert whole - checkpoints.checkpoint_bytes(parameters=70e9) == 2 * 70e9


def test_mlperf_storage_prints_the_sizes_of_fourteen_bytes_in_gib() -> None:
    for model, printed in (("Llama-3-8B", 105), ("Llama-3-405B", 5290)):
        size = checkpoints.checkpoint_bytes(parameters=models.parameters(model=model))
        assert size / 2**30 == pytest.approx(printed, rel=0.005)


def test_without_weights_and_master_nothing_can_go_on() -> None:
    with pytest.raises(ValueError, match="needs the weights or a master copy"):
        checkpoints.checkpoint_bytes(parameters=7e9, bytes_per_weight=0, bytes_per_master=0)
    with pytest.raises(ValueError, match="bytes_per_weight must be at least 0"):
        checkpoints.checkpoint_bytes(parameters=7e9, bytes_per_weight=-2)


@given(size=st.floats(1e6, 1e14), nodes=st.integers(1, 3000), node=rates, store=rates)
def test_nodes_add_up_until_the_store_is_full(size: float, nodes: int, node: float, store: float) -> None:
    case: dict[str, Any] = {"nodes": nodes, "node_bytes_per_s": node, "store_bytes_per_s": store}
    ours = checkpoints.write_seconds(checkpoint_bytes=size, **case)
    assert ours == pytest.approx(played.write_seconds(checkpoint_bytes=size, **case), rel=1e-9)
    assert checkpoints.write_bytes_per_s(**case) == pytest.approx(played.write_bytes_per_s(**case), rel=1e-9)
    twice = checkpoints.write_seconds(checkpoint_bytes=size, **(case | {"nodes": 2 * nodes}))
    assert ours / 2 * (1 - 1e-12) <= twice <= ours
    assert ours >= size / store * (1 - 1e-12)


@given(
    size=st.integers(10**9, 10**13), gpus=st.integers(1, 4096), copy=st.integers(10**9, 6 * 10**10),
    store=st.integers(10**9, 10**12), step=st.integers(1, 60), overhead=st.sampled_from([0.001, 0.0025, 0.01, 0.05]),
)  # fmt: skip
def test_background_saves_wait_for_the_drain_and_stall_little(
    size: int, gpus: int, copy: int, store: int, step: int, overhead: float
) -> None:
    case: dict[str, Any] = {
        "checkpoint_bytes": size, "gpus": gpus, "copy_bytes_per_s": copy, "store_bytes_per_s": store, "step_s": step,
        "largest_overhead": overhead,
    }  # fmt: skip
    ours = checkpoints.steps_between_background_saves(**case)
    assert abs(ours - played.steps_between_background_saves(**case)) <= (1 if ours > 1 else 0)  # a float at an edge
    assert ours * step >= size / store * (1 - 1e-9)
    assert size / gpus / copy <= overhead * ours * step * (1 + 1e-9)
    fewer = ours - 1
    assert (
        fewer * step <= size / store * (1 + 1e-9)
        or size / gpus / copy >= overhead * fewer * step * (1 - 1e-9)
        or not fewer
    )


def test_drain_and_stall_each_decide_where_they_are_longer() -> None:
    case: dict[str, Any] = {
        "checkpoint_bytes": 96e9, "gpus": 64, "copy_bytes_per_s": 1e10, "step_s": 6.0, "largest_overhead": 0.01,
    }  # fmt: skip
    assert checkpoints.steps_between_background_saves(store_bytes_per_s=2e9, **case) == 8  # 48 s of draining
    assert checkpoints.steps_between_background_saves(store_bytes_per_s=1e12, **case) == 3  # 0.15 s in 15 s
    with pytest.raises(ValueError, match="largest_overhead"):
        checkpoints.steps_between_background_saves(store_bytes_per_s=1e12, **(case | {"largest_overhead": 2}))


@given(saves=st.integers(1, 3000), last=st.integers(1, 200), every=st.integers(0, 50))
def test_saves_leave_the_window_one_by_one(saves: int, last: int, every: int) -> None:
    case = {"saves": saves, "keep_last": last, "keep_every": every}
    kept = checkpoints.kept_checkpoints(**case)
    assert kept == played.kept_checkpoints(**case)
    assert min(saves, last) <= kept <= saves
    bill: dict[str, Any] = {"checkpoint_bytes": 112e9, "dollars_per_gb_month": 0.023, **case}
    ours = checkpoints.storage_dollars_per_month(**bill)
    assert ours == pytest.approx(played.storage_dollars_per_month(**bill), rel=1e-9)
    assert ours == pytest.approx(kept * 112 * 0.023)
    space = checkpoints.stored_bytes(checkpoint_bytes=112e9, **case)
    assert space == pytest.approx(played.stored_bytes(checkpoint_bytes=112e9, **case), rel=1e-12)


def test_forty_days_without_deletion_are_941_terabytes_and_not_50() -> None:
    size = checkpoints.checkpoint_bytes(parameters=70e9)
    assert checkpoints.stored_bytes(checkpoint_bytes=size, saves=960, keep_last=960) == pytest.approx(940.8e12)
    assert checkpoints.kept_checkpoints(saves=960, keep_last=51) * size == pytest.approx(50e12, rel=0.001)


@pytest.mark.parametrize("change", [{"saves": 0}, {"keep_last": 0}, {"keep_every": -1}, {"keep_every": 1.5}])
def test_retention_is_counted_in_whole_checkpoints(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be a whole number of at least"):
        checkpoints.kept_checkpoints(**({"saves": 10, "keep_last": 3, "keep_every": 2} | change))
