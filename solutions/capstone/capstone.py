"""The 405B capstone: weights, states and traffic of one pretraining run, one formula each."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from ..shapes.layer_parameters import layer_parameters


def model_parameters(*, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int) -> int:
    """Weights of a whole decoder with an input embedding and an output head of its own.

        parameters = L · (2·d²·(1 + k/a) + 3·d·f) + 2·V·d

    Units:   every argument is a count.
    Raises:  ValueError as `layer_parameters`.
    Source:  Llama Team 2024, arXiv:2407.21783, Table 3; vocabulary 128,256 as released in July 2024.

    >>> round(model_parameters(layers=126, hidden=16384, ffn_hidden=53248,
    ...                        heads=128, kv_heads=8, vocabulary=128256) / 1e9, 2)
    405.85
    """
    require_counts(layers=layers, vocabulary=vocabulary)
    one_layer = layer_parameters(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    return layers * one_layer + 2 * vocabulary * hidden


def stage_weight_bytes(
    *,
    stage_layers: int,
    hidden: int,
    ffn_hidden: int,
    heads: int,
    kv_heads: int,
    tp: int,
    bytes_per_weight: int,
) -> float:
    """Weights that one GPU of a pipeline stage holds, in bytes.

        bytes = stage_layers · (2·d²·(1 + k/a) + 3·d·f) / tp · bytes_per_weight

    Every matrix of a layer is cut over the tensor-parallel group; only the small norm vectors are copied.

    Units:   bytes_per_weight in bytes; every other argument is a count. Result in bytes.
    Raises:  ValueError as `layer_parameters`, or if tp does not divide the KV heads (needing copies).
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.3; Llama Team 2024, Table 3.

    >>> stage_weight_bytes(stage_layers=8, hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8,
    ...                    tp=8, bytes_per_weight=2) / 1e9
    6.37534208
    """
    require_counts(stage_layers=stage_layers, kv_heads=kv_heads, tp=tp, bytes_per_weight=bytes_per_weight)
    if kv_heads % tp:
        raise ValueError(f"tensor parallelism of {tp} does not divide {kv_heads} KV heads")
    one_layer = layer_parameters(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    return stage_layers * one_layer / tp * bytes_per_weight


def state_bytes_per_gpu(*, gpu_parameters: float, gradient_shards: int, optimizer_shards: int) -> float:
    """Model states on one GPU: BF16 weights, FP32 gradients, FP32 master weights and two FP32 moments.

        bytes = 2·P + 4·P/gradient_shards + 12·P/optimizer_shards

    P counts the weights that TP and PP left on this GPU. A shard count of 1 keeps a tensor
    whole; a shard count of DP spreads it over all replicas.

    Units:   gpu_parameters is a count. Result in bytes.
    Raises:  ValueError if gpu_parameters is not positive or a shard count is below 1.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1 (K = 12); Llama Team 2024, section 3.3.2
             (FP32 gradients; optimizer and gradients sharded, weights kept whole after the forward pass).

    >>> P = 3.188e9   # an eighth of eight layers of Llama 3.1 405B
    >>> round(state_bytes_per_gpu(gpu_parameters=P, gradient_shards=128, optimizer_shards=128) / 1e9, 2)
    6.77
    >>> round(state_bytes_per_gpu(gpu_parameters=P, gradient_shards=1, optimizer_shards=128) / 1e9, 2)
    19.43
    """
    require_positive(gpu_parameters=gpu_parameters)
    require_counts(gradient_shards=gradient_shards, optimizer_shards=optimizer_shards)
    weights = 2 * gpu_parameters
    gradients = 4 * gpu_parameters / gradient_shards
    optimizer = 12 * gpu_parameters / optimizer_shards
    return weights + gradients + optimizer


def gradient_sync_seconds(
    *,
    stage_layers: int,
    hidden: int,
    ffn_hidden: int,
    heads: int,
    kv_heads: int,
    tp: int,
    dp: int,
    bandwidth_bytes_per_s: float,
) -> float:
    """Time to reduce-scatter the gradients of one GPU's slice and to gather its new weights, latency omitted.

        seconds = (4 + 2) · P · (dp - 1)/dp / β,   P = stage_layers · (2·d²·(1 + k/a) + 3·d·f) / tp

    Gradients are reduce-scattered in FP32, 4 bytes each; updated weights are gathered in BF16, 2 bytes each. Both go
    round the ring of the replicas that hold the same slice.

    Units:   bandwidth in bytes/s per direction; every other argument is a count. Result in seconds.
    Raises:  ValueError if a count is below 1 or the bandwidth is not positive.
    Source:  Patarasuk & Yuan 2009, section 3; Llama Team 2024, arXiv:2407.21783, section 3.3.2 and Table 3.

    >>> seconds = gradient_sync_seconds(stage_layers=8, hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8,
    ...                                 tp=8, dp=128, bandwidth_bytes_per_s=50e9)
    >>> round(seconds * 1e3)   # milliseconds
    380
    """
    require_counts(stage_layers=stage_layers, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads)
    require_counts(kv_heads=kv_heads, tp=tp, dp=dp)
    require_positive(bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    kv_width = hidden * kv_heads / heads
    attention = 2 * hidden * hidden + 2 * hidden * kv_width
    mlp = 3 * hidden * ffn_hidden
    gpu_parameters = stage_layers * (attention + mlp) / tp
    reduce_scatter_bytes = 4 * gpu_parameters * (dp - 1) / dp
    all_gather_bytes = 2 * gpu_parameters * (dp - 1) / dp
    return (reduce_scatter_bytes + all_gather_bytes) / bandwidth_bytes_per_s
