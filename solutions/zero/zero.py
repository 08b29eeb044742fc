"""ZeRO: which model states each stage shards, what that leaves on a GPU, and what it sends in a step."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive

STAGE_NAMES = ("plain data parallelism", "ZeRO-1", "ZeRO-2", "ZeRO-3")
WHOLE_BYTES = (16, 4, 2, 0)  # a parameter, left whole by each stage (arXiv:1910.02054, 2020, figure 1, K = 12)


def require_stage(stage: int) -> None:
    """Raise ValueError unless the stage is 0 (plain data parallelism), 1, 2 or 3.

    >>> require_stage(3)
    >>> require_stage(4)
    Traceback (most recent call last):
    ValueError: stage must be 0, 1, 2 or 3, not 4
    """
    if isinstance(stage, bool) or stage not in (0, 1, 2, 3):
        raise ValueError(f"stage must be 0, 1, 2 or 3, not {stage!r}")


def state_bytes_per_gpu(*, parameters: float, gpus: int, stage: int, bytes_per_gradient: float = 2) -> float:
    """Model states on one GPU under a ZeRO stage, with mixed-precision Adam.

        stage 0:  16P      stage 1:  4P + 12P/N      stage 2:  2P + 14P/N      stage 3:  16P/N

    for gradients of 2 bytes. Stage 1 shards the optimizer states, 2 the gradients too, 3 the weights as well.

    Units:   parameters, gpus and stage are counts; bytes per element. Result in bytes.
    Raises:  ValueError if parameters or bytes_per_gradient is not positive, gpus is below 1, or the stage unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 5.1 to 5.3.

    >>> P = 7 * 10**9
    >>> [state_bytes_per_gpu(parameters=P, gpus=64, stage=stage) / 1e9 for stage in (0, 1, 2, 3)]
    [112.0, 29.3125, 15.53125, 1.75]
    """
    require_positive(parameters=parameters, bytes_per_gradient=bytes_per_gradient)
    require_counts(gpus=gpus)
    require_stage(stage)
    optimizer_shards = gpus if stage >= 1 else 1
    gradient_shards = gpus if stage >= 2 else 1
    weight_shards = gpus if stage >= 3 else 1
    own_optimizer_bytes = 12 * parameters / optimizer_shards
    own_gradient_bytes = bytes_per_gradient * parameters / gradient_shards
    own_weight_bytes = 2 * parameters / weight_shards
    return own_weight_bytes + own_gradient_bytes + own_optimizer_bytes


def lasting_state_bytes_per_gpu(*, parameters: float, gpus: int, stage: int) -> float:
    """What one GPU still holds between two steps, once the gradients are freed: weights and optimizer states.

        stage 0:  14P      stages 1 and 2:  2P + 12P/N      stage 3:  14P/N

    Units:   parameters, gpus and stage are counts. Result in bytes.
    Raises:  ValueError if parameters is not positive, gpus is below 1, or the stage unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1, less its gradients.

    >>> lasting_state_bytes_per_gpu(parameters=7 * 10**9, gpus=1, stage=0) / 1e9   # 112 GB less 14 of gradients
    98.0
    """
    require_positive(parameters=parameters)
    require_counts(gpus=gpus)
    require_stage(stage)
    weights = 2 * parameters / (gpus if stage == 3 else 1)
    optimizer = 12 * parameters / (gpus if stage >= 1 else 1)
    return weights + optimizer


def sliced_state_bytes_per_gpu(
    *, parameters: float, tp: int, pp: int, dp: int, stage: int, bytes_per_gradient: float = 2
) -> float:
    """Model states on one GPU when TP and PP slice the model and ZeRO shards each slice over its DP group.

        bytes = (states under the stage with P/(TP·PP) parameters and N = DP)

    Units:   bytes per element; every other argument is a count. Result in bytes.
    Raises:  ValueError if parameters or bytes_per_gradient is not positive, a degree below 1, or the stage unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 1 (ZeRO combined with model parallelism).

    >>> layout = {"parameters": 70 * 10**9, "tp": 4, "pp": 4, "dp": 64}
    >>> round(sliced_state_bytes_per_gpu(**layout, stage=1) / 1e9, 1)    # "shards optimizer states" is only this
    18.3
    >>> round(sliced_state_bytes_per_gpu(**layout, stage=3) / 1e9, 2)
    1.09
    """
    require_counts(tp=tp, pp=pp, dp=dp)
    require_positive(parameters=parameters)
    slice_parameters = parameters / (tp * pp)
    return state_bytes_per_gpu(parameters=slice_parameters, gpus=dp, stage=stage, bytes_per_gradient=bytes_per_gradient)


def memory_cut(*, gpus: int, stage: int) -> float:
    """How many times less memory the states take on a GPU than in plain data parallelism.

        stage 1:  16/(4 + 12/N)      stage 2:  16/(2 + 14/N)      stage 3:  N

    The often quoted 4 and 8 are the limits for N without end.

    Units:   gpus and stage are counts; result is a ratio.
    Raises:  ValueError if gpus is below 1 or the stage unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 5.1 to 5.3.

    >>> [round(memory_cut(gpus=64, stage=stage), 2) for stage in (1, 2, 3)]
    [3.82, 7.21, 64.0]
    """
    require_counts(gpus=gpus)
    require_stage(stage)
    whole = WHOLE_BYTES[stage]
    return 16 * gpus / (whole * gpus + 16 - whole)


def gpus_for_cut(*, stage: int, share: float) -> int:
    """The fewest GPUs on which a stage makes states smaller by at least a share of its limit.

        N = ⌈ share/(1 - share) · (16 - w)/w ⌉      with  w = 4 or 2 bytes per parameter not sharded

    The limits are 4 and 8 times for stages 1 and 2. Stage 3 has none.

    Units:   share is a fraction below 1; stage is 1 or 2. Result is a count.
    Raises:  ValueError if the stage is not 1 or 2, or the share not between 0 and 1.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 5.1 and 5.2, solved for the number of devices.

    >>> [gpus_for_cut(stage=stage, share=0.95) for stage in (1, 2)]   # "4 times" and "8 times", to 5 %
    [57, 133]
    """
    require_fraction(share=share)
    if share == 1:
        raise ValueError("share must be below 1: the limit itself is not reached")
    if isinstance(stage, bool) or stage not in (1, 2):
        raise ValueError(f"stage must be 1 or 2, which have a limit, not {stage!r}")
    whole = WHOLE_BYTES[stage]
    return max(1, math.ceil(share / (1 - share) * (16 - whole) / whole * (1 - 1e-12)))


def needed_bytes_per_gpu(*, parameters: float, gpus: int, stage: int, activation_bytes: float) -> float:
    """What one GPU needs for model states and activations together.

        bytes = states + A

    ZeRO never shards activations: they belong to the GPU's own micro-batch.

    Units:   bytes; parameters, gpus and stage are counts. Result in bytes.
    Raises:  ValueError as `state_bytes_per_gpu`, or if activation_bytes is negative.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 3.2 and 5.

    >>> needed_bytes_per_gpu(parameters=30 * 10**9, gpus=8, stage=3, activation_bytes=20e9) / 1e9
    80.0
    >>> needed_bytes_per_gpu(parameters=30 * 10**9, gpus=16, stage=2, activation_bytes=20e9) / 1e9
    106.25
    """
    require_not_negative(activation_bytes=activation_bytes)
    return state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage) + activation_bytes


def room_bytes_per_gpu(
    *, parameters: float, gpus: int, stage: int, device_bytes: float, reserved_bytes: float = 0
) -> float:
    """What a GPU has left for activations after the model states and a reserve.

        bytes = device - reserve - states

    Units:   bytes; parameters, gpus and stage are counts. Result in bytes.
    Raises:  ValueError as `state_bytes_per_gpu`, or if the states and the reserve do not fit.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 5.

    >>> room_bytes_per_gpu(parameters=7 * 10**9, gpus=64, stage=2, device_bytes=80e9) / 1e9
    64.46875
    """
    require_positive(device_bytes=device_bytes)
    require_not_negative(reserved_bytes=reserved_bytes)
    states = state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage)
    room = device_bytes - reserved_bytes - states
    if room < 0:
        raise ValueError(f"states of {states:.4g} bytes do not fit with a reserve of {reserved_bytes:.4g} bytes")
    return room


def step_traffic_bytes(*, parameters: float, gpus: int, stage: int) -> float:
    """Bytes that each GPU sends in one step for gradients and weights, all 16-bit, exactly for N GPUs.

        stages 0 to 2:  2 · 2P · (N-1)/N      stage 3:  3 · 2P · (N-1)/N

    An all-reduce is a reduce-scatter and an all-gather, so stages 1 and 2 send what plain data parallelism sends:
    gradients are scattered, updated weights gathered. Stage 3 gathers weights twice, forward and backward.

    Units:   parameters, gpus and stage are counts. Result in bytes.
    Raises:  ValueError if parameters is not positive, gpus is below 1, or the stage unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 7.1 and 7.2; (N-1)/N as in a ring.

    >>> round(step_traffic_bytes(parameters=7 * 10**9, gpus=64, stage=3) / 1e9, 2)
    41.34
    >>> round(step_traffic_bytes(parameters=7 * 10**9, gpus=64, stage=2) / 1e9, 2)
    27.56
    """
    require_positive(parameters=parameters)
    require_counts(gpus=gpus)
    require_stage(stage)
    collectives = 3 if stage == 3 else 2
    return collectives * 2 * parameters * (gpus - 1) / gpus


def step_traffic_seconds(*, parameters: float, gpus: int, stage: int, bandwidth_bytes_per_s: float) -> float:
    """Time that one step's collectives take when nothing overlaps them and latency is omitted.

        seconds = collectives · 2P · (N-1)/N / β      with 3 collectives in stage 3, else 2

    Units:   parameters, gpus and stage are counts; bytes/s per direction. Result in seconds.
    Raises:  ValueError if parameters or the rate is not positive, gpus is below 1, or the stage unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 7; Patarasuk & Yuan 2009 for (N-1)/N.

    >>> s = step_traffic_seconds(parameters=7 * 10**9, gpus=64, stage=3, bandwidth_bytes_per_s=100e9)
    >>> round(s * 1e3)   # milliseconds
    413
    """
    require_positive(parameters=parameters, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    require_stage(stage)
    whole_weight_bytes = 2 * parameters
    gathers = 2 if stage == 3 else 1
    collectives = gathers + 1
    sent_bytes = collectives * whole_weight_bytes * (gpus - 1) / gpus
    return sent_bytes / bandwidth_bytes_per_s


def nearest_stage(*, parameters: float, gpus: int, measured_bytes: float) -> int:
    """The stage whose model states come nearest to what was measured on a GPU.

        argmin over stages of |states - measured|

    Units:   bytes; parameters and gpus are counts. Result is a stage, 0 to 3.
    Raises:  ValueError if parameters or measured_bytes is not positive, or gpus is below 2 (all stages are alike).
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 5.1 to 5.3.

    >>> nearest_stage(parameters=70 * 10**9 / 16, gpus=64, measured_bytes=1.2e9)
    3
    """
    require_positive(measured_bytes=measured_bytes)
    require_counts(gpus=gpus)
    if gpus < 2:
        raise ValueError("gpus must be at least 2: on one GPU every stage holds the same")

    def miss(stage: int) -> float:
        return abs(state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage) - measured_bytes)

    return min(range(4), key=miss)
