"""Unequal stages, by other roads: FLOP listed matrix by matrix, steps played, layers moved one by one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .pipeline import play_orders
from .schedules import gpipe


def head_in_layers(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int) -> float:
    """List the matrices of a layer as rows and columns, and multiply one token through each of them and the head."""
    head = hidden // heads
    shapes = [(hidden, heads * head), (heads * head, hidden)]
    shapes += [(hidden, kv_heads * head)] * 2
    shapes += [(hidden, ffn_hidden)] * 2 + [(ffn_hidden, hidden)]
    layer_flop = sum(2 * rows * columns for rows, columns in shapes)
    return float(Fraction(2 * hidden * vocabulary, layer_flop))


def unequal_step_seconds(*, stage_seconds: Sequence[float], micro_batches: int) -> float:
    """Play GPipe with a rank for each stage, a third of its time forward."""
    ticks = [{"F": Fraction(seconds) / 3, "B": Fraction(seconds) * 2 / 3} for seconds in stage_seconds]
    orders = [gpipe(rank, len(ticks), micro_batches) for rank in range(len(ticks))]
    return float(play_orders(orders, [dict(each) for each in ticks]).ticks)


def _loads(layers: int, stages: int, last_stage_layers: int, head_layers: float) -> list[Fraction]:
    """Deal all other layers one by one to the emptiest of the other stages."""
    loads = [Fraction(0)] * (stages - 1)
    for _ in range(layers - last_stage_layers):
        loads[loads.index(min(loads))] += 1
    return [*loads, last_stage_layers + Fraction(head_layers)]


def slowest_stage_layers(*, layers: int, stages: int, last_stage_layers: int, head_layers: float) -> float:
    """Deal the layers, and look for the most loaded stage."""
    loads = _loads(layers, stages, last_stage_layers, head_layers)
    if min(loads) <= 0:
        raise ValueError("a stage is empty")
    return float(max(loads))


def best_last_stage(*, layers: int, stages: int, head_layers: float) -> int:
    """Deal layer by layer to the emptiest stage, which gives the quickest pace; then let the last stage take most at that pace."""
    if stages < 2 or layers < stages - 1:
        raise ValueError("too few layers")
    loads = [Fraction(0)] * (stages - 1) + [Fraction(head_layers)]
    for _ in range(layers):
        loads[loads.index(min(loads))] += 1
    pace = max(loads)
    return max(x for x in range(layers - stages + 2) if max(_loads(layers, stages, x, head_layers)) <= pace)


def gain_of_the_best_split(*, layers: int, stages: int, head_layers: float) -> float:
    """Deal evenly, and deal to the emptiest stage with the head dealt first; compare the fullest stages."""
    if layers % stages or stages < 2:
        raise ValueError("no even split")
    even = _loads(layers, stages, layers // stages, head_layers)
    best = [Fraction(0)] * (stages - 1) + [Fraction(head_layers)]
    for _ in range(layers):
        best[best.index(min(best))] += 1
    return float(max(even) / max(best) - 1)
