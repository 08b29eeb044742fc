"""The planner: what keeps a layout from running, in words with their numbers, and what it says of one that runs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from solutions.planner.faults import Fault, memory_fault, precision_faults
from solutions.planner.judging import (
    counted,
    judge,
    layout_memory_bytes,
    layout_mfu,
    layout_step_seconds,
    plan,
    run_days,
    run_dollars,
    warnings,
)
from solutions.planner.plan import Plan
from solutions.planner.shapes import Batch, Cluster, Layout, Model, divisors, named_model
from solutions.shapes import models

LLAMA = named_model("Llama-3-405B")
CLUSTER = Cluster("H100-80GB", 16384)
BATCH = Batch(global_batch=2048, sequence=8192)
GOOD = Layout(tp=8, pp=16, dp=128, zero=2)


def test_the_parts_add_up() -> None:
    judged = plan(LLAMA, CLUSTER, GOOD, BATCH)
    assert judged.memory_bytes == sum(judged.memory.values())
    assert judged.step_s == sum(judged.step.values())
    assert judged.tokens_per_s_per_gpu == pytest.approx(BATCH.tokens / judged.step_s / 16384)
    assert judged.cache_bytes > 0
    assert judged.memory_bytes + judged.cache_bytes <= CLUSTER.memory_bytes


def test_llama_3_as_it_was_trained_fits_without_recomputation() -> None:
    """Llama Team 2024, arXiv:2407.21783, section 3.3.2: no activation checkpointing at 8K on cards of 80 GB."""
    assert plan(LLAMA, CLUSTER, GOOD, BATCH).fits
    assert not plan(LLAMA, CLUSTER, replace(GOOD, zero=0), BATCH).fits


WRONG: list[tuple[dict[str, Any], str, float, float, str]] = [
    ({"dp": 64}, "product", 8192, 16384, "TP 8 × CP 1 × PP 16 × DP 64 = 8,192 GPUs, but the cluster has 16,384"),
    ({"tp": 24}, "heads", 24, 128, "TP 24 does not divide the 128 attention heads"),
    ({"tp": 3}, "kv_heads", 3, 8, "TP 3 neither divides the 8 key/value heads nor is a multiple of them"),
    ({"tp": 7}, "mlp", 7, 53248, "TP 7 does not divide the MLP width of 53,248"),
    ({"tp": 16, "dp": 64}, "node", 16, 8, "TP 16 spans several nodes: only 8 GPUs share fast links"),
    ({"pp": 127}, "layers", 127, 126, "127 stages, but the model has only 126 layers"),
    ({"virtual_stages": 9}, "layers", 144, 126, "16 stages with 9 virtual stages each make 144 chunks, but the model has only 126 layers"),
    ({"pp": 1, "virtual_stages": 2}, "layers", 2, 1, "virtual stages need a pipeline, but PP is 1"),
    ({"micro_batch": 32}, "batch", 4096, 2048,
     "the global batch size of 2,048 is not divisible by DP 128 × micro-batch size 32 = 4,096"),
    ({"dp": 256, "virtual_stages": 2}, "batch", 8, 16, "interleaving needs a multiple of 16 micro-batches, but there are 8"),
    ({"cp": 3}, "context", 6, 8192, "the sequence length of 8,192 is not divisible into 2 × CP 3 = 6 chunks"),
    ({"virtual_stages": 2, "schedule": "gpipe"}, "layers", 2, 1,
     "the schedule GPipe does not support virtual stages, but 2 are requested: use interleaved 1F1B"),
    ({"schedule": "interleaved"}, "layers", 1, 2, "interleaving needs at least 2 virtual stages: with 1 it is plain 1F1B"),
    ({"precision": "mxfp8"}, "precision", 8, 16, "H100-80GB does not multiply matrices in MXFP8: it supports BF16, FP8"),
    ({"ep": 2}, "experts", 2, 1, "EP 2 needs experts, but Llama-3-405B has none"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "constraint", "seen", "limit", "words"), WRONG, ids=[constraint for _, constraint, *_ in WRONG]
)
def test_a_fault_is_named_with_its_numbers(
    change: dict[str, Any], constraint: str, seen: float, limit: float, words: str
) -> None:
    judged = plan(LLAMA, CLUSTER, replace(GOOD, **change), BATCH)
    (fault,) = [fault for fault in judged.faults if fault.constraint == constraint]
    assert (fault.seen, fault.limit, fault.words) == (seen, limit, words)
    assert bool(judged.step) == (constraint == "node")  # slow, and it runs


def test_experts_must_be_dealt_evenly() -> None:
    mixture = named_model("Mixtral-8x7B")
    judged = plan(mixture, Cluster("H100-80GB", 64), Layout(dp=64, ep=3), Batch(64, 4096))
    assert judged.faults == (
        Fault("experts", 3, 8, "EP 3 does not divide the 8 experts"),
        Fault("experts", 3, 64, "EP 3 does not divide the 64 ranks of a stage (TP × CP × DP)"),
    )
    cut = plan(mixture, Cluster("H100-80GB", 64), Layout(tp=2, dp=32, ep=8, expert_tp=16), Batch(64, 4096))
    assert [fault.words for fault in cut.faults] == ["EP 8 does not divide the 64 ranks of a stage (TP × CP × DP)"]
    assert plan(mixture, Cluster("H100-80GB", 64), Layout(dp=64, ep=8, recompute="full"), Batch(64, 4096)).faults == ()


def test_all_faults_are_said_at_once() -> None:
    asked = LLAMA, CLUSTER, Layout(tp=24, pp=200, dp=7), BATCH
    judged = plan(*asked)
    assert (judged.model, judged.cluster, judged.layout, judged.batch) == asked
    assert {fault.constraint for fault in judged.faults} == {
        "product",
        "heads",
        "layers",
        "batch",
        "node",
        "mlp",
        "context",
    }
    assert judged.step == judged.memory == {}
    assert warnings(judged) == ("no single change makes it run: search for a layout that does",)
    assert judged.step_s == judged.memory_bytes == judged.bubble_overhead == math.inf
    assert (judged.fits, judged.mfu, judged.bubble_idle_fraction) == (False, 0, 1)


def test_what_does_not_fit_is_named_with_its_number() -> None:
    (fault,) = plan(LLAMA, CLUSTER, Layout(tp=8, pp=1, dp=2048), BATCH).faults
    assert (fault.constraint, fault.limit) == ("memory", CLUSTER.memory_bytes)
    assert fault.words == f"needs {fault.seen / 1e9:.1f} GB per GPU at peak, but each GPU has 85.5 GB"


def test_what_just_fits_fits() -> None:
    assert memory_fault(CLUSTER, CLUSTER.memory_bytes) == ()
    assert memory_fault(CLUSTER, CLUSTER.memory_bytes + 1) != ()


def test_the_ends_of_a_pipeline_may_have_a_layer_less_for_the_embeddings() -> None:
    model = Model("1.5B", 22, 2304, 9216, 24, 24, 50304)
    layout = Layout(pp=8, virtual_stages=3, schedule="interleaved", zero=0)
    assert plan(model, Cluster("A100-80GB", 8), layout, Batch(24, 1024)).faults == ()
    assert plan(replace(model, layers=21), Cluster("A100-80GB", 8), layout, Batch(24, 1024)).faults != ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"schedule": "2f2b"},
            "schedule must be one of gpipe, 1f1b, interleaved, zb-h1, zb-h2, zb-v, dualpipe, dualpipev, not '2f2b'",
        ),
        (
            {"recompute": "some"},
            "recompute must be one of none, selective, operators, full, partial, core_attn, layernorm, mla_up_proj, mlp, moe_act, moe, shared_experts, not 'some'",
        ),
        ({"precision": "fp4"}, "precision must be one of bf16, fp16, fp8, mxfp8, nvfp4, not 'fp4'"),
        ({"recomputed_layers": None}, "recomputed_layers must be a whole number of at least 0, not None"),
        ({"zero": 4}, "stage must be 0, 1, 2 or 3, not 4"),
        ({"software": "mine"}, "unknown software 'mine'; choose from unknown, Megatron-LM"),
    ],
)
def test_unknown_words_are_answered_with_those_that_are_known(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        plan(LLAMA, CLUSTER, replace(GOOD, **change), BATCH)


def test_a_sequence_is_cut_by_tensor_parallelism_too_where_that_is_sequence_parallel() -> None:
    case = {"model": LLAMA, "cluster": CLUSTER, "batch": Batch(2048, 8196)}
    words = "the sequence length of 8,196 is not divisible by CP 1 × TP 8, as sequence parallelism requires"
    assert plan(layout=GOOD, **case).faults == (Fault("context", 8, 8196, words),)
    assert plan(layout=replace(GOOD, sequence_parallel=False), **case).step


def test_it_says_how_gradients_are_counted_where_stage_two_meets_a_pipeline() -> None:
    cluster, batch = Cluster("H100-80GB", 64), Batch(512, 8192)
    piped, plain = (
        plan(named_model("Llama-3-8B"), cluster, Layout(pp=pp, dp=64 // pp, zero=2), batch) for pp in (2, 1)
    )
    assert any("once per step" in words for words in counted(piped))
    assert not any("once per step" in words for words in counted(plain))


def test_days_and_dollars_of_a_run() -> None:
    judged: Plan = plan(LLAMA, CLUSTER, GOOD, BATCH)
    days = run_days(judged, tokens=15.6e12)
    assert days == pytest.approx(15.6e12 / BATCH.tokens * judged.step_s / 86400)
    assert run_dollars(judged, tokens=15.6e12, dollars_per_gpu_hour=2) == pytest.approx(days * 24 * 16384 * 2)


CASE = {"model": "Llama-3-405B", "accelerator": "H100-80GB", "gpus": 16384, "global_batch": 2048, "sequence": 8192}


def test_judging_says_the_same_as_planning() -> None:
    judged = plan(LLAMA, CLUSTER, GOOD, BATCH)
    verdict = judge(**CASE, tp=8, pp=16, dp=128, zero=2)
    assert verdict["runs"] and verdict["fits"] and verdict["faults"] == []
    for name in ("memory_bytes", "step_s", "mfu", "hfu", "bubble_overhead", "bubble_idle_fraction", "tokens_per_s_per_gpu",
                 "memory", "step"):  # fmt: skip
        assert verdict[name] == getattr(judged, name)


def test_what_is_left_out_of_a_verdict_is_as_in_a_layout() -> None:
    small = {"model": "Mixtral-8x7B", "accelerator": "H100-80GB", "gpus": 1, "global_batch": 4, "sequence": 2048}
    judged = plan(named_model("Mixtral-8x7B"), Cluster("H100-80GB", 1), Layout(), Batch(4, 2048))
    assert judge(**small)["step"] == judged.step
    assert judge(**small)["memory"] == judged.memory


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("schedule", "zb-h1"),
        ("sequence_parallel", False), ("precision", "fp8"),
        ("software", "fsdp-eager"),
    ],
)  # fmt: skip
def test_every_argument_of_a_verdict_arrives(argument: str, value: Any) -> None:
    degrees: dict[str, Any] = {"tp": 8, "pp": 8, "dp": 128, "zero": 2}
    case: dict[str, Any] = CASE | {"gpus": 8192}
    changed = degrees | {argument: value} | ({"dp": 64} if argument == "cp" else {})
    before, after = judge(**case, **degrees), judge(**case, **changed)
    assert (before["step"], before["memory"]) != (after["step"], after["memory"])


def test_a_named_model_has_the_shape_that_is_published() -> None:
    gpt = named_model("GPT-3-175B")
    assert (gpt.biases, gpt.tied, gpt.positions, gpt.mlp_matrices, gpt.head_dim) == (True, True, 2048, 2, 128)
    assert gpt.parameters == pytest.approx(175e9, rel=0.005)
    deepseek = named_model("DeepSeek-V3")
    assert (deepseek.experts, deepseek.dense_layers, deepseek.mixture_layers, deepseek.rope_head_width) == (
        256,
        3,
        58,
        64,
    )
    assert deepseek.parameters == pytest.approx(671e9, rel=0.001)
    assert named_model("Qwen3-30B-A3B").head_dim == 128
    with pytest.raises(ValueError, match="unknown model 'Llama-9'"):
        named_model("Llama-9")


def test_what_a_verdict_assumes_of_many_gpus_is_as_in_a_layout_and_a_cluster() -> None:
    many = {"model": "Llama-3-8B", "accelerator": "H100-80GB", "gpus": 18, "global_batch": 18, "sequence": 2048}
    layout = Layout(dp=18, recompute="partial")
    judged = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 18), layout, Batch(18, 2048))
    verdict = judge(**many, dp=18, recompute="partial")
    assert (verdict["step"], verdict["memory"]) == (judged.step, judged.memory)


SHAPE: dict[str, Any] = {"layers": 2, "hidden": 64, "ffn_hidden": 0, "heads": 4, "kv_heads": 2, "vocabulary": 10}


@pytest.mark.parametrize("name", ["layers", "hidden", "heads", "kv_heads", "vocabulary", "mlp_matrices"])
def test_a_model_has_at_least_one_of_everything(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be"):
        Model("mine", **SHAPE | {name: 0})


def test_heads_divide_the_width_unless_they_have_their_own() -> None:
    with pytest.raises(ValueError, match="4 heads must divide the hidden size 66"):
        Model("mine", **SHAPE | {"hidden": 66})
    assert Model("mine", **SHAPE | {"hidden": 66}, head_width=16).head_dim == 16


def test_a_named_model_keeps_its_name() -> None:
    assert named_model("Llama-3-8B").name == "Llama-3-8B"


@pytest.mark.parametrize("name", models.names())
def test_a_model_has_as_many_parameters_as_the_chapters_count(name: str) -> None:
    small = name.startswith(("DeepSeek-V3", "Qwen3", "GPT-OSS"))  # norms of heads, sinks and biases, which a plan omits
    assert named_model(name).parameters == pytest.approx(models.parameters(model=name), rel=5e-4 if small else 0, abs=0)


def test_what_a_model_lacks_has_no_parameters() -> None:
    dense, mixture = named_model("Llama-3-8B"), named_model("Mixtral-8x7B")
    assert (dense.expert_parameters, dense.mixture_layers, mixture.mlp_parameters) == (0, 0, 0)
    assert dense.mlp_parameters == 3 * 4096 * 14336 == mixture.expert_parameters


def test_one_gpu_and_one_micro_batch_know_nothing_of_how_many_there_are() -> None:
    here: dict[str, Any] = {
        "tp": 2, "cp": 2, "pp": 2, "ep": 2, "micro_batch": 2, "recompute": "full", "sequence_parallel": False,
        "precision": "fp8", "recomputed_layers": 2, "software": "nemo-2024", "expert_tp": 2,
    }  # fmt: skip
    elsewhere = {"virtual_stages": 2, "schedule": "interleaved", "shard_group": 2, "gradient_bytes": 2}
    assert Layout(**here, **elsewhere, dp=2, zero=2).local == Layout(**here, zero=0)


def test_ranks_that_share_the_states() -> None:
    assert Layout(dp=4, cp=2).shards == 8
    assert Layout(dp=4, cp=2, shard_group=2).shards == 2
    assert Batch(3, 5).tokens == 15


def test_experts_of_two_matrices_and_heads_of_their_own_width_are_counted() -> None:
    mixture = {"experts": 4, "experts_per_token": 1, "expert_ffn_hidden": 32}
    two, three = (Model("mine", **SHAPE, **mixture, mlp_matrices=n) for n in (2, 3))
    assert two.expert_parameters == 2 * 64 * 32
    assert three.parameters - two.parameters == 2 * 4 * 64 * 32  # in both layers, for each of four experts
    usual, wide = (Model("mine", **SHAPE | {"ffn_hidden": 128}, head_width=width) for width in (0, 32))
    assert wide.parameters - usual.parameters == 2 * 64 * (32 - 16) * (4 + 2 * 2 + 4)


def test_a_plan_that_takes_all_the_memory_fits() -> None:
    for more, fits in ((0, True), (1, False)):
        held = {"weights": CLUSTER.memory_bytes + more}
        assert Plan(LLAMA, CLUSTER, GOOD, BATCH, held, {"compute": 1.0}, ()).fits == fits


def test_a_layout_is_tight_where_only_the_upper_end_of_its_range_exceeds_capacity() -> None:
    model, cluster, batch = named_model("Llama-3-70B"), Cluster("H100-80GB", 512), Batch(2048, 8192)
    fits = {
        (software, pp): plan(model, cluster, Layout(tp=4, cp=2, pp=pp, dp=64 // pp, software=software), batch)
        for software in ("megatron-2024", "")
        for pp in (1, 2, 4, 8)
    }
    for judged in fits.values():
        passed = sum(end > cluster.memory_bytes for end in (judged.memory_bytes, judged.memory_range[1]))
        assert judged.fit == ("yes", "tight", "no")[passed]
    assert [fits["megatron-2024", pp].fit for pp in (1, 2, 4, 8)] == ["no", "tight", "yes", "yes"]
    assert [fits["", pp].fit for pp in (1, 2, 4, 8)] == ["no", "tight", "tight", "yes"]


def test_shards_and_recomputed_layers_are_of_what_there_is() -> None:
    even = plan(LLAMA, CLUSTER, replace(GOOD, shard_group=8), BATCH).faults
    assert "product" not in {fault.constraint for fault in even}
    assert plan(LLAMA, CLUSTER, replace(GOOD, shard_group=3), BATCH).faults == (
        Fault("product", 3, 128, "a shard group of 3 ranks does not divide the 128 ranks that hold a copy (DP × CP)"),
    )
    some = replace(GOOD, recompute="partial", recomputed_layers=126)
    assert plan(LLAMA, CLUSTER, some, BATCH).faults == ()
    assert plan(LLAMA, CLUSTER, replace(some, recomputed_layers=127), BATCH).faults == (
        Fault("layers", 127, 126, "cannot recompute 127 layers, because the model has 126"),
    )


def kinds(layout: Layout, batch: Batch = BATCH) -> set[str]:
    """Return the constraints that a layout breaks, its degrees aside."""
    return {fault.constraint for fault in plan(LLAMA, CLUSTER, layout, batch).faults} - {"product", "memory"}


def test_a_schedule_counts_only_in_a_pipeline_and_as_many_stages_as_layers_are_not_too_many() -> None:
    one, two = (kinds(Layout(tp=8, pp=pp, dp=2048 // pp, schedule="interleaved")) for pp in (1, 2))
    assert (one, two) == (set(), {"layers"})
    assert kinds(Layout(pp=126)) == set()
    assert kinds(Layout(tp=8, pp=16, dp=128), Batch(1536, 8192)) == set()  # 12 micro-batches for 16 stages
    words = [fault.words for fault in plan(LLAMA, CLUSTER, Layout(pp=65, virtual_stages=2), BATCH).faults]
    assert "65 stages with 2 virtual stages each make 130 chunks, but the model has only 126 layers" in words


def test_each_generation_computes_in_one_format_more() -> None:
    known = {
        "V100-32GB": 1,
        "A100-80GB": 2,
        "H100-80GB": 3,
        "B200-180GB": 5,
    }  # of 16, of 8, and blocks of 8 and of 4 bits
    formats = ("fp16", "bf16", "fp8", "mxfp8", "nvfp4")
    for accelerator, count in known.items():
        cluster = Cluster(accelerator, 8)
        assert tuple(name for name in formats if not precision_faults(cluster, name)) == formats[:count]
    (fault,) = precision_faults(Cluster("V100-32GB", 8), "bf16")
    assert fault == Fault("precision", 16, 16, "V100-32GB does not multiply matrices in BF16: it supports FP16")


def test_each_divisor_is_there_once_in_order() -> None:
    assert divisors(36, 36) == [1, 2, 3, 4, 6, 9, 12, 18, 36]
    assert divisors(1, 1) == [1]


def test_measures_alone_refuse_what_cannot_run() -> None:
    verdict = judge(**CASE, tp=8, pp=16, dp=128)
    assert layout_memory_bytes(**CASE, tp=8, pp=16, dp=128) == verdict["memory_bytes"]
    assert layout_step_seconds(**CASE, tp=8, pp=16, dp=128) == verdict["step_s"]
    assert layout_mfu(**CASE, tp=8, pp=16, dp=128) == verdict["mfu"]
    for measure in (layout_memory_bytes, layout_step_seconds, layout_mfu):
        with pytest.raises(ValueError, match="TP 24 does not divide the 128 attention heads"):
            measure(**CASE, tp=24, pp=16, dp=128)
