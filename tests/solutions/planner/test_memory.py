"""What a layout holds: against matrices dealt one by one, schedules that are played, the chapters' formulas, and published runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.activations import gpt_activations
from solutions.oracles.planner import judging as oracle
from solutions.planner.activations import layer_bytes
from solutions.planner.constants import constant
from solutions.planner.judging import plan
from solutions.planner.memory import cache_bytes, gradient_width, memory, stage_memory
from solutions.planner.shapes import Batch, Block, Cluster, Layout, Model, named_model
from solutions.planner.stages import held_micro_batches, micro_batches, stage_layers, stage_parameters
from solutions.tensor_and_context import tensor_parallel

LLAMA = named_model("Llama-3-70B")
GPT = named_model("GPT-3-175B")
MIXTURE = Block(mlp="mixture")
NAMES = ("Llama-3-8B", "Llama-3-405B", "GPT-3-175B", "Mixtral-8x7B", "DeepSeek-V3", "Qwen3-30B-A3B")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("degrees", [{}, {"tp": 2, "pp": 4}, {"pp": 3}, {"tp": 4, "ep": 4}])
def test_a_stage_has_the_matrices_that_are_dealt_to_it(name: str, degrees: dict[str, int]) -> None:
    model, layout = replace(named_model(name), biases=False), Layout(**degrees)
    for stage in range(layout.pp):
        held = stage_parameters(model, layout, stage)
        assert held == pytest.approx(oracle.stage_parameters(model, layout, stage), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_all_stages_together_have_all_parameters(name: str) -> None:
    model = named_model(name)
    held = sum(stage_parameters(model, Layout(pp=4), stage) for stage in range(4))
    twice = model.vocabulary * model.hidden if model.tied else 0  # a copy on the first stage and one on the last
    assert held - twice == pytest.approx(model.parameters, rel=2e-3)  # but for biases, positions and the last norm


@given(
    zero=st.integers(0, 3), dp=st.sampled_from([1, 4, 64]), cp=st.sampled_from([1, 2]), tp=st.sampled_from([1, 8]),
    width=st.sampled_from([2, 4]),
)  # fmt: skip
def test_states_are_whole_or_a_shard(zero: int, dp: int, cp: int, tp: int, width: int) -> None:
    layout = Layout(tp=tp, cp=cp, dp=dp, zero=zero, gradient_bytes=width, software="megatron-2024")
    held = stage_memory(LLAMA, layout, Batch(64, 8192), 0)
    wanted = oracle.state_bytes(stage_parameters(LLAMA, layout, 0), layout, gradient_bytes=2 if zero == 3 else width)
    for name, size in wanted.items():
        assert held[name] == pytest.approx(size)


def test_experts_are_sharded_over_the_ranks_that_hold_the_same_ones() -> None:
    mixture, batch = named_model("Mixtral-8x7B"), Batch(64, 4096)
    alone = stage_memory(mixture, Layout(dp=8, ep=8), batch, 0)
    both = stage_memory(mixture, Layout(dp=16, ep=8), batch, 0)
    routed = mixture.layers * mixture.expert_parameters
    dense = stage_parameters(mixture, Layout(dp=8, ep=8), 0) - routed
    assert alone["optimizer"] == pytest.approx(12 * (routed + dense / 8))
    assert both["optimizer"] == pytest.approx(12 * (routed / 2 + dense / 16))
    cut = Layout(tp=2, dp=8, ep=4)  # 16 ranks hold 4 different parts of the experts, each four times
    dense = stage_parameters(mixture, cut, 0) - 2 * routed
    assert stage_memory(mixture, cut, batch, 0)["optimizer"] == pytest.approx(12 * (2 * routed / 4 + dense / 8))


@given(
    pp=st.sampled_from([1, 2, 4, 8]), chunks=st.sampled_from([1, 2, 3]), rounds=st.integers(1, 4),
    schedule=st.sampled_from(["1f1b", "gpipe"]), data=st.data(),
)  # fmt: skip
@settings(deadline=None)
def test_a_played_schedule_holds_as_many_micro_batches(
    pp: int, chunks: int, rounds: int, schedule: str, data: st.DataObject
) -> None:
    chunks = chunks if pp > 1 and schedule == "1f1b" else 1
    layout, batch = Layout(pp=pp, virtual_stages=chunks, schedule=schedule), Batch(rounds * pp, 1024)
    stage = data.draw(st.integers(0, pp - 1))
    held = held_micro_batches(layout, batch, stage)
    assert held == oracle.peak_micro_batches(layout, micro_batches(layout, batch), stage)


def test_split_backward_passes_hold_more() -> None:
    batch = Batch(64, 1024)
    layout = Layout(pp=8)
    held = [held_micro_batches(replace(layout, schedule=name), batch, 0) for name in ("1f1b", "zb-h1", "zb-v", "zb-h2")]
    assert held == [8, 8, 8, 15]


@given(
    tp=st.sampled_from([1, 2, 4, 8]), sequence_parallel=st.booleans(), micro_batch=st.integers(1, 4),
    cp=st.sampled_from([1, 2, 4]),
)  # fmt: skip
def test_a_llama_layer_keeps_what_the_chapter_on_tensor_parallelism_says(
    tp: int, sequence_parallel: bool, micro_batch: int, cp: int
) -> None:
    layout = Layout(tp=tp, cp=cp, micro_batch=micro_batch, sequence_parallel=sequence_parallel)
    kept = tensor_parallel.kept_bytes(
        tokens=micro_batch * 4096 // cp, hidden=8192, ffn_hidden=28672, heads=64, kv_heads=8, tp=tp,
        sequence_parallel=sequence_parallel,
    )  # fmt: skip
    assert layer_bytes(LLAMA, layout, Batch(64, 4096)) == pytest.approx(kept)


@given(
    tp=st.sampled_from([1, 2, 4, 8]), sequence_parallel=st.booleans(), micro_batch=st.integers(1, 4),
    word=st.sampled_from(["none", "selective", "full"]),
)  # fmt: skip
def test_a_gpt_layer_keeps_what_the_chapter_on_activations_says(
    tp: int, sequence_parallel: bool, micro_batch: int, word: str
) -> None:
    layout = Layout(
        tp=tp, micro_batch=micro_batch, sequence_parallel=sequence_parallel, recompute=word, software="megatron-2021"
    )
    kept = gpt_activations.layer_bytes(
        micro_batch=micro_batch, sequence=2048, hidden=12288, heads=96, tp=tp, sequence_parallel=sequence_parallel,
        recompute=word,
    )  # fmt: skip
    assert layer_bytes(GPT, layout, Batch(64, 2048)) == pytest.approx(kept)


@pytest.mark.parametrize("name", NAMES)
def test_the_more_is_computed_again_the_less_is_kept(name: str) -> None:
    model, batch = named_model(name), Batch(8, 4096)
    kept = [
        layer_bytes(model, Layout(recompute=word), batch, model.blocks[-1])
        for word in ("full", "layernorm,mlp,moe", "operators", "selective", "none")
    ]
    assert kept[0] < kept[1]
    assert max(kept[1:3]) < kept[4]
    assert kept[0] < kept[3] <= kept[4]


def test_recomputing_every_second_product_keeps_the_others() -> None:
    """torchtitan saves attention and every second product: queries, values, gate and the layer's output."""
    kept = layer_bytes(LLAMA, Layout(recompute="operators"), Batch(8, 4096)) / 4096
    assert kept == 2 * (8192 + 8192 + 8192 + 1024 + 8192 + 28672)
    mixture = layer_bytes(named_model("Mixtral-8x7B"), Layout(recompute="operators"), Batch(8, 4096), MIXTURE) / 4096
    assert mixture == 2 * (2 * 4096 + 2 * 4096 + 1024 + 2 * 14336)


def test_experts_count_when_they_are_gathered_or_updated() -> None:
    mixture, batch = named_model("Mixtral-8x7B"), Batch(64, 128)
    layout = Layout(dp=8, ep=8, zero=3)
    whole = stage_parameters(mixture, layout, 0)
    assert stage_memory(mixture, layout, batch, 0)["gathered"] == pytest.approx(6 * whole / 32)
    held = stage_memory(mixture, replace(layout, zero=0, software="internevo-2023"), batch, 0)
    moving = held["activations"] + held["working"] + held["logits"]
    assert held["update"] == pytest.approx(14 * whole - moving)


def test_eight_bits_keep_inputs_of_products_in_a_byte() -> None:
    batch, d, f = Batch(8, 4096), 8192, 28672
    saved = layer_bytes(LLAMA, Layout(), batch) - layer_bytes(LLAMA, Layout(precision="fp8"), batch)
    assert saved == 4096 * (
        2 * d + f - d
    )  # two normed inputs and the MLP's product; attention's output twice, in 16 and 8 bits


def test_kernels_of_their_own_keep_the_gate_twice() -> None:
    batch = Batch(8, 4096)
    eager, fused = (layer_bytes(LLAMA, Layout(software=name), batch) for name in ("fsdp-eager", "fsdp-compiled"))
    assert eager - fused == 4096 * 2 * 28672
    mpt = replace(GPT, biases=False)
    assert layer_bytes(mpt, Layout(software="fsdp-eager"), batch) == layer_bytes(
        mpt, Layout(software="fsdp-compiled"), batch
    )


def test_latent_attention_keeps_its_short_vectors() -> None:
    deepseek, batch = named_model("DeepSeek-V3"), Batch(1, 4096)
    whole, selective = (
        layer_bytes(deepseek, Layout(recompute=word), batch, deepseek.blocks[-1]) / 4096
        for word in ("none", "selective")
    )
    heads = 2 * 128 * (2 * 192 + 2 * 128)  # queries and keys with positions, values, attention's output
    short = 2 * (1536 + 512 + 64)
    routed = 8 * (2 * 7168 + 2 * 3 * 2048) + 2 * 3 * 2048
    assert whole == 4 * 2 * 7168 + heads + short + routed
    routed = (
        8 * (2 * 7168 + 2 * 2 * 2048) + 2 * 3 * 2048
    )  # without the activation's output, which the shared expert keeps
    assert selective == 2 * 2 * 7168 + 2 * (1536 + 512) + 2 * 128 * 128 + routed


def test_logits_are_on_the_last_stage_alone() -> None:
    layout, batch = Layout(pp=4, tp=2, micro_batch=2), Batch(64, 8192)
    logits = [stage_memory(LLAMA, layout, batch, stage)["logits"] for stage in range(4)]
    assert logits == [0, 0, 0, 8 * 2 * 8192 * 128256 / 2]  # megatron-2024 holds 8 bytes for each


def test_gathering_holds_two_layers_of_weights_and_one_of_gradients() -> None:
    held = stage_memory(LLAMA, Layout(dp=64, zero=3), Batch(64, 4096), 0)
    assert held["gathered"] == pytest.approx(6 * stage_parameters(LLAMA, Layout(), 0) / 80)
    assert stage_memory(LLAMA, Layout(dp=64, zero=2), Batch(64, 4096), 0)["gathered"] == 0


def test_an_update_counts_only_beyond_what_the_step_held() -> None:
    small = Batch(64, 128)
    held = stage_memory(LLAMA, Layout(dp=2, software="internevo-2023"), small, 0)
    moving = held["activations"] + held["working"] + held["logits"]
    assert held["update"] == pytest.approx(14 * stage_parameters(LLAMA, Layout(), 0) / 2 - moving)
    assert (
        stage_memory(LLAMA, Layout(dp=2, micro_batch=32, software="internevo-2023"), Batch(64, 8192), 0)["update"] == 0
    )


def test_each_kind_of_group_takes_buffers() -> None:
    batch = Batch(64, 4096)
    contexts = [
        stage_memory(LLAMA, layout, batch, 0)["context"]
        for layout in (Layout(), Layout(tp=2), Layout(tp=2, dp=2), Layout(tp=2, dp=2, pp=2), Layout(tp=2, dp=2, pp=2, cp=2))
    ]  # fmt: skip
    assert [after - before for before, after in pairwise(contexts)] == pytest.approx([constant("group_bytes")] * 4)
    assert contexts[0] == constant("context_bytes")


def test_a_cache_takes_what_is_left_and_no_more() -> None:
    cluster = Cluster("H100-80GB", 8)
    held = {"weights": 20e9, "activations": 30e9}
    assert cache_bytes(cluster, held) == pytest.approx(constant("cache") * 30e9)
    assert cache_bytes(cluster, held | {"weights": 53e9}) == pytest.approx(85.52e9 - 83e9)
    assert cache_bytes(cluster, held | {"weights": 90e9}) == 0


@pytest.mark.parametrize(
    ("model", "layout", "batch", "printed_gib", "source"),
    [
        ("BLOOM-176B", Layout(tp=4, pp=12, dp=8, micro_batch=2, recompute="full", software="deepspeed-2022", sequence_parallel=False),
         Batch(2048, 2048), 59, "bigscience tr11-176B-ml chronicles, rebalancing layers, 112 heads"),
        ("BLOOM-176B", Layout(tp=8, pp=12, dp=4, micro_batch=2, recompute="full", software="deepspeed-2022", sequence_parallel=False),
         Batch(2048, 2048), 40, "the same, TP 8"),
    ],
)  # fmt: skip
def test_published_memory_is_met_within_an_eighth(
    model: str, layout: Layout, batch: Batch, printed_gib: float, source: str
) -> None:
    gpus = layout.tp * layout.pp * layout.dp
    judged = plan(named_model(model), Cluster("A100-80GB", gpus), layout, batch)
    assert (judged.memory_bytes + judged.cache_bytes) / 2**30 == pytest.approx(printed_gib, rel=0.125), source


def test_published_peaks_of_a_pipeline_are_met() -> None:
    """Zero Bubble (Qi et al. 2024, arXiv:2401.10241), Table 4: 30 and 59 GB, allocated, under 1F1B and ZB-2p."""
    model = Model("1.5B", 22, 2304, 9216, 24, 24, 50304, mlp_matrices=2, tied=True, biases=True)
    layout = Layout(pp=8, zero=0, micro_batch=6, software="megatron-2021", sequence_parallel=False, precision="fp16")
    for schedule, printed in (("1f1b", 30e9), ("zb-h2", 59e9)):
        judged = plan(model, Cluster("A100-80GB", 8), replace(layout, schedule=schedule), Batch(144, 1024))
        assert judged.memory_bytes - judged.memory["context"] == pytest.approx(printed, rel=0.1)


def test_dualpipe_has_a_stage_of_each_direction() -> None:
    """DeepSeek-AI 2024, arXiv:2412.19437, Table 2: parameters twice, activations of PP + 1 micro-batches."""
    model, batch, layout = named_model("DeepSeek-V3"), Batch(15360, 4096), Layout(pp=16, dp=128, ep=64)
    both = replace(layout, schedule="dualpipe")
    one, two = (stage_memory(model, each, batch, 3) for each in (layout, both))
    assert [held_micro_batches(both, batch, stage) for stage in (0, 3, 15)] == [17, 17, 17]
    assert held_micro_batches(both, Batch(128 * 4, 4096), 0) == 4
    assert two["weights"] == 2 * one["weights"] and two["gradients"] == 2 * one["gradients"]
    assert two["optimizer"] == pytest.approx(one["optimizer"])  # both copies share it out
    assert two["activations"] == pytest.approx(one["activations"] * 17 / 13)
    assert stage_memory(model, replace(both, pp=1), batch, 0) == stage_memory(model, replace(layout, pp=1), batch, 0)


def test_a_step_has_one_micro_batch_at_least() -> None:
    assert micro_batches(Layout(dp=64), Batch(64, 4096)) == 1
    assert micro_batches(Layout(dp=64), Batch(32, 4096)) == 1  # a layout that cannot run; others are told why


def test_experts_that_are_cut_are_sharded_over_the_ranks_with_the_same_part() -> None:
    mixture, batch = named_model("Mixtral-8x7B"), Batch(64, 4096)
    cut = Layout(tp=2, dp=8, ep=4, expert_tp=2)  # 16 ranks hold 8 different parts, each two times
    parts = mixture.layers * 8 * mixture.expert_parameters / 8
    assert stage_parameters(mixture, cut, 0) == pytest.approx(oracle.stage_parameters(mixture, cut, 0))
    dense = stage_parameters(mixture, cut, 0) - parts
    assert stage_memory(mixture, cut, batch, 0)["optimizer"] == pytest.approx(12 * (parts / 2 + dense / 8))


def test_every_stage_of_a_v_holds_as_much() -> None:
    """Qi et al. 2024, arXiv:2405.15362: V-ZB holds as much on each stage as 1F1B on the first."""
    layout = Layout(pp=8, schedule="zb-v")
    assert [held_micro_batches(layout, Batch(64, 1024), stage) for stage in range(8)] == [8] * 8


def test_dualpipe_has_both_directions_on_two_stages_too() -> None:
    model, batch = replace(LLAMA, layers=10), Batch(64, 4096)
    one, two = (stage_memory(model, Layout(pp=2, schedule=name), batch, 0) for name in ("1f1b", "dualpipe"))
    assert held_micro_batches(Layout(pp=2, schedule="dualpipe"), batch, 0) == 3
    assert two["weights"] == 2 * one["weights"]


def test_a_stage_keeps_its_output_beside_its_layers() -> None:
    layout, batch = Layout(tp=2, pp=2), Batch(64, 4096)
    held = stage_memory(LLAMA, layout, batch, 1)["activations"]  # the last stage holds one micro-batch
    assert held == pytest.approx(40 * layer_bytes(LLAMA, layout, batch) + 2 * 4096 * 8192 / 2)
    whole = stage_memory(LLAMA, replace(layout, sequence_parallel=False), batch, 1)["activations"]
    assert whole == pytest.approx(
        40 * layer_bytes(LLAMA, replace(layout, sequence_parallel=False), batch) + 2 * 4096 * 8192
    )


@pytest.mark.parametrize(("layers", "weights", "gradients"), [(1, 1, 1), (3, 2, 1)])
def test_a_second_layer_is_gathered_where_there_is_one(layers: int, weights: int, gradients: int) -> None:
    model, layout = replace(LLAMA, layers=layers), Layout(dp=64, zero=3)
    one = stage_parameters(model, Layout(), 0) / layers
    held = stage_memory(model, layout, Batch(64, 4096), 0)["gathered"]
    assert held == pytest.approx(2 * (weights + gradients) * one)


def test_what_was_gathered_is_free_again_for_the_update() -> None:
    layout = Layout(dp=2, zero=3, software="internevo-2023")
    held = stage_memory(LLAMA, layout, Batch(64, 128), 0)
    moving = held["activations"] + held["working"] + held["logits"] + held["gathered"]
    assert held["update"] == pytest.approx(14 * stage_parameters(LLAMA, Layout(), 0) / 2 - moving)
    assert held["gathered"] > 1e9


def test_only_bf16_has_the_gradient_buffer_of_deepspeed() -> None:
    layout = Layout(software="deepspeed-2022")
    assert [gradient_width(replace(layout, precision=name)) for name in ("bf16", "fp16")] == [6, 2]


@pytest.mark.parametrize("bucket", ["working", "logits", "gathered", "update"])
def test_what_comes_and_goes_is_cached(bucket: str) -> None:
    assert cache_bytes(Cluster("H100-80GB", 8), {bucket: 1.0}) == constant("cache")
    assert cache_bytes(Cluster("H100-80GB", 8), {"weights": 1.0}) == 0


def test_the_second_stage_is_the_fullest_where_the_first_has_fewer_layers() -> None:
    model, batch = replace(LLAMA, layers=7, vocabulary=64), Batch(64, 4096)
    layout = Layout(pp=3, zero=0)
    assert stage_layers(model, layout) == (2, 3, 2)
    found = [sum(stage_memory(model, layout, batch, stage).values()) for stage in range(3)]
    assert max(found) == found[1] == pytest.approx(sum(memory(model, layout, batch).values()))


def test_scores_that_are_written_are_kept_twice_and_with_dropout_its_mask() -> None:
    batch = Batch(8, 2048)
    for model, kept in ((GPT, 5), (replace(GPT, biases=False), 4)):
        written, fused = (
            layer_bytes(model, Layout(software=name), batch) for name in ("megatron-2021", "megatron-2023")
        )
        assert written - fused == kept * 96 * 2048**2


def test_a_mixture_without_latent_attention_keeps_queries_keys_and_values() -> None:
    selective = layer_bytes(named_model("Mixtral-8x7B"), Layout(recompute="selective"), Batch(8, 4096), MIXTURE) / 4096
    heads = 2 * 4096 + 4 * 1024 + 2 * 4096  # queries, keys and values, attention's output
    assert selective == 2 * 2 * 4096 + heads + 2 * (2 * 4096 + 4 * 14336)  # and input, gate and up of two experts


@pytest.mark.parametrize(("name", "software"), [("GPT-3-175B", "megatron-2021"), ("Mixtral-8x7B", "megatron-2024")])
def test_recomputing_some_layers_keeps_the_others_as_they_are(name: str, software: str) -> None:
    model, batch = named_model(name), Batch(8, 2048)
    none, full, half = (
        layer_bytes(
            model,
            Layout(recompute=word, recomputed_layers=model.layers // 2, software=software),
            batch,
            model.blocks[-1],
        )
        for word in ("none", "full", "partial")
    )
    assert half == pytest.approx((none + full) / 2)


def test_a_stage_of_both_kinds_of_layers_keeps_what_each_kind_keeps() -> None:
    deepseek, layout, batch = named_model("DeepSeek-V3"), Layout(pp=4), Batch(4, 4096)
    dense, mixed = (layer_bytes(deepseek, layout, batch, kind) for kind in (deepseek.blocks[0], deepseek.blocks[-1]))
    first, _, last = (stage_memory(deepseek, layout, batch, stage) for stage in (0, 1, 3))
    output = 2 * 4096 * 7168
    assert first["activations"] == pytest.approx(4 * (3 * dense + 12 * mixed + output))
    assert first["working"] == pytest.approx(constant("working") * max(dense, mixed))
    assert last["activations"] == pytest.approx(15 * mixed + output)


def test_one_stage_sends_no_output_on() -> None:
    held = stage_memory(LLAMA, Layout(), Batch(1, 4096), 0)["activations"]
    assert held == pytest.approx(80 * layer_bytes(LLAMA, Layout(), Batch(1, 4096)))


@pytest.mark.parametrize("word", ["none", "full", "mlp"])
def test_the_backward_pass_of_a_layer_holds_what_was_computed_again_for_it(word: str) -> None:
    layout, batch = Layout(recompute=word, software="megatron-2021"), Batch(1, 2048)
    whole, kept = (layer_bytes(GPT, replace(layout, recompute=one), batch) for one in ("none", word))
    again = whole if word == "full" else whole - kept  # full recomputation keeps the input of each layer next to it
    assert stage_memory(GPT, layout, batch, 0)["working"] == again + constant("working") * whole  # to the byte
