"""What each axis sends: against a walk through the step, and against what is known of the 405B run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.capstone.capstone import gradient_sync_seconds
from solutions.communication import axis_traffic
from solutions.oracles.communication import axis_traffic as walked

powers = st.sampled_from([1, 2, 4, 8])
few = st.integers(1, 9)
SLICE: dict[str, Any] = {"stage_layers": 8, "hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8, "tp": 8}
TP: dict[str, Any] = {
    "micro_batches": 16,
    "sequence_length": 8192,
    "cp": 1,
    "tp": 8,
    "stage_layers": 8,
    "hidden": 16384,
}
CP: dict[str, Any] = {
    "micro_batches": 16, "sequence_length": 131072, "cp": 16, "tp": 8, "stage_layers": 8, "kv_heads": 8, "head_width": 128,
}  # fmt: skip
PP: dict[str, Any] = {"micro_batches": 16, "sequence_length": 8192, "cp": 1, "tp": 8, "hidden": 16384}
DP: dict[str, Any] = {**SLICE, "cp": 1, "dp": 128}
GOOD = {"tp_step_bytes": TP, "cp_step_bytes": CP, "pp_step_bytes": PP, "dp_step_bytes": DP}


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(
    m=few, cp=powers, tp=powers, layers=few, hidden=st.sampled_from([1024, 4096]), length=st.sampled_from([512, 8192])
)
def test_what_an_axis_sends_is_what_a_walk_through_the_step_sends(
    m: int, cp: int, tp: int, layers: int, hidden: int, length: int
) -> None:
    cases: dict[str, dict[str, Any]] = {
        "tp_step_bytes": {"micro_batches": m, "sequence_length": length, "cp": cp, "tp": tp, "stage_layers": layers, "hidden": hidden},
        "cp_step_bytes": {"micro_batches": m, "sequence_length": length, "cp": cp, "tp": tp, "stage_layers": layers, "kv_heads": 8, "head_width": 128},
        "pp_step_bytes": {"micro_batches": m, "sequence_length": length, "cp": cp, "tp": tp, "hidden": hidden},
        "dp_step_bytes": {"stage_layers": layers, "hidden": hidden, "ffn_hidden": 3 * hidden, "heads": 32, "kv_heads": 8, "tp": tp, "cp": cp, "dp": m},
    }  # fmt: skip
    for name, case in cases.items():
        assert getattr(axis_traffic, name)(**case) == pytest.approx(getattr(walked, name)(**case), rel=1e-9), name


def test_one_rank_on_an_axis_sends_nothing() -> None:
    assert axis_traffic.tp_step_bytes(**{**TP, "tp": 1}) == 0
    assert axis_traffic.cp_step_bytes(**{**CP, "cp": 1}) == 0
    assert axis_traffic.dp_step_bytes(**{**DP, "dp": 1}) == 0


def test_the_gradients_of_405b_are_those_of_the_sync_estimate() -> None:
    sent = axis_traffic.dp_step_bytes(**DP)
    assert sent / 50e9 == pytest.approx(gradient_sync_seconds(**SLICE, dp=128, bandwidth_bytes_per_s=50e9), rel=1e-12)
    assert axis_traffic.dp_step_bytes(**{**DP, "cp": 16, "dp": 8}) == sent  # context-parallel ranks share the weights


def test_in_the_405b_run_tp_sends_most_and_pp_least() -> None:
    order = [axis_traffic.tp_step_bytes(**TP), axis_traffic.dp_step_bytes(**DP), axis_traffic.pp_step_bytes(**PP)]
    assert order == sorted(order, reverse=True)
    assert order[0] > 10 * order[1] > 100 * order[2]


@pytest.mark.parametrize(("name", "argument"), [(name, argument) for name, case in GOOD.items() for argument in case])
def test_a_count_below_one_is_refused_by_name(name: str, argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        getattr(axis_traffic, name)(**{**GOOD[name], argument: 0})


def test_what_does_not_divide_is_refused() -> None:
    for name, case in (("tp_step_bytes", TP), ("pp_step_bytes", PP)):
        with pytest.raises(ValueError, match="3 context-parallel ranks must divide a sequence of 8192 tokens"):
            getattr(axis_traffic, name)(**{**case, "cp": 3})
    with pytest.raises(ValueError, match="3 GPUs must divide a sequence"):
        axis_traffic.cp_step_bytes(**{**CP, "cp": 3})
    with pytest.raises(ValueError, match="tensor parallelism of 16 does not divide 8 KV heads"):
        axis_traffic.cp_step_bytes(**{**CP, "tp": 16})
