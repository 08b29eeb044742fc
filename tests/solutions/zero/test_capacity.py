"""What fits on a GPU: references against a memory that is filled from ZeRO's table, their limits, and real models."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.oracles.zero import capacity as engine
from solutions.oracles.zero import zero as table
from solutions.zero import capacity, zero

B = 10**9
GB = 1e9
STAGES = (0, 1, 2, 3)

gpu_counts = st.integers(1, 600)
stages = st.sampled_from(STAGES)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(
    billions=st.integers(1, 500),
    gpus=gpu_counts,
    stage=stages,
    activations=st.integers(0, 60),
    device=st.integers(16, 200),
    reserve=st.integers(0, 15),
)
def test_room_is_what_a_table_leaves_and_the_smallest_stage_has_enough_of_it(
    billions: int, gpus: int, stage: int, activations: int, device: int, reserve: int
) -> None:
    case: dict[str, Any] = {"parameters": billions * B, "gpus": gpus}
    memory = {"device_bytes": device * GB, "reserved_bytes": reserve * GB}
    needed = zero.needed_bytes_per_gpu(**case, stage=stage, activation_bytes=activations * GB)
    assert same(needed, table.needed_bytes_per_gpu(**case, stage=stage, activation_bytes=activations * GB))
    try:
        room = table.room_bytes_per_gpu(**case, stage=stage, **memory)
    except ValueError:
        with pytest.raises(ValueError, match="do not fit"):
            zero.room_bytes_per_gpu(**case, stage=stage, **memory)
    else:
        assert same(zero.room_bytes_per_gpu(**case, stage=stage, **memory), room)
    assume(all(abs(_needed(case, s, activations) + (reserve - device) * GB) > 1 for s in STAGES))
    fits = capacity.smallest_stage(**case, activation_bytes=activations * GB, **memory)
    assert fits == engine.smallest_stage(**case, activation_bytes=activations * GB, **memory)


def _needed(case: dict[str, Any], stage: int, activations: int) -> float:
    return float(zero.needed_bytes_per_gpu(**case, stage=stage, activation_bytes=activations * GB))


@given(
    billions=st.integers(1, 700),
    stage=st.sampled_from([1, 2, 3]),
    activations=st.integers(0, 40),
    device=st.integers(16, 200),
    reserve=st.integers(0, 10),
)
def test_the_gpus_needed_fit_and_one_fewer_do_not(
    billions: int, stage: int, activations: int, device: int, reserve: int
) -> None:
    memory = {"device_bytes": device * GB, "activation_bytes": activations * GB, "reserved_bytes": reserve * GB}
    try:
        gpus = capacity.gpus_needed(parameters=billions * B, stage=stage, **memory)
    except ValueError:
        with pytest.raises(ValueError, match="no number of GPUs"):
            engine.gpus_needed(parameters=billions * B, stage=stage, **memory)
        return
    assert gpus == engine.gpus_needed(parameters=billions * B, stage=stage, **memory)
    free = (device - reserve - activations) * GB

    def states(count: int) -> float:
        return float(zero.state_bytes_per_gpu(parameters=billions * B, gpus=count, stage=stage))

    assert states(gpus) <= free * (1 + 1e-12)
    assert gpus == 1 or states(gpus - 1) > free * (1 - 1e-12)


@given(
    gpus=gpu_counts,
    stage=stages,
    activations=st.integers(0, 40),
    device=st.integers(60, 200),
    reserve=st.integers(0, 10),
)
def test_the_largest_model_fits_and_a_larger_one_does_not(
    gpus: int, stage: int, activations: int, device: int, reserve: int
) -> None:
    memory = {"device_bytes": device * GB, "activation_bytes": activations * GB, "reserved_bytes": reserve * GB}
    largest = capacity.largest_model(gpus=gpus, stage=stage, **memory)
    assert abs(largest - engine.largest_model(gpus=gpus, stage=stage, **memory)) < 2
    needed = zero.needed_bytes_per_gpu(
        parameters=largest, gpus=gpus, stage=stage, activation_bytes=memory["activation_bytes"]
    )
    assert same(needed + reserve * GB, device * GB)


@pytest.mark.parametrize("stage", STAGES)
def test_states_as_large_as_the_room_fit(stage: int) -> None:
    room = zero.state_bytes_per_gpu(parameters=2**30, gpus=8, stage=stage)
    case: dict[str, Any] = {"parameters": 2**30, "gpus": 8, "room_bytes": room}
    assert capacity.least_stage(**case) == engine.least_stage(**case) == stage


def test_the_last_byte_is_room_too() -> None:
    case: dict[str, Any] = {"gpus": 16, "stage": 3, "device_bytes": 16, "activation_bytes": 15}
    assert capacity.largest_model(**case) == engine.largest_model(**case) == 1
