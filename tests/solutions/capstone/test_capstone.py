"""The capstone's references against its engines, its limits, and the numbers of a real 405B run."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.capstone import capstone
from solutions.cost import run_costs
from solutions.facts import hardware
from solutions.oracles.capstone import capstone as engine
from solutions.shapes.layer_parameters import layer_parameters

PFLOP_DAY = 1e15 * 86400
DAY = 86400.0
HOUR = 3600.0
LLAMA: dict[str, Any] = {"hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8}
RUN: dict[str, Any] = {"parameters": 405e9, "tokens": 15.6e12}
PEAKS = [
    hardware.peak_flop_per_s(accelerator=card) for card in ("A100-80GB", "H100-80GB", "B200-180GB", "MI300X-192GB")
]
H100 = PEAKS[1]

parameter_counts = st.floats(1e8, 2e12)
token_counts = st.floats(1e9, 5e13)
utilisations = st.floats(0.02, 1.0)
bills = st.floats(1e3, 1e9)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


# Weights and states


def test_llama_405b_is_405_85_billion_and_4d_squared_overshoots_by_60() -> None:
    layer = layer_parameters(**LLAMA)
    assert round(layer / 1e9, 3) == 3.188
    assert round((layer - 3 * 16384 * 53248) / 1e9, 3) == 0.570
    assert round(3 * 16384 * 53248 / 1e9, 3) == 2.617
    assert round(128256 * 16384 / 1e9, 2) == 2.10
    whole = {**LLAMA, "layers": 126, "vocabulary": 128256}
    assert round(capstone.model_parameters(**whole) / 1e9, 2) == 405.85
    ungrouped = {**whole, "kv_heads": 128}
    layers_alone = 126 * layer_parameters(**{**LLAMA, "kv_heads": 128})
    assert round(layers_alone / 1e9) == 465
    assert round(capstone.model_parameters(**ungrouped) / 1e9) == 469  # the embeddings add 4.2


# Time


def test_attention_adds_8_per_cent_to_405b_at_8k_and_more_than_its_weights_at_128k() -> None:
    shape: dict[str, Any] = {"mfu": 0.345, "parameters": 405e9, "layers": 126, "hidden": 16384}
    assert run_costs.mfu_with_attention(**shape, sequence_length=8192) / 0.345 == pytest.approx(1.0835, abs=1e-4)
    assert run_costs.mfu_with_attention(**shape, sequence_length=131072) / 0.345 == pytest.approx(2.336, abs=1e-3)


def test_the_405b_run_in_numbers() -> None:
    assert run_costs.training_flop(**RUN) == pytest.approx(3.7908e25)
    assert run_costs.training_flop(**RUN) / PFLOP_DAY == pytest.approx(438_750)
    cluster = {**RUN, "gpus": 16384, "peak_flop_per_s": H100}
    assert run_costs.training_seconds_at_mfu(**cluster, mfu=0.40) / DAY == pytest.approx(67.69, abs=0.005)
    paid = 30.84e6 * HOUR  # GPU-seconds, Llama 3.1 model card, July 2024
    assert run_costs.wall_clock_seconds(gpu_time_s=paid, gpus=16384) / DAY == pytest.approx(78.4, abs=0.05)
    bill = {**RUN, "peak_flop_per_s": H100}
    assert run_costs.mfu_from_gpu_time(**bill, gpu_time_s=paid) == pytest.approx(0.345, abs=5e-4)
    in_54_days = 16384 * 54 * DAY
    assert run_costs.mfu_from_gpu_time(**bill, gpu_time_s=in_54_days) == pytest.approx(0.501, abs=5e-4)


@given(run_s=st.floats(HOUR, 400 * DAY), speedup=st.floats(1, 4))
def test_a_speedup_saves_less_than_its_excess_says(run_s: float, speedup: float) -> None:
    case = {"run_s": run_s, "speedup": speedup}
    saved = run_costs.seconds_saved_by_speedup(**case)
    assert math.isclose(saved, engine.seconds_saved_by_speedup(**case), rel_tol=1e-9, abs_tol=1e-9 * run_s)
    assert 0 <= saved <= (speedup - 1 + 1e-9) * run_s


# Money


@given(bill=bills, mfu=st.floats(0.1, 0.9), gain=st.floats(0.001, 0.1))
def test_savings_are_the_difference_of_two_runs(bill: float, mfu: float, gain: float) -> None:
    points = {"bill_dollars": bill, "mfu": mfu, "points": gain}
    saved = run_costs.dollars_saved_by_points(**points)
    assert abs(saved - engine.dollars_saved_by_points(**points)) <= 1e-9 * bill
    # a gain of g points on an MFU of u is a speedup of 1 + g/u
    assert same(saved, run_costs.seconds_saved_by_speedup(run_s=bill, speedup=1 + gain / mfu))


def test_the_70b_run_costs_1_57_million_and_not_3_93() -> None:
    run: dict[str, Any] = {"parameters": 70e9, "tokens": 1.5e12, "peak_flop_per_s": H100, "mfu": 0.45}
    right = run_costs.dollars_to_finish(**run, dollars_per_gpu_hour=4)
    assert right == pytest.approx(1.57e6, abs=5e3)
    as_written = run_costs.rental_dollars(gpus=1024, run_s=40 * DAY, dollars_per_gpu_hour=4)
    assert as_written == pytest.approx(3.93e6, abs=5e3)


@given(parameters=parameter_counts, tokens=token_counts, mfu=utilisations, price=st.floats(0.5, 10))
def test_the_bill_does_not_depend_on_the_number_of_gpus(
    parameters: float, tokens: float, mfu: float, price: float
) -> None:
    run = {"parameters": parameters, "tokens": tokens, "peak_flop_per_s": H100, "mfu": mfu}
    bill = run_costs.dollars_to_finish(**run, dollars_per_gpu_hour=price)
    assert same(bill, engine.dollars_to_finish(**run, dollars_per_gpu_hour=price))
    for gpus in (8, 16384):
        run_s = run_costs.training_seconds_at_mfu(**run, gpus=gpus)
        rent = run_costs.rental_dollars(gpus=gpus, run_s=run_s, dollars_per_gpu_hour=price)
        assert same(rent, bill)


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[3] / "problems" / "16-capstone-405b").glob("*.yaml")), ids=lambda p: p.stem
)
def test_a_template_states_no_peak_of_its_own(path: Path) -> None:
    peaks = "|".join(f"{round(figure / 1e12):_}".replace("_", "[,_]?") for figure in PEAKS)
    assert not re.search(rf"\b(?:{peaks}|1,?979)\b", path.read_text("utf-8"))
