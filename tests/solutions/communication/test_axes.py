"""The references on axes over two pods against a step that is walked layer by layer, and their limits."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.communication import axes
from solutions.oracles.communication import axes as engine

shapes = st.fixed_dictionaries(
    {
        "parameters": st.floats(1e9, 1e12),
        "layers": st.integers(2, 130),
        "hidden": st.integers(1024, 20000),
        "batch_tokens": st.floats(1e5, 1e8),
    }
)
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


@given(shape=shapes)
def test_a_pod_sends_what_the_walked_step_sends(shape: dict[str, Any]) -> None:
    tokens = {"batch_tokens": shape["batch_tokens"], "hidden": shape["hidden"]}
    formulas = {
        "data": axes.data_parallel_pod_bytes(parameters=shape["parameters"]),
        "pipeline": axes.pipeline_pod_bytes(**tokens),
        "tensor": axes.tensor_parallel_pod_bytes(layers=shape["layers"], **tokens),
    }
    for axis, formula in formulas.items():
        assert math.isclose(formula, engine.pod_bytes(axis=axis, **shape), rel_tol=1e-9)


@given(sent=st.floats(1e6, 1e15), parameters=st.floats(1e9, 1e12), gpus=st.integers(1, 4096), thin=st.floats(1, 20))
def test_the_share_is_that_of_two_clocks(sent: float, parameters: float, gpus: int, thin: float) -> None:
    job = {"parameters": parameters, "batch_tokens": 4e6, "port_bytes_per_s": 50e9, "flop_per_s": 4e14}
    case = {"pod_bytes": sent, "gpus_per_pod": gpus, "oversubscription": thin, **job}
    assert math.isclose(axes.share_of_computation(**case), engine.share_of_computation(**case), rel_tol=1e-9)


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


def test_over_links_that_are_wide_enough_every_axis_may_cross() -> None:
    wide = {**JOB, "port_bytes_per_s": 50e12}
    assert axes.axes_that_may_cross(**wide) == "data or pipeline or tensor" == engine.axes_that_may_cross(**wide)


@pytest.mark.parametrize("wrong", [{"allowed_share": 2}, {"oversubscription": 0.5}, {"layers": 0}, {"flop_per_s": 0}])
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        axes.axes_that_may_cross(**{**JOB, **wrong})
