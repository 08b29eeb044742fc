"""Gradient buckets that a hook all-reduces as they fill, and the collectives of an FSDP step."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive


def bucket_hook_tail(
    *, layers: int, layer_bytes: float, embedding_bytes: float, cap_bytes: float, layer_s: float,
    bytes_per_s: float, launch_s: float,
) -> float:  # fmt: skip
    """Return how long the network is busy after the backward pass when a hook all-reduces buckets as they fill.

        A bucket is sent as soon as it holds at least the cap; what is left at the end is sent then. One all-reduce runs
        after another, each in launch + bytes/rate.

    The pass takes one layer after another, from the last to the first, and the embedding's gradients exist together with
    those of the first layer, after them in the bucket.

    Units:   layer_bytes, embedding_bytes (0 without one) and cap_bytes of gradients; layer_s, launch_s in seconds; bytes of gradients
             per second. Result in seconds.
    Raises:  ValueError if layers is below 1, a size, time or rate is not positive, or embedding_bytes or launch_s negative.
    Source:  Li et al. 2020, arXiv:2006.15704, sections 3.2.2, 3.2.3 and 4.2; torch/csrc/distributed/c10d/reducer.cpp.

    >>> run = {"layers": 4, "layer_bytes": 30.0, "embedding_bytes": 50.0, "layer_s": 10.0, "bytes_per_s": 5.0, "launch_s": 1.0}
    >>> [bucket_hook_tail(cap_bytes=cap, **run) for cap in (1, 60, 1000)]
    [18.0, 24.0, 35.0]
    """
    require_counts(layers=layers)
    require_positive(layer_bytes=layer_bytes, cap_bytes=cap_bytes, layer_s=layer_s, bytes_per_s=bytes_per_s)
    require_not_negative(embedding_bytes=embedding_bytes, launch_s=launch_s)
    network_free_at = filled_bytes = 0.0
    for done in range(1, layers + 1):
        arriving = [layer_bytes, embedding_bytes] if done == layers else [layer_bytes]
        for gradient_bytes in arriving:
            filled_bytes += gradient_bytes
            if filled_bytes >= cap_bytes:
                started_at = max(network_free_at, done * layer_s)
                network_free_at = started_at + launch_s + filled_bytes / bytes_per_s
                filled_bytes = 0.0
    if filled_bytes > 0:
        network_free_at = max(network_free_at, layers * layer_s) + launch_s + filled_bytes / bytes_per_s
    return max(0.0, network_free_at - layers * layer_s)


def fsdp_collectives(
    *, units: int, micro_batches: int, reshard: bool, reduce_each: bool, replicas: int
) -> tuple[int, int, int]:
    """Return how many all-gathers, reduce-scatters and all-reduces FSDP calls on each GPU in one step.

        all-gathers      m · (u + (u - 1))  if weights are freed after the forward pass of all units but the last, else m · u
        reduce-scatters  m · u  if gradients are reduced after every micro-batch, else u
        all-reduces      as many as reduce-scatters, with more than one replica (HSDP)

    A unit is what is wrapped together: its weights are one all-gather, its gradients one reduce-scatter. The backward pass
    begins with the last unit, so freeing that would be in vain. After its backward pass a unit is freed in any case.

    Units:   u units and m micro-batches. Result is three counts.
    Raises:  ValueError if a count is below 1.
    Source:  PyTorch documentation, torch.distributed.fsdp.fully_shard (reshard_after_forward, set_requires_gradient_sync);
             pytorch/torchtitan, parallelize.py of llama3 (the last unit is not resharded).

    >>> fsdp_collectives(units=34, micro_batches=1, reshard=True, reduce_each=True, replicas=1)
    (67, 34, 0)
    >>> fsdp_collectives(units=34, micro_batches=4, reshard=False, reduce_each=False, replicas=8)
    (136, 34, 34)
    """
    require_counts(units=units, micro_batches=micro_batches, replicas=replicas)
    gathers = micro_batches * (2 * units - 1 if reshard else units)
    reductions = units * (micro_batches if reduce_each else 1)
    return gathers, reductions, reductions if replicas > 1 else 0
