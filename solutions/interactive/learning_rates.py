"""A cosine schedule and a warmup-stable-decay schedule, with the area under each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..learning_rate.lr_schedules import cosine_area, cosine_lr, wsd_area, wsd_lr, wsd_to_cosine_area
from . import percent, short, slider, written

CHAPTER = "04-learning-rate-scaling"
STILL = "cosine-and-stable"
TITLE = "Two learning-rate schedules and their areas"
PLAYS = "total_steps"
PEAK = 3e-4
LONGEST = 200_000
CONTROLS = {
    "total_steps": slider("training steps", range(20_000, LONGEST + 1, 20_000), start="100,000", words="{:,}".format),
    "warmup_steps": slider("warmup steps", (500, 2000, 5000, 10_000), start="2,000", words="{:,}".format),
    "decay_share": slider("decay phase of WSD", (0.05, 0.1, 0.2, 0.4), start="10 %", words=percent),
    "final_share": slider("cosine ends at", (0, 0.1), start="0 % of the peak", words=lambda at: f"{percent(at)} of the peak"),
}  # fmt: skip


def phases(*, total_steps: int, warmup_steps: int, decay_share: float) -> dict[str, int]:
    """The phases of the warmup-stable-decay schedule; the decay never reaches into the warmup."""
    decay = min(round(decay_share * total_steps), total_steps - warmup_steps)
    return {"warmup_steps": warmup_steps, "stable_steps": total_steps - warmup_steps - decay, "decay_steps": decay}


def show(*, total_steps: int, warmup_steps: int, decay_share: float, final_share: float) -> dict[str, Any]:
    """Both schedules, and the area under each."""
    stable = phases(total_steps=total_steps, warmup_steps=warmup_steps, decay_share=decay_share)
    cosine = {"peak_lr": PEAK, "final_lr": final_share * PEAK}
    areas = (
        cosine_area(warmup_steps=warmup_steps, total_steps=total_steps, **cosine),
        wsd_area(peak_lr=PEAK, **stable),
    )
    steps = sorted({*range(0, total_steps + 1, 1000), warmup_steps, total_steps - stable["decay_steps"]})

    def curve(of: Callable[[int], float]) -> list[tuple[float, float]]:
        return [(step / 1000, short(of(step) / PEAK)) for step in steps]

    rates = (
        curve(lambda step: cosine_lr(step=step, warmup_steps=warmup_steps, total_steps=total_steps, **cosine)),
        curve(lambda step: wsd_lr(step=step, peak_lr=PEAK, **stable)),
    )
    names = "cosine", "WSD (warmup, stable, decay)"
    panel = {
        "drawing": "lines",
        "title": f"Learning rate over {total_steps:,} steps under two schedules",
        "x": {"label": "step, thousands", "low": 0, "high": LONGEST / 1000},
        "y": {"label": "learning rate, relative to the peak of 0.0003", "low": 0, "high": 1.1},
        "lines": [
            {"name": name, "colour": colour, "dashed": colour == "orange", "points": points}
            for name, colour, points in zip(names, ("blue", "orange"), rates, strict=True)
        ],
        "areas": [{"name": "area under the cosine", "colour": "blue", "points": [(step, 0, rate) for step, rate in rates[0]]}],
        "marks": [{"x": total_steps / 1000, "text": "end of training"}],
    }  # fmt: skip
    return {
        "panels": [panel],
        "facts": [
            *((f"area, {name}", f"{written(area)}") for name, area in zip(names, areas, strict=True)),
            ("WSD area over cosine area", written(areas[1] / areas[0])),
        ],
    }


def predict() -> dict[str, Any]:
    """How much larger the area under the warmup-stable-decay schedule is."""
    stable = phases(total_steps=100_000, warmup_steps=2000, decay_share=0.1)
    return {
        "ask": "Two learning-rate schedules have the same peak, 2,000 warmup steps and 100,000 steps in total. One is a cosine that ends at zero. The "
        "other stays at the peak and decays linearly to zero over the last 10,000 steps. By what factor is the area under the second schedule larger?",
        "unit": "times",
        "answer": wsd_to_cosine_area(**stable),
        "why": "During warmup and during either decay to zero, the mean learning rate is half the peak. Only the stable steps run at the full peak.",
    }
