"""A step with gradient accumulation, all-reduced after each micro-batch or once after the last, and the cost of the all-reduce."""

from __future__ import annotations

from typing import Any

from ..accumulation.accumulation_time import communication_overhead, communication_share
from ..oracles.accumulation.accumulation_time import Event, walk
from ..ring.ring import all_reduce_seconds
from ..shapes.models import parameters
from . import choice, frames_until, in_bytes, in_time, percent, powers, short, slider, span, written

CHAPTER = "03-gradient-accumulation"
STILL = "one-all-reduce-or-many"
TITLE = "One all-reduce per step, or many"
PARAMETERS = parameters(model="Llama-3-8B")
GPUS = 64  # 8 nodes of 8 H100; every GPU is a replica
FLOP_PER_S = 400e12  # of an H100, as in the lesson; its data sheet of 2023 has 989 TFLOP/s, BF16, dense
PORT_BYTES_PER_S = 45e9  # bus bandwidth for each port of 400 Gb/s in a node: 90 % of its 50 GB/s per direction
MOST = 32
CONTROLS = {
    "accumulation_steps": slider("gradient accumulation steps", (1, 2, 4, 8, 16, MOST), start="8"),
    "tokens": slider("tokens per micro-batch", (1024, 2048, 4096, 8192), start="8,192", words="{:,}".format),
    "bus_bytes_per_s": slider("bus bandwidth", [ports * PORT_BYTES_PER_S for ports in (1, 2, 4, 8)], start="360 GB/s", words=lambda rate: f"{in_bytes(rate)}/s"),
}  # fmt: skip
FRAMES = 32


def times(*, tokens: int, bus_bytes_per_s: float) -> dict[str, float]:
    """Seconds of a micro-batch with full recomputation (8 FLOP per weight and token), and of an all-reduce in FP32."""
    reduced_s = all_reduce_seconds(
        message_bytes=4 * PARAMETERS, gpus=GPUS, bandwidth_bytes_per_s=bus_bytes_per_s, latency_s=0
    )
    return {"micro_batch_s": 8 * PARAMETERS * tokens / FLOP_PER_S, "all_reduce_s": reduced_s}


def show(*, accumulation_steps: int, tokens: int, bus_bytes_per_s: float) -> dict[str, Any]:
    """Both timelines of the step, and the cost of the all-reduce against gradient accumulation steps."""
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
        "axis": {"label": "time, s", "low": 0, "high": ended},
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
        "title": "The all-reduce as a share of step time and as an overhead, against gradient accumulation steps",
        "x": {"label": "gradient accumulation steps", "low": 1, "high": MOST, "log": True, "ticks": [(2**power, str(2**power)) for power in range(6)]},
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
            ("micro-batch; all-reduce", f"{in_time(took['micro_batch_s'])}; {in_time(took['all_reduce_s'])}"),
            ("step time, all-reduce after each", f"{written(ended)} s"),
            ("step time, all-reduce after the last", f"{written(last[-1].end_s)} s"),
            ("share, after the last", percent(share[accumulation_steps - 1] / 100)),
            ("overhead, after the last", percent(overhead[accumulation_steps - 1] / 100)),
            ("global batch", f"{accumulation_steps * tokens * GPUS:,} tokens"),
        ],
        "frames": frames_until(ended, FRAMES, panels=2),
    }


def _bar(row: int, event: Event) -> dict[str, Any]:
    number = str(event.samples // GPUS) if event.what == "micro-batch" else ""
    return span(row, event.what, event.start_s, event.end_s, text=number)


def predict() -> dict[str, Any]:
    """How gradient accumulation changes the all-reduce's share of step time."""
    took = times(tokens=8192, bus_bytes_per_s=PORT_BYTES_PER_S)
    one, four = (communication_share(accumulation_steps=count, **took) for count in (1, 4))
    overheads = [communication_overhead(accumulation_steps=count, **took) for count in (1, 4)]
    return {
        "ask": f"With a single network port per node, the all-reduce of Llama 3 8B takes {percent(one)} of a step with one micro-batch. Now you use "
        "4 gradient accumulation steps, with one all-reduce after the last. What share of the step time does the all-reduce take?",
        **choice(percent(four), map(percent, (one / 16, one / 4, four, overheads[1], one))),
        "why": f"The all-reduce takes {in_time(took['all_reduce_s'])}. Compute grows from {in_time(took['micro_batch_s'])} to four times that, "
        f"so the overhead relative to compute falls to a quarter, from {percent(overheads[0])} to {percent(overheads[1])}. The share falls less, because "
        "it is relative to the step time, which includes the all-reduce.",
    }
