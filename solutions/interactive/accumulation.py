"""A step of several micro-batches, all-reduced after each or once after the last, and how much of it the all-reduce is."""

from __future__ import annotations

from typing import Any

from ..accumulation.accumulation_time import communication_overhead, communication_share
from ..oracles.accumulation.accumulation_time import Event, walk
from ..ring.ring import all_reduce_seconds
from ..shapes.models import parameters
from . import choice, frames_until, in_bytes, in_time, percent, powers, short, slider, span, written

CHAPTER = "03-gradient-accumulation"
STILL = "one-all-reduce-or-many"
TITLE = "One all-reduce a step, or many"
PARAMETERS = parameters(model="Llama-3-8B")
GPUS = 64  # 8 servers of 8 H100; every GPU is a replica
FLOP_PER_S = 400e12  # of an H100, as in the lesson; its data sheet of 2023 has 989 TFLOP/s, BF16, dense
PORT_BYTES_PER_S = 45e9  # bus bandwidth for each port of 400 Gb/s in a server: 90 % of its 50 GB/s in one direction
MOST = 32
CONTROLS = {
    "accumulation_steps": slider("accumulation steps", (1, 2, 4, 8, 16, MOST), start="8"),
    "tokens": slider("tokens of a micro-batch", (1024, 2048, 4096, 8192), start="8,192", words="{:,}".format),
    "bus_bytes_per_s": slider("bus bandwidth", [ports * PORT_BYTES_PER_S for ports in (1, 2, 4, 8)], start="360 GB/s", words=lambda rate: f"{in_bytes(rate)}/s"),
}  # fmt: skip
FRAMES = 32


def times(*, tokens: int, bus_bytes_per_s: float) -> dict[str, float]:
    """Seconds of a micro-batch whose forward pass runs twice (8 FLOP a weight and token), and of an all-reduce in FP32."""
    reduced_s = all_reduce_seconds(
        message_bytes=4 * PARAMETERS, gpus=GPUS, bandwidth_bytes_per_s=bus_bytes_per_s, latency_s=0
    )
    return {"micro_batch_s": 8 * PARAMETERS * tokens / FLOP_PER_S, "all_reduce_s": reduced_s}


def show(*, accumulation_steps: int, tokens: int, bus_bytes_per_s: float) -> dict[str, Any]:
    """Both timelines of the step, and what the all-reduce is of it against the accumulation steps."""
    took = times(tokens=tokens, bus_bytes_per_s=bus_bytes_per_s)
    each, last = (
        walk(passes=accumulation_steps, micro_batch=1, dp=GPUS, every_pass=every, **took) for every in (True, False)
    )
    ended = each[-1].end_s
    many = f"{accumulation_steps} micro-batches" if accumulation_steps > 1 else "one micro-batch"
    timelines = {
        "drawing": "gantt",
        "title": f"A step of {many}, with an all-reduce after each and after the last; numbers are micro-batches",
        "rows": ["after each", "after the last"],
        "axis": {"label": "time of a step, s", "low": 0, "high": ended},
        "kinds": {
            "micro-batch": {"name": "forward and backward", "colour": "blue"},
            "all-reduce": {"name": "all-reduce", "colour": "orange"},
        },
        "spans": [_bar(row, event) for row, events in enumerate((each, last)) for event in events],
    }
    steps = range(1, MOST + 1)
    share = [short(100 * communication_share(accumulation_steps=count, **took)) for count in steps]
    overhead = [short(100 * communication_overhead(accumulation_steps=count, **took)) for count in steps]
    curves = {
        "drawing": "lines",
        "title": "The all-reduce as a share of the step and as an overhead, against the accumulation steps",
        "x": {"label": "accumulation steps", "low": 1, "high": MOST, "log": True, "ticks": [(2**power, str(2**power)) for power in range(6)]},
        "y": {"label": "all-reduce, %", "low": 0.1, "high": 1000, "log": True, "ticks": powers(0.1, 1000)},
        "lines": [
            {"name": "overhead, after each", "colour": "green", "dashed": True, "points": [(1, overhead[0]), (MOST, overhead[0])]},
            {"name": "overhead, after the last", "colour": "orange", "dashed": True, "points": list(zip(steps, overhead, strict=True))},
            {"name": "share, after the last", "colour": "blue", "points": list(zip(steps, share, strict=True))},
        ],
        "marks": [{"x": accumulation_steps}],
    }  # fmt: skip
    return {
        "panels": [timelines, curves],
        "facts": [
            ("a micro-batch, an all-reduce", f"{in_time(took['micro_batch_s'])}, {in_time(took['all_reduce_s'])}"),
            ("step, all-reduced after each", f"{written(ended)} s"),
            ("step, all-reduced after the last", f"{written(last[-1].end_s)} s"),
            ("share, after the last", percent(share[accumulation_steps - 1] / 100)),
            ("overhead, after the last", percent(overhead[accumulation_steps - 1] / 100)),
            ("batch", f"{accumulation_steps * tokens * GPUS:,} tokens"),
        ],
        "frames": frames_until(ended, FRAMES, panels=2),
    }


def _bar(row: int, event: Event) -> dict[str, Any]:
    number = str(event.samples // GPUS) if event.what == "micro-batch" else ""
    return span(row, event.what, event.start_s, event.end_s, text=number)


def predict() -> dict[str, Any]:
    """What accumulation does to a share."""
    took = times(tokens=8192, bus_bytes_per_s=PORT_BYTES_PER_S)
    one, four = (communication_share(accumulation_steps=count, **took) for count in (1, 4))
    overheads = [communication_overhead(accumulation_steps=count, **took) for count in (1, 4)]
    return {
        "ask": f"With a single port in each server the all-reduce of Llama 3 8B takes {percent(one)} of a step of one micro-batch. Now a step "
        "has four micro-batches, and one all-reduce after the last. What share of the step does it take?",
        **choice(percent(four), map(percent, (one / 16, one / 4, four, overheads[1], one))),
        "why": f"An all-reduce of {in_time(took['all_reduce_s'])} stands beside {in_time(took['micro_batch_s'])} of compute, and then beside "
        f"four times as much. So the overhead falls to a quarter, from {percent(overheads[0])} to {percent(overheads[1])}. The share falls by less: "
        "it is of the whole step, which the all-reduce is a part of.",
    }
