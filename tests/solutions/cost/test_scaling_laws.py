"""Scaling laws: the references against searches, their limits, and what the papers print."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.cost import data_constrained, energy, inference_aware, scaling_laws
from solutions.oracles.cost import energy as metered
from solutions.oracles.cost import inference_aware as played


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)


# The fit


def test_chinchilla_beats_gopher_by_every_fit() -> None:
    for fit in scaling_laws.FITS:
        gopher = scaling_laws.predicted_loss(parameters=280e9, tokens=300e9, fit=fit)
        assert scaling_laws.predicted_loss(parameters=70e9, tokens=1.4e12, fit=fit) < gopher


@pytest.mark.parametrize(
    ("function", "case"),
    [
        (data_constrained.epochs_for, {"effective_tokens": 17, "unique_tokens": 1}),
    ],
)
def test_what_makes_no_sense_is_refused(function: object, case: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must be|within reach"):
        function(**case)  # type: ignore[operator]


# The best size for a budget


@pytest.mark.parametrize(
    ("sizes_given", "losses"),
    [
        ((1e9, 1e9, 2e9), (2.5, 2.4, 2.5)),
        ((1e9, 2e9, 2e9), (2.5, 2.4, 2.5)),
        ((1e9, 2e9, 3e9), (2.5, 2.4, 2.4)),
    ],
)
def test_runs_without_a_valley_are_refused(sizes_given: tuple[float, ...], losses: tuple[float, ...]) -> None:
    runs = dict(zip(("small", "middle", "large"), sizes_given, strict=True))
    found = dict(zip(("small_loss", "middle_loss", "large_loss"), losses, strict=True))
    with pytest.raises(ValueError, match="lowest loss in the middle"):
        scaling_laws.valley_parameters(**runs, **found)


# Serving


def test_a_break_even_needs_a_smaller_model_with_dearer_training() -> None:
    pair = {"large_parameters": 2e9, "large_tokens": 40e9, "small_parameters": 1e9}
    with pytest.raises(ValueError, match="pays from the first token"):
        inference_aware.break_even_served_tokens(**pair, small_tokens=80e9)
    with pytest.raises(ValueError, match="pays from the first token"):
        played.break_even_served_tokens(**pair, small_tokens=80e9)
    with pytest.raises(ValueError, match="not fewer"):
        inference_aware.break_even_served_tokens(**{**pair, "small_parameters": 2e9}, small_tokens=80e9)
    with pytest.raises(ValueError, match="must be above 0"):
        inference_aware.break_even_served_tokens(**pair, small_tokens=0)
    with pytest.raises(ValueError, match="must be above 0"):
        inference_aware.break_even_served_tokens(**{**pair, "large_tokens": 0}, small_tokens=80e9)


def test_without_requests_the_best_size_is_chinchillas() -> None:
    assert inference_aware.best_size(parameters=13e9, served_tokens=0, fit="Besiroglu") == pytest.approx(13e9, rel=1e-9)


def test_sizes_that_do_not_fall_are_refused() -> None:
    for sizes_given in ((8e9, 8e9, 5e9), (13e9, 5e9, 5e9)):
        names = dict(zip(("large_parameters", "medium_parameters", "small_parameters"), sizes_given, strict=True))
        with pytest.raises(ValueError, match="must fall"):
            inference_aware.least_lifetime(**names, served_tokens=0, serving_price=1, fit="Besiroglu")


# Repeated data


def test_up_to_one_pass_every_token_counts() -> None:
    for tokens in (1e9, 5e9, 10e9):
        assert data_constrained.effective_tokens(tokens=tokens, unique_tokens=10e9) == tokens


def test_no_number_of_epochs_is_worth_more_than_16_times_the_data() -> None:
    limit = 1 + data_constrained.REPEATS_THAT_COUNT
    assert data_constrained.effective_tokens(tokens=1e15, unique_tokens=1e9) == pytest.approx(limit * 1e9)


# Energy and carbon


@settings(deadline=None, max_examples=a_quarter_at_once(20))
@given(
    gpu_time_s=st.floats(1e3, 1e12),
    watts=st.floats(50, 1500),
    pue=st.floats(1, 2),
    intensity=st.floats(0.01, 1),
)
def test_meters_show_what_the_formula_says(gpu_time_s: float, watts: float, pue: float, intensity: float) -> None:
    use = {"gpu_time_s": gpu_time_s, "watts_per_gpu": watts, "pue": pue}
    assert same(energy.site_energy_joules(**use), metered.site_energy_joules(**use))
    joules = energy.site_energy_joules(**use)
    tonnes = energy.emitted_tonnes(energy_j=joules, kg_per_kwh=intensity)
    assert same(tonnes, metered.emitted_tonnes(energy_j=joules, kg_per_kwh=intensity))
    assert same(tonnes, energy.run_tonnes(**use, kg_per_kwh=intensity))
    assert same(tonnes, metered.run_tonnes(**use, kg_per_kwh=intensity))
    card = {"tonnes": tonnes, "gpu_time_s": gpu_time_s, "watts_per_gpu": watts}
    for function in energy.intensity_behind, metered.intensity_behind:
        assert same(function(**card, pue=pue), intensity / 3600)  # kg/kWh are grams for 3600 joules
        assert same(function(**card), intensity * pue / 3600)
