"""The time of an all-reduce across nodes against the message size, for four algorithms."""

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
TITLE = "Four all-reduce algorithms across nodes"
PLAYS = "message_bytes"
EACH = 8  # GPUs per node, each with a network port
SMALLEST, LARGEST = 1e4, 1e10
SIZES = [*(digit * 10.0**power for power in range(4, 10) for digit in (1, 3)), LARGEST]
CONTROLS = {
    "message_bytes": slider("message size", SIZES, start="1 MB", words=in_bytes),
    "servers": slider("nodes of 8 GPUs", (2, 4, 8, 32, 128), start="8"),
    "port_bytes_per_s": slider(
        "port bandwidth, per direction",
        (12.5e9, 25e9, 50e9, 100e9),
        start="50 GB/s",
        words=lambda rate: f"{in_bytes(rate)}/s",
    ),
    "latency_s": slider("latency per step", (1e-6, 5e-6, 20e-6), start="5 µs", words=in_time),
}
COLOURS = ("blue", "orange", "green", "purple")


def ways(*, servers: int, port_bytes_per_s: float, latency_s: float) -> dict[str, Callable[[float], float]]:
    """The time of each algorithm in seconds, as a function of the message size."""
    gpus = servers * EACH
    return {
        "rings over eight ports": lambda message: all_reduce_seconds(
            message_bytes=message, bandwidth_bytes_per_s=EACH * port_bytes_per_s, gpus=gpus, latency_s=latency_s
        ),
        "binomial tree over one port": lambda message: tree_all_reduce_seconds(
            message_bytes=message, bandwidth_bytes_per_s=port_bytes_per_s, gpus=gpus, latency_s=latency_s
        ),
        "hierarchical, sharded in the node": lambda message: sharded_seconds(
            message_bytes=message, servers=servers, gpus_per_server=EACH, port_bytes_per_s=port_bytes_per_s,
            nvlink_bytes_per_s=nvlink_bytes_per_s(accelerator="H100-80GB") / 2, latency_s=latency_s,
        ),
        "two trees over eight ports": lambda message: double_tree_seconds(
            message_bytes=message, bandwidth_bytes_per_s=EACH * port_bytes_per_s, gpus=gpus, latency_s=latency_s
        ),
    }  # fmt: skip


def show(*, message_bytes: float, servers: int, port_bytes_per_s: float, latency_s: float) -> dict[str, Any]:
    """A curve for each algorithm, and their times for one message."""
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
    fastest = min(times, key=lambda name: times[name])
    panel = {
        "drawing": "lines",
        "title": f"All-reduce time on {servers * EACH:,} GPUs against message size",
        "x": {"label": "message size, MB", "low": SMALLEST / 1e6, "high": LARGEST / 1e6, "log": True, "ticks": powers(1e-2, 1e4)},
        "y": {"label": "time, ms", "low": 5e-3, "high": 2e4, "log": True, "ticks": powers(1e-2, 1e4)},
        "lines": lines,
        "marks": [{"x": message_bytes / 1e6, "text": in_bytes(message_bytes)}],
    }  # fmt: skip
    facts = [(name, in_time(seconds)) for name, seconds in times.items()]
    return {"panels": [panel], "facts": [*facts, ("fastest", fastest)]}


def predict() -> dict[str, Any]:
    """Which algorithm is fastest for a small message."""
    found = {name: seconds(1e6) for name, seconds in ways(servers=8, port_bytes_per_s=50e9, latency_s=5e-6).items()}
    fastest = min(found, key=lambda name: found[name])
    rings = found["rings over eight ports"]
    return {
        "ask": "You all-reduce 1 MB over 64 GPUs in 8 nodes. Each GPU has a network port of 50 GB/s per direction, and each step has a latency of 5 µs. Which algorithm is fastest?",
        **choice(fastest, found),
        "why": f"Sending 1 MB through a port takes only {written(1e6 / 50e9 * 1e6)} µs, so latency dominates. The rings need 126 steps, "
        f"{in_time(rings)} in total; the two trees need 12.",
    }
