"""A ring all-reduce, simulated step by step, with the bytes sent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..oracles.ring.ring import snapshots
from ..ring.ring import bytes_sent_per_gpu
from . import choice, in_bytes, in_time, slider

CHAPTER = "01-ring-all-reduce"
STILL = "chunks-on-a-ring"
TITLE = "A ring all-reduce, step by step"
CONTROLS = {
    "gpus": slider("GPUs", (2, 3, 4, 5, 6, 8), start="4"),
    "message_bytes": slider("message size", (100e6, 1e9, 4e9, 16.1e9), start="1 GB", words=in_bytes),
    "link_bytes_per_s": slider(
        "link bandwidth, per direction", (25e9, 50e9, 450e9), start="50 GB/s", words=lambda rate: f"{in_bytes(rate)}/s"
    ),
}


def show(*, gpus: int, message_bytes: float, link_bytes_per_s: float) -> dict[str, Any]:
    """The chunks on every GPU after each step; each step sends one chunk over every link."""
    boards = snapshots(gpus=gpus)
    chunk_bytes = message_bytes / gpus
    frames = []
    for step, board in enumerate(boards):
        adds = step < gpus
        sends = [] if step == 0 else _sent(boards[step - 1], board, adds)
        phase = "before the first step" if step == 0 else "reduce-scatter: add" if adds else "all-gather: copy"
        frames.append(
            {
                "panels": [{"held": board.tolist(), "sends": sends, "text": f"step {step} of {len(boards) - 1}"}],
                "facts": [
                    ("phase", phase),
                    ("chunk size", in_bytes(chunk_bytes)),
                    ("sent by each GPU so far", in_bytes(step * chunk_bytes) if step else "nothing"),
                    (
                        "time so far, ignoring latency",
                        in_time(step * chunk_bytes / link_bytes_per_s) if step else "0 s",
                    ),
                    ("finished chunks on each GPU", f"{int((board == gpus).sum()) / gpus:g} of {gpus}"),
                ],
            }
        )
    title = f"{gpus} GPUs in a ring, each with {gpus} chunks; numbers count the contributions in a chunk"
    return {"panels": [{"drawing": "ring", "title": title}], "frames": frames, "starts_at": 0}


def _sent(before: NDArray[np.int32], after: NDArray[np.int32], adds: bool) -> list[dict[str, Any]]:
    """The chunk that each GPU sent to its right neighbour: the one that changed there."""
    changed = before != after
    return [{"chunk": int(np.flatnonzero(row)[0]), "adds": adds} for row in np.roll(changed, -1, axis=0)]


def predict() -> dict[str, Any]:
    """How much a GPU sends."""
    sent = bytes_sent_per_gpu(message_bytes=1e9, gpus=4)
    return {
        "ask": "Four GPUs sum their gradients in a ring all-reduce, 1 GB per GPU. How much does each GPU send?",
        **choice(in_bytes(sent), ("750 MB", "1 GB", "1.5 GB", "2 GB", "3 GB")),
        "why": "In each step, a GPU sends one chunk, a quarter of the message. The reduce-scatter has three steps, and the all-gather another three.",
    }
