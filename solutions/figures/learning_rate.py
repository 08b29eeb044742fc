"""The figures of the lesson on learning-rate scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from ..learning_rate.critical_batch import best_lr, data_to_target, steps_to_target
from ..learning_rate.learning_rate import linear_rule_lr, square_root_rule_lr
from ..learning_rate.lr_schedules import cosine_area, cosine_lr, scaled_steps, wsd_area, wsd_lr
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, halvings, note, numbers, x_axis, y_axis

CHAPTER = "04-learning-rate-scaling"

BASE_LR, BASE_BATCH = 3e-4, 256  # the recipe that the lesson scales
STEPS, WARMUP = 100_000, 2_000  # its length and warmup


def two_rules() -> Figure:
    """The learning rates that the two rules give, over the batch size."""
    batches = [BASE_BATCH * 2**power for power in range(7)]
    figure, axis = chart(7.0, 3.0)
    for name, rule, colour, marker in (
        ("linear", linear_rule_lr, BLUE, "o"),
        ("square root", square_root_rule_lr, ORANGE, "s"),
    ):
        rates = [rule(base_lr=BASE_LR, base_batch=BASE_BATCH, batch=batch) for batch in batches]
        axis.plot(batches, rates, color=colour, marker=marker)
        note(axis, name, (batches[-1], rates[-1]), (8, -3), colour)
        note(axis, f"{rates[3]:.3g}", (batches[3], rates[3]), (6, -13), colour)
    x_axis(axis, "batch size, sequences", (220, 31_000), {batch: f"{batch:,}" for batch in batches}, log=2)
    y_axis(axis, "learning rate", log=10)
    return figure


def horizons() -> Figure:
    """A base schedule, the same with batch size and learning rate doubled, and one whose length was not shortened."""
    factor = 2
    half = round(scaled_steps(steps=STEPS, base_batch=BASE_BATCH, batch=factor * BASE_BATCH))
    rows = (
        ("the recipe", 1, WARMUP, STEPS, STEPS, BLUE, "-"),
        ("batch and rate doubled, horizon halved", factor, WARMUP // factor, half, half, ORANGE, "-"),
        ("horizon not shortened: run ends here", factor, WARMUP // factor, STEPS, half, GREY, "--"),
    )
    figure, axis = chart(7.0, 3.0)
    for name, times, warmup, total, end, colour, line in rows:
        case: dict[str, Any] = {
            "peak_lr": times * BASE_LR,
            "final_lr": 0.0,
            "warmup_steps": warmup,
            "total_steps": total,
        }
        steps = np.arange(0, end + 1, 100)
        rates = [cosine_lr(step=int(step), **case) * 1e4 for step in steps]
        shown = name if end < total else f"{name}: area {cosine_area(**case):.1f}"
        axis.plot(steps / 1e3, rates, color=colour, linestyle=line, label=shown)
        if end < total:
            axis.plot(steps[-1] / 1e3, rates[-1], color=colour, marker="X", markersize=8)
    x_axis(axis, "step, thousands")
    y_axis(axis, "learning rate, 1e-4", (0, 8.4))
    axis.legend(frameon=False, loc="upper right")
    return figure


def cosine_and_stable() -> Figure:
    """A cosine and a warmup-stable-decay schedule of the same length, and both for a longer run."""
    figure, panels = charts(7.0, 2.7, 1, 2, sharey=True)
    for axis, name in zip(panels, ("cosine", "warmup-stable-decay"), strict=True):
        for total, line, colour in ((STEPS, "-", BLUE), (STEPS * 3 // 2, "--", ORANGE)):
            steps = np.arange(0, total + 1, 100)
            if name == "cosine":
                plain: dict[str, Any] = {
                    "peak_lr": BASE_LR,
                    "final_lr": 0.0,
                    "warmup_steps": WARMUP,
                    "total_steps": total,
                }
                rates, area = [cosine_lr(step=int(step), **plain) for step in steps], cosine_area(**plain)
            else:
                decay = STEPS // 10
                phases = {"warmup_steps": WARMUP, "stable_steps": total - WARMUP - decay, "decay_steps": decay}
                rates = [wsd_lr(step=int(step), peak_lr=BASE_LR, **phases) for step in steps]
                area = wsd_area(peak_lr=BASE_LR, **phases)
            label = f"{total // 1000}k steps, area {area:.1f}"
            axis.plot(steps / 1e3, np.array(rates) * 1e4, color=colour, linestyle=line, label=label)
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("step, thousands")
        axis.set_ylim(0, 4.3)
        axis.legend(frameon=False, loc="upper right", fontsize=8)
    panels[0].set_ylabel("learning rate, 1e-4")
    return figure


def steps_against_data() -> Figure:
    """Steps and data to reach a loss, relative to their minimum, over the batch size relative to the critical one."""
    ratios = np.logspace(-4, 4, 161, base=2)
    steps = [steps_to_target(minimum_steps=1, critical_batch=1, batch=float(ratio)) for ratio in ratios]
    data = [data_to_target(minimum_data=1, critical_batch=1, batch=float(ratio)) for ratio in ratios]
    figure, axis = chart(7.0, 3.0)
    axis.plot(ratios, steps, color=BLUE)
    axis.plot(ratios, data, color=ORANGE, linestyle="--")
    axis.plot(1, 2, color=GREY, marker="o")
    note(axis, "twice the\nminimum", (1, 2), (0, 14), GREY, ha="center")
    note(axis, "steps", (ratios[14], steps[14]), (10, 0), BLUE)
    note(axis, "tokens", (ratios[-15], data[-15]), (-44, 0), ORANGE)
    x_axis(axis, "batch size / critical batch size", ticks=halvings(-4, 4), log=2)
    y_axis(axis, "relative to the minimum", ticks=numbers(1, 2, 4, 8, 16), log=2)
    return figure


def warmup_three_ways() -> Figure:
    """The warmups that three rules give at eight times the batch size, over the tokens seen."""
    factor, base_tokens = 8, BASE_BATCH * 8192 / 1e9
    end = STEPS * base_tokens
    rows = (
        ("the recipe", 1, WARMUP, GREY, "-"),
        ("same tokens", factor, WARMUP / factor, BLUE, "-"),
        ("same steps", factor, WARMUP, GREEN, "--"),
        ("steps × 8", factor, WARMUP * factor, ORANGE, "-."),
    )
    figure, axis = chart(7.0, 2.6)
    for place, (name, batch, steps, colour, line) in enumerate(rows):
        tokens, peak = batch * base_tokens * steps, float(np.sqrt(batch))
        stop = min(end, tokens)
        axis.plot([0, stop, end], [0, peak * stop / tokens, peak * stop / tokens], color=colour, linestyle=line)
        spot = [(22, 1.09), (12, 2.92), (60, 2.6), (126, 0.68)][place]
        axis.text(*spot, f"{name}: {tokens:.3g}B tokens", color=colour)
    axis.axvline(end, color=GREY, lw=1, ls=":")
    caption(axis, end + 2, 0.25, "end of\nthe run", GREY)
    x_axis(axis, "tokens seen", (0, end + 22), {0: "0", 50: "50B", 100: "100B", 150: "150B", 200: "200B"})
    y_axis(axis, "rate / recipe's peak", (0, 3.3))
    return figure


def linear_then_level() -> Figure:
    """Best learning rate of SGD over the batch size in the gradient-noise model, between the linear rule and its maximum."""
    ratios = np.logspace(-5, 5, 101, base=2)
    best = [best_lr(base_lr=0.5, base_batch=1, batch=float(ratio), noise_scale=1) for ratio in ratios]
    figure, axis = chart(7.0, 2.6)
    axis.plot(ratios, best, color=BLUE, lw=2)
    axis.plot(ratios[:56], ratios[:56], color=ORANGE, linestyle="--")
    axis.axhline(1, color=GREY, lw=1, ls=":")
    axis.plot(1, 0.5, color=GREY, marker="o")
    note(axis, "half the maximum", (1, 0.5), (8, -10), GREY)
    note(axis, "linear rule", (ratios[42], ratios[42]), (-8, 4), ORANGE, ha="right")
    note(axis, "maximum", (ratios[2], 1), (0, -11), GREY)
    note(axis, "best learning rate", (ratios[80], best[80]), (0, -14), BLUE)
    x_axis(axis, "batch size / noise scale", ticks=halvings(-5, 5), log=2)
    y_axis(axis, "relative to the maximum", (1 / 48, 2.4), {1 / 32: "1/32", 1 / 8: "1/8", 1 / 2: "1/2", 2: "2"}, log=2)
    return figure
