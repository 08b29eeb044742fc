"""The layout that a planner begins with: it runs and fits wherever one is found, and comes quickly."""

from __future__ import annotations

import pytest

from drawing import every_sixth_at_once
from solutions.planner.judging import Batch, Layout, named_model, plan, warnings
from solutions.planner.names import names, usual_cluster
from solutions.planner.plan import Plan
from solutions.planner.start import first_layout

MODELS = list(names()["model"])
ACCELERATORS = list(dict.fromkeys(names()["accelerator"].values()))
SIZES = [8, 100, 2048, 16384]
BATCH = Batch(2048, 8192)


def first_plan(model: str, accelerator: str, gpus: int) -> Plan:
    cluster = usual_cluster(accelerator=accelerator, gpus=gpus)
    return plan(named_model(model), cluster, *first_layout(named_model(model), cluster, BATCH))


@pytest.mark.parametrize("model", every_sixth_at_once(MODELS))
@pytest.mark.parametrize("gpus", [2048, pytest.param(16384, marks=pytest.mark.slow)])
def test_every_model_begins_with_a_layout_that_fits_on_thousands_of_gpus(model: str, gpus: int) -> None:
    accelerator = ACCELERATORS[MODELS.index(model) % len(ACCELERATORS)]
    assert first_plan(model, accelerator, gpus).faults == ()


@pytest.mark.slow
@pytest.mark.parametrize("accelerator", ACCELERATORS)
@pytest.mark.parametrize("gpus", SIZES)
def test_every_pair_begins_with_what_runs_and_fits_or_with_words_on_what_to_do(accelerator: str, gpus: int) -> None:
    """Every fourth pair of a model and an accelerator at one of the sizes, which change from pair to pair."""
    turn = ACCELERATORS.index(accelerator) + SIZES.index(gpus)
    for model in MODELS[turn % (4 * len(SIZES)) :: 4 * len(SIZES)]:
        judged = first_plan(model, accelerator, gpus)
        assert judged.step, model
        assert judged.fits or "GPUs" in warnings(judged)[-1] or "fits with" in warnings(judged)[-1], (
            model,
            warnings(judged),
        )
        assert judged.fits or gpus < 2048, model


def test_a_batch_that_no_layout_divides_gives_way_to_the_nearest_that_does() -> None:
    cluster = usual_cluster(accelerator="H100-80GB", gpus=100)
    layout, batch = first_layout(named_model("GPT-OSS-20B"), cluster, BATCH)
    assert batch == Batch(2000, 8192) and plan(named_model("GPT-OSS-20B"), cluster, layout, batch).fits
    assert first_layout(named_model("Llama-3-70B"), usual_cluster(accelerator="H100-80GB", gpus=64), BATCH)[1] == BATCH


def test_fewer_sequences_than_gpus_become_one_for_each() -> None:
    for model in ("Llama-2-7B", "Megatron-1T"):  # the second fits in no layout
        cluster = usual_cluster(accelerator="TPU-v5p", gpus=67)  # a prime, and more than the stages that are tried
        layout, batch = first_layout(named_model(model), cluster, Batch(3, 2048))
        assert (layout.dp, layout.software, batch) == (67, "xla", Batch(67, 2048))


def test_the_405b_begins_close_to_the_layout_of_its_paper() -> None:
    """Llama Team 2024, arXiv:2407.21783, Table 4: TP 8, CP 1, PP 16, DP 128, interleaved, which misses 80 GB by a little here."""
    model, cluster = named_model("Llama-3-405B"), usual_cluster(accelerator="H100-80GB", gpus=16384)
    layout, batch = first_layout(model, cluster, BATCH, "Megatron-LM")
    found = (layout.tp, layout.cp, layout.pp, layout.dp, layout.zero, layout.schedule, layout.recompute)
    assert found == (8, 2, 16, 64, 1, "interleaved", "none") and batch == BATCH
    lean, _ = first_layout(model, cluster, BATCH)  # unknown software may need far more memory
    assert plan(model, cluster, lean, BATCH).memory_bytes < 0.7 * plan(model, cluster, layout, BATCH).memory_bytes


def test_a_chip_without_bf16_begins_in_fp16() -> None:
    layout, _ = first_layout(named_model("Llama-2-7B"), usual_cluster(accelerator="V100-32GB", gpus=64), BATCH)
    assert layout.precision == "fp16"
    layout, _ = first_layout(named_model("Llama-2-7B"), usual_cluster(accelerator="A100-80GB", gpus=64), BATCH)
    assert layout.precision == "bf16"


def test_a_tpu_begins_with_its_own_software() -> None:
    for model in ("Llama-2-7B", "Megatron-1T"):  # the second fits in no layout
        layout, _ = first_layout(named_model(model), usual_cluster(accelerator="TPU-v5p", gpus=64), BATCH)
        assert layout.software == "xla"


def test_where_none_fits_it_is_the_leanest() -> None:
    model, cluster = named_model("Megatron-1T"), usual_cluster(accelerator="A100-80GB", gpus=8)
    layout, batch = first_layout(model, cluster, Batch(2048, 2048))
    lean = plan(model, cluster, layout, batch)
    assert not lean.fits
    assert all(
        plan(model, cluster, one, batch).memory_bytes >= lean.memory_bytes
        for one in (Layout(tp=8), Layout(pp=8, recompute="full"))
    )
    few = Batch(4, 2048)  # fewer than GPUs, and TP divides them
    assert first_layout(model, cluster, few)[1] == few
