"""Model states and gradient traffic of a mixture of experts whose experts are spread over a data-parallel group."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from ..ring.ring import bytes_sent_per_gpu
from ..zero.zero import require_stage


def expert_replicas(*, dp: int, ep: int) -> int:
    """How many GPUs hold the same expert: the expert-data-parallel group, over which its gradient is added up.

        replicas = dp / ep

    Expert parallelism takes its ranks out of the data-parallel ones: each has tokens of its own.

    Units:   counts of ranks. Result is a count.
    Raises:  ValueError if a count is below 1 or ep does not divide dp.
    Source:  Rajbhandari et al. 2022 (DeepSpeed-MoE), arXiv:2201.05596, section 5.2; Megatron-LM, README of the MoE module.

    >>> expert_replicas(dp=128, ep=64)    # DeepSeek-V3, 16 stages on 2,048 GPUs
    2
    """
    require_counts(dp=dp, ep=ep)
    if dp % ep:
        raise ValueError(f"{ep} expert-parallel ranks must divide the {dp} data-parallel ones")
    return dp // ep


def mixture_state_bytes(
    *, dense_parameters: float, routed_parameters: float, dp: int, ep: int, stage: int = 1
) -> float:
    """Model states on one GPU when the routed experts are spread over ep of the dp data-parallel ranks.

        bytes = (states of the dense part, ZeRO over dp)  +  (states of routed/ep, ZeRO over dp/ep)

    Mixed precision with Adam: 2 bytes of weights, 2 of gradients and 12 of FP32 states a parameter. With ZeRO-1 the
    12 bytes of an expert come to 12·routed/dp whatever ep is; weights and gradients fall with 1/ep.

    Units:   parameters of a whole pipeline stage (of the model where there is one stage); counts. Result in bytes.
    Raises:  ValueError if parameters are not positive, ep does not divide dp, or the stage is unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1; Singh et al. 2023, arXiv:2303.06318, section 5.

    >>> mixtral = dict(dense_parameters=1.6e9, routed_parameters=45.1e9, dp=64)
    >>> [round(mixture_state_bytes(**mixtral, ep=ep) / 1e9, 1) for ep in (1, 8)]
    [195.6, 37.7]
    """
    require_positive(dense_parameters=dense_parameters, routed_parameters=routed_parameters)
    require_counts(dp=dp, ep=ep)
    require_stage(stage)
    if dp % ep:
        raise ValueError(f"{ep} expert-parallel ranks must divide the {dp} data-parallel ones")
    whole_bytes = {0: 16, 1: 4, 2: 2, 3: 0}[stage]
    sharded_bytes = 16 - whole_bytes
    replicas = dp // ep
    held_parameters = routed_parameters / ep
    dense_bytes = dense_parameters * (whole_bytes + sharded_bytes / dp)
    expert_bytes = held_parameters * (whole_bytes + sharded_bytes / replicas)
    return dense_bytes + expert_bytes


def smallest_ep(
    *, dense_parameters: float, routed_parameters: float, experts: int, dp: int, room_bytes: float, stage: int = 1
) -> int:
    """The smallest expert-parallel degree that divides dp and the experts, and whose states fit.

    Units:   as mixture_state_bytes; experts of a layer; bytes left for states. Result is a count of ranks.
    Raises:  ValueError as mixture_state_bytes, or if no degree fits.
    Source:  mixture_state_bytes over the divisors.

    >>> smallest_ep(dense_parameters=1.6e9, routed_parameters=45.1e9, experts=8, dp=64, room_bytes=60e9)
    8
    """
    require_counts(experts=experts, dp=dp)
    require_positive(room_bytes=room_bytes)
    for ep in range(1, min(dp, experts) + 1):
        if dp % ep or experts % ep:
            continue
        needed = mixture_state_bytes(
            dense_parameters=dense_parameters, routed_parameters=routed_parameters, dp=dp, ep=ep, stage=stage
        )
        if needed <= room_bytes:
            return ep
    raise ValueError(f"no degree fits the states into {room_bytes:.3g} bytes")


def gradient_bytes_sent(
    *, dense_parameters: float, routed_parameters: float, dp: int, ep: int, bytes_per_gradient: float = 2
) -> float:
    """Bytes that each GPU sends to all-reduce one step's gradients: dense ones over dp ranks, expert ones over dp/ep ranks.

        bytes = 2·b·D·(dp-1)/dp  +  2·b·(R/ep)·(e-1)/e,   e = dp/ep

    Tokens of all dp ranks have reached each expert, so its sum over the e replicas is the sum over all of them.

    Units:   parameters of a whole pipeline stage; counts; bytes of a gradient on the network. Result in bytes.
    Raises:  ValueError as mixture_state_bytes, or if bytes_per_gradient is not positive.
    Source:  ring all-reduce in each group; Megatron-LM, README of the MoE module (expert data parallelism).

    >>> mixtral = dict(dense_parameters=1.6e9, routed_parameters=45.1e9, dp=64)
    >>> [round(gradient_bytes_sent(**mixtral, ep=ep) / 1e9, 1) for ep in (1, 8)]
    [183.9, 26.0]
    """
    require_positive(dense_parameters=dense_parameters, routed_parameters=routed_parameters)
    require_positive(bytes_per_gradient=bytes_per_gradient)
    replicas = expert_replicas(dp=dp, ep=ep)
    of_the_dense_part = bytes_sent_per_gpu(message_bytes=bytes_per_gradient * dense_parameters, gpus=dp)
    of_the_experts = bytes_sent_per_gpu(message_bytes=bytes_per_gradient * routed_parameters / ep, gpus=replicas)
    return of_the_dense_part + of_the_experts
