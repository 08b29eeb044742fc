"""A backward pass overlapped with the all-reduces of its gradients, and the exposed communication at its end."""

from __future__ import annotations

from typing import Any

from ..communication.overlap import exposed_tail_seconds, hidden_share
from ..oracles.communication.overlap import play_backward
from . import frames_until, in_time, percent, slider, span

CHAPTER = "05-communication-and-overlap"
STILL = "tail-of-a-backward-pass"
TITLE = "Gradient communication overlapped with the backward pass"
CONTROLS = {
    "reduce_s": slider("all-reduce time per layer", [ms / 1e3 for ms in range(1, 13)], start="7 ms", words=in_time),
    "backward_s": slider("backward pass per layer", [ms / 1e3 for ms in range(2, 11)], start="5 ms", words=in_time),
    "layers": slider("layers", (4, 6, 8, 12, 16), start="8"),
}
FRAMES = 24


def show(*, reduce_s: float, backward_s: float, layers: int) -> dict[str, Any]:
    """Both lanes; communication after the end of the backward pass is exposed."""
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
        "title": f"Backward pass of {layers} layers, overlapped with communication; numbers are layers",
        "rows": ["backward", "network"],
        "axis": {"label": "ms since the start of the backward pass", "low": 0, "high": ended * 1e3},
        "kinds": {
            "computes": {"name": "computing", "colour": "blue"},
            "hidden": {"name": "hidden communication", "colour": "green"},
            "exposed": {"name": "exposed communication", "colour": "orange"},
        },
        "spans": bars,
        "marks": [{"x": computed * 1e3, "text": "end of the backward pass"}],
    }
    tail = exposed_tail_seconds(layers=layers, backward_s=backward_s, reduce_s=reduce_s)
    hidden = hidden_share(layers=layers, backward_s=backward_s, reduce_s=reduce_s)
    return {
        "panels": [panel],
        "facts": [
            ("exposed communication", in_time(tail)),
            ("hidden share of communication", percent(hidden)),
            ("backward pass", in_time(computed)),
        ],
        "frames": frames_until(ended * 1e3, FRAMES),
    }


def predict() -> dict[str, Any]:
    """How long the exposed tail is."""
    return {
        "ask": "A model has eight layers. The backward pass of each takes 5 ms, and the all-reduce of its gradients 7 ms. An all-reduce starts "
        "as soon as the layer's gradients are computed and the previous all-reduce is done. How long does communication continue after the backward pass?",
        "unit": "ms",
        "answer": exposed_tail_seconds(layers=8, backward_s=5e-3, reduce_s=7e-3) * 1e3,
        "why": "Communication falls behind by another 2 ms for each of 7 layers, and the last all-reduce is never hidden: 14 + 7.",
    }
