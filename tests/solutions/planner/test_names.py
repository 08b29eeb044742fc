"""What the planner knows by name: words that a layout may use, clusters as they are usually joined, and the problem that is like a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solutions.planner.names import names, problem_like, usual_cluster
from solutions.planner.recompute import RECOMPUTE
from solutions.planner.shapes import PRECISIONS, SCHEDULES, Cluster, named_model

LLAMA = named_model("Llama-3-8B")


def test_every_word_of_a_layout_is_known_by_itself() -> None:
    for kind, words in (("schedule", SCHEDULES), ("recompute", RECOMPUTE), ("precision", PRECISIONS)):
        assert names()[kind] == dict(zip(words, words, strict=True))


def test_a_slice_of_tpus_is_one_node() -> None:
    assert usual_cluster(accelerator="TPU-v5p", gpus=4096) == Cluster("TPU-v5p", 4096, 4096, 6.25e9)
    assert usual_cluster(accelerator="GB300-279GB", gpus=144) == Cluster("GB300-279GB", 144, 72, 100e9)


@pytest.mark.parametrize(
    ("experts", "cp", "virtual_stages", "like"),
    [
        (0, 1, 1, "a-layout-that-fits"),
        (0, 1, 2, "a-layout-for-the-405b"),
        (0, 2, 2, "a-layout-for-long-documents"),
        (8, 2, 2, "a-layout-for-experts"),
    ],
)
def test_a_plan_is_like_the_problem_about_what_it_does(experts: int, cp: int, virtual_stages: int, like: str) -> None:
    assert problem_like(model=replace(LLAMA, experts=experts), cp=cp, virtual_stages=virtual_stages) == like
