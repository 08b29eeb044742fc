"""Interactive figures: what every figure promises at every setting, and numbers of each that its lesson or another computation gives."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from itertools import pairwise, product
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions import interactive
from solutions.checkpointing.checkpoint_interval import run_seconds
from solutions.interactive import pipeline, valleys
from solutions.interactive import ring as rings
from solutions.oracles.checkpointing.checkpoint_run import drawn_failures, play_run
from solutions.oracles.experts.expert_capacity import EXAMPLE_LOADS, uneven_loads
from solutions.pipeline.pipeline import bubble_idle_fraction, in_flight, interleaved_chunks_in_flight
from solutions.ring.ring import bytes_sent_per_gpu, steps

NAMES = [module.name for module in pkgutil.iter_modules(interactive.__path__)]
DRAWINGS = {"bars", "gantt", "lines", "ring", "scatter", "servers", "stack"}
Shown = dict[str, Any]


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"solutions.interactive.{name}")


def shown(name: str, **chosen: str) -> Shown:
    """Return what a figure shows at its start, with some controls set to other options."""
    module = module_of(name)
    picked = {
        control: about["options"][chosen.get(control, about["start"])] for control, about in module.CONTROLS.items()
    }
    return module.show(**picked)  # type: ignore[no-any-return]


def facts_of(seen: Shown) -> dict[str, str]:
    return dict(seen.get("facts") or seen["frames"][-1]["facts"])


def one_control_moved(name: str) -> Iterator[Shown]:
    """Yield what a figure shows with each option of each control, all others at their start."""
    for control, about in module_of(name).CONTROLS.items():
        for option in about["options"]:
            yield shown(name, **{control: option})


# Every figure ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_option_of_every_control_can_be_drawn(name: str) -> None:
    for about in module_of(name).CONTROLS.values():
        assert len(set(map(str, about["options"]))) == len(about["options"]) >= 2
    for seen in one_control_moved(name):
        assert {panel["drawing"] for panel in seen["panels"]} <= DRAWINGS
        assert all(len(frame.get("panels", seen["panels"])) == len(seen["panels"]) for frame in seen.get("frames", ()))
        assert all(isinstance(text, str) and text for fact in facts_of(seen).items() for text in fact)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_drawn_outside_the_axes(name: str) -> None:
    for panel in (panel for seen in one_control_moved(name) for panel in seen["panels"]):
        points = [point for line in panel.get("lines", ()) for point in line["points"]] if "y" in panel else []
        points += [(mark["x"], mark["y"]) for mark in panel.get("marks", ()) if {"x", "y"} <= set(mark)]
        for place, axis in enumerate((panel.get("x"), panel.get("y"))):
            if axis and "low" in axis:
                assert all(axis["low"] <= point[place] <= axis["high"] for point in points), panel["title"]


@pytest.mark.parametrize("name", NAMES)
def test_nobody_does_two_things_at_once(name: str) -> None:
    for panel in (panel for seen in one_control_moved(name) for panel in seen["panels"] if panel["drawing"] == "gantt"):
        for row in range(len(panel["rows"])):
            spans = sorted((span["from"], span["to"]) for span in panel["spans"] if span["row"] == row)
            assert all(0 <= begun <= ended <= panel["axis"]["high"] * (1 + 1e-5) for begun, ended in spans)
            assert all(ended <= begun * (1 + 1e-5) for (_, ended), (begun, _) in pairwise(spans)), panel["title"]


@pytest.mark.parametrize("name", NAMES)
def test_something_plays(name: str) -> None:
    module, seen = module_of(name), shown(name)
    assert ("frames" in seen) != hasattr(module, "PLAYS")
    assert len(seen.get("frames") or module.CONTROLS[module.PLAYS]["options"]) >= 5


@pytest.mark.parametrize("name", NAMES)
def test_a_question_has_an_answer_and_does_not_tell_it(name: str) -> None:
    asked = module_of(name).predict()
    assert asked["ask"].endswith("?") and asked["why"].endswith(".")
    if "choices" in asked:
        assert len(set(asked["choices"])) == len(asked["choices"]) >= 4
        assert asked["choices"][asked["answer"]] not in asked["ask"]
    else:
        assert asked["answer"] > 0 and asked["unit"]


# Each of them ------------------------------------------------------------------------------------------------------


# The figure, the controls that are moved, and how facts begin: numbers of the lesson, or those of the sum next to them.
FACTS: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("accumulation", {}, {"micro-batch; all-reduce": "1.32 s; 176 ms", "step time, all-reduce after each": "11.9 s"}),
    ("accumulation", {}, {"step time, all-reduce after the last": "10.7 s", "share, after the last": "1.64 %"}),
    ("accumulation", {"accumulation_steps": "32", "bus_bytes_per_s": "90 GB/s"}, {"share, after the last": "1.64 %"}),
    ("all_reduce_times", {}, {"rings over eight ports": "635 µs"}),  # 126 steps of 5 µs, 126/64 MB at 400 GB/s
    ("all_reduce_times", {}, {"fastest": "two trees over eight ports"}),
    ("all_reduce_times", {"message_bytes": "10 GB"}, {"fastest": "rings over eight ports"}),
    ("checkpoints", {}, {"MTBF of the job": "3.09 h", "best interval": "18.6 min, with 14.2 %"}),
    ("experts", {}, {"dropped copies": "15.4 %", "empty slots": "32.4 %"}),  # 4,080 + 980 copies beyond 5,120 each
    ("experts", {"held": "one from each end"}, {"most loaded GPU, dropless": "10,168 copies, 1.24"}),
    ("first_stage", {}, {"fewest stages that fit": "16", "pipeline bubble with that, 1F1B": "48.4 %"}),  # 15/31
    ("first_stage", {"gpus": "32,768"}, {"fewest stages that fit": "4"}),
    ("first_stage", {"tp": "4"}, {"fewest stages that fit": "32"}),
    ("first_stage", {"sharded": "optimizer states (ZeRO-1)"}, {"fewest stages that fit": "32"}),
    ("first_stage", {"recomputed": "full"}, {"fewest stages that fit": "2"}),
    ("learning_rates", {}, {"area, cosine": "15", "area, WSD (warmup, stable, decay)": "28.2"}),  # 0.3 + 26.4 + 1.5
    ("loader", {}, {"smallest depth that hides all but the first load": "5 per worker"}),  # 12 s over 2.5 s
    ("loader", {"slow_s": "20 s"}, {"smallest depth that hides all but the first load": "none up to 8"}),
    ("loader", {"slow_s": "20 s"}, {"step time in the long run, at best": "2.9 s, limited by loading"}),
    ("loss_scaler", {}, {"skipped in the long run, constant gradients": "0.498 %"}),  # one step of 201
    ("overlap", {}, {"exposed communication": "21 ms", "hidden share of communication": "62.5 %"}),  # 5 + 8 · 7 - 40 ms
    ("pipeline", {}, {"step time": "11 micro-batches", "pipeline bubble, average over stages": "27.3 %"}),
    ("pipeline", {"slowest": "2 ×"}, {"step time": "19 micro-batches, 8 of them computing, 16 on the last"}),
    ("pipeline", {"schedule": "ZB-H2"}, {"longest wait between a stage's first and last operation": "none"}),
    ("ranks", {}, {"on DP, rank 0 communicates with": "ranks 16, 32, 48", "over": "network ports of 4 nodes, 50 GB/s"}),
    ("ring", {}, {"sent by each GPU so far": "1.5 GB", "time so far, ignoring latency": "30 ms"}),
    ("ring_attention", {}, {"saved by the mask": "12.5 %", "attention time": "9.62 ms"}),  # 3.5 blocks of 2.75 ms
    ("ring_attention", {"layout": "one from the head, one from the tail"}, {"saved by the mask": "50 %"}),
    ("roofline", {}, {"ridge point of the H100-80GB": "295 FLOP per byte", "limited by": "memory bandwidth"}),  # 989e12 / 3.35e12
    ("step_memory", {}, {"peak": "64.6 GB, in the loss", "on an H100-80GB": "fits"}),
    ("step_memory", {"gradient_shards": "sharded (ZeRO-2)"}, {"peak": "64.6 GB"}),  # the loss comes before gradients
    ("step_memory", {"recomputed": "all layers"}, {"peak": "34.8 GB"}),
    ("valleys", {"size": "10 % of the best size", "work": "7.2 · 10²³ FLOP, as Llama 3 8B"}, {"minimum": "81B on"}),
    ("zero", {}, {"parameters": "8.03 billion", "model states fit with": "ZeRO-1, ZeRO-2, ZeRO-3"}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "moved", "facts"), FACTS)
def test_a_figure_says_what_its_lesson_says(name: str, moved: dict[str, str], facts: dict[str, str]) -> None:
    seen = facts_of(shown(name, **moved))
    assert {fact: seen[fact][: len(text)] for fact, text in facts.items()} == facts


@pytest.mark.parametrize("gpus", rings.CONTROLS["gpus"]["options"].values())
def test_every_step_of_the_ring_moves_one_chunk_over_every_link(gpus: int) -> None:
    frames = rings.show(gpus=gpus, message_bytes=1e9, link_bytes_per_s=50e9)["frames"]
    assert len(frames) == steps(gpus=gpus) + 1
    assert frames[-1]["panels"][0]["held"] == [[gpus] * gpus] * gpus
    sent = interactive.in_bytes(bytes_sent_per_gpu(message_bytes=1e9, gpus=gpus))
    assert dict(frames[-1]["facts"])["sent by each GPU so far"] == sent
    for before, after in pairwise(frames):
        for gpu, send in enumerate(after["panels"][0]["sends"]):  # what arrived is what changed, and the only thing
            old, new = (frame["panels"][0]["held"][(gpu + 1) % gpus] for frame in (before, after))
            assert [place for place in range(gpus) if old[place] != new[place]] == [send["chunk"]]
            carried = before["panels"][0]["held"][gpu][send["chunk"]]
            assert new[send["chunk"]] == carried + (old[send["chunk"]] if send["adds"] else 0)


@pytest.mark.parametrize(
    ("schedule", "stages", "micro_batches"), [*product(("GPipe", "1F1B", "interleaved"), (2, 4, 8), (8, 16))]
)
def test_equal_stages_wait_and_hold_as_the_formulas_say(schedule: str, stages: int, micro_batches: int) -> None:
    chunks = 2 if schedule == "interleaved" else 1
    shape = {"stages": stages, "micro_batches": micro_batches}
    step = pipeline.play_step(schedule=schedule, virtual_stages=2, **shape)
    assert pipeline.idle_share(step, stages) == pytest.approx(bubble_idle_fraction(virtual_stages=chunks, **shape))
    for stage in range(stages):
        held = {
            "GPipe": micro_batches,
            "1F1B": in_flight(stage=stage, **shape),
            "interleaved": interleaved_chunks_in_flight(stage=stage, virtual_stages=2, **shape),
        }
        assert step.peak_held(stage) == held[schedule]


def test_the_lowest_points_of_the_valleys_are_those_of_the_paper() -> None:
    (panel, _) = shown("valleys")["panels"]
    on_paper = [(2.78, 60), (9.05, 184), (29.4, 566), (95.9, 1740)]  # billions of parameters and tokens, from its text
    for (size, _), (parameters, tokens), budget in zip(
        panel["lines"][-1]["points"], on_paper, valleys.COLOURS, strict=True
    ):
        assert size == pytest.approx(parameters, rel=2e-3)
        assert budget / 6e18 / size == pytest.approx(tokens, rel=3e-3)


# What only figures draw --------------------------------------------------------------------------------------------


@given(st.lists(st.floats(1, 990), max_size=12, unique=True), st.floats(20, 200), st.floats(1, 30), st.floats(1, 60))
def test_a_drawn_run_is_without_gaps_and_loses_what_was_not_written(
    strikes: list[float], interval: float, write: float, restart: float
) -> None:
    failures = sorted(strikes)
    spans = play_run(failures, interval_s=interval, write_s=write, restart_s=restart, until_s=1000)
    assert spans[0].begun == 0 and spans[-1].ended == 1000
    for before, after in pairwise(spans):
        assert before.ended == after.begun
        if before.kind == "lost":
            assert (after.kind == "lost" and before.ended not in failures) or (
                after.kind == "restarts" and before.ended in failures
            )
        if after.kind == "writes":  # only a whole interval is written
            assert before.kind == "trains" and before.ended - before.begun == pytest.approx(interval)
    longest = max(interval, write) + 1e-9
    assert all(span.ended - span.begun <= longest for span in spans if span.kind in ("lost", "trains"))


def test_drawn_runs_take_on_average_as_long_as_the_formula_expects() -> None:
    interval, write, restart, mtbf, until = 1800.0, 60.0, 300.0, 7200.0, 4e6
    kept = 0.0
    for seed in range(5):
        failures = drawn_failures(mtbf_s=mtbf, until_s=until, seed=seed)
        assert len(failures) == pytest.approx(until / mtbf, rel=0.15)
        spans = play_run(failures, interval_s=interval, write_s=write, restart_s=restart, until_s=until)
        kept += sum(span.ended - span.begun for span in spans if span.kind == "trains")
    expected = run_seconds(training_s=1, interval_s=interval, write_s=write, restart_s=restart, mtbf_s=mtbf)
    assert 5 * until / kept == pytest.approx(expected, rel=0.01)


@given(st.floats(1, 2.6))
def test_uneven_loads_are_as_uneven_as_they_are_asked_to_be(imbalance: float) -> None:
    loads = uneven_loads(imbalance=imbalance)
    assert sum(loads) == sum(EXAMPLE_LOADS) and loads == sorted(loads, reverse=True)
    assert loads[0] / (sum(loads) / len(loads)) == pytest.approx(imbalance, abs=2e-4)
