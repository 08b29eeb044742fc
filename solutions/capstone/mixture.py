"""The capstone on a mixture of experts: its weights, and the work of a step."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive


def mixture_layer_weights(
    *, attention_weights: float, hidden: int, expert_ffn_hidden: int, experts: int, shared_experts: int
) -> float:
    """Return the weights of a layer with experts: attention, routed and shared experts, and the router.

        weights = A + 3·d·f·(E + s) + d·E

    Units:   every argument is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 2.1; without norms.

    >>> round(mixture_layer_weights(attention_weights=187107328, hidden=7168, expert_ffn_hidden=2048,
    ...                             experts=256, shared_experts=1) / 1e9, 2)
    11.51
    """
    require_positive(attention_weights=attention_weights)
    require_counts(hidden=hidden, expert_ffn_hidden=expert_ffn_hidden, experts=experts, shared_experts=shared_experts)
    mlps = 3 * hidden * expert_ffn_hidden * (experts + shared_experts)
    router = hidden * experts
    return attention_weights + mlps + router


def mixture_parameters(
    *, layer_weights: float, attention_weights: float, layers: int, dense_layers: int, hidden: int, ffn_hidden: int,
    vocabulary: int,
) -> float:  # fmt: skip
    """Return the parameters of a mixture whose first layers are dense, with embedding and output head.

        parameters = (L - D)·W + D·(A + 3·d·F) + 2·V·d

    Units:   layer_weights (W) are those of a layer with experts; every argument is a count.
    Raises:  ValueError if a count is below 1 or there are not more layers than dense ones.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 4.2: 671 billion, without norms and the MTP module.

    >>> round(mixture_parameters(layer_weights=11507268608, attention_weights=187107328, layers=61, dense_layers=3,
    ...                          hidden=7168, ffn_hidden=18432, vocabulary=129280) / 1e9)
    671
    """
    require_positive(layer_weights=layer_weights, attention_weights=attention_weights)
    require_counts(
        layers=layers, dense_layers=dense_layers, hidden=hidden, ffn_hidden=ffn_hidden, vocabulary=vocabulary
    )
    if layers <= dense_layers:
        raise ValueError(f"{dense_layers} dense layers leave none of {layers} for experts")
    with_experts = (layers - dense_layers) * layer_weights
    dense = dense_layers * (attention_weights + 3 * hidden * ffn_hidden)
    return with_experts + dense + 2 * vocabulary * hidden


def multiplied_parameters(
    *, parameters: float, layers: int, dense_layers: int, hidden: int, expert_ffn_hidden: int, experts: int,
    experts_per_token: int, vocabulary: int,
) -> float:  # fmt: skip
    """Return the parameters that multiply each token: all except the unused experts and the embedding.

        multiplied = N - (L - D)·3·d·f·(E - k) - V·d

    Units:   every argument is a count.
    Raises:  ValueError if a count is below 1, a token uses more experts than there are, or nothing is left.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 4.2: 37 billion activated for each token.

    >>> round(multiplied_parameters(parameters=671.0e9, layers=61, dense_layers=3, hidden=7168, expert_ffn_hidden=2048,
    ...                             experts=256, experts_per_token=8, vocabulary=129280) / 1e9, 1)
    36.6
    """
    require_positive(parameters=parameters)
    require_counts(layers=layers, dense_layers=dense_layers, hidden=hidden, expert_ffn_hidden=expert_ffn_hidden)
    require_counts(experts=experts, experts_per_token=experts_per_token, vocabulary=vocabulary)
    if experts_per_token > experts:
        raise ValueError(f"a token cannot use {experts_per_token} of {experts} experts")
    unused = (layers - dense_layers) * 3 * hidden * expert_ffn_hidden * (experts - experts_per_token)
    left = parameters - unused - vocabulary * hidden
    if left <= 0:
        raise ValueError(f"{parameters:.3g} parameters are fewer than the unused experts")
    return left


def step_work_flop(
    *,
    active_parameters: float,
    tokens: int,
    layers: int,
    sequence_length: int,
    heads: int,
    score_dim: int,
    value_dim: int,
) -> float:
    """Return the FLOP of one step's matmuls, forward and backward, with core attention in full.

        FLOP = 6·T·N + 6·T·L·s·a·(q + v)

    MLA's queries and keys are wider than its values: 192 and 128 elements of a head in DeepSeek-V3.

    Units:   active_parameters: those that a token is multiplied with; tokens of the global batch; counts. Result in FLOP.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B, with the widths of MLA: DeepSeek-AI 2024, section 2.1.1.

    >>> round(step_work_flop(active_parameters=36.6e9, tokens=1, layers=61, sequence_length=4096, heads=128,
    ...                      score_dim=192, value_dim=128) / 1e9)
    281
    """
    require_positive(active_parameters=active_parameters)
    require_counts(tokens=tokens, layers=layers, sequence_length=sequence_length, heads=heads)
    require_counts(score_dim=score_dim, value_dim=value_dim)
    with_weights = 6 * active_parameters
    core_attention = 6 * layers * sequence_length * heads * (score_dim + value_dim)
    return tokens * (with_weights + core_attention)


def two_rate_seconds(
    *, active_parameters: float, tokens: int, layers: int, sequence_length: int, heads: int, score_dim: int,
    value_dim: int, gpus: int, weight_flop_per_s: float, attention_flop_per_s: float,
) -> float:  # fmt: skip
    """Return the compute time of a step in which matmuls with weights and core attention run at different rates.

        seconds = T·( 6·N / r  +  6·L·s·a·(q + v) / r' ) / G

    Units:   as step_work_flop; FLOP/s that one GPU achieves; counts. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  counting; DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.1: core attention stays out of FP8.

    >>> two_rate_seconds(active_parameters=1e12, tokens=40, layers=10, sequence_length=1000, heads=10, score_dim=6e6,
    ...                  value_dim=4e6, gpus=1, weight_flop_per_s=600e12, attention_flop_per_s=400e12)
    1.0
    """
    require_positive(active_parameters=active_parameters)
    require_counts(tokens=tokens, layers=layers, sequence_length=sequence_length, heads=heads, gpus=gpus)
    require_counts(score_dim=score_dim, value_dim=value_dim)
    require_positive(weight_flop_per_s=weight_flop_per_s, attention_flop_per_s=attention_flop_per_s)
    with_weights = 6 * active_parameters
    core_attention = 6 * layers * sequence_length * heads * (score_dim + value_dim)
    return tokens * (with_weights / weight_flop_per_s + core_attention / attention_flop_per_s) / gpus
