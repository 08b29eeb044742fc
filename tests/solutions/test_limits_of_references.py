"""What references give at the very edge of what they take, and what they assume of an argument that is omitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from solutions.accumulation import accumulation
from solutions.activations import activations
from solutions.checkpointing import checkpoint_interval, checkpoints, restart_costs
from solutions.cost import data_constrained
from solutions.data import duplicates, object_store, packing, sample_order
from solutions.experts import expert_capacity, expert_memory, expert_traffic
from solutions.layout import diagnosis, fixed_batch, layout
from solutions.oracles.activations.activations import peak_activation_bytes
from solutions.planner import verdicts as layout_judge
from solutions.precision import formats, stagnation
from solutions.shapes import layer_parameters, moe

MIXTRAL: dict[str, Any] = {"dense_parameters": 1.6e9, "routed_parameters": 45.1e9, "dp": 64}
ATTENTION: dict[str, Any] = {"hidden": 64, "heads": 6, "kv_heads": 2, "head_dim": 8}
LINKS: dict[str, Any] = {"flop_per_s": 400e12, "bytes_per_s": 360e9}
TRACE: dict[str, Any] = {
    "micro_batch_s": 0.25, "micro_batches": 16, "stages": 8, "virtual_stages": 1, "recomputed": False,
    "kernel_efficiency": 0.5, "best_efficiency": 0.75,
}  # fmt: skip
FAILURES: dict[str, Any] = {"failures": 3, "interval_s": 3600, "write_s": 60, "detect_s": 600, "restart_s": 900}
STACK: dict[str, Any] = {
    "layers": 2,
    "hidden": 64,
    "attention_parameters": 100,
    "experts": 4,
    "expert_ffn_hidden": 32,
    "vocabulary": 10,
}


def test_biases_norms_and_sinks_of_attention_are_counted_one_by_one() -> None:
    plain = layer_parameters.attention_parameters(**ATTENTION)
    assert layer_parameters.attention_parameters(**ATTENTION, biases=True) - plain == 48 + 2 * 16 + 64
    assert layer_parameters.attention_parameters(**ATTENTION, qk_norm=True) - plain == 2 * 8
    assert layer_parameters.attention_parameters(**ATTENTION, sinks=True) - plain == 6


def test_a_degree_of_experts_divides_ranks_and_experts_and_may_fill_the_room() -> None:
    filled = expert_memory.mixture_state_bytes(**MIXTRAL, ep=4)
    assert expert_memory.smallest_ep(**MIXTRAL, experts=8, room_bytes=filled) == 4
    assert expert_memory.smallest_ep(**MIXTRAL, experts=8, room_bytes=filled - 1) == 8
    assert (
        expert_memory.smallest_ep(**MIXTRAL, experts=12, room_bytes=filled + 40e9) == 4
    )  # 3 does not divide the ranks


def test_width_and_copies_of_a_token_cancel_in_the_exchange() -> None:
    case: dict[str, Any] = {"expert_ffn_hidden": 2048, "ep": 8, **LINKS}
    plain = expert_traffic.exchange_over_compute(**case)
    assert expert_traffic.exchange_over_compute(**case, hidden=7168, experts_per_token=8) == pytest.approx(plain)


def test_even_ranks_and_a_tie_of_the_two_splits() -> None:
    case: dict[str, Any] = {"gpus": 8, "experts_per_token": 2, "expert_ffn_hidden": 14336, **LINKS}
    assert expert_traffic.quicker_split(imbalance=1, **case) == "whole"
    tie = expert_traffic.break_even_imbalance(**case)
    assert expert_traffic.quicker_split(imbalance=tie, **case) == "cut"


def test_epochs_reach_from_the_data_themselves_to_just_below_what_repeats_can_give() -> None:
    assert data_constrained.epochs_for(effective_tokens=5.0, unique_tokens=5.0) == 1
    with pytest.raises(ValueError, match="within reach"):
        data_constrained.epochs_for(effective_tokens=4.0, unique_tokens=1.0, decay=3.0)


def test_what_is_bought_is_what_is_missing_and_at_the_same_price_one_buys() -> None:
    prices: dict[str, Any] = {"needed_tokens": 300e9, "unique_tokens": 100e9, "dollars_per_trained_token": 0.1e-6}
    repeats = data_constrained.epochs_for(effective_tokens=300e9, unique_tokens=100e9) * 100e9 - 300e9
    tie = repeats * 0.1e-6 / 200e9  # dollars for each of the 200 billion missing tokens
    for price, choice in ((0.99 * tie, "buy"), (1.01 * tie, "repeat")):
        assert data_constrained.repeat_or_buy(**prices, dollars_per_bought_token=price) == choice
    free = {"dollars_per_trained_token": 0.0, "dollars_per_bought_token": 0.0}
    assert data_constrained.repeat_or_buy(needed_tokens=2.0, unique_tokens=1.0, **free) == "buy"


def test_a_step_may_be_all_pipeline_and_a_forward_pass_all_scores() -> None:
    assert diagnosis.lost_seconds(part="exposed", step_s=0.25 * 23, **TRACE) == 0
    run: dict[str, Any] = {
        "micro_batch_s": 0.2,
        "micro_batches": 16,
        "stages": 8,
        "virtual_stages": 1,
        "sync_s": 0.5,
        "loader_s": 0.2,
    }
    after = {change: diagnosis.seconds_after(change=change, score_share=1, **run) for change in ("none", "selective")}
    assert after["none"] == after["selective"]


def test_no_number_of_bands_finds_all() -> None:
    for certain in ({"similarity": 1, "recall": 0.9}, {"similarity": 0.8, "recall": 1}):
        with pytest.raises(ValueError, match="below 1"):
            duplicates.fewest_bands(rows=8, **certain)


def test_exactly_as_many_dropped_copies_as_allowed_are_few_enough() -> None:
    dropped = expert_capacity.dropped_copies(loads=[6, 2], capacity_factor=1.0)
    assert expert_capacity.least_factor(loads=[6, 2], factors=[1.0, 2.0], largest_dropped_share=dropped / 8) == 1.0


def test_the_quickest_layout_weighs_the_bubble_by_its_micro_batches() -> None:
    case: dict[str, Any] = {"weight_bytes": 810, "activation_bytes": 64, "budget_bytes": 40, "cp": 1, "tp_percent": 5}
    assert layout.best_layout(gpus=64, sequences=64, **case) == (4, 1, 16, 1)  # (8, 1, 4, 2) waits less, of less work


def test_a_layer_with_experts_keeps_other_activations_than_a_dense_one() -> None:
    mixture = layout_judge.kept_bytes(model="Mixtral-8x7B", sequence=8192)
    assert mixture > 1.2 * layout_judge.kept_bytes(model="Llama-3-8B", sequence=8192)  # two experts for each token


@pytest.mark.parametrize(
    "call",
    [
        lambda: moe.total_parameters(**STACK, dense_layers=1),
        lambda: moe.active_parameters(**STACK, experts_per_token=2, dense_layers=1),
        lambda: object_store.smallest_request_bytes(
            bytes_per_s=4.0, requests_in_flight=2, latency_s=0.1, stream_bytes_per_s=2.0
        ),
        lambda: packing.best_fit_sequences(lengths=[4, 0], sequence_length=8),
        lambda: sample_order.buffer_for_spread(draws=10, share=1),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        call()


def test_one_expert_a_layer_is_the_fewest_that_fit() -> None:
    one = moe.routed_parameters(layers=2, hidden=64, experts=1, expert_ffn_hidden=32)
    case: dict[str, Any] = {
        "other_parameters": 1000.0,
        "layers": 2,
        "hidden": 64,
        "expert_ffn_hidden": 32,
        "bytes_per_parameter": 1.0,
    }
    assert moe.most_experts(**case, room_bytes=1000.0 + one) == 1
    assert moe.most_experts(**case, room_bytes=1000.0 + 2.5 * one) == 2
    with pytest.raises(ValueError, match="not even one"):
        moe.most_experts(**case, room_bytes=999.0 + one)


def test_nothing_is_added_to_a_restart_for_what_is_left_out() -> None:
    assert restart_costs.lost_work_seconds(interval_s=10) == 5
    assert restart_costs.background_failure_seconds(period_s=10, drain_s=4) == 9
    whole = restart_costs.proposal_seconds_saved(**FAILURES, avoided_failures=3)
    assert whole == 3 * restart_costs.failure_seconds(interval_s=3600, write_s=60, detect_s=600, restart_s=900)
    shorter = restart_costs.proposal_seconds_saved(**FAILURES, new_interval_s=1800)
    assert shorter == 3 * 900


def test_a_write_of_two_mtbf_leaves_one_mtbf_between_checkpoints() -> None:
    assert checkpoint_interval.daly_interval_seconds(write_s=2, mtbf_s=1) == 1


def test_a_checkpoint_has_its_own_master_copy_and_only_the_newest_ones_stay() -> None:
    assert checkpoints.checkpoint_bytes(parameters=1, bytes_per_master=2) == 2 + 2 + 8
    assert checkpoints.stored_bytes(checkpoint_bytes=1, saves=10, keep_last=2) == 2


def test_a_bubble_just_above_a_limit_of_one_in_64_is_too_large() -> None:
    run: dict[str, Any] = {"micro_batch": 1, "tp": 8, "cp": 1, "pp": 2, "virtual_stages": 1, "overhead": 1 / 64}
    assert fixed_batch.most_gpus(sequences=64, **run) == 16
    with pytest.raises(ValueError, match="bubble overhead"):
        fixed_batch.most_gpus(sequences=63, **run)


def test_what_just_fits_fits_and_what_is_just_enough_is_enough() -> None:
    assert accumulation.micro_batch_that_fits(memory_bytes=29e9, state_bytes=24e9, sample_bytes=5e9) == 1
    assert duplicates.fewest_bands(rows=1, similarity=0.5, recall=0.75) == 2
    assert [formats.rounded(value=value, number_format="BF16") for value in (0.0, 1.0)] == [0, 1]
    step = formats.spacing(value=1.0, number_format="BF16")
    assert stagnation.expected_steps_to_move(weight=1.0, update=step, number_format="BF16") == 1


def test_with_all_layers_recomputed_one_of_them_is_whole_at_a_time() -> None:
    shape = {"hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 1000}
    case: dict[str, Any] = {"tokens": 8192, "layers": 4, "recomputed_layers": 4, "tp": 2, **shape}
    assert activations.peak_activation_bytes(**case) == pytest.approx(peak_activation_bytes(**case), rel=1e-9)
