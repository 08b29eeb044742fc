"""Gradients between micro-batches: references against counted shards, played collectives and averaged tokens."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from solutions.accumulation import gradient_buffers
from solutions.oracles.accumulation import gradient_buffers as engine

gpus = st.integers(1, 128)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-6)


def test_what_is_as_large_as_the_free_memory_fits() -> None:
    case: dict[str, Any] = {"parameters": 2**30, "gpus": 8, "bytes_per_gradient": 4}
    free = gradient_buffers.deferred_memory_bytes(**case)
    assert gradient_buffers.deferral(free_bytes=free, **case) == "fits"
    assert engine.allocated_deferral(free_bytes=free, **case) == "fits"


@given(counts=st.lists(st.integers(1, 4000), min_size=1, max_size=8))
def test_pulls_average_to_one_over_the_tokens(counts: list[int]) -> None:
    case: dict[str, Any] = {"batch_tokens": sum(counts), "accumulation_steps": len(counts)}
    pulls = [gradient_buffers.token_pull(micro_batch_tokens=count, **case) for count in counts]
    assert same(sum(map(math.prod, zip(pulls, counts, strict=True))), sum(counts))
