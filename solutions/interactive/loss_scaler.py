"""A dynamic loss scaler, simulated against gradients that grow for a while."""

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
    "growth": slider("temporary growth of the gradients", (1, 3, 9, 30, 100), start="9 times", words=lambda times: f"{times} times" if times > 1 else "none"),
    "growth_interval": slider("growth interval, steps", (50, 100, 200, 500, 1000), start="200"),
    "initial_power": slider("initial scale", {raised(2, power): power for power in range(10, 25, 2)}, start=raised(2, 16)),
    "hysteresis": slider("hysteresis", (1, 2, 4), start="1"),
}  # fmt: skip
FRAMES = 30


def show(*, growth: int, growth_interval: int, initial_power: int, hysteresis: int) -> dict[str, Any]:
    """The loss scale over time, every overflow, and the range of scales without overflow or underflow."""
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
            {"name": "overflow (step skipped)", "colour": "orange", "dots": True, "points": [(step, scales[step]) for step in overflows]},
        ],
        "areas": [
            {
                "name": "scales without overflow or underflow",
                "colour": "green",
                "points": [(step, floor, max(floor, largest_safe_scale(gradient=float(level[step])))) for step in shown],
            }
        ],
    }  # fmt: skip
    return {
        "panels": [panel],
        "facts": [
            ("skipped steps", f"{len(overflows)} of {STEPS:,}, {percent(len(overflows) / STEPS)}"),
            ("skipped in the long run, constant gradients", percent(skipped_share(growth_interval=growth_interval, hysteresis=hysteresis))),
            ("steps in which the smallest gradients underflow", f"{sum(scale < floor for scale in scales):,}"),
        ],
        "frames": frames_until(STEPS, FRAMES),
    }  # fmt: skip


def predict() -> dict[str, Any]:
    """The share of steps that a scaler skips when the gradients do not change."""
    share = skipped_share(growth_interval=200)
    return {
        "ask": "When a step overflows, a loss scaler skips it and halves the scale. After 200 steps without overflow, it doubles the scale. Assume the "
        "gradients do not change. What share of all steps does it skip in the long run?",
        **choice(percent(float(f"{share:.1g}")), ("0 %", "0.05 %", "0.5 %", "5 %", "50 %")),
        "why": "The scale settles at the highest power of 2 that does not overflow. After every 200 steps it tries the next one, which overflows: 1 step in 201 is skipped.",
    }
