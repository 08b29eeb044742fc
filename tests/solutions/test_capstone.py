"""The capstone's references against its engines, its limits, and the numbers of a real 405B run."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions import capstone, hardware, run_costs
from solutions.oracles import capstone as engine
from solutions.oracles.layer_flop import attention_flop_per_pair_and_channel, flop_per_weight_and_token

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


def test_without_grouping_attention_has_four_square_matrices() -> None:
    grouped = capstone.layer_parameters(**LLAMA)
    full = capstone.layer_parameters(**{**LLAMA, "kv_heads": 128})
    assert full == 4 * 16384**2 + 3 * 16384 * 53248
    assert full - grouped == 2 * 16384**2 - 2 * 16384 * 1024


def test_llama_405b_is_405_85_billion_and_4d_squared_overshoots_by_60() -> None:
    layer = capstone.layer_parameters(**LLAMA)
    assert round(layer / 1e9, 3) == 3.188
    assert round((layer - 3 * 16384 * 53248) / 1e9, 3) == 0.570
    assert round(3 * 16384 * 53248 / 1e9, 3) == 2.617
    assert round(128256 * 16384 / 1e9, 2) == 2.10
    whole = {**LLAMA, "layers": 126, "vocabulary": 128256}
    assert round(capstone.model_parameters(**whole) / 1e9, 2) == 405.85
    ungrouped = {**whole, "kv_heads": 128}
    layers_alone = 126 * capstone.layer_parameters(**{**LLAMA, "kv_heads": 128})
    assert round(layers_alone / 1e9) == 465
    assert round(capstone.model_parameters(**ungrouped) / 1e9) == 469  # the embeddings add 4.2


def test_a_gpu_holds_6_38_gb_of_weights() -> None:
    held = capstone.stage_weight_bytes(**LLAMA, stage_layers=8, tp=8, bytes_per_weight=2)
    assert round(held / 1e9, 2) == 6.38
    with_4d2 = capstone.stage_weight_bytes(**{**LLAMA, "kv_heads": 128}, stage_layers=8, tp=8, bytes_per_weight=2)
    assert round(with_4d2 / 1e9, 2) == 7.38


def test_gradients_left_whole_cost_twice_the_weights() -> None:
    slice_of_405b = capstone.stage_weight_bytes(**LLAMA, stage_layers=8, tp=8, bytes_per_weight=1)
    sharded = capstone.state_bytes_per_gpu(gpu_parameters=slice_of_405b, gradient_shards=128, optimizer_shards=128)
    whole = capstone.state_bytes_per_gpu(gpu_parameters=slice_of_405b, gradient_shards=1, optimizer_shards=128)
    assert round(sharded / 1e9, 2) == 6.77
    assert round(whole / 1e9, 2) == 19.42


# Time


def test_a_layer_trained_on_numbers_that_count_does_six_flop() -> None:
    assert flop_per_weight_and_token() == 6


def test_attention_trained_on_numbers_that_count_does_twelve_flop() -> None:
    assert attention_flop_per_pair_and_channel() == 12


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


def test_a_sustained_rate_is_not_discounted_again() -> None:
    run: dict[str, Any] = {"parameters": 70e9, "tokens": 1.5e12}
    assert run_costs.training_flop(**run) == pytest.approx(6.3e23)
    sustained = run_costs.training_seconds_at_rate(**run, gpus=1024, achieved_flop_per_s=400e12)
    assert sustained / DAY == pytest.approx(17.8, abs=0.05)
    at_mfu = run_costs.training_seconds_at_mfu(**run, gpus=1024, peak_flop_per_s=H100, mfu=0.45)
    assert at_mfu / DAY == pytest.approx(16.0, abs=0.05)
    assert at_mfu / 4 / DAY == pytest.approx(4.0, abs=0.05)
    assert run_costs.gpu_seconds(**run, peak_flop_per_s=H100, mfu=0.45) == pytest.approx(1.416e9, rel=1e-3)
    twice = run_costs.gpu_seconds(**run, peak_flop_per_s=400e12, mfu=0.45)
    assert twice == pytest.approx(3.5e9)  # a thousand times 3.5 million
    assert twice / HOUR == pytest.approx(9.7e5, rel=3e-3)
    as_written = 400e12 * 0.45
    assert as_written / H100 == pytest.approx(0.182, abs=5e-4)
    assert twice / 1024 / DAY == pytest.approx(39.6, abs=0.05)


@given(run_s=st.floats(HOUR, 400 * DAY), speedup=st.floats(1, 4))
def test_a_speedup_saves_less_than_its_excess_says(run_s: float, speedup: float) -> None:
    case = {"run_s": run_s, "speedup": speedup}
    saved = run_costs.seconds_saved_by_speedup(**case)
    assert math.isclose(saved, engine.seconds_saved_by_speedup(**case), rel_tol=1e-9, abs_tol=1e-9 * run_s)
    assert 0 <= saved <= (speedup - 1 + 1e-9) * run_s


# Traffic


def test_gradients_and_weights_of_405b_take_380_ms_and_4d_squared_would_take_439() -> None:
    case = {**LLAMA, "stage_layers": 8, "tp": 8, "dp": 128, "bandwidth_bytes_per_s": 50e9}
    assert capstone.gradient_sync_seconds(**case) == pytest.approx(0.380, abs=5e-4)
    assert capstone.gradient_sync_seconds(**case) * 50 == pytest.approx(18.98, abs=5e-3)
    as_bf16_all_reduce = capstone.gradient_sync_seconds(**case) * (2 + 2) / (4 + 2)
    assert as_bf16_all_reduce == pytest.approx(0.253, abs=5e-4)
    full = {**case, "kv_heads": 128}
    assert capstone.gradient_sync_seconds(**full) == pytest.approx(0.4393, abs=2e-4)


# Money


@given(bill=bills, mfu=st.floats(0.1, 0.9), gain=st.floats(0.001, 0.1))
def test_savings_are_the_difference_of_two_runs(bill: float, mfu: float, gain: float) -> None:
    points = {"bill_dollars": bill, "mfu": mfu, "points": gain}
    saved = run_costs.dollars_saved_by_points(**points)
    assert abs(saved - engine.dollars_saved_by_points(**points)) <= 1e-9 * bill
    # a gain of g points on an MFU of u is a speedup of 1 + g/u
    assert same(saved, run_costs.seconds_saved_by_speedup(run_s=bill, speedup=1 + gain / mfu))


def test_one_point_of_mfu_is_worth_more_than_one_per_cent() -> None:
    bill = run_costs.rental_dollars(gpus=16384, run_s=77 * DAY, dollars_per_gpu_hour=2)
    assert bill == pytest.approx(60.56e6, abs=5e3)
    assert 0.01 * bill == pytest.approx(606e3, abs=500)
    relative = run_costs.seconds_saved_by_speedup(run_s=bill, speedup=1.01)
    assert relative == pytest.approx(0.01 * bill / 1.01)
    points = run_costs.dollars_saved_by_points(bill_dollars=bill, mfu=0.40, points=0.01)
    assert points == pytest.approx(1.48e6, abs=5e3)


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


def test_electricity_of_77_days() -> None:
    run: dict[str, Any] = {"gpus": 16384, "watts_per_gpu": 700, "run_s": 77 * DAY, "dollars_per_kwh": 0.05}
    assert round(run_costs.electricity_dollars(**run)) == 1_059_717
    assert round(run_costs.electricity_dollars(**run, pue=1.4)) == 1_483_604


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "problems" / "16-capstone-405b").glob("*.yaml")), ids=lambda p: p.stem
)
def test_a_template_states_no_peak_of_its_own(path: Path) -> None:
    peaks = "|".join(f"{round(figure / 1e12):_}".replace("_", "[,_]?") for figure in PEAKS)
    assert not re.search(rf"\b(?:{peaks}|1,?979)\b", path.read_text("utf-8"))


# Bad arguments


GOOD: dict[str, dict[str, Any]] = {
    "layer_parameters": LLAMA,
    "model_parameters": {**LLAMA, "layers": 126, "vocabulary": 128256},
    "stage_weight_bytes": {**LLAMA, "stage_layers": 8, "tp": 8, "bytes_per_weight": 2},
    "state_bytes_per_gpu": {"gpu_parameters": 3e9, "gradient_shards": 128, "optimizer_shards": 128},
    "training_flop": RUN,
    "training_seconds_at_mfu": {**RUN, "gpus": 8, "peak_flop_per_s": H100, "mfu": 0.4},
    "training_seconds_at_rate": {**RUN, "gpus": 8, "achieved_flop_per_s": 4e14},
    "gpu_seconds": {**RUN, "peak_flop_per_s": H100, "mfu": 0.4},
    "wall_clock_seconds": {"gpu_time_s": 1e9, "gpus": 8},
    "mfu_from_gpu_time": {**RUN, "gpu_time_s": 1e11, "peak_flop_per_s": H100},
    "mfu_from_throughput": {"parameters": 4e11, "tokens_per_s": 2e6, "gpus": 8, "peak_flop_per_s": H100},
    "gradient_sync_seconds": {**LLAMA, "stage_layers": 8, "tp": 8, "dp": 8, "bandwidth_bytes_per_s": 5e10},
    "mfu_with_attention": {"mfu": 0.4, "parameters": 4e11, "layers": 126, "hidden": 16384, "sequence_length": 8192},
    "rental_dollars": {"gpus": 8, "run_s": 3600, "dollars_per_gpu_hour": 2},
    "dollars_saved_by_points": {"bill_dollars": 1e6, "mfu": 0.4, "points": 0.01},
    "electricity_dollars": {"gpus": 8, "watts_per_gpu": 700, "run_s": 60, "dollars_per_kwh": 0.1, "pue": 1.2},
    "dollars_per_useful_gpu_hour": {"dollars_per_gpu_hour": 2, "useful_share": 0.5},
    "seconds_saved_by_speedup": {"run_s": 60, "speedup": 1.5},
    "dollars_to_finish": {**RUN, "peak_flop_per_s": H100, "mfu": 0.4, "dollars_per_gpu_hour": 2},
}  # fmt: skip


def reference(name: str) -> Any:
    """The function of that name, of the run's layout or of its costs."""
    return getattr(capstone, name, None) or getattr(run_costs, name)


@pytest.mark.parametrize(
    ("name", "wrong", "why"),
    [
        ("layer_parameters", {"kv_heads": 7}, "7 KV heads"),
    ],
)
def test_an_impossible_argument_is_refused(name: str, wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        reference(name)(**{**GOOD[name], **wrong})
