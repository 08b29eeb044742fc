"""Exposed communication of data parallelism: gradients and weights, less what overlaps with compute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..communication import overlap
from ..facts.arguments import require_counts, require_positive
from .constants import constant, software
from .links import exposed_seconds, phase_seconds
from .memory import keeps_whole
from .shapes import Cluster, Layout

FORWARD_SHARE = 1 / 3  # of a micro-batch's time; the backward pass does twice as many matrix multiplications


def data_seconds(
    cluster: Cluster, layout: Layout, *, parameters: float, layers: int, micro_batches: int, micro_batch_s: float
) -> float:
    """Return the exposed seconds of data-parallel communication in one step.

        stages 0 and 1  reduce gradients once, gather weights once; overlaps with the last backward and the first forward pass
        stage 2         gather weights once, and reduce gradients for every micro-batch, as only their shards are kept
        stage 3         gather weights twice and reduce gradients once, for every micro-batch

    PyTorch's FSDP in a pipeline gathers once, and reduces once after the last backward pass (memory.keeps_whole). Software that reduces
    once under the name of ZeRO-2 keeps whole gradients until then: that is stage 1.

    Hidden communication still slows compute a little (planner/constants.yaml, contention). Without overlap, all of it is exposed.

    Units:   parameters and layers of one stage on one GPU; micro_batch_s covers its forward and backward pass. Result in seconds.
    Raises:  ValueError if a count is below 1 or another argument not positive.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 7; overlap.exposed_tail_seconds. Stage 2 for every micro-batch:
             DeepSpeed, whose no_sync rejects it, PyTorch pull request 126166 (FSDP2's default), and Megatron-FSDP's optim_grads;
             after the last backward pass: PyTorch, distributed/pipelining/schedules.py, _add_reduce_grad. Once in a pipeline:
             Llama Team 2024, arXiv:2407.21783, section 3.3.2, and Jiang et al. 2024, arXiv:2402.15627, section 3.2.

    >>> one = {"parameters": 1e9, "layers": 32, "micro_batches": 4, "micro_batch_s": 0.5}
    >>> cluster = Cluster("H100-80GB", 64)
    >>> data_seconds(cluster, Layout(dp=1), **one)
    0.0
    >>> data_seconds(cluster, Layout(dp=64, zero=1), **one) < data_seconds(cluster, Layout(dp=64, zero=3), **one)
    True
    """
    require_positive(parameters=parameters, micro_batch_s=micro_batch_s)
    require_counts(layers=layers, micro_batches=micro_batches)
    if layout.dp * layout.cp == 1:
        return 0.0
    stack = software(layout.software)
    narrow = replace(cluster, network_bytes_per_s=cluster.network_bytes_per_s * stack.get("port_share", 1.0))
    timed = _phases(narrow, layout, parameters, layers, stack)
    if layout.zero == 3 and not keeps_whole(layout):
        return _sharded(timed, layers, micro_batches, micro_batch_s, hides=stack["overlap"] != "none")
    backward_s = micro_batch_s * (1 - FORWARD_SHARE)
    before_last = micro_batches - 1 if layout.zero == 2 and not keeps_whole(layout) else 0
    seconds = timed["reduce"] + timed["gather"]
    if stack["overlap"] == "none":
        seconds += before_last * timed["reduce"]
    else:
        late = overlap.exposed_tail_seconds(
            layers=layers, backward_s=backward_s / layers, reduce_s=timed["reduce"] / layers
        )
        early = overlap.exposed_tail_seconds(
            layers=layers, backward_s=micro_batch_s * FORWARD_SHARE / layers, reduce_s=timed["gather"] / layers
        )
        if keeps_whole(layout):  # nothing is left to compute while it reduces
            late, seconds = timed["reduce"] + timed["across"], timed["gather"]
        seconds = late + early + constant("contention") * seconds
        seconds += before_last * exposed_seconds(timed["reduce"], backward_s)
    broadcast = stack.get("broadcast_s", 0.0) * layout.shards if layout.zero else 0.0
    return seconds + broadcast


def _phases(
    cluster: Cluster, layout: Layout, parameters: float, layers: int, stack: dict[str, Any]
) -> dict[str, float]:
    """Return seconds of one reduce-scatter of all gradients, one all-gather of all weights, and HSDP's all-reduce across groups."""
    whole, shards = layout.dp * layout.cp, layout.shards
    gradient = layout.gradient_bytes or stack["gradient_bytes"]
    reduced_over = shards if layout.zero == 3 else whole  # HSDP then reduces the shards across groups

    def phase(message_bytes: float, size: int, stride: int) -> float:
        return phase_seconds(cluster, message_bytes=message_bytes, size=size, stride=stride, calls=layers)

    reduce = phase(gradient * parameters, reduced_over, layout.tp)
    gather = phase(2 * parameters, shards, layout.tp) if layout.zero else reduce
    across = phase(gradient * parameters / shards, whole // shards, layout.tp * shards)
    if layout.zero and layout.zero != 3:
        gather += across
    return {"reduce": reduce, "gather": gather, "across": 2 * across}


def _sharded(timed: dict[str, float], layers: int, micro_batches: int, micro_batch_s: float, *, hides: bool) -> float:
    gather, reduce = timed["gather"], timed["reduce"]
    if not hides:
        return micro_batches * (2 * gather + reduce) + timed["across"]
    forward, backward = micro_batch_s * FORWARD_SHARE, micro_batch_s * (1 - FORWARD_SHARE)
    one = exposed_seconds(gather, forward) + exposed_seconds(gather + reduce, backward)
    last = exposed_seconds(timed["across"], backward) + timed["across"] / layers
    return micro_batches * one + gather / layers + last
