"""Ring attention under a causal mask: which blocks each rank computes when, and who waits for whom."""

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
TITLE = "A ring of keys and values under a causal mask"
FLOP_PER_S = 400e12  # attention, H100, 16 bits dense: FlashAttention-2 has 35 % of the peak, FlashAttention-3 up to 740e12: Shah et al. 2024, arXiv:2407.08608
LINKS = (
    *(link_bytes_per_s(link=name) for name in ("HDR", "NDR", "XDR")),
    fast_link_bytes_per_s(accelerator="H100-80GB"),
)
CONTROLS = {
    "layout": buttons("each rank has", {"one contiguous chunk": "contiguous", "a chunk from the head, one from the tail": "head and tail"}, start="one contiguous chunk"),
    "cp": slider("ranks", (2, 4, 8, 16), start="4"),
    "tokens": slider("tokens of the sequence", [2**power for power in range(12, 18)], start="32,768", words="{:,}".format ),
    "link_bytes_per_s": slider("link of a rank", LINKS, start="50 GB/s", words=lambda rate: f"{in_bytes(rate)}/s"),
    "model": buttons("model", ("Llama-2-7B", "Llama-3-8B"), start="Llama-3-8B"),
}  # fmt: skip
COLOURS = ("blue", "orange", "green", "grey")
FRAMES = 32


def block_seconds(*, layout: str, cp: int, tokens: int, model: str) -> list[list[float]]:
    """How long each rank computes in each hop, at 4 FLOP for each pair, query head and channel."""
    pair_s = 4 * models.heads(model=model) * models.head_dim(model=model) / FLOP_PER_S
    case = {"tokens": tokens, "cp": cp}
    if layout == "no mask":
        return [[(tokens // cp) ** 2 * pair_s] * cp] * cp
    return [
        [block_pairs(**case, rank=rank, hop=hop, layout=layout) * pair_s for hop in range(cp)] for rank in range(cp)
    ]


def hop_seconds(*, cp: int, tokens: int, link_bytes_per_s: float, model: str) -> float:
    """How long the keys and values of a chunk are on their way."""
    shape = {"kv_heads": models.kv_heads(model=model), "head_width": models.head_dim(model=model)}
    return hop_bytes(tokens_per_gpu=tokens // cp, **shape) / link_bytes_per_s


def show(*, layout: str, cp: int, tokens: int, link_bytes_per_s: float, model: str) -> dict[str, Any]:
    """Every block when it is computed, and the waiting between two blocks of a rank."""
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
        "title": f"Attention in one layer of {model} on {cp} ranks, {layout}; numbers say whose keys and values",
        "rows": [f"rank {rank}" for rank in range(cp)],
        "axis": {"label": "ms of one layer's attention, forward", "low": 0, "high": short(takes["contiguous"] * 1e3)},
        "kinds": _kinds(cp),
        "spans": _spans(play_hops(blocks, hop_s), cp),
    }
    return {
        "panels": [panel],
        "facts": [
            ("blocks that ranks compute", several if counts[0] != counts[-1] else f"{counts[0]} each"),
            ("attention takes", f"{in_time(takes[layout])}, {in_time(least)} if none were idle"),
            ("ranks are idle, all together", _share(1 - least / takes[layout])),
            ("the mask saves", _share(1 - takes[layout] / takes["no mask"])),
            ("a whole block", f"computed in {in_time(whole)}, at {written(FLOP_PER_S / 1e12)} TFLOP/s"),
            ("a hop", f"sent in {in_time(hop_s)}"),
        ],
        "frames": frames_until(takes[layout] * 1e3, FRAMES),
    }


def _kinds(cp: int) -> dict[str, dict[str, str]]:
    """A colour for the keys and values of each rank, shared by every fourth; and one for waiting."""
    kinds = {}
    for place, colour in enumerate(COLOURS[:cp]):
        owners = [str(rank) for rank in range(place, cp, len(COLOURS))]
        kinds[str(place)] = {"name": f"keys and values of rank {' or '.join(owners)}", "colour": colour}
    return {**kinds, "waits": {"name": "waits for keys and values", "colour": "purple"}}


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
    return f"{percent(max(0.0, round(part, 6)))} of the time"  # none is none, whatever the last digits are


def predict() -> dict[str, Any]:
    """How much time a mask saves that forbids half of the work."""
    blocks = slowest_over_average(cp=4) * 4 / 2  # of four, and under the mask a rank computes two on average
    return {
        "ask": "Four ranks share a long sequence, one contiguous chunk each, and every hop hides behind attention. A causal mask forbids "
        "half of the pairs, and all ranks skip them. How much of the time of attention does that save?",
        **choice(percent(1 - blocks / 4), ("0 %", "12.5 %", "25 %", "50 %", "87.5 %")),
        "why": f"The rank with the last chunk sees all chunks before it. It computes {written(blocks)} of 4 blocks, and the layer waits "
        "for it. A chunk from the head and one from the tail on each rank save 50 %.",
    }
