"""What each axis sends: against a walk through the step, and against what is known of the 405B run."""

from __future__ import annotations

from typing import Any

import pytest

from solutions.capstone.capstone import gradient_sync_seconds
from solutions.communication import axis_traffic

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
DP: dict[str, Any] = {**SLICE, "cp": 1, "dp": 128}


def test_one_rank_on_an_axis_sends_nothing() -> None:
    assert axis_traffic.tp_step_bytes(**{**TP, "tp": 1}) == 0
    assert axis_traffic.cp_step_bytes(**{**CP, "cp": 1}) == 0
    assert axis_traffic.dp_step_bytes(**{**DP, "dp": 1}) == 0


def test_the_gradients_of_405b_are_those_of_the_sync_estimate() -> None:
    sent = axis_traffic.dp_step_bytes(**DP)
    assert sent / 50e9 == pytest.approx(gradient_sync_seconds(**SLICE, dp=128, bandwidth_bytes_per_s=50e9), rel=1e-12)
    assert axis_traffic.dp_step_bytes(**{**DP, "cp": 16, "dp": 8}) == sent  # context-parallel ranks share the weights
