"""A backward pass beside the reductions of its gradients, and what of them is left exposed at its end."""

from __future__ import annotations

from typing import Any

from ..communication.overlap import exposed_tail_seconds, hidden_share
from ..oracles.communication.overlap import play_backward
from . import frames_until, in_time, percent, slider, span

CHAPTER = "05-communication-and-overlap"
STILL = "tail-of-a-backward-pass"
TITLE = "Gradients sent beside the backward pass"
CONTROLS = {
    "reduce_s": slider("all-reduce of a layer", [ms / 1e3 for ms in range(1, 13)], start="7 ms", words=in_time),
    "backward_s": slider("backward pass of a layer", [ms / 1e3 for ms in range(2, 11)], start="5 ms", words=in_time),
    "layers": slider("layers", (4, 6, 8, 12, 16), start="8"),
}
FRAMES = 24


def show(*, reduce_s: float, backward_s: float, layers: int) -> dict[str, Any]:
    """Both lanes; what the network does after the pass has ended is exposed."""
    spans = play_backward([backward_s] * layers, [reduce_s] * layers)
    computed = max(span.ended for span in spans if span.lane == "compute")
    ended = max(span.ended for span in spans)
    bars = []
    for part in spans:
        text = str(layers - part.what)
        if part.lane == "compute":
            bars.append(span(0, "computes", part.begun * 1e3, part.ended * 1e3, text=text))
            continue
        if part.begun < computed:
            bars.append(span(1, "hidden", part.begun * 1e3, min(part.ended, computed) * 1e3, text=text))
        if part.ended > computed:
            bars.append(span(1, "exposed", max(part.begun, computed) * 1e3, part.ended * 1e3, text=text))
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
    return {
        "panels": [panel],
        "facts": [
            ("the step waits for", in_time(tail)),
            ("hidden share of the traffic", percent(hidden)),
            ("backward pass", in_time(computed)),
        ],
        "frames": frames_until(ended * 1e3, FRAMES),
    }


def predict() -> dict[str, Any]:
    """How long the exposed tail is."""
    return {
        "ask": "Eight layers take 5 ms each in the backward pass, and 7 ms each on the network, which takes one at a time, "
        "as soon as it is computed. How long does the step wait for the network after the pass?",
        "unit": "ms",
        "answer": exposed_tail_seconds(layers=8, backward_s=5e-3, reduce_s=7e-3) * 1e3,
        "why": "The network falls 2 ms further behind with each of 7 layers, and the last layer is never hidden: 14 + 7.",
    }
