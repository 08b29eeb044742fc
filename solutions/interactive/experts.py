"""Copies that eight experts are asked for against the room that they have: what is dropped, what stays empty, who is slowest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..experts.expert_capacity import dropped_copies, expert_capacity, load_imbalance, rank_loads
from ..oracles.experts.expert_capacity import EXAMPLE_LOADS, uneven_loads
from . import buttons, choice, percent, short, slider, written

CHAPTER = "12-expert-parallelism"
STILL = "dropped-and-empty"
TITLE = "Room for the copies of eight experts"
PLAYS = "capacity_factor"
COPIES, EXPERTS = sum(EXAMPLE_LOADS), len(EXAMPLE_LOADS)  # as many experts as Mixtral 8x7B has in a layer
FACTORS = (1, 1.1, 1.25, 1.5, 1.75, 2, 2.25, 2.5)
IMBALANCES = (1, 1.1, 1.25, 1.5, 1.75, 2, load_imbalance(loads=EXAMPLE_LOADS), 2.5)
IN_ORDER, MIXED = tuple(range(EXPERTS)), (0, 7, 1, 6, 2, 5, 3, 4)  # as they lie on the GPUs, one after the other
CONTROLS = {
    "capacity_factor": slider("capacity factor", FACTORS, start="1.25", words=written),
    "imbalance": slider("imbalance of the experts", IMBALANCES, start="2.25", words=written),
    "held": buttons(
        "each GPU holds",
        {
            "one expert": (8, IN_ORDER),
            "two neighbours": (4, IN_ORDER),
            "one from the top, one from the bottom": (4, MIXED),
            "four neighbours": (2, IN_ORDER),
        },
        start="one expert",
    ),
}
KINDS = {
    "computed": {"name": "copies computed", "colour": "blue"},
    "dropped": {"name": "copies dropped", "colour": "orange"},
    "empty": {"name": "places empty", "colour": "grey"},
}


def room_of(factor: float) -> int:
    """How many copies an expert has room for."""
    return expert_capacity(tokens=COPIES, experts=EXPERTS, experts_per_token=1, capacity_factor=factor)


def shares(loads: Sequence[int], factor: float) -> dict[str, float]:
    """The share of the copies that is dropped, and that of the places which stay empty."""
    dropped = dropped_copies(loads=loads, capacity_factor=factor)
    return {"dropped": dropped / COPIES, "empty": 1 - (COPIES - dropped) / (EXPERTS * room_of(factor))}


def show(*, capacity_factor: float, imbalance: float, held: tuple[int, tuple[int, ...]]) -> dict[str, Any]:
    """The experts one by one, and what each factor drops and leaves empty."""
    loads, room = uneven_loads(imbalance=imbalance), room_of(capacity_factor)
    rows = []
    for expert, load in enumerate(loads):
        sizes = {"computed": min(load, room), "dropped": max(0, load - room), "empty": max(0, room - load)}
        parts = [{"kind": kind, "size": size, "text": f"{size:,}"} for kind, size in sizes.items() if size]
        rows.append({"name": f"expert {expert}", "parts": parts})
    bars = {
        "drawing": "bars",
        "title": f"Copies that eight experts are asked for, with room for {room:,} at each",
        "axis": {"label": "copies", "high": max(IMBALANCES) * COPIES / EXPERTS},
        "kinds": KINDS,
        "rows": rows,
        "limit": {"at": room, "text": f"room for {room:,}"},
    }
    curves = {factor: shares(loads, factor) for factor in [1 + place / 60 for place in range(91)]}
    here = shares(loads, capacity_factor)
    against = {
        "drawing": "lines",
        "title": "Copies dropped and places empty against the capacity factor",
        "x": {"label": "capacity factor", "low": 1, "high": 2.5},
        "y": {"label": "% of the copies, or of the places", "low": 0, "high": 70},
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
            ("copies dropped", percent(here["dropped"])),
            ("places empty", percent(here["empty"])),
            ("nothing is dropped from", f"a factor of {written(load_imbalance(loads=loads))}"),
            ("every GPU, with whole buffers", f"{buffers:,} copies, {written(buffers / mean)} × the mean"),
            ("fullest GPU, dropless", f"{max(on_gpus):,} copies, {written(max(on_gpus) / mean)} × the mean"),
        ],
    }


def predict() -> dict[str, Any]:
    """What the place of an expert does to the fullest GPU, where nothing is dropped."""
    gpus = EXPERTS // 2
    mean = COPIES / gpus
    neighbours, paired = (
        max(rank_loads(loads=[EXAMPLE_LOADS[expert] for expert in order], ep=gpus)) for order in (IN_ORDER, MIXED)
    )
    first = max(EXAMPLE_LOADS)
    alone = EXPERTS * first / COPIES  # the fullest of eight GPUs with one expert each
    return {
        "ask": f"Eight experts are asked for {', '.join(f'{load:,}' for load in EXAMPLE_LOADS[:-1])} and {EXAMPLE_LOADS[-1]} copies, and none is "
        f"dropped. Each of four GPUs holds two neighbours of this list, so that the fullest computes {written(neighbours / mean)} times the mean of a GPU. "
        "Now each holds one from the top and one from the bottom: the first and the last, the second and the last but one, and so on. What does the "
        "fullest compute?",
        **choice(f"{written(paired / mean)} times the mean", (f"{written(times)} times the mean" for times in (1, first / mean, paired / mean, neighbours / mean, alone))),
        "why": f"It has {first:,} and {paired - first:,} copies, where the mean is {mean:,.0f}. All wait for the GPU with the most, so a full expert does "
        f"little harm beside an empty one. No partner makes it less than the {first:,} of the full one alone.",
    }  # fmt: skip
