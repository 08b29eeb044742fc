"""Bucket hooks, FSDP steps, traces and hybrid sharding against their oracles."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.communication import buckets, hybrid, trace
from solutions.oracles.communication import buckets as buckets_engine
from solutions.oracles.communication import hybrid as hybrid_engine
from solutions.oracles.communication import trace as trace_engine

kernels = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)), min_size=1, max_size=6)


@given(
    layers=st.integers(1, 60), layer=st.integers(1, 500), embedding=st.integers(0, 2000), cap=st.integers(1, 6000),
    layer_s=st.floats(0.5, 30), rate=st.floats(10, 400), launch=st.floats(0, 2),
)  # fmt: skip
def test_a_hook_leaves_what_a_list_of_buckets_leaves(
    layers: int, layer: int, embedding: int, cap: int, layer_s: float, rate: float, launch: float
) -> None:
    case: dict[str, Any] = {
        "layers": layers, "layer_bytes": layer, "embedding_bytes": embedding, "cap_bytes": cap, "layer_s": layer_s,
        "bytes_per_s": rate, "launch_s": launch,
    }  # fmt: skip
    tail = buckets.bucket_hook_tail(**case)
    assert math.isclose(tail, buckets_engine.bucket_hook_tail(**case), rel_tol=1e-9, abs_tol=1e-6)
    assert tail >= (layer + embedding) / rate - 1e-9  # what comes last cannot leave earlier


@given(
    units=st.integers(1, 90), micro_batches=st.integers(1, 20), reshard=st.booleans(), each=st.booleans(),
    replicas=st.integers(1, 8),
)  # fmt: skip
def test_collectives_are_those_of_a_played_step(
    units: int, micro_batches: int, reshard: bool, each: bool, replicas: int
) -> None:
    case: dict[str, Any] = {
        "units": units, "micro_batches": micro_batches, "reshard": reshard, "reduce_each": each, "replicas": replicas,
    }  # fmt: skip
    assert buckets.fsdp_collectives(**case) == buckets_engine.fsdp_collectives(**case)


@given(compute=kernels, communication=kernels)
def test_exposed_time_is_what_a_scan_finds(compute: Any, communication: Any) -> None:
    case = {"compute": compute, "communication": communication}
    assert trace.exposed_communication(**case) == trace_engine.exposed_communication(**case)
    assert trace.merged_spans(compute) == trace_engine.merged_spans(compute)


@pytest.mark.parametrize("kernel", [(-1, 2), (0, 0)])
def test_a_kernel_without_a_place_in_time_is_refused(kernel: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="a kernel starts at 0 or later"):
        trace.exposed_communication(compute=[(0, 1)], communication=[kernel])


@given(
    shard=st.integers(1, 64), replicate=st.integers(1, 64), layers=st.integers(1, 100), parameters=st.floats(1e6, 1e12),
    step=st.floats(0, 1e-4),
)  # fmt: skip
def test_a_shard_group_costs_what_its_rings_take(
    shard: int, replicate: int, layers: int, parameters: float, step: float
) -> None:
    case: dict[str, Any] = {
        "shard": shard, "replicate": replicate, "layers": layers, "parameters": parameters, "bus_bytes_per_s": 340e9,
        "port_bytes_per_s": 50e9, "step_s": step,
    }  # fmt: skip
    found, expected = hybrid.hybrid_cost(**case), hybrid_engine.hybrid_cost(**case)
    for name, value in dict[str, Any](found).items():
        assert math.isclose(value, expected[name], rel_tol=1e-9, abs_tol=1e-15), name
