"""A dynamic loss scaler that is played against gradients which grow for a while."""

from __future__ import annotations

from typing import Any

from ..oracles.precision.loss_scaling import gradients_that_grow, play_scaler
from ..precision.loss_scaling import largest_safe_scale, skipped_share, smallest_rescuing_scale
from . import choice, frames_until, percent, raised, slider

CHAPTER = "09-mixed-precision"
STILL = "scaler-at-work"
TITLE = "A loss scaler at work"
STEPS = 3000
SMALLEST = 1.2e-11  # the smallest gradient that matters
CONTROLS = {
    "growth": slider("gradients grow for a while", (1, 3, 9, 30, 100), start="9 times", words=lambda times: f"{times} times" if times > 1 else "not at all"),
    "growth_interval": slider("growth interval, steps", (50, 100, 200, 500, 1000), start="200"),
    "initial_power": slider("first scale", {raised(2, power): power for power in range(10, 25, 2)}, start=raised(2, 16)),
    "hysteresis": slider("hysteresis", (1, 2, 4), start="1"),
}  # fmt: skip
FRAMES = 30


def show(*, growth: int, growth_interval: int, initial_power: int, hysteresis: int) -> dict[str, Any]:
    """The scale as steps, every overflow, and the scales that would have lost nothing."""
    level, peaks = gradients_that_grow(steps=STEPS, times=growth)
    scales, overflows = play_scaler(
        peaks, initial_scale=2.0**initial_power, growth_interval=growth_interval, hysteresis=hysteresis
    )
    floor = smallest_rescuing_scale(gradient=SMALLEST)
    changes = [step for step in range(STEPS) if step == 0 or scales[step] != scales[step - 1]]
    shown = [*range(0, STEPS, 50), STEPS - 1]
    low, high = 2.0**8, 2.0**25
    panel = {
        "drawing": "lines",
        "title": f"Loss scale over {STEPS:,} steps, with every overflow",
        "x": {"label": "step", "low": 0, "high": STEPS},
        "y": {"label": "scale", "low": low, "high": high, "log": True, "ticks": [(2.0**power, raised(2, power)) for power in range(8, 26, 4)]},
        "lines": [
            {"name": "loss scale", "colour": "blue", "steps": True, "points": [(step, scales[step]) for step in [*changes, STEPS - 1]]},
            {"name": "overflow: the step is skipped", "colour": "orange", "dots": True, "points": [(step, scales[step]) for step in overflows]},
        ],
        "areas": [
            {
                "name": "scales that lose nothing",
                "colour": "green",
                "points": [(step, floor, max(floor, largest_safe_scale(gradient=float(level[step])))) for step in shown],
            }
        ],
    }  # fmt: skip
    return {
        "panels": [panel],
        "facts": [
            ("steps skipped", f"{len(overflows)} of {STEPS:,}, {percent(len(overflows) / STEPS)}"),
            ("with level gradients", f"{percent(skipped_share(growth_interval=growth_interval, hysteresis=hysteresis))} for good"),
            ("steps in which the smallest gradients became 0", f"{sum(scale < floor for scale in scales):,}"),
        ],
        "frames": frames_until(STEPS, FRAMES),
    }  # fmt: skip


def predict() -> dict[str, Any]:
    """What share of its steps a scaler skips when nothing changes."""
    share = skipped_share(growth_interval=200)
    return {
        "ask": "A scaler skips a step that overflows and halves the scale, and doubles it after 200 clean steps. When the gradients stay as "
        "they are, what share of all steps does it skip, as long as the run lasts?",
        **choice(percent(float(f"{share:.1g}")), ("0 %", "0.05 %", "0.5 %", "5 %", "50 %")),
        "why": "It stands at the highest scale that fits. Every 200 steps it tries the next one, which overflows: 1 step in 201.",
    }
