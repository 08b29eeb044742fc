"""The pictures of the lesson on data at scale."""

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

CHAPTER = "14-data"

CONNECTIONS, STREAM = 64, 80e6
STEPS, STEP_S, FAST_S, SLOW_S, SLOW_EVERY = 200, 2.5, 1.0, 12.0, 10
HASHES = 112
LABELS = {4: (0.39, 0.66), 8: (0.67, 0.66), 16: (0.77, 0.13)}  # where a curve's name stands, by hashes of a band


def rate_by_request_size() -> Figure:
    """Rate of 64 requests at once against their size, for three latencies."""
    figure = Figure(figsize=(7.2, 3.2))
    axis = figure.subplots()
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
            axis.plot(size / 1e6, rate / 1e9, "o", color=colour, ms=4)
        place = 14 if latency_s < 0.1 else 22
        axis.annotate(
            f"{1000 * latency_s:.0f} ms",
            (sizes[place] / 1e6, rates[place] / 1e9),
            (-6, 4) if latency_s <= 0.1 else (6, -8),
            textcoords="offset points",
            color=colour,
            ha="right" if latency_s <= 0.1 else "left",
        )
    axis.axhline(CONNECTIONS * STREAM / 1e9, color=GREY, lw=0.8, ls=":")
    axis.text(0.011, CONNECTIONS * STREAM / 1e9 * 1.12, "64 connections, always receiving", color=GREY, fontsize=8)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xticks([0.01, 0.1, 1, 10, 100], ["10 kB", "100 kB", "1 MB", "10 MB", "100 MB"])
    axis.set_yticks([0.01, 0.1, 1], ["10 MB/s", "100 MB/s", "1 GB/s"])
    axis.minorticks_off()
    axis.set_ylim(0.003, 10)
    axis.set_xlabel("bytes of a request")
    axis.set_ylabel("rate of 64 requests at once")
    return figure


def waiting_by_depth() -> Figure:
    """Waiting of a GPU against the depth of its queue, for even loads and for loads of the same mean with a tail."""
    figure = Figure(figsize=(7.2, 3.0))
    axis = figure.subplots()
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
        axis.plot(depths, played, "o", color=colour, ms=5)
        axis.annotate(
            label,
            (depths[1], waits[1]),
            (10, 8),
            textcoords="offset points",
            color=colour,
        )
    axis.set_xlabel("batches in the queue, at most")
    axis.set_ylabel("seconds of waiting in 200 steps")
    axis.set_ylim(0, 215)
    return figure


def reach_of_a_buffer() -> Figure:
    """Where samples come out of a shuffle buffer, played, with the line before which they cannot."""
    figure = Figure(figsize=(7.2, 3.4))
    axes = figure.subplots(1, 2, sharey=True)
    samples = 50_000
    for axis, size, colour in zip(axes, (1_000, 10_000), (BLUE, ORANGE), strict=True):
        dice = random.Random(14)
        places, draws = _shuffled(samples, size, dice)
        shown = slice(None, None, 40)
        axis.plot(places[shown], draws[shown], ".", color=colour, ms=2)
        line = [size, samples]
        axis.plot(line, [earliest_draw(place=p, buffer_samples=size) for p in line], color=GREY, lw=1)
        axis.set_title(f"buffer of {size:,}", color=GREY, fontsize=9)
        axis.set_xlabel("place in the stream")
        axis.set_xticks([0, 25_000, 50_000], ["0", "25,000", "50,000"])
    axes[0].set_yticks([0, 25_000, 50_000], ["0", "25,000", "50,000"])
    axes[0].set_ylabel("comes out at draw")
    axes[1].text(30_000, 12_000, "not before this line", color=GREY, fontsize=8, ha="left")
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
    """Chance of becoming candidates against similarity, for three ways to cut 112 hashes."""
    figure = Figure(figsize=(7.2, 3.0))
    axis = figure.subplots()
    grid = np.linspace(0.01, 1, 100)
    for rows, colour in ((4, GREEN), (8, BLUE), (16, ORANGE)):
        bands = HASHES // rows
        axis.plot(
            grid, [candidate_probability(similarity=float(s), bands=bands, rows=rows) for s in grid], color=colour
        )
        dots = grid[::12]
        axis.plot(
            dots,
            [walked_probability(similarity=float(s), bands=bands, rows=rows) for s in dots],
            "o",
            color=colour,
            ms=4,
        )
        steep = threshold_similarity(bands=bands, rows=rows)
        height = candidate_probability(similarity=steep, bands=bands, rows=rows)
        axis.plot(steep, height, "s", color=colour, ms=6)
        axis.text(*LABELS[rows], f"{bands} bands of {rows}", color=colour, ha="right")
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("similarity of two documents")
    axis.set_ylabel("chance of becoming candidates")
    axis.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    return figure


FIGURES = (rate_by_request_size, waiting_by_depth, reach_of_a_buffer, curves_of_bands)
