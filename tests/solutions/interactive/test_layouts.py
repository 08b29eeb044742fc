"""What the moving pictures of layouts show, against oracles that number ranks, play schedules and count bytes another way."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

from solutions import interactive
from solutions.interactive import first_stage, ranks
from solutions.oracles.activations import activations, recompute
from solutions.oracles.capstone import capstone
from solutions.oracles.communication import axis_traffic
from solutions.oracles.layout import rank_grid

RUN = {"gpus": 16384, "tp": 8, "sharded": 2, "recomputed": False}
GRIDS = [{"order": order, **layout} for order, layout in product(ranks.ORDERS, ranks.LAYOUTS)]
FOLLOWED = (0, 21, 42, 63)


def frames_of(rank: int, grid: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The moments of a step by what is said of them."""
    degrees = {axis: grid[axis] for axis in ranks.AXES}
    shown = ranks.show(rank=rank, degrees=degrees, order=grid["order"])
    return {frame["panels"][0]["text"]: frame for frame in shown["frames"]}


def bars_of(rank: int, grid: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The parts of the bar of each axis."""
    degrees = {axis: grid[axis] for axis in ranks.AXES}
    _, bars = ranks.show(rank=rank, degrees=degrees, order=grid["order"])["panels"]
    return {row["name"].split()[0].lower(): row["parts"] for row in bars["rows"]}


# Ranks on servers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_those_that_talk_are_alike_on_every_other_axis(grid: dict[str, Any]) -> None:
    at = [{axis: rank_grid.place(rank=rank, axis=axis, **grid) for axis in ranks.AXES} for rank in range(ranks.GPUS)]
    for rank in FOLLOWED:
        groups = {words: frame["panels"][0]["group"] for words, frame in frames_of(rank, grid).items()}
        for words, group in groups.items():
            axes = set(words.split(": ")[1].lower().split(" and "))
            alike = [
                one
                for one in range(ranks.GPUS)
                if all(at[one][axis] == at[rank][axis] for axis in ranks.AXES if axis not in axes)
            ]
            if axes == {"pp"}:  # of its pipeline, the stage itself and the one that it sends to
                steps = (0, 1) if words.startswith("forward") else (0, -1)
                alike = [one for one in alike if at[one]["pp"] - at[rank]["pp"] in steps]
            assert group == alike, words  # fmt: skip


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_an_axis_takes_as_long_as_its_counted_bytes_on_the_slowest_link_of_its_ring(grid: dict[str, Any]) -> None:
    tp, cp, pp, dp = (grid[axis] for axis in ranks.AXES)
    step = {"micro_batches": 512 // (cp * dp), "sequence_length": 8192 * cp, "tp": tp, "cp": cp}
    shape = {"hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}  # Llama 3 8B
    counted = {
        "tp": axis_traffic.tp_step_bytes(**step, stage_layers=32 // pp, hidden=4096),
        "cp": axis_traffic.cp_step_bytes(**step, stage_layers=32 // pp, kv_heads=8, head_width=128),
        "dp": axis_traffic.dp_step_bytes(stage_layers=32 // pp, tp=tp, cp=cp, dp=dp, **shape),
    }
    one_way = axis_traffic.pp_step_bytes(**step, hidden=4096) / 2
    for rank in FOLLOWED:
        drawn, moments = bars_of(rank, grid), frames_of(rank, grid)
        assert list(drawn) == [axis for axis in ranks.AXES if grid[axis] > 1]
        for axis, size in counted.items():
            if grid[axis] > 1:
                (ring,) = {
                    tuple(frame["panels"][0]["group"])
                    for words, frame in moments.items()
                    if words.lower().endswith(axis)
                }
                far = any(one // 8 != other // 8 for one, other in pairwise((*ring, ring[0])))
                (part,) = drawn[axis]
                assert part["kind"] == ("port" if far else "NVLink")
                assert part["size"] == pytest.approx(size / (50e9 if far else 450e9))
        line = rank_grid.group(rank=rank, axis="pp", **grid)
        beside = [other for one, other in (*pairwise(line), *pairwise(line[::-1])) if one == rank]
        expected = sorted(one_way / (450e9 if other // 8 == rank // 8 else 50e9) for other in beside)
        assert sorted(part["size"] for part in drawn["pp"]) == pytest.approx(expected)  # fmt: skip


def test_the_picture_begins_as_its_still_with_the_ranks_that_add_up_the_gradients_of_rank_0() -> None:
    start = {name: control["options"][control["start"]] for name, control in ranks.CONTROLS.items()}
    shown = ranks.show(**start)
    drawn = {**shown["panels"][0], **shown["frames"][-1]["panels"][0]}
    assert drawn["group"] == [0, 16, 32, 48] and drawn["rank"] == 0
    first, second = drawn["gpus"][:8], drawn["gpus"][8:16]  # a server holds two stages of one replica
    assert [gpu["kind"] for gpu in first] == [0] * 4 + [1] * 4 and [gpu["kind"] for gpu in second] == [2] * 4 + [3] * 4
    assert {gpu["text"] for gpu in first + second} == {"0"}
    assert dict(shown["frames"][-1]["facts"])["over"] == "ports of 4 servers, 50 GB/s"


def test_a_rank_at_an_end_of_the_pipeline_sends_half_as_much_and_says_that_nobody_is_there() -> None:
    grid = {"order": "tp-cp-pp-dp", "tp": 4, "cp": 1, "pp": 4, "dp": 4}
    end, middle = (sum(size for _, size in ranks.traffic(rank, grid)["pp"]) for rank in (0, 4))
    assert middle == 2 * end
    facts = dict(frames_of(0, grid)["backward, after the stage: PP"]["facts"])
    assert facts["on PP, rank 0 talks with"] == "nobody: the pipeline ends here" and facts["over"] == "no link"


# The first stage of the 405B run -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gpus", "tp", "stages"), [(512, 8, 16), (16384, 8, 16), (16384, 4, 32), (32768, 8, 4), (16384, 1, 8)]
)
def test_a_bar_is_what_a_played_pipeline_and_a_ledger_of_states_come_to(gpus: int, tp: int, stages: int) -> None:
    shape = {"hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8}  # Llama Team 2024, Table 3
    layers = max(len(range(stage, 126, stages)) for stage in range(stages))
    replicas = gpus // tp // stages
    flight = activations.peak_in_flight(0, stages, 2048 // replicas)
    layer = activations.layer_activation_bytes(tokens=8192, tp=tp, **shape)
    weights = capstone.stage_weight_bytes(stage_layers=layers, **shape, tp=tp, bytes_per_weight=1)
    for sharded, (gradients, optimizer) in enumerate(((1, 1), (1, replicas), (replicas, replicas))):
        found = first_stage.held(stages=stages, gpus=gpus, tp=tp, sharded=sharded, recomputed=False)
        states = capstone.state_bytes_per_gpu(
            gpu_parameters=weights, gradient_shards=gradients, optimizer_shards=optimizer
        )
        assert found["activations"] == pytest.approx(flight * layers * layer)
        assert found["weights"] == pytest.approx(2 * weights)
        assert found["weights"] + found["states"] == pytest.approx(states)
    again = first_stage.held(stages=stages, gpus=gpus, tp=tp, sharded=0, recomputed=True)
    kept = recompute.grouped_bytes(
        layers=layers, every=1, in_flight=flight, input_bytes=8192 * 16384 * 2 / tp, layer_bytes=layer
    )
    assert again["activations"] == pytest.approx(kept)  # fmt: skip


def test_the_picture_begins_with_the_run_of_the_lesson_and_its_75_gb() -> None:
    start = {name: control["options"][control["start"]] for name, control in first_stage.CONTROLS.items()}
    assert start == RUN
    shown = first_stage.show(**start)
    sizes = {row["name"]: sum(part["size"] for part in row["parts"]) for row in shown["panels"][0]["rows"]}
    assert round(sizes["16 stages"], 1) == 75.0 and round(sizes["8 stages"], 1) == 81.3
    facts = dict(shown["facts"])
    assert facts["fewest stages that fit"] == "16" and facts["replicas then"] == "128 of 16 micro-batches"
    assert facts["idle fraction then, 1F1B"] == interactive.percent(15 / 31)


def test_fewer_stages_fit_as_the_lesson_asks_with_more_gpus_or_recomputation_and_not_otherwise() -> None:
    changes = ({"gpus": 32768}, {"tp": 4}, {"sharded": 1}, {"recomputed": True})
    fewest = [dict(first_stage.show(**{**RUN, **change})["facts"])["fewest stages that fit"] for change in changes]
    assert fewest == ["4", "32", "32", "2"]


def test_replicas_without_a_sequence_are_told_and_not_drawn() -> None:
    with pytest.raises(ValueError, match="4,096 replicas have no more than 2,048 sequences"):
        first_stage.held(stages=1, gpus=32768, tp=8, sharded=2, recomputed=False)
    (panel,) = first_stage.show(**{**RUN, "gpus": 32768})["panels"]
    assert panel["rows"][0] == {"name": "1 stage", "text": "too few sequences", "parts": []}
