"""From a layout to a step: the most loaded stage, what its GPU holds, and how long all of it takes."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive
from .layout import layers_per_stage


def fullest_stage_layers(*, layers: int, stages: int) -> int:
    """Layers on the stages that hold most of them, where layers are dealt as evenly as they go.

        layers = ⌈L / p⌉

    Units:   counts.
    Raises:  ValueError if a count is below 1, or there are fewer layers than stages.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (126 layers on 16 stages).

    >>> fullest_stage_layers(layers=126, stages=16), fullest_stage_layers(layers=80, stages=8)
    (8, 10)
    """
    return max(layers_per_stage(layers=layers, stages=stages))


def model_parameters(*, layer_weights: float, layers: int, vocabulary: int, hidden: int) -> float:
    """Weights of a whole decoder by those of a layer: the layers, an input embedding, and an output head of its own.

        parameters = L · w + 2 · V · d

    Units:   every argument is a count.
    Raises:  ValueError if a count is below 1, or layer_weights is not positive.
    Source:  Llama Team 2024, arXiv:2407.21783, Table 3; vocabulary 128,256 as released in July 2024.

    >>> model_parameters(layer_weights=3_187_671_040, layers=126, vocabulary=128_256, hidden=16_384)   # Llama 3.1 405B
    405849243648
    """
    require_positive(layer_weights=layer_weights)
    require_counts(layers=layers, vocabulary=vocabulary, hidden=hidden)
    return layers * layer_weights + 2 * vocabulary * hidden


def stage_weight_bytes(*, layer_weights: float, stage_layers: int, tp: int, bytes_per_weight: int) -> float:
    """Weights that one GPU of a pipeline stage holds, in bytes, by those of a layer.

        bytes = layers of the stage · w / tp · bytes_per_weight

    Every matrix of a layer is cut over the tensor-parallel group.

    Units:   bytes_per_weight in bytes; every other argument is a count. Result in bytes.
    Raises:  ValueError if a count is below 1, or layer_weights is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.3.

    >>> stage_weight_bytes(layer_weights=3_187_671_040, stage_layers=8, tp=8, bytes_per_weight=2) / 1e9
    6.37534208
    """
    require_positive(layer_weights=layer_weights)
    require_counts(stage_layers=stage_layers, tp=tp, bytes_per_weight=bytes_per_weight)
    return stage_layers * layer_weights / tp * bytes_per_weight


def step_flop(
    *, layer_weights: float, layers: int, tokens: int, sequence_length: int, hidden: int, vocabulary: int
) -> float:
    """FLOP of a step's matrices, forward and backward, by the weights of a layer; attention is counted in full.

        FLOP = 3 · (2 · T · (L · w + V · d) + 4 · L · T · s · d)

    Each weight takes a multiplication and an addition for a token. The scores and their use take two products of s times d
    for each token and layer. The embedding is a look-up.

    Units:   tokens (T) of the whole batch; every other argument is a count. Result in FLOP.
    Raises:  ValueError if a count is below 1, or layer_weights is not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, appendix A.

    >>> step_flop(layer_weights=3_187_671_040, layers=126, tokens=2**24, sequence_length=8192, hidden=16_384,
    ...           vocabulary=128_256)   # 16M tokens of Llama 3.1 405B
    44047315418008780800
    """
    require_positive(layer_weights=layer_weights)
    require_counts(
        layers=layers,
        tokens=tokens,
        sequence_length=sequence_length,
        hidden=hidden,
        vocabulary=vocabulary,
    )
    matrices = 2 * tokens * (layers * layer_weights + vocabulary * hidden)
    attention = 4 * layers * tokens * sequence_length * hidden
    return 3 * (matrices + attention)


def gpu_bytes(*, state_bytes: float, activation_bytes: float) -> float:
    """What a GPU holds at the peak of a step: model states that last, and activations that are in flight.

        bytes = states + activations

    Buffers, the allocator's gaps and the context come on top; a plan leaves room for them.

    Units:   bytes of one GPU. Result in bytes.
    Raises:  ValueError if an argument is negative.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.

    >>> gpu_bytes(state_bytes=6.77e9, activation_bytes=68.22e9) / 1e9
    74.99
    """
    require_not_negative(state_bytes=state_bytes, activation_bytes=activation_bytes)
    return state_bytes + activation_bytes


def compute_seconds(*, step_flop: float, gpus: int, achieved_flop_per_s: float) -> float:
    """Time in which all GPUs together do the FLOP of a step, if none ever waits.

        seconds = FLOP / (gpus · achieved)

    Units:   step_flop of all GPUs; achieved FLOP/s of one GPU while it computes. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 5.1.

    >>> round(compute_seconds(step_flop=4.4e19, gpus=16384, achieved_flop_per_s=600e12), 2)
    4.48
    """
    require_positive(step_flop=step_flop, achieved_flop_per_s=achieved_flop_per_s)
    require_counts(gpus=gpus)
    return step_flop / (gpus * achieved_flop_per_s)


def step_seconds(*, busy_s: float, idle: float, micro_batches: int, sync_s: float) -> float:
    """Time of a step: work, the bubble, and what of the replicas' traffic one micro-batch does not hide.

        seconds = busy / (1 - idle) + max(0, sync - busy/m)

    A GPU is busy for `busy` seconds with m micro-batches, and waits for other stages in the share `idle` of the pipeline's time. Gradients
    are reduced while the last backward passes and the next step's first forward passes run, which is about one micro-batch of work.

    Units:   seconds of one GPU; idle is a ratio, micro_batches a count. Result in seconds.
    Raises:  ValueError if micro_batches is below 1, busy_s not positive, sync_s negative, or idle not from 0 to below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> step_seconds(busy_s=8, idle=0.2, micro_batches=16, sync_s=0.4)    # all of it hidden
    10.0
    >>> step_seconds(busy_s=8, idle=0.2, micro_batches=16, sync_s=0.7)
    10.2
    """
    require_positive(busy_s=busy_s)
    require_not_negative(sync_s=sync_s)
    require_counts(micro_batches=micro_batches)
    if not 0 <= idle < 1:
        raise ValueError(f"idle must be at least 0 and below 1, not {idle!r}")
    return busy_s / (1 - idle) + max(0.0, sync_s - busy_s / micro_batches)


def sync_seconds(*, weight_bytes: float, replicas: int, bandwidth_bytes_per_s: float) -> float:
    """Time to reduce-scatter a GPU's FP32 gradients among the replicas and to gather its new BF16 weights, latency omitted.

        seconds = 3 · W · (1 - 1/n) / β,    W = 2·P bytes of BF16 weights, so 4·P + 2·P are sent but for the own share

    Units:   weight_bytes of one GPU in BF16; replicas is a count; bytes per second, one direction. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Patarasuk & Yuan 2009, section 3; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> round(sync_seconds(weight_bytes=6.375e9, replicas=128, bandwidth_bytes_per_s=50e9) * 1e3)    # milliseconds, 405B
    380
    """
    require_positive(weight_bytes=weight_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(replicas=replicas)
    return 3 * weight_bytes * (1 - 1 / replicas) / bandwidth_bytes_per_s
