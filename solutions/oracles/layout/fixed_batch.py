"""A given batch, dealt out: sequences go to replicas, pipelines and forward passes are played, and GPUs are added until it no longer works."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from ..pipeline.pipeline import bubble_overhead
from ..search import bisect
from ..zero.fsdp import played_forward

LAYERS, WEIGHTS = 6, 10**8  # of the model whose forward pass is played; both cancel


def gpus_at_bubble(
    *, sequences: int, micro_batch: int, tp: int, cp: int, pp: int, virtual_stages: int, overhead: float
) -> float:
    """Bisect for the replicas: the waiting of a played pipeline is the same for any number of micro-batches."""
    if pp == 1:
        raise ValueError("one stage has no bubble")
    waits = _played_overhead(pp, 1, virtual_stages)  # the overhead of a single micro-batch is its wait

    def too_few_micro_batches(dp: float) -> float:
        return waits - overhead * (sequences / micro_batch / dp)

    replicas = bisect(too_few_micro_batches, 1e-9, 1e6, rounds=80)
    return replicas * tp * cp * pp


@lru_cache(maxsize=1024)
def _played_overhead(stages: int, micro_batches: int, virtual_stages: int) -> float:
    waits = float(bubble_overhead(stages=stages, micro_batches=stages * 2, virtual_stages=virtual_stages)) * stages * 2
    return waits / micro_batches


def most_gpus(
    *, sequences: int, micro_batch: int, tp: int, cp: int, pp: int, virtual_stages: int, overhead: float
) -> int:
    """Deal the micro-batches to ever more replicas, and keep the most that get equal numbers and wait little enough."""
    passes, rest = divmod(sequences, micro_batch)
    if rest:
        raise ValueError("a micro-batch is left incomplete")
    found = 0
    for dp in range(1, passes + 1):
        each, left_over = divmod(passes, dp)
        if not left_over and _played_overhead(pp, each, virtual_stages) <= overhead * (1 + 1e-9):
            found = dp
    if not found:
        raise ValueError("even one replica waits too long")
    return len(range(found)) * tp * cp * pp


def tp_beside_fsdp(
    *,
    gpus: int,
    sequences: int,
    sequence_length: int,
    flop_per_s: float,
    port_bytes_per_s: float,
    gpus_per_node: int = 8,
    max_tp: int = 8,
) -> int:
    """Play a node's forward pass, with the slices of a layer arriving through its ports; then deal sequences to ever larger groups."""
    tokens_of_a_gpu = sequences * sequence_length / gpus
    slices = [2 * WEIGHTS / gpus_per_node for _ in range(gpus_per_node)]
    gather_s = max(slice_bytes / port_bytes_per_s for slice_bytes in slices)
    compute_s = 2 * WEIGHTS * tokens_of_a_gpu / flop_per_s
    played = played_forward(layers=LAYERS, gather_s=gather_s, compute_s=compute_s)
    computed = [part for part in played if part.lane == "computation"]
    if any(later.start - earlier.end > 1e-9 * gather_s for earlier, later in pairwise(computed)):
        return 0
    tp = 1
    while tp <= max_tp:
        groups = gpus // tp
        if groups * tp == gpus and sequences >= groups and len(range(0, sequences, groups)) * groups == sequences:
            return tp
        tp += tp
    raise ValueError("some group gets no whole sequence")
