"""What the moving pictures of compute, cost and data show, against oracles and against what is drawn beside it."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest

from solutions import interactive
from solutions.data.loader_queue import batches_for_stall
from solutions.interactive import loader, valleys
from solutions.oracles.cost.inference_aware import best_size, lifetime_flop
from solutions.oracles.cost.overtraining import equal_optimum_parameters, smallest_size_factor, tokens_for_loss
from solutions.oracles.cost.scaling_laws import optimal_parameters, optimal_tokens, predicted_loss
from solutions.oracles.data.loader_queue import waiting_seconds as played_wait
from solutions.shapes import models

SIZES, BUDGETS = valleys.CONTROLS["size"]["options"].values(), valleys.BUDGETS.values()
Shown = dict[str, Any]


# Valleys -----------------------------------------------------------------------------------------------------------


def integrated(size: float, work: float) -> float:
    return predicted_loss(parameters=size, tokens=work / 6 / size, fit="Besiroglu")


@pytest.mark.parametrize("work", BUDGETS)
def test_lowest_points_lie_where_one_walks_to_and_no_point_of_a_valley_is_lower(work: float) -> None:
    (panel, _) = valleys.show(size=0.5, served=0, work=work)["panels"]
    *curves, lowest = panel["lines"]
    assert [line["name"] for line in curves if not line["dashed"]] == [valleys.budget_name(work)]
    for budget, curve, (size, loss) in zip(sorted({*valleys.COLOURS, work}), curves, lowest["points"], strict=True):
        assert size * 1e9 == pytest.approx(optimal_parameters(work_flop=budget, fit="Besiroglu"), rel=1e-5)
        assert loss == pytest.approx(integrated(size * 1e9, budget), rel=1e-9)
        assert min(y for _, y in curve["points"]) == pytest.approx(loss, abs=1e-3)
        assert min(y for _, y in curve["points"]) >= loss - 1e-5  # six digits are drawn


def test_the_picture_starts_with_the_valleys_of_the_paper() -> None:
    start = {name: control["options"][control["start"]] for name, control in valleys.CONTROLS.items()}
    (panel, _) = valleys.show(**start)["panels"]
    assert [line["colour"] for line in panel["lines"][:-1]] == ["grey", "green", "blue", "orange"]
    on_paper = [(2.78, 60), (9.05, 184), (29.4, 566), (95.9, 1740)]  # billions of parameters and tokens, from its text
    for (size, _), (parameters, tokens), budget in zip(
        panel["lines"][-1]["points"], on_paper, valleys.COLOURS, strict=True
    ):
        assert size == pytest.approx(parameters, rel=2e-3)
        assert budget / 6e18 / size == pytest.approx(tokens, rel=3e-3)


@pytest.mark.parametrize(("size", "work"), [*product((0.2, 0.5, 1, 3), (1e21, 7.2e23)), (0.25, 3.8e25)])
def test_a_size_of_ones_own_is_marked_on_its_valley_and_trained_to_the_lowest_loss(size: float, work: float) -> None:
    valley, life = valleys.show(size=size, served=3e12, work=work)["panels"]
    best = optimal_parameters(work_flop=work, fit="Besiroglu")
    (mark,) = valley["marks"]
    assert mark["x"] * 1e9 == pytest.approx(size * best)
    assert mark["y"] == pytest.approx(integrated(size * best, work))
    target, unit = integrated(best, work), 10.0 ** (len(f"{work:.0f}") - 1)
    for row, parameters in zip(life["rows"], (best, size * best), strict=False):
        tokens = tokens_for_loss(parameters=parameters, loss=target, fit="Besiroglu")
        whole = lifetime_flop(parameters=parameters, training_tokens=tokens, served_tokens=3e12) / unit
        training, serving = (part["size"] for part in row["parts"])
        assert training + serving == pytest.approx(whole, rel=1e-6)
        assert serving * unit == pytest.approx(2 * parameters * 3e12, rel=1e-6)


@pytest.mark.parametrize("served", valleys.CONTROLS["served"]["options"].values())
def test_no_size_takes_fewer_flop_than_the_one_that_is_named(served: float) -> None:
    for size, work in product(SIZES, BUDGETS):
        best, yours, cheapest = valleys.show(size=size, served=served, work=work)["panels"][1]["rows"]
        spent = [sum(part["size"] for part in row["parts"]) for row in (best, yours) if row["parts"]]
        assert sum(part["size"] for part in cheapest["parts"]) <= min(spent) * (1 + 1e-9)
    slid = best_size(
        parameters=optimal_parameters(work_flop=3.8e25, fit="Besiroglu"), served_tokens=served, fit="Besiroglu"
    )
    assert cheapest["name"] == f"fewest FLOP, {valleys.counted(slid)}"


@pytest.mark.parametrize("size", SIZES)
def test_a_size_that_cannot_reach_the_lowest_loss_has_no_bar_and_is_told(size: float) -> None:
    shown = valleys.show(size=size, served=0, work=1e23)
    reached = size > smallest_size_factor(fit="Besiroglu")
    row = shown["panels"][1]["rows"][1]
    assert bool(row["parts"]) == reached == (row["text"] != "never as good")
    assert (
        dict(shown["facts"])["to reach the lowest loss, your size takes"] != "no number of tokens suffices"
    ) == reached


def test_llama_3_8b_is_as_good_as_the_lesson_says() -> None:
    facts = dict(valleys.show(size=0.1, served=0, work=7.2e23)["facts"])
    assert facts["lowest point"].startswith("81B on")
    equal = equal_optimum_parameters(parameters=models.parameters(model="Llama-3-8B"), tokens=15e12, fit="Besiroglu")
    assert equal == pytest.approx(34e9, rel=0.01)
    assert (
        facts["compute-optimal model of that loss"].startswith("34")
        and "18.4 %" in facts["compute-optimal model of that loss"]
    )
    assert optimal_tokens(work_flop=7.2e23, fit="Besiroglu") == pytest.approx(1.48e12, rel=2e-3)


# Loader ------------------------------------------------------------------------------------------------------------


SETTINGS = [*product((1, 2, 5), (1, 3), (3.0, 12.0, 30.0), (1.0, 2.5)), (8, 7, 20.0, 4.0)]


def at(prefetch: int, workers: int, slow_s: float, step_s: float) -> Shown:
    return loader.show(prefetch=prefetch, workers=workers, slow_s=slow_s, step_s=step_s)


@pytest.mark.parametrize(("prefetch", "workers", "slow_s", "step_s"), SETTINGS)
def test_the_marked_wait_is_that_of_200_played_steps(prefetch: int, workers: int, slow_s: float, step_s: float) -> None:
    log = ([1.0] * 9 + [slow_s]) * 20
    waited = played_wait(load_s=log, step_s=step_s, prefetch=prefetch, workers=workers)
    shown = at(prefetch, workers, slow_s, step_s)
    (mark,) = shown["panels"][1]["marks"]
    assert (mark["x"], mark["y"]) == (prefetch, pytest.approx(waited, rel=1e-5))
    uneven, even = (dict(line["points"]) for line in shown["panels"][1]["lines"])
    assert uneven[prefetch] == mark["y"]
    mean = played_wait(load_s=[sum(log) / 200] * 200, step_s=step_s, prefetch=prefetch, workers=workers)
    assert even[prefetch] == pytest.approx(mean, rel=1e-5)


@pytest.mark.parametrize(("prefetch", "workers", "slow_s", "step_s"), SETTINGS)
def test_what_is_drawn_could_happen(prefetch: int, workers: int, slow_s: float, step_s: float) -> None:
    shown = at(prefetch, workers, slow_s, step_s)
    spans = shown["panels"][0]["spans"]
    rows = [
        sorted((span for span in spans if span["row"] == row), key=lambda span: span["from"])
        for row in range(workers + 2)
    ]
    *lanes, queue, gpu = rows
    for row in rows:  # nobody does two things at once
        assert all(one["to"] <= other["from"] + 1e-9 for one, other in pairwise(row))
    assert gpu[0]["from"] == 0 and all(one["to"] == other["from"] for one, other in pairwise(gpu))  # computes or waits
    taken = {span["text"]: span["from"] for span in gpu if span["kind"] == "computes"}
    assert list(taken) == [str(number + 1) for number in range(len(taken))]
    loaded = {span["text"]: span["to"] for lane in lanes for span in lane}
    assert all(loaded[batch] <= moment for batch, moment in taken.items())
    for worker, lane in enumerate(lanes):
        numbers = [int(span["text"]) - 1 for span in lane]
        assert numbers == [*range(worker, worker + len(lane) * workers, workers)]
        for span, number in zip(lane, numbers, strict=True):
            assert span["kind"] == ("slow" if (number + 1) % 10 == 0 else "loads")
            if number >= workers * prefetch:  # there was room
                assert taken[str(number + 1 - workers * prefetch)] <= span["from"]
    for span in queue:
        middle = (span["from"] + span["to"]) / 2
        there = sum(end <= middle for end in loaded.values()) - sum(begun <= middle for begun in taken.values())
        assert span["text"] == str(there)


@pytest.mark.parametrize(("prefetch", "workers", "slow_s", "step_s"), SETTINGS)
def test_what_was_waited_so_far_is_what_is_drawn_as_waiting(
    prefetch: int, workers: int, slow_s: float, step_s: float
) -> None:
    shown = at(prefetch, workers, slow_s, step_s)
    waits = [span for span in shown["panels"][0]["spans"] if span["kind"] == "waits"]
    for frame in shown["frames"]:
        now = frame["panels"][0].get("now", 60)
        so_far = sum(min(span["to"], now) - span["from"] for span in waits if span["from"] < now)
        assert frame["facts"][0] == ("waited so far", f"{interactive.written(so_far)} s of {now:g} s")


@pytest.mark.parametrize("step_s", [2.5, 3.0, 4.0])
def test_the_shortest_queue_of_one_worker_covers_a_stall_of_a_slow_load(step_s: float) -> None:
    needed = batches_for_stall(stall_s=12, step_s=step_s) + 1  # those in the queue, and the one that is being loaded
    fact = dict(at(2, 1, 12.0, step_s)["frames"][-1]["facts"])["shortest queue that covers all but the first load"]
    assert fact == f"{needed} of each worker"


def test_no_queue_helps_a_loader_that_is_too_slow_on_average() -> None:
    facts = dict(at(8, 1, 20.0, 2.5)["frames"][-1]["facts"])
    assert facts["shortest queue that covers all but the first load"] == "none up to 8"
    assert facts["a step in the long run, at best"] == "2.9 s, loading sets the pace"
    assert dict(at(3, 3, 20.0, 2.5)["frames"][-1]["facts"])["waited in 200 steps"].startswith("1 s")
