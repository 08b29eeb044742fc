"""Layouts: whole replicas on a cluster, racks, layers dealt to stages, and the quickest layout that fits."""

from __future__ import annotations

from fractions import Fraction

from ..facts.arguments import require_counts, require_not_negative


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


def folded_expert_replicas(*, gpus: int, tp: int, cp: int, pp: int, ep: int, etp: int) -> int:
    """Return how many GPUs hold the same part of an expert when the experts have their own layout on the GPUs of a stage.

        replicas = gpus / (etp · ep · pp)        and  dp = gpus / (tp · cp · pp)  has to be whole too

    EP takes its ranks from all GPUs of a stage, whatever TP, CP and DP do with them outside the experts. Only PP is shared.

    Units:   every argument is a count.
    Raises:  ValueError if a count is below 1, or if either product does not divide the GPUs.
    Source:  Liu et al. 2025 (MoE parallel folding), arXiv:2504.14960, section 3.2; Megatron-LM, megatron/core/parallel_state.py.

    >>> folded_expert_replicas(gpus=1024, tp=2, cp=1, pp=8, ep=64, etp=1)
    2
    """
    require_counts(gpus=gpus, tp=tp, cp=cp, pp=pp, ep=ep, etp=etp)
    if gpus % (tp * cp * pp):
        raise ValueError(f"replicas of {tp * cp * pp} GPUs do not divide {gpus}")
    if gpus % (etp * ep * pp):
        raise ValueError(f"sets of experts on {etp * ep * pp} GPUs do not divide {gpus}")
    return gpus // (etp * ep * pp)


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
    Source:  counting; Llama Team 2024, arXiv:2407.21783, section 3.3.1 (eight GPUs a node, two nodes a rack).

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


def nvlink_domains_needed(*, gpus: int, group_gpus: int, domain_gpus: int) -> int:
    """NVLink domains (nodes, or racks of 72) that a job occupies when each of its groups must fit in one.

        domains = ⌈(gpus / group) / ⌊domain / group⌋⌉

    Units:   every argument is a count.
    Raises:  ValueError if a count is below 1, a group is larger than a domain, or groups do not divide the GPUs.
    Source:  counting; NVIDIA GB200 NVL72 data sheet (72 GPUs in one NVLink domain).

    >>> [nvlink_domains_needed(gpus=4096, group_gpus=group, domain_gpus=72) for group in (8, 16, 64)]
    [57, 64, 64]
    """
    require_counts(gpus=gpus, group_gpus=group_gpus, domain_gpus=domain_gpus)
    if group_gpus > domain_gpus:
        raise ValueError(f"a group of {group_gpus} does not fit into a domain of {domain_gpus}")
    if gpus % group_gpus:
        raise ValueError(f"groups of {group_gpus} do not divide {gpus} GPUs")
    groups_in_a_domain = domain_gpus // group_gpus
    return -(-(gpus // group_gpus) // groups_in_a_domain)


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
    """Layout (TP, CP, PP, DP) that fits and has the shortest step time; TP and PP are powers of two.

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
