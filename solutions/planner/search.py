"""All layouts of a model on a cluster: those that run and fit, best first, and the Pareto front of memory against MFU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from .faults import precision_faults
from .judging import Plan
from .memory import memory
from .shapes import Batch, Cluster, Layout, Model, divisors
from .stacks import stack
from .time import step


@dataclass(frozen=True)
class Limits:
    """Limits of a search. Without `memory_bytes`, a layout may use all of GPU memory; TP stays inside a node.

    ZeRO-3 shards over each of `shard_groups`, by default over all ranks and over those of a node (HSDP).
    """

    max_tp: int = 64
    max_cp: int = 16
    max_pp: int = 64
    max_ep: int = 64
    micro_batches: tuple[int, ...] = (1, 2, 4)
    virtual_stages: tuple[int, ...] = (1, 2, 4, 8)
    zero: tuple[int, ...] = (1, 2, 3)
    recompute: tuple[str, ...] = ("none", "selective", "full")
    shard_groups: tuple[int, ...] = ()
    offload: str = "none"
    state_bytes: int = 12
    precision: str = "bf16"
    software: str = "megatron-2024"
    memory_bytes: float | None = None
    min_mfu: float = 0.0


def layouts(model: Model, cluster: Cluster, batch: Batch, limits: Limits | None = None) -> Iterator[Layout]:
    """Yield every layout within the limits that satisfies all constraints but memory: its degrees multiply to the number of GPUs.

    Raises:  ValueError for a precision that the chip does not compute in.

    ZeRO stage 3 is tried only without a pipeline: in one, it gathers all weights again for every micro-batch, or keeps them whole.

    >>> toy = Model("toy", 8, 1024, 4096, 8, 8, 32000)
    >>> {layout.tp * layout.cp * layout.pp * layout.dp for layout in layouts(toy, Cluster("H100-80GB", 8), Batch(64, 2048))}
    {8}
    """
    limits = limits or Limits()
    for fault in precision_faults(cluster, limits.precision):
        raise ValueError(fault.words)
    for tp in divisors(cluster.gpus, min(limits.max_tp, cluster.gpus_per_node)):
        if model.heads % tp or model.ffn_hidden % tp or (model.kv_heads % tp and tp % model.kv_heads):
            continue
        if model.recurrence and (model.recurrence.key_heads % tp or model.recurrence.value_heads % tp):
            continue
        for cp in divisors(cluster.gpus // tp, limits.max_cp):
            if batch.sequence % (2 * cp if cp > 1 else 1) or batch.sequence % (tp * cp):
                continue
            for pp in divisors(cluster.gpus // tp // cp, min(limits.max_pp, model.layers)):
                dp = cluster.gpus // tp // cp // pp
                if batch.global_batch % dp == 0:
                    yield from _of_degrees(model, cluster, batch, limits, tp, cp, pp, dp)


def _shard_groups(cluster: Cluster, limits: Limits, zero: int, tp: int, ranks: int) -> tuple[int, ...]:
    """Return the shard groups to try: 0 for all ranks, and those that divide them."""
    if limits.shard_groups:
        return tuple(group for group in limits.shard_groups if ranks % max(1, group) == 0)
    inside, rest = divmod(cluster.gpus_per_node, tp)
    return (0, inside) if zero == 3 and not rest and 1 < inside < ranks and ranks % inside == 0 else (0,)


def _of_degrees(
    model: Model, cluster: Cluster, batch: Batch, limits: Limits, tp: int, cp: int, pp: int, dp: int
) -> Iterator[Layout]:
    degrees = [1]
    if model.experts:
        degrees = [ep for ep in divisors(model.experts, limits.max_ep) if tp * cp * dp % ep == 0]
    for micro_batch in limits.micro_batches:
        passes, rest = divmod(batch.global_batch, dp * micro_batch)
        if rest:
            continue
        for chunks in limits.virtual_stages:
            if chunks > 1 and (pp == 1 or pp * chunks > model.layers or passes % pp):
                continue
            for zero in limits.zero:
                if zero == 3 and pp > 1:
                    continue
                for group in _shard_groups(cluster, limits, zero, tp, dp * cp):
                    for recompute in limits.recompute:
                        for ep in degrees:
                            yield Layout(
                                tp=tp, cp=cp, pp=pp, dp=dp, ep=ep, virtual_stages=chunks, zero=zero,
                                micro_batch=micro_batch, recompute=recompute, shard_group=group, offload=limits.offload,
                                schedule="interleaved" if chunks > 1 else "1f1b", precision=limits.precision,
                                software=limits.software, state_bytes=limits.state_bytes,
                            )  # fmt: skip


def search(model: Model, cluster: Cluster, batch: Batch, *, limits: Limits | None = None) -> tuple[Plan, ...]:
    """Return all layouts that run and fit, ranked.

    >>> toy = Model("toy", 8, 1024, 4096, 8, 8, 32000)
    >>> best = search(toy, Cluster("H100-80GB", 8), Batch(64, 2048))[0]
    >>> best.layout.tp, best.layout.dp, best.layout.recompute
    (1, 8, 'none')
    """
    return ranked(plan for plan in tried(model, cluster, batch, limits=limits) if plan)


def tried(model: Model, cluster: Cluster, batch: Batch, *, limits: Limits | None = None) -> Iterator[Plan | None]:
    """Try each layout in turn: yield its plan, or None where it does not fit or is too slow. The caller may stop at any time.

    >>> toy = Model("toy", 8, 1024, 4096, 8, 8, 32000)
    >>> next(tried(toy, Cluster("H100-80GB", 8), Batch(64, 2048))).fits
    True
    """
    limits = limits or Limits()
    software = stack(limits.software, cluster.accelerator, sinks=model.sinks)
    limits = replace(limits, software=software.planned)
    room = min(limits.memory_bytes or cluster.memory_bytes, cluster.memory_bytes)
    for layout in layouts(model, cluster, batch, limits):
        held = memory(model, layout, batch)
        if sum(held.values()) > room:
            yield None
            continue
        plan = Plan(model, cluster, layout, batch, held, step(model, cluster, layout, batch), (), software)
        yield plan if not limits.min_mfu or plan.mfu >= limits.min_mfu else None


def ranked(plans: Iterable[Plan]) -> tuple[Plan, ...]:
    """Rank plans: those that fit before those that are tight, fastest first; among equally fast ones, the one with less memory first.

    >>> toy = Model("toy", 8, 1024, 4096, 8, 8, 32000)
    >>> slow, quick = (Plan(toy, Cluster("H100-80GB", 8), Layout(), Batch(8, 2048), {}, {"compute": s}, ()) for s in (2.0, 1.0))
    >>> ranked([slow, quick]) == (quick, slow)
    True
    """
    return tuple(sorted(plans, key=lambda plan: (plan.fit != "yes", plan.step_s, plan.memory_bytes)))


def pareto(rows: tuple[Plan, ...]) -> tuple[Plan, ...]:
    """Return the Pareto front of step time and memory: the layouts that no other layout beats in both, fastest first.

    >>> toy = Model("toy", 8, 1024, 4096, 8, 8, 32000)
    >>> front = pareto(search(toy, Cluster("H100-80GB", 8), Batch(64, 2048)))
    >>> [plan.memory_bytes for plan in front] == sorted((plan.memory_bytes for plan in front), reverse=True)
    True
    """
    front: list[Plan] = []
    for row in sorted(rows, key=lambda plan: (plan.step_s, plan.memory_bytes)):
        if not front or row.memory_bytes < front[-1].memory_bytes:
            front.append(row)
    return tuple(front)
