"""How long a step takes: against kernels started one by one, pipelines that are played, the chapters' formulas, and published runs."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.communication import hierarchy, overlap
from solutions.experts import expert_traffic
from solutions.facts import hardware
from solutions.oracles.planner import judging as oracle
from solutions.pipeline import pipeline
from solutions.planner.constants import chip, constant, constants, kernels, software
from solutions.planner.data import data_seconds
from solutions.planner.flops import forward_flop, step_flop
from solutions.planner.judging import Batch, Cluster, Layout, Model, named_model, plan
from solutions.planner.layer import BACKWARD_SMALL, layer_passes
from solutions.planner.links import (  # fmt: skip
    dispatch_seconds,
    exposed_seconds,
    fast_bytes_per_s,
    hop_seconds,
    phase_seconds,
    port_bytes_per_s,
    spread,
)
from solutions.planner.mixing import BACKWARD_CORE
from solutions.planner.plan import Plan
from solutions.planner.rates import peak_flop_per_s, product_seconds
from solutions.planner.shapes import Block
from solutions.planner.time import PARTS, Stage, head_seconds, stage_seconds, step, work_of_stages
from solutions.roofline import flops
from solutions.shapes import models

LLAMA = named_model("Llama-3-70B")
H100 = Cluster("H100-80GB", 64)
BATCH = Batch(64, 8192)
MIXTURE = Block(mlp="mixture")


@given(
    name=st.sampled_from(["Llama-3-8B", "Llama-3-405B", "GPT-3-175B"]), tp=st.sampled_from([1, 2, 8]),
    cp=st.sampled_from([1, 2]), micro_batch=st.integers(1, 3), sequence_parallel=st.booleans(),
    precision=st.sampled_from(["bf16", "fp8"]), stack=st.sampled_from(["megatron-2024", "fsdp-eager", "flash-norm-2023"]),
)  # fmt: skip
@settings(deadline=None)
def test_a_layer_takes_as_long_as_its_kernels(
    name: str, tp: int, cp: int, micro_batch: int, sequence_parallel: bool, precision: str, stack: str
) -> None:
    layout = Layout(
        tp=tp, cp=cp, micro_batch=micro_batch, sequence_parallel=sequence_parallel, precision=precision, software=stack
    )
    forward, _ = layer_passes(named_model(name), H100, layout, Batch(64, 4096), Block())
    one_sequence = oracle.dense_layer_seconds(named_model(name), H100, layout, Batch(64, 4096))
    assert forward.compute == pytest.approx(one_sequence, rel=1e-9)


def test_a_backward_pass_does_twice_the_products() -> None:
    forward, backward = layer_passes(LLAMA, H100, Layout(tp=2), BATCH, Block())
    assert backward.products == 2 * forward.products
    assert backward.mlp == 2 * forward.mlp
    assert backward.core == BACKWARD_CORE * forward.core
    started = kernels("fused")["launch_s"]  # twice as many kernels are started as forward
    assert backward.small - 2 * started == pytest.approx(BACKWARD_SMALL * (forward.small - started))
    assert 0 < forward.mlp < forward.products


def test_written_scores_are_all_pairs_and_memory() -> None:
    layout, batch = Layout(software="megatron-2021", sequence_parallel=False), Batch(8, 2048)
    forward, backward = layer_passes(named_model("GPT-3-175B"), Cluster("A100-80GB", 8), layout, batch, Block())
    rate = 312e12 * chip("A100-80GB")["matmul"]
    memory = constant("written_score_bytes") * 96 * 2048**2 / (2.039e12 * constant("hbm"))
    assert forward.core == pytest.approx(4 * 2048**2 * 12288 / rate + memory)
    assert backward.core == 2 * forward.core


def test_a_thin_product_waits_for_memory_and_an_odd_one_for_tiles() -> None:
    size = {"tokens": 8192, "inputs": 8192}
    wide, thin = (product_seconds("H100-80GB", "bf16", **size, outputs=n) for n in (8192, 128))
    assert thin > wide / 64 * 1.3
    even, odd = (product_seconds("H100-80GB", "bf16", **size, outputs=n) for n in (8192, 8193))
    slower = 2 * 8192**3 / (989e12 * chip("H100-80GB")["matmul"])
    assert odd - even == pytest.approx(slower * (1 / constant("misaligned") - 1), rel=1e-3)
    assert product_seconds("H100-80GB", "bf16", **size, outputs=64, copies=3) == 3 * product_seconds(
        "H100-80GB", "bf16", **size, outputs=64
    )


def test_formats_without_a_unit_fall_back_to_the_next() -> None:
    assert peak_flop_per_s("V100-32GB") == 125e12
    assert peak_flop_per_s("A100-80GB", "nvfp4") == 312e12
    assert peak_flop_per_s("H100-80GB", "nvfp4") == 1979e12
    assert peak_flop_per_s("GB200-186GB", "nvfp4") == 10e15
    size = {"tokens": 8192, "inputs": 8192, "outputs": 8192}
    assert product_seconds("A100-80GB", "fp8", **size) == product_seconds("A100-80GB", "bf16", **size)
    assert product_seconds("B200-180GB", "nvfp4", **size) < product_seconds("B200-180GB", "fp8", **size)


@pytest.mark.parametrize("word", ["selective", "operators", "partial"])
def test_what_is_computed_again_is_time(word: str) -> None:
    layout = Layout(recompute=word, recomputed_layers=20)
    parts = step(LLAMA, H100, replace(layout, dp=64), BATCH)
    forward, _ = layer_passes(LLAMA, H100, layout, BATCH, Block())
    again = {
        "none": 0.0, "selective": forward.core, "operators": forward.products / 2 + forward.small,
        "mlp": forward.mlp + forward.small, "full": forward.compute, "partial": forward.compute / 4,
    }[word]  # fmt: skip
    assert parts["recompute"] == pytest.approx(80 * again)


@given(
    pp=st.sampled_from([2, 4, 8]), chunks=st.sampled_from([1, 2, 5]), rounds=st.integers(1, 6), tp=st.sampled_from([1, 8])
)  # fmt: skip
@settings(deadline=None)
def test_a_played_pipeline_of_equal_stages_takes_as_long(pp: int, chunks: int, rounds: int, tp: int) -> None:
    layout = Layout(tp=tp, pp=pp, virtual_stages=chunks)
    headless = replace(LLAMA, vocabulary=64, tied=True)
    cluster, batch = Cluster("H100-80GB", tp * pp), Batch(rounds * pp, 4096)
    parts = step(headless, cluster, layout, batch)
    inside = sum(parts[name] for name in ("compute", "recompute", "tensor_parallel", "context_parallel", "bubble"))
    stages = [stage.whole for stage in stage_seconds(headless, cluster, layout, batch)]
    assert inside == pytest.approx(oracle.pipeline_seconds(stages, layout, rounds * pp), rel=2e-3)
    judged = Plan(headless, cluster, layout, batch, {}, parts, ())
    wanted = pipeline.bubble_overhead(stages=pp, micro_batches=rounds * pp, virtual_stages=chunks)
    assert judged.bubble_overhead == pytest.approx(wanted, rel=5e-3)
    idle = pipeline.bubble_idle_fraction(stages=pp, micro_batches=rounds * pp, virtual_stages=chunks)
    assert judged.bubble_idle_fraction == pytest.approx(idle, rel=5e-3)


@given(pp=st.sampled_from([2, 4, 8]), rounds=st.integers(1, 6))
@settings(deadline=None)
def test_a_pipeline_waits_for_the_stage_with_the_output_layer(pp: int, rounds: int) -> None:
    layout, batch = Layout(pp=pp), Batch(rounds * pp, 4096)
    cluster, model = Cluster("H100-80GB", pp), named_model("Llama-3-8B")
    parts = step(model, cluster, layout, batch)
    stages = [stage.whole for stage in stage_seconds(model, cluster, layout, batch)]
    assert stages[-1] == pytest.approx(stages[0] + head_seconds(model, cluster, layout, batch))
    played = oracle.pipeline_seconds(stages, layout, rounds * pp)
    assert parts["compute"] + parts["bubble"] == pytest.approx(played, rel=1e-6)


def test_split_backward_passes_shorten_the_bubble() -> None:
    layouts = [Layout(pp=8, dp=8, schedule=name) for name in ("1f1b", "zb-h1", "zb-h2")]
    plain, half, none = (step(LLAMA, H100, layout, Batch(128, 4096))["bubble"] for layout in layouts)
    assert half == pytest.approx(plain / 3)
    assert none == 0


def test_a_mixture_counts_its_first_layers_as_dense() -> None:
    deepseek = named_model("DeepSeek-V3")
    layout = Layout(dp=64, ep=64, micro_batch=4)
    first, *_, last = stage_seconds(deepseek, Cluster("H100-80GB", 256), replace(layout, pp=4), Batch(256, 4096))
    dense, mixed = (layer_passes(deepseek, Cluster("H100-80GB", 256), replace(layout, pp=4), Batch(256, 4096), kind)
                    for kind in (deepseek.blocks[0], deepseek.blocks[-1]))  # fmt: skip
    seconds = [forward.compute + backward.compute for forward, backward in (dense, mixed)]
    assert first.compute == pytest.approx(3 * seconds[0] + 12 * seconds[1])
    assert last.expert == pytest.approx(15 * (mixed[0].expert + mixed[1].expert))
    assert dense[0].expert == 0


def test_experts_that_are_hidden_cost_their_contention() -> None:
    mixture, cluster = named_model("DeepSeek-V3"), Cluster("H100-80GB", 256)
    layout, batch = Layout(dp=256, ep=64, micro_batch=2), Batch(16384, 4096)
    shown, hidden = (
        step(mixture, cluster, replace(layout, software=name), batch)["expert_parallel"]
        for name in ("megatron-2024", "dualpipe-2024")
    )
    assert hidden < 0.5 * shown


@pytest.mark.parametrize(("tp", "expert_tp", "shared"), [(2, 2, 1)])
def test_the_products_of_a_mixture(tp: int, expert_tp: int, shared: int) -> None:
    mixture = replace(named_model("Mixtral-8x7B"), shared_experts=shared)
    layout = Layout(tp=tp, expert_tp=expert_tp, dp=8, ep=4, micro_batch=2)
    forward, _ = layer_passes(mixture, H100, layout, Batch(64, 4096), MIXTURE)

    def product(tokens: float, inputs: float, outputs: float) -> float:
        return product_seconds("H100-80GB", "bf16", tokens=tokens, inputs=inputs, outputs=outputs)

    copies = 2 * 8192 / tp * expert_tp / 2  # for each of the two experts that a rank has
    grouped = 2 * (product(copies, 4096, 2 * 14336 / expert_tp) + product(copies, 14336 / expert_tp, 4096))
    wanted = grouped / constant("grouped") + product(8192 / tp, 4096, 8)
    if shared:
        wanted += product(8192, 4096, 2 * 14336 / tp) + product(8192, 14336 / tp, 4096)
    assert forward.mlp == pytest.approx(wanted)
    attention = product(8192, 4096, (4096 + 2 * 1024) / tp) + product(8192, 4096 / tp, 4096)
    assert forward.products == pytest.approx(wanted + attention)
    passed = constant("permuted_bytes") * copies * 2 * 4096
    without = layer_passes(replace(mixture, experts_per_token=1), H100, layout, Batch(64, 4096), MIXTURE)[0]
    inner = 2 * 3 * copies * 14336 / expert_tp  # half of the copies less: as many inner elements and copies go
    moved = (passed / 2 + inner) / (3.35e12 * constant("hbm"))
    assert forward.small - without.small == pytest.approx(moved)


def test_latent_attention_has_four_products() -> None:
    deepseek = named_model("DeepSeek-V3")
    forward, _ = layer_passes(deepseek, H100, Layout(dp=64, ep=64), Batch(64, 4096), deepseek.blocks[0])

    def product(inputs: float, outputs: float) -> float:
        return product_seconds("H100-80GB", "bf16", tokens=4096, inputs=inputs, outputs=outputs)

    attention = (
        product(7168, 1536 + 512 + 64)
        + product(1536, 128 * 192)
        + product(512, 2 * 128 * 128)
        + product(128 * 128, 7168)
    )
    assert forward.products - forward.mlp == pytest.approx(attention)
    flop = 2 * 4096 * 4096 * 128 * (192 + 128) / 2  # pairs, half of them masked; queries times keys, and times values
    reached = constants()["attention"]["hopper"]["tuned"] * 4096 / (4096 + constant("attention_length"))
    assert forward.core == pytest.approx(flop / (989e12 * reached))


def test_few_tokens_leave_a_mixture_to_its_host() -> None:
    mixture, cluster = named_model("Qwen3-30B-A3B"), Cluster("B200-180GB", 8)
    forward, backward = layer_passes(mixture, cluster, Layout(dp=8, ep=8), Batch(8, 512), MIXTURE)
    assert forward.compute == pytest.approx(constant("mixture_host_s"))
    assert backward.compute == pytest.approx(2 * constant("mixture_host_s"))


@pytest.mark.parametrize(("size", "stride", "found"), [
                                                       (9, 1, (3, 3)), ])  # fmt: skip
def test_a_group_is_spread_over_nodes(size: int, stride: int, found: tuple[int, int]) -> None:
    assert spread(H100, size=size, stride=stride) == found


def test_a_collective_is_half_an_all_reduce_of_the_chapter_on_hierarchies() -> None:
    seconds = phase_seconds(H100, message_bytes=8e9, size=32, stride=2, calls=10)
    both = hierarchy.sharded_overlapped_seconds(
        message_bytes=8e9, servers=8, gpus_per_server=4, port_bytes_per_s=50e9 * constant("network"),
        nvlink_bytes_per_s=450e9 * constant("fast_link"),
    )  # fmt: skip
    assert seconds == pytest.approx(both / 2 + 10 * (constant("hop_s") + 7 * constant("rank_s")))
    assert phase_seconds(H100, message_bytes=8e9, size=1, stride=1) == 0
    once = phase_seconds(H100, message_bytes=8e9, size=32, stride=2)
    assert seconds - once == pytest.approx(9 * (constant("hop_s") + 7 * constant("rank_s")))


def test_experts_on_other_nodes_are_reached_through_the_ports() -> None:
    case = {"tokens": 4096, "hidden": 7168, "experts": 256, "experts_per_token": 8}
    inside, outside = (dispatch_seconds(H100, **case, ep=ep) for ep in (8, 32))
    near = expert_traffic.exchange_bytes(tokens=4096, hidden=7168, experts_per_token=8, ep=8)
    far = expert_traffic.port_bytes(tokens=4096, hidden=7168, experts=256, experts_per_token=8, nodes=4)
    assert inside == pytest.approx(near / fast_bytes_per_s(H100) + constant("hop_s"))
    assert outside == pytest.approx(far / port_bytes_per_s(H100) + constant("hop_s"))
    assert dispatch_seconds(H100, **case, ep=1) == 0
    assert dispatch_seconds(H100, **case, ep=8, stride=8) > inside


def test_tensor_parallelism_sends_two_sums_a_pass() -> None:
    forward, backward = layer_passes(LLAMA, H100, Layout(tp=8, software="megatron-2023"), BATCH, Block())
    one = phase_seconds(H100, message_bytes=2 * 8192 * 8192, size=8, stride=1)
    assert forward.tensor == backward.tensor == pytest.approx(4 * one)
    overlapped, _ = layer_passes(LLAMA, H100, Layout(tp=8), BATCH, Block())
    assert overlapped.tensor == pytest.approx(exposed_seconds(4 * one, overlapped.products))
    alone, back = layer_passes(
        named_model("Mixtral-8x7B"), H100, Layout(tp=8, ep=8, software="megatron-2023"), BATCH, MIXTURE
    )
    assert (
        alone.tensor
        == back.tensor
        == pytest.approx(2 * phase_seconds(H100, message_bytes=2 * 8192 * 4096, size=8, stride=1))
    )


def test_context_parallelism_passes_keys_and_values_on() -> None:
    layout, batch = Layout(tp=2, cp=8, micro_batch=2), Batch(64, 32768)
    forward, backward = layer_passes(LLAMA, H100, layout, batch, Block())
    held = 2 * 2 * 2 * 32768 // 8 * 4 * 128  # two sequences, keys and values, 16 bits, of half the heads
    hop = hop_seconds(H100, message_bytes=held, stride=8)
    assert forward.context == pytest.approx(exposed_seconds(7 * hop, forward.core))
    hop = hop_seconds(H100, message_bytes=2 * held, stride=8)
    assert backward.context == pytest.approx(exposed_seconds(7 * hop, backward.core))
    near, _ = layer_passes(LLAMA, H100, replace(layout, cp=4), batch, Block())
    hop = hop_seconds(H100, message_bytes=2 * held, stride=1)
    assert near.context == pytest.approx(exposed_seconds(3 * hop, near.core))


ONE = {"parameters": 2e9, "layers": 20, "micro_batches": 4, "micro_batch_s": 0.5}


def test_gradients_hide_behind_the_last_backward_pass() -> None:
    layout = Layout(tp=8, dp=8, zero=1)
    reduce = phase_seconds(H100, message_bytes=4 * 2e9, size=8, stride=8, calls=20)
    gather = phase_seconds(H100, message_bytes=2 * 2e9, size=8, stride=8, calls=20)
    late = overlap.exposed_tail_seconds(layers=20, backward_s=0.5 * 2 / 3 / 20, reduce_s=reduce / 20)
    early = overlap.exposed_tail_seconds(layers=20, backward_s=0.5 / 3 / 20, reduce_s=gather / 20)
    wanted = late + early + constant("contention") * (reduce + gather)
    assert data_seconds(H100, layout, **ONE) == pytest.approx(wanted)
    alone = data_seconds(H100, replace(layout, software="megatron-2021"), **ONE)
    assert alone == pytest.approx(reduce + gather)
    plain = data_seconds(H100, replace(layout, zero=0, software="megatron-2021"), **ONE)
    assert plain == pytest.approx(2 * reduce)
    narrow = data_seconds(H100, replace(layout, gradient_bytes=2, software="megatron-2021"), **ONE)
    assert narrow == pytest.approx(2 * gather)


def test_context_ranks_hold_the_same_weights_and_share_the_gradients() -> None:
    alone, both = Layout(dp=64, software="megatron-2021"), Layout(cp=8, dp=8, software="megatron-2021")
    assert data_seconds(H100, both, **ONE) == pytest.approx(data_seconds(H100, alone, **ONE))
    assert data_seconds(H100, Layout(cp=8, dp=1, software="megatron-2021"), **ONE) > 0


def test_stage_two_reduces_for_every_micro_batch() -> None:
    layout = Layout(dp=64, zero=2)
    reduce = phase_seconds(H100, message_bytes=4 * 2e9, size=64, stride=1, calls=20)
    for name, one in (("megatron-2024", exposed_seconds(reduce, 1 / 3)), ("megatron-2021", reduce)):
        sharded, whole = (data_seconds(H100, replace(layout, zero=zero, software=name), **ONE) for zero in (2, 1))
        assert sharded == pytest.approx(whole + 3 * one)
    piped = replace(layout, tp=4, pp=4, dp=4)
    assert data_seconds(H100, piped, **ONE) > data_seconds(H100, replace(piped, zero=1), **ONE), "in a pipeline too"
    once = ONE | {"micro_batches": 1}
    assert data_seconds(H100, layout, **once) == data_seconds(H100, replace(layout, zero=1), **once)


def test_hybrid_shards_add_up_their_gradients_over_the_groups() -> None:
    layout = Layout(dp=64, zero=3, shard_group=8)
    gather = phase_seconds(H100, message_bytes=2 * 2e9, size=8, stride=1, calls=20)
    reduce = phase_seconds(H100, message_bytes=4 * 2e9, size=8, stride=1, calls=20)
    across = 2 * phase_seconds(H100, message_bytes=4 * 2e9 / 8, size=8, stride=8, calls=20)
    one = exposed_seconds(gather, 0.5 / 3) + exposed_seconds(gather + reduce, 1 / 3)
    wanted = 4 * one + gather / 20 + exposed_seconds(across, 1 / 3) + across / 20
    assert data_seconds(H100, layout, **ONE) == pytest.approx(wanted)
    inside = data_seconds(H100, replace(layout, zero=1, software="megatron-2021"), **ONE)
    reduce_all = phase_seconds(H100, message_bytes=4 * 2e9, size=64, stride=1, calls=20)
    assert inside == pytest.approx(reduce_all + gather + across / 2)


def test_weights_that_are_broadcast_rank_by_rank_take_their_turns() -> None:
    layout = Layout(dp=64, zero=1, software="internevo-2023")
    turns = 64 * software("internevo-2023")["broadcast_s"]
    overlapped = replace(layout, software="fsdp-2023", gradient_bytes=2)
    assert data_seconds(H100, layout, **ONE) - data_seconds(H100, overlapped, **ONE) == pytest.approx(turns)
    assert data_seconds(H100, replace(layout, zero=0), **ONE) < turns


def test_a_share_of_the_ports_slows_data_parallelism_alone() -> None:
    layout = Layout(tp=8, dp=8, software="deepspeed-2022")
    quick = replace(layout, software="megatron-2020")
    share = software("deepspeed-2022")["port_share"]
    fixed = 2 * 20 * (constant("hop_s") + 7 * constant("rank_s"))
    slow, fast = (data_seconds(H100, one, **ONE) - fixed for one in (layout, quick))
    assert slow == pytest.approx(fast / share)


def test_tensors_between_stages_are_waited_for_or_hidden() -> None:
    batch = Batch(64, 8192)
    layout = Layout(tp=8, pp=8, software="megatron-2021")
    one = hop_seconds(H100, message_bytes=2 * 8192 * 8192 / 8, stride=8)
    assert step(LLAMA, H100, layout, batch)["pipeline_parallel"] == pytest.approx(2 * one * (7 + 63 - 8))
    chunks = replace(layout, virtual_stages=2, schedule="interleaved")
    assert step(LLAMA, H100, chunks, batch)["pipeline_parallel"] == pytest.approx(2 * 2 * 64 * one)
    hidden = step(LLAMA, H100, replace(chunks, software="megatron-2024"), batch)["pipeline_parallel"]
    assert hidden == pytest.approx(constant("contention") * 2 * 2 * 64 * one)
    whole = step(LLAMA, H100, replace(layout, sequence_parallel=False, software="flash-2023"), batch)
    assert whole["pipeline_parallel"] == pytest.approx(
        2 * hop_seconds(H100, message_bytes=2 * 8192 * 8192, stride=8) * (7 + 63 - 8)
    )


def test_stages_of_one_gpu_are_neighbours_in_their_node() -> None:
    pair = Cluster("H100-80GB", 4, gpus_per_node=2)
    layout, batch = Layout(pp=4, software="megatron-2021"), Batch(4, 2048)
    near = hop_seconds(pair, message_bytes=2 * 2048 * 8192, stride=1)
    assert step(LLAMA, pair, layout, batch)["pipeline_parallel"] == pytest.approx(2 * near * (3 + 3 - 1))


def test_the_rest_of_a_step() -> None:
    layout = Layout(tp=8, dp=8, zero=1)
    parts = step(LLAMA, H100, layout, BATCH)
    assert tuple(parts) == PARTS
    held = plan(LLAMA, H100, layout, BATCH).memory["weights"] / 2
    passes = constant("update_passes") * held / 8 * (4 + 12 + 12 + 2) / (3.35e12 * constant("hbm"))
    assert parts["optimizer"] == pytest.approx(passes + constant("step_s"))
    assert parts["stragglers"] == pytest.approx(3 * constant("straggling") * parts["compute"])
    assert step(LLAMA, Cluster("H100-80GB", 4), Layout(tp=4), BATCH)["stragglers"] == 0
    whole = step(LLAMA, H100, replace(layout, zero=0), BATCH)
    assert whole["optimizer"] - constant("step_s") == pytest.approx(8 * passes)


def test_loss_and_output_layer_take_their_time() -> None:
    layout = Layout(tp=2, micro_batch=2)
    outputs = 128256 / 2
    products = 3 * product_seconds("H100-80GB", "bf16", tokens=2 * 8192, inputs=8192, outputs=outputs)
    passes = constant("loss_bytes") * 2 * 8192 * outputs / (3.35e12 * constant("hbm"))
    assert head_seconds(LLAMA, H100, layout, BATCH) == pytest.approx(products + passes)


@given(
    tp=st.sampled_from([1, 2, 4, 8]), pp=st.sampled_from([1, 2, 4]), zero=st.integers(0, 3),
    recompute=st.sampled_from(["none", "full"]), stack=st.sampled_from(sorted(constants()["software"])),
)  # fmt: skip
@settings(deadline=None, max_examples=a_quarter_at_once(60))
def test_a_better_network_never_makes_a_step_longer(tp: int, pp: int, zero: int, recompute: str, stack: str) -> None:
    layout = Layout(tp=tp, pp=pp, dp=64 // tp // pp, zero=zero, recompute=recompute, software=stack)
    parts = [step(LLAMA, replace(H100, network_bytes_per_s=rate), layout, BATCH) for rate in (12.5e9, 50e9, 100e9)]
    assert all(seconds >= 0 for one in parts for seconds in one.values())
    totals = [sum(one.values()) for one in parts]
    assert totals == sorted(totals, reverse=True)


@pytest.mark.parametrize("name", ["Llama-3-405B", "GPT-3-175B"])
def test_flop_are_those_of_the_chapter_on_flop(name: str) -> None:
    model = named_model(name)
    shape = {key: getattr(model, key) for key in ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")}
    shape |= {"mlp_matrices": model.mlp_matrices, "tokens": 8192, "sequence_length": 4096}
    for causal in (False, True):
        wanted = flops.forward_flop(**shape, causal=causal)
        assert 8192 * sum(forward_flop(model, sequence=4096, causal=causal).values()) == pytest.approx(wanted)
    for word in flops.RECOMPUTE:
        found = step_flop(model, Layout(recompute=word), Batch(2, 4096), again=True)
        assert found == pytest.approx(flops.step_flop(**shape, recompute=word))
        assert step_flop(model, Layout(recompute=word), Batch(2, 4096), again=False) == pytest.approx(
            flops.step_flop(**shape)
        )


def test_a_token_of_a_mixture_takes_two_flop_for_each_active_parameter() -> None:
    parts = forward_flop(named_model("DeepSeek-V3"), sequence=4096)
    active = models.active_parameters(model="DeepSeek-V3", vocabulary_matrices=1)
    assert sum(parts.values()) - parts["scores"] == pytest.approx(2 * active, rel=1e-3)


@pytest.mark.parametrize(("word", "share"), [("operators", 0.5), ("mlp", None), ("partial", 0.25)])
def test_hardware_flop_count_what_is_repeated(word: str, share: float | None) -> None:
    part = forward_flop(LLAMA, sequence=8192)
    layout = Layout(recompute=word, recomputed_layers=20)
    more = step_flop(LLAMA, layout, BATCH, again=True) - step_flop(LLAMA, layout, BATCH, again=False)
    wanted = {"operators": (part["projections"] + part["mlp"]) / 2, "mlp": part["mlp"],
              "partial": (part["projections"] + part["scores"] + part["mlp"]) / 4}[word]  # fmt: skip
    assert more / BATCH.tokens == pytest.approx(wanted)


def test_utilisations_are_flop_over_time_and_peak() -> None:
    judged = plan(LLAMA, H100, Layout(tp=8, dp=8, recompute="full"), BATCH)
    peak = 64 * 989e12 * judged.step_s
    assert judged.mfu == pytest.approx(step_flop(LLAMA, judged.layout, BATCH, again=False) / peak)
    assert judged.hfu == pytest.approx(step_flop(LLAMA, judged.layout, BATCH, again=True) / peak)
    assert judged.mfu < judged.hfu < 0.8


def test_a_stage_is_the_sum_of_its_parts() -> None:
    stage = Stage(1.0, 2.0, 4.0, 8.0, 16.0, forward=10.0)
    assert (stage.whole, stage.backward) == (31.0, 21.0)


def test_a_stage_knows_its_forward_pass() -> None:
    layout = Layout(tp=4, pp=2, recompute="full")
    forward, backward = layer_passes(LLAMA, H100, layout, BATCH, Block())
    first, last = stage_seconds(LLAMA, H100, layout, BATCH)
    assert first.forward == pytest.approx(40 * (forward.compute + forward.tensor))
    again = forward.compute + forward.tensor
    assert first.backward == pytest.approx(40 * (backward.compute + backward.tensor + again))
    assert last.forward - first.forward == pytest.approx(head_seconds(LLAMA, H100, layout, BATCH) / 3)


@pytest.mark.parametrize(
    ("model", "cluster", "layout", "batch", "printed_s", "within", "source"),
    [
        ("GPT-3-175B", Cluster("A100-80GB", 64, 8, 25e9),
         Layout(tp=8, pp=8, virtual_stages=3, schedule="interleaved", zero=0, precision="fp16", recompute="selective", software="megatron-2021"),
         Batch(64, 2048), 13.75, 0.08, "Korthikanti et al. 2022, arXiv:2205.05198, Table 5"),
        ("Megatron-530B", Cluster("A100-80GB", 280, 8, 25e9),
         Layout(tp=8, pp=35, virtual_stages=3, schedule="interleaved", zero=0, precision="fp16", recompute="selective", software="megatron-2021"),
         Batch(280, 2048), 37.83, 0.08, "the same"),
        ("Llama-3-8B", Cluster("H100-80GB", 8), Layout(cp=2, dp=4, software="nemo-2024"), Batch(128, 8192), 12.78, 0.08,
         "NVIDIA dgxc-benchmarking v25.02, llama3.1/README_8b.md"),
        ("Llama-3-70B", Cluster("H100-80GB", 64),
         Layout(tp=4, cp=2, pp=4, dp=2, virtual_stages=5, schedule="interleaved", precision="fp8", software="nemo-2024"), Batch(128, 8192),
         10.46, 0.08, "the same, README_70b.md"),
    ],
    ids=["175B", "530B", "8B", "70B"],
)  # fmt: skip
def test_published_steps_are_met(
    model: str, cluster: Cluster, layout: Layout, batch: Batch, printed_s: float, within: float, source: str
) -> None:
    assert plan(named_model(model), cluster, layout, batch).step_s == pytest.approx(printed_s, rel=within), source


def test_every_chip_and_every_software_is_complete() -> None:
    assert set(constants()["chips"]) == set(hardware.names())
    for name, row in constants()["chips"].items():
        assert 0.3 < row["matmul"] < 1 and 0.3 < row.get("fp8", 0.5) < 1, name
        assert set(constants()["attention"][row["generation"]]) == {"flash", "tuned", "latest"}
    needed = {"attention", "kernels", "overlap", "sends_parts", "gradient_bytes", "update_bytes", "logit_bytes"}
    for name, row in constants()["software"].items():
        more = {"bf16_gradient_bytes", "port_share", "broadcast_s", "hides_experts", "hidden_share", "dispatch_bytes"}
        more |= {"sends_once", "experts_in_turn", "whole_graph", "fused_experts", "counts_output"}
        assert needed <= set(row) <= {*needed, *more, "keeps_whole", "exchange_port", "sinks"}, name
        assert row.get("hides_experts") in (None, "inside", "between"), name
        assert row["attention"] in ("written", "flash", "tuned", "latest") and row["overlap"] in (
            "none",
            "data",
            "all",
        ), name
        assert kernels(row["kernels"])


def test_the_bubble_of_dualpipe_is_as_its_table_says() -> None:
    """DeepSeek-AI 2024, arXiv:2412.19437, Table 2: (PP/2 - 1)(F&B + B - 3W), of (PP - 1)(F + B) for 1F1B; here F = W, B = 2F."""
    llama, cluster, batch = named_model("Llama-3-70B"), Cluster("H100-80GB", 64), Batch(256, 4096)
    forward, backward, weights = 1, 2, 1
    for name, pieces in (("dualpipe", 8), ("dualpipev", 16)):
        layout = Layout(pp=8, dp=8, schedule=name)
        waited = work_of_stages(llama, cluster, layout.local, batch).waited_s  # of (PP - 1)(F + B)
        share = (pieces / 2 - 1) * (forward + backward + backward - 3 * weights) / ((8 - 1) * (forward + backward))
        share *= 8 / pieces  # a piece of DualPipeV is half a stage
        assert step(llama, cluster, layout, batch)["bubble"] == pytest.approx(share * waited)


def test_numbers_of_layers_add_up_over_a_stage_of_both_kinds() -> None:
    deepseek, cluster = named_model("DeepSeek-V3"), Cluster("H100-80GB", 128)
    layout = Layout(tp=2, cp=2, pp=4, dp=8, ep=8, recompute="full", software="megatron-2023")
    batch = Batch(64, 4096)
    kinds = deepseek.blocks[:15]  # the first of four stages has 15 of the 61 layers, three of them dense
    passes = [layer_passes(deepseek, cluster, layout, batch, kind) for kind in kinds]
    stage = stage_seconds(deepseek, cluster, layout, batch)[0]
    for part in ("compute", "tensor", "context", "expert"):
        there, back = (sum(getattr(each[way], part) for each in passes) for way in (0, 1))
        again = (
            0 if part == "compute" else there
        )  # what is sent, is sent again; computing it again is a part of its own
        assert there > 0
        assert getattr(stage, part) == pytest.approx(there + again + back), part
    parts = ("compute", "tensor", "context", "expert")
    forward = sum(getattr(there, part) for there, _ in passes for part in parts)
    assert stage.forward == pytest.approx(forward)
    assert stage.recompute == pytest.approx(sum(there.compute for there, _ in passes))


@pytest.mark.parametrize("word", ["selective", "operators"])
def test_attention_and_single_products_are_computed_again_without_sending(word: str) -> None:
    layout = Layout(tp=8, dp=8, software="megatron-2023")
    none, again = (step(LLAMA, H100, replace(layout, recompute=name), BATCH) for name in ("none", word))
    assert again["tensor_parallel"] == none["tensor_parallel"]
    assert again["recompute"] > 0


def test_stragglers_lose_a_share_of_what_is_computed_again_too() -> None:
    parts = step(LLAMA, H100, Layout(tp=8, dp=8, recompute="full"), BATCH)
    assert parts["stragglers"] == pytest.approx(3 * constant("straggling") * (parts["compute"] + parts["recompute"]))


def test_a_v_schedule_has_no_bubble() -> None:
    """The schedule zb-v is V-ZB of Qi et al. 2024, arXiv:2405.15362, which leaves no stage idle."""
    assert step(LLAMA, H100, Layout(pp=8, dp=8, schedule="zb-v"), Batch(128, 4096))["bubble"] == 0


def test_two_stages_send_each_micro_batch_once_each_way() -> None:
    layout, batch = Layout(tp=8, pp=2, dp=4, software="megatron-2021"), Batch(64, 8192)
    part = hop_seconds(H100, message_bytes=2 * 8192 * 8192 / 8, stride=32)
    whole = hop_seconds(H100, message_bytes=2 * 8192 * 8192, stride=32)
    sent = step(LLAMA, H100, layout, batch)["pipeline_parallel"]
    assert sent > 0
    for name, parallel, one in (
        ("megatron-2021", False, part),  # it sends a part from each rank, though each has the whole
        ("flash-2023", True, part),  # each rank has a part alone
        ("flash-2023", False, whole),
    ):
        changed = replace(layout, software=name, sequence_parallel=parallel)
        assert step(LLAMA, H100, changed, batch)["pipeline_parallel"] == pytest.approx(sent * one / part)


def test_a_chip_without_a_format_computes_in_the_next_wider_one_at_the_share_of_that() -> None:
    size = {"tokens": 8192, "inputs": 8192, "outputs": 8192}
    assert peak_flop_per_s("B200-180GB", "mxfp8") == 4500e12
    assert product_seconds("H100-80GB", "nvfp4", **size) == product_seconds("H100-80GB", "fp8", **size)
    assert product_seconds("V100-32GB", "bf16", **size) == product_seconds("V100-32GB", "fp16", **size)
    wide, narrow = (product_seconds("B200-180GB", name, **size) for name in ("fp8", "nvfp4"))
    row = chip("B200-180GB")
    assert wide - narrow == pytest.approx(2 * 8192**3 * (1 / (4500e12 * row["fp8"]) - 1 / (9000e12 * row["fp4"])))


def test_cutting_latent_attention_leaves_each_rank_some_of_its_heads() -> None:
    deepseek, batch = named_model("DeepSeek-V3"), Batch(64, 4096)
    forward, _ = layer_passes(deepseek, H100, Layout(tp=4, dp=16, ep=16), batch, deepseek.blocks[-1])
    few = replace(deepseek, heads=32, kv_heads=32)
    alone, _ = layer_passes(few, H100, Layout(dp=64, ep=64), batch, few.blocks[-1])
    assert forward.products - forward.mlp == pytest.approx(alone.products - alone.mlp)
    assert forward.core == pytest.approx(alone.core)


def test_a_rank_with_one_expert_starts_one_product_for_all_its_copies() -> None:
    mixture = named_model("Mixtral-8x7B")
    one, two = (layer_passes(mixture, H100, Layout(dp=64, ep=ep), Batch(64, 4096), MIXTURE)[0].mlp for ep in (8, 4))
    weights = 3 * 4096 * 14336 * 2  # bytes of the second expert, which are read as well
    waited = constant("product_memory") * weights / (3.35e12 * constant("hbm")) / constant("grouped")
    assert two - one == pytest.approx(waited, rel=1e-6)


def test_a_shared_expert_passes_over_as_much_as_a_routed_one() -> None:
    mixture = named_model("Mixtral-8x7B")
    case = H100, Layout(dp=64, ep=8), Batch(64, 4096), MIXTURE
    none, one, two = (layer_passes(replace(mixture, shared_experts=n), *case)[0].small for n in range(3))
    assert two - one == pytest.approx(one - none) == pytest.approx(2 * 3 * 4096 * 14336 / (3.35e12 * constant("hbm")))


def test_context_parallelism_shares_written_scores_out() -> None:
    gpt, batch = named_model("GPT-3-175B"), Batch(8, 2048)
    whole, half = (layer_passes(gpt, H100, Layout(cp=cp, software="megatron-2021"), batch, Block())[0] for cp in (1, 2))
    assert half.core == pytest.approx(whole.core / 2)


def test_experts_receive_a_ranks_share_of_the_tokens_from_as_far_as_they_are_apart() -> None:
    mixture, batch = named_model("Mixtral-8x7B"), Batch(64, 4096)
    for layout, stride in ((Layout(tp=2, dp=32, ep=8), 1), (Layout(tp=2, dp=32, ep=8, expert_tp=2), 2)):
        forward, _ = layer_passes(mixture, H100, layout, batch, MIXTURE)
        one = dispatch_seconds(H100, tokens=2048, hidden=4096, experts=8, experts_per_token=2, ep=8, stride=stride)
        assert forward.expert == pytest.approx(2 * one)


def test_context_ranks_pass_at_least_one_head_on_over_the_nearest_link() -> None:
    pairs, layout = Cluster("H100-80GB", 16, gpus_per_node=2), Layout(cp=2, dp=8)
    forward, _ = layer_passes(LLAMA, pairs, layout, BATCH, Block())
    near = hop_seconds(pairs, message_bytes=2 * 2 * 4096 * 8 * 128, stride=1)
    assert forward.context == pytest.approx(exposed_seconds(near, forward.core))
    forward, _ = layer_passes(LLAMA, H100, Layout(tp=8, cp=2, dp=4), BATCH, Block())  # one head for each rank
    far = hop_seconds(H100, message_bytes=2 * 2 * 4096 * 128, stride=8)
    assert forward.context == pytest.approx(exposed_seconds(far, forward.core))


@pytest.mark.parametrize("name", ["hidden", "experts", "experts_per_token"])
def test_an_exchange_with_nobody_is_refused_for_its_arguments_too(name: str) -> None:
    case: dict[str, Any] = {"tokens": 4096, "hidden": 7168, "experts": 256, "experts_per_token": 8, "ep": 1}
    assert dispatch_seconds(H100, **case) == 0
    with pytest.raises(ValueError, match=f"^{name} must be"):
        dispatch_seconds(H100, **case | {name: 0})


def test_a_collective_with_nobody_is_refused_for_its_size_too() -> None:
    with pytest.raises(ValueError, match=r"^message_bytes must be"):
        phase_seconds(H100, message_bytes=-1, size=1, stride=1)


def test_two_nodes_reach_each_other_through_the_ports() -> None:
    case: dict[str, Any] = {"tokens": 4096, "hidden": 7168, "experts": 256, "experts_per_token": 8}
    far = expert_traffic.port_bytes(**case, nodes=2)
    assert dispatch_seconds(H100, **case, ep=16) == pytest.approx(far / port_bytes_per_s(H100) + constant("hop_s"))


SHORT = {"parameters": 2e9, "layers": 20, "micro_batches": 4, "micro_batch_s": 0.01}  # computing hides little


def test_gradients_that_take_longer_than_the_passes_beside_them_show() -> None:
    layout = Layout(tp=8, dp=8)
    reduce = phase_seconds(H100, message_bytes=4 * 2e9, size=8, stride=8, calls=20)
    gather = phase_seconds(H100, message_bytes=2 * 2e9, size=8, stride=8, calls=20)
    # the first layer waits for nothing; the others compute next to what is sent
    hidden = 0.01 * 19 / 20
    wanted = reduce + gather - hidden + constant("contention") * (reduce + gather)
    assert data_seconds(H100, layout, **SHORT) == pytest.approx(wanted)
    sharded = data_seconds(H100, Layout(dp=64, zero=2), **SHORT) - data_seconds(H100, Layout(dp=64), **SHORT)
    whole = phase_seconds(H100, message_bytes=4 * 2e9, size=64, stride=1, calls=20)
    assert sharded == pytest.approx(3 * exposed_seconds(whole, 0.01 * 2 / 3))


def test_weights_that_take_longer_to_gather_than_the_passes_beside_them_show() -> None:
    gather, reduce = (phase_seconds(H100, message_bytes=width * 2e9, size=64, stride=1, calls=20) for width in (2, 4))
    hidden = 0.01  # forward and backward together hide what they take
    sent = 2 * gather + reduce
    wanted = 4 * (sent - hidden + constant("contention") * hidden) + gather / 20
    assert data_seconds(H100, Layout(dp=64, zero=3), **SHORT) == pytest.approx(wanted)


def test_without_overlap_hybrid_shards_add_all_that_is_sent() -> None:
    layout = Layout(dp=64, zero=3, shard_group=8, software="megatron-2021")
    gather, reduce = (phase_seconds(H100, message_bytes=width * 2e9, size=8, stride=1, calls=20) for width in (2, 4))
    across = 2 * phase_seconds(H100, message_bytes=4 * 2e9 / 8, size=8, stride=8, calls=20)
    assert data_seconds(H100, layout, **ONE) == pytest.approx(4 * (2 * gather + reduce) + across)


def test_two_replicas_exchange_and_one_does_not() -> None:
    layout = Layout(tp=8, pp=4, dp=2, software="internevo-2023")
    assert data_seconds(H100, layout, **ONE) > 2 * software("internevo-2023")["broadcast_s"]
    assert data_seconds(H100, replace(layout, pp=8, dp=1), **ONE) == 0


def test_attention_with_wider_queries_than_values_takes_more_flop() -> None:
    scores = forward_flop(named_model("DeepSeek-V3"), sequence=4096)["scores"]
    assert scores == 61 * 2 * 4096 * 128 * ((128 + 64) + 128)  # queries times keys, and weights times values


def test_the_flop_of_the_smallest_step_are_counted_one_by_one() -> None:
    one = Model("one", layers=1, hidden=1, ffn_hidden=1, heads=1, kv_heads=1, vocabulary=1, mlp_matrices=2)
    # a product and a sum for each of four matrices of attention, two of scores, two of the MLP and the output layer
    forward = 2 * (4 + 2 + 2 + 1)
    for again in (False, True):
        assert step_flop(one, Layout(), Batch(1, 1), again=again) == 3 * forward
    assert step_flop(one, Layout(recompute="full"), Batch(1, 1), again=False) == 3 * forward


def test_a_name_without_constants_is_answered_with_the_names_that_have_some() -> None:
    for what, find in (("chip", chip), ("software", software), ("kind of kernels", kernels)):
        with pytest.raises(ValueError, match=f"^unknown {what} 'mine'; planner/constants.yaml has "):
            find("mine")


@pytest.mark.parametrize(
    ("gpus", "layout", "batch", "printed"),
    [
        (8192, Layout(tp=8, pp=16, dp=64), Batch(2048, 8192), 430),
        (16384, Layout(tp=8, pp=16, dp=128), Batch(2048, 8192), 400),
        (16384, Layout(tp=8, cp=16, pp=16, dp=8), Batch(128, 131072), 380),
    ],
)
def test_the_three_layouts_of_the_llama_3_paper_are_within_a_tenth_of_what_it_prints(
    gpus: int, layout: Layout, batch: Batch, printed: float
) -> None:
    """Llama Team 2024, arXiv:2407.21783, Table 4, TFLOP/s of a GPU. The chunks of a stage are not printed: 2 are assumed."""
    interleaved = replace(layout, virtual_stages=2, schedule="interleaved")
    judged = plan(named_model("Llama-3-405B"), Cluster("H100-80GB", gpus), interleaved, batch)
    assert judged.mfu * 989 == pytest.approx(printed, rel=0.1)


def test_a_pass_hides_as_much_of_the_sums_as_its_products_take() -> None:
    far = Cluster("H100-80GB", 64, gpus_per_node=1)
    forward, backward = layer_passes(LLAMA, far, Layout(tp=8, dp=8), BATCH, Block())
    sums = 4 * phase_seconds(far, message_bytes=2 * 8192 * 8192, size=8, stride=1)
    assert sums > 3 * forward.products
    for each in (forward, backward):
        assert each.tensor == pytest.approx(exposed_seconds(sums, each.products))


def test_the_slowest_stage_is_compared_with_the_average_of_all() -> None:
    layout = Layout(pp=4)
    seconds = [stage.whole for stage in stage_seconds(LLAMA, H100, layout, BATCH)]
    work = work_of_stages(LLAMA, H100, layout, BATCH)
    assert work.place == 3
    assert 1 + work.over_average == pytest.approx(max(seconds) / mean(seconds))
    assert work.waited_s == pytest.approx(sum(seconds[:3]))
