"""Formats and stagnation against the list of all bit patterns, against numpy's float16, and at their edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.precision import formats as listed
from solutions.oracles.precision import stagnation as tried
from solutions.precision import formats, stagnation

NAMES = sorted(listed.LAYOUT)
names = st.sampled_from(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "fact",
    [
        "largest",
        "smallest_normal",
        "smallest_subnormal",
        "largest_subnormal",
        "flush_threshold",
        "binades",
        "relative_step",
    ],
)
def test_what_a_format_has_is_what_its_bit_patterns_decode_to(name: str, fact: str) -> None:
    assert getattr(formats, fact)(number_format=name) == getattr(listed, fact)(number_format=name)


@given(value=st.floats(-1e39, 1e39, allow_nan=False))
def test_float16_rounds_as_numpy_does(value: float) -> None:
    with np.errstate(over="ignore"):
        assert formats.rounded(value=value, number_format="FP16") == float(np.float16(value))


@given(value=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_bfloat16_rounds_as_the_upper_half_of_a_float_does(value: float) -> None:
    bits = int(np.float32(value).view(np.uint32))
    bits += 0x7FFF + ((bits >> 16) & 1)
    assert formats.rounded(value=value, number_format="BF16") == float(np.uint32(bits & 0xFFFF0000).view(np.float32))


@given(value=st.floats(-1e5, 1e5), exponent=st.integers(2, 8), mantissa=st.integers(1, 10))
def test_a_cast_agrees_for_formats_nobody_has_named(value: float, exponent: int, mantissa: int) -> None:
    bits = {"exponent_bits": exponent, "mantissa_bits": mantissa}
    assert formats.clipped_cast(value=value, **bits) == listed.clipped_cast(value=value, **bits)


@given(name=names, place=st.floats(0.01, 0.99))
def test_spacing_is_the_way_to_the_next_number(name: str, place: float) -> None:
    table = listed.table(name)
    value = float(table[1 + int(place * (len(table) - 2))])
    assert formats.spacing(value=value, number_format=name) == listed.spacing(value=value, number_format=name)


@pytest.mark.parametrize("name", NAMES)
def test_the_largest_number_has_the_spacing_below_it(name: str) -> None:
    end = formats.largest(number_format=name)
    assert formats.spacing(value=end, number_format=name) == listed.spacing(value=end, number_format=name)


@pytest.mark.parametrize("value", [0.1, -1 / 3, 2.0**-140, 12345.678])
def test_a_format_of_8_and_23_bits_is_fp32(value: float) -> None:
    assert formats.clipped_cast(value=value, exponent_bits=8, mantissa_bits=23) == float(np.float32(value))


@given(name=st.sampled_from(["BF16", "FP16"]), positions=st.integers(1, 20000))
def test_positions_that_stay_apart_are_counted_right(name: str, positions: int) -> None:
    case = {"positions": positions, "number_format": name}
    assert stagnation.distinct_positions(**case) == tried.distinct_positions(**case)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown number format 'FP12'; known: FP32"):
        formats.largest(number_format="FP12")
    with pytest.raises(ValueError, match="finite"):
        formats.rounded(value=math.nan, number_format="BF16")
    with pytest.raises(ValueError, match="no format here"):
        formats.clipped_cast(value=1.0, exponent_bits=1, mantissa_bits=3)
    for bits in ({"exponent_bits": 9, "mantissa_bits": 3}, {"exponent_bits": 8, "mantissa_bits": 24}):
        with pytest.raises(ValueError, match="no format here"):
            formats.clipped_cast(value=1.0, **bits)
    with pytest.raises(ValueError, match="beyond the largest"):
        formats.spacing(value=1e6, number_format="FP16")
    with pytest.raises(ValueError, match="at once"):
        stagnation.expected_steps_to_move(weight=1.0, update=1.0, number_format="BF16")
    with pytest.raises(ValueError, match="beyond the largest"):
        stagnation.distinct_positions(positions=1000, number_format="E4M3")
    with pytest.raises(ValueError, match="moves no weight"):  # the update is half the spacing, a tie to even
        stagnation.moving_steps(peak_lr=2.0**-8, steps=100, weight=1.0, relative_update=1.0)
    with pytest.raises(ValueError, match="leaves the range"):
        stagnation.stalled_sum(addend=100.0, number_format="E4M3")


def test_a_format_that_ends_before_its_whole_numbers_do_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats.FORMATS, "E2M3", formats.Format(2, 3, "none"))  # it ends at 7.5
    with pytest.raises(ValueError, match="range of E2M3"):
        stagnation.largest_exact_count(number_format="E2M3")
