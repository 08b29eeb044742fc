"""What each axis of a layout makes one GPU send in a step, in bytes, with the conventions of one training step."""

from __future__ import annotations

from ..capstone.capstone import stage_weight_bytes
from ..facts.arguments import require_counts
from ..pipeline.pipeline_traffic import boundary_message_bytes, gpu_bytes
from ..tensor_and_context.context_parallel import exchange_bytes
from ..tensor_and_context.tensor_parallel import traffic_bytes
from ..zero.fsdp import sharded_step_bytes


def tp_step_bytes(
    *, micro_batches: int, sequence_length: int, cp: int, tp: int, stage_layers: int, hidden: int
) -> float:
    """Bytes that tensor parallelism makes a GPU send in a step of micro-batches of one sequence, in BF16.

        bytes = m · stage_layers · 4 · 2 · 2 · (s/cp) · d · (t-1)/t

    Units:   counts. Result in bytes.
    Raises:  ValueError if a count is below 1, or cp does not divide the sequence.
    Source:  tensor_parallel.traffic_bytes (Narayanan et al. 2021, arXiv:2104.04473, section 3.2), for the tokens of one CP rank.

    >>> tp_step_bytes(micro_batches=16, sequence_length=8192, cp=1, tp=8, stage_layers=8, hidden=16384) / 1e9    # 405B
    240.518168576
    """
    require_counts(micro_batches=micro_batches, stage_layers=stage_layers, tp=tp)
    tokens = _share_of_sequence(sequence_length, cp)
    return micro_batches * traffic_bytes(tokens=tokens, hidden=hidden, layers=stage_layers, tp=tp)


def cp_step_bytes(
    *, micro_batches: int, sequence_length: int, cp: int, tp: int, stage_layers: int, kv_heads: int, head_width: int
) -> float:
    """Bytes that context parallelism makes a GPU send in a step of micro-batches of one sequence, in BF16.

        bytes = m · stage_layers · 3 · 2 · 2 · (s/cp) · (k/t) · h · (cp-1)

    The forward pass gathers keys and values of the whole sequence; the backward pass gathers them again and
    reduce-scatters their gradients, three exchanges of equal size.

    Units:   counts. Result in bytes.
    Raises:  ValueError if a count is below 1, or tp does not divide the KV heads or cp the sequence.
    Source:  context_parallel.exchange_bytes; Llama Team 2024, arXiv:2407.21783, section 3.3.2 (all-gather of K and V).

    >>> cp_step_bytes(micro_batches=16, sequence_length=131072, cp=16, tp=8, stage_layers=8, kv_heads=8, head_width=128) / 1e9
    24.15919104
    """
    require_counts(micro_batches=micro_batches, stage_layers=stage_layers, kv_heads=kv_heads, tp=tp)
    require_counts(sequence_length=sequence_length)
    if kv_heads % tp:
        raise ValueError(f"tensor parallelism of {tp} does not divide {kv_heads} KV heads")
    once = exchange_bytes(tokens=sequence_length, kv_heads=kv_heads // tp, head_width=head_width, cp=cp)
    exchanges = 3
    return micro_batches * stage_layers * exchanges * once


def pp_step_bytes(*, micro_batches: int, sequence_length: int, cp: int, tp: int, hidden: int) -> float:
    """Bytes that a GPU in the middle of a pipeline sends to other stages in a step, without interleaving, in BF16.

        bytes = m · 2 · 2 · (s/cp) · d / t

    For each micro-batch it sends activations on and their gradients back, each TP rank its own slice of them.

    Units:   counts. Result in bytes.
    Raises:  ValueError if a count is below 1, or cp does not divide the sequence.
    Source:  pipeline_traffic.gpu_bytes (Narayanan et al. 2021, arXiv:2104.04473, sections 3.2 and 4.1).

    >>> pp_step_bytes(micro_batches=16, sequence_length=8192, cp=1, tp=8, hidden=16384) / 1e9
    1.073741824
    """
    message = boundary_message_bytes(tokens=_share_of_sequence(sequence_length, cp), hidden=hidden, tp=tp)
    return gpu_bytes(message_bytes=message, stages=3, stage=1, micro_batches=micro_batches)


def dp_step_bytes(
    *, stage_layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, cp: int, dp: int
) -> float:
    """Bytes that a GPU sends in a step to reduce-scatter its FP32 gradients and to gather its new BF16 weights.

        bytes = (4 + 2) · P · (n-1)/n,   P = stage_layers · (2·d²·(1 + k/a) + 3·d·f) / t,   n = dp · cp

    The ranks of context parallelism hold the same weights, so gradients are added up over them as over the replicas.

    Units:   counts. Result in bytes.
    Raises:  ValueError if a count is below 1, heads do not fit, or tp does not divide the KV heads.
    Source:  fsdp.sharded_step_bytes; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> slice = {"stage_layers": 8, "hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8, "tp": 8}
    >>> round(dp_step_bytes(**slice, cp=1, dp=128) / 1e9, 2)
    18.98
    """
    require_counts(cp=cp, dp=dp)
    shape = {"hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads}
    parameters = stage_weight_bytes(stage_layers=stage_layers, **shape, tp=tp, bytes_per_weight=1)
    return sharded_step_bytes(parameters=parameters, gpus=dp * cp, weight_gathers=1, bytes_per_gradient=4)


def _share_of_sequence(sequence_length: int, cp: int) -> int:
    require_counts(sequence_length=sequence_length, cp=cp)
    if sequence_length % cp:
        raise ValueError(f"{cp} context-parallel ranks must divide a sequence of {sequence_length} tokens")
    return sequence_length // cp
