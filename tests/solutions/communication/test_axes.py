"""The references on axes over two pods against a step that is walked layer by layer, and their limits."""

from __future__ import annotations

from typing import Any

from solutions.communication import axes

JOB: dict[str, Any] = {
    "parameters": 8e9,
    "layers": 32,
    "hidden": 4096,
    "batch_tokens": 4e6,
    "gpus_per_pod": 512,
    "port_bytes_per_s": 50e9,
    "oversubscription": 7,
    "flop_per_s": 400e12,
    "allowed_share": 0.02,
}


def test_a_larger_batch_lets_gradients_cross_and_a_larger_model_a_pipeline() -> None:
    tight = {**JOB, "allowed_share": 0.005}
    large = {"parameters": 405e9, "layers": 126, "hidden": 16384}
    assert axes.axes_that_may_cross(**tight) == "none"
    assert axes.axes_that_may_cross(**{**tight, "batch_tokens": 32e6}) == "data"
    assert axes.axes_that_may_cross(**{**tight, **large}) == "pipeline"
    assert axes.axes_that_may_cross(**{**tight, **large, "batch_tokens": 32e6}) == "data or pipeline"


def test_the_allowed_share_itself_is_allowed() -> None:
    whole = {name: value for name, value in JOB.items() if name not in ("layers", "hidden", "allowed_share")}
    sent = axes.data_parallel_pod_bytes(parameters=JOB["parameters"])
    exact = axes.share_of_computation(pod_bytes=sent, **whole)
    assert "data" in axes.axes_that_may_cross(**{**JOB, "allowed_share": exact})
    assert "data" not in axes.axes_that_may_cross(**{**JOB, "allowed_share": 0.999 * exact})
