"""Arguments of the references on checkpoints, failures and restarts: each that is out of range is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from solutions.checkpointing import checkpoint_interval, checkpoints, failures, restart_costs, silent_errors, spares

WRITE: dict[str, Any] = {"checkpoint_bytes": 1e12, "nodes": 8, "node_bytes_per_s": 1e9, "store_bytes_per_s": 1e10}
CYCLE: dict[str, Any] = {"interval_s": 3600.0, "write_s": 60.0, "restart_s": 600.0, "mtbf_s": 86400.0}
BILL: dict[str, Any] = {
    "gpus": 8, "span_s": 1e6, "mtbf_s": 1e5, "interval_s": 3600.0, "write_s": 60.0, "detect_s": 60.0, "restart_s": 60.0,
    "dollars_per_gpu_hour": 2.0,
}  # fmt: skip
PROPOSAL: dict[str, Any] = {
    "failures": 9, "interval_s": 3600.0, "write_s": 60.0, "detect_s": 60.0, "restart_s": 60.0, "avoided_failures": 1,
    "training_s": 1e6,
}  # fmt: skip
SEEN: dict[str, Any] = {"failures": 9, "parts": 64, "observed_s": 1e6}
# what is called, with which arguments, and which of them may be 0
CASES: list[tuple[Callable[..., float], dict[str, Any], str]] = [
    (checkpoints.checkpoint_bytes, {"parameters": 7e9, "bytes_per_weight": 2, "bytes_per_master": 4, "bytes_per_moment": 4}, "bytes_per_weight bytes_per_master"),
    (checkpoints.write_seconds, WRITE, ""),
    (checkpoints.write_bytes_per_s, {name: value for name, value in WRITE.items() if name != "checkpoint_bytes"}, ""),
    (checkpoints.steps_between_background_saves, {"checkpoint_bytes": 1e12, "gpus": 64, "copy_bytes_per_s": 1e10, "store_bytes_per_s": 1e10, "step_s": 5.0, "largest_overhead": 0.01}, ""),
    (checkpoints.stored_bytes, {"checkpoint_bytes": 1e12, "saves": 9, "keep_last": 3, "keep_every": 2}, "keep_every"),
    (checkpoints.storage_dollars_per_month, {"checkpoint_bytes": 1e12, "saves": 9, "keep_last": 3, "keep_every": 2, "dollars_per_gb_month": 0.02}, "keep_every"),
    (failures.part_mtbf_seconds, SEEN, ""),
    (failures.job_mtbf_seconds, {"part_mtbf_s": 1e6, "parts": 64}, ""),
    (failures.node_mtbf_seconds, {"failures_per_1000_node_days": 5.0}, ""),
    (failures.expected_failures, {"run_s": 1e6, "mtbf_s": 1e5}, ""),
    (failures.quiet_probability, {"span_s": 1e6, "mtbf_s": 1e5}, ""),
    (failures.largest_quiet_job, {"part_mtbf_s": 1e7, "span_s": 1e5, "probability": 0.9}, ""),
    (checkpoint_interval.young_interval_seconds, {"write_s": 60.0, "mtbf_s": 1e5}, ""),
    (checkpoint_interval.daly_interval_seconds, {"write_s": 60.0, "mtbf_s": 1e5}, ""),
    (checkpoint_interval.exact_interval_seconds, {"write_s": 60.0, "mtbf_s": 1e5}, ""),
    (checkpoint_interval.run_seconds, {"training_s": 1e6, **CYCLE}, "restart_s"),
    (checkpoint_interval.write_overhead, {"interval_s": 3600.0, "write_s": 60.0}, ""),
    (checkpoint_interval.total_waste, CYCLE, "restart_s"),
    (checkpoint_interval.least_waste, {"write_s": 60.0, "mtbf_s": 1e5, "restart_s": 60.0}, "restart_s"),
    (checkpoint_interval.effective_training_share, CYCLE, "restart_s"),
    (checkpoint_interval.best_steps, {"step_s": 5.0, "write_s": 60.0, "mtbf_s": 1e5}, ""),
    (checkpoint_interval.young_steps, {"step_s": 5.0, "write_s": 60.0, "mtbf_s": 1e5}, ""),
    (restart_costs.lost_work_seconds, {"interval_s": 3600.0, "write_s": 60.0}, "write_s"),
    (restart_costs.background_failure_seconds, {"period_s": 3600.0, "drain_s": 60.0, "restart_s": 60.0}, "restart_s"),
    (restart_costs.failure_seconds, {"interval_s": 3600.0, "write_s": 60.0, "detect_s": 60.0, "restart_s": 60.0}, "write_s detect_s restart_s"),
    (restart_costs.failures_dollars, BILL, "write_s detect_s restart_s"),
    (restart_costs.fault_tolerance_gpu_hours, {"gpus": 8, "training_s": 1e6, **CYCLE}, "restart_s"),
    (restart_costs.proposal_seconds_saved, PROPOSAL, "write_s detect_s restart_s avoided_failures training_s"),
    (spares.recovery_probability, {"nodes": 8, "copies": 2, "failed": 2}, ""),
    (spares.spares_needed, {"nodes": 8, "node_mtbf_s": 1e6, "span_s": 1e5, "confidence": 0.9}, ""),
    (silent_errors.check_interval_seconds, {"check_s": 60.0, "mtbf_s": 1e5}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("function", "valid", "may_be_zero"), CASES, ids=[case[0].__name__ for case in CASES])
def test_an_argument_out_of_range_is_named(
    function: Callable[..., float], valid: dict[str, Any], may_be_zero: str
) -> None:
    assert function(**valid) > 0
    for name in valid:
        with pytest.raises(ValueError, match=rf"^{name} must"):
            function(**valid | {name: -1})
        if name in may_be_zero.split():
            function(**valid | {name: 0})
        else:
            with pytest.raises(ValueError, match=rf"^{name} must"):
                function(**valid | {name: 0})
