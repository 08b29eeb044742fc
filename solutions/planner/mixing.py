"""Time of a mixer between its projections, for one micro-batch on one GPU: attention, or a recurrence."""

from __future__ import annotations

from .activations import scores_are_written
from .blocks import RECURRENT
from .constants import attention_share, chip, constant, software
from .flops import score_width
from .rates import hbm_bytes_per_s, peak_flop_per_s
from .shapes import Batch, Block, Cluster, Layout, Model, local_tokens

NARROW = 64  # head width up to which fused attention waits for exponentials instead of products
BACKWARD_CORE = 2.5  # fused attention: five matmuls backward for two forward (Dao 2023, arXiv:2307.08691, section 3.1)


def core_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block) -> tuple[float, float]:
    """Return the seconds of a mixer between its projections, forward and backward.

    A window of w tokens has the pairs of a causal sequence of 2·w, and its kernel reaches the speed of that length: it reads
    and starts as many further tiles.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> forward, backward = core_seconds(llama, Cluster("H100-80GB", 8), Layout(dp=8), Batch(8, 8192), Block())
    >>> backward / forward == BACKWARD_CORE
    True
    """
    stack = software(layout.software)
    if block.mixer == "none":
        return 0.0, 0.0
    if block.mixer in RECURRENT:
        forward = _recurrence_seconds(model, cluster, layout, batch)
        return forward, BACKWARD_CORE * forward
    tokens, written = layout.micro_batch * batch.sequence, scores_are_written(model, stack)
    span = (2 if block.mixer == "window" else 1) * block.span or batch.sequence
    span = min(batch.sequence, span)
    keys = batch.sequence if written else span / 2  # a kernel that writes the scores computes those that the mask drops
    flop = tokens * keys * 2 * score_width(model, block) / (layout.tp * layout.cp)
    peak = peak_flop_per_s(cluster.accelerator)
    if not written:
        length = span / (span + constant("attention_length"))
        share = attention_share(cluster.accelerator, stack["attention"]) * length
        if block.mixer != "latent" and model.head_dim <= NARROW and stack["attention"] != "flash":
            share *= constant("narrow_heads")
        forward = flop / (peak * share)
        return forward, BACKWARD_CORE * forward
    scores = model.heads / layout.tp * batch.sequence * tokens / layout.cp
    passed_over = scores * constant("written_score_bytes") / hbm_bytes_per_s(cluster.accelerator)
    forward = flop / (peak * chip(cluster.accelerator)["matmul"]) + passed_over
    return forward, 2 * forward


def _recurrence_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> float:
    """Return forward seconds of a recurrence in chunks of C tokens, which is causal attention within a chunk plus a state per chunk.

        FLOP per token and head = 2·C·(k + v) + 4·k·v, and for the delta rule 2·C·(2·k + v) more
        bytes per token and head = 4·k·v / C for the states, read and written in 16 bits, and 2·(2·k + 2·v)

    Kernels in Triton reach the speed of flash attention that is not tuned to the chip.
    Source:  Yang et al. 2024, arXiv:2312.06635, section 3; delta rule: Yang et al. 2024, arXiv:2406.06484, section 3;
             Mamba-2: Dao & Gu 2024, arXiv:2405.21060, section 6. Chunks are those of the kernels: flash-linear-attention 64,
             mamba-ssm and lightning attention 256.
    """
    heads = model.heads_of_recurrence
    is_delta = heads.gates == 2 or heads.gate_rank > 0
    chunk = 64 if is_delta else 256
    keys, values = heads.key_width, heads.value_width
    flop = 2 * chunk * (keys + values) + 4 * keys * values + (2 * chunk * (2 * keys + values) if is_delta else 0)
    moved = 4 * keys * values / chunk + 2 * (2 * keys + 2 * values)
    tokens = local_tokens(layout, batch) * heads.value_heads / layout.tp
    rate = peak_flop_per_s(cluster.accelerator) * attention_share(cluster.accelerator, "flash")
    return tokens * (flop / rate + moved / hbm_bytes_per_s(cluster.accelerator))
