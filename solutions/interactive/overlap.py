"""A backward pass beside the reductions of its gradients, and what of them is left exposed at its end."""

from __future__ import annotations

from typing import Any

from ..communication.overlap import exposed_tail_seconds, hidden_share
from ..oracles.communication.overlap import play_backward
from . import in_time, options, percent, short

CHAPTER = "05-communication-and-overlap"
STILL = "tail-of-a-backward-pass"
TITLE = "Gradients sent beside the backward pass"
CONTROLS = {
    "reduce_s": {
        "label": "all-reduce of a layer",
        "options": options([ms / 1e3 for ms in range(1, 13)], in_time),
        "start": "7 ms",
    },
    "backward_s": {
        "label": "backward pass of a layer",
        "options": options([ms / 1e3 for ms in range(2, 11)], in_time),
        "start": "5 ms",
    },
    "layers": {"label": "layers", "options": options((4, 6, 8, 12, 16)), "start": "8"},
}
FRAMES = 24


def show(*, reduce_s: float, backward_s: float, layers: int) -> dict[str, Any]:
    """Both lanes; what the network does after the pass has ended is exposed."""
    spans = play_backward([backward_s] * layers, [reduce_s] * layers)
    computed = max(span.ended for span in spans if span.lane == "compute")
    ended = max(span.ended for span in spans)
    bars = []
    for span in spans:
        text = str(layers - span.what)
        if span.lane == "compute":
            bars.append(_bar(0, "computes", span.begun, span.ended, text))
            continue
        if span.begun < computed:
            bars.append(_bar(1, "hidden", span.begun, min(span.ended, computed), text))
        if span.ended > computed:
            bars.append(_bar(1, "exposed", max(span.begun, computed), span.ended, text))
    panel = {
        "drawing": "gantt",
        "title": f"The backward pass of {layers} layers and the network beside it; numbers are layers",
        "rows": ["backward", "network"],
        "axis": {"label": "ms since the pass began", "low": 0, "high": ended * 1e3},
        "kinds": {
            "computes": {"name": "computes", "colour": "blue"},
            "hidden": {"name": "sends beside the computation", "colour": "green"},
            "exposed": {"name": "sends while the GPU waits", "colour": "orange"},
        },
        "spans": bars,
        "marks": [{"x": computed * 1e3, "text": "the pass ends"}],
    }
    tail = exposed_tail_seconds(layers=layers, backward_s=backward_s, reduce_s=reduce_s)
    hidden = hidden_share(layers=layers, backward_s=backward_s, reduce_s=reduce_s)
    frames = [{"panels": [{"now": short(ended * 1e3 * (place + 1) / FRAMES)}]} for place in range(FRAMES - 1)]
    return {
        "panels": [panel],
        "facts": [
            ("the step waits for", in_time(tail)),
            ("hidden share of the traffic", percent(hidden)),
            ("backward pass", in_time(computed)),
        ],
        "frames": [*frames, {"panels": [{}]}],
    }


def _bar(row: int, kind: str, begun: float, ended: float, text: str) -> dict[str, Any]:
    return {"row": row, "kind": kind, "from": short(begun * 1e3), "to": short(ended * 1e3), "text": text}


def predict() -> dict[str, Any]:
    """How long the exposed tail is."""
    return {
        "ask": "Eight layers take 5 ms each in the backward pass, and 7 ms each on the network, which takes one at a time, "
        "as soon as it is computed. How long does the step wait for the network after the pass?",
        "unit": "ms",
        "answer": exposed_tail_seconds(layers=8, backward_s=5e-3, reduce_s=7e-3) * 1e3,
        "why": "The network falls 2 ms further behind with each of 7 layers, and the last layer is never hidden: 14 + 7.",
    }
