"""Figures of the lesson on mixtures of experts."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..experts.expert_capacity import dropped_copies, load_imbalance
from ..experts.expert_memory import expert_replicas
from ..experts.expert_traffic import exchange_over_compute, expected_nodes, thinnest_expert
from ..oracles.experts.expert_capacity import EXAMPLE_LOADS as LOADS
from ..oracles.experts.expert_capacity import dropped_copies as turned_away
from ..oracles.experts.expert_memory import expert_replicas as counted_replicas
from ..oracles.experts.expert_traffic import exchange_over_compute as played_ratio
from ..oracles.experts.expert_traffic import expected_nodes as counted_nodes
from ..oracles.shapes.moe import model_active_parameters
from ..shapes import models
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, kilos, mark, note, numbers, percents, x_axis, y_axis

CHAPTER = "12-expert-parallelism"

DENSE = ("Llama-3-8B", "Llama-2-13B", "Llama-3-70B", "Llama-3-405B")
MIXTURES = {
    "Mixtral-8x7B": (0, 9, "center"),
    "Mixtral-8x22B": (-7, 0, "right"),
    "DeepSeek-V3": (-7, 0, "right"),
    "DeepSeek-V2": (0, -13, "center"),
    "Qwen3-30B-A3B": (7, 3, "left"),
    "Qwen3-235B-A22B": (7, 3, "left"),
    "GPT-OSS-20B": (-7, 0, "right"),
    "GPT-OSS-120B": (7, 0, "left"),
}


def weights_against_work() -> Figure:
    """Draw the parameters a token uses against all parameters, for dense models and mixtures, counted by tensor."""
    figure, axis = chart(7.2, 3.4)
    line = np.array([2.0, 800.0])
    axis.plot(line, line, color=GREY, lw=0.8, ls=":")
    caption(axis, 118, 165, "all parameters used", GREY, ha="right")
    for name in DENSE:
        parameters = models.parameters(model=name) / 1e9
        axis.plot(parameters, parameters, "s", color=GREY, ms=5)
        note(axis, name, (parameters, parameters), (8, -7), GREY, fontsize=8, ha="left")
    for name, (right, up, side) in MIXTURES.items():
        total = models.parameters(model=name) / 1e9
        active = model_active_parameters(model=name) / 1e9
        colour = BLUE if models.experts(model=name) == 8 else ORANGE
        mark(axis, total, active, colour, size=5)
        note(axis, name, (total, active), (right, up), colour, fontsize=8, ha=side, va="center")
    x_axis(axis, "all parameters, in billions", (4, 900), numbers(5, 10, 20, 50, 100, 200, 500), log=10)
    y_axis(axis, "used by a token, in billions", (2.4, 560), numbers(3, 10, 30, 100, 300), log=10)
    return figure


def dropped_and_empty() -> Figure:
    """Draw an uneven batch over eight experts: the loads, and what a capacity factor drops and leaves empty."""
    figure, (bars, axis) = charts(7.2, 2.9, 1, 2, width_ratios=[1, 1.35])
    mean = sum(LOADS) / len(LOADS)
    room = 1.25 * mean
    bars.bar(range(8), [min(load, room) for load in LOADS], color=BLUE, width=0.7, edgecolor="none")
    bars.bar(range(8), [max(0, load - room) for load in LOADS], bottom=room, color=ORANGE, width=0.7, edgecolor="none")
    bars.bar(range(8), [max(0, room - load) for load in LOADS], bottom=LOADS, color=GREY, width=0.7, edgecolor="none")
    for height, text in ((mean, "mean"), (room, "capacity: 1.25\ntimes the mean")):
        bars.axhline(height, color=GREY, lw=0.8, ls=":")
        caption(bars, 7.7, height, text, GREY, va="center")
    x_axis(bars, "expert", (-0.6, 7.6), range(8))
    y_axis(bars, "copies routed to it", (0, 1.04 * max(LOADS)))
    factors = np.arange(1, 2.6, 0.01)
    dropped = [dropped_copies(loads=LOADS, capacity_factor=float(f)) / sum(LOADS) for f in factors]
    empty = [1 - (1 - share) / f for share, f in zip(dropped, factors, strict=True)]
    axis.plot(factors, dropped, color=ORANGE, lw=2)
    axis.plot(factors, empty, color=GREY, lw=2)
    for factor in (1, 1.25, 1.5, 2):
        share = turned_away(loads=LOADS, capacity_factor=factor) / sum(LOADS)
        mark(axis, factor, share, ORANGE)
        mark(axis, factor, 1 - (1 - share) / factor, GREY)
    axis.axvline(load_imbalance(loads=LOADS), color=GREY, lw=0.8, ls=":")
    caption(axis, load_imbalance(loads=LOADS) + 0.03, 0.04, "largest load\nover mean", GREY)
    caption(axis, 1.02, 0.02, "copies dropped", ORANGE)
    caption(axis, 1.53, 0.45, "slots empty", GREY, ha="right")
    x_axis(axis, "capacity factor")
    y_axis(axis, limits=(0, 0.62), ticks=percents(0, 0.2, 0.4, 0.6))
    figure.subplots_adjust(wspace=0.55)
    return figure


def who_holds_what() -> Figure:
    """Draw eight GPUs with expert parallelism over four: which hold the same weights, and what they exchange."""
    figure, axis = chart(7.2, 2.7)
    gpus, ep, experts = 8, 4, 8
    assert counted_replicas(dp=gpus, ep=ep) == expert_replicas(dp=gpus, ep=ep)
    colours = (BLUE, ORANGE, GREEN, GREY)
    held = experts // ep
    for gpu in range(gpus):
        left = gpu * 1.1 + (0.5 if gpu >= ep else 0)
        _box(axis, left, 1.3, "attention,\nrouter", GREY, filled=False)
        shard = gpu % ep
        names = ", ".join(str(shard * held + place) for place in range(held))
        _box(axis, left, 0.45, f"experts\n{names}", colours[shard], filled=True)
        caption(axis, left + 0.5, 2.2, f"GPU {gpu}", GREY, ha="center")
    for group in range(gpus // ep):
        left = group * (ep * 1.1 + 0.5)
        axis.plot([left, left + ep * 1.1 - 0.1], [0.3, 0.3], color=GREY, lw=1.5)
        caption(axis, left + ep * 0.55 - 0.05, 0.1, "tokens: all-to-all within this group", GREY, ha="center", va="top")
    caption(axis, 4.6, 2.75, "gradients outside the experts: summed over all 8 GPUs", GREY, ha="center")
    caption(axis, 4.6, -0.55, f"gradients of an expert: over the {gpus // ep} GPUs of its colour", BLUE, ha="center")
    axis.set_xlim(-0.1, 9.4)
    axis.set_ylim(-0.75, 3.0)
    axis.axis("off")
    return figure


def _box(axis: Axes, left: float, bottom: float, text: str, colour: str, *, filled: bool) -> None:
    axis.add_patch(Rectangle((left, bottom), 1, 0.75, facecolor=colour if filled else "none", edgecolor=colour, lw=1.2))
    caption(axis, left + 0.5, bottom + 0.375, text, "white" if filled else colour, ha="center", va="center")


def nodes_that_a_token_needs() -> Figure:
    """Draw how many nodes hold the experts of a token, against its experts, for 256 experts on 2 to 16 nodes."""
    figure, axis = chart(7.2, 2.9)
    chosen = range(1, 17)
    axis.plot(chosen, chosen, color=GREY, lw=0.8, ls=":")
    caption(axis, 7.2, 8.4, "one copy per expert", GREY, ha="right")
    for nodes, colour in ((2, GREY), (4, GREEN), (8, BLUE), (16, ORANGE)):
        met = [expected_nodes(experts=256, experts_per_token=k, nodes=nodes) for k in chosen]
        axis.plot(chosen, met, color=colour, lw=2)
        for k in (2, 8, 16):
            counted = counted_nodes(experts=256, experts_per_token=k, nodes=nodes)
            mark(axis, k, counted, colour)
        caption(axis, 16.3, met[-1], f"{nodes} nodes", colour, va="center")
    x_axis(axis, "experts per token, out of 256", (0.6, 18), [1, 2, 4, 8, 12, 16])
    y_axis(axis, "nodes that the token needs", (0, 11))
    return figure


def exchange_against_width() -> Figure:
    """Draw exchange over compute against the inner width of an expert, for NVLink and for a network port."""
    figure, axis = chart(7.2, 3.2)
    widths = np.geomspace(512, 40000, 80)
    links = {"one port of 50 GB/s, 64 GPUs": (64, 50e9, ORANGE), "NVLink at 360 GB/s, 8 GPUs": (8, 360e9, BLUE)}
    for label, (ep, rate, colour) in links.items():
        ratio = partial(exchange_over_compute, ep=ep, flop_per_s=400e12, bytes_per_s=rate)
        axis.plot(widths, [ratio(expert_ffn_hidden=round(width)) for width in widths], color=colour, lw=2)
        for name in ("Qwen3-30B-A3B", "DeepSeek-V3", "Mixtral-8x7B"):
            width = models.expert_ffn_hidden(model=name)
            mark(axis, width, played_ratio(expert_ffn_hidden=width, ep=ep, flop_per_s=400e12, bytes_per_s=rate), colour)
        even = thinnest_expert(ep=ep, flop_per_s=400e12, bytes_per_s=rate, largest_ratio=1)
        note(axis, f"{label}\n1 at width {even:,}", (even, 1), (8, 10) if ep == 64 else (-20, -62), colour, fontsize=8)
    for name in ("Qwen3-30B-A3B", "DeepSeek-V3", "Mixtral-8x7B"):
        width = models.expert_ffn_hidden(model=name)
        axis.axvline(width, color=GREY, lw=0.6, ls=":")
        caption(axis, width * 1.04, 13, name, GREY)
    axis.axhline(1, color=GREY, lw=0.8)
    x_axis(axis, "inner width of an expert", (512, 40000), kilos(512, 1024, 2048, 4096, 8192, 16384, 32768), log=10)
    y_axis(axis, "exchange over compute", (0.024, 20), numbers(0.03, 0.1, 0.3, 1, 3, 10), log=10)
    return figure
