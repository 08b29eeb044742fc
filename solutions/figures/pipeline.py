"""The figures of the lesson on pipeline parallelism, drawn from simulated steps."""

from __future__ import annotations

from matplotlib.figure import Figure

from ..interactive.pipeline import play_step
from ..oracles.pipeline.pipeline import Played, play, play_orders
from ..oracles.pipeline.pipeline import bubble_idle_fraction as played_idle_fraction
from ..oracles.pipeline.schedules import gpipe, schedule, zb_h1, zb_h2
from ..pipeline.pipeline import bubble_idle_fraction
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import chart, charts, mark, name_rows, note, numbers, write_in, x_axis, y_axis

CHAPTER = "07-pipeline-parallelism"

STAGES, MICRO_BATCHES = 4, 8
COLOURS = {"F": BLUE, "B": ORANGE, "W": GREEN}


def _four_steps() -> dict[str, Played]:
    """Simulate the four schedules, with F, B and W equally long."""
    names = {"GPipe": "GPipe", "1F1B": "1F1B", "interleaved, v = 2": "interleaved", "ZB-H1": "ZB-H1"}
    return {
        name: play_step(schedule=schedule, stages=STAGES, micro_batches=MICRO_BATCHES, virtual_stages=2)
        for name, schedule in names.items()
    }


def four_schedules() -> Figure:
    """Draw four schedules of the same work on one time axis."""
    steps = _four_steps()
    figure, axes = charts(7.0, 6.6, len(steps), 1, sharex=True)
    longest = max(float(step.ticks) for step in steps.values())
    for axis, (name, step) in zip(axes, steps.items(), strict=True):
        for span in step.operations:
            start, width = float(span.start), float(span.end - span.start)
            height = 0.86 if span.chunk == 0 else 0.5  # the second chunk of a stage is drawn lower
            axis.barh(
                span.rank, width - 0.12, left=start + 0.06, height=height, color=COLOURS[span.kind], edgecolor="none"
            )
            write_in(axis, start + width / 2, span.rank, str(span.micro_batch + 1), fontsize=6 if width > 1 else 5)
        end = float(step.ticks)
        held = step.peak_held(0) / (2 if "interleaved" in name else 1)
        axis.axvline(end, color=GREY, lw=1, ls="--")
        axis.set_title(f"{name}: {end / 6:.4g} micro-batches long, stage 0 holds {held:g}", fontsize=9, loc="left")
        axis.set_yticks(range(STAGES), [f"stage {rank}" for rank in range(STAGES)], fontsize=7)
        axis.invert_yaxis()
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
        if axis is not axes[-1]:
            axis.spines["bottom"].set_visible(False)
            axis.tick_params(axis="x", length=0)
        axis.set_xlim(0, longest + 0.5)
    x_axis(
        axes[-1],
        "time, in units of one micro-batch (forward and backward) on one stage",
        ticks={6 * count: str(count) for count in range(12)},
    )
    for place, (word, colour) in enumerate((("forward", BLUE), ("backward", ORANGE), ("weight gradient", GREEN))):
        axes[0].annotate(word, (40 + 9.5 * place, -1.55), color=colour, annotation_clip=False, fontsize=9)
    figure.subplots_adjust(hspace=0.32)
    return figure


def in_flight_by_stage() -> Figure:
    """Draw the peak micro-batches in flight on each of eight stages, under five schedules."""
    stages, micro_batches = 8, 24
    ranks = range(stages)
    one: dict[str, Played] = {
        "GPipe": play_orders([gpipe(r, stages, micro_batches) for r in ranks], [{"F": 1, "B": 2}] * stages),
        "ZB-H2": play_orders([zb_h2(r, stages, micro_batches) for r in ranks], [{"F": 1, "B": 1, "W": 1}] * stages),
        "interleaved, v = 2": play(stages, micro_batches, 2),
        "1F1B": play(stages, micro_batches),
        "ZB-H1": play_orders([zb_h1(r, stages, micro_batches) for r in ranks], [{"F": 1, "B": 1, "W": 1}] * stages),
    }
    figure, axis = chart(7.0, 3.0)
    styles = {
        "GPipe": (GREY, "-"), "ZB-H2": (GREEN, "-"), "interleaved, v = 2": (ORANGE, "-"), "1F1B": (BLUE, "-"),
        "ZB-H1": (GREEN, "--"),
    }  # fmt: skip
    for name, step in one.items():
        chunks = 2 if "interleaved" in name else 1
        held = [step.peak_held(rank) / chunks for rank in ranks]
        colour, line = styles[name]
        axis.plot(list(ranks), held, line, color=colour, lw=2, marker="o", ms=4)
        note(axis, name, (stages - 1, held[-1]), (8, 0), colour, va="center")
    x_axis(axis, f"stage ({stages} stages, {micro_batches} micro-batches)", (-0.2, stages + 1.2), list(ranks))
    y_axis(axis, "peak micro-batches in flight", (0, 26))
    return figure


def idle_against_micro_batches() -> Figure:
    """Draw the idle fraction of eight stages against micro-batches, for v = 1, 2 and 4: formula and simulation."""
    stages = 8
    grid, dots = range(8, 97), [8, 16, 24, 40, 56, 72, 96]
    figure, axis = chart(7.0, 2.9)
    for virtual_stages, colour in ((1, BLUE), (2, ORANGE), (4, GREEN)):
        shape = {"stages": stages, "virtual_stages": virtual_stages}
        idle = [100 * bubble_idle_fraction(micro_batches=count, **shape) for count in grid]
        axis.plot(list(grid), idle, color=colour, lw=2)
        mark(axis, dots, [100 * played_idle_fraction(micro_batches=m, **shape) for m in dots], colour, size=5)
        note(axis, f"v = {virtual_stages}", (24, idle[16]), (4, 5), colour)
    axis.axhline(5, color=GREY, lw=1, ls="--")
    axis.text(8.4, 5.8, "5 %", color=GREY)
    x_axis(axis, f"micro-batches per step ({stages} stages)", (6, 101), dots)
    y_axis(axis, "bubble idle fraction", (0, 50), numbers(0, 10, 20, 30, 40, 50, unit=" %"))
    return figure


def two_lines_played() -> Figure:
    """Draw 1F1B on two stages with four micro-batches, as the feedback does, and label each wait."""
    orders = [schedule(rank, 2, 4, 1) for rank in range(2)]
    step = play_orders(orders, [{"F": 1, "B": 2}] * 2)
    figure, axis = chart(7.0, 1.5)
    free = [0.0, 0.0]
    for span in step.operations:
        start, end, name = float(span.start), float(span.end), f"{span.kind}{span.micro_batch + 1}"
        axis.barh(span.rank, end - start - 0.08, left=start + 0.04, height=0.8, color=COLOURS[span.kind])
        write_in(axis, (start + end) / 2, span.rank, name, fontsize=9)
        if start > free[span.rank]:
            waits = f"waits\nfor {name}"
            axis.text((free[span.rank] + start) / 2, span.rank, waits, color=GREY, ha="center", va="center", fontsize=7)
        free[span.rank] = end
    axis.spines["left"].set_visible(False)
    x_axis(axis, "slots", (0, float(step.ticks)), range(0, 16, 3))
    name_rows(axis, ["stage 1", "stage 2"])
    return figure
