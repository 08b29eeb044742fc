"""FP8 exchanges, accumulation and delayed scaling, and rounding between two engines, against their oracles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.precision import delayed_scaling as walked
from solutions.oracles.precision import fp8_accumulation as added
from solutions.oracles.precision import narrow_exchange as timed
from solutions.oracles.precision import rollout_mismatch as searched
from solutions.precision import delayed_scaling, fp8_accumulation, narrow_exchange, rollout_mismatch


@given(st.floats(512, 1e5), st.floats(1e14, 2e15), st.floats(1e10, 4e11))
def test_an_exchange_is_narrowed_only_as_far_as_it_must(tokens: float, flop: float, bandwidth: float) -> None:
    case = {"tokens_per_gpu": tokens, "flop_per_s": flop, "bus_bandwidth_bytes_per_s": bandwidth}
    assert narrow_exchange.exchange_to_narrow(**case) == timed.exchange_to_narrow(**case)


def test_both_passes_limit_the_exchange() -> None:
    at = {"flop_per_s": 1.0, "bus_bandwidth_bytes_per_s": 1.0}  # so that tokens are bytes per FLOP
    words = [narrow_exchange.exchange_to_narrow(tokens_per_gpu=each, **at) for each in (1.5, 1.25, 1.0, 0.75, 0.74)]
    assert words == ["nothing", "gather", "sum", "both", "more tokens"]


@given(st.floats(1.3e-4, 5e-3), st.floats(1e14, 2e15), st.floats(1e13, 1e14))
def test_sums_move_to_fp32_as_rarely_as_they_may(error: float, matmul: float, ordinary: float) -> None:
    case = {"largest_error": error, "matmul_flop_per_s": matmul, "fp32_flop_per_s": ordinary}
    assert fp8_accumulation.promotion_share(**case) == pytest.approx(added.promotion_share(**case))


def test_a_narrow_accumulator_refuses_what_it_cannot_reach() -> None:
    with pytest.raises(ValueError, match=r"one addition loses 0\.00012207"):
        fp8_accumulation.promotion_share(largest_error=1e-4, matmul_flop_per_s=1e15, fp32_flop_per_s=5e13)
    with pytest.raises(ValueError, match="multiple of 32, not 100"):
        fp8_accumulation.accumulation_error(elements=100)


@given(st.floats(1e-3, 0.1), st.floats(1.1, 10), st.sampled_from(["BF16", "FP16", "E4M3"]))
def test_responses_can_be_four_times_as_long_for_every_bit(deviation: float, factor: float, name: str) -> None:
    case: dict[str, Any] = {
        "token_deviation": deviation, "largest_factor": factor, "measured_format": "BF16", "number_format": name,
    }  # fmt: skip
    tokens = rollout_mismatch.longest_response(**case)
    assert tokens == pytest.approx(searched.longest_response(**case))
    bits = {"BF16": 0, "FP16": 3, "E4M3": -4}[name]
    assert tokens == pytest.approx(4**bits * rollout_mismatch.longest_response(**{**case, "number_format": "BF16"}))


@given(
    st.floats(0.1, 10), st.floats(0.1, 10), st.integers(0, 4), st.floats(-100, 100), st.sampled_from([(448.0, 2.0**-9), (57344.0, 2.0**-16)])
)  # fmt: skip
def test_delayed_scaling_keeps_what_fits_into_its_room(
    older: float, newer: float, margin: int, value: float, ends: tuple[float, float]
) -> None:
    case: dict[str, Any] = {
        "older_amax": older, "newer_amax": newer, "margin": margin, "value": value, "largest": ends[0], "smallest": ends[1],
    }  # fmt: skip
    assert delayed_scaling.kept_after_delayed_scaling(**case) == pytest.approx(
        walked.kept_after_delayed_scaling(**case)
    )


@pytest.mark.parametrize(("value", "kept"), [(1.0, 1.0), (0.6, 0.6), (0.5, 0.0), (0.4, 0.0), (-0.6, -0.6), (-0.5, 0.0)])
def test_a_cast_loses_what_is_at_most_half_of_the_smallest_number(value: float, kept: float) -> None:
    tensor = {"older_amax": 1.0, "newer_amax": 448.0, "largest": 448.0, "smallest": 1.0}
    assert delayed_scaling.kept_after_delayed_scaling(**tensor, margin=0, value=value) == kept


def test_a_factor_of_one_allows_no_response() -> None:
    with pytest.raises(ValueError, match="largest_factor_above_one"):
        rollout_mismatch.longest_response(
            token_deviation=0.02, largest_factor=1, measured_format="BF16", number_format="BF16"
        )
