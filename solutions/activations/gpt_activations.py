"""What a GPT layer keeps for its backward pass, and what the first pipeline stage keeps, as Korthikanti et al. count it."""

from __future__ import annotations

from ..facts.arguments import require_counts
from ..pipeline.pipeline import interleaving_memory_factor


def layer_bytes(
    *, micro_batch: int, sequence: int, hidden: int, heads: int, tp: int = 1, sequence_parallel: bool = False,
    recompute: str = "none",
) -> float:  # fmt: skip
    """What one layer keeps of a micro-batch on one GPU, in 16 bits, with dropout and with scores that are written out.

        none:       s·b·h · (10/r + 24/t + 5·a·s/(h·t))
        selective:  s·b·h · (10/r + 24/t)
        full:       s·b·h · 2/r

    The 10 are norm inputs (4), inputs of the first matrices (4) and dropout masks (2). Tensor parallelism leaves them
    whole, so r is 1; sequence parallelism cuts them too, and r is t. Selective recomputation drops scores, softmax and
    its dropout; full recomputation keeps the layer's input alone.

    Shapes:  (s, b, h) tensors of 2 bytes and masks of 1; (a, s, s) scores, 5 bytes for each element
    Units:   every argument but `recompute` and `sequence_parallel` is a count. Result in bytes.
    Raises:  ValueError if a count is below 1, tp does not divide the heads, or recompute is unknown.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, equations 1, 2 and 4, Table 2.

    >>> gpt3 = {"micro_batch": 1, "sequence": 2048, "hidden": 12288, "heads": 96}
    >>> layer_bytes(**gpt3) / 1e9                                  # 34 + 80 bytes for each of 25 million elements
    2.868903936
    >>> layer_bytes(**gpt3, tp=8, sequence_parallel=True, recompute="selective") / 1e9
    0.106954752
    """
    require_counts(micro_batch=micro_batch, sequence=sequence, hidden=hidden, heads=heads, tp=tp)
    if recompute not in ("none", "selective", "full"):
        raise ValueError(f"recompute must be none, selective or full, not {recompute!r}")
    if heads % tp:
        raise ValueError(f"tp {tp} must divide the {heads} heads")
    elements = sequence * micro_batch * hidden
    outside_shards = tp if sequence_parallel else 1
    if recompute == "full":
        return 2 * elements / outside_shards
    inside_bytes = 24 * elements
    if recompute == "none":
        inside_bytes += 5 * heads * sequence**2 * micro_batch
    return 10 * elements / outside_shards + inside_bytes / tp


def first_stage_bytes(
    *, micro_batch: int, sequence: int, hidden: int, heads: int, layers: int, stages: int = 1, virtual_stages: int = 1,
    tp: int = 1, sequence_parallel: bool = False, recompute: str = "none",
) -> float:  # fmt: skip
    """What the layers of the first pipeline stage keep at their peak, on one GPU.

        1F1B:         L · layer_bytes
        interleaved:  L · (1 + (p-1)/(p·v)) · layer_bytes

    The stage has 1/p of the layers, and p micro-batches are in flight there.

    Units:   every argument but `recompute` and `sequence_parallel` is a count; at least as many micro-batches pass in a
             step as can be in flight. Result in bytes.
    Raises:  ValueError if a count is below 1, or the layers do not divide by stages · virtual_stages.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, equations 5 and 6 and section 4.2.3.

    >>> gpt3 = {"micro_batch": 1, "sequence": 2048, "hidden": 12288, "heads": 96, "layers": 96, "tp": 8, "stages": 8}
    >>> first_stage_bytes(**gpt3, sequence_parallel=True, recompute="selective") / 1e9
    10.267656192
    >>> first_stage_bytes(**gpt3, virtual_stages=3, sequence_parallel=True, recompute="selective") / 1e9
    13.262389248
    """
    kept = layer_bytes(
        micro_batch=micro_batch, sequence=sequence, hidden=hidden, heads=heads, tp=tp,
        sequence_parallel=sequence_parallel, recompute=recompute,
    )  # fmt: skip
    require_counts(layers=layers, stages=stages, virtual_stages=virtual_stages)
    if layers % (stages * virtual_stages):
        raise ValueError(f"{layers} layers must divide by {stages} stages of {virtual_stages} pieces")
    return kept * layers * interleaving_memory_factor(stages=stages, virtual_stages=virtual_stages)


def stage_output_bytes(*, micro_batch: int, sequence: int, hidden: int, in_flight: int) -> float:
    """What a stage saves by dropping its output once it is sent: the next stage keeps the same tensor as its input.

        bytes = 2 · s·b·h · in_flight

    Units:   every argument is a count. Result in bytes.
    Raises:  ValueError if a count is below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, appendix B.

    >>> round(stage_output_bytes(micro_batch=1, sequence=2048, hidden=20480, in_flight=35) / 2**30, 2)   # 530B, GiB
    2.73
    """
    require_counts(micro_batch=micro_batch, sequence=sequence, hidden=hidden, in_flight=in_flight)
    return 2 * sequence * micro_batch * hidden * in_flight
