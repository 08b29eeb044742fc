"""The collectives among the replicas of a stage, called one by one in a simulated step."""

from __future__ import annotations

from fractions import Fraction


def replica_bytes(*, policy: str, parameters: float, replicas: int, micro_batches: int) -> float:
    """Walk through the step, track which arrays are gathered, and add up the bytes of each collective."""
    sent = Fraction(0)
    sharded_weights = policy.startswith("FSDP")
    whole_weights = not sharded_weights

    def collective(width: int) -> Fraction:
        part = Fraction(parameters) * width / replicas
        return sum((part for other in range(replicas) if other), Fraction(0))

    for micro_batch in range(micro_batches):
        for direction in ("forward", "backward"):
            if not whole_weights:
                sent += collective(2)
            whole_weights = not sharded_weights or policy == "FSDP, kept gathered"
            last = micro_batch == micro_batches - 1
            if direction == "backward" and (last or policy in ("ZeRO-2", "FSDP, resharded")):
                sent += collective(4)
    if not sharded_weights:
        sent += collective(2)  # the optimizer updated a shard of the weights
    return float(sent)
