"""What moving pictures show, against references that compute it another way."""

from __future__ import annotations

import importlib
import pkgutil
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions import interactive
from solutions.checkpointing.checkpoint_interval import run_seconds
from solutions.communication.hierarchy import sharded_seconds
from solutions.communication.overlap import exposed_tail_seconds
from solutions.interactive import all_reduce_times as times
from solutions.interactive import checkpoints, learning_rates, loss_scaler, overlap, pipeline, roofline, zero
from solutions.interactive import ring as rings
from solutions.learning_rate.lr_schedules import cosine_area, cosine_lr, wsd_area
from solutions.oracles.checkpointing.checkpoint_run import drawn_failures, play_run
from solutions.oracles.communication.hierarchy import sharded_seconds as played_sharded
from solutions.oracles.precision.loss_scaling import gradients_that_grow, play_scaler
from solutions.oracles.roofline.roofline import attainable_flop_per_s as played_rate
from solutions.pipeline.pipeline import bubble_idle_fraction, in_flight, interleaved_chunks_in_flight
from solutions.pipeline.zero_bubble import bubble_seconds
from solutions.precision.loss_scaling import dynamic_scale
from solutions.ring import ring
from solutions.shapes.models import parameters
from solutions.zero.zero import state_bytes_per_gpu

NAMES = [module.name for module in pkgutil.iter_modules(interactive.__path__)]
DRAWINGS = {"bars", "gantt", "lines", "ring", "scatter", "servers", "stack"}
Shown = dict[str, Any]


def module_of(name: str) -> ModuleType:
    return importlib.import_module(f"solutions.interactive.{name}")


def start_of(module: ModuleType) -> Shown:
    return {name: control["options"][control["start"]] for name, control in module.CONTROLS.items()}


def line_of(shown: Shown, name: str, panel: int = 0) -> dict[float, float]:
    (found,) = [line for line in shown["panels"][panel]["lines"] if line["name"] == name]
    return dict(found["points"])


# Every picture -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_each_option_of_each_control_can_be_drawn_or_says_why_not(name: str) -> None:
    module = module_of(name)
    start = start_of(module)
    for control, about in module.CONTROLS.items():
        assert len(set(map(str, about["options"]))) == len(about["options"]) >= 2
        for value in about["options"].values():
            shown = module.show(**{**start, control: value})
            assert {panel["drawing"] for panel in shown["panels"]} <= DRAWINGS
            assert all(
                len(frame.get("panels", shown["panels"])) == len(shown["panels"]) for frame in shown.get("frames", ())
            )
            facts = shown.get("facts") or shown["frames"][-1]["facts"]
            assert all(isinstance(text, str) and text for fact in facts for text in fact)


@pytest.mark.parametrize("name", NAMES)
def test_something_plays(name: str) -> None:
    module = module_of(name)
    shown = module.show(**start_of(module))
    assert ("frames" in shown) != hasattr(module, "PLAYS")
    assert len(shown.get("frames") or module.CONTROLS[module.PLAYS]["options"]) >= 5


@pytest.mark.parametrize("name", NAMES)
def test_a_question_has_an_answer_and_does_not_tell_it(name: str) -> None:
    asked = module_of(name).predict()
    assert asked["ask"].endswith("?") and asked["why"].endswith(".")
    if "choices" in asked:
        assert len(set(asked["choices"])) == len(asked["choices"]) >= 4
        assert asked["choices"][asked["answer"]] not in asked["ask"]
    else:
        assert asked["answer"] > 0 and asked["unit"]


@pytest.mark.parametrize(
    ("name", "premises"),
    [
        ("all_reduce_times", ["port of 50 GB/s for each GPU", "5 µs for each step"]),
        ("first_stage", ["1F1B", "same batch"]),
        ("learning_rates", ["cosine to zero", "falls to zero in a straight line"]),
        ("loss_scaler", ["halves the scale", "doubles it after 200 clean steps"]),
        ("overlap", ["one at a time", "as soon as it is computed"]),  # after the pass, all would be waited for: 56 ms
        ("pipeline", ["equal stages", "1F1B"]),  # interleaved, or with a slow stage, one waits for another share
        ("ranks", ["512 sequences of 8,192 tokens"]),  # with 4 sequences it would be 1.5 times as long
        ("ring", ["ring all-reduce"]),  # sent to every other GPU as they are, gradients would make 3 GB
        ("roofline", ["BF16"]),  # in FP8 the ridge lies elsewhere
        ("step_memory", ["8,192 tokens", "ZeRO-2"]),
    ],
)
def test_a_question_says_what_its_answer_depends_on(name: str, premises: list[str]) -> None:
    asked = module_of(name).predict()["ask"]
    assert [premise for premise in premises if premise not in asked] == []


@pytest.mark.parametrize("name", NAMES)
def test_its_still_is_a_picture_of_its_lesson(name: str) -> None:
    module = module_of(name)
    folder = Path(__file__).parents[3] / "problems" / module.CHAPTER
    assert (folder / "figures" / f"{module.STILL}.png").exists()
    assert f"figures/{module.STILL}.png" in (folder / "lesson.md").read_text("utf-8")


# One by one --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gpus", rings.CONTROLS["gpus"]["options"].values())
def test_the_ring_ends_with_every_chunk_everywhere_and_the_bytes_of_the_formula(gpus: int) -> None:
    frames = rings.show(gpus=gpus, message_bytes=1e9, link_bytes_per_s=50e9)["frames"]
    assert len(frames) == ring.steps(gpus=gpus) + 1
    assert frames[-1]["panels"][0]["held"] == [[gpus] * gpus] * gpus
    sent = interactive.in_bytes(ring.bytes_sent_per_gpu(message_bytes=1e9, gpus=gpus))
    took = interactive.in_time(ring.all_reduce_seconds(message_bytes=1e9, gpus=gpus, bandwidth_bytes_per_s=50e9))
    assert {"sent by each GPU so far": sent, "time so far, without latency": took}.items() <= dict(
        frames[-1]["facts"]
    ).items()
    for before, after in pairwise(frames):
        for gpu, send in enumerate(after["panels"][0]["sends"]):  # what arrived is what changed, and the only thing
            old, new = (frame["panels"][0]["held"][(gpu + 1) % gpus] for frame in (before, after))
            assert [place for place in range(gpus) if old[place] != new[place]] == [send["chunk"]]
            carried = before["panels"][0]["held"][gpu][send["chunk"]]
            assert new[send["chunk"]] == carried + (old[send["chunk"]] if send["adds"] else 0)


def test_a_time_of_the_curve_is_that_of_the_reference_and_of_the_played_collective() -> None:
    given_ = {"servers": 8, "port_bytes_per_s": 50e9, "latency_s": 5e-6}
    shown = times.show(message_bytes=1e6, **given_)
    rate = {"bandwidth_bytes_per_s": 400e9, "latency_s": 5e-6}
    ring_ms = ring.all_reduce_seconds(message_bytes=1e6, gpus=64, **rate) * 1e3
    assert line_of(shown, "rings over eight ports")[1.0] == pytest.approx(ring_ms, rel=1e-5)
    servers = {
        "message_bytes": 1e6,
        "servers": 8,
        "gpus_per_server": 8,
        "port_bytes_per_s": 50e9,
        "nvlink_bytes_per_s": 450e9,
    }
    for way in (sharded_seconds, played_sharded):
        assert line_of(shown, "sharded inside servers")[1.0] == pytest.approx(
            way(**servers, latency_s=5e-6) * 1e3, rel=1e-5
        )
    assert dict(shown["facts"])["quickest"] == "two trees over eight ports"


@pytest.mark.parametrize(
    "extreme",
    [
        {"servers": 2, "port_bytes_per_s": 100e9, "latency_s": 1e-6},
        {"servers": 128, "port_bytes_per_s": 12.5e9, "latency_s": 20e-6},
    ],
)
def test_no_time_leaves_the_axis_where_steps_are_shortest_and_where_they_are_longest(extreme: Shown) -> None:
    (panel,) = times.show(message_bytes=1e6, **extreme)["panels"]
    drawn = [y for line in panel["lines"] for _, y in line["points"]]
    assert panel["y"]["low"] <= min(drawn) and max(drawn) <= panel["y"]["high"]


@pytest.mark.parametrize("gpus", [1, 64, 1024])
def test_the_parts_of_a_bar_are_the_states_of_the_formula(gpus: int) -> None:
    (panel,) = zero.show(gpus=gpus, model="Llama-3-70B", accelerator="H100-80GB")["panels"]
    for stage, row in enumerate(panel["rows"]):
        whole = state_bytes_per_gpu(parameters=parameters(model="Llama-3-70B"), gpus=gpus, stage=stage)
        assert sum(part["size"] for part in row["parts"]) == pytest.approx(whole / 1e9, rel=1e-9)


@given(st.integers(1, 12), st.integers(2, 10), st.sampled_from((4, 8, 16)))
def test_what_is_drawn_as_exposed_is_the_tail_of_the_formula(reduce_ms: int, backward_ms: int, layers: int) -> None:
    step = {"reduce_s": reduce_ms / 1e3, "backward_s": backward_ms / 1e3, "layers": layers}
    (panel,) = overlap.show(**step)["panels"]
    by_kind = {
        kind: sum(span["to"] - span["from"] for span in panel["spans"] if span["kind"] == kind)
        for kind in panel["kinds"]
    }
    assert by_kind["exposed"] == pytest.approx(exposed_tail_seconds(**step) * 1e3, rel=1e-4)
    assert by_kind["hidden"] + by_kind["exposed"] == pytest.approx(layers * reduce_ms, rel=1e-4)
    assert by_kind["computes"] == pytest.approx(layers * backward_ms, rel=1e-4)


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


@pytest.mark.parametrize(("schedule", "stages"), [*product(pipeline.SCHEDULES, (2, 4, 8))])
def test_the_longest_wait_of_a_stage_is_the_bubble_of_the_lesson_and_none_under_zb_h2(
    schedule: str, stages: int
) -> None:
    shown = pipeline.show(schedule=schedule, stages=stages, micro_batches=16, virtual_stages=2, slowest=Fraction(1))
    third = {"forward_s": 1, "input_backward_s": 1, "weight_backward_s": 1}  # of a micro-batch, each
    bubble = bubble_seconds(schedule=schedule, stages=stages, virtual_stages=2, **third) / 3
    said = dict(shown["facts"])["longest wait between a stage's first and last operation"]
    assert said == {0: "none", 1: "1 micro-batch"}.get(bubble, f"{interactive.written(bubble)} micro-batches")


def test_a_slow_last_stage_holds_up_the_step_and_chunks_that_do_not_divide_are_told() -> None:
    shape = {"schedule": "1F1B", "stages": 4, "micro_batches": 8}
    even, slow = (pipeline.play_step(**shape, slowest=Fraction(times)) for times in (1, 2))
    assert even.ticks == 11 * pipeline.MICRO_BATCH
    assert slow.ticks == (3 + 8 * 2) * pipeline.MICRO_BATCH
    facts = dict(pipeline.show(**shape, virtual_stages=2, slowest=Fraction(2))["facts"])
    assert facts["length of the step"] == "19 micro-batches, 8 of them work, 16 on the last stage"
    with pytest.raises(ValueError, match="multiple of the stages"):
        pipeline.play_step(schedule="interleaved", stages=6, micro_batches=8, virtual_stages=2)


@pytest.mark.parametrize("chip", roofline.CHIPS)
def test_the_kernel_lies_on_the_roof_that_is_played(chip: str) -> None:
    for tokens, name in product((1, 64, 8192), roofline.KERNELS.values()):
        (panel,) = roofline.show(tokens=tokens, kernel=name, chip=chip)["panels"]
        (mark,) = panel["marks"]
        assert mark["y"] == pytest.approx(played_rate(intensity=mark["x"], **roofline.rates(chip)) / 1e12)


def test_rates_and_areas_are_those_of_the_schedules() -> None:
    shown = learning_rates.show(total_steps=100_000, warmup_steps=2000, decay_share=0.1, final_share=0.1)
    cosine = {"peak_lr": 3e-4, "final_lr": 3e-5, "warmup_steps": 2000, "total_steps": 100_000}
    curve = line_of(shown, "cosine")
    assert curve[50.0] == pytest.approx(cosine_lr(step=50_000, **cosine) / 3e-4, rel=1e-5)
    areas = dict(shown["facts"])
    assert areas["area, cosine"] == interactive.written(cosine_area(**cosine))
    under = sum((x - w) * (y + v) / 2 for (w, v), (x, y) in pairwise(curve.items()))  # of the curve that is drawn
    assert under * 1000 * 3e-4 == pytest.approx(cosine_area(**cosine), rel=1e-3)
    stable = {"warmup_steps": 2000, "stable_steps": 88_000, "decay_steps": 10_000}
    assert areas["area, warmup, stable, decay"] == interactive.written(wsd_area(peak_lr=3e-4, **stable))


@pytest.mark.parametrize(("interval", "hysteresis"), [*product((50, 200), (1, 2))])
def test_the_scale_that_is_drawn_follows_from_the_overflows_that_are_drawn(interval: int, hysteresis: int) -> None:
    _, peaks = gradients_that_grow(steps=2500, times=9)
    scaler = {"initial_scale": 2.0**16, "growth_interval": interval, "hysteresis": hysteresis}
    scales, overflows = play_scaler(peaks, **scaler)
    for step in (500, 1700, 2499):
        trace = "".join("x" if place in overflows else "." for place in range(step))
        assert scales[step] == dynamic_scale(trace=trace, **scaler)
    shown = loss_scaler.show(growth=9, growth_interval=interval, initial_power=16, hysteresis=hysteresis)
    assert shown["facts"][0][1].startswith(
        f"{len(play_scaler(gradients_that_grow(steps=3000, times=9)[1], **scaler)[1])} of"
    )


# Runs with failures that were drawn --------------------------------------------------------------------------------


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


def test_the_expected_waste_is_lowest_at_the_interval_that_is_named() -> None:
    case = {"gpus": 16384, "write_s": 60, "restart_s": 300}
    shown = checkpoints.show(interval_s=3600, luck=1, **case)
    curve = line_of(shown, "expected", panel=1)
    lowest = min(curve, key=lambda at: curve[at])
    best = checkpoints.exact_interval_seconds(write_s=60, mtbf_s=checkpoints.mtbf_seconds(16384)) / 60
    assert lowest == pytest.approx(best, rel=0.07)  # the grid's width
    assert dict(shown["facts"])["best interval"].startswith(interactive.in_time(best * 60))


def test_a_waste_above_the_drawing_is_no_point_of_it() -> None:
    case = {"gpus": 65536, "write_s": 60, "restart_s": 300, "luck": 1}
    for interval_s, inside in ((3600, True), (14400, False)):
        (_, curve) = checkpoints.show(interval_s=interval_s, **case)["panels"]
        (mark,) = curve["marks"]
        assert ("y" in mark) == inside
        assert mark.get("y", 0) <= curve["y"]["high"]


def test_only_bars_of_several_chunks_are_said_to_be_low() -> None:
    case = {"stages": 4, "micro_batches": 8, "virtual_stages": 2, "slowest": Fraction(1)}
    for schedule in pipeline.SCHEDULES:
        (drawn, _) = pipeline.show(schedule=schedule, **case)["panels"]
        assert ("low bars" in drawn["title"]) == any(span["low"] for span in drawn["spans"])


def test_thirds_of_a_micro_batch_are_written_as_short_as_all_numbers() -> None:
    interleaved = {"schedule": "interleaved", "stages": 8, "micro_batches": 16, "virtual_stages": 3}
    shown = pipeline.show(**interleaved, slowest=Fraction(1))
    assert dict(shown["facts"])["fullest stage holds"] == "10.3 micro-batches"
    assert shown["panels"][1]["rows"][0]["text"] == "10.3"


def test_one_is_not_written_as_many() -> None:
    (model_states,) = zero.show(gpus=1, model="Llama-3-8B", accelerator="H100-80GB")["panels"]
    (kernel,) = roofline.show(tokens=1, kernel="gate", chip="H100-80GB")["panels"]
    assert "on one GPU," in model_states["title"] and "with 1 token on" in kernel["title"]
