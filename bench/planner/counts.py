"""FLOP per token of a published model, from solutions/roofline/flops.py, with head width, experts and latent attention."""

from __future__ import annotations

from dataclasses import dataclass

from solutions.roofline import flops

from .runs import Shape
from .settings import GPT_VOCABULARY


@dataclass(frozen=True)
class Count:
    """Forward FLOP per token of a model, by part."""

    projections: float
    scores: float  # all pairs of tokens; a causal mask keeps half of them
    mlp: float
    output: float

    @property
    def weights(self) -> float:
        """Return the FLOP of all weight matrices, including the output layer."""
        return self.projections + self.mlp + self.output

    @property
    def layers(self) -> float:
        """Return the FLOP of the layers, without the output layer."""
        return self.projections + self.scores + self.mlp


def count(shape: Shape, sequence: int) -> Count:
    """Return the FLOP of a model. Router and norms are neglected, and so are attention windows, as in the sources."""
    assert shape.layers and shape.hidden
    return Count(
        projections=shape.layers * projection(shape),
        scores=shape.layers * scores(shape, sequence),
        mlp=mlp(shape),
        output=flops.output_flop(tokens=1, hidden=shape.hidden, vocabulary=shape.vocab or GPT_VOCABULARY),
    )


def head_width(shape: Shape) -> int:
    """Return the head dimension: hidden size / heads, unless the model specifies it."""
    assert shape.hidden and shape.heads
    return shape.head_dim or shape.hidden // shape.heads


def projection(shape: Shape) -> float:
    """Return the forward FLOP per token of one layer's attention projections.

    Latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): queries through q_lora, keys and values through kv_lora.
    """
    assert shape.hidden and shape.heads
    if shape.q_lora and shape.kv_lora and shape.qk_nope and shape.qk_rope and shape.v_head:
        query = shape.hidden * shape.q_lora + shape.q_lora * shape.heads * (shape.qk_nope + shape.qk_rope)
        down = shape.hidden * (shape.kv_lora + shape.qk_rope)
        up = shape.kv_lora * shape.heads * (shape.qk_nope + shape.v_head)
        return 2.0 * (query + down + up + shape.heads * shape.v_head * shape.hidden)
    kv_heads = shape.kv_heads or shape.heads
    if head_width(shape) * shape.heads == shape.hidden:
        return flops.projection_flop(tokens=1, hidden=shape.hidden, heads=shape.heads, kv_heads=kv_heads)
    return 2.0 * shape.hidden * head_width(shape) * (2 * shape.heads + 2 * kv_heads)


def scores(shape: Shape, sequence: int) -> float:
    """Return the forward FLOP per token of one layer's core attention, over all pairs of tokens."""
    assert shape.heads
    width = 2 * head_width(shape)  # queries times keys, and probabilities times values
    if shape.qk_nope and shape.qk_rope and shape.v_head:
        width = shape.qk_nope + shape.qk_rope + shape.v_head
    return flops.score_flop(tokens=sequence, sequence_length=sequence, hidden=shape.heads * width) / (2 * sequence)


def matrices(shape: Shape) -> int:
    """Return the number of matrices in an MLP."""
    return 3 if shape.mlp == "swiglu3" else 2


def mlp(shape: Shape) -> float:
    """Return the forward FLOP per token of all MLPs; with experts, of the routed and the shared ones."""
    assert shape.layers and shape.hidden
    expert_layers = shape.moe_layers or 0
    width = expert_layers * ((shape.top_k or 0) * (shape.expert_ffn or 0) + shape.shared_expert_ffn)
    width += (shape.layers - expert_layers) * (shape.ffn or 4 * shape.hidden)
    return flops.mlp_flop(tokens=1, hidden=shape.hidden, ffn_hidden=width, mlp_matrices=matrices(shape))


def parameters(shape: Shape, sequence: int | None = None) -> float:
    """Return the number of parameters, as reported or counted from the shape."""
    if shape.params_b:
        return shape.params_b * 1e9
    whole = count(shape, sequence or 1)
    assert shape.hidden
    return whole.weights / 2 + embedding(shape) * (not shape.tied)


def embedding(shape: Shape) -> float:
    """Return the number of parameters of the input embedding."""
    assert shape.hidden
    return float((shape.vocab or GPT_VOCABULARY) * shape.hidden)
