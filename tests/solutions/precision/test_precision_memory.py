"""Memory of recipes against the tensors they keep, FP8 against casts that are made, and both at their edges."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.oracles.precision import fp8 as cast
from solutions.precision import formats, fp8, precision_memory

fp8_names = st.sampled_from(["E4M3", "E5M2"])
magnitudes = st.floats(1e-6, 1e6)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)


@given(largest=magnitudes, ratio=st.floats(1, 1e12))
def test_the_format_is_the_precise_one_that_keeps_all_bits(largest: float, ratio: float) -> None:
    case = {"largest_value": largest, "smallest_value": largest / ratio}
    for name in ("E4M3", "E5M2"):  # at the edge itself floats decide
        span = formats.largest(number_format=name) / formats.smallest_normal(number_format=name)
        assume(abs(ratio / span - 1) > 1e-9)
    assert fp8.fp8_format(**case) == cast.fp8_format(**case)


@given(amax=magnitudes, name=fp8_names)
def test_what_an_outlier_costs(amax: float, name: str) -> None:
    lost = fp8.largest_lost_value(amax=amax, number_format=name)
    assert same(lost, cast.largest_lost_value(amax=amax, number_format=name))
    assert same(fp8.largest_outlier(smallest_value=lost, number_format=name), amax)
    assert same(
        fp8.largest_outlier(smallest_value=lost, number_format=name),
        cast.largest_outlier(smallest_value=lost, number_format=name),
    )
    typical = amax / 1000
    assert same(
        fp8.zeroed_share(amax=amax, typical=typical, number_format=name),
        cast.zeroed_share(amax=amax, typical=typical, number_format=name),
    )


def test_the_smallest_normal_number_keeps_all_bits_and_a_smaller_one_does_not() -> None:
    # With this largest value the scale of E4M3 is 1.
    normal = formats.smallest_normal(number_format="E4M3")
    for smallest, name in ((normal, "E4M3"), (normal * (1 - 2**-20), "E5M2")):
        case = {"largest_value": 448.0, "smallest_value": smallest}
        assert fp8.fp8_format(**case) == cast.fp8_format(**case) == name


def test_no_more_than_all_values_become_zero() -> None:
    case: dict[str, Any] = {"amax": 1e9, "typical": 1.0, "number_format": "E4M3"}
    assert fp8.zeroed_share(**case) == cast.zeroed_share(**case) == 1


@pytest.mark.parametrize("power", range(6))
def test_an_outlier_of_a_power_of_two_needs_that_margin(power: int) -> None:
    case = {"known_amax": 2.0, "next_amax": 2.0 * 2**power}
    assert fp8.smallest_margin(**case) == cast.smallest_margin(**case) == power


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown recipe 'FP4'; known: FP32"):
        precision_memory.state_bytes(parameters=1, recipe="FP4")
    with pytest.raises(ValueError, match=r"^speedup_above_one must be above 0"):
        fp8.needed_gemm_share(speedup=1, gemm_speedup=2)
    with pytest.raises(ValueError, match="gemm_speedup_above_one must be above 0"):
        fp8.needed_gemm_share(speedup=1.2, gemm_speedup=1)
    with pytest.raises(ValueError, match="cannot become 3"):
        fp8.needed_gemm_share(speedup=3, gemm_speedup=2)
    with pytest.raises(ValueError, match="saved_s_per_flop"):
        fp8.smallest_width_that_pays(bf16_flop_per_s=2, fp8_flop_per_s=1, hbm_bytes_per_s=1, bytes_per_element=5)
    with pytest.raises(ValueError, match="must divide"):
        fp8.linear_flop_share(layers=1, hidden=10, ffn_hidden=1, heads=3, kv_heads=1, vocabulary=1, sequence_length=1)
    with pytest.raises(ValueError, match="range"):
        fp8.fp8_format(smallest_value=2.0, largest_value=1.0)
