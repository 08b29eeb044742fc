"""Rows of runs as layouts: what their words mean, and what is assumed."""

from __future__ import annotations

import pytest

from bench.planner.runs import Run, Runs, Shape
from bench.planner.settings import Setting, Unclear, precision, setting

SHAPE = Shape(layers=12, hidden=64, heads=4, kv_heads=4, head_dim=16, ffn=256, mlp="gelu2", vocab=1000)
WHOLE = Run(
    id="a", model="m", chip="c", chips=16, seq_len=128, tp=2, pp=2, dp=4, micro_batch=2, global_batch=64, source="here",
    sharding="zero1", recompute="none", schedule="1F1B", precision="bf16", trust="A", step_s=1.0,
)  # fmt: skip


def read(**changed: object) -> Setting:
    return setting(WHOLE.model_copy(update=changed), SHAPE)


def test_a_whole_row_needs_no_assumption() -> None:
    found = read()
    assert found.assumed == ()
    assert (found.tp, found.cp, found.pp, found.dp, found.ep, found.virtual_stages) == (2, 1, 2, 4, 1, 1)
    assert found.micro_batches == 64 / (4 * 2)


def test_what_is_not_printed_is_said_to_be_assumed() -> None:
    found = read(micro_batch=None, recompute=None, sharding=None, schedule=None, precision=None)
    assert found.assumed == ("micro-batch size 1", "1F1B", "ZeRO-1", "no recomputation", "bf16")


@pytest.mark.parametrize("key", ["tp", "pp", "dp", "seq_len", "global_batch"])
def test_without_an_axis_or_the_batch_nothing_can_be_said(key: str) -> None:
    with pytest.raises(Unclear, match=f"^not reported: {key}$"):
        read(**{key: None})


def test_a_compiled_program_takes_its_batch_at_once() -> None:
    found = read(micro_batch=None, chip="TPUv4")
    assert (found.micro_batch, found.micro_batches) == (16, 1)
    assert found.assumed == ("micro-batch size 16",)


def test_tokens_of_a_batch_are_as_good_as_its_sequences() -> None:
    assert read(global_batch=None, global_tokens=64 * 128).global_batch == 64


def test_ranks_that_no_axis_counts_divide_the_sequence() -> None:
    found = read(chips=128)
    assert found.cp == 8
    assert found.assumed == ("context parallelism over the 8 ranks that no other axis uses",)


@pytest.mark.parametrize(
    ("words", "zero", "group"),
    [
        ("none (plain data parallelism)", 0, 4), ("none (zero0)", 0, 4), ("zero1 (distributed optimizer)", 1, 4),
        ("zero3 (FSDP2)", 3, 4), ("FSDP", 3, 4),
        ("HSDP (shard inside a node, replicate across)", 3, 8),
        ("zero3 over 128 GPUs, replicated 4 times", 3, 128),
        ("zero1 inside each group of 8 GPUs (optimizer replicated across nodes)", 1, 8),
        ("zero3 (256-way FSDP in a pod), 2 pods replicated", 3, 256),
    ],
)  # fmt: skip
def test_sharding(words: str, zero: int, group: int) -> None:
    found = read(sharding=words)
    assert (found.zero, found.shard_group, found.assumed) == (zero, group, ())


@pytest.mark.parametrize(
    "words", ["zero2", "FSDP: optimizer and gradients sharded, weights kept after forward (zero2-like)"]
)
def test_zero_2_in_a_pipeline_reduces_once_and_keeps_gradients_whole(words: str) -> None:
    assert (read(sharding=words).zero, read(sharding=words, pp=1, dp=8, chips=16).zero) == (1, 2)


@pytest.mark.parametrize(
    ("words", "kind", "layers"),
    [
        ("none (recommended configurations list 0 layers)", "none", None), ("full (every layer)", "full", None),
        ("selective (attention core)", "selective", None), ("full, 5 of 32 layers", "partial", 5),
        ("selective (every second layer)", "partial", 6), ("layer input offloaded, rest recomputed", "full", None),
        ("QKV and attention kept, MLP recomputed", "layernorm,mlp,moe", None), ("minimal (saves matrix products)", "none", None),
        ("selective (per operator)", "operators", None), ("selective: norm, whole MoE layer", "layernorm,moe", None),
        ("full except QKV, offloaded", "layernorm,mlp,moe", None), ("selective: norm, MoE activation", "layernorm,moe_act", None),
    ],
)  # fmt: skip
def test_recomputation(words: str, kind: str, layers: int | None) -> None:
    found = read(recompute=words)
    assert (found.recompute, found.recomputed_layers) == (kind, layers)


@pytest.mark.parametrize(
    ("words", "vpp", "name", "chunks"),
    [
        ("1F1B (DeepSpeed pipeline)", None, "1f1b", 1), ("interleaved 1F1B", 3, "interleaved", 3), ("1F1B-I", 3, "interleaved", 3),
        ("ZB-1p", None, "zb-h1", 1), ("ZB-2p", None, "zb-h2", 1), ("DualPipe", None, "dualpipe", 1),
        ("interleaved 1F1B (chunks not printed)", None, "interleaved", 2),
    ],
)  # fmt: skip
def test_schedules(words: str, vpp: int | None, name: str, chunks: int) -> None:
    found = read(schedule=words, vpp=vpp)
    assert (found.schedule, found.virtual_stages) == (name, chunks)
    assert bool(found.assumed) == ("not printed" in words)


@pytest.mark.parametrize(
    ("words", "name"),
    [("fp8 linear, bf16 rest", "fp8"), ("mxfp8", "fp8"), ("nvfp4", "fp4"), ("bf16 autocast", "bf16"), ("fp16", "fp16")],
)
def test_the_format_is_that_of_the_matrix_products(words: str, name: str) -> None:
    assert precision(words) == name


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ("zero1 (distributed optimizer), gradients reduced in bf16", 2), ("zero1; optimizer dtype bf16, gradients reduced in bf16", 2),
        ("bf16 weights, gradients accumulated in an unsharded fp32 buffer", 4), ("weights gathered in bf16, gradients reduced in fp32", 4),
        ("MP mode PURE: weights, gradients and reductions in bf16", 2), ("zero1", None),
    ],
)  # fmt: skip
def test_the_format_of_gradients(words: str, size: int | None) -> None:
    assert read(sharding=words).gradient_bytes == size
    assert read(note=words).gradient_bytes == size


def test_every_row_can_be_read_or_says_why_not(runs: Runs) -> None:
    unclear = {}
    for row in runs.rows:
        try:
            found = setting(row, runs.models[row.model])
        except Unclear as reason:
            unclear[row.id] = str(reason)
            continue
        assert row.trust != "A" or not {"1F1B", "ZeRO-1"} & set(found.assumed)
        assert found.tp * found.cp * found.pp * found.dp == row.chips
    assert unclear["tinyllama-1.1b"] == "not reported: global_batch"
    assert all(reason.startswith("not reported: ") for reason in unclear.values())
    assert len(unclear) == 8
