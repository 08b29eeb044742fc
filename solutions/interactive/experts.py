"""Token copies routed to eight experts, against their capacity: dropped copies, empty slots, and the most loaded GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..experts.expert_capacity import dropped_copies, expert_capacity, load_imbalance, rank_loads
from ..oracles.experts.expert_capacity import EXAMPLE_LOADS, uneven_loads
from . import buttons, choice, percent, short, slider, written

CHAPTER = "12-expert-parallelism"
STILL = "dropped-and-empty"
TITLE = "Capacity of eight experts"
PLAYS = "capacity_factor"
COPIES, EXPERTS = sum(EXAMPLE_LOADS), len(EXAMPLE_LOADS)  # as many experts as Mixtral 8x7B has in a layer
FACTORS = (1, 1.1, 1.25, 1.5, 1.75, 2, 2.25, 2.5)
IMBALANCES = (1, 1.1, 1.25, 1.5, 1.75, 2, load_imbalance(loads=EXAMPLE_LOADS), 2.5)
IN_ORDER, MIXED = tuple(range(EXPERTS)), (0, 7, 1, 6, 2, 5, 3, 4)  # placement on the GPUs, one after the other
CONTROLS = {
    "capacity_factor": slider("capacity factor", FACTORS, start="1.25", words=written),
    "imbalance": slider("load imbalance of the experts", IMBALANCES, start="2.25", words=written),
    "held": buttons(
        "experts per GPU",
        {
            "one": (8, IN_ORDER),
            "two neighbours": (4, IN_ORDER),
            "one from each end": (4, MIXED),
            "four neighbours": (2, IN_ORDER),
        },
        start="one",
    ),
}
KINDS = {
    "computed": {"name": "computed copies", "colour": "blue"},
    "dropped": {"name": "dropped copies", "colour": "orange"},
    "empty": {"name": "empty slots", "colour": "grey"},
}


def room_of(factor: float) -> int:
    """Capacity of an expert, in copies."""
    return expert_capacity(tokens=COPIES, experts=EXPERTS, experts_per_token=1, capacity_factor=factor)


def shares(loads: Sequence[int], factor: float) -> dict[str, float]:
    """The share of dropped copies, and the share of empty slots."""
    dropped = dropped_copies(loads=loads, capacity_factor=factor)
    return {"dropped": dropped / COPIES, "empty": 1 - (COPIES - dropped) / (EXPERTS * room_of(factor))}


def show(*, capacity_factor: float, imbalance: float, held: tuple[int, tuple[int, ...]]) -> dict[str, Any]:
    """The load of each expert, and dropped copies and empty slots against the capacity factor."""
    loads, room = uneven_loads(imbalance=imbalance), room_of(capacity_factor)
    rows = []
    for expert, load in enumerate(loads):
        sizes = {"computed": min(load, room), "dropped": max(0, load - room), "empty": max(0, room - load)}
        parts = [{"kind": kind, "size": size, "text": f"{size:,}"} for kind, size in sizes.items() if size]
        rows.append({"name": f"expert {expert}", "parts": parts})
    bars = {
        "drawing": "bars",
        "title": f"Copies routed to eight experts, each with a capacity of {room:,}",
        "axis": {"label": "copies", "high": max(IMBALANCES) * COPIES / EXPERTS},
        "kinds": KINDS,
        "rows": rows,
        "limit": {"at": room, "text": f"capacity {room:,}"},
    }
    curves = {factor: shares(loads, factor) for factor in [1 + place / 60 for place in range(91)]}
    here = shares(loads, capacity_factor)
    against = {
        "drawing": "lines",
        "title": "Dropped copies and empty slots against the capacity factor",
        "x": {"label": "capacity factor", "low": 1, "high": 2.5},
        "y": {"label": "% of copies or slots", "low": 0, "high": 70},
        "lines": [
            {**KINDS[kind], "points": [(short(factor), short(100 * found[kind])) for factor, found in curves.items()]}
            for kind in here
        ],
        "marks": [
            {"x": capacity_factor, "text": f"factor {written(capacity_factor)}"},
            *({"x": capacity_factor, "y": short(100 * here[kind]), "colour": KINDS[kind]["colour"]} for kind in here),
        ],
    }
    gpus, order = held
    on_gpus = rank_loads(loads=[loads[expert] for expert in order], ep=gpus)
    buffers = room * EXPERTS // gpus
    mean = COPIES / gpus
    return {
        "panels": [bars, against],
        "facts": [
            ("dropped copies", percent(here["dropped"])),
            ("empty slots", percent(here["empty"])),
            ("no copy is dropped from", f"a capacity factor of {written(load_imbalance(loads=loads))}"),
            ("every GPU, with padded buffers", f"{buffers:,} copies, {written(buffers / mean)} × the mean"),
            ("most loaded GPU, dropless", f"{max(on_gpus):,} copies, {written(max(on_gpus) / mean)} × the mean"),
        ],
    }


def predict() -> dict[str, Any]:
    """How the placement of experts changes the load of the most loaded GPU, when no copy is dropped."""
    gpus = EXPERTS // 2
    mean = COPIES / gpus
    neighbours, paired = (
        max(rank_loads(loads=[EXAMPLE_LOADS[expert] for expert in order], ep=gpus)) for order in (IN_ORDER, MIXED)
    )
    first = max(EXAMPLE_LOADS)
    alone = EXPERTS * first / COPIES  # the most loaded of eight GPUs with one expert each
    return {
        "ask": f"The router sends {', '.join(f'{load:,}' for load in EXAMPLE_LOADS[:-1])} and {EXAMPLE_LOADS[-1]} copies to eight experts, and none is "
        f"dropped. Each of four GPUs holds two neighbours of this list, and the most loaded one computes {written(neighbours / mean)} times the mean per GPU. "
        "Now pair the experts from both ends instead: the first with the last, the second with the second to last, and so on. What is the load of the "
        "most loaded GPU?",
        **choice(f"{written(paired / mean)} times the mean", (f"{written(times)} times the mean" for times in (1, first / mean, paired / mean, neighbours / mean, alone))),
        "why": f"It computes {first:,} and {paired - first:,} copies, and the mean is {mean:,.0f}. All GPUs wait for the most loaded one, so it helps to pair "
        f"a busy expert with a lightly loaded one. Its load cannot fall below the {first:,} copies of the busiest expert.",
    }  # fmt: skip
