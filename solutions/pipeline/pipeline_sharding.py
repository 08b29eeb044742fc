"""ZeRO and FSDP among the replicas of a pipeline stage: bytes sent when a step has many micro-batches."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from ..ring.ring import bytes_sent_per_phase

POLICIES = ("ZeRO-1", "ZeRO-2", "FSDP, resharded", "FSDP, resharded, reduced once", "FSDP, kept gathered")


def replica_bytes(*, policy: str, parameters: float, replicas: int, micro_batches: int) -> float:
    """Return the bytes per step that a GPU sends to the other replicas of its stage.

        ZeRO-1                           (2 + 4)        · P · (N-1)/N
        ZeRO-2                           (2 + 4m)       · P · (N-1)/N
        FSDP, resharded                  (2·2m + 4m)    · P · (N-1)/N
        FSDP, resharded, reduced once    (2·2m + 4)     · P · (N-1)/N
        FSDP, kept gathered              (2 + 4)        · P · (N-1)/N

    A collective sends (N-1)/N of the array. Weights are gathered in BF16 (2 bytes), gradients reduce-scattered in FP32 (4). Under
    ZeRO-2 a GPU keeps a shard of the gradient only, so it must reduce-scatter after every micro-batch. FSDP gathers
    for the forward and for the backward pass of every micro-batch, unless the weights stay gathered through the step.

    Units:   parameters P of the stage's slice, before sharding; counts. Result in bytes.
    Raises:  ValueError for an unknown policy, a count below 1, or parameters not positive.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 7; pytorch/torchtitan, parallelize.py of llama3
             (reshard_after_forward is off with a pipeline).

    >>> run = {"parameters": 3.2e9, "replicas": 16, "micro_batches": 16}
    >>> [round(replica_bytes(policy=policy, **run) / 1e9) for policy in POLICIES]
    [18, 198, 384, 204, 18]
    """
    require_positive(parameters=parameters)
    require_counts(replicas=replicas, micro_batches=micro_batches)
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    gathers = 2 * micro_batches if policy.startswith("FSDP, resharded") else 1
    reductions = micro_batches if policy in ("ZeRO-2", "FSDP, resharded") else 1
    gathered = bytes_sent_per_phase(message_bytes=2 * parameters, gpus=replicas)
    reduced = bytes_sent_per_phase(message_bytes=4 * parameters, gpus=replicas)
    return gathers * gathered + reductions * reduced
