"""Verdicts on layouts are the planner's by the conventions that a problem states, and agree with the chapters' own references."""

from __future__ import annotations

from typing import Any

import pytest

from solutions.activations import activations
from solutions.capstone.capstone import state_bytes_per_gpu
from solutions.planner import judging as planner
from solutions.planner import verdicts as layout_judge
from solutions.planner.shapes import Batch, Cluster, Layout, named_model
from solutions.shapes import models

RUN: dict[str, Any] = {
    "model": "Llama-3-70B",
    "accelerator": "H100-80GB",
    "gpus": 256,
    "global_batch": 512,
    "sequence": 8192,
}
LLAMA = {name: getattr(models, name)(model="Llama-3-70B") for name in ("hidden", "ffn_hidden", "heads", "kv_heads")}


@pytest.mark.parametrize(
    "layout",
    [
        {"tp": 8, "pp": 4, "dp": 8},
        {"tp": 8, "pp": 4, "dp": 8, "zero": 2, "network_bytes_per_s": 25e9},
        {"tp": 8, "cp": 2, "pp": 2, "dp": 8},
        {"tp": 4, "pp": 4, "dp": 16, "virtual_stages": 2},
    ],
)
def test_a_verdict_is_the_planners(layout: dict[str, Any]) -> None:
    judged = layout_judge.verdict(**RUN, **layout)
    degrees = {name: value for name, value in layout.items() if name != "network_bytes_per_s"}
    schedule = "interleaved" if "virtual_stages" in layout else "1f1b"
    expected = planner.plan(
        named_model(RUN["model"]),
        Cluster(RUN["accelerator"], 256, network_bytes_per_s=layout.get("network_bytes_per_s", 50e9)),
        Layout(**degrees, schedule=schedule, gradient_bytes=4),
        Batch(512, 8192),
    )
    assert judged["step_s"] == expected.step_s
    assert judged["mfu"] == expected.mfu
    assert judged["states_bytes"] == sum(expected.memory[name] for name in ("weights", "gradients", "optimizer"))
    assert judged["held_bytes"] == judged["states_bytes"] + expected.memory["activations"]
    assert judged["faults"] == []
    assert layout_judge.verdict(**RUN, **layout) is judged


def test_what_a_layout_holds_is_what_the_chapters_say() -> None:
    judged = layout_judge.verdict(**RUN, tp=8, pp=4, dp=8)
    first_stage = (
        models.parameters(model="Llama-3-70B") - 60 * 855_638_016 - 128256 * 8192
    )  # 20 layers and the embedding
    states = state_bytes_per_gpu(gpu_parameters=first_stage / 8, gradient_shards=1, optimizer_shards=8)
    assert judged["states_bytes"] == pytest.approx(states, rel=0.002)  # norms are small
    kept = 80 * activations.layer_activation_bytes(tokens=8192, tp=8, **LLAMA)
    assert judged["held_bytes"] - judged["states_bytes"] == pytest.approx(kept, rel=0.005)
    assert layout_judge.kept_bytes(model="Llama-3-70B", sequence=8192) == activations.layer_activation_bytes(
        tokens=8192, tp=1, **LLAMA
    )


def test_experts_are_held_once_in_each_group() -> None:
    run = {**RUN, "model": "Mixtral-8x22B", "tp": 2, "pp": 8, "dp": 16}
    narrow, wide = (layout_judge.verdict(**run, ep=ep)["states_bytes"] for ep in (2, 8))
    routed = 7 * 8 * 3 * 6144 * 16384  # the experts of the seven layers of a stage
    assert narrow - wide == pytest.approx((2 + 4) * routed * (1 / 2 - 1 / 8), rel=1e-6)  # the optimizer is sharded
    assert layout_judge.kept_bytes(model="Mixtral-8x22B", sequence=8192) > layout_judge.kept_bytes(
        model="Mixtral-8x22B", sequence=4096
    )


def test_virtual_stages_have_equal_chunks_but_for_one_layer_at_each_end() -> None:
    run = {**RUN, "model": "Llama-3-405B", "gpus": 1024, "tp": 8}
    for pp, v, is_even in [(16, 7, False), (16, 4, True), (16, 8, True), (2, 7, True), (4, 7, False), (16, 1, True)]:
        judged = layout_judge.verdict(**run, pp=pp, dp=128 // pp, virtual_stages=v)
        assert [fault["constraint"] for fault in judged["faults"]] == ([] if is_even else ["layers"]), (pp, v)
        assert ("step_s" in judged) is is_even
    fault = layout_judge.verdict(**run, pp=16, dp=8, virtual_stages=7)["faults"][0]
    assert (fault["seen"], fault["limit"]) == (112, 126)
    assert fault["words"] == (
        "PP 16 with 7 virtual stages makes 112 chunks, which cannot be equal: 112 divides neither the 126 layers nor 128, "
        "with the embedding and the output layer counted as one each"
    )


@pytest.mark.parametrize(("model", "most"), [("Llama-3-70B", 16), ("DeepSeek-67B", 32), ("Qwen3-235B-A22B", 32)])
def test_stages_have_equally_many_layers_but_for_one_at_an_end(model: str, most: int) -> None:
    """80 layers make 16 equal stages, 95 make 32 with one less on one of them, 94 make 32 with one less on two."""
    run = {**RUN, "model": model, "tp": 1}
    assert layout_judge.verdict(**run, pp=most, dp=256 // most)["faults"] == []
    (fault,) = layout_judge.verdict(**run, pp=2 * most, dp=128 // most)["faults"]
    assert (fault["constraint"], fault["seen"]) == ("layers", 2 * most)
    assert fault["words"].startswith(f"PP {2 * most} makes {2 * most} stages, which cannot be equal: ")


@pytest.mark.parametrize("layers", [2, 7, 80, 94, 126])
def test_layers_that_are_dealt_to_chunks_one_by_one_come_out_equal(layers: int) -> None:
    def dealt(places: int, chunks: int) -> set[int]:
        return {len(range(chunk, places, chunks)) for chunk in range(chunks)}

    for chunks in range(1, layers + 4):
        # embedding, head or both take the place of a layer
        equal = any(len(dealt(places, chunks)) == 1 and chunks <= places for places in range(layers, layers + 3))
        assert layout_judge.chunks_are_equal(layers=layers, chunks=chunks) is equal, chunks
