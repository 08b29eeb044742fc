"""Mechanisms of frameworks in memory and time: FSDP in a pipeline, paired schedules, experts across nodes, offload and Ulysses."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import pytest

from solutions.planner.activations import layer_bytes
from solutions.planner.constants import constant
from solutions.planner.constants import software as software_row
from solutions.planner.data import data_seconds
from solutions.planner.decoder import Model
from solutions.planner.faults import faults_before_running
from solutions.planner.flags import written
from solutions.planner.judging import plan
from solutions.planner.layer import Pass, layer_passes
from solutions.planner.links import dispatch_seconds, phase_seconds
from solutions.planner.memory import stage_memory
from solutions.planner.pieces import holds_output
from solutions.planner.recompute import MODULES, recomputed_modules, require_recompute
from solutions.planner.repeated import recomputed
from solutions.planner.shapes import Batch, Block, Cluster, Layout, named_model
from solutions.planner.stages import held_micro_batches, layer_kinds, stage_layers
from solutions.planner.time import step
from solutions.planner.update import update_seconds

LLAMA, DEEPSEEK = named_model("Llama-3-70B"), named_model("DeepSeek-V3")
H100, BATCH = Cluster("H100-80GB", 64), Batch(256, 8192)
MIXTURE = DEEPSEEK.blocks[-1]


def test_pytorch_keeps_a_stage_whole_in_a_pipeline_and_sends_it_once() -> None:
    """2 bytes of gathered weights and 4 of gradients per parameter, beside the shards of weights and optimizer states."""
    layout = Layout(pp=4, dp=16, zero=3, software="fsdp-compiled")
    held = stage_memory(LLAMA, layout, BATCH, 1)
    parameters = held["weights"] * 16 / 2
    assert held["gathered"] == 2 * parameters and held["gradients"] == 4 * parameters
    per_micro_batch = stage_memory(LLAMA, replace(layout, software="nemo-2024"), BATCH, 1)
    assert per_micro_batch["gradients"] == 2 * parameters / 16 and per_micro_batch["gathered"] < parameters
    one = {"parameters": 2e9, "layers": 20, "micro_batch_s": 0.5}
    reduce = phase_seconds(H100, message_bytes=4 * 2e9, size=16, stride=1, calls=20)
    few, many = (data_seconds(H100, layout, micro_batches=count, **one) for count in (8, 80))
    assert few == many > reduce


@pytest.mark.parametrize("schedule", ["zb-v", "dualpipev"])
def test_a_v_holds_both_ends_of_the_model_on_its_first_stage(schedule: str) -> None:
    layout = Layout(pp=4, dp=16, schedule=schedule)
    assert [holds_output(layout, stage) for stage in range(4)] == [True, False, False, False]
    assert sum(sum(layer_kinds(LLAMA, layout, stage).values()) for stage in range(4)) == LLAMA.layers
    first, last = (stage_memory(LLAMA, layout, BATCH, stage) for stage in (0, 3))
    assert first["logits"] > 0 == last["logits"] and first["weights"] > last["weights"]


def test_dualpipev_holds_a_piece_more_than_all_stages_have() -> None:
    """deepseek-ai/DualPipe, README: PP + 1 of the pieces, of which a GPU has two."""
    assert held_micro_batches(Layout(pp=4, schedule="dualpipev"), Batch(64, 4096), 0) == (8 + 1) / 2


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (Layout(pp=4, dp=16, schedule="dualpipev", micro_batch=4), "DualPipeV needs at least 2 × PP 4 = 8 micro-batches, but there are 4"),
        (Layout(tp=4, pp=16, schedule="dualpipe", micro_batch=16), "DualPipe needs at least 2 × PP 16 = 32 micro-batches, but there are 16"),
        (Layout(cp=4, dp=16, ulysses=3), "Ulysses over 3 ranks does not divide CP 4, of which it is a part"),
        (Layout(tp=8, cp=8, ulysses=8, zero=1), None),
        (Layout(tp=4, cp=16, ulysses=16), None),
    ],
    ids=["dualpipev", "dualpipe", "ulysses in cp", "ulysses and tp", "ulysses and heads"],
)  # fmt: skip
def test_what_a_mechanism_needs_is_said(layout: Layout, words: str | None) -> None:
    found = [fault.words for fault in faults_before_running(LLAMA, H100, layout, BATCH)]
    assert found == ([words] if words else []) or words in found


def test_ulysses_is_limited_by_the_heads_that_tp_leaves() -> None:
    found = faults_before_running(LLAMA, H100, Layout(tp=4, cp=32, ulysses=32, dp=1), BATCH)
    assert "the 16 heads that TP 4 leaves per rank" in " ".join(fault.words for fault in found)


def test_ulysses_sends_less_than_a_ring_over_many_ranks_and_shortens_the_ring() -> None:
    cluster, batch = Cluster("H100-80GB", 8), Batch(8, 131072)
    exposed = {
        ulysses: sum(way.context for way in layer_passes(LLAMA, cluster, Layout(cp=8, ulysses=ulysses), batch, Block()))
        for ulysses in (1, 2, 8)
    }
    assert all(seconds > 0 for seconds in exposed.values()) and len(set(exposed.values())) == 3


def test_a_router_limited_to_four_nodes_loads_the_ports_of_four() -> None:
    cluster, case = Cluster("H100-80GB", 64), {"tokens": 4096, "hidden": 7168, "experts": 256, "experts_per_token": 8}
    free, limited = (dispatch_seconds(cluster, ep=64, node_limit=limit, **case) for limit in (0, 4))
    assert limited - 20e-6 == pytest.approx((free - 20e-6) * 4 / 5.29, rel=1e-3)
    inside = Cluster("GB200-186GB", 72, 72)
    assert (
        dispatch_seconds(inside, ep=64, node_limit=4, **case) == dispatch_seconds(inside, ep=64, **case) < limited / 3
    )


def test_a_dispatch_in_fp8_sends_half_over_ports_that_deepep_fills() -> None:
    def sent(software: str) -> float:
        return layer_passes(DEEPSEEK, H100, Layout(dp=64, ep=64, software=software), Batch(64, 4096), MIXTURE)[0].expert

    latency = 2 * 20e-6
    filled = constant("network") / software_row("dualpipe-2024")["exchange_port"]
    assert sent("dualpipe-2024") - latency == pytest.approx((sent("megatron-2024") - latency) * 3 / 4 * filled)


def test_pairs_hide_the_exchange_except_where_a_pipeline_fills_and_drains() -> None:
    cluster = Cluster("H100-80GB", 1024)

    def exposed(schedule: str, micro_batches: int, software: str = "megatron-2024") -> float:
        layout = Layout(pp=16, dp=64, ep=64, schedule=schedule, software=software)
        return step(DEEPSEEK, cluster, layout, Batch(64 * micro_batches, 4096))["expert_parallel"] / micro_batches

    assert exposed("dualpipe", 512) < exposed("dualpipe", 32) < exposed("1f1b", 32)
    assert exposed("dualpipe", 512) < exposed("1f1b", 512, "megatron-paired-2025") < exposed("1f1b", 512)


def test_full_recomputation_sends_the_dispatch_twice_and_modules_do_not() -> None:
    """Megatron-LM, core/transformer/moe/moe_layer.py: only the checkpoint of the whole layer, or of `moe`, includes it."""
    forward = Pass(8.0, 6.0, 2.0, 2.0, 1.0, 1.0, 1.0, norms=0.5, activation=0.25, latent=1.5, shared=1.0)

    def again(word: str, block: Block = MIXTURE) -> tuple[float, float]:
        found = recomputed(forward, DEEPSEEK, Layout(recompute=word), block)
        return found.compute, found.expert

    assert again("full") == (12.0, 1.0)
    assert again("moe") == (6.25, 1.0) == again("moe,moe_act,shared_experts")
    assert again("layernorm,moe_act,mla_up_proj") == (2.25, 0.0) == again("selective")
    assert again("shared_experts") == (1.0, 0.0) and again("mlp") == (0.0, 0.0)
    assert again("moe,mlp", Block("full", "dense")) == (6.25, 0.0)
    assert again("mlp,moe_act", Block("full", "dense")) == (6.25, 0.0)


def test_recomputation_repeats_the_communication_of_what_it_repeats() -> None:
    forward = Pass(8.0, 6.0, 2.0, 2.0, 1.0, 1.0, 1.0)

    def sent(layout: Layout, block: Block = MIXTURE) -> tuple[float, float, float]:
        found = recomputed(forward, DEEPSEEK, layout, block)
        return found.tensor, found.context, found.expert

    every = Layout(recompute="partial", recomputed_layers=61)
    assert DEEPSEEK.layers == 61 and sent(every) == (1.0, 1.0, 1.0) == sent(Layout(recompute="full"))
    assert sent(replace(every, recomputed_layers=0)) == (0.0, 0.0, 0.0) == sent(Layout(recompute="layernorm"))
    assert [sent(Layout(recompute="moe", expert_tp=tp))[0] for tp in (1, 2, 4)] == [0.0, 0.5, 0.5]
    assert sent(Layout(recompute="layernorm", expert_tp=2))[0] == 0.0
    assert sent(Layout(recompute="mlp,core_attn"), Block("full", "dense")) == (0.5, 1.0, 0.0)


def test_every_module_frees_memory_where_a_layer_has_it() -> None:
    batch, written_scores = Batch(8, 4096), Layout(software="megatron-2021")
    whole = layer_bytes(DEEPSEEK, written_scores, batch, MIXTURE)
    for module in MODULES:
        kept = layer_bytes(DEEPSEEK, replace(written_scores, recompute=module), batch, MIXTURE)
        assert (kept < whole) == (module != "mlp"), module
        assert recomputed_modules(module, Block("full", "none")) <= {"core_attn", "layernorm", "mlp"}
    dense = DEEPSEEK.blocks[0]
    assert layer_bytes(DEEPSEEK, Layout(recompute="mlp"), batch, dense) < layer_bytes(DEEPSEEK, Layout(), batch, dense)


def test_an_unknown_module_is_named() -> None:
    with pytest.raises(ValueError, match=r"a list of core_attn, .*, not 'moe_acts', 'full'"):
        require_recompute("moe_acts,mlp,full")


def test_optimizer_states_on_the_host_free_their_memory_and_take_its_time() -> None:
    here, there = (plan(LLAMA, H100, Layout(tp=8, dp=8, offload=where), BATCH) for where in ("none", "optimizer"))
    assert here.memory["optimizer"] > 10e9 and there.memory["optimizer"] == 0
    assert there.step["optimizer"] > here.step["optimizer"] + 0.5
    quick = update_seconds(Cluster("GB200-186GB", 72), Layout(offload="optimizer"), 1e9)
    assert quick < update_seconds(H100, Layout(offload="optimizer"), 1e9) / 2


def test_activations_on_the_host_leave_two_layers_and_take_the_link() -> None:
    layout = Layout(tp=8, dp=8, micro_batch=4)
    here, there = (plan(LLAMA, H100, replace(layout, offload=where), BATCH) for where in ("none", "activations"))
    assert there.memory["activations"] == pytest.approx(here.memory["activations"] * 2 / 80)
    assert there.step["offload"] > 0 == here.step["offload"]


def test_offload_to_an_unknown_host_is_refused() -> None:
    found = faults_before_running(LLAMA, Cluster("TPU-v5p", 64, 64), Layout(dp=64, offload="optimizer"), BATCH)
    assert [fault.words for fault in found] == [
        "cannot plan offload of optimizer on TPU-v5p, because the bandwidth to its host is not known"
    ]


def test_moments_in_bf16_take_a_third_less() -> None:
    """DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.3: BF16 moments beside an FP32 master copy, 8 bytes in place of 12."""
    whole, narrow = (stage_memory(LLAMA, Layout(tp=8, dp=8, state_bytes=width), BATCH, 0) for width in (12, 8))
    assert narrow["optimizer"] == whole["optimizer"] * 8 / 12
    assert update_seconds(H100, Layout(state_bytes=8), 1e9) < update_seconds(H100, Layout(), 1e9)


def test_megatron_has_flags_for_these() -> None:
    layout = Layout(tp=4, cp=16, ulysses=4, offload="optimizer", state_bytes=8, recompute="layernorm,core_attn")
    text = written("megatron", LLAMA, H100, layout, Batch(64, 8192))
    for flags in (
        "--cp-comm-type a2a+p2p", "--hierarchical-context-parallel-sizes 4 4", "--optimizer-cpu-offload",
        "--use-precision-aware-optimizer", "--exp-avg-dtype bf16", "--recompute-modules layernorm core_attn",
    ):  # fmt: skip
        assert flags in text.splitlines(), flags
    torch = written(
        "torchtitan", LLAMA, H100, Layout(pp=4, dp=16, zero=3, schedule="dualpipev", offload="optimizer"), BATCH
    )
    assert 'pipeline_parallel_schedule = "DualPipeV"' in torch and "enable_cpu_offload = true" in torch
    with pytest.raises(ValueError, match="Ulysses") as told:
        written(
            "torchtitan",
            LLAMA,
            H100,
            Layout(cp=4, dp=16, zero=3, ulysses=2, state_bytes=8, offload="activations"),
            BATCH,
        )
    assert len(str(told.value).splitlines()) == 3


def test_a_token_is_sent_once_to_each_rank_that_has_some_of_its_experts() -> None:
    case = {"tokens": 4096, "hidden": 2048, "experts": 128, "experts_per_token": 8, "ep": 8}
    cluster = Cluster("H100-80GB", 8)
    each, once, in_turn = (
        dispatch_seconds(cluster, **case, **how) - constant("hop_s")
        for how in ({}, {"once": True}, {"once": True, "in_turn": True})
    )
    assert each / in_turn == pytest.approx(8), "eight neighbours of 128 experts are on one of eight ranks"
    assert once / in_turn == pytest.approx(8 * (1 - comb(112, 8) / comb(128, 8)))


def test_a_graph_of_the_whole_iteration_leaves_no_time_to_the_host() -> None:
    few = Batch(64, 64)
    slow, fast = (
        layer_passes(DEEPSEEK, H100, Layout(dp=64, ep=8, software=name), few, MIXTURE)[0]
        for name in ("nemo-2025", "bridge-graphs-2026")
    )
    assert slow.compute == pytest.approx(max(constant("mixture_host_s"), slow.products + slow.core + slow.small))
    assert fast.products == slow.products and fast.small < 20e-6


def test_ranks_delay_a_collective_where_that_was_measured() -> None:
    slow = replace(H100, rank_s=300e-6)
    near, far = (phase_seconds(cluster, message_bytes=1e6, size=64, stride=1) for cluster in (H100, slow))
    assert far > near + 60 * 300e-6

    def exposed(tp: int, micro_batch: int, cluster: Cluster) -> float:
        layout = Layout(tp=tp, micro_batch=micro_batch, software="nanotron-2025")
        return layer_passes(LLAMA, cluster, layout, Batch(64, 4096), Block())[0].tensor

    assert exposed(8, 1, slow) > 2 * exposed(8, 1, H100)
    assert exposed(8, 32, slow) == exposed(8, 32, H100), "launched compute hides it inside a node"
    assert exposed(16, 32, slow) > exposed(16, 32, H100) + 10 * 300e-6


def test_stages_count_the_output_layer_where_the_software_does() -> None:
    tied = Model("m", layers=16, hidden=2048, ffn_hidden=8192, heads=32, kv_heads=32, vocabulary=131072)
    assert stage_layers(tied, Layout(pp=8, software="nanotron-2025")) == (3, 3, 2, 3, 2, 3, 0, 0)
    assert step(tied, H100, Layout(pp=8, dp=8, software="nanotron-2025"), Batch(64, 4096))["compute"] > 0
