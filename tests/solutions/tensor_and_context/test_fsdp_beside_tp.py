"""FSDP next to tensor parallelism: both roads agree, and the best split lies where the two kinds of traffic balance."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.tensor_and_context import fsdp_beside_tp as played
from solutions.tensor_and_context import fsdp_beside_tp as split

RUNS = {
    "tokens": st.integers(0, 6).map(lambda power: 65536 << power),
    "hidden": st.sampled_from([4096, 5120, 8192, 16384]),
    "layer_parameters": st.floats(1e8, 4e9),
}


@given(st.fixed_dictionaries(RUNS), st.sampled_from([1, 2, 8, 32, 64]))
def test_the_best_degree_is_within_a_root_of_two_of_the_balance(run: dict[str, Any], gpus: int) -> None:
    best = split.lightest_fsdp_degree(**run, gpus=gpus)
    assert best == played.lightest_fsdp_degree(**run, gpus=gpus)
    balance = math.sqrt(4 * run["tokens"] * run["hidden"] * gpus / run["layer_parameters"])
    assert best == gpus or balance <= best * math.sqrt(2) * 1.0001
    assert best == 1 or balance >= best / math.sqrt(2) / 1.0001
