"""The time of an all-reduce over servers against the size of the message, for four algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..communication.collectives import double_tree_seconds
from ..communication.hierarchy import sharded_seconds
from ..facts.hardware import nvlink_bytes_per_s
from ..ring.ring import all_reduce_seconds, tree_all_reduce_seconds
from . import choice, in_bytes, in_time, points, powers, slider, spread, written

CHAPTER = "05-communication-and-overlap"
STILL = "four-ways-over-servers"
TITLE = "Four ways to all-reduce over servers"
PLAYS = "message_bytes"
EACH = 8  # GPUs of a server, each with a port
SMALLEST, LARGEST = 1e4, 1e10
SIZES = [*(digit * 10.0**power for power in range(4, 10) for digit in (1, 3)), LARGEST]
CONTROLS = {
    "message_bytes": slider("message", SIZES, start="1 MB", words=in_bytes),
    "servers": slider("servers of 8 GPUs", (2, 4, 8, 32, 128), start="8"),
    "port_bytes_per_s": slider(
        "port", (12.5e9, 25e9, 50e9, 100e9), start="50 GB/s", words=lambda rate: f"{in_bytes(rate)}/s"
    ),
    "latency_s": slider("latency of a step", (1e-6, 5e-6, 20e-6), start="5 µs", words=in_time),
}
COLOURS = ("blue", "orange", "green", "purple")


def ways(*, servers: int, port_bytes_per_s: float, latency_s: float) -> dict[str, Callable[[float], float]]:
    """Each algorithm as its seconds for a message."""
    gpus = servers * EACH
    return {
        "rings over eight ports": lambda message: all_reduce_seconds(
            message_bytes=message, bandwidth_bytes_per_s=EACH * port_bytes_per_s, gpus=gpus, latency_s=latency_s
        ),
        "binomial tree over one port": lambda message: tree_all_reduce_seconds(
            message_bytes=message, bandwidth_bytes_per_s=port_bytes_per_s, gpus=gpus, latency_s=latency_s
        ),
        "sharded inside servers": lambda message: sharded_seconds(
            message_bytes=message, servers=servers, gpus_per_server=EACH, port_bytes_per_s=port_bytes_per_s,
            nvlink_bytes_per_s=nvlink_bytes_per_s(accelerator="H100-80GB") / 2, latency_s=latency_s,
        ),
        "two trees over eight ports": lambda message: double_tree_seconds(
            message_bytes=message, bandwidth_bytes_per_s=EACH * port_bytes_per_s, gpus=gpus, latency_s=latency_s
        ),
    }  # fmt: skip


def show(*, message_bytes: float, servers: int, port_bytes_per_s: float, latency_s: float) -> dict[str, Any]:
    """A curve for each algorithm, and their times at one message."""
    sizes = spread(SMALLEST, LARGEST, 49)
    found = ways(servers=servers, port_bytes_per_s=port_bytes_per_s, latency_s=latency_s)
    lines = [
        {
            "name": name,
            "colour": colour,
            "dashed": place > 1,
            "points": [(x / 1e6, y * 1e3) for x, y in points(seconds, sizes)],
        }
        for place, ((name, seconds), colour) in enumerate(zip(found.items(), COLOURS, strict=True))
    ]
    times = {name: seconds(message_bytes) for name, seconds in found.items()}
    quickest = min(times, key=lambda name: times[name])
    panel = {
        "drawing": "lines",
        "title": f"Time of an all-reduce on {servers * EACH:,} GPUs against the message",
        "x": {"label": "message, MB", "low": SMALLEST / 1e6, "high": LARGEST / 1e6, "log": True, "ticks": powers(1e-2, 1e4)},
        "y": {"label": "time, ms", "low": 5e-3, "high": 2e4, "log": True, "ticks": powers(1e-2, 1e4)},
        "lines": lines,
        "marks": [{"x": message_bytes / 1e6, "text": in_bytes(message_bytes)}],
    }  # fmt: skip
    facts = [(name, in_time(seconds)) for name, seconds in times.items()]
    return {"panels": [panel], "facts": [*facts, ("quickest", quickest)]}


def predict() -> dict[str, Any]:
    """Which algorithm is quickest for a small message."""
    found = {name: seconds(1e6) for name, seconds in ways(servers=8, port_bytes_per_s=50e9, latency_s=5e-6).items()}
    quickest = min(found, key=lambda name: found[name])
    rings = found["rings over eight ports"]
    return {
        "ask": "64 GPUs in 8 servers, a port of 50 GB/s for each GPU, 5 µs for each step. Which is quickest for a message of 1 MB?",
        **choice(quickest, found),
        "why": f"1 MB takes {written(1e6 / 50e9 * 1e6)} µs on a port. The rings wait 126 times for a latency, "
        f"{in_time(rings)} in all; the trees wait 12 times.",
    }
