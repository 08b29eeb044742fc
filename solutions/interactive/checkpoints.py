"""Runs with checkpoints and failures: two simulated runs, and the expected overhead for every checkpoint interval."""

from __future__ import annotations

from typing import Any

from ..checkpointing.checkpoint_interval import exact_interval_seconds, run_seconds, young_interval_seconds
from ..checkpointing.failures import job_mtbf_seconds, part_mtbf_seconds
from ..oracles.checkpointing.checkpoint_run import drawn_failures, play_run
from . import choice, in_time, percent, points, short, slider, span, spread

CHAPTER = "11-checkpointing"
STILL = "waste-against-interval"
TITLE = "Runs with checkpoints and failures"
PLAYS = "interval_s"
MINUTE, HOUR, DAY = 60, 3600, 86400
GPU_MTBF = part_mtbf_seconds(failures=419, parts=16384, observed_s=54 * DAY)  # Llama Team 2024, section 3.3.4
SHOWN_S = 12 * HOUR
MINUTES = (5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240)
CONTROLS = {
    "interval_s": slider(
        "checkpoint interval",
        [minutes * MINUTE for minutes in MINUTES],
        start="60 min",
        words=lambda seconds: f"{seconds // MINUTE} min",
    ),
    "gpus": slider("GPUs", (4096, 8192, 16384, 32768, 65536), start="16,384", words="{:,}".format),
    "write_s": slider("checkpoint time", (10, 60, 180, 600), start="1 min", words=in_time),
    "restart_s": slider("restart time", (60, 300, 900), start="5 min", words=in_time),
    "luck": slider("random seed", range(1, 7), start="1"),
}
KINDS = {
    "trains": {"name": "training", "colour": "blue"},
    "writes": {"name": "writing a checkpoint", "colour": "green"},
    "lost": {"name": "lost work", "colour": "orange"},
    "restarts": {"name": "restarting", "colour": "grey"},
}


def mtbf_seconds(gpus: int) -> float:
    """The MTBF of a job, from the failures of Llama 3."""
    return job_mtbf_seconds(part_mtbf_s=GPU_MTBF, parts=gpus)


def waste(*, interval_s: float, gpus: int, write_s: float, restart_s: float) -> float:
    """The exact overhead of checkpoints and failures, as a share of training time."""
    mtbf = mtbf_seconds(gpus)
    return run_seconds(training_s=1, interval_s=interval_s, write_s=write_s, restart_s=restart_s, mtbf_s=mtbf) - 1


def show(*, interval_s: float, gpus: int, write_s: float, restart_s: float, luck: int) -> dict[str, Any]:
    """Twelve hours of two runs with random failures, and the expected overhead against the checkpoint interval."""
    mtbf = mtbf_seconds(gpus)
    costs = {"write_s": write_s, "restart_s": restart_s}
    spans: list[dict[str, Any]] = []
    failures = 0
    for row in (0, 1):
        strikes = drawn_failures(mtbf_s=mtbf, until_s=SHOWN_S, seed=10 * luck + row)
        failures += len(strikes)
        played = play_run(strikes, interval_s=interval_s, until_s=SHOWN_S, **costs)
        spans += [span(row, part.kind, part.begun / HOUR, part.ended / HOUR) for part in played]
    lost = sum(part["to"] - part["from"] for part in spans if part["kind"] == "lost") * HOUR
    timeline = {
        "drawing": "gantt",
        "title": f"Twelve hours of two runs on {gpus:,} GPUs",
        "rows": ["run 1", "run 2"],
        "axis": {"label": "hours", "low": 0, "high": SHOWN_S / HOUR},
        "kinds": KINDS,
        "spans": spans,
    }
    grid = spread(MINUTES[0] * MINUTE, MINUTES[-1] * MINUTE, 60)
    curve = points(lambda at: 100 * waste(interval_s=at, gpus=gpus, **costs), grid)
    best = exact_interval_seconds(write_s=write_s, mtbf_s=mtbf)
    expected = waste(interval_s=interval_s, gpus=gpus, **costs)
    least = waste(interval_s=best, gpus=gpus, **costs)
    shown = (
        {"y": short(100 * expected)} if expected <= 6 * least else {}
    )  # above the drawing, only a line marks the interval
    expectation = {
        "drawing": "lines",
        "title": "Expected overhead of checkpoints and failures, against the checkpoint interval",
        "x": {"label": "checkpoint interval, min", "low": MINUTES[0], "high": MINUTES[-1], "log": True,
              "ticks": [(float(minutes), str(minutes)) for minutes in (5, 10, 20, 45, 90, 240)]},
        "y": {"label": "% of training time", "low": 0, "high": short(600 * least)},
        "lines": [{"name": "expected", "colour": "blue", "points": [(x / MINUTE, y) for x, y in curve if y <= 600 * least]}],
        "marks": [{"x": interval_s / MINUTE, **shown, "text": percent(expected), "colour": "orange"}],
    }  # fmt: skip
    return {
        "panels": [timeline, expectation],
        "facts": [
            ("MTBF of the job", in_time(mtbf)),
            ("failures in the two runs", str(failures)),
            ("lost work in the two runs", in_time(lost) if lost else "none"),
            ("expected overhead", f"{percent(expected)} of training time"),
            ("best interval", f"{in_time(best)}, with {percent(least)}"),
        ],
    }


def predict() -> dict[str, Any]:
    """How often a large job should write a checkpoint."""
    best = young_interval_seconds(write_s=60, mtbf_s=mtbf_seconds(16384))
    return {
        "ask": f"A job on 16,384 GPUs has an MTBF of {in_time(mtbf_seconds(16384))}, and training pauses for 1 min to write each "
        "checkpoint. What checkpoint interval minimises the lost time?",
        **choice(f"{round(best / MINUTE, -1):.0f} min", ("2 min", "5 min", "20 min", "1 h", "3 h")),
        "why": f"The best interval is about √(2 · C · M), here {in_time(best)}. At this interval, writing checkpoints costs as much time as the work "
        "lost to failures.",
    }
