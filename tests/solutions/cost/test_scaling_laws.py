"""Scaling laws: the references against searches, their limits, and what the papers print."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.cost import data_constrained, energy, inference_aware, overtraining, run_costs, scaling_laws
from solutions.oracles.cost import data_constrained as read
from solutions.oracles.cost import energy as metered
from solutions.oracles.cost import inference_aware as played
from solutions.oracles.cost import overtraining as trained
from solutions.oracles.cost import scaling_laws as searched

fits = st.sampled_from(list(scaling_laws.FITS))
budgets = st.floats(1e18, 1e27)
sizes = st.floats(1e8, 1e12)
token_counts = st.floats(1e9, 5e13)
factors = st.floats(0.2, 5)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)


# The fit


@given(parameters=sizes, tokens=token_counts, fit=fits)
def test_a_loss_is_the_floor_and_what_growth_would_still_remove(parameters: float, tokens: float, fit: str) -> None:
    case = {"parameters": parameters, "tokens": tokens, "fit": fit}
    assert same(scaling_laws.predicted_loss(**case), searched.predicted_loss(**case))


@given(parameters=sizes, tokens=token_counts, fit=fits)
def test_more_of_either_lowers_the_loss_and_never_below_the_floor(parameters: float, tokens: float, fit: str) -> None:
    loss = scaling_laws.predicted_loss(parameters=parameters, tokens=tokens, fit=fit)
    assert scaling_laws.predicted_loss(parameters=2 * parameters, tokens=tokens, fit=fit) < loss
    assert scaling_laws.predicted_loss(parameters=parameters, tokens=2 * tokens, fit=fit) < loss
    assert loss > scaling_laws.fit_of(fit).floor


def test_chinchilla_beats_gopher_by_every_fit() -> None:
    for fit in scaling_laws.FITS:
        gopher = scaling_laws.predicted_loss(parameters=280e9, tokens=300e9, fit=fit)
        assert scaling_laws.predicted_loss(parameters=70e9, tokens=1.4e12, fit=fit) < gopher


def test_an_unknown_fit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'Kaplan' is no fit of this module, which has Besiroglu"):
        scaling_laws.predicted_loss(parameters=1e9, tokens=1e9, fit="Kaplan")


@pytest.mark.parametrize(
    ("function", "case"),
    [
        (scaling_laws.predicted_loss, {"parameters": 0, "tokens": 1e9, "fit": "Besiroglu"}),
        (scaling_laws.predicted_loss, {"parameters": 1e9, "tokens": 0, "fit": "Besiroglu"}),
        (scaling_laws.optimal_parameters, {"work_flop": 0, "fit": "Besiroglu"}),
        (scaling_laws.balanced_tokens, {"parameters": 0, "fit": "Besiroglu"}),
        (scaling_laws.parameters_at_ratio, {"work_flop": 0, "tokens_per_parameter": 20}),
        (scaling_laws.parameters_at_ratio, {"work_flop": 1e20, "tokens_per_parameter": 0}),
        (overtraining.tokens_for_loss, {"parameters": 0, "loss": 2, "fit": "Besiroglu"}),
        (overtraining.tokens_for_loss, {"parameters": 1e9, "loss": 0, "fit": "Besiroglu"}),
        (overtraining.token_factor, {"size_factor": 0, "fit": "Besiroglu"}),
        (inference_aware.lifetime_flop, {"parameters": 0, "training_tokens": 1, "served_tokens": 1}),
        (inference_aware.lifetime_flop, {"parameters": 1, "training_tokens": 0, "served_tokens": 1}),
        (inference_aware.lifetime_flop, {"parameters": 1, "training_tokens": 1, "served_tokens": -1}),
        (
            inference_aware.lifetime_flop,
            {"parameters": 1, "training_tokens": 1, "served_tokens": 1, "serving_price": 0},
        ),
        (inference_aware.best_size, {"parameters": 0, "served_tokens": 1, "fit": "Besiroglu"}),
        (inference_aware.best_size, {"parameters": 1e9, "served_tokens": -1, "fit": "Besiroglu"}),
        (data_constrained.effective_tokens, {"tokens": 0, "unique_tokens": 1}),
        (data_constrained.effective_tokens, {"tokens": 1, "unique_tokens": 0}),
        (data_constrained.effective_tokens, {"tokens": 1, "unique_tokens": 1, "decay": 0}),
        (data_constrained.epochs_for, {"effective_tokens": 0.9, "unique_tokens": 1}),
        (data_constrained.epochs_for, {"effective_tokens": 17, "unique_tokens": 1}),
        (data_constrained.epochs_for, {"effective_tokens": 2, "unique_tokens": 1, "decay": 0}),
        (data_constrained.worth_of_a_repeat, {"epochs": 0.9}),
        (data_constrained.worth_of_a_repeat, {"epochs": 2, "decay": 0}),
        (energy.site_energy_joules, {"gpu_time_s": 0, "watts_per_gpu": 1}),
        (energy.site_energy_joules, {"gpu_time_s": 1, "watts_per_gpu": 0}),
        (energy.site_energy_joules, {"gpu_time_s": 1, "watts_per_gpu": 1, "pue": 0.99}),
        (energy.emitted_tonnes, {"energy_j": 0, "kg_per_kwh": 1}),
        (energy.emitted_tonnes, {"energy_j": 1, "kg_per_kwh": 0}),
        (energy.intensity_behind, {"tonnes": 0, "gpu_time_s": 1, "watts_per_gpu": 1}),
        (energy.intensity_behind, {"tonnes": 1, "gpu_time_s": 1, "watts_per_gpu": 1, "pue": 0.99}),
    ],
)
def test_what_makes_no_sense_is_refused(function: object, case: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must be|within reach"):
        function(**case)  # type: ignore[operator]


# The best size for a budget


@given(work_flop=budgets, fit=fits)
def test_the_best_size_is_where_the_loss_stops_falling(work_flop: float, fit: str) -> None:
    for name in ("optimal_parameters", "optimal_tokens", "optimal_ratio"):
        case = {"work_flop": work_flop, "fit": fit}
        assert same(getattr(scaling_laws, name)(**case), getattr(searched, name)(**case)), name


@given(work_flop=budgets, fit=fits, factor=factors)
def test_no_other_size_does_better_for_the_budget(work_flop: float, fit: str, factor: float) -> None:
    best = scaling_laws.optimal_parameters(work_flop=work_flop, fit=fit)
    tokens = scaling_laws.optimal_tokens(work_flop=work_flop, fit=fit)
    lowest = scaling_laws.predicted_loss(parameters=best, tokens=tokens, fit=fit)
    other = scaling_laws.predicted_loss(parameters=factor * best, tokens=tokens / factor, fit=fit)
    assert other >= lowest * (1 - 1e-12)


@given(parameters=sizes, fit=fits)
def test_a_balanced_model_is_the_best_for_its_own_budget(parameters: float, fit: str) -> None:
    tokens = scaling_laws.balanced_tokens(parameters=parameters, fit=fit)
    assert same(tokens, searched.balanced_tokens(parameters=parameters, fit=fit))
    budget = run_costs.training_flop(parameters=parameters, tokens=tokens)
    assert math.isclose(scaling_laws.optimal_parameters(work_flop=budget, fit=fit), parameters, rel_tol=1e-9)


@given(work_flop=budgets, ratio=st.floats(0.5, 2000))
def test_a_ratio_spends_the_budget(work_flop: float, ratio: float) -> None:
    case = {"work_flop": work_flop, "tokens_per_parameter": ratio}
    parameters = scaling_laws.parameters_at_ratio(**case)
    assert same(parameters, searched.parameters_at_ratio(**case))
    assert same(run_costs.training_flop(parameters=parameters, tokens=ratio * parameters), work_flop)


def test_two_digits_of_an_exponent_move_the_ratio_by_half() -> None:
    ratios = [
        scaling_laws.optimal_ratio(work_flop=5.76e23, fit=fit)
        for fit in ("Besiroglu", "Muennighoff", "Hoffmann", "Hoffmann rounded")
    ]
    assert [round(ratio) for ratio in ratios] == [18, 20, 59, 93]


@given(
    middle=st.floats(1e8, 1e11),
    left=st.floats(1.2, 4),
    right=st.floats(1.2, 4),
    falls=st.floats(0.001, 0.3),
    rises=st.floats(0.001, 0.3),
)
def test_the_valley_lies_where_the_fitted_parabola_is_level(
    middle: float, left: float, right: float, falls: float, rises: float
) -> None:
    runs = {
        "small": middle / left,
        "middle": middle,
        "large": middle * right,
        "small_loss": 2.5 + falls,
        "middle_loss": 2.5,
        "large_loss": 2.5 + rises,
    }
    bottom = scaling_laws.valley_parameters(**runs)
    assert math.isclose(bottom, searched.valley_parameters(**runs), rel_tol=1e-7)
    assert runs["small"] < bottom < runs["large"]


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
        ((2e9, 1e9, 3e9), (2.5, 2.4, 2.5)),
        ((1e9, 2e9, 3e9), (2.5, 2.5, 2.6)),
        ((1e9, 2e9, 3e9), (2.5, 2.4, 2.4)),
    ],
)
def test_runs_without_a_valley_are_refused(sizes_given: tuple[float, ...], losses: tuple[float, ...]) -> None:
    runs = dict(zip(("small", "middle", "large"), sizes_given, strict=True))
    found = dict(zip(("small_loss", "middle_loss", "large_loss"), losses, strict=True))
    with pytest.raises(ValueError, match="lowest loss in the middle"):
        scaling_laws.valley_parameters(**runs, **found)


# Models of another size


@given(factor=factors, fit=fits)
def test_another_size_needs_the_tokens_that_a_search_finds(factor: float, fit: str) -> None:
    case = {"size_factor": factor, "fit": fit}
    if factor <= overtraining.smallest_size_factor(fit=fit) * 1.05:
        return
    assert math.isclose(overtraining.token_factor(**case), trained.token_factor(**case), rel_tol=1e-8)
    assert overtraining.compute_overhead(**case) == pytest.approx(trained.compute_overhead(**case), rel=1e-7, abs=1e-9)
    assert overtraining.compute_overhead(**case) >= -1e-12


@given(parameters=sizes, tokens=token_counts, fit=fits)
def test_tokens_for_a_loss_undo_the_loss(parameters: float, tokens: float, fit: str) -> None:
    loss = scaling_laws.predicted_loss(parameters=parameters, tokens=tokens, fit=fit)
    case = {"parameters": parameters, "loss": loss, "fit": fit}
    assert math.isclose(overtraining.tokens_for_loss(**case), tokens, rel_tol=1e-9)
    assert math.isclose(trained.tokens_for_loss(**case), tokens, rel_tol=1e-9)


@pytest.mark.parametrize("fit", scaling_laws.FITS)
def test_below_some_size_no_tokens_suffice(fit: str) -> None:
    least = overtraining.smallest_size_factor(fit=fit)
    assert same(least, trained.smallest_size_factor(fit=fit))
    assert overtraining.token_factor(size_factor=least * 1.001, fit=fit) > 1e6
    with pytest.raises(ValueError, match="never reaches its loss"):
        overtraining.token_factor(size_factor=least * 0.999, fit=fit)
    with pytest.raises(ValueError, match=r"stays above a loss of 1\.9"):
        overtraining.tokens_for_loss(parameters=1e8, loss=1.9, fit=fit)
    with pytest.raises(ValueError, match="never reached"):
        trained.tokens_for_loss(parameters=1e8, loss=1.9, fit=fit)


def test_half_the_size_costs_a_quarter_more_and_a_quarter_several_times() -> None:
    overheads = [overtraining.compute_overhead(size_factor=factor, fit="Besiroglu") for factor in (1, 0.5, 0.25)]
    assert [round(overhead, 2) for overhead in overheads] == [0, 0.26, 3.47]


@given(parameters=sizes, tokens=token_counts, fit=fits)
def test_every_model_has_an_optimum_of_its_loss(parameters: float, tokens: float, fit: str) -> None:
    case = {"parameters": parameters, "tokens": tokens, "fit": fit}
    equal = overtraining.equal_optimum_parameters(**case)
    assert math.isclose(equal, trained.equal_optimum_parameters(**case), rel_tol=1e-8)
    data = scaling_laws.balanced_tokens(parameters=equal, fit=fit)
    loss = scaling_laws.predicted_loss(parameters=equal, tokens=data, fit=fit)
    assert math.isclose(loss, scaling_laws.predicted_loss(**case), rel_tol=1e-12)
    assert run_costs.training_flop(parameters=equal, tokens=data) <= run_costs.training_flop(
        parameters=parameters, tokens=tokens
    ) * (1 + 1e-9)


# Serving


@given(parameters=sizes, tokens=token_counts, served=st.floats(0, 1e15), price=st.floats(0.1, 20))
def test_a_life_is_training_and_requests(parameters: float, tokens: float, served: float, price: float) -> None:
    case = {"parameters": parameters, "training_tokens": tokens, "served_tokens": served, "serving_price": price}
    assert same(inference_aware.lifetime_flop(**case), played.lifetime_flop(**case))


def test_three_served_tokens_cost_as_much_as_one_that_is_trained_on() -> None:
    trained_on = inference_aware.lifetime_flop(parameters=1e9, training_tokens=2e9, served_tokens=0)
    assert inference_aware.lifetime_flop(parameters=1e9, training_tokens=1e9, served_tokens=3e9) == trained_on


@settings(deadline=None, max_examples=a_quarter_at_once(20))
@given(parameters=sizes, share=st.floats(0.3, 0.9), fit=fits)
def test_at_the_break_even_both_models_have_cost_the_same(parameters: float, share: float, fit: str) -> None:
    tokens = scaling_laws.balanced_tokens(parameters=parameters, fit=fit)
    more = tokens * overtraining.token_factor(size_factor=share, fit=fit)
    case = {
        "large_parameters": parameters,
        "large_tokens": tokens,
        "small_parameters": share * parameters,
        "small_tokens": more,
    }
    served = inference_aware.break_even_served_tokens(**case)
    assert math.isclose(served, played.break_even_served_tokens(**case), rel_tol=1e-7)
    large = inference_aware.lifetime_flop(parameters=parameters, training_tokens=tokens, served_tokens=served)
    small = inference_aware.lifetime_flop(parameters=share * parameters, training_tokens=more, served_tokens=served)
    assert math.isclose(large, small, rel_tol=1e-9)


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


@given(parameters=sizes, served=st.floats(1e6, 1e15), fit=fits)
def test_the_best_size_is_where_the_whole_life_costs_least(parameters: float, served: float, fit: str) -> None:
    case = {"parameters": parameters, "served_tokens": served, "fit": fit}
    best = inference_aware.best_size(**case)
    assert math.isclose(best, played.best_size(**case), rel_tol=1e-7)
    assert overtraining.smallest_size_factor(fit=fit) * parameters < best < parameters * (1 + 1e-6)


def test_without_requests_the_best_size_is_chinchillas() -> None:
    assert inference_aware.best_size(parameters=13e9, served_tokens=0, fit="Besiroglu") == pytest.approx(13e9, rel=1e-9)


def test_more_requests_make_the_best_model_smaller() -> None:
    best = [
        inference_aware.best_size(parameters=13e9, served_tokens=served, fit="Besiroglu")
        for served in (1e11, 1e12, 1e13)
    ]
    assert best == sorted(best, reverse=True)


@pytest.mark.parametrize(("served", "name"), [(0, "large"), (1e12, "medium"), (3e13, "small")])
def test_demand_decides_which_model_costs_least(served: float, name: str) -> None:
    case = {
        "large_parameters": 13e9,
        "medium_parameters": 8e9,
        "small_parameters": 5e9,
        "served_tokens": served,
        "serving_price": 1,
        "fit": "Besiroglu",
    }
    assert inference_aware.least_lifetime(**case) == name == played.least_lifetime(**case)  # type: ignore[arg-type]


def test_sizes_that_do_not_fall_are_refused() -> None:
    for sizes_given in ((8e9, 8e9, 5e9), (13e9, 5e9, 5e9)):
        names = dict(zip(("large_parameters", "medium_parameters", "small_parameters"), sizes_given, strict=True))
        with pytest.raises(ValueError, match="must fall"):
            inference_aware.least_lifetime(**names, served_tokens=0, serving_price=1, fit="Besiroglu")


# Repeated data


@given(unique=token_counts, epochs=st.floats(0.1, 200), decay=st.floats(1, 40))
def test_repeats_are_worth_what_reading_them_slice_by_slice_gives(unique: float, epochs: float, decay: float) -> None:
    case = {"tokens": epochs * unique, "unique_tokens": unique, "decay": decay}
    assert math.isclose(data_constrained.effective_tokens(**case), read.effective_tokens(**case), rel_tol=1e-9)


def test_up_to_one_pass_every_token_counts() -> None:
    for tokens in (1e9, 5e9, 10e9):
        assert data_constrained.effective_tokens(tokens=tokens, unique_tokens=10e9) == tokens


def test_no_number_of_epochs_is_worth_more_than_16_times_the_data() -> None:
    limit = 1 + data_constrained.REPEATS_THAT_COUNT
    assert data_constrained.effective_tokens(tokens=1e15, unique_tokens=1e9) == pytest.approx(limit * 1e9)


@given(unique=token_counts, epochs=st.floats(1.01, 60))
def test_epochs_undo_effective_tokens(unique: float, epochs: float) -> None:
    worth = data_constrained.effective_tokens(tokens=epochs * unique, unique_tokens=unique)
    case = {"effective_tokens": worth, "unique_tokens": unique}
    assert data_constrained.epochs_for(**case) == pytest.approx(epochs, rel=1e-8)
    assert read.epochs_for(**case) == pytest.approx(epochs, rel=1e-8)


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


def test_a_search_for_epochs_knows_its_end() -> None:
    with pytest.raises(ValueError, match="no number of passes"):
        read.epochs_for(effective_tokens=17e9, unique_tokens=1e9)


@given(unique=token_counts, needed=st.floats(1.2, 12), data=st.floats(0, 1e-5), training=st.floats(1e-9, 1e-6))
def test_new_tokens_are_bought_where_repeats_cost_more(
    unique: float, needed: float, data: float, training: float
) -> None:
    case = {
        "needed_tokens": needed * unique,
        "unique_tokens": unique,
        "dollars_per_bought_token": data,
        "dollars_per_trained_token": training,
    }
    assert data_constrained.repeat_or_buy(**case) == read.repeat_or_buy(**case)


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
