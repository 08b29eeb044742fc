"""Figures of the lesson on data at scale."""

from __future__ import annotations

import random

import numpy as np
from matplotlib.figure import Figure

from ..data.duplicates import candidate_probability, threshold_similarity
from ..data.loader_queue import waiting_seconds
from ..data.object_store import read_bytes_per_s
from ..data.sample_order import earliest_draw
from ..oracles.data.duplicates import candidate_probability as walked_probability
from ..oracles.data.loader_queue import waiting_seconds as played_wait
from ..oracles.data.object_store import read_bytes_per_s as played_rate
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, mark, note, numbers, percents, x_axis, y_axis

CHAPTER = "14-data"

CONNECTIONS, STREAM = 64, 80e6
STEPS, STEP_S, FAST_S, SLOW_S, SLOW_EVERY = 200, 2.5, 1.0, 12.0, 10
HASHES = 112
LABELS = {4: (0.39, 0.66), 8: (0.67, 0.66), 16: (0.77, 0.13)}  # position of a curve's label, by hashes per band


def rate_by_request_size() -> Figure:
    """Rate of 64 requests in flight against their size, for three latencies."""
    figure, axis = chart(7.2, 3.2)
    sizes = np.logspace(4, 8.3, 60)
    for latency_s, colour in ((0.02, GREEN), (0.1, BLUE), (0.2, ORANGE)):
        rates = [
            read_bytes_per_s(
                requests_in_flight=CONNECTIONS, request_bytes=float(s), latency_s=latency_s, stream_bytes_per_s=STREAM
            )
            for s in sizes
        ]
        axis.plot(sizes / 1e6, np.array(rates) / 1e9, color=colour, lw=2)
        for size in (1e5, 1e6, 8e6, 64e6):
            rate = played_rate(
                requests_in_flight=CONNECTIONS, request_bytes=size, latency_s=latency_s, stream_bytes_per_s=STREAM
            )
            mark(axis, size / 1e6, rate / 1e9, colour)
        place = 14 if latency_s < 0.1 else 22
        note(
            axis,
            f"{1000 * latency_s:.0f} ms",
            (sizes[place] / 1e6, rates[place] / 1e9),
            (-6, 4) if latency_s <= 0.1 else (6, -8),
            colour,
            ha="right" if latency_s <= 0.1 else "left",
        )
    axis.axhline(CONNECTIONS * STREAM / 1e9, color=GREY, lw=0.8, ls=":")
    caption(axis, 0.011, CONNECTIONS * STREAM / 1e9 * 1.12, "64 connections without latency", GREY)
    x_axis(axis, "request size", ticks={0.01: "10 kB", 0.1: "100 kB", 1: "1 MB", 10: "10 MB", 100: "100 MB"}, log=10)
    y_axis(axis, "rate, 64 requests in flight", (0.003, 10), {0.01: "10 MB/s", 0.1: "100 MB/s", 1: "1 GB/s"}, log=10)
    return figure


def waiting_by_depth() -> Figure:
    """Time that a GPU waits against the depth of its queue, for equal loads and for loads of the same mean with a slow tail."""
    figure, axis = chart(7.2, 3.0)
    tail = [FAST_S if number % SLOW_EVERY else SLOW_S for number in range(1, STEPS + 1)]
    even = [sum(tail) / len(tail)] * STEPS
    depths = range(1, 9)
    for log, colour, label in (
        (tail, ORANGE, "nine of ten loads 1 s, one 12 s"),
        (even, BLUE, "every load 2.1 s"),
    ):
        waits = [waiting_seconds(load_s=log, step_s=STEP_S, prefetch=depth) for depth in depths]
        axis.plot(depths, waits, color=colour, lw=2)
        played = [played_wait(load_s=log, step_s=STEP_S, prefetch=depth) for depth in depths]
        mark(axis, depths, played, colour, size=5)
        note(axis, label, (depths[1], waits[1]), (10, 8), colour)
    x_axis(axis, "queue depth, in batches")
    y_axis(axis, "GPU wait in 200 steps, in s", (0, 215))
    return figure


def reach_of_a_buffer() -> Figure:
    """Positions at which samples leave a simulated shuffle buffer, with the line of the earliest possible ones."""
    figure, axes = charts(7.2, 3.4, 1, 2, sharey=True)
    samples = 50_000
    for axis, size, colour in zip(axes, (1_000, 10_000), (BLUE, ORANGE), strict=True):
        dice = random.Random(14)
        places, draws = _shuffled(samples, size, dice)
        shown = slice(None, None, 40)
        axis.plot(places[shown], draws[shown], ".", color=colour, ms=2)
        line = [size, samples]
        axis.plot(line, [earliest_draw(place=p, buffer_samples=size) for p in line], color=GREY, lw=1)
        axis.set_title(f"buffer of {size:,}", color=GREY, fontsize=9)
        x_axis(axis, "position in the stream", ticks=numbers(0, 25_000, 50_000))
    y_axis(axes[0], "draw at which it leaves", ticks=numbers(0, 25_000, 50_000))
    caption(axes[1], 30_000, 12_000, "earliest possible", GREY, ha="left")
    return figure


def _shuffled(samples: int, size: int, dice: random.Random) -> tuple[list[int], list[int]]:
    buffer, places, draws = list(range(1, size + 1)), [], []
    following = size
    for draw in range(1, samples + 1):
        drawn = dice.randrange(len(buffer))
        places.append(buffer[drawn])
        draws.append(draw)
        if following < samples:
            following += 1
            buffer[drawn] = following
        else:
            buffer[drawn] = buffer[-1]
            buffer.pop()
    return places, draws


def curves_of_bands() -> Figure:
    """Probability of becoming candidates against similarity, for three ways to cut 112 hashes."""
    figure, axis = chart(7.2, 3.0)
    grid = np.linspace(0.01, 1, 100)
    for rows, colour in ((4, GREEN), (8, BLUE), (16, ORANGE)):
        bands = HASHES // rows
        axis.plot(
            grid, [candidate_probability(similarity=float(s), bands=bands, rows=rows) for s in grid], color=colour
        )
        dots = grid[::12]
        mark(axis, dots, [walked_probability(similarity=float(s), bands=bands, rows=rows) for s in dots], colour)
        steep = threshold_similarity(bands=bands, rows=rows)
        height = candidate_probability(similarity=steep, bands=bands, rows=rows)
        axis.plot(steep, height, "s", color=colour, ms=6)
        axis.text(*LABELS[rows], f"{bands} bands of {rows}", color=colour, ha="right")
    x_axis(axis, "similarity of two documents", (0, 1))
    y_axis(axis, "probability of becoming candidates", (0, 1.02), percents(0, 0.25, 0.5, 0.75, 1))
    return figure
