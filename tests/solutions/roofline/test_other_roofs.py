"""Mixed peaks, waves of tiles, exponentials and sliding windows, against their oracles."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.roofline import exponentials as moved
from solutions.oracles.roofline import mixed_peak as converted
from solutions.oracles.roofline import tiles as handed
from solutions.oracles.roofline import windows as counted
from solutions.roofline import exponentials, mixed_peak, tiles, windows

counts = st.integers(1, 3000)


@given(st.floats(0, 1e12), st.floats(0, 1e12), st.floats(100, 20000))
def test_with_two_peaks_the_utilisation_is_between_those_of_each(narrow: float, wide: float, rate: float) -> None:
    case: dict[str, Any] = {
        "narrow_flop_per_token": narrow, "wide_flop_per_token": wide, "tokens_per_s_per_gpu": rate,
        "narrow_peak_flop_per_s": 1979e12, "wide_peak_flop_per_s": 989e12,
    }  # fmt: skip
    share = mixed_peak.mixed_format_utilisation(**case)
    assert share == pytest.approx(converted.mixed_format_utilisation(**case))
    assert (narrow + wide) * rate / 1979e12 <= share * 1.0001
    assert share <= (narrow + wide) * rate / 989e12 * 1.0001


@given(counts, counts, st.sampled_from([64, 128]), st.sampled_from([128, 256]), st.sampled_from([1, 108, 132, 148]))
def test_waves_are_what_the_busiest_multiprocessor_computes(
    rows: int, columns: int, tall: int, broad: int, sms: int
) -> None:
    case = {"rows": rows, "columns": columns, "tile_rows": tall, "tile_columns": broad, "multiprocessors": sms}
    assert tiles.wave_efficiency(**case) == pytest.approx(handed.wave_efficiency(**case))
    assert tiles.wave_efficiency(**case) <= 1


@given(st.lists(counts, min_size=4, max_size=4), counts, st.sampled_from([1, 108, 132, 148]))
def test_the_fastest_matmul_has_the_fullest_waves(rows: list[int], columns: int, sms: int) -> None:
    gpu = {"columns": columns, "tile_rows": 128, "tile_columns": 256, "multiprocessors": sms}
    case = dict(zip("abcd", rows, strict=True)) | gpu
    full = {each: tiles.wave_efficiency(rows=each, **gpu) for each in rows}
    assert full[tiles.fastest_rows(**case)] == pytest.approx(max(full.values()))
    assert full[handed.fastest_rows(**case)] == pytest.approx(max(full.values()))


@given(
    st.sampled_from([64, 128, 192]), st.sampled_from([64, 128]), st.sampled_from([4096, 8192, 16384]), st.floats(0.3, 1)
)
def test_polynomials_take_what_the_special_units_cannot(query: int, value: int, flop: int, efficiency: float) -> None:
    case: dict[str, Any] = {
        "query_width": query, "value_width": value, "matmul_flop_per_clock": flop, "exponentials_per_clock": 16,
        "matmul_efficiency": efficiency,
    }  # fmt: skip
    assert exponentials.polynomial_share(**case) == pytest.approx(moved.polynomial_share(**case), abs=1e-12)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(0, 3), st.integers(0, 3))
def test_windows_leave_the_pairs_that_queries_see(length: int, window: int, full: int, windowed: int) -> None:
    case: dict[str, Any] = {
        "active_parameters": 1e6, "full_layers": full, "windowed_layers": windowed, "window": window, "attention_width": 64,
        "sequence_length": length, "tokens_per_s_per_gpu": 1000, "peak_flop_per_s": 1e12,
    }  # fmt: skip
    assert windows.mean_keys(sequence_length=length, window=window) == pytest.approx(
        counted.mean_keys(sequence_length=length, window=window)
    )
    assert windows.windowed_utilisation(**case) == pytest.approx(counted.windowed_utilisation(**case))
    assert windows.mean_keys(sequence_length=length, window=length) == (length + 1) / 2
