"""Checkpoints: what they hold, how long they take, and how many are kept."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.checkpointing import checkpoints
from solutions.oracles.checkpointing import checkpoints as played
from solutions.shapes import models


def test_mlperf_storage_prints_the_sizes_of_fourteen_bytes_in_gib() -> None:
    for model, printed in (("Llama-3-8B", 105), ("Llama-3-405B", 5290)):
        size = checkpoints.checkpoint_bytes(parameters=models.parameters(model=model))
        assert size / 2**30 == pytest.approx(printed, rel=0.005)


def test_without_weights_and_master_nothing_can_go_on() -> None:
    with pytest.raises(ValueError, match="needs the weights or a master copy"):
        checkpoints.checkpoint_bytes(parameters=7e9, bytes_per_weight=0, bytes_per_master=0)
    with pytest.raises(ValueError, match="bytes_per_weight must be at least 0"):
        checkpoints.checkpoint_bytes(parameters=7e9, bytes_per_weight=-2)


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


def test_a_checkpoint_may_lack_one_copy_of_the_weights_but_no_moments() -> None:
    whole = {"parameters": 7e9, "bytes_per_weight": 2, "bytes_per_master": 4, "bytes_per_moment": 4}
    for copy in ("bytes_per_weight", "bytes_per_master"):
        assert checkpoints.checkpoint_bytes(**whole | {copy: 0}) == 7e9 * (14 - whole[copy])
    for needed in ("parameters", "bytes_per_moment"):
        with pytest.raises(ValueError, match=f"^{needed} must"):
            checkpoints.checkpoint_bytes(**whole | {needed: 0})
