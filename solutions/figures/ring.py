"""The pictures of the ring all-reduce lesson."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ..oracles.ring.ring import snapshots
from ..ring.ring import (
    algorithm_bandwidth_elsewhere,
    all_reduce_seconds,
    bytes_sent_per_gpu,
    crossover_bytes,
    naive_root_bytes,
    tree_all_reduce_seconds,
)
from . import BLUE, GREY, ORANGE
from ._drawing import caption, chart, charts, numbers, x_axis, y_axis

CHAPTER = "01-ring-all-reduce"


def chunks_on_a_ring() -> Figure:
    """How many contributions each chunk has gathered on each of four GPUs, step by step."""
    boards = snapshots(gpus=4)
    figure, axes = charts(7.6, 1.75, 1, len(boards))
    for number, (axis, board) in enumerate(zip(axes, boards, strict=True)):
        axis.imshow(board, cmap="Blues", vmin=0, vmax=5.5)
        for (row, column), value in np.ndenumerate(board):
            done = value == board.shape[0]
            caption(
                axis,
                column,
                row,
                str(value),
                "white" if done else "black",
                ha="center",
                va="center",
                fontweight="bold" if done else "normal",
            )
        axis.set_xticks(range(4), list("abcd"), fontsize=7)
        axis.set_yticks(range(4), [f"GPU {rank}" for rank in range(4)] if number == 0 else [""] * 4, fontsize=7)
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        phase = "start" if number == 0 else f"step {number}"
        axis.set_title(phase, fontsize=8, color=ORANGE if number > 3 else BLUE if number else GREY)
    figure.text(0.33, -0.04, "reduce-scatter: pass on and add", ha="center", color=BLUE, fontsize=9)
    figure.text(0.75, -0.04, "all-gather: pass on and copy", ha="center", color=ORANGE, fontsize=9)
    return figure


def bytes_against_gpus() -> Figure:
    """What the busiest link carries, for the ring and for all GPUs sending to GPU 0."""
    figure, axis = chart(6.2, 2.7)
    gpus = np.unique(np.geomspace(2, 1024, 40).astype(int))
    ring = [bytes_sent_per_gpu(message_bytes=1e9, gpus=int(n)) / 1e9 for n in gpus]
    naive = [naive_root_bytes(message_bytes=1e9, gpus=int(n)) / 1e9 for n in gpus]
    axis.loglog(gpus, naive, color=ORANGE, lw=2)
    axis.loglog(gpus, ring, color=BLUE, lw=2)
    axis.text(200, 260, "all send to GPU 0", color=ORANGE, ha="right")
    axis.text(200, 2.6, "ring: never more than 2 GB", color=BLUE, ha="right")
    x_axis(axis, "GPUs", ticks=numbers(2, 8, 64, 512))
    y_axis(axis, "bytes over the busiest link", ticks={1: "1 GB", 10: "10 GB", 100: "100 GB", 1000: "1 TB"})
    return figure


def ring_against_tree() -> Figure:
    """Time against message size for 64 GPUs: latency decides on the left, bytes on the right."""
    figure, axis = chart(6.2, 2.7)
    gpus, link = 64, {"bandwidth_bytes_per_s": 50e9, "latency_s": 5e-6}
    sizes = np.geomspace(1e3, 1e10, 120)
    axis.loglog(sizes, [all_reduce_seconds(message_bytes=float(m), gpus=gpus, **link) for m in sizes], color=BLUE, lw=2)
    axis.loglog(
        sizes, [tree_all_reduce_seconds(message_bytes=float(m), gpus=gpus, **link) for m in sizes], color=ORANGE, lw=2
    )
    tie = crossover_bytes(gpus=gpus, **link)
    axis.axvline(tie, color=GREY, lw=1, ls=":")
    axis.text(tie * 1.25, 2.2e-5, f"crossover at {tie / 1e6:.1f} MB", color=GREY)
    axis.text(2e3, 8.5e-4, "ring: 126 latencies", color=BLUE)
    axis.text(2e3, 2.4e-5, "binomial tree: 12 latencies", color=ORANGE)
    x_axis(axis, "message size", ticks={1e3: "1 kB", 1e6: "1 MB", 1e9: "1 GB"})
    y_axis(
        axis,
        "all-reduce time",
        (1.5e-5, 5),
        {1e-4: "0.1 ms", 1e-3: "1 ms", 1e-2: "10 ms", 1e-1: "0.1 s", 1: "1 s"},
    )
    return figure


def two_bandwidths() -> Figure:
    """Both bandwidths against the number of GPUs, when links stay as busy as on two."""
    figure, axis = chart(6.2, 2.5)
    bus = 360e9  # two GPUs send the message once, so there both bandwidths are the same
    gpus = np.unique(np.geomspace(2, 1024, 60).astype(int))
    rates = [algorithm_bandwidth_elsewhere(algorithm_bytes_per_s=bus, gpus=2, other_gpus=int(n)) / 1e9 for n in gpus]
    axis.semilogx(gpus, [bus / 1e9] * len(gpus), color=BLUE, lw=2)
    axis.semilogx(gpus, rates, color=ORANGE, lw=2)
    axis.text(60, bus / 1e9 + 12, "bus bandwidth: how busy the links are", color=BLUE, ha="center")
    axis.text(60, rates[-1] - 40, "algorithm bandwidth: message size ÷ time", color=ORANGE, ha="center")
    x_axis(axis, "GPUs", ticks=numbers(2, 8, 64, 512))
    y_axis(axis, "GB/s", (0, 430), [0, 100, 200, 300, 400])
    return figure
