"""Remarks of the planner: what calls for one, and that each change it names was tried and gives what it says."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from solutions.planner.changes import changes
from solutions.planner.conventions import conventions
from solutions.planner.judging import Batch, Cluster, Layout, Model, named_model, plan, warnings
from solutions.planner.plan import Plan

LLAMA, LARGE = named_model("Llama-3-8B"), named_model("Llama-3-405B")
CLUSTER, BATCH = Cluster("H100-80GB", 64), Batch(256, 8192)


def planned(layout: Layout, *, model: Model = LLAMA, cluster: Cluster = CLUSTER, batch: Batch = BATCH) -> Plan:
    return plan(model, cluster, layout, batch)


def remark(words: str, judged: Plan) -> str:
    found = [said for said in warnings(judged) if words in said]
    assert len(found) == 1, warnings(judged)
    return found[0]


def test_every_change_that_is_named_runs_and_gives_what_is_said() -> None:
    rng, count = random.Random(1), 0
    for _ in range(120):
        model = named_model(
            rng.choice(("Llama-3-8B", "Llama-3-70B", "Llama-3-405B", "GPT-3-175B", "Mixtral-8x7B", "Qwen3-235B-A22B"))
        )
        cluster = Cluster(rng.choice(("H100-80GB", "A100-80GB")), rng.choice((8, 64, 512)))
        degrees = {"tp": rng.choice((1, 2, 8, 16)), "cp": rng.choice((1, 1, 2)), "pp": rng.choice((1, 4, 8))}
        dp = max(1, cluster.gpus // (degrees["tp"] * degrees["cp"] * degrees["pp"]))
        layout = Layout(
            **degrees, dp=dp, ep=rng.choice((1, 8)) if model.experts else 1, zero=rng.choice((1, 2, 3)),
            micro_batch=rng.choice((1, 2, 4)), recompute=rng.choice(("none", "selective", "full")),
            schedule=rng.choice(("1f1b", "zb-h1")),
        )  # fmt: skip
        batch = Batch(512, 4096)
        judged = plan(model, cluster, layout, batch)
        for said in warnings(judged):
            count_before = count
            for change in changes(model, cluster, layout, batch):
                other = plan(model, cluster, change.layout, change.batch)
                tight = ", tight" if other.fit == "tight" else ""
                if f" {change.words} (MFU {other.mfu:.1%}{tight})" in f" {said}":
                    assert other.fits or (not judged.fits and other.memory_bytes <= judged.memory_bytes)
                    assert "MFU is now" not in said or other.mfu > judged.mfu
                    count += 1
                elif f" {change.words} (needs {other.memory_bytes / 1e9:,.1f} GB)" in f" {said}":
                    assert not other.fits and "fits with" not in said
                    count += 1
            named = len(re.findall(r"\((?:MFU|needs) ", said))
            assert count - count_before == named, f"{said}: it names a change that was not tried"
    assert count > 100


def test_nothing_is_remarked_where_no_part_is_large() -> None:
    assert warnings(planned(Layout(dp=64, zero=3))) == ()
    short = replace(LLAMA, vocabulary=32000)  # its last stage is not much longer than the others
    assert warnings(planned(Layout(tp=2, pp=2, dp=16), model=short, batch=Batch(2048, 8192))) == ()


def test_a_bubble_is_told_with_the_changes_that_shorten_it_and_another_batch_last() -> None:
    judged = planned(
        Layout(tp=8, pp=16, dp=128, recompute="full"),
        model=LARGE,
        cluster=Cluster("H100-80GB", 16384),
        batch=Batch(2048, 8192),
    )
    said = remark("bubble", judged)
    share = judged.step["bubble"] / judged.step_s
    assert said.startswith(
        f"{share:.0%} of the step time goes to the pipeline bubble (16 micro-batches, 16 stages): try "
    )
    assert re.search(
        r"2 virtual stages \(MFU [\d.]+%.*\) or global batch size 4,096 \(MFU [\d.]+%.*\); MFU is now ", said
    )
    assert said.endswith(f"MFU is now {judged.mfu:.1%}")


@pytest.mark.parametrize(
    ("words", "layout", "cluster", "remedy"),
    [
        ("tensor parallelism (TP 16)", Layout(tp=16, dp=4), CLUSTER, "TP 8"),
        ("goes to full recomputation", Layout(tp=2, dp=32, recompute="full"), CLUSTER, "no recomputation"),
    ],
)  # fmt: skip
def test_a_part_that_takes_much_of_the_step_is_told_with_what_helps(
    words: str, layout: Layout, cluster: Cluster, remedy: str
) -> None:
    assert f"{remedy} (MFU " in remark(words, planned(layout, cluster=cluster))


def test_an_exchange_of_experts_is_told_with_what_helps() -> None:
    said = remark(
        "all-to-alls of expert parallelism (EP 64)",
        planned(Layout(dp=64, ep=64), model=named_model("Qwen3-30B-A3B"), batch=Batch(1024, 4096)),
    )
    assert "EP 32 (MFU " in said and "software that hides the all-to-alls, such as megatron-paired-2025 (MFU " in said


def test_software_is_named_for_the_part_that_it_hides_alone() -> None:
    judged = planned(Layout(tp=8, dp=8, recompute="full", software="megatron-2021"))
    assert "software that overlaps" in remark("tensor parallelism (TP 8)", judged)
    assert "software" not in remark("goes to full recomputation", judged)


def test_where_nothing_helps_that_is_said() -> None:
    alone = planned(Layout(recompute="full"), cluster=replace(CLUSTER, gpus=1), batch=Batch(1, 8192))
    assert remark("goes to full recomputation", alone).endswith(
        ": no single change that the planner tried reduces it, fits, and raises MFU by 1% or more"
    )


def test_tp_that_leaves_the_node_is_told_with_what_keeps_it_inside() -> None:
    said = remark("to keep TP inside a node", planned(Layout(tp=16, dp=4)))
    inside = planned(Layout(tp=8, dp=8))
    assert said == f"to keep TP inside a node, try TP 8 (MFU {inside.mfu:.1%})"
    lean = planned(Layout(tp=16, dp=1), cluster=replace(CLUSTER, gpus=16), model=replace(LLAMA, layers=4000))
    assert "TP 8 (needs" in remark("to keep TP inside a node", lean)
    assert not any("inside a node" in words for words in warnings(inside))


def test_a_stage_that_is_later_than_the_others_is_told() -> None:
    assert remark("stage 8 of 8 takes", planned(Layout(pp=8, dp=8))).endswith(
        "longer than the average stage, and the others wait for it: each stage has 4 of the 32 layers, and the last one also has the output layer"
    )
    dealt = remark("stage 2 of 4", planned(Layout(pp=4, dp=16), model=replace(LLAMA, layers=6, vocabulary=1024)))
    assert "each stage has 1 to 2 of the 6 layers" in dealt


def test_memory_that_is_free_is_told_with_less_recomputation() -> None:
    judged = planned(Layout(tp=2, dp=32, recompute="selective", software="megatron-2021"), batch=Batch(256, 1024))
    said = remark("of GPU memory is free", judged)
    assert said.startswith(
        f"{1 - judged.memory_bytes / judged.cluster.memory_bytes:.0%} of GPU memory is free: try no recomputation (MFU "
    )
    assert not any("is free" in words for words in warnings(planned(Layout(tp=2, dp=32, recompute="full")))), (
        "its time is told"
    )


def test_what_takes_as_much_memory_is_no_remedy_for_it_and_may_be_one_for_time() -> None:
    """Twice the sequences in a step take no more memory: they are not leaner, and shorten the bubble of a plan that does not fit."""
    long = planned(Layout(), model=replace(LLAMA, layers=1), cluster=replace(CLUSTER, gpus=1), batch=Batch(1, 2**20))
    assert warnings(long)[-1].endswith(": no single change reduces peak memory; use more GPUs")
    large = planned(
        Layout(pp=8), model=named_model("Llama-3-70B"), cluster=replace(CLUSTER, gpus=8), batch=Batch(16, 8192)
    )
    assert not large.fits and ": try global batch size 32 (MFU " in remark("to the pipeline bubble", large)


def test_where_no_single_change_is_enough_the_leanest_are_told() -> None:
    said = remark(
        "no single change is enough",
        planned(
            Layout(dp=2048),
            model=named_model("DeepSeek-V3"),
            cluster=Cluster("H800-80GB", 2048),
            batch=Batch(2048, 8192),
        ),
    )
    assert re.search(r"not even ZeRO 2 \(needs [\d,.]+ GB\), PP 2 \(needs [\d,.]+ GB\) or EP 2 \(needs", said)
    assert said.endswith("; search for layouts that fit")


def test_a_model_too_large_for_all_gpus_is_told_with_how_many_it_takes() -> None:
    judged = planned(
        Layout(tp=8), model=named_model("Megatron-1T"), cluster=Cluster("A100-80GB", 8), batch=Batch(8, 2048)
    )
    states = 18 * judged.model.parameters
    gpus = int(
        re.findall(r"at least ([\d,]+)", remark("they would not fit even if divided", judged))[0].replace(",", "")
    )
    assert (
        gpus - 1
    ) * judged.cluster.memory_bytes < states + gpus * 1.7e9 and gpus * judged.cluster.memory_bytes > states


def test_what_does_not_run_is_told_with_what_does() -> None:
    said = warnings(planned(Layout(tp=2, dp=16)))
    assert len(said) == 1 and said[0].startswith("this layout runs with ") and "DP 32 (MFU " in said[0]
    [larger] = warnings(planned(Layout(dp=63), model=LARGE))
    needs = [float(size.replace(",", "")) for size in re.findall(r"\(needs ([\d,.]+) GB\)", larger)]
    assert len(needs) > 1 and needs == sorted(needs) and needs[0] * 1e9 > CLUSTER.memory_bytes
    assert (
        " would satisfy every other constraint, but not fit in memory: "
        "the model states alone, at 18 bytes per parameter, need at least " in larger
    )
    [tight] = warnings(planned(Layout(tp=3, pp=2, dp=10), model=named_model("Llama-3-70B")))
    assert tight.endswith("would satisfy every other constraint, but not fit in memory: search for a layout that does")
    broken = planned(Layout(tp=8, pp=4, dp=2, virtual_stages=3, schedule="zb-h1"), batch=Batch(127, 8192))
    assert warnings(broken) == ("no single change makes it run: search for a layout that does",)


def test_conventions_name_what_others_would_count(monkeypatch: pytest.MonkeyPatch) -> None:
    mfu = "MFU counts attention over all pairs of tokens, including masked ones, relative to the dense BF16 peak"
    room = "GPU memory capacity is 85.5 GB, as the H100-80GB driver reports; the lessons use 80 GB"
    wide = "gradients take 4 bytes per parameter, as in megatron-2024; the lessons' 16 bytes per parameter include 2"
    assert conventions(CLUSTER, Layout(dp=64)) == (room, wide, mfu)
    assert conventions(CLUSTER, Layout(dp=64, software="nemo-2024")) == (room, mfu)
    pipeline = "with ZeRO-2, gradients are reduced for every micro-batch; software that reduces once per step keeps them whole, as ZeRO-1 does"
    assert conventions(CLUSTER, Layout(pp=2, dp=32, zero=2)) == (room, wide, pipeline, mfu)
    assert conventions(CLUSTER, Layout(dp=64, zero=2)) == (room, wide, mfu)
    asked = "gradients take 6 bytes per parameter, as requested; the lessons' 16 bytes per parameter include 2"
    assert conventions(CLUSTER, Layout(dp=64, gradient_bytes=6))[1] == asked
    whole = "PyTorch's FSDP in a pipeline keeps gradients whole during the step, and reduces them once at its end"
    assert whole in conventions(CLUSTER, Layout(pp=2, dp=32, zero=3, software="fsdp-compiled"))
    span = (
        "in layers with a window or chunks, each token counts as many keys as these have; Megatron-LM counts half of that "
        "in every layer, and TorchTitan the whole sequence"
    )
    assert conventions(CLUSTER, Layout(dp=64), named_model("GPT-OSS-20B"))[-1] == span
    assert conventions(CLUSTER, Layout(dp=64), named_model("Llama-3-8B"))[-1] == mfu
    monkeypatch.setattr("solutions.planner.conventions.chip", lambda name: {"matmul": 1})
    assert conventions(CLUSTER, Layout(dp=64))[-1].endswith("relative to the measured BF16 matrix multiplications")


def test_a_part_just_as_large_as_the_limit_is_not_large() -> None:
    judged = planned(Layout(dp=64, recompute="selective"))
    room, empty, idle = CLUSTER.memory_bytes, dict.fromkeys(judged.memory, 0.0), dict.fromkeys(judged.step, 0.0)
    half = empty | {"activations": 0.6 * room}
    assert warnings(replace(judged, memory=half, step=idle | {"compute": 9.0, "recompute": 1.0})) == ()
    assert warnings(replace(judged, memory=half, step=idle | {"compute": 9.0, "recompute": 1.1})) != ()
    little = idle | {"compute": 9.9, "recompute": 0.1}
    assert warnings(replace(judged, memory=half, step=little)) == ()
    less = half | {"activations": 0.59 * room}
    for tenth_at_most in (little, idle | {"compute": 9.0, "recompute": 1.0}):
        assert remark("41% of GPU memory is free", replace(judged, memory=less, step=tenth_at_most))
    states = {"weights": 0.8 * room, "activations": 0.3 * room}
    assert remark("the largest part of peak memory is weights", replace(judged, memory=empty | states))
    assert remark("the model states alone take", replace(judged, memory=empty | states | {"gradients": 1e9}))
    full = replace(judged, memory=empty | {"weights": 1.0 * room})
    assert f"the memory range reaches {full.memory_range[1] / 1e9:.1f} GB, beyond capacity" in warnings(full)[0]


def test_two_gpus_can_share_the_states_of_a_model() -> None:
    told = warnings(planned(Layout(dp=2), cluster=replace(CLUSTER, gpus=2), batch=Batch(2, 1024)))
    assert "ZeRO 3 (needs " in told[-1] or "the layout fits with" in told[-1]


def test_the_room_is_told_only_where_the_lessons_count_another() -> None:
    assert len(conventions(Cluster("H200-141GB", 64), Layout(dp=64, software="nemo-2024"))) == 1
