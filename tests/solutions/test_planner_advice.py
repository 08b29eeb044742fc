"""Remarks of the planner, whole sentences: which numbers call for one, and what it proposes under which layout."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solutions.planner_advice import WORDS, advice, conventions
from solutions.planner_shapes import Batch, Cluster, Layout, Model

LLAMA = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=32000)
MIXTURE = replace(LLAMA, ffn_hidden=0, experts=8, experts_per_token=2, expert_ffn_hidden=14336)
CLUSTER, BATCH = Cluster("H100-80GB", 64), Batch(64, 8192)  # 85.5 GB on a GPU
HALF_FULL = {"weights": 30e9, "gradients": 20e9, "optimizer": 10e9, "activations": 1e9, "logits": 0.5e9}
QUICK = {"compute": 0.9, "bubble": 0.1} | dict.fromkeys(WORDS, 0.0)


def said(
    layout: Layout,
    *,
    model: Model = LLAMA,
    cluster: Cluster = CLUSTER,
    memory: dict[str, float] | None = None,
    step: dict[str, float] | None = None,
) -> list[str]:
    return list(advice(model, cluster, layout, BATCH, memory=HALF_FULL | (memory or {}), step=QUICK | (step or {})))


def test_nothing_is_remarked_where_no_part_is_large() -> None:
    assert said(Layout(dp=64)) == []
    assert said(Layout(pp=2, dp=32)) == []  # a tenth is not yet a large share
    assert said(Layout(dp=64), step={"bubble": 0.9}) == []  # without a pipeline there is none


@pytest.mark.parametrize(
    ("part", "layout", "sentence"),
    [
        ("tensor_parallel", Layout(tp=8, dp=8), "to the all-reduces of TP 8: a smaller TP"),
        (
            "tensor_parallel",
            Layout(tp=8, dp=8, software="megatron-2023"),
            "to the all-reduces of TP 8: a smaller TP, or software that overlaps them",
        ),
        (
            "context_parallel",
            Layout(cp=4, dp=16),
            "to the keys and values of CP 4: a smaller CP, or longer sequences, which compute more for each of them",
        ),
        (
            "expert_parallel",
            Layout(dp=64, ep=8),
            "to the all-to-alls of EP 8: a smaller EP, or software that hides them",
        ),
        (
            "expert_parallel",
            Layout(tp=2, dp=32, ep=8, expert_tp=2),
            "to the all-to-alls of EP 8: an EP that stays within 8 GPUs, or software that hides them",
        ),
        (
            "data_parallel",
            Layout(dp=64, zero=2),
            "to the gradients and weights of DP 64 with ZeRO-2: a larger batch a GPU",
        ),
        (
            "data_parallel",
            Layout(dp=64, zero=3),
            "to the gradients and weights of DP 64 with ZeRO-3: a larger micro-batch, or a lower stage",
        ),
        (
            "pipeline_parallel",
            Layout(pp=2, dp=32),
            "to the tensors between 2 stages: fewer stages, or a larger TP to send parts",
        ),
        (
            "pipeline_parallel",
            Layout(pp=2, dp=32, virtual_stages=2),
            "to the tensors between 2 stages: fewer virtual stages, or a larger TP to send parts",
        ),
        (
            "recompute",
            Layout(dp=64, recompute="selective"),
            "to computing again what selective recomputation did not keep",
        ),
    ],
)
def test_a_part_that_takes_much_of_the_step_is_told_with_what_helps(part: str, layout: Layout, sentence: str) -> None:
    assert said(layout, step={part: 0.25}) == [f"20% of the step goes {sentence}"]
    assert said(layout, step={part: 0.11}) == []


def test_a_pipeline_is_told_of_its_bubble_and_of_stages_that_are_not_alike() -> None:
    assert said(Layout(pp=2, dp=32), step={"bubble": 0.3}) == [
        "the bubble takes 25% of the step: 2 micro-batches for 2 stages; more micro-batches, fewer stages or more "
        "virtual stages than 1 shorten it"
    ]
    without = [
        Layout(pp=2, dp=32, schedule="gpipe"),  # which has no virtual stages
        Layout(pp=4, dp=16, micro_batch=2),  # 2 micro-batches, and interleaving wants a multiple of 4
        Layout(pp=2, dp=32, virtual_stages=16),  # one chunk for each layer
    ]
    for layout in without:
        assert "more micro-batches or fewer stages shorten it" in said(layout, step={"bubble": 0.3})[0]
    odd = said(Layout(pp=4, dp=16), model=replace(LLAMA, layers=6))
    assert odd[0] == "6 layers on 4 stages: some have 2, some 1"
    assert odd[1].startswith("stage 2 of 4 takes ")
    assert odd[1].endswith(" longer than the average, and the others wait for it")


@pytest.mark.parametrize(
    ("layout", "model", "words"),
    [
        (Layout(tp=2, dp=32, recompute="full"), LLAMA, "without"),
        (Layout(tp=2, dp=32, recompute="selective"), LLAMA, "without"),
        (Layout(tp=4, dp=16, micro_batch=4, recompute="full"), replace(LLAMA, biases=True), "without"),
        (
            Layout(dp=64, recompute="full", software="megatron-2021"),
            replace(LLAMA, layers=8, biases=True),
            "with selective",  # its scores alone are more than the memory
        ),
    ],
)
def test_memory_that_is_free_is_told_with_the_least_recomputation_that_fits(
    layout: Layout, model: Model, words: str
) -> None:
    small = {"weights": 10e9, "gradients": 0.0}
    assert said(layout, model=model, memory=small) == [
        f"75% of the memory is free: {words} recomputation it fits as well, and takes less time"
    ]
    assert said(replace(layout, recompute="none"), model=model, memory=small) == []
    assert said(layout, model=model) == []


def test_recomputation_is_not_advised_against_where_nothing_less_fits() -> None:
    small = {"weights": 10e9, "gradients": 0.0}
    assert said(Layout(dp=64, recompute="full"), model=replace(LLAMA, layers=64), memory=small) == []


@pytest.mark.parametrize(
    ("layout", "model", "gpus", "words"),
    [
        (Layout(dp=64), LLAMA, 64, "shard them further (more TP, more PP or a higher stage of ZeRO)"),
        (Layout(tp=8, dp=8), LLAMA, 64, "shard them further (more PP or a higher stage of ZeRO)"),  # a node has 8
        (Layout(dp=64), MIXTURE, 64, "shard them further (more PP, more EP or a higher stage of ZeRO)"),
        (Layout(dp=64, ep=8), MIXTURE, 64, "shard them further (more PP or a higher stage of ZeRO)"),
        (Layout(tp=8, pp=8), LLAMA, 64, "that takes more GPUs"),
        (Layout(dp=64, zero=3), LLAMA, 64, "that takes more GPUs"),  # each has its 64th of them already
        (Layout(), LLAMA, 1, "that takes more GPUs"),
    ],
)
def test_states_that_fill_a_gpu_are_told_with_the_changes_that_cut_them(
    layout: Layout, model: Model, gpus: int, words: str
) -> None:
    told = said(layout, model=model, cluster=replace(CLUSTER, gpus=gpus), memory={"weights": 60e9, "gradients": 25e9})
    assert [line for line in told if "states" in line] == [f"the model states alone take 95.0 GB: {words}"]
    fits = said(layout, model=model, memory={"weights": 45e9})  # they take more than four fifths
    assert not [line for line in fits if "states" in line]


@pytest.mark.parametrize(
    ("bucket", "layout", "ways"),
    [
        ("activations", Layout(dp=64), "recomputation, more TP or more CP"),
        ("activations", Layout(dp=64, recompute="full"), "more TP or more CP"),
        ("activations", Layout(tp=8, dp=8), "recomputation or more CP"),  # TP 16 would reach over nodes
        ("activations", Layout(tp=8, cp=8, recompute="full"), "a shorter sequence"),
        (
            "activations",
            Layout(dp=32, micro_batch=2, recompute="selective"),
            "recomputation, a smaller micro-batch, more TP or more CP",
        ),
        # under GPipe a stage holds as many micro-batches as there are, and a smaller DP brings twice as many
        ("activations", Layout(pp=2, dp=16, schedule="gpipe", recompute="full"), "the schedule 1f1b"),
        ("logits", Layout(dp=64), "more TP or more CP"),
        ("logits", Layout(dp=32, micro_batch=2), "a smaller micro-batch, more TP or more CP"),
    ],
)
def test_what_overflows_a_gpu_is_told_with_what_leaves_less_of_it(bucket: str, layout: Layout, ways: str) -> None:
    gpus = layout.tp * layout.cp * layout.pp * layout.dp
    assert said(layout, cluster=replace(CLUSTER, gpus=gpus), memory={bucket: 50e9}) == [
        f"the {bucket} take the most, 50.0 GB: {ways} leaves less of them on a GPU"
    ]
    assert said(layout, memory={bucket: 20e9}) == []


def test_nothing_is_proposed_for_what_no_axis_cuts() -> None:
    assert said(Layout(dp=64), memory={"context": 90e9}) == []


def test_conventions_name_what_others_would_count() -> None:
    mfu = "MFU counts all pairs of attention's scores, masked ones too, and stands over the dense BF16 peak"
    room = "the room is what the driver reports of a H100-80GB, 85.5 GB; the lessons count 80"
    wide = "gradients take 4 bytes, as megatron-2024 keeps them; 16 bytes a parameter, as in the lessons, have 2"
    assert conventions(CLUSTER, Layout(dp=64)) == (room, wide, mfu)
    assert conventions(CLUSTER, Layout(dp=64, software="nemo-2024")) == (room, mfu)
    pipeline = "under ZeRO-2 a pipeline reduces its gradients once a step, and a GPU's share of them is counted"
    assert conventions(CLUSTER, Layout(pp=2, dp=32, zero=2)) == (room, wide, pipeline, mfu)
    assert conventions(CLUSTER, Layout(dp=64, zero=2)) == (room, wide, mfu)


def test_a_part_just_as_large_as_the_limit_is_not_large() -> None:
    room, empty = CLUSTER.memory_bytes, dict.fromkeys(HALF_FULL, 0.0)
    assert said(Layout(dp=64), step={"bubble": 0.0, "recompute": 0.1}) == []
    assert said(Layout(dp=64, recompute="full"), memory=empty | {"activations": 0.6 * room}) == []
    states = {"weights": 0.8 * room, "activations": 0.3 * room}
    assert [line for line in said(Layout(dp=64), memory=empty | states) if "states" in line] == []
    assert said(Layout(dp=64), memory=empty | {"weights": 1.0 * room}) == []  # which fits


def test_the_last_stage_is_remarked_from_a_twentieth_more_than_the_average() -> None:
    for stages, vocabulary, words in ((8, 16000, "5%"), (8, 32000, "10%"), (4, 32000, "")):
        told = said(Layout(pp=stages, dp=64 // stages), model=replace(LLAMA, vocabulary=vocabulary))
        late = f"stage {stages} of {stages} takes {words} longer than the average, and the others wait for it"
        assert told == ([late] if words else [])


def test_two_gpus_can_share_the_states_of_a_model() -> None:
    told = said(Layout(dp=2), cluster=replace(CLUSTER, gpus=2), memory={"weights": 60e9, "gradients": 25e9})
    assert "shard them further" in told[0]


def test_the_room_is_told_only_where_the_lessons_count_another() -> None:
    assert len(conventions(Cluster("H200-141GB", 64), Layout(dp=64, software="nemo-2024"))) == 1
