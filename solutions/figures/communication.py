"""The figures of the lesson on communication and overlap."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from ..communication.collectives import double_tree_seconds
from ..communication.hierarchy import pod_uplink_bytes_per_s, sharded_seconds
from ..communication.overlap import best_buckets, bucketed_tail_seconds
from ..facts.hardware import link_bytes_per_s, nvlink_bytes_per_s
from ..oracles.communication.collectives import Contents, contents
from ..oracles.communication.overlap import Span, play_backward
from ..ring.ring import all_reduce_seconds
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, write_in, x_axis, y_axis

CHAPTER = "05-communication-and-overlap"
RANKS = (BLUE, ORANGE, GREEN)
NVLINK = nvlink_bytes_per_s(accelerator="H100-80GB") / 2
PORT = link_bytes_per_s(link="NDR")


def collectives_on_three_gpus() -> Figure:
    """What three GPUs hold before and after each collective: a colour for each GPU's values, stripes of all for a sum."""
    shown = ("broadcast", "reduce", "all-gather", "reduce-scatter", "all-reduce", "all-to-all")
    figure = Figure(figsize=(7.6, 2.9))
    for axis, name in zip(figure.subplots(2, 3).flat, shown, strict=True):
        before, after = contents(name, 3)
        _board(axis, before, 0.0, name == "all-to-all")
        _board(axis, after, 4.6, name == "all-to-all")
        axis.annotate("", (4.35, 1.5), (3.25, 1.5), arrowprops={"arrowstyle": "->", "color": GREY})
        axis.set_title(name, fontsize=9, color=GREY)
        axis.set_xlim(-1.5, 7.7)
        axis.set_ylim(3.1, -0.1)
        axis.set_aspect("equal")
        axis.axis("off")
    return figure


def _board(axis: Axes, held: Contents, left: float, addressed: bool) -> None:
    for rank, row in enumerate(held):
        if left == 0:
            axis.text(-0.15, rank + 0.5, f"GPU {rank}", ha="right", va="center", fontsize=6.5)
        for place, values in enumerate(row):
            for number, origin in enumerate(sorted(values)):
                share = 0.86 / len(values)
                part = rank if addressed and left else place  # which part of its owner's it is
                axis.add_patch(
                    FancyBboxPatch(
                        (left + place + 0.07, rank + 0.07 + number * share), 0.86, share,
                        boxstyle="square,pad=0", facecolor=RANKS[origin], edgecolor="none",
                    )
                )  # fmt: skip
                if len(values) == 1:
                    write_in(axis, left + place + 0.5, rank + 0.5, str(part), fontsize=7)
            if not values:
                axis.text(left + place + 0.5, rank + 0.5, "·", ha="center", va="center")


def links_of_a_cluster() -> Figure:
    """GPUs in nodes, nodes in pods, and what each level carries in one direction."""
    figure, axis = chart(7.6, 3.0)
    for server in range(2):
        left = server * 5.3
        axis.add_patch(
            FancyBboxPatch((left, 0), 4.7, 1.55, boxstyle="round,pad=0.08", fill=False, edgecolor=BLUE, lw=1.4)
        )
        for gpu in range(8):
            x = left + 0.3 + gpu * 0.585
            axis.add_patch(
                FancyBboxPatch((x - 0.2, 0.1), 0.4, 0.42, boxstyle="round,pad=0.03", facecolor=BLUE, edgecolor="none")
            )
            write_in(axis, x, 0.31, str(gpu), fontsize=7)
            axis.plot([x, x], [0.57, 0.9], color=BLUE, lw=2.2)
            axis.plot([x, x], [1.66, 2.15], color=ORANGE, lw=1)
        axis.plot([left + 0.15, left + 4.55], [0.95, 0.95], color=BLUE, lw=5)
        caption(
            axis, left + 2.35, 1.3, f"NVLink switch: {NVLINK / 1e9:.0f} GB/s per GPU", BLUE, ha="center", va="center"
        )
    axis.plot([0.2, 9.8], [2.2, 2.2], color=ORANGE, lw=4)
    caption(
        axis,
        5.0,
        2.45,
        f"network of the pod: one port of {PORT / 1e9:.0f} GB/s per GPU, {8 * PORT / 1e9:.0f} GB/s per node",
        ORANGE,
        ha="center",
    )
    axis.plot([5.0, 5.0], [2.78, 3.2], color=GREEN, lw=1)
    axis.plot([1.5, 8.5], [3.25, 3.25], color=GREEN, lw=2)
    share = pod_uplink_bytes_per_s(gpus_per_pod=3072, port_bytes_per_s=PORT, oversubscription=7) / 3072
    caption(
        axis,
        5.0,
        3.45,
        f"between pods: often oversubscribed; at 1:7, {share / 1e9:.1f} GB/s per GPU",
        GREEN,
        ha="center",
    )
    caption(axis, 2.35, -0.35, "node", BLUE, ha="center")
    caption(axis, 7.65, -0.35, "node", BLUE, ha="center")
    axis.set_xlim(-0.3, 10.4)
    axis.set_ylim(-0.5, 3.8)
    axis.axis("off")
    return figure


def four_ways_over_servers() -> Figure:
    """Time against message size on eight nodes of eight H100s."""
    figure, axis = chart(6.4, 3.0)
    sizes = np.geomspace(1e4, 1e10, 120)
    servers, each, latency = 8, 8, 5e-6
    gpus = servers * each
    ways = (
        ("ring, one port per node", ORANGE, "-", [all_reduce_seconds(message_bytes=float(m), bandwidth_bytes_per_s=PORT, gpus=gpus, latency_s=latency) for m in sizes]),
        ("rings over eight ports", BLUE, "-", [all_reduce_seconds(message_bytes=float(m), bandwidth_bytes_per_s=each * PORT, gpus=gpus, latency_s=latency) for m in sizes]),
        ("sharded, phases in sequence", GREEN, "-", [sharded_seconds(message_bytes=float(m), servers=servers, gpus_per_server=each, port_bytes_per_s=PORT, nvlink_bytes_per_s=NVLINK, latency_s=latency) for m in sizes]),
        ("two trees over eight ports", GREY, "--", [double_tree_seconds(message_bytes=float(m), bandwidth_bytes_per_s=each * PORT, gpus=gpus, latency_s=latency) for m in sizes]),
    )  # fmt: skip
    for label, colour, style, seconds in ways:
        axis.loglog(sizes, seconds, color=colour, lw=2, ls=style, label=label)
    axis.legend(frameon=False, fontsize=8, labelcolor=GREY, loc="upper left")
    x_axis(axis, "message size", ticks={1e4: "10 kB", 1e6: "1 MB", 1e8: "100 MB", 1e10: "10 GB"})
    y_axis(axis, "time of the all-reduce", ticks={1e-4: "0.1 ms", 1e-3: "1 ms", 1e-2: "10 ms", 1e-1: "0.1 s", 1: "1 s"})
    return figure


def tail_of_a_backward_pass() -> Figure:
    """Two backward passes with overlapped all-reduces: one network keeps up, the other falls behind."""
    figure = Figure(figsize=(7.6, 3.2), layout="constrained")
    for axis, reduce_s, story in zip(
        figure.subplots(2, 1, sharex=True), (3.0, 7.0), ("network keeps up: 3 ms per layer", "network falls behind: 7 ms per layer"), strict=True
    ):  # fmt: skip
        spans = play_backward([5.0] * 8, [reduce_s] * 8)
        end = max(span.ended for span in spans if span.lane == "compute")
        for span in spans:
            _bar(axis, span, end)
        last = max(span.ended for span in spans)
        axis.axvline(end, color=GREY, lw=0.8, ls=":")
        caption(axis, last + 0.5, 0.35, f"{last - end:.0f} ms exposed", ORANGE, va="center")
        axis.set_title(story, fontsize=8.5, loc="left")
        x_axis(axis, limits=(0, 72))
        y_axis(axis, limits=(-0.1, 1.9), ticks={1.35: "backward", 0.35: "network"})
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
    axis.set_xlabel("milliseconds from the beginning of the backward pass; numbers are layers")
    return figure


def _bar(axis: Axes, span: Span, end: float) -> None:
    exposed = span.lane == "network" and span.ended > end
    colour = BLUE if span.lane == "compute" else ORANGE if exposed else GREEN
    level = 1 if span.lane == "compute" else 0
    axis.barh(level + 0.35, span.ended - span.begun - 0.12, left=span.begun, height=0.7, color=colour)
    write_in(axis, (span.begun + span.ended) / 2, level + 0.35, str(8 - span.what), fontsize=7)


def tail_against_buckets() -> Figure:
    """Exposed communication after the backward pass against the number of buckets."""
    figure, axis = chart(6.2, 2.7)
    run = {"backward_s": 0.3, "transfer_s": 0.08, "latency_s": 0.6e-3}
    best = best_buckets(**run)
    counts = sorted({int(n) for n in np.geomspace(1, 1500, 150)} | {best})
    axis.loglog(counts, [bucketed_tail_seconds(buckets=n, **run) * 1e3 for n in counts], color=BLUE, lw=2)
    axis.axvline(best, color=GREY, lw=1, ls=":")
    axis.text(best * 0.93, 30, f"best: {best} buckets", ha="right", color=GREY)
    caption(axis, 4.5, 28, "the last bucket shrinks", BLUE)
    caption(axis, 560, 12, "fixed costs\nexceed the pass", ORANGE)
    x_axis(axis, "buckets", ticks={1: "1", 10: "10", 100: "100", 1000: "1000"})
    y_axis(axis, "exposed after the pass", ticks={1: "1 ms", 10: "10 ms", 100: "100 ms"})
    return figure
