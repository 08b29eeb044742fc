"""The figures of the lesson on layouts."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from ..communication import axis_traffic
from ..facts import hardware
from ..interactive import layer_shape
from ..layout import rank_grid
from ..oracles.pipeline.pipeline import bubble_idle_fraction as played_idle_fraction
from ..pipeline.pipeline import bubble_idle_fraction
from ..planner.judging import Batch, Cluster, Layout, named_model, plan
from ..planner.memory import STATES
from ..roofline.roofline import ridge_point
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, mark, middles, name_rows, numbers, write_in, x_axis, y_axis

CHAPTER = "15-layout"

STAGES = (BLUE, ORANGE, GREEN, GREY)
GRID: dict[str, Any] = {"tp": 4, "cp": 1, "pp": 4, "dp": 4}
NODE = 8
NVLINK, PORT = 450e9, 50e9  # H100, one direction
RUN_405B: dict[str, Any] = {"micro_batches": 16, "stage_layers": 8, "tp": 8}


def ranks_in_two_orders() -> Figure:
    """64 GPUs in 8 nodes, numbered in two orders; colours are pipeline stages, the rings are a data-parallel group."""
    figure, (left, right) = charts(7.2, 3.1, 1, 2)
    for axis, order, name in (
        (left, "tp-cp-pp-dp", "DP outermost"),
        (right, "tp-cp-dp-pp", "PP outermost"),
    ):
        _ranks(axis, order)
        axis.set_title(name, color=GREY, fontsize=9)
    for stage, colour in enumerate(STAGES):
        caption(figure, 0.27 + 0.15 * stage, -0.07, f"■ stage {stage}", colour, ha="center")
    caption(figure, 0.5, -0.13, "number: replica    ring: ranks that sum the same gradients", GREY, ha="center")
    return figure


def _ranks(axis: Axes, order: str) -> None:
    gpus = GRID["tp"] * GRID["cp"] * GRID["pp"] * GRID["dp"]
    same = set(rank_grid.group(rank=0, axis="dp", order=order, **GRID))
    for rank in range(gpus):
        x, y = rank // NODE, rank % NODE
        stage = rank_grid.place(rank=rank, axis="pp", order=order, **GRID)
        replica = rank_grid.place(rank=rank, axis="dp", order=order, **GRID)
        axis.add_patch(Rectangle((x + 0.06, y + 0.06), 0.88, 0.88, facecolor=STAGES[stage], lw=0))
        if rank in same:
            axis.add_patch(Ellipse((x + 0.5, y + 0.5), 0.62, 0.72, fill=False, edgecolor="white", lw=1.4))
        write_in(axis, x + 0.5, y + 0.5, str(replica), fontsize=7)
    x_axis(axis, "node", (0, gpus // NODE), middles(map(str, range(gpus // NODE))))
    y_axis(axis, limits=(NODE, 0), ticks=[])
    axis.tick_params(length=0)
    for side in ("left", "bottom"):
        axis.spines[side].set_visible(False)


def what_the_axes_send() -> Figure:
    """Gigabytes that a GPU of the 405B run sends per step on each axis at 128K, and the time on two links."""
    shape = layer_shape("Llama-3-405B")
    hidden, head_width = shape["hidden"], shape["hidden"] // shape["heads"]
    length = {"sequence_length": 131072, "cp": 16}
    rows = {
        "TP 8": axis_traffic.tp_step_bytes(**RUN_405B, **length, hidden=hidden),
        "CP 16": axis_traffic.cp_step_bytes(**RUN_405B, **length, kv_heads=shape["kv_heads"], head_width=head_width),
        "DP 8": axis_traffic.dp_step_bytes(stage_layers=8, tp=8, cp=16, dp=8, **shape),
        "PP 16": axis_traffic.pp_step_bytes(micro_batches=16, tp=8, **length, hidden=hidden),
    }
    figure, axis = chart(7.2, 2.4)
    for place, (name, sent) in enumerate(rows.items()):
        colour = ORANGE if name.startswith(("TP", "CP")) else BLUE
        axis.barh(place, sent / 1e9, color=colour, height=0.6)
        times = f"{sent / 1e9:.3g} GB: {_seconds(sent / NVLINK)} over NVLink, {_seconds(sent / PORT)} over a port"
        caption(axis, sent / 1e9 * 1.12, place, times, GREY, va="center")
    x_axis(
        axis,
        "GB that one GPU sends per step (405B, 131,072 tokens, 16 micro-batches)",
        (0.5, 100000),
        {1: "1", 10: "10", 100: "100", 1000: "1000"},
        log=10,
    )
    name_rows(axis, rows)
    caption(figure, 0.3, -0.16, "■ a layer waits for it", ORANGE, ha="center")
    caption(figure, 0.66, -0.16, "■ rare, or overlapped", BLUE, ha="center")
    return figure


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value >= 0.1 else f"{value * 1e3:.2g} ms"


def a_batch_that_is_given() -> Figure:
    """Idle fraction of a 16-stage pipeline against the number of GPUs, at 2,048 sequences per step; dots are simulated."""
    figure, axis = chart(7.2, 2.9)
    sequences, tp, pp = 2048, 8, 16
    gpus = [tp * pp * dp for dp in (4, 8, 16, 32, 64, 128)]
    for virtual, colour, name in (
        (1, ORANGE, "plain 1F1B"),
        (2, BLUE, "2 virtual stages"),
        (4, GREEN, "4 virtual stages"),
    ):
        counts = [sequences * tp * pp // n for n in gpus]
        idle = [100 * bubble_idle_fraction(stages=pp, micro_batches=m, virtual_stages=virtual) for m in counts]
        axis.plot(gpus, idle, color=colour, lw=2)
        played = [
            100 * played_idle_fraction(stages=pp, micro_batches=m, virtual_stages=virtual) for m in counts if m <= 128
        ]
        mark(axis, gpus[-len(played) :], played, colour)
        caption(axis, gpus[-1] * 1.06, idle[-1], f"{name}: {idle[-1]:.0f} %", colour, va="center")
    x_axis(
        axis,
        "GPUs, and micro-batches per replica",
        (gpus[0] * 0.9, gpus[-1] * 2.2),
        {n: f"{n:,}\nm = {sequences * tp * pp // n}" for n in gpus},
        fontsize=8,
        log=2,
    )
    y_axis(axis, "bubble idle fraction", (0, 55), numbers(0, 10, 20, 30, 40, 50, unit=" %"))
    return figure


def memory_of_layouts() -> Figure:
    """Memory per GPU and relative step time of Llama-3-8B on 64 H100 under five layouts."""
    figure, axis = chart(7.2, 3.0)
    layouts = {
        "DP 64\nZeRO-1": Layout(dp=64, gradient_bytes=4),
        "DP 64\nZeRO-3": Layout(dp=64, zero=3, gradient_bytes=4),
        "TP 2, DP 32\nZeRO-1": Layout(tp=2, dp=32, gradient_bytes=4),
        "PP 4, DP 16\nZeRO-1": Layout(pp=4, dp=16, gradient_bytes=4),
        "TP 8, DP 8\nZeRO-1": Layout(tp=8, dp=8, gradient_bytes=4),
    }
    model, cluster, batch = named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Batch(512, 8192)
    plans = {name: plan(model, cluster, layout, batch) for name, layout in layouts.items()}
    room = hardware.memory_bytes(accelerator="H100-80GB")
    needed = {name: sum(size for part, size in p.memory.items() if part != "cache") for name, p in plans.items()}
    shortest = min(p.step_s for name, p in plans.items() if needed[name] <= room)
    for place, (name, planned) in enumerate(plans.items()):
        states = sum(planned.memory[part] for part in STATES)
        bottom = 0.0
        for colour, size in (
            (BLUE, states),
            (ORANGE, planned.memory["activations"]),
            (GREY, needed[name] - states - planned.memory["activations"]),
        ):
            axis.bar(place, size / 1e9, bottom=bottom / 1e9, color=colour, width=0.6)
            bottom += size
        words = f"step × {planned.step_s / shortest:.2f}" if needed[name] <= room else "does not fit"
        caption(axis, place, bottom / 1e9 + 2, words, GREY, ha="center")
    axis.axhline(room / 1e9, color=GREY, lw=1, ls=":")
    caption(axis, len(layouts) - 0.62, room / 1e9 + 1, "80 GB", GREY, va="bottom")
    x_axis(axis, limits=(-0.5, len(layouts) - 0.2), ticks=dict(enumerate(layouts)), fontsize=8)
    y_axis(axis, "GB per GPU")
    axis.tick_params(axis="x", length=0)
    for place, (colour, text) in enumerate(
        ((BLUE, "model states"), (ORANGE, "activations"), (GREY, "logits, buffers, context"))
    ):
        caption(figure, 0.28 + 0.24 * place, -0.06, f"■ {text}", colour, ha="center")
    return figure


def flop_for_a_byte() -> Figure:
    """FLOP that a GPU computes at its dense peak while it sends one byte, over NVLink and over a port, by generation."""
    figure, axis = chart(7.2, 2.6)
    generations = (
        ("V100\nFP16", "V100-32GB", "fp16", "EDR"),
        ("A100\nBF16", "A100-80GB", "bf16", "HDR"),
        ("H100\nBF16", "H100-80GB", "bf16", "NDR"),
        ("H100\nFP8", "H100-80GB", "fp8", "NDR"),
        ("B200\nBF16", "B200-180GB", "bf16", "XDR"),
        ("B200\nFP8", "B200-180GB", "fp8", "XDR"),
    )
    for place, (_, chip, number_format, port) in enumerate(generations):
        peak = hardware.peak_flop_per_s(accelerator=chip, number_format=number_format)
        for shift, colour, rate in (
            (-0.2, BLUE, hardware.nvlink_bytes_per_s(accelerator=chip) / 2),
            (0.2, ORANGE, hardware.link_bytes_per_s(link=port)),
        ):
            needed = ridge_point(peak_flop_per_s=peak, memory_bytes_per_s=rate)
            axis.bar(place + shift, needed, color=colour, width=0.36)
            axis.text(place + shift, needed * 1.1, f"{needed:,.0f}", color=GREY, ha="center", fontsize=7)
    x_axis(axis, ticks=dict(enumerate(name for name, *_ in generations)), fontsize=8)
    y_axis(axis, "FLOP per byte sent", (300, 200000), log=10)
    axis.tick_params(axis="x", length=0)
    caption(figure, 0.36, -0.06, "■ over NVLink, per direction", BLUE, ha="center")
    caption(figure, 0.68, -0.06, "■ over a port: EDR, HDR, NDR, XDR", ORANGE, ha="center")
    return figure
