"""The 405B capstone: layout, memory, bubble and traffic of one pretraining run, one formula each."""

from __future__ import annotations

from .arguments import require_counts, require_not_negative, require_positive


def data_parallel_replicas(*, gpus: int, tp: int, cp: int, pp: int) -> int:
    """Data-parallel degree that is left over once the other axes are chosen.

        dp = gpus / (tp · cp · pp)

    Context parallelism is an axis like the others: its ranks hold the same weights, yet they are more GPUs.

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1 or the axes do not divide the GPUs.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 and Table 4.

    >>> data_parallel_replicas(gpus=16384, tp=8, cp=1, pp=16)    # Llama 3 405B at 8K context
    128
    >>> data_parallel_replicas(gpus=16384, tp=8, cp=16, pp=16)   # the same cluster at 128K context
    8
    """
    require_counts(gpus=gpus, tp=tp, cp=cp, pp=pp)
    replica_gpus = tp * cp * pp
    if gpus % replica_gpus:
        raise ValueError(f"{gpus} GPUs do not split into replicas of {replica_gpus}")
    return gpus // replica_gpus


def usable_gpus(*, gpus: int, failed_nodes: int, gpus_per_node: int, tp: int, cp: int, pp: int) -> int:
    """GPUs that still work in whole replicas after some nodes have died.

        usable = ⌊(gpus - failed_nodes · gpus_per_node) / (tp · cp · pp)⌋ · tp · cp · pp

    Only whole replicas can train, so one dead node idles the healthy rest of a replica as well.

    Units:   every argument is a count.
    Raises:  ValueError if a count is below 1, failed_nodes is negative, or more nodes failed than there are.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.4 (a synchronous job stops with its weakest part).

    >>> usable_gpus(gpus=16384, failed_nodes=1, gpus_per_node=8, tp=8, cp=1, pp=16)   # 120 healthy GPUs wait
    16256
    """
    require_counts(gpus=gpus, gpus_per_node=gpus_per_node, tp=tp, cp=cp, pp=pp)
    require_not_negative(failed_nodes=failed_nodes)
    healthy_gpus = gpus - failed_nodes * gpus_per_node
    if healthy_gpus < 0:
        raise ValueError(f"{failed_nodes} nodes of {gpus_per_node} are more than {gpus} GPUs")
    replica_gpus = tp * cp * pp
    return healthy_gpus // replica_gpus * replica_gpus


def nodes_per_rack(*, tp: int, cp: int, pp: int, dp: int, gpus_per_node: int, racks: int) -> int:
    """Nodes in each rack when a layout is spread evenly over racks.

        nodes = tp · cp · pp · dp / (gpus_per_node · racks)

    Units:   every argument is a count; the result counts nodes, not GPUs.
    Raises:  ValueError if an argument is below 1 or the racks cannot be filled evenly.
    Source:  counting; Llama Team 2024, arXiv:2407.21783, section 3.3.1 (eight GPUs a server).

    >>> nodes_per_rack(tp=4, cp=1, pp=4, dp=64, gpus_per_node=8, racks=16)   # 1,024 GPUs are 128 nodes
    8
    """
    require_counts(tp=tp, cp=cp, pp=pp, dp=dp, gpus_per_node=gpus_per_node, racks=racks)
    gpus = tp * cp * pp * dp
    if gpus % (gpus_per_node * racks):
        raise ValueError(f"{gpus} GPUs do not fill {racks} racks of {gpus_per_node}-GPU nodes evenly")
    return gpus // (gpus_per_node * racks)


def fuller_stages(*, layers: int, stages: int) -> int:
    """Stages that carry ⌈layers / stages⌉ layers when no two stages differ by more than one.

        fuller = stages - (stages · ⌈layers/stages⌉ - layers)

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1 or there are fewer layers than stages.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (126 layers over 16 stages).

    >>> fuller_stages(layers=126, stages=16)   # fourteen stages of 8, two of 7
    14
    >>> fuller_stages(layers=128, stages=16)   # it divides: every stage is full
    16
    """
    require_counts(layers=layers, stages=stages)
    if layers < stages:
        raise ValueError(f"{layers} layers leave some of {stages} stages empty")
    full = -(-layers // stages)
    return stages - (stages * full - layers)


def layers_per_stage(*, layers: int, stages: int) -> tuple[int, ...]:
    """Layers of each stage, dealt evenly, with the shorter stages at the ends of the pipeline.

        stage i has ⌈layers/stages⌉ layers, or one fewer if it is among the first to be relieved:
        last, first, second to last, second, and so on inwards

    The last stage also computes the output head and the loss, the first one also holds the embedding.

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1 or there are fewer layers than stages.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2; the order past the two ends is ours.

    >>> layers_per_stage(layers=126, stages=16)
    (7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7)
    >>> layers_per_stage(layers=15, stages=4)   # one short: the stage with the output head gets relief
    (4, 4, 4, 3)
    """
    require_counts(layers=layers, stages=stages)
    if layers < stages:
        raise ValueError(f"{layers} layers leave some of {stages} stages empty")
    full = -(-layers // stages)
    short = stages * full - layers
    relief = sorted(range(stages), key=lambda stage: (min(stage, stages - 1 - stage), -stage))
    relieved = set(relief[:short])
    return tuple(full - (stage in relieved) for stage in range(stages))


def layer_parameters(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int) -> int:
    """Weights in the matrices of one decoder layer with grouped-query attention and a SwiGLU MLP.

        parameters = 2·d²·(1 + k/a) + 3·d·f

    Queries and the output projection are d·d; keys and values are d·(d·k/a), because k of the a heads exist.
    SwiGLU has three matrices (gate, up, down), where a plain MLP has two. The two norm vectors are left out.

    Shapes:  W_q, W_o: (d, d); W_k, W_v: (d, d·k/a); gate, up: (d, f); down: (f, d)
    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Ainslie et al. 2023, arXiv:2305.13245, section 2.2; Shazeer 2020, arXiv:2002.05202, section 2.

    >>> layer_parameters(hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8)   # Llama 3.1 405B
    3187671040
    """
    require_counts(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    kv_width = hidden // heads * kv_heads
    attention = 2 * hidden * hidden + 2 * hidden * kv_width
    return attention + 3 * hidden * ffn_hidden


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


def best_layout(
    *,
    gpus: int,
    parameters: int,
    bytes_per_parameter: int,
    budget_bytes: int,
    gpus_per_node: int,
    cp: int = 1,
    max_stages: int = 32,
) -> tuple[int, int, int, int]:
    """The layout (TP, CP, PP, DP) with the most replicas whose states fit; TP and PP are powers of two.

        tp · pp  = smallest power of two ≥ parameters · bytes_per_parameter / budget_bytes
        tp       = min(gpus_per_node, tp · pp)        as deep into the node as NVLink reaches
        dp       = gpus / (tp · cp · pp)

    Context parallelism splits activations, never weights, so it does not help the states to fit.

    Units:   bytes; every other argument is a count. gpus_per_node is a power of two.
    Raises:  ValueError if a count is below 1, gpus_per_node is no power of two, over max_stages stages are
             needed, or the axes do not divide the GPUs.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3 (takeaways 1 and 2).

    >>> best_layout(gpus=16384, parameters=405 * 10**9, bytes_per_parameter=6,
    ...             budget_bytes=20 * 10**9, gpus_per_node=8)   # the shape that Llama 3 405B trained in
    (8, 1, 16, 128)
    """
    require_counts(gpus=gpus, parameters=parameters, bytes_per_parameter=bytes_per_parameter, cp=cp)
    require_counts(budget_bytes=budget_bytes, gpus_per_node=gpus_per_node, max_stages=max_stages)
    if gpus_per_node & (gpus_per_node - 1):
        raise ValueError(f"gpus_per_node must be a power of two, not {gpus_per_node}")
    slices = -(-parameters * bytes_per_parameter // budget_bytes)
    model_parallel = 1 << (int(slices) - 1).bit_length()
    tp = min(gpus_per_node, model_parallel)
    pp = model_parallel // tp
    if pp > max_stages:
        raise ValueError(f"the states need {pp} stages, and {max_stages} are allowed")
    return tp, cp, pp, data_parallel_replicas(gpus=gpus, tp=tp, cp=cp, pp=pp)


def bubble_overhead(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Pipeline bubble as a multiple of the ideal compute time. It may be above 1.

        overhead = (p - 1) / (v · m)

    Units:   every argument is a count. Result as a ratio of times.
    Raises:  ValueError if an argument is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2 ("fraction of ideal computation time").

    >>> bubble_overhead(stages=16, micro_batches=4)    # the bubble is 3.75 times the work
    3.75
    >>> bubble_overhead(stages=16, micro_batches=4, virtual_stages=2)
    1.875
    """
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    return (stages - 1) / (virtual_stages * micro_batches)


def bubble_idle_fraction(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Share of the step that a pipeline stage spends waiting. It is always below 1.

        idle = (p - 1) / (v · m + p - 1)

    Units:   every argument is a count. Result as a fraction of the whole step.
    Raises:  ValueError if an argument is below 1.
    Source:  Huang et al. 2019, arXiv:1811.06965, section 2.3; for v: Narayanan et al. 2021, section 2.2.2.

    >>> round(bubble_idle_fraction(stages=16, micro_batches=4), 3)
    0.789
    >>> round(bubble_idle_fraction(stages=16, micro_batches=4, virtual_stages=2), 3)
    0.652
    """
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    return (stages - 1) / (virtual_stages * micro_batches + stages - 1)


def gradient_traffic_bytes(*, gpu_parameters: float, bytes_per_gradient: int, dp: int) -> float:
    """Bytes that one GPU sends to reduce its gradients over the data-parallel group.

        bytes = 2 · P · bytes_per_gradient · (dp - 1)/dp

    The 2 counts reduce-scatter and all-gather. What travels is this GPU's slice, not the whole model.

    Units:   gpu_parameters is a count, bytes_per_gradient in bytes. Result in bytes.
    Raises:  ValueError if gpu_parameters is not positive or a count is below 1.
    Source:  Patarasuk & Yuan 2009, J. Parallel Distrib. Comput. 69(2), section 3.

    >>> round(gradient_traffic_bytes(gpu_parameters=3.188e9, bytes_per_gradient=2, dp=128) / 1e9, 2)
    12.65
    """
    require_positive(gpu_parameters=gpu_parameters)
    require_counts(bytes_per_gradient=bytes_per_gradient, dp=dp)
    return 2 * gpu_parameters * bytes_per_gradient * (dp - 1) / dp


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
    """Time to all-reduce the BF16 gradients of one GPU's slice over the data-parallel ring, latency left out.

        seconds = 2 · (dp - 1)/dp · 2·P / β,   P = stage_layers · (2·d²·(1 + k/a) + 3·d·f) / tp

    Units:   bandwidth in bytes/s per direction; every other argument is a count. Result in seconds.
    Raises:  ValueError if a count is below 1 or the bandwidth is not positive.
    Source:  Patarasuk & Yuan 2009, section 3; Llama Team 2024, arXiv:2407.21783, Table 3.

    >>> seconds = gradient_sync_seconds(stage_layers=8, hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8,
    ...                                 tp=8, dp=128, bandwidth_bytes_per_s=50e9)
    >>> round(seconds * 1e3)   # milliseconds
    253
    """
    require_counts(stage_layers=stage_layers, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads)
    require_counts(kv_heads=kv_heads, tp=tp, dp=dp)
    require_positive(bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    kv_width = hidden * kv_heads / heads
    attention = 2 * hidden * hidden + 2 * hidden * kv_width
    mlp = 3 * hidden * ffn_hidden
    gpu_parameters = stage_layers * (attention + mlp) / tp
    gradient_bytes = 2 * gpu_parameters
    sent_bytes = 2 * gradient_bytes * (dp - 1) / dp
    return sent_bytes / bandwidth_bytes_per_s
