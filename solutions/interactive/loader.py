"""A simulation of data-loader workers, their queue and a GPU; and how long the GPU waits, against prefetch depth."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from ..data.loader_queue import fed_step_seconds, waiting_seconds
from ..oracles.data.loader_run import GPU, Span, play_loaders
from . import choice, percent, short, slider, span, written

CHAPTER = "14-data"
STILL = "waiting-by-depth"
TITLE = "Data-loader workers, their queue, and the GPU"
STEPS, SHOWN_S = 200, 60
FAST_S, SLOW_EVERY = 1.0, 10
DEPTHS = range(1, 9)
CONTROLS = {
    "prefetch": slider("prefetched batches per worker", DEPTHS, start="2"),
    "workers": slider("workers", (1, 3, 7), start="1"),  # every worker gets slow batches in turn, since 10 has no factor in common with these
    "slow_s": slider("load time of every tenth batch", (3.0, 6.0, 9.0, 12.0, 20.0, 30.0), start="12 s", words="{:g} s".format),
    "step_s": slider("step time of the GPU", (1.0, 1.5, 2.0, 2.5, 3.0, 4.0), start="2.5 s", words="{:g} s".format),
}  # fmt: skip
KINDS = {
    "loads": {"name": "loading a batch", "colour": "green"},
    "slow": {"name": "loading a slow batch", "colour": "purple"},
    "holds": {"name": "batches in the queue", "colour": "grey"},
    "computes": {"name": "computing", "colour": "blue"},
    "waits": {"name": "GPU waiting for data", "colour": "orange"},
}
FRAMES = 30


def loads(batches: int, slow_s: float) -> list[float]:
    """The load time of each batch: every tenth is slow."""
    return [FAST_S if number % SLOW_EVERY else slow_s for number in range(1, batches + 1)]


def held(spans: list[Span]) -> list[tuple[float, float, int]]:
    """Intervals of time, each with the number of finished batches in the queue."""
    changes = [(float(span.ended), 1) for span in spans if span.kind == "loads"]
    changes += [(float(span.begun), -1) for span in spans if span.kind == "computes"]
    changes.sort()
    counts = accumulate(change for _, change in changes)
    return [
        (begun, ended, count)
        for (begun, _), (ended, _), count in zip(changes, changes[1:], counts, strict=False)
        if count > 0 and begun < ended
    ]


def timeline(*, prefetch: int, workers: int, slow_s: float, step_s: float) -> tuple[dict[str, Any], list[Span]]:
    """The first minute as a drawing, and the spans in which the GPU waits."""
    batches = int(SHOWN_S / step_s) + workers * prefetch + workers + 1
    spans = play_loaders(loads(batches, slow_s), step_s=step_s, prefetch=prefetch, workers=workers)
    names = ["worker"] if workers == 1 else [f"worker {number + 1}" for number in range(workers)]
    bars = [
        span(
            workers + 1 if part.lane == GPU else part.lane,
            "slow" if part.kind == "loads" and (part.batch + 1) % SLOW_EVERY == 0 else part.kind,
            part.begun,
            min(float(part.ended), SHOWN_S),
            text=str(part.batch + 1),
        )
        for part in spans
        if part.begun < SHOWN_S and part.begun < part.ended
    ]
    bars += [
        span(workers, "holds", begun, min(ended, SHOWN_S), text=str(count))
        for begun, ended, count in held(spans)
        if begun < SHOWN_S
    ]
    panel = {
        "drawing": "gantt",
        "title": f"The first {SHOWN_S} seconds. Numbers are batches; in the queue row, how many are waiting",
        "rows": [*names, "queue", "GPU"],
        "axis": {"label": "seconds", "low": 0, "high": SHOWN_S},
        "kinds": KINDS,
        "spans": bars,
    }
    return panel, [span for span in spans if span.kind == "waits"]


def show(*, prefetch: int, workers: int, slow_s: float, step_s: float) -> dict[str, Any]:
    """The simulated minute, and the waiting time in 200 steps for every depth, also with equal load times."""
    uneven = loads(STEPS, slow_s)
    mean_s = sum(uneven) / STEPS
    ways = {
        f"every tenth batch loads in {slow_s:g} s, the others in {FAST_S:g} s": uneven,
        f"every batch loads in {mean_s:g} s": [mean_s] * STEPS,
    }
    waits = [
        [waiting_seconds(load_s=load_s, step_s=step_s, prefetch=depth, workers=workers) for depth in DEPTHS]
        for load_s in ways.values()
    ]
    waited = waits[0][prefetch - 1]
    curves = {
        "drawing": "lines",
        "title": f"Waiting time of the GPU in {STEPS} steps, against prefetch depth",
        "x": {"label": "prefetched batches per worker", "low": 1, "high": DEPTHS[-1], "ticks": [(depth, str(depth)) for depth in DEPTHS]},
        "y": {"label": f"waiting time in {STEPS} steps, s", "low": 0, "high": 220 if max(map(max, waits)) <= 220 else 660},
        "lines": [
            {"name": name, "colour": colour, "dashed": colour == "blue", "points": [(depth, short(wait)) for depth, wait in zip(DEPTHS, found, strict=True)]}
            for name, found, colour in zip(ways, waits, ("orange", "blue"), strict=True)
        ],
        "marks": [{"x": prefetch, "y": short(waited), "text": f"{written(waited)} s", "colour": "orange"}],
    }  # fmt: skip
    played, stops = timeline(prefetch=prefetch, workers=workers, slow_s=slow_s, step_s=step_s)
    paced_s = fed_step_seconds(step_s=step_s, batch_s=mean_s, workers=workers)
    enough = [depth for depth, wait in zip(DEPTHS, waits[0], strict=True) if wait <= uneven[0] + 1e-9]
    facts = [
        (f"waiting time in {STEPS} steps", f"{written(waited)} s, {percent(waited / (waited + STEPS * step_s))} of the time"),
        ("step time in the long run, at best", f"{written(paced_s)} s, limited by {'loading' if paced_s > step_s else 'the GPU'}"),
        ("smallest depth that hides all but the first load", f"{enough[0]} per worker" if enough else f"none up to {DEPTHS[-1]}"),
    ]  # fmt: skip
    frames = []
    for place in range(1, FRAMES + 1):
        now = SHOWN_S * place / FRAMES
        so_far = sum(min(float(span.ended), now) - float(span.begun) for span in stops if span.begun < now)
        waited_so_far = ("waiting time so far", f"{written(so_far)} s of {now:g} s")
        frames.append({"panels": [{"now": short(now)} if place < FRAMES else {}, {}], "facts": [waited_so_far, *facts]})
    return {"panels": [played, curves], "frames": frames}


def predict() -> dict[str, Any]:
    """How long a GPU waits although loading is faster than its step on average."""
    wait = waiting_seconds(load_s=loads(STEPS, 12), step_s=2.5, prefetch=2)
    return {
        "ask": "A training step takes 2.5 s on the GPU. One worker loads nine of every ten batches in 1 s each and the tenth in 12 s, 2.1 s on "
        "average. It starts a batch only while fewer than two finished batches are in the queue. For how long does the GPU wait in 200 steps, which take 500 s of computing?",
        **choice(f"{written(wait)} s", ("0 s", "1 s", "141 s", "191 s", "420 s")),
        "why": "While a slow batch loads, the GPU has one batch to compute and one in the queue, 5 s of work, and waits for the remaining "
        "7 s of the 12. This happens 20 times, and the first batch takes 1 s. The spare loading time between slow batches does not help, because a full "
        "queue stops the worker.",
    }
