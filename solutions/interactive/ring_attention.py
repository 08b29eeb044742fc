"""Ring attention under a causal mask: when each rank computes which blocks, and when it waits."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..facts.hardware import fast_link_bytes_per_s, link_bytes_per_s
from ..oracles.tensor_and_context.context_parallel import Computed, play_hops
from ..shapes import models
from ..tensor_and_context.context_parallel import block_pairs, hop_bytes, ring_attention_seconds, slowest_over_average
from . import buttons, choice, frames_until, in_bytes, in_time, percent, short, slider, span, written

CHAPTER = "08-tensor-and-context-parallelism"
STILL = "ring-hops"
TITLE = "Ring attention under a causal mask"
FLOP_PER_S = 400e12  # attention, H100, 16 bits dense: FlashAttention-2 has 35 % of the peak, FlashAttention-3 up to 740e12: Shah et al. 2024, arXiv:2407.08608
LINKS = (
    *(link_bytes_per_s(link=name) for name in ("HDR", "NDR", "XDR")),
    fast_link_bytes_per_s(accelerator="H100-80GB"),
)
CONTROLS = {
    "layout": buttons("chunks of a rank", {"one, contiguous": "contiguous", "one from the head, one from the tail": "head and tail"}, start="one, contiguous"),
    "cp": slider("ranks", (2, 4, 8, 16), start="4"),
    "tokens": slider("sequence length", [2**power for power in range(12, 18)], start="32,768", words="{:,}".format ),
    "link_bytes_per_s": slider("link bandwidth, per direction", LINKS, start="50 GB/s", words=lambda rate: f"{in_bytes(rate)}/s"),
    "model": buttons("model", ("Llama-2-7B", "Llama-3-8B"), start="Llama-3-8B"),
}  # fmt: skip
COLOURS = ("blue", "orange", "green", "grey")
FRAMES = 32


def block_seconds(*, layout: str, cp: int, tokens: int, model: str) -> list[list[float]]:
    """Seconds that each rank computes in each hop, at 4 FLOP per pair, query head and channel."""
    pair_s = 4 * models.heads(model=model) * models.head_dim(model=model) / FLOP_PER_S
    case = {"tokens": tokens, "cp": cp}
    if layout == "no mask":
        return [[(tokens // cp) ** 2 * pair_s] * cp] * cp
    return [
        [block_pairs(**case, rank=rank, hop=hop, layout=layout) * pair_s for hop in range(cp)] for rank in range(cp)
    ]


def hop_seconds(*, cp: int, tokens: int, link_bytes_per_s: float, model: str) -> float:
    """Seconds to send the keys and values of a chunk."""
    shape = {"kv_heads": models.kv_heads(model=model), "head_width": models.head_dim(model=model)}
    return hop_bytes(tokens_per_gpu=tokens // cp, **shape) / link_bytes_per_s


def show(*, layout: str, cp: int, tokens: int, link_bytes_per_s: float, model: str) -> dict[str, Any]:
    """A timeline of all blocks, with the waiting time between two blocks of a rank."""
    hop_s = hop_seconds(cp=cp, tokens=tokens, link_bytes_per_s=link_bytes_per_s, model=model)
    computed = partial(block_seconds, cp=cp, tokens=tokens, model=model)
    blocks = computed(layout=layout)
    takes = {
        name: ring_attention_seconds(block_seconds=computed(layout=name)[-1], hop_s=hop_s)
        for name in ("contiguous", "head and tail", "no mask")
    }
    whole = computed(layout="no mask")[0][0]
    least = sum(map(sum, blocks)) / cp
    counts = [f"{round(sum(row) / whole, 1):g}" for row in blocks]
    several = ", ".join(counts) if cp <= 4 else f"{counts[0]} to {counts[-1]}"
    panel = {
        "drawing": "gantt",
        "title": f"Attention in one layer of {model} on {cp} ranks, {layout}; numbers are the owners of the keys and values",
        "rows": [f"rank {rank}" for rank in range(cp)],
        "axis": {"label": "forward attention of one layer, ms", "low": 0, "high": short(takes["contiguous"] * 1e3)},
        "kinds": _kinds(cp),
        "spans": _spans(play_hops(blocks, hop_s), cp),
    }
    return {
        "panels": [panel],
        "facts": [
            ("blocks per rank", several if counts[0] != counts[-1] else f"{counts[0]} each"),
            ("attention time", f"{in_time(takes[layout])}; {in_time(least)} if no rank ever waited"),
            ("average waiting time of a rank", _share(1 - least / takes[layout])),
            ("saved by the mask", _share(1 - takes[layout] / takes["no mask"])),
            ("full block", f"{in_time(whole)}, at {written(FLOP_PER_S / 1e12)} TFLOP/s"),
            ("hop", in_time(hop_s)),
        ],
        "frames": frames_until(takes[layout] * 1e3, FRAMES),
    }


def _kinds(cp: int) -> dict[str, dict[str, str]]:
    """A colour for the keys and values of each rank, repeating every four ranks, and one for waiting."""
    kinds = {}
    for place, colour in enumerate(COLOURS[:cp]):
        owners = [str(rank) for rank in range(place, cp, len(COLOURS))]
        kinds[str(place)] = {"name": f"keys and values of rank {' or '.join(owners)}", "colour": colour}
    return {**kinds, "waits": {"name": "waiting for keys and values", "colour": "purple"}}


def _spans(computed: list[Computed], cp: int) -> list[dict[str, Any]]:
    """A bar for each block, and one for each gap before the next block of the same rank."""
    spans = []
    for rank in range(cp):
        mine = [block for block in computed if block.rank == rank]
        for before, block in zip([None, *mine], mine, strict=False):
            if before and block.begun > before.ended:
                spans.append(span(rank, "waits", before.ended * 1e3, block.begun * 1e3))
            kind, whose = str(block.source % len(COLOURS)), str(block.source)
            spans.append(span(rank, kind, block.begun * 1e3, block.ended * 1e3, text=whose))
    return spans


def _share(part: float) -> str:
    return f"{percent(max(0.0, round(part, 6)))} of the time"  # rounding errors must not show as waiting time


def predict() -> dict[str, Any]:
    """How much time a mask saves when it removes half of the work."""
    blocks = slowest_over_average(cp=4) * 4 / 2  # of four, and under the mask a rank computes two on average
    return {
        "ask": "A long sequence is split over four ranks, one contiguous chunk each, and attention hides every hop. A causal mask removes "
        "half of the pairs, and all ranks skip them. How much attention time does that save?",
        **choice(percent(1 - blocks / 4), ("0 %", "12.5 %", "25 %", "50 %", "87.5 %")),
        "why": f"The rank with the last chunk attends to all chunks before it. It computes {written(blocks)} of 4 blocks, and the layer waits "
        "for it. With one chunk from the head and one from the tail on each rank, the mask would save 50 %.",
    }
