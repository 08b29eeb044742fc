"""Loss scaling against scalers that are played and scales that are tried, and at its edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.precision import loss_scaling as played
from solutions.precision import loss_scaling

gradients = st.floats(1e-12, 1e3)
formats = st.sampled_from(["FP16", "E5M2", "E4M3"])
powers = st.integers(0, 32).map(lambda power: 2.0**power)
intervals = st.integers(1, 50)
spells = st.integers(0, 200)


@pytest.mark.parametrize("power", range(-24, 0))
def test_a_gradient_that_is_a_power_of_two_becomes_the_smallest_normal_number(power: int) -> None:
    scale = loss_scaling.smallest_precise_scale(gradient=2.0**power)
    assert (
        scale == played.smallest_precise_scale(gradient=2.0**power, number_format="FP16") == 2.0 ** max(0, -14 - power)
    )


def test_without_a_least_scale_the_scale_ends_at_one() -> None:
    case = {"initial_scale": 4, "growth_interval": 9}
    assert loss_scaling.dynamic_scale(**case, trace="xxxxx") == 1


@pytest.mark.parametrize("name", ["E4M3"])
def test_bursts_lose_gradients_of_every_format(name: str) -> None:
    case = {"scale": 2.0**20, "smallest_gradient": 1e-9, "hysteresis": 2, "number_format": name}
    assert loss_scaling.burst_until_lost(**case) == played.burst_until_lost(**case)


def test_a_gradient_that_rounds_down_to_the_largest_number_is_safe() -> None:
    assert loss_scaling.largest_safe_scale(gradient=65519.0) == 1
    assert loss_scaling.largest_safe_scale(gradient=65520.0) == 0.5


@given(small=gradients, ratio=st.floats(1, 1e9), name=formats)
def test_the_window_of_scales(small: float, ratio: float, name: str) -> None:
    case = {"smallest_gradient": small, "largest_gradient": small * ratio, "number_format": name}
    assert loss_scaling.usable_scales(**case) == played.usable_scales(**case)


@given(scale=powers, interval=intervals, first=spells, burst=st.integers(1, 9), gap=spells, last=spells)
def test_clean_steps_before_and_after_an_overflow_do_not_add_up(
    scale: float, interval: int, first: int, burst: int, gap: int, last: int
) -> None:
    case = {
        "initial_scale": scale, "growth_interval": interval, "first_clean": first, "burst": burst, "gap": gap,
        "last_clean": last,
    }  # fmt: skip
    assert loss_scaling.scale_after_spells(**case) == played.scale_after_spells(**case)


@given(
    trace=st.text(alphabet=".x", max_size=60),
    scale=powers,
    interval=st.integers(1, 6),
    hysteresis=st.integers(1, 4),
    floor=st.sampled_from([1, 0.25, 4]),
)
def test_the_scaler_step_by_step_agrees_with_the_scaler_by_runs(
    trace: str, scale: float, interval: int, hysteresis: int, floor: float
) -> None:
    case = {
        "trace": trace, "initial_scale": scale, "growth_interval": interval, "hysteresis": hysteresis, "min_scale": floor,
    }  # fmt: skip
    if scale < floor:
        return  # Megatron asserts a floor below the first scale
    assert loss_scaling.dynamic_scale(**case) == played.dynamic_scale(**case)


@given(burst=st.integers(0, 12), interval=intervals, hysteresis=st.integers(1, 3))
def test_a_burst_is_undone_after_as_many_clean_steps(burst: int, interval: int, hysteresis: int) -> None:
    case = {"burst": burst, "growth_interval": interval, "hysteresis": hysteresis}
    assert loss_scaling.clean_steps_to_recover(**case) == played.clean_steps_to_recover(**case)


@given(share=st.sampled_from([0.7, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]), hysteresis=st.integers(1, 3))
def test_the_smallest_interval_is_the_first_that_keeps_the_share(share: float, hysteresis: int) -> None:
    case = {"largest_share": share, "hysteresis": hysteresis}
    assert loss_scaling.smallest_growth_interval(**case) == played.smallest_growth_interval(**case)


@given(scale=powers, gradient=st.floats(1e-12, 2.9e-8), hysteresis=st.integers(1, 3))
def test_a_burst_loses_the_smallest_gradient(scale: float, gradient: float, hysteresis: int) -> None:
    case = {"scale": scale, "smallest_gradient": gradient, "hysteresis": hysteresis}
    assert loss_scaling.burst_until_lost(**case) == played.burst_until_lost(**case)


@given(burst=st.integers(0, 20), interval=intervals, gradient=st.floats(1e-12, 1e-3), hysteresis=st.integers(1, 3))
def test_steps_without_the_small_gradients(burst: int, interval: int, gradient: float, hysteresis: int) -> None:
    case = {
        "scale": 2.0**15, "burst": burst, "growth_interval": interval, "smallest_gradient": gradient,
        "hysteresis": hysteresis,
    }  # fmt: skip
    assert loss_scaling.blind_steps(**case) == played.blind_steps(**case)
