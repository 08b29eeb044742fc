"""Scaling laws: the references against searches, their limits, and what the papers print."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions import data_constrained, energy, inference_aware, overtraining, scaling_laws
from solutions.oracles import data_constrained as read
from solutions.oracles import energy as metered
from solutions.oracles import inference_aware as played


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


def test_two_digits_of_an_exponent_move_the_ratio_by_half() -> None:
    ratios = [
        scaling_laws.optimal_ratio(work_flop=5.76e23, fit=fit)
        for fit in ("Besiroglu", "Muennighoff", "Hoffmann", "Hoffmann rounded")
    ]
    assert [round(ratio) for ratio in ratios] == [18, 20, 59, 93]


def test_the_bottom_of_a_real_curve_is_near_the_best_size() -> None:
    budget = 1e21
    best = scaling_laws.optimal_parameters(work_flop=budget, fit="Besiroglu")
    runs = dict(zip(("small", "middle", "large"), (0.6 * best, 1.1 * best, 1.9 * best), strict=True))
    losses = {
        f"{name}_loss": scaling_laws.predicted_loss(parameters=size, tokens=budget / 6 / size, fit="Besiroglu")
        for name, size in runs.items()
    }
    assert scaling_laws.valley_parameters(**runs, **losses) == pytest.approx(best, rel=0.02)


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


# Models of another size


def test_half_the_size_costs_a_quarter_more_and_a_quarter_several_times() -> None:
    overheads = [overtraining.compute_overhead(size_factor=factor, fit="Besiroglu") for factor in (1, 0.5, 0.25)]
    assert [round(overhead, 2) for overhead in overheads] == [0, 0.26, 3.47]


# Serving


def test_three_served_tokens_cost_as_much_as_one_that_is_trained_on() -> None:
    trained_on = inference_aware.lifetime_flop(parameters=1e9, training_tokens=2e9, served_tokens=0)
    assert inference_aware.lifetime_flop(parameters=1e9, training_tokens=1e9, served_tokens=3e9) == trained_on


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


def test_more_requests_make_the_best_model_smaller() -> None:
    best = [
        inference_aware.best_size(parameters=13e9, served_tokens=served, fit="Besiroglu")
        for served in (1e11, 1e12, 1e13)
    ]
    assert best == sorted(best, reverse=True)


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


def test_a_repeat_is_worth_what_one_more_token_adds() -> None:
    for epochs in (1, 4, 16, 40):
        step = 1e-6
        more, less = (
            data_constrained.effective_tokens(tokens=epochs + change, unique_tokens=1) for change in (step, 0.0)
        )
        assert data_constrained.worth_of_a_repeat(epochs=epochs) == pytest.approx((more - less) / step, rel=1e-4)
        assert read.worth_of_a_repeat(epochs=epochs) == pytest.approx(
            data_constrained.worth_of_a_repeat(epochs=epochs), rel=1e-3
        )


def test_free_data_is_taken_and_dear_data_is_not() -> None:
    case = {"needed_tokens": 3e11, "unique_tokens": 1e11, "dollars_per_trained_token": 1e-7}
    assert data_constrained.repeat_or_buy(**case, dollars_per_bought_token=0) == "buy"
    assert data_constrained.repeat_or_buy(**case, dollars_per_bought_token=1) == "repeat"
    with pytest.raises(ValueError, match="must be at least 0"):
        data_constrained.repeat_or_buy(**case, dollars_per_bought_token=-1)
    with pytest.raises(ValueError, match="must be at least 0"):
        data_constrained.repeat_or_buy(**{**case, "dollars_per_trained_token": -1}, dollars_per_bought_token=0)


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


def test_a_kilowatt_for_an_hour_is_a_kilowatt_hour() -> None:
    joules = energy.site_energy_joules(gpu_time_s=3600, watts_per_gpu=1000)
    assert joules == energy.JOULES_PER_KWH
    assert energy.emitted_tonnes(energy_j=1000 * joules, kg_per_kwh=0.4) == pytest.approx(0.4)
