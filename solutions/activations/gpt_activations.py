"""What a GPT layer keeps for its backward pass, and what the first pipeline stage keeps, as Korthikanti et al. count it."""

from __future__ import annotations

from functools import partial

from ..facts.arguments import require_counts, require_positive
from ..pipeline.pipeline import interleaving_memory_factor

RECOMPUTE = ("none", "selective", "full")


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


def score_factor(*, sequence: int, hidden: int, heads: int) -> float:
    """Bytes of scores, softmax and its dropout for each of s·b·h elements, next to the 34 bytes of the rest of a layer.

        factor = 5 · a · s / h

    Units:   every argument is a count. Result in bytes for each element.
    Raises:  ValueError if a count is below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 5.

    >>> score_factor(sequence=2048, hidden=12288, heads=96)      # GPT-3
    80.0
    """
    require_counts(sequence=sequence, hidden=hidden, heads=heads)
    return 5 * heads * sequence / hidden


def score_share(*, sequence: int, hidden: int, heads: int) -> float:
    """The share of a layer's activations that selective recomputation drops: scores, softmax and its dropout.

        share = (5·a·s/h) / (34 + 5·a·s/h)

    Units:   every argument is a count. Result is a fraction; sequence parallelism does not change it.
    Raises:  ValueError if a count is below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 5.

    >>> round(score_share(sequence=2048, hidden=12288, heads=96), 2)      # GPT-3
    0.7
    """
    scores = score_factor(sequence=sequence, hidden=hidden, heads=heads)
    return scores / (34 + scores)


def cut_of_baseline(
    *, sequence: int, hidden: int, heads: int, tp: int, sequence_parallel: bool = False, recompute: str = "none"
) -> float:
    """How many times less a layer keeps than under tensor parallelism alone.

        cut = layer_bytes(tp) / layer_bytes(tp, with the techniques)

    Units:   every argument but `recompute` and `sequence_parallel` is a count. Result is a ratio of bytes.
    Raises:  ValueError as in layer_bytes.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 6.1 and Figure 7.

    >>> megatron_530b = {"sequence": 2048, "hidden": 20480, "heads": 128, "tp": 8}
    >>> round(cut_of_baseline(**megatron_530b, sequence_parallel=True, recompute="selective"), 2)    # about five
    4.94
    """
    kept = partial(layer_bytes, micro_batch=1, sequence=sequence, hidden=hidden, heads=heads, tp=tp)
    return kept() / kept(sequence_parallel=sequence_parallel, recompute=recompute)


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


def outside_the_layers_bytes(
    *, micro_batch: int, sequence: int, hidden: int, vocabulary: int, stages: int = 1, tp: int = 1
) -> float:
    """What the first stage keeps besides its layers: embedding dropout, and without a pipeline last norm and output layer.

        bytes = s·b·h·p/t  +  [p = 1] · 4·s·b·h/t · (1 + v/h)

    The last norm keeps its input (2), the output layer its input (2), and the loss the logits in FP32 (4 for each of v).

    Units:   every argument is a count. Result in bytes, with sequence parallelism.
    Raises:  ValueError if a count is below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.3.

    >>> case = {"micro_batch": 4, "sequence": 2048, "hidden": 6144, "vocabulary": 51200, "tp": 8}
    >>> outside = outside_the_layers_bytes(**case)
    >>> inside = first_stage_bytes(micro_batch=4, sequence=2048, hidden=6144, heads=64, layers=48, tp=8,
    ...                            sequence_parallel=True)
    >>> round(100 * outside / inside, 2)     # per cent; the paper says "less than 0.01%"
    0.57
    """
    require_counts(
        micro_batch=micro_batch, sequence=sequence, hidden=hidden, vocabulary=vocabulary, stages=stages, tp=tp
    )
    elements = sequence * micro_batch * hidden
    embedding_masks = elements * stages
    output_layer = 4 * elements * (1 + vocabulary / hidden) if stages == 1 else 0
    return (embedding_masks + output_layer) / tp


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


def longest_sequence(
    *, room_bytes: float, layers: int, hidden: int, heads: int, micro_batch: int = 1, tp: int = 1,
    recompute: str = "none",
) -> float:  # fmt: skip
    """The longest sequence whose activations fit, with tensor and sequence parallelism.

        none:       5·a·s² + 34·h·s  =  room · t / (L·b)
        selective:  34·h·s           =  room · t / (L·b)
        full:       2·h·s            =  room · t / (L·b)

    Units:   room_bytes in bytes for all layers; the rest are counts. Result is a number of tokens, not rounded.
    Raises:  ValueError if an argument is out of range.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, equations 4 to 6, solved for s.

    >>> case = {"room_bytes": 60e9, "layers": 48, "hidden": 6144, "heads": 64, "tp": 8}
    >>> round(longest_sequence(**case)), round(longest_sequence(**case, recompute="selective"))
    (5273, 47871)
    """
    require_positive(room_bytes=room_bytes)
    require_counts(layers=layers, hidden=hidden, heads=heads, micro_batch=micro_batch, tp=tp)
    if recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be none, selective or full, not {recompute!r}")
    layer_room = room_bytes * tp / (layers * micro_batch)
    if recompute == "full":
        return layer_room / (2 * hidden)
    if recompute == "selective":
        return layer_room / (34 * hidden)
    half_linear = 34 * hidden / 2
    quadratic = 5 * heads
    # the root in the form that loses no digits where the scores are few
    return float(layer_room / (half_linear + (half_linear**2 + quadratic * layer_room) ** 0.5))
