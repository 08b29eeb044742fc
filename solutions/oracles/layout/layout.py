"""Layouts, tried: ranks are placed one by one, layers dealt like cards; layouts are listed, and those that do not fit are dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..activations.activations import peak_in_flight
from ..pipeline.pipeline import play


@lru_cache(maxsize=512)
def data_parallel_replicas(*, gpus: int, tp: int, cp: int, pp: int) -> int:
    """Give every rank its coordinates, innermost axis first, and check that all replicas are complete."""
    rest = np.arange(gpus)
    for degree in (tp, cp, pp):
        rest = rest // degree
    members = np.bincount(rest)
    if (members != tp * cp * pp).any():
        raise ValueError("a replica is left incomplete")
    return len(members)


@lru_cache(maxsize=512)
def folded_expert_replicas(*, gpus: int, tp: int, cp: int, pp: int, ep: int, etp: int) -> int:
    """Assign each GPU its part of an expert, innermost axis first, and count the GPUs with the same part as GPU 0."""
    data_parallel_replicas(gpus=gpus, tp=tp, cp=cp, pp=pp)
    on_a_stage, odd = divmod(gpus, pp)
    parts = np.arange(on_a_stage) % (etp * ep)
    shares = np.bincount(parts, minlength=etp * ep)
    if odd or (shares != shares[0]).any() or not shares[0]:
        raise ValueError("a set of experts is left incomplete")
    return int(shares[0])


@lru_cache(maxsize=512)
def usable_gpus(*, gpus: int, failed_nodes: int, gpus_per_node: int, tp: int, cp: int, pp: int) -> int:
    """Switch nodes off, fill replicas with the GPUs that are left, and count the GPUs of complete replicas."""
    on = np.ones(gpus, dtype=bool)
    if failed_nodes * gpus_per_node > gpus:
        raise ValueError("more nodes failed than there are")
    for node in range(failed_nodes):
        on[node * gpus_per_node : (node + 1) * gpus_per_node] = False
    replicas = np.arange(int(on.sum())) // (tp * cp * pp)
    sizes = np.bincount(replicas)
    return int(sizes[sizes == tp * cp * pp].sum())


def racks_needed(
    *, tp: int, cp: int, pp: int, dp: int, gpus_per_node: int, spare_nodes: int, nodes_per_rack: int
) -> int:
    """Fill nodes with ranks, push them and the spares into racks one by one, and count the racks that were opened."""
    loads = np.bincount(np.arange(tp * cp * pp * dp) // gpus_per_node)
    if (loads != gpus_per_node).any():
        raise ValueError("a node is not filled")
    racks = places = 0
    for _ in range(len(loads) + spare_nodes):
        if places == 0:
            racks, places = racks + 1, nodes_per_rack
        places -= 1
    return racks


def nvlink_domains_needed(*, gpus: int, group_gpus: int, domain_gpus: int) -> int:
    """Place group after group, and open a domain when the last one has no room for another."""
    if group_gpus > domain_gpus:
        raise ValueError("a group does not fit")
    opened = room = placed = 0
    while placed < gpus:
        if room < group_gpus:
            opened, room = opened + 1, domain_gpus
        room -= group_gpus
        placed += group_gpus
    if placed != gpus:
        raise ValueError("a group is left incomplete")
    return opened


def layers_per_stage(*, layers: int, stages: int) -> tuple[int, ...]:
    """Deal the layers like cards, round by round, the middle of the pipeline first and its ends last."""
    if layers < stages:
        raise ValueError("a stage is left empty")
    ends = list(range(stages))
    last_served: list[int] = []
    while ends:  # the last stage is served after all others, the first one before it, and so on inwards
        last_served.append(ends.pop())
        if ends:
            last_served.append(ends.pop(0))
    held = [0] * stages
    dealt = 0
    while dealt < layers:
        for stage in reversed(last_served):
            if dealt < layers:
                held[stage] += 1
                dealt += 1
    return tuple(held)


def fuller_stages(*, layers: int, stages: int) -> int:
    """Deal the layers, and count the stages with the most."""
    held = layers_per_stage(layers=layers, stages=stages)
    return held.count(max(held))


@dataclass(frozen=True)
class Layout:
    """One way to use every GPU."""

    tp: int
    cp: int
    pp: int
    dp: int


@lru_cache(maxsize=64)
def _divisors(gpus: int) -> tuple[int, ...]:
    return tuple(number for number in range(1, gpus + 1) if gpus % number == 0)


def layouts(gpus: int, gpus_per_node: int, cp: int, max_stages: int) -> Iterator[Layout]:
    """Every layout with TP and PP powers of two, TP inside a node, and the product of the axes all GPUs."""
    for tp in (degree for degree in range(1, gpus_per_node + 1) if degree.bit_count() == 1):
        for pp in (degree for degree in range(1, max_stages + 1) if degree.bit_count() == 1):
            for dp in _divisors(gpus):
                if tp * cp * pp * dp == gpus:
                    yield Layout(tp, cp, pp, dp)


@lru_cache(maxsize=4096)
def _step_ticks(stages: int, micro_batches: int) -> Fraction:
    return Fraction(play(stages, micro_batches).ticks)


@lru_cache(maxsize=1024)
def best_layout(
    *,
    gpus: int,
    sequences: int,
    weight_bytes: int,
    activation_bytes: int,
    budget_bytes: int,
    cp: int,
    tp_percent: int,
    gpus_per_node: int = 8,
    max_stages: int = 32,
) -> tuple[int, int, int, int]:
    """List the layouts, fill the most loaded GPU of each, play the step of those that fit, and take the quickest."""
    timed = []
    for layout in layouts(gpus, gpus_per_node, cp, max_stages):
        if sequences % layout.dp:
            continue
        micro_batches = sequences // layout.dp
        in_flight = peak_in_flight(0, layout.pp, micro_batches)
        slices = layout.tp * layout.pp
        held = Fraction(weight_bytes, slices) + in_flight * Fraction(activation_bytes, slices * cp)
        if held <= budget_bytes:
            tick = Fraction(100 + tp_percent * (layout.tp - 1), layout.tp * cp * layout.pp)  # a sequence on one stage
            timed.append((tick * _step_ticks(layout.pp, micro_batches), layout))
    if not timed:
        raise ValueError("no layout fits")
    _, best = min(timed, key=lambda found: (found[0], found[1].tp))
    return best.tp, best.cp, best.pp, best.dp
