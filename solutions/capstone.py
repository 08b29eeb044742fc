"""The 405B capstone: layout, memory, bubble and traffic of one pretraining run, one formula each."""

from __future__ import annotations

from fractions import Fraction

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


def racks_needed(
    *, tp: int, cp: int, pp: int, dp: int, gpus_per_node: int, spare_nodes: int, nodes_per_rack: int
) -> int:
    """Racks that a layout and its spare nodes fill, the last one perhaps in part.

        racks = ⌈(tp · cp · pp · dp / gpus_per_node + spare_nodes) / nodes_per_rack⌉

    Units:   every argument is a count. Result is a count of racks.
    Raises:  ValueError if a count is below 1, spare_nodes is negative, or the GPUs do not fill whole nodes.
    Source:  counting; Llama Team 2024, arXiv:2407.21783, section 3.3.1 (eight GPUs a server, two servers a rack).

    >>> racks_needed(tp=4, cp=1, pp=4, dp=64, gpus_per_node=8, spare_nodes=0, nodes_per_rack=2)   # 1,024 GPUs, 128 nodes
    64
    """
    require_counts(tp=tp, cp=cp, pp=pp, dp=dp, gpus_per_node=gpus_per_node, nodes_per_rack=nodes_per_rack)
    require_not_negative(spare_nodes=spare_nodes)
    gpus = tp * cp * pp * dp
    if gpus % gpus_per_node:
        raise ValueError(f"{gpus} GPUs do not fill whole nodes of {gpus_per_node}")
    nodes = gpus // gpus_per_node + spare_nodes
    return -(-nodes // nodes_per_rack)


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
    sequences: int,
    weight_bytes: int,
    activation_bytes: int,
    budget_bytes: int,
    cp: int,
    tp_percent: int,
    gpus_per_node: int = 8,
    max_stages: int = 32,
) -> tuple[int, int, int, int]:
    """The layout (TP, CP, PP, DP) that fits and takes the shortest step; TP and PP are powers of two.

        weights      weight_bytes / (tp · pp)
        activations  activation_bytes / (tp · cp) · min(m, pp) / pp     m = sequences / dp micro-batches a replica
        step       ∝ (1 + tp_percent/100 · (tp - 1)) · (1 + (pp - 1)/m)

    All layouts use all GPUs, so all compute the same. What differs is what the all-reduces of TP add, and the bubble
    of plain 1F1B. Of two layouts that take equally long, the one with the smaller TP is returned.

    Units:   bytes; weight_bytes of the whole model, activation_bytes of one sequence in all its layers; tp_percent is
             what each further GPU of a tensor-parallel group adds to the computing; the rest are counts.
    Raises:  ValueError if a count is below 1 or tp_percent below 0, or if no layout fits that uses all GPUs and
             all sequences.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 2.2 and 3; Korthikanti et al. 2022, section 4.

    >>> best_layout(gpus=16384, sequences=2048, weight_bytes=810 * 10**9, activation_bytes=537 * 10**9,
    ...             budget_bytes=76 * 10**9, cp=1, tp_percent=2)   # the shape that Llama 3 405B trained in
    (8, 1, 16, 128)
    """
    require_counts(gpus=gpus, sequences=sequences, cp=cp, gpus_per_node=gpus_per_node)
    require_not_negative(tp_percent=tp_percent)
    require_counts(weight_bytes=weight_bytes, activation_bytes=activation_bytes, budget_bytes=budget_bytes)
    require_counts(max_stages=max_stages)
    found = []
    for tp in _powers_of_two(gpus_per_node):
        for pp in _powers_of_two(max_stages):
            dp, idle_gpus = divmod(gpus, tp * cp * pp)
            if dp == 0 or idle_gpus or sequences % dp:
                continue
            micro_batches = sequences // dp
            held = weight_bytes * cp + activation_bytes * min(micro_batches, pp)  # times tp · cp · pp
            if held <= budget_bytes * tp * cp * pp:
                step = Fraction((100 + tp_percent * (tp - 1)) * (micro_batches + pp - 1), micro_batches)
                found.append((step, tp, cp, pp, dp))
    if not found:
        raise ValueError(f"no layout of {gpus} GPUs fits")
    _, tp, cp, pp, dp = min(found)
    return tp, cp, pp, dp


def _powers_of_two(largest: int) -> tuple[int, ...]:
    return tuple(1 << power for power in range(largest.bit_length()))


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
    """Time to reduce-scatter the gradients of one GPU's slice and to gather its new weights, latency left out.

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
