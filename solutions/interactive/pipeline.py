"""A pipeline step under five schedules: when each stage computes, and how many micro-batches it holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..oracles.pipeline.pipeline import Played, Ticks, play_orders
from ..oracles.pipeline.schedules import order
from ..pipeline.pipeline import bubble_idle_fraction
from . import buttons, choice, frames_until, percent, slider, span, written

CHAPTER = "07-pipeline-parallelism"
STILL = "four-schedules"
TITLE = "A pipeline step under five schedules"
SCHEDULES = ("GPipe", "1F1B", "interleaved", "ZB-H1", "ZB-H2")
MICRO_BATCH = 6  # ticks per micro-batch on one stage: 2 forward, and 2 for each of the two matmuls of the backward pass
CONTROLS = {
    "schedule": buttons("schedule", SCHEDULES, start="1F1B"),
    "stages": slider("stages", (2, 4, 6, 8), start="4"),
    "micro_batches": slider("number of micro-batches", (4, 8, 12, 16, 24, 32), start="8"),
    "virtual_stages": slider("chunks per stage, if interleaved", (2, 3, 4), start="2"),
    "slowest": slider("time of the last stage", (Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2)), start="1 ×", words=lambda times: f"{float(times):g} ×"),
}  # fmt: skip
KINDS = {
    "F": {"name": "forward", "colour": "blue"},
    "B": {"name": "backward", "colour": "orange"},
    "W": {"name": "weight gradients", "colour": "green"},
}
FRAMES = 32


def play_step(
    *, schedule: str, stages: int, micro_batches: int, virtual_stages: int = 1, slowest: Fraction = Fraction(1)
) -> Played:
    """Simulate a step in ticks, with MICRO_BATCH ticks per micro-batch on one stage; the last stage takes `slowest` times as long."""
    chunks = virtual_stages if schedule == "interleaved" else 1
    split = schedule in ("ZB-H1", "ZB-H2")
    usual: dict[str, Ticks] = {"F": Fraction(2, chunks), "B": Fraction(2 if split else 4, chunks), "W": 2}
    slow = {kind: length * slowest for kind, length in usual.items()}
    orders = [order(schedule, rank, stages, micro_batches, chunks) for rank in range(stages)]
    return play_orders(orders, [usual] * (stages - 1) + [slow])


def idle_share(step: Played, stages: int) -> float:
    """The share of step time that stages wait, averaged over all stages."""
    worked = sum(step.worked(rank) for rank in range(stages))
    return float(1 - worked / (step.ticks * stages))


def longest_wait(step: Played, stages: int) -> float:
    """The longest time that a stage waits between its first and last operation, in micro-batches on one stage."""
    waits = []
    for rank in range(stages):
        mine = [done for done in step.operations if done.rank == rank]
        whole = max(done.end for done in mine) - min(done.start for done in mine)
        waits.append(whole - step.worked(rank))
    return float(max(waits) / MICRO_BATCH)


def show(*, schedule: str, stages: int, micro_batches: int, virtual_stages: int, slowest: Fraction) -> dict[str, Any]:
    """The simulated step, and the peak number of micro-batches that each stage holds."""
    step = play_step(
        schedule=schedule, stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages, slowest=slowest
    )
    chunks = virtual_stages if schedule == "interleaved" else 1
    end = float(step.ticks / MICRO_BATCH)
    names = [f"stage {rank}" for rank in range(stages)]
    held = [step.peak_held(rank) / chunks for rank in range(stages)]
    low = "" if chunks == 1 else ", low bars are every second chunk"
    gantt = {
        "drawing": "gantt",
        "title": f"{schedule} with {stages} stages and {micro_batches} micro-batches; numbers are micro-batches{low}",
        "rows": names,
        "axis": {"label": "time, in micro-batches on one stage", "low": 0, "high": end},
        "kinds": KINDS,
        "spans": [
            span(
                done.rank,
                done.kind,
                done.start / MICRO_BATCH,
                done.end / MICRO_BATCH,
                text=str(done.micro_batch + 1),
                low=done.chunk % 2 == 1,
            )
            for done in step.operations
        ],
    }
    bars = {
        "drawing": "bars",
        "title": "Micro-batches that each stage holds at its peak",
        "axis": {"label": "micro-batches", "high": max(*held, stages)},
        "kinds": {"held": {"name": "activations in flight", "colour": "purple"}},
        "rows": [
            {"name": name, "text": written(count), "parts": [{"kind": "held", "size": count}]}
            for name, count in zip(names, held, strict=True)
        ],
    }
    last = f", {written(float(micro_batches * slowest))} on the last stage" if slowest > 1 else ""
    waits = longest_wait(step, stages)
    return {
        "panels": [gantt, bars],
        "facts": [
            ("step time", f"{written(end)} micro-batches, {micro_batches} of them computing{last}"),
            ("pipeline bubble, average over stages", percent(idle_share(step, stages))),
            (
                "longest wait between a stage's first and last operation",
                f"{written(waits)} micro-batch{'' if waits == 1 else 'es'}" if waits else "none",
            ),
            ("peak, most loaded stage", f"{written(max(held))} micro-batches"),
        ],
        "frames": frames_until(end, FRAMES, panels=2),
    }


def predict() -> dict[str, Any]:
    """The pipeline bubble of a small step."""
    idle = bubble_idle_fraction(stages=4, micro_batches=8)
    return {
        "ask": "A pipeline has 4 equal stages, and 8 micro-batches pass through it under 1F1B. "
        "For what share of the step time is a stage idle?",
        **choice(percent(idle), ("9.38 %", "12.5 %", "27.3 %", "37.5 %", "50 %")),
        "why": "A stage waits for the time of 3 micro-batches, and the step takes 8 + 3. Relative to compute alone, that would be 37.5 %.",
    }
