"""All layouts: the search says what planning each of them says, finds the best, and takes little time."""

from __future__ import annotations

import itertools
import math
import time

import pytest

from solutions.planner.faults import faults_before_running
from solutions.planner.judging import Batch, Cluster, Layout, Model, named_model, plan
from solutions.planner.plan import Plan
from solutions.planner.search import Limits, layouts, pareto, search

LLAMA = named_model("Llama-3-8B")
CLUSTER = Cluster("H100-80GB", 64)
BATCH = Batch(256, 8192)


@pytest.fixture(scope="module")
def rows() -> tuple[Plan, ...]:
    return search(LLAMA, CLUSTER, BATCH, limits=Limits(shard_groups=(0,)))


def test_every_row_is_what_planning_it_gives(rows: tuple[Plan, ...]) -> None:
    for row in rows[:: max(1, len(rows) // 60)]:
        alone = plan(LLAMA, CLUSTER, row.layout, BATCH)
        assert (alone.memory, alone.step, alone.faults) == (row.memory, row.step, ())
        assert alone == row


def test_the_search_finds_what_trying_everything_finds(rows: tuple[Plan, ...]) -> None:
    found = {}
    for tp, cp, pp, micro_batch, chunks, zero, recompute in itertools.product(
        (1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2, 4, 8, 16, 32), (1, 2, 4), (1, 2, 4, 8), (1, 2, 3), ("none", "selective", "full")
    ):  # fmt: skip
        if 64 % (tp * cp * pp) or (zero == 3 and pp > 1) or pp * chunks > 32:
            continue
        layout = Layout(
            tp=tp, cp=cp, pp=pp, dp=64 // tp // cp // pp, virtual_stages=chunks, zero=zero, micro_batch=micro_batch,
            recompute=recompute, schedule="interleaved" if chunks > 1 else "1f1b",
        )  # fmt: skip
        if faults_before_running(LLAMA, CLUSTER, layout, BATCH):
            continue
        judged = plan(LLAMA, CLUSTER, layout, BATCH)
        if judged.fits:
            found[layout] = (judged.fit != "yes", judged.step_s)
    assert {row.layout: (row.fit != "yes", row.step_s) for row in rows} == found
    assert [(row.fit != "yes", row.step_s) for row in rows] == sorted(found.values())


@pytest.mark.parametrize("looked_at", [60, pytest.param(200, marks=pytest.mark.slow)])
def test_what_is_tried_can_run(looked_at: int) -> None:
    for model, cluster, batch in [
        (LLAMA, CLUSTER, BATCH), (named_model("DeepSeek-V3"), Cluster("H100-80GB", 256), Batch(1024, 4096)),
        (Model("odd", 30, 1920, 7680, 15, 15, 51200), Cluster("A100-80GB", 60, 6), Batch(120, 3000)),
    ]:  # fmt: skip
        tried = list(layouts(model, cluster, batch))
        assert tried
        assert len(set(tried)) == len(tried)
        for layout in tried[:: max(1, len(tried) // looked_at)]:
            assert not faults_before_running(model, cluster, layout, batch)


def test_shards_inside_a_node_are_tried_where_more_nodes_hold_copies() -> None:
    tried = list(layouts(LLAMA, CLUSTER, BATCH, Limits(zero=(2, 3), recompute=("none",), virtual_stages=(1,))))
    groups = {(layout.tp, layout.shard_group) for layout in tried if layout.zero == 3}
    assert groups == {(1, 0), (1, 8), (2, 0), (2, 4), (4, 0), (4, 2), (8, 0)}
    assert not any(layout.shard_group for layout in tried if layout.zero == 2)
    only = layouts(LLAMA, CLUSTER, BATCH, Limits(zero=(3,), shard_groups=(16,)))
    assert {layout.shard_group for layout in only} == {16}


def test_zero_2_in_a_pipeline_is_no_free_lunch() -> None:
    model, cluster, batch = named_model("Llama-3-405B"), Cluster("H100-80GB", 16384), Batch(2048, 8192)
    whole, sharded = (plan(model, cluster, Layout(tp=8, pp=16, dp=128, zero=zero), batch) for zero in (1, 2))
    assert sharded.memory_bytes < whole.memory_bytes - 12e9
    assert sharded.step["data_parallel"] > 5 * whole.step["data_parallel"]
    assert search(model, cluster, batch)[0].layout.zero != 2


def test_limits_are_kept() -> None:
    limits = Limits(max_tp=2, max_cp=1, max_pp=4, micro_batches=(2,), virtual_stages=(1,), zero=(1,), recompute=("full",),
                    precision="fp8", software="nemo-2024", memory_bytes=40e9, min_mfu=0.2)  # fmt: skip
    rows = search(LLAMA, CLUSTER, BATCH, limits=limits)
    assert rows
    for row in rows:
        layout = row.layout
        assert layout.tp <= 2 and layout.cp == 1 and layout.pp <= 4
        assert (layout.micro_batch, layout.virtual_stages, layout.zero, layout.recompute) == (2, 1, 1, "full")
        assert (layout.precision, layout.software) == ("fp8", "nemo-2024")
        assert row.memory_bytes <= 40e9
        assert row.mfu >= 0.2
    assert len(rows) < len(
        search(LLAMA, CLUSTER, BATCH, limits=Limits(max_tp=2, precision="fp8", software="nemo-2024"))
    )


def test_the_front_has_every_layout_that_no_other_beats(rows: tuple[Plan, ...]) -> None:
    front = pareto(rows)
    assert front[0].step_s == min(row.step_s for row in rows)
    assert len(front) > 2
    points = {(row.step_s, row.memory_bytes) for row in rows}
    unbeaten = {
        one for one in points
        if not any(other != one and other[0] <= one[0] and other[1] <= one[1] for other in points)
    }  # fmt: skip
    assert {(row.step_s, row.memory_bytes) for row in front} == unbeaten


def test_all_layouts_of_sixteen_thousand_gpus_take_two_seconds() -> None:
    started = time.process_time()  # of this process alone, whatever else the machine does
    rows = search(named_model("Llama-3-405B"), Cluster("H100-80GB", 16384), Batch(2048, 8192))
    assert time.process_time() - started < 2
    assert len(rows) > 1000


ODD = [
    # 4 key/value heads of 12; columns that 4 does not divide; 6 stages of which some have one layer
    (Model("grouped", 7, 96, 132, 12, 4, 640), Cluster("H100-80GB", 24, 24), Batch(24, 48)),
    (Model("wide", 6, 96, 126, 12, 12, 640), Cluster("H100-80GB", 12), Batch(36, 6)),
    (Model("wide", 6, 96, 126, 12, 12, 640), Cluster("H100-80GB", 12), Batch(36, 45)),  # a sequence of odd length
    (Model("few", 8, 96, 384, 12, 2, 640), Cluster("H100-80GB", 8), Batch(16, 24)),
    (Model("mixture", 4, 64, 0, 8, 8, 640, experts=6, experts_per_token=2, expert_ffn_hidden=96),
     Cluster("H100-80GB", 12, 12), Batch(12, 32)),
]  # fmt: skip


@pytest.mark.parametrize(("model", "cluster", "batch"), ODD, ids=lambda value: getattr(value, "name", ""))
def test_nothing_that_runs_is_left_out(model: Model, cluster: Cluster, batch: Batch) -> None:
    gpus = range(1, cluster.gpus + 1)
    degrees = [tried for tried in itertools.product(gpus, gpus, gpus) if cluster.gpus % math.prod(tried) == 0]
    limits = Limits(recompute=("none",), virtual_stages=(1, 2, 3), shard_groups=(0,))
    wanted = set()
    for (tp, cp, pp), ep, chunks, zero, micro_batch in itertools.product(
        degrees, range(1, (model.experts or 1) + 1), (1, 2, 3), (1, 2, 3), (1, 2, 4)
    ):
        layout = Layout(
            tp=tp, cp=cp, pp=pp, dp=cluster.gpus // tp // cp // pp, ep=ep, virtual_stages=chunks, zero=zero,
            micro_batch=micro_batch, schedule="interleaved" if chunks > 1 else "1f1b",
        )  # fmt: skip
        wasteful = (zero == 3 and pp > 1) or pp * chunks > model.layers  # gathers anew, or has stages without a layer
        if not wasteful and cp <= limits.max_cp and not faults_before_running(model, cluster, layout, batch):
            wanted.add(layout)
    assert set(layouts(model, cluster, batch, limits)) == wanted
    assert len(wanted) > 40


def test_a_format_that_the_chip_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="does not multiply matrices in MXFP8"):
        search(LLAMA, CLUSTER, BATCH, limits=Limits(precision="mxfp8"))


def test_what_just_reaches_a_limit_is_within_it(rows: tuple[Plan, ...]) -> None:
    middle = rows[len(rows) // 2]
    quick = search(LLAMA, CLUSTER, BATCH, limits=Limits(shard_groups=(0,), min_mfu=middle.mfu))
    assert {row.layout for row in quick} == {row.layout for row in rows if row.mfu >= middle.mfu}
    lean = search(LLAMA, CLUSTER, BATCH, limits=Limits(shard_groups=(0,), memory_bytes=middle.memory_bytes))
    assert {row.layout for row in lean} == {row.layout for row in rows if row.memory_bytes <= middle.memory_bytes}


def test_the_order_of_what_may_be_tried_does_not_matter() -> None:
    up, down = (
        Limits(micro_batches=(1, 3, 4)[::way], virtual_stages=(1, 2, 3)[::way], zero=(1, 2, 3)[::way])
        for way in (1, -1)
    )
    for model, cluster, batch in ODD:
        assert set(layouts(model, cluster, batch, up)) == set(layouts(model, cluster, batch, down))
