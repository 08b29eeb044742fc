"""Weights and work of the capstone's mixture, counted matrix by matrix."""

from __future__ import annotations

from fractions import Fraction

from ..roofline.layer_flop import attention_flop_per_pair_and_channel, flop_per_weight_and_token


def _mlp(hidden: int, inner: int) -> int:
    """Return the number of weights in the gate, up and down projections."""
    return sum(rows * columns for rows, columns in ((hidden, inner), (hidden, inner), (inner, hidden)))


def mixture_layer_weights(
    *, attention_weights: float, hidden: int, expert_ffn_hidden: int, experts: int, shared_experts: int
) -> float:
    """Add up the experts of a layer one by one, each routed one with its column of the router."""
    held = attention_weights
    for _ in range(experts):
        held += _mlp(hidden, expert_ffn_hidden) + hidden
    for _ in range(shared_experts):
        held += _mlp(hidden, expert_ffn_hidden)
    return held


def mixture_parameters(
    *, layer_weights: float, attention_weights: float, layers: int, dense_layers: int, hidden: int, ffn_hidden: int,
    vocabulary: int,
) -> float:  # fmt: skip
    """Add up the layers, from the embedding to the output head."""
    total = Fraction(vocabulary * hidden)
    for layer in range(layers):
        is_dense = layer < dense_layers
        total += Fraction(attention_weights) + _mlp(hidden, ffn_hidden) if is_dense else Fraction(layer_weights)
    return float(total + hidden * vocabulary)


def multiplied_parameters(
    *, parameters: float, layers: int, dense_layers: int, hidden: int, expert_ffn_hidden: int, experts: int,
    experts_per_token: int, vocabulary: int,
) -> float:  # fmt: skip
    """Subtract the unused experts of every layer, one by one, and the embedding."""
    left = Fraction(parameters)
    for _ in range(dense_layers, layers):
        for expert in range(experts):
            if expert >= experts_per_token:
                left -= _mlp(hidden, expert_ffn_hidden)
    return float(left - vocabulary * hidden)


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
    """Count one token's operations: with every weight, and for each head, pair and channel of scores and values."""
    weights = flop_per_weight_and_token() * Fraction(active_parameters)
    # A channel counts in the scores and in their product with the values; here each has channels of its own.
    for_one_product = Fraction(attention_flop_per_pair_and_channel(), 2)
    channels = sum(heads * width for width in (score_dim, value_dim))
    attention = sum(for_one_product * channels * sequence_length for _ in range(layers))
    return float((weights + attention) * tokens)


def two_rate_seconds(
    *, active_parameters: float, tokens: int, layers: int, sequence_length: int, heads: int, score_dim: int,
    value_dim: int, gpus: int, weight_flop_per_s: float, attention_flop_per_s: float,
) -> float:  # fmt: skip
    """Divide the tokens over the GPUs, and time the two kinds of work one after the other."""
    shape = {"layers": layers, "sequence_length": sequence_length, "heads": heads}
    both = step_work_flop(
        active_parameters=active_parameters, tokens=tokens, score_dim=score_dim, value_dim=value_dim, **shape
    )
    of_weights = flop_per_weight_and_token() * Fraction(active_parameters) * tokens
    clock = of_weights / gpus / Fraction(weight_flop_per_s)
    clock += (Fraction(both) - of_weights) / gpus / Fraction(attention_flop_per_s)
    return float(clock)
