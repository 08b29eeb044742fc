"""The capstone on a mixture of experts: peak memory per GPU under DualPipe."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive


def require_split(*, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int) -> None:
    """Raise ValueError unless some parameters are outside the experts and ep divides the data-parallel replicas."""
    require_positive(parameters=parameters, routed_parameters=routed_parameters)
    require_counts(stages=stages, dp=dp, ep=ep)
    if dp % ep:
        raise ValueError(f"{ep} expert-parallel ranks must divide the {dp} data-parallel ones")
    if parameters <= routed_parameters:
        raise ValueError(f"{routed_parameters:.3g} routed parameters are not fewer than all {parameters:.3g}")


def dualpipe_state_bytes(*, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int) -> float:
    """Return the model states of one GPU under DualPipe, where each GPU holds two stages.

        bytes = 2·6·(D + R/ep) + 8·(D + R)/dp      D, R: a stage's weights outside and inside the routed experts

    Weights (BF16) and gradients (FP32) take 6 bytes for each parameter of both stages. FP32 master weights and BF16
    moments take 8, sharded over all GPUs that hold the same weight: 2·dp for the dense part, 2·dp/ep for an expert.

    Units:   parameters of the whole model; counts. Every stage has 1/stages of both. Result in bytes.
    Raises:  ValueError if an argument is not positive, or ep does not divide dp.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, Table 2 (parameters twice) and section 3.3.2 (formats).

    >>> v3 = dict(parameters=671e9, routed_parameters=654e9, stages=16, dp=128)
    >>> [round(dualpipe_state_bytes(**v3, ep=ep) / 1e9, 1) for ep in (8, 64)]
    [76.7, 23.0]
    """
    require_split(parameters=parameters, routed_parameters=routed_parameters, stages=stages, dp=dp, ep=ep)
    outside, routed = (parameters - routed_parameters) / stages, routed_parameters / stages
    whole_bytes = 2 * 6 * (outside + routed / ep)
    sharded_bytes = 8 * (outside + routed) / dp
    return whole_bytes + sharded_bytes


def kept_layer_bytes(
    *, tokens: int, other_bytes: float, hidden: int, expert_ffn_hidden: int, experts_per_token: int, shared_experts: int
) -> float:
    """Return the activation memory of one layer with experts and one micro-batch.

        bytes = T·( other + (k + s)·(d + 2·f) )

    Each copy of a token keeps its expert's input and both inputs of SwiGLU in FP8; SwiGLU's output is computed again.

    Units:   other_bytes: bytes per token outside the experts; counts. An even load. Result in bytes.
    Raises:  ValueError if an argument is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, sections 3.2.3 and 3.3.3.

    >>> kept_layer_bytes(tokens=4096, other_bytes=52e3, hidden=7168, expert_ffn_hidden=2048, experts_per_token=8,
    ...                  shared_experts=1) / 1e6
    628.228096
    """
    require_positive(other_bytes=other_bytes)
    require_counts(tokens=tokens, hidden=hidden, expert_ffn_hidden=expert_ffn_hidden)
    require_counts(experts_per_token=experts_per_token, shared_experts=shared_experts)
    of_a_copy = hidden + 2 * expert_ffn_hidden
    return tokens * (other_bytes + (experts_per_token + shared_experts) * of_a_copy)


def dualpipe_peak_bytes(*, state_bytes: float, layer_bytes: float, layers: int, stages: int) -> float:
    """Return the peak memory per GPU under DualPipe: states, and the activations of p + 1 micro-batches on 1/p of the layers.

        bytes = states + (p + 1)·(L/p)·kept

    Units:   bytes of the states, and of one layer and micro-batch; counts. Result in bytes.
    Raises:  ValueError if an argument is not positive, or the number of stages is odd.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, Table 2: activations PP + 1.

    >>> dualpipe_peak_bytes(state_bytes=23e9, layer_bytes=0.6e9, layers=64, stages=16) / 1e9
    63.8
    """
    require_positive(state_bytes=state_bytes, layer_bytes=layer_bytes)
    require_counts(layers=layers, stages=stages)
    if stages % 2:
        raise ValueError(f"DualPipe needs an even number of stages, not {stages}")
    in_flight = stages + 1
    return state_bytes + in_flight * layers / stages * layer_bytes
