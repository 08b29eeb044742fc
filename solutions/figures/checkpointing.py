"""Figures of the lesson on checkpoints, failures and restarts."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..checkpointing import checkpoint_interval as interval
from ..checkpointing.checkpoints import checkpoint_bytes, write_seconds
from ..checkpointing.failures import job_mtbf_seconds, node_mtbf_seconds, part_mtbf_seconds
from ..oracles.checkpointing import checkpoint_interval as books
from ..oracles.checkpointing.failures import job_mtbf_seconds as joined_mtbf
from ..oracles.checkpointing.restart_costs import background_failure_seconds, lost_work_seconds
from ..shapes.models import parameters
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, mark, note, x_axis, y_axis

CHAPTER = "11-checkpointing"

HOUR, DAY = 3600, 86400
GPU_MTBF = part_mtbf_seconds(failures=419, parts=16384, observed_s=54 * DAY)  # Llama Team 2024, section 3.3.4
RATES = {"6.50": 6.50, "2.34": 2.34}  # failures per 1000 node-days: Kokolis et al. 2025
STORE = {"Llama-3-8B": 4e9, "Llama-3-405B": 200e9}  # bytes per second, assumed
RUNS = (("Llama-3-8B", 64, BLUE), ("Llama-3-405B", 16384, ORANGE))


def write_of(model: str) -> float:
    """Return the seconds that it takes to write a lean checkpoint of a model to its store."""
    size = checkpoint_bytes(parameters=parameters(model=model), bytes_per_weight=0)
    return write_seconds(checkpoint_bytes=size, nodes=2048, node_bytes_per_s=10e9, store_bytes_per_s=STORE[model])


def mtbf_against_gpus() -> Figure:
    """Draw the MTBF of a job against its GPUs at three published rates, with two published observations."""
    figure, axis = chart(7.2, 3.2)
    gpus = np.logspace(np.log10(8), np.log10(131072), 50)
    lines = [("419 failures of 16,384 H100s in 54 days (Llama 3)", GPU_MTBF, BLUE)]
    for (name, rate), colour in zip(RATES.items(), (ORANGE, GREEN), strict=True):
        node = node_mtbf_seconds(failures_per_1000_node_days=rate)
        lines.append((f"{name} failures per 1,000 node-days, A100", node * 8, colour))
    for row, (name, one, colour) in enumerate(sorted(lines, key=lambda line: -line[1])):
        axis.plot(gpus, one / gpus / HOUR, color=colour, lw=1.6)
        counts = [64, 1024, 16384]
        mark(axis, counts, [joined_mtbf(part_mtbf_s=one, parts=at) / HOUR for at in counts], colour)
        caption(axis, 0.99, 0.95 - 0.09 * row, name, colour, ha="right", va="top", transform=axis.transAxes)
    axis.plot([8, 1024], [47.7 * DAY / HOUR, 7.9], "s", color=GREY, ms=6)  # Kokolis et al. 2025, measured on whole jobs
    note(axis, "measured,\n8 A100s:\n47.7 days", (8, 47.7 * 24), (-3, -8), GREY, fontsize=8, ha="left", va="top")
    note(axis, "measured, 1,024 A100s:\n7.9 h", (1024, 7.9), (-8, -6), GREY, fontsize=8, ha="right", va="top")
    x_axis(axis, "GPUs in the job", ticks={8: "8", 64: "64", 1024: "1,024", 16384: "16,384", 131072: "131,072"}, log=2)
    y_axis(
        axis,
        "time between failures",
        ticks={0.24: "14 min", 1: "1 h", 3: "3 h", 24: "1 day", 168: "1 week", 720: "30 days"},
        log=10,
    )
    return figure


def waste_against_interval() -> Figure:
    """Draw writing, lost work and their sum against the interval, for the running model and a job of 16,384 GPUs."""
    figure, axes = charts(7.2, 3.0, 1, 2)
    for axis, (model, gpus, colour) in zip(axes, RUNS, strict=True):
        _waste(axis, write_of(model), job_mtbf_seconds(part_mtbf_s=GPU_MTBF, parts=gpus), colour)
        axis.set_title(f"{model} on {gpus:,} H100s", color=GREY, fontsize=9)
    x_axis(axes[0], ticks={HOUR: "1 h", 3 * HOUR: "3 h", 10 * HOUR: "10 h", 30 * HOUR: "30 h"})
    y_axis(axes[0], "fraction of the training time", ticks=[0, 0.5, 1, 1.5, 2])
    x_axis(axes[1], ticks={180: "3 min", 600: "10 min", 1800: "30 min", 6000: "100 min"})
    y_axis(axes[1], ticks=[0, 10, 20, 30])
    legend = "checkpoint interval; dashed: writing, dotted: lost work, solid: their sum, dots: the exact model"
    caption(figure, 0.5, -0.05, legend, GREY, ha="center")
    figure.subplots_adjust(wspace=0.25)
    return figure


def _waste(axis: Axes, write: float, mtbf: float, colour: str) -> None:
    best = interval.young_interval_seconds(write_s=write, mtbf_s=mtbf)
    grid = best * np.logspace(-1, 1, 80)
    axis.plot(grid, [100 * write / at for at in grid], color=GREY, lw=1.2, ls="--")
    axis.plot(grid, [100 * at / (2 * mtbf) for at in grid], color=GREY, lw=1.2, ls=":")
    axis.plot(grid, [100 * interval.total_waste(interval_s=float(at), write_s=write, mtbf_s=mtbf) for at in grid], color=colour, lw=2)  # fmt: skip
    dots = grid[::11]
    played = [
        100 * (books.run_seconds(training_s=1, interval_s=float(at), write_s=write, restart_s=0, mtbf_s=mtbf) - 1)
        for at in dots
    ]
    mark(axis, dots, played, colour, size=3.5)
    least = 100 * interval.least_waste(write_s=write, mtbf_s=mtbf)
    note(
        axis,
        f"{least:.2g} % at {best / HOUR:.1f} h" if best > HOUR else f"{least:.2g} % at {best / 60:.0f} min",
        (best, least),
        (0, 24),
        colour,
        ha="center",
        va="bottom",
        fontsize=8,
    )
    x_axis(axis, log=10)
    y_axis(axis, limits=(0, 5.2 * least))
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")


def rules_against_the_optimum() -> Figure:
    """Draw Young's and Daly's intervals over the exact one, against the write time over the MTBF."""
    figure, axis = chart(7.2, 2.7)
    ratios = np.logspace(-4, 0.3, 80)
    rules = (("Young", interval.young_interval_seconds, ORANGE), ("Daly", interval.daly_interval_seconds, BLUE))
    for name, rule, colour in rules:
        over = [
            rule(write_s=float(c), mtbf_s=1) / interval.exact_interval_seconds(write_s=float(c), mtbf_s=1)
            for c in ratios
        ]
        axis.plot(ratios, over, color=colour, lw=2)
        dots = ratios[::13]
        exact = [books.exact_interval_seconds(write_s=float(c), mtbf_s=1) for c in dots]
        mark(
            axis,
            dots,
            [rule(write_s=float(c), mtbf_s=1) / e for c, e in zip(dots, exact, strict=True)],
            colour,
            size=3.5,
        )
        axis.text(ratios[-1] * 1.1, over[-1], name, color=colour, va="center")
    axis.axhline(1, color=GREY, lw=0.8, ls=":")
    x_axis(axis, "write time over the MTBF of the job, C / M", (1e-4, 4), log=10)
    y_axis(axis, "interval over the best interval", (0.9, 2.2))
    return figure


def age_of_the_last_checkpoint() -> Figure:
    """Draw how much work a failure destroys at each moment: with a blocking write, and with a background drain."""
    period, write = 30.0, 8.0  # minutes, chosen to be seen
    figure, (above, below) = charts(7.2, 3.0, 2, 1, sharex=True)
    cycle = period + write
    for start in (0.0, cycle, 2 * cycle):
        above.plot([start, start + cycle], [0, cycle], color=BLUE, lw=2)
        above.axvspan(start + period, start + cycle, color=GREY, alpha=0.25, lw=0)
    for start in (0.0, period, 2 * period, 3 * period):
        below.plot([start, start + write], [period, period + write], color=ORANGE, lw=2)
        below.plot([start + write, start + period], [write, period], color=ORANGE, lw=2)
        below.axvspan(start, start + write, color=ORANGE, alpha=0.2, lw=0)
    means = (
        (above, BLUE, lost_work_seconds(interval_s=period, write_s=write), "training stops for the write (grey)"),
        (
            below,
            ORANGE,
            background_failure_seconds(period_s=period, drain_s=write),
            "training continues during the drain",
        ),
    )
    for axis, colour, mean, name in means:
        axis.axhline(mean, color=colour, lw=1, ls="--")
        caption(axis, 115, mean, f" mean {mean:.0f} min", colour, va="center")
        axis.set_title(name, color=colour, fontsize=9, loc="left")
        x_axis(axis, limits=(0, 114))
        y_axis(axis, limits=(0, 42), ticks=[0, 20, 40])
    below.set_xlabel("minutes of wall time")
    figure.text(0.04, 0.5, "minutes lost in a failure", color=GREY, rotation=90, va="center", ha="center")
    figure.subplots_adjust(hspace=0.45)
    return figure
