"""A global batch that is given: how many GPUs it can feed before the bubble, or single sequences, set the limit."""

from __future__ import annotations

from fractions import Fraction

from ..facts.arguments import require_counts, require_positive
from ..zero.fsdp import tokens_to_hide_gathers


def gpus_at_bubble(
    *, sequences: int, micro_batch: int, tp: int, cp: int, pp: int, virtual_stages: int, overhead: float
) -> float:
    """GPUs at which the bubble overhead of a pipeline reaches a limit, when the global batch is given.

        n = t · c · p · dp,   dp = B/(b · m),   m = (p-1)/(v · ε)      so   n = t · c · p · v · ε · B / (b · (p-1))

    Units:   overhead is bubble over ideal compute time, as a ratio; sequences of the whole batch, micro_batch of one replica;
             the rest are counts. Result is a count, not rounded.
    Raises:  ValueError if a count is below 1, overhead not positive, or there is a single stage, which has no bubble.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2, solved for the GPUs.

    >>> round(gpus_at_bubble(sequences=2048, micro_batch=1, tp=8, cp=1, pp=16, virtual_stages=1, overhead=0.25))
    4369
    """
    require_counts(sequences=sequences, micro_batch=micro_batch, tp=tp, cp=cp, pp=pp, virtual_stages=virtual_stages)
    require_positive(overhead=overhead)
    if pp == 1:
        raise ValueError("a pipeline of one stage has no bubble")
    micro_batches = (pp - 1) / (virtual_stages * overhead)
    replicas = sequences / (micro_batch * micro_batches)
    return tp * cp * pp * replicas


def most_gpus(
    *, sequences: int, micro_batch: int, tp: int, cp: int, pp: int, virtual_stages: int, overhead: float
) -> int:
    """The most GPUs that a given batch keeps busy: every replica gets equally many whole micro-batches, and the bubble is small enough.

        largest  t · c · p · dp  with  B = dp · b · m  and  (p-1)/(v · m) ≤ ε

    Units:   as gpus_at_bubble. The limit is read as the fraction that was meant: 0.05 is 1/20. Result is a count.
    Raises:  ValueError as gpus_at_bubble does, or if micro_batch does not divide the batch or no number of replicas will do.
    Source:  as gpus_at_bubble.

    >>> most_gpus(sequences=2048, micro_batch=1, tp=8, cp=1, pp=16, virtual_stages=1, overhead=0.25)    # 64 micro-batches each
    4096
    """
    bound = gpus_at_bubble(
        sequences=sequences, micro_batch=micro_batch, tp=tp, cp=cp, pp=pp, virtual_stages=virtual_stages, overhead=overhead
    )  # fmt: skip
    if sequences % micro_batch:
        raise ValueError(f"micro-batches of {micro_batch} must divide the batch of {sequences} sequences")
    passes = sequences // micro_batch
    limit = Fraction(overhead).limit_denominator(10**6)
    replica = tp * cp * pp
    for dp in range(min(passes, int(bound / replica) + 1), 0, -1):
        if passes % dp == 0 and pp - 1 <= limit * virtual_stages * (passes // dp):
            return dp * replica
    raise ValueError(f"even one replica has a bubble overhead above {overhead}")


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
    """The smallest tensor-parallel degree next to ZeRO-3 with which a batch feeds all GPUs; 0 where the gathers stay exposed.

        smallest power of two t with   gpus/t divides B,   if   T = B · s/gpus ≥ F/(g · β),   else 0

    FSDP runs over gpus/t ranks, each a tensor-parallel group that takes its whole sequences in one pass. The weights of a layer
    enter a node once, through the ports of its g GPUs, whatever t is, and each GPU computes 2 · T FLOP for each of them. So
    tensor parallelism makes up for a lack of sequences, and not for a lack of tokens.

    Units:   FLOP/s that one GPU achieves; bytes/s per direction of one GPU's port; counts. Result is a count of GPUs in a group.
    Raises:  ValueError if a count is below 1, a rate not positive, or the gathers hide and no degree up to max_tp feeds all GPUs.
    Source:  fsdp.tokens_to_hide_gathers; Austin et al. 2025, How to Scale Your Model, part 5.

    >>> run = {"sequences": 512, "sequence_length": 8192, "flop_per_s": 400e12, "port_bytes_per_s": 50e9}
    >>> [tp_beside_fsdp(gpus=gpus, **run) for gpus in (512, 1024, 4096, 8192)]    # at 8,192 GPUs each has 512 tokens
    [1, 2, 8, 0]
    """
    require_counts(gpus=gpus, sequences=sequences, sequence_length=sequence_length)
    require_counts(gpus_per_node=gpus_per_node, max_tp=max_tp)
    require_positive(flop_per_s=flop_per_s, port_bytes_per_s=port_bytes_per_s)
    server_bytes_per_s = gpus_per_node * port_bytes_per_s
    needed = tokens_to_hide_gathers(flop_per_s=flop_per_s, bandwidth_bytes_per_s=server_bytes_per_s)
    if sequences * sequence_length < needed * gpus:
        return 0
    for tp in (1 << power for power in range(max_tp.bit_length())):
        groups, idle = divmod(gpus, tp)
        if not idle and sequences % groups == 0:
            return tp
    raise ValueError(f"no tensor parallelism of up to {max_tp} gives {gpus} GPUs whole sequences")
