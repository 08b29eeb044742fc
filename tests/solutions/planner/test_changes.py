"""Each change that is proposed for a plan is one thing only, the thing that its words name, and runs on the same GPUs."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from solutions.planner.changes import changes
from solutions.planner.faults import faults_before_running
from solutions.planner.shapes import Batch, Cluster, Layout, Model, named_model

LLAMA = named_model("Llama-3-8B")
CLUSTER, BATCH = Cluster("H100-80GB", 64), Batch(256, 8192)


def near(
    layout: Layout, *, model: Model = LLAMA, cluster: Cluster = CLUSTER, batch: Batch = BATCH
) -> dict[str, tuple[Layout, Batch]]:
    return {change.words: (change.layout, change.batch) for change in changes(model, cluster, layout, batch)}


def test_every_number_moves_to_its_neighbours_and_dp_follows() -> None:
    layout = Layout(tp=2, pp=4, dp=8, virtual_stages=2, schedule="interleaved", micro_batch=2, recompute="selective")
    found = near(layout)
    assert set(found) == {
        "TP 1", "TP 4", "PP 2", "PP 8", "CP 2", "micro-batch size 1", "micro-batch size 4", "no virtual stages", "3 virtual stages",
        "ZeRO 0", "ZeRO 2", "no recomputation", "full recomputation", "global batch size 512",
    }  # fmt: skip
    assert found["TP 4"] == (replace(layout, tp=4, dp=4), BATCH)
    assert found["PP 2"] == (replace(layout, pp=2, dp=16), BATCH)
    assert found["no virtual stages"] == (replace(layout, virtual_stages=1, schedule="1f1b"), BATCH)
    assert found["global batch size 512"] == (layout, Batch(512, 8192))


def test_chunks_are_of_a_pipeline_and_name_its_schedule_where_that_has_them() -> None:
    plain = Layout(pp=2, dp=32)
    chunked = replace(plain, virtual_stages=2, schedule="interleaved")
    assert near(plain)["2 virtual stages"] == (chunked, BATCH)
    assert near(chunked)["PP 1"] == (Layout(dp=64), BATCH)
    split = replace(plain, schedule="zb-h1")  # has no chunks
    assert near(replace(split, virtual_stages=2))["no virtual stages"] == (split, BATCH)


@pytest.mark.parametrize(
    ("layout", "batch", "words"),
    [
        (Layout(dp=64, micro_batch=8), BATCH, {"micro-batch size 4", "global batch size 512"}),
        (Layout(pp=4, dp=16), Batch(100, 8192), {"global batch size 96", "global batch size 112"}),
        (Layout(pp=4, dp=16, virtual_stages=2, schedule="interleaved"), Batch(100, 8192), {"global batch size 64", "global batch size 128"}),
        (Layout(pp=4, dp=16, schedule="interleaved"), BATCH, {"the schedule 1F1B", "2 virtual stages"}),
        (Layout(tp=8, cp=3, dp=2), BATCH, {"CP 2"}),
    ],
)  # fmt: skip
def test_what_does_not_run_is_mended_by_one_change(layout: Layout, batch: Batch, words: set[str]) -> None:
    assert words <= set(near(layout, batch=batch))


def test_a_format_and_a_software_are_changed_where_that_can_help() -> None:
    assert "BF16" in near(Layout(dp=64, precision="fp8"), cluster=Cluster("A100-80GB", 64))
    assert "software that overlaps TP communication, such as megatron-2024" in near(
        Layout(tp=2, dp=32, software="megatron-2023")
    )
    for layout in (Layout(tp=2, dp=32), Layout(dp=64, software="megatron-2023")):  # it overlaps, or has no TP
        assert not [words for words in near(layout) if "software" in words]
    assert not [
        words
        for words in near(Layout(tp=2, dp=32, software="xla"), cluster=Cluster("TPU-v5p", 64))
        if "software" in words
    ]
    mixture = named_model("Mixtral-8x7B")
    hides = "software that hides the all-to-alls, such as megatron-paired-2025"
    assert hides in near(Layout(dp=64, ep=2), model=mixture)
    assert hides not in near(Layout(dp=64), model=mixture)
    assert hides not in near(Layout(dp=64, ep=2, software="megatron-paired-2025"), model=mixture)
    assert {"EP 2", "EP 8"} <= set(near(Layout(dp=64, ep=4), model=mixture))


def test_software_is_meant_for_the_part_of_a_step_that_it_hides() -> None:
    layout = Layout(tp=2, dp=32, ep=4, software="megatron-2023")
    parts = {change.part for change in changes(named_model("Mixtral-8x7B"), CLUSTER, layout, BATCH)}
    assert parts == {"", "tensor_parallel", "expert_parallel"}


def test_no_change_breaks_a_constraint() -> None:
    rng = random.Random(3)
    for _ in range(150):
        model = named_model(rng.choice(("Llama-3-8B", "Llama-3-405B", "GPT-2-1.5B", "Mixtral-8x7B", "DeepSeek-V3")))
        cluster = Cluster("H100-80GB", rng.choice((8, 48, 100, 512)))
        layout = Layout(
            tp=rng.choice((1, 2, 3, 8)), cp=rng.choice((1, 2)), pp=rng.choice((1, 2, 4, 7)), dp=rng.choice((1, 2, 4, 8)),
            virtual_stages=rng.choice((1, 2)), micro_batch=rng.choice((1, 2)), zero=rng.choice((0, 1, 3)),
        )  # fmt: skip
        batch = Batch(rng.choice((64, 96, 2048)), 8192)
        for change in changes(model, cluster, layout, batch):
            assert faults_before_running(model, cluster, change.layout, change.batch) == ()
            assert (change.layout, change.batch) != (layout, batch)
