"""The figures of the lesson on mixed precision."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from ..oracles.precision.loss_scaling import gradients_that_grow, play_scaler
from ..precision.formats import largest, smallest_normal, smallest_subnormal, spacing
from ..precision.loss_scaling import largest_safe_scale, smallest_rescuing_scale
from ..precision.precision_memory import RECIPES
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import chart, name_rows, stack_rows, write_in, x_axis, y_axis

CHAPTER = "09-mixed-precision"


def ranges_of_the_formats() -> Figure:
    """Draw the range of each format, from its smallest positive number to its largest; subnormal numbers in orange."""
    figure, axis = chart(7, 2.7)
    names = ("BF16", "FP16", "E5M2", "E4M3")
    left_end, right_end = 1e-13, 1e7
    for place, name in enumerate(names):
        low, normal, top = (
            max(math.log10(fact(number_format=name)), math.log10(left_end))
            for fact in (smallest_subnormal, smallest_normal, largest)
        )
        top = min(top, math.log10(right_end))
        axis.barh(place, normal - low, left=low, height=0.5, color=ORANGE, edgecolor="none")
        axis.barh(place, top - normal, left=normal, height=0.5, color=BLUE, edgecolor="none")
        if name == "BF16":
            write_in(axis, -3, place, "9.2e-41 to 3.4e38, the range of FP32")
            continue
        axis.text(low - 0.15, place, f"{smallest_subnormal(number_format=name):.1e}", ha="right", va="center")
        axis.text(top + 0.15, place, f"{largest(number_format=name):.0f}", ha="left", va="center")
        axis.text(normal + 0.12, place, f"{smallest_normal(number_format=name):.1e}", color="white", va="center")
    ticks = range(-12, 7, 3)
    x_axis(
        axis,
        "magnitude (orange: subnormal numbers, with reduced precision)",
        (math.log10(left_end), math.log10(right_end)),
        {tick: f"$10^{{{tick}}}$" for tick in ticks},
    )
    name_rows(axis, names)
    return figure


def scaler_at_work() -> Figure:
    """Draw a simulated scaler while gradients grow: its scale, the overflows, and the scales that lose nothing."""
    figure, axis = chart(7, 3)
    steps = 2950
    level, peaks = gradients_that_grow(steps=steps, times=math.exp(2.2))
    scales, skipped = play_scaler(peaks, initial_scale=2.0**16, growth_interval=200)
    overflows = [(step, scales[step]) for step in skipped]
    ceiling = [largest_safe_scale(gradient=float(peak)) for peak in level]
    floor = smallest_rescuing_scale(gradient=1.2e-11)
    axis.fill_between(range(steps), floor, ceiling, color=GREEN, alpha=0.18, lw=0, step="post")
    axis.text(20, floor * 1.25, "scales that lose nothing", color=GREEN, va="bottom")
    axis.step(range(steps), scales, color=BLUE, lw=1.6, where="post", label="loss scale")
    axis.plot(*zip(*overflows, strict=True), ls="", marker="x", color=ORANGE, ms=5, label="overflow, step skipped")
    x_axis(axis, "step (growth interval 200)", (0, steps))
    y_axis(axis, "scale", (2**10, 2**19), log=2)
    axis.legend(frameon=False, loc="lower right", ncols=2)
    return figure


def spacing_of_the_formats() -> Figure:
    """Draw half the distance to the next number, which an update must exceed, against the magnitude of a weight."""
    figure, axis = chart(7, 3)
    weights = np.geomspace(1e-3, 0.999, 1200)
    for name, colour in (("E4M3", GREEN), ("BF16", ORANGE), ("FP16", BLUE)):
        half = np.array([spacing(value=float(weight), number_format=name) / 2 for weight in weights])
        axis.loglog(weights, half, color=colour, lw=1.8)
        axis.text(1.05, half[-1], name, color=colour, va="center")
    update = 1e-4
    axis.axhline(update, color=GREY, lw=1, ls="--")
    axis.text(1.05e-3, update * 0.8, "an update of 1e-4", va="top")
    moved = weights[[spacing(value=float(w), number_format="BF16") / 2 < update for w in weights]].max()
    axis.annotate(f"BF16 weights above {moved:.2f}\nno longer change",
                  (moved, update), (moved * 1.9, update / 90), color=ORANGE,
                  arrowprops={"arrowstyle": "->", "color": ORANGE})  # fmt: skip
    x_axis(axis, "magnitude of the weight", (1e-3, 1))
    y_axis(axis, "half the distance\nto the next number")
    axis.minorticks_off()
    return figure


def bytes_of_the_recipes() -> Figure:
    """Draw the bytes per parameter of each recipe, tensor by tensor."""
    figure, axis = chart(7, 3)
    shown = (
        "FP32",
        "mixed precision",
        "mixed precision, FP32 gradients",
        "DeepSeek-V3",
        "8-bit Adam",
        "pure BF16",
        "FP8-LM",
    )
    kinds = (("weights", BLUE, ("weight",)), ("gradients", ORANGE, ("gradient",)), ("master copy", GREY, ("master",)),
             ("two moments", GREEN, ("first_moment", "second_moment")))  # fmt: skip
    sizes = [
        (label, colour, [sum(getattr(RECIPES[name], field) for field in fields) for name in shown])
        for label, colour, fields in kinds
    ]
    names = (name.replace(", ", ",\n") for name in shown)
    stack_rows(axis, names, sizes, total="{:g}", gap=0.2, part="{:g}")
    x_axis(axis, "bytes per parameter", (0, 20), range(0, 21, 4))
    axis.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=4)
    return figure
