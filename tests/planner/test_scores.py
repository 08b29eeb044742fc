"""Scores of predictions, compared with values computed by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bench.planner import constants, scores, spreadsheet
from bench.planner.predictions import Prediction, Predictor, Row


def test_median_and_90th_percentile_are_of_sizes() -> None:
    score = scores.Score.of([-0.1, 0.2, -0.3, 0.4, -0.5, 0.6, -0.7, 0.8, -0.9, 1.0, -1.1])
    assert (score.count, score.median, score.p90) == (11, 0.6, pytest.approx(1.0))


def test_an_error_is_over_what_is_printed(rows: list[Row]) -> None:
    row = next(row for row in rows if row.run.id == "aa-131868")
    errors = scores.step_errors([row], lambda _: Prediction(step_s=2 * 53.989))
    assert errors == {"aa-131868": pytest.approx(1.0)}


def test_memory_is_compared_in_bytes(rows: list[Row]) -> None:
    named = {row.run.id: row for row in rows}
    peak, gib = named["zb-1.5b-1f1b-m24"], named["tt-8b-8-compile-bf16"]  # 30 GB and 77.0 GiB
    errors = scores.memory_errors([peak, gib], lambda _: Prediction(memory_bytes=30e9))
    assert errors["zb-1.5b-1f1b-m24"] == pytest.approx(0)
    assert errors["tt-8b-8-compile-bf16"] == pytest.approx(30e9 / (77 * 2**30) - 1)
    smi = named["bloom-production"], named["bloom-181b-tp8-pp12-mbs1"]  # the first prints no memory
    errors = scores.memory_errors(smi, lambda _: Prediction(memory_bytes=99e9, counted_bytes=29_000 * 2**20))
    assert errors == {"bloom-181b-tp8-pp12-mbs1": pytest.approx(0)}, (
        "29 GB are 29,000 MiB, and only what is counted counts"
    )


def test_fit_or_not_is_balanced_and_a_tight_verdict_is_half_right(rows: list[Row]) -> None:
    always = scores.fit(rows, lambda _: Prediction(fits=True))
    assert set(always.oom) == set(always.ran) == {"yes"} and always.balanced == 0.5
    right = scores.fit(rows, lambda row: Prediction(fits=row.run.outcome != "oom"))
    assert right.balanced == 1
    assert scores.fit(rows, lambda row: Prediction(fits=True, fit="tight")).balanced == 0.5
    cautious = scores.fit(rows, lambda row: Prediction(fits=True, fit="yes" if row.fitted else "tight"))
    assert cautious.balanced == 0.75


def test_what_the_planner_refuses_is_a_miss(rows: list[Row]) -> None:
    row = next(row for row in rows if row.run.id == "aa-131868")
    assert scores.step_errors([row], lambda _: Prediction(why="too large"), scores.MISS) == {"aa-131868": 1.0}


def test_fit_is_asked_only_of_rows_that_say_enough(rows: list[Row]) -> None:
    named = {row.run.id: row for row in rows}
    assert named["bloom-181b-tp8-pp1-dp48-oom"].tests_fit
    assert not named["megascale-175b-megatron-256"].tests_fit, "neither micro-batch nor recomputation"
    assert not named["bridge2511-llama3-70b-h100-64-fp8"].tests_fit, "no recomputation"
    assert not named["maxtext-v5p-32b-1x64"].tests_fit, "a TPU"
    assert sum(row.tests_fit for row in rows if row.fitted) > 200


def test_a_family_is_left_out_when_it_is_predicted(rows: list[Row]) -> None:
    def fit_to(fitted: Sequence[Row]) -> Predictor:
        seen = {row.run.family for row in fitted}

        def predict(row: Row) -> Prediction:
            assert row.run.family not in seen
            return Prediction(step_s=row.step_s)

        return predict

    assert set(scores.leave_one_family_out(rows, fit_to).values()) == {0.0}


def test_halves_are_about_even_and_each_is_fitted_without_the_other(rows: list[Row]) -> None:
    first = [row for row in rows if scores.in_first_half(row)]
    assert 0.45 < len(first) / len(rows) < 0.55
    tested = scores.fit_half_test_half(rows, lambda fitted: lambda row: Prediction(step_s=float(row in fitted)))
    assert not {row.run.id for row in first} & set(tested)


def test_the_spreadsheet_is_utilisation_and_bubble(rows: list[Row]) -> None:
    row = next(row for row in rows if row.run.id == "bloom-production")
    # 70 layers of 24 h² + 4 s h forward, four times; three times the output; 12 stages, 128 micro-batches... of 2 on 8 replicas
    layer = 24 * 14336**2 + 4 * 2048 * 14336
    flop = 4 * 70 * layer + 3 * 2 * 14336 * 250880
    ideal = flop * 2048 * 2048 * (1 + 11 / 128) / (384 * 312e12)
    assert spreadsheet.ideal_s(row) == pytest.approx(ideal)
    fitted = constants.scaled([row], spreadsheet.predict, constants.by_chip)
    assert fitted(row).step_s == pytest.approx(104.7)
    assert constants.best([row], spreadsheet.predict, constants.by_chip)["dense, A100-80"] == pytest.approx(
        104.7 / ideal
    )


def test_the_best_constant_makes_the_mean_error_smallest(rows: list[Row]) -> None:
    three = [row for row in rows if row.run.id in ("aa-131868", "aa-131694", "aa-131866")]
    said = dict(
        zip((row.run.id for row in three), (1.0, 1.1, 3.0), strict=True)
    )  # times the printed: 1.1 is the median
    factors = constants.best(
        three, lambda row: Prediction(step_s=said[row.run.id] * (row.step_s or 0)), constants.by_kind
    )
    candidates = {factor: sum(abs(factor * one - 1) for one in said.values()) for factor in (1, 1 / 1.1, 1 / 3)}
    assert factors["dense"] == pytest.approx(min(candidates, key=candidates.__getitem__))


def test_a_chip_that_was_not_fitted_on_gets_the_constant_of_all(rows: list[Row]) -> None:
    a100 = [row for row in rows if row.run.id == "aa-131868"]
    (h100,) = [row for row in rows if row.run.id == "dgxc-8b-bf16-8"]
    predict = constants.scaled(a100, lambda _: Prediction(step_s=1.0), constants.by_chip)
    assert predict(h100).step_s == pytest.approx(53.989)


def test_rows_without_trust_a_are_not_fitted_on(rows: list[Row]) -> None:
    less = [row for row in rows if row.run.trust == "B" and row.step_s]
    assert constants.best(less, lambda _: Prediction(step_s=1.0), constants.by_kind) == {}


def test_what_a_model_does_not_answer_is_not_scored(rows: list[Row]) -> None:
    assert scores.step_errors(rows, lambda _: Prediction(why="too large")) == {}
    assert not scores.fit(rows, lambda _: Prediction()).ran
