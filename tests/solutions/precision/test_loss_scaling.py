"""Loss scaling against scalers that are played and scales that are tried, and at its edges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.precision import loss_scaling as played
from solutions.precision import loss_scaling

powers = st.integers(0, 32).map(lambda power: 2.0**power)
intervals = st.integers(1, 50)


def test_without_a_least_scale_the_scale_ends_at_one() -> None:
    case = {"initial_scale": 4, "growth_interval": 9}
    assert loss_scaling.dynamic_scale(**case, trace="xxxxx") == 1


def test_a_gradient_that_rounds_down_to_the_largest_number_is_safe() -> None:
    assert loss_scaling.largest_safe_scale(gradient=65519.0) == 1
    assert loss_scaling.largest_safe_scale(gradient=65520.0) == 0.5


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


@given(burst=st.integers(0, 20), interval=intervals, gradient=st.floats(1e-12, 1e-3), hysteresis=st.integers(1, 3))
def test_steps_without_the_small_gradients(burst: int, interval: int, gradient: float, hysteresis: int) -> None:
    case = {
        "scale": 2.0**15, "burst": burst, "growth_interval": interval, "smallest_gradient": gradient,
        "hysteresis": hysteresis,
    }  # fmt: skip
    assert loss_scaling.blind_steps(**case) == played.blind_steps(**case)
