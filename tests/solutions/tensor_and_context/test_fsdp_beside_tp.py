"""FSDP beside tensor parallelism: both roads agree, and the best split lies where the two kinds of traffic balance."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.tensor_and_context import fsdp_beside_tp as played
from solutions.tensor_and_context import fsdp_beside_tp as split

RUNS = {
    "tokens": st.integers(0, 6).map(lambda power: 65536 << power),
    "hidden": st.sampled_from([4096, 5120, 8192, 16384]),
    "layer_parameters": st.floats(1e8, 4e9),
}


@given(st.fixed_dictionaries(RUNS), st.sampled_from([1, 2, 4, 8, 16]), st.sampled_from([1, 2, 4, 8]))
def test_what_is_sent_is_what_was_played(run: dict[str, Any], fsdp: int, tp: int) -> None:
    sent = split.layer_bytes_sent(**run, fsdp=fsdp, tp=tp)
    assert math.isclose(sent, played.layer_bytes_sent(**run, fsdp=fsdp, tp=tp), rel_tol=1e-9, abs_tol=1e-6)


@given(st.fixed_dictionaries(RUNS), st.sampled_from([1, 2, 8, 32, 64]))
def test_the_best_degree_is_within_a_root_of_two_of_the_balance(run: dict[str, Any], gpus: int) -> None:
    best = split.lightest_fsdp_degree(**run, gpus=gpus)
    assert best == played.lightest_fsdp_degree(**run, gpus=gpus)
    balance = math.sqrt(4 * run["tokens"] * run["hidden"] * gpus / run["layer_parameters"])
    assert best == gpus or balance <= best * math.sqrt(2) * 1.0001
    assert best == 1 or balance >= best / math.sqrt(2) / 1.0001


@pytest.mark.parametrize(
    "wrong", [{"gpus": 24}, {"gpus": 0}, {"gpus": 8, "tokens": 12}, {"gpus": 8, "layer_parameters": 0}]
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    run: dict[str, Any] = {"tokens": 65536, "hidden": 8192, "layer_parameters": 855_638_016}
    with pytest.raises(ValueError, match="must"):
        split.lightest_fsdp_degree(**{**run, **wrong})


def test_the_oracle_refuses_uneven_shares() -> None:
    with pytest.raises(ValueError, match="no even shares"):
        played.layer_bytes_sent(tokens=10, hidden=8, layer_parameters=1, fsdp=4, tp=2)
