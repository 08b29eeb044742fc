"""How many parameters a mixture of experts has, and how many of them a token uses."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive, require_whole
from .layer_parameters import mlp_parameters


def total_parameters(
    *, layers: int, hidden: int, attention_parameters: int, experts: int, expert_ffn_hidden: int, vocabulary: int,
    shared_experts: int = 0, dense_layers: int = 0, ffn_hidden: int = 0, mlp_matrices: int = 3,
    biases: bool = False, router_bias: bool = False, tied: bool = False,
) -> int:  # fmt: skip
    """How many parameters a decoder with experts has, norms and embeddings included.

        layer with experts = attention + (E + shared) · matrices·d·f + d·E + norms
        dense layer = attention + matrices·d·F + norms
        whole = (layers - dense) · layer with experts + dense · dense layer + embedding (twice unless tied) + last norm

    d·E is the router: one vector for each expert. Each expert counts, whether or not a token uses it. Norms are
    RMSNorms, a gain for each of d elements, two a layer.

    Units:   every argument is a count; `attention_parameters` of one layer (solutions/shapes/layer_parameters.py). `router_bias`
             is a number for each expert next to the router's vectors. ffn_hidden is needed where there are dense layers.
    Raises:  ValueError if a count is below 1, or there are more dense layers than layers.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 2.1; Jiang et al. 2024 (Mixtral), arXiv:2401.04088, section 2.

    >>> total_parameters(layers=32, hidden=4096, attention_parameters=41943040, experts=8, expert_ffn_hidden=14336,
    ...                  vocabulary=32000)
    46702792704
    """
    require_counts(experts=experts)
    return _counted(
        layers=layers, hidden=hidden, attention_parameters=attention_parameters, experts=experts,
        counted_experts=experts, expert_ffn_hidden=expert_ffn_hidden, vocabulary=vocabulary, shared_experts=shared_experts,
        dense_layers=dense_layers, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices, biases=biases,
        router_bias=router_bias, vocabulary_matrices=1 if tied else 2,
    )  # fmt: skip


def active_parameters(
    *, layers: int, hidden: int, attention_parameters: int, experts: int, experts_per_token: int, expert_ffn_hidden: int,
    vocabulary: int, shared_experts: int = 0, dense_layers: int = 0, ffn_hidden: int = 0, mlp_matrices: int = 3,
    biases: bool = False, router_bias: bool = False, vocabulary_matrices: int = 2,
) -> int:  # fmt: skip
    """How many parameters of a decoder with experts one token uses.

        layer with experts = attention + (k + shared) · matrices·d·f + d·E + norms

    The rest is as in total_parameters. The router counts whole, since a token is compared with each expert.
    `vocabulary_matrices` is 2 where both embedding and output layer count, 1 for the output layer alone (the
    embedding is looked up, and takes no FLOP), 0 for neither.

    Units:   every argument is a count; so is the result.
    Raises:  ValueError if a count is below 1, or there are more dense layers than layers, or a token has more experts than
             there are.
    Source:  Jiang et al. 2024 (Mixtral), arXiv:2401.04088, section 2.1; OpenAI 2025, arXiv:2508.10925, Table 1 counts the
             output layer alone.

    >>> active_parameters(layers=32, hidden=4096, attention_parameters=41943040, experts=8, experts_per_token=2,
    ...                   expert_ffn_hidden=14336, vocabulary=32000)
    12879925248
    """
    require_counts(experts=experts, experts_per_token=experts_per_token)
    if experts_per_token > experts:
        raise ValueError(f"a token cannot go to {experts_per_token} of {experts} experts")
    if vocabulary_matrices not in (0, 1, 2):
        raise ValueError(f"vocabulary_matrices must be 0, 1 or 2, not {vocabulary_matrices!r}")
    return _counted(
        layers=layers, hidden=hidden, attention_parameters=attention_parameters, experts=experts,
        counted_experts=experts_per_token, expert_ffn_hidden=expert_ffn_hidden, vocabulary=vocabulary,
        shared_experts=shared_experts, dense_layers=dense_layers, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices,
        biases=biases, router_bias=router_bias, vocabulary_matrices=vocabulary_matrices,
    )  # fmt: skip


def routed_parameters(
    *, layers: int, hidden: int, experts: int, expert_ffn_hidden: int, dense_layers: int = 0, mlp_matrices: int = 3
) -> int:
    """How many parameters the routed experts of all layers have together: what expert parallelism splits.

        routed = (layers - dense) · E · matrices·d·f

    All the rest (attention, shared experts, routers, dense layers, embeddings) is on each rank of the group.

    Units:   every argument is a count; so is the result.
    Raises:  ValueError if a count is below 1, or there is no layer with experts.
    Source:  Lepikhin et al. 2020 (GShard), arXiv:2006.16668, section 2.2.

    >>> round(routed_parameters(layers=32, hidden=4096, experts=8, expert_ffn_hidden=14336) / 1e9, 1)    # Mixtral-8x7B
    45.1
    """
    require_counts(layers=layers, experts=experts, expert_ffn_hidden=expert_ffn_hidden)
    require_whole(dense_layers=dense_layers)
    if dense_layers >= layers:
        raise ValueError(f"{dense_layers} of {layers} layers cannot be dense if there are experts")
    expert = mlp_parameters(hidden=hidden, ffn_hidden=expert_ffn_hidden, mlp_matrices=mlp_matrices)
    return (layers - dense_layers) * experts * expert


def upcycled_parameters(*, parameters: float, layers: int, hidden: int, ffn_hidden: int, experts: int) -> float:
    """Return how many parameters a dense model has once experts of the same shape replace each MLP, routers omitted.

        parameters = N + (E - 1) · L · 3·d·f

    Units:   parameters (N) of the dense model, all of them; its SwiGLU MLPs have three matrices of d times f. Counts.
    Raises:  ValueError if parameters is not positive or a count is below 1.
    Source:  Jiang et al. 2024 (Mixtral), arXiv:2401.04088, section 2; He et al. 2024, arXiv:2410.07524 (upcycling).

    >>> upcycled_parameters(parameters=7_241_732_096, layers=32, hidden=4096, ffn_hidden=14336, experts=8) / 1e9  # Mixtral
    46.701744128
    """
    require_positive(parameters=parameters)
    require_counts(experts=experts, layers=layers)
    return parameters + (experts - 1) * layers * mlp_parameters(hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=3)


def most_experts(
    *, other_parameters: float, layers: int, hidden: int, expert_ffn_hidden: int, room_bytes: float,
    bytes_per_parameter: float = 16, mlp_matrices: int = 3,
) -> int:  # fmt: skip
    """How many experts a layer may have at most, so that the model states fit into the memory of all GPUs together.

        E = ⌊ (room/b - rest) / (layers · matrices·d·f) ⌋

    Units:   other_parameters are those outside the routed experts; layers with experts; counts; bytes of all GPUs; bytes per parameter,
             16 for weights, gradients and optimizer. Result is a count.
    Raises:  ValueError if an argument is not positive, or not even one expert fits.
    Source:  routed_parameters, solved for the experts; 16 bytes: Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1.

    >>> most_experts(other_parameters=1.6e9, layers=32, hidden=4096, expert_ffn_hidden=14336, room_bytes=64 * 40e9)
    28
    """
    require_positive(other_parameters=other_parameters, room_bytes=room_bytes, bytes_per_parameter=bytes_per_parameter)
    one = routed_parameters(
        layers=layers, hidden=hidden, experts=1, expert_ffn_hidden=expert_ffn_hidden, mlp_matrices=mlp_matrices
    )
    found = int((room_bytes / bytes_per_parameter - other_parameters) // one)
    if found < 1:
        raise ValueError("not even one expert a layer fits")
    return found


def _counted(
    *, layers: int, hidden: int, attention_parameters: int, experts: int, counted_experts: int, expert_ffn_hidden: int,
    vocabulary: int, shared_experts: int, dense_layers: int, ffn_hidden: int, mlp_matrices: int, biases: bool,
    router_bias: bool, vocabulary_matrices: int,
) -> int:  # fmt: skip
    require_counts(layers=layers, hidden=hidden, attention_parameters=attention_parameters, vocabulary=vocabulary)
    require_counts(expert_ffn_hidden=expert_ffn_hidden)
    require_whole(shared_experts=shared_experts, dense_layers=dense_layers, ffn_hidden=ffn_hidden)
    if dense_layers > layers:
        raise ValueError(f"{dense_layers} of {layers} layers cannot be dense")
    expert = mlp_parameters(hidden=hidden, ffn_hidden=expert_ffn_hidden, mlp_matrices=mlp_matrices, biases=biases)
    router = hidden * experts + (experts if router_bias else 0)
    whole = layers * (attention_parameters + 2 * hidden)
    whole += (layers - dense_layers) * ((counted_experts + shared_experts) * expert + router)
    if dense_layers:
        dense = mlp_parameters(hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices, biases=biases)
        whole += dense_layers * dense
    return whole + vocabulary_matrices * vocabulary * hidden + hidden
