"""FLOP, time and memory of layers of different kinds: as Megatron-LM and TorchTitan count them, and in the right order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solutions.planner.activations import layer_bytes
from solutions.planner.constants import constant
from solutions.planner.flops import core_flop, forward_flop
from solutions.planner.judging import plan
from solutions.planner.layer import layer_passes
from solutions.planner.memory import stage_memory
from solutions.planner.shapes import Batch, Block, Cluster, Layout, Model, named_model
from solutions.planner.stages import layer_kinds, stage_parameters
from solutions.planner.time import head_seconds, stage_seconds

H100 = Cluster("H100-80GB", 64)


def megatron(model: Model, *, sequence: int) -> float:
    """Return forward FLOP per token by Megatron-LM's formulas (num_floating_point_operations, 2026), written out from its hyperparameters.

    Attention counts the causal half; a window counts half of its keys. Norms inside latent attention and the two norms of
    multi-token prediction count like matrices; the router does not count.
    """
    d, heads, total = model.hidden, model.heads, 0.0
    for block, count in [*model.kinds.items(), (model.blocks[-1], model.mtp_layers)]:
        if block.mixer == "latent":
            width, values = model.head_dim + model.rope_head_width, model.value_dim
            queries = model.query_rank * (d + heads * width + 1)
            keys = model.kv_rank * (d + heads * (model.head_dim + values) + 1) + d * model.rope_head_width
            each = 2 * (queries + keys + heads * values * d) + sequence * heads * (width + values)
        elif block.mixer == "mamba":
            inner = model.recurrence.values  # Megatron-LM writes 2 · hidden, which is the same for Nemotron-H
            state = model.recurrence.key_width
            each = (
                2 * d * (2 * inner + 2 * model.recurrence.keys + model.recurrence.value_heads)
                + 7 * inner * state
                + 2 * inner * d
            )
        elif block.mixer == "delta":
            keys, values = model.recurrence.keys, model.recurrence.values
            each = 2 * (d * (2 * keys + 2 * values + 2 * model.recurrence.value_heads) + 4 * (2 * keys + values)
                        + model.recurrence.value_heads * model.recurrence.value_width**2 * 4 + d * values)  # fmt: skip
        elif block.mixer == "none":
            each = 0.0
        else:
            width, kv = heads * model.head_dim, model.kv_heads * model.head_dim
            pairs = min(block.span or sequence, sequence)
            each = 2 * d * (2 * width + 2 * kv + model.gated * width) + 2 * width * pairs
        experts = (model.experts_per_token + model.shared_experts) * model.expert_ffn_hidden if block.is_mixture else 0
        inner = model.ffn_hidden if block.mlp == "dense" else experts
        total += count * (each + 2 * model.mlp_matrices * d * inner)
    return total + 2 * model.mtp_layers * (3 * d + 2 * d * d) + 2 * d * model.vocabulary * (1 + model.mtp_layers)


@pytest.mark.parametrize(
    "name", ["Llama-3-8B", "DeepSeek-V3", "GLM-4.5", "Qwen3-Next-80B-A3B", "GPT-OSS-120B", "Nemotron-H-56B"]
)
def test_flop_are_those_of_megatron(name: str) -> None:
    model = named_model(name)
    if name == "DeepSeek-V3":
        model = replace(model, mtp_layers=1)  # as Megatron-LM trains it
    ours = sum(forward_flop(model, sequence=4096, causal=True).values())
    router = 2 * model.hidden * model.experts * (model.mixture_layers + model.mtp_layers * model.blocks[-1].is_mixture)
    assert ours - router == pytest.approx(megatron(model, sequence=4096), rel=2e-4)


def test_flop_are_those_of_torchtitan() -> None:
    model = named_model("Qwen3-30B-A3B")
    norms = (2 * model.layers + 1) * model.hidden + model.layers * 2 * model.head_dim  # which it counts like matrices
    assert 3 * sum(forward_flop(model, sequence=8192).values()) + 6 * norms == 37_578_559_488


def test_a_window_as_long_as_the_sequence_is_full_attention() -> None:
    model, batch = named_model("Llama-3-8B"), Batch(64, 4096)
    full, long, short = Block(), Block("window", span=4096), Block("window", span=128)
    assert core_flop(model, long, sequence=4096) == core_flop(model, full, sequence=4096)
    assert core_flop(model, short, sequence=4096) * 32 == core_flop(model, full, sequence=4096)
    seconds = [layer_passes(model, H100, Layout(), batch, block)[0].core for block in (full, long, short)]
    assert (
        seconds[0] == seconds[1] and 0.2 < seconds[2] / seconds[0] < 0.4
    )  # 128 keys start as many tiles as 950 would fill


def test_recurrent_layers_grow_with_the_sequence_and_attention_with_its_square() -> None:
    model = named_model("Qwen3-Next-80B-A3B")
    delta, full = model.blocks[0], model.blocks[3]
    short, long = (
        [layer_passes(model, H100, Layout(), Batch(64, size), block)[0].core for block in (delta, full)]
        for size in (8192, 65536)
    )
    assert long[0] == pytest.approx(8 * short[0])
    assert long[1] > 50 * short[1] and short[0] < short[1]


def test_a_layer_with_half_of_the_parts_costs_less_than_a_whole_one() -> None:
    model, batch = named_model("Nemotron-H-56B"), Batch(64, 8192)
    mixer, mlp = Block("mamba", "none"), Block("none")
    layout = Layout(tp=8)
    one, other, both = (layer_passes(model, H100, layout, batch, block) for block in (mixer, mlp, Block("mamba")))
    for way in (0, 1):
        for part in ("products", "core", "small", "tensor"):
            whole = getattr(both[way], part)
            if part == "tensor":  # what is hidden depends on the products of the same layer
                assert getattr(one[way], part) + getattr(other[way], part) == pytest.approx(whole, rel=0.01)
            else:
                assert getattr(one[way], part) + getattr(other[way], part) == pytest.approx(whole)
    kept = [layer_bytes(model, layout, batch, block) for block in (mixer, mlp, Block("mamba"))]
    assert kept[0] + kept[1] == pytest.approx(kept[2])


def test_the_last_stage_predicts_further_tokens() -> None:
    plain, batch, layout = named_model("DeepSeek-V3"), Batch(64, 4096), Layout(pp=4, ep=8, dp=8)
    further = replace(plain, mtp_layers=1)
    assert layer_kinds(further, layout, 3)[plain.blocks[-1]] == layer_kinds(plain, layout, 3)[plain.blocks[-1]] + 1
    assert layer_kinds(further, layout, 2) == layer_kinds(plain, layout, 2)
    more = stage_parameters(further, replace(layout, ep=1), 3) - stage_parameters(plain, replace(layout, ep=1), 3)
    assert more == pytest.approx(further.mtp_parameters, rel=1e-4)
    cluster = Cluster("H100-80GB", 256)
    assert head_seconds(further, cluster, layout, batch) > 2 * head_seconds(plain, cluster, layout, batch)
    assert stage_memory(further, layout, batch, 3)["logits"] == 2 * stage_memory(plain, layout, batch, 3)["logits"]
    before, after = (stage_seconds(model, cluster, layout, batch) for model in (plain, further))
    assert before[:3] == after[:3] and after[3].whole > before[3].whole


@pytest.mark.parametrize(
    "name", ["MiniMax-Text-01", "Nemotron-3-Super-120B-A12B", "Gemma-3-27B", "Llama-4-Maverick", "MiMo-V2-Flash"]
)
def test_stages_of_different_layers_hold_all_parameters(name: str) -> None:
    model, layout = named_model(name), Layout(pp=4, dp=16)
    held = sum(stage_parameters(model, layout, stage) for stage in range(4))
    tables = model.vocabulary * model.hidden * model.tied  # a pipeline has a copy on its last stage
    assert held == pytest.approx(model.parameters + model.mtp_parameters + tables, rel=1e-3)
    judged = plan(model, Cluster("H100-80GB", 64), layout, Batch(64, 4096))
    assert judged.step and 0 < judged.mfu < 0.7


def test_recurrent_heads_limit_tensor_parallelism() -> None:
    faults = plan(named_model("Nemotron-H-56B"), H100, Layout(tp=16, dp=4), Batch(64, 4096)).faults
    assert "TP 16 does not divide the 8 heads (or groups) of the recurrent layers" in [fault.words for fault in faults]


def test_sinks_and_narrow_heads_slow_attention_down() -> None:
    sinks, batch = named_model("GPT-OSS-120B"), Batch(64, 4096)
    full, plain = sinks.blocks[1], replace(sinks, sinks=False)
    old, new = Layout(software="megatron-2024"), Layout(software="nemo-2025")
    written, fused = (layer_passes(sinks, H100, layout, batch, full)[0].core for layout in (old, new))
    assert written > 5 * fused and layer_passes(plain, H100, new, batch, full)[0].core == fused
    kept = [layer_bytes(model, old, batch, full) for model in (sinks, plain)]
    assert kept[0] - kept[1] == 4 * 64 * 4096**2  # softmax's output and input in 16 bits, for each head and pair
    wide = replace(plain, heads=32, kv_heads=4, head_width=128)  # as many elements
    assert layer_passes(wide, H100, new, batch, full)[0].core == pytest.approx(fused * constant("narrow_heads"))


def test_biases_of_experts_are_read_and_written_once_more() -> None:
    model = named_model("GPT-OSS-120B")
    block, layout, batch = model.blocks[1], Layout(dp=64, ep=8, micro_batch=8), Batch(512, 4096)
    biased, plain = (
        layer_passes(replace(model, expert_biases=there), H100, layout, batch, block)[0].small
        for there in (True, False)
    )
    moved = 4 * 8 * 4096 * 4 * (2 * 2880 + 2880)
    assert biased - plain == pytest.approx(moved / (3.35e12 * constant("hbm")))


def test_a_recurrence_has_no_scores_to_recompute() -> None:
    model, batch = named_model("Nemotron-H-56B"), Batch(64, 8192)
    cluster, none, selective = Cluster("H100-80GB", 64), Layout(tp=8, dp=8), Layout(tp=8, dp=8, recompute="selective")
    again = stage_seconds(model, cluster, selective, batch)[0].recompute
    assert again == pytest.approx(10 * layer_passes(model, cluster, none, batch, Block("full", "none"))[0].core)
