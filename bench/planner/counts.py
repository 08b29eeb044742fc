"""FLOP of a published shape, token by token: built from solutions/roofline/flops.py, with the head widths, experts and latent attention it has."""

from __future__ import annotations

from dataclasses import dataclass

from solutions.roofline import flops

from .runs import Shape
from .settings import GPT_VOCABULARY


@dataclass(frozen=True)
class Count:
    """FLOP of one token in a forward pass of a whole model, by part."""

    projections: float
    scores: float  # every pair of a sequence; a causal mask leaves half of them
    mlp: float
    output: float

    @property
    def weights(self) -> float:
        """What the matrices with weights take, the output layer among them."""
        return self.projections + self.mlp + self.output

    @property
    def layers(self) -> float:
        """What the layers take, without the output layer."""
        return self.projections + self.scores + self.mlp


def count(shape: Shape, sequence: int) -> Count:
    """Count a shape. The router and the norms are omitted; windows are ignored, as the sources ignore them."""
    assert shape.layers and shape.hidden
    return Count(
        projections=shape.layers * projection(shape),
        scores=shape.layers * scores(shape, sequence),
        mlp=mlp(shape),
        output=flops.output_flop(tokens=1, hidden=shape.hidden, vocabulary=shape.vocab or GPT_VOCABULARY),
    )


def head_width(shape: Shape) -> int:
    """Elements of one query head: the width over the heads, unless the model says otherwise."""
    assert shape.hidden and shape.heads
    return shape.head_dim or shape.hidden // shape.heads


def projection(shape: Shape) -> float:
    """FLOP of one layer's attention matrices for a token.

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
    """FLOP of one layer's scores for a token, all pairs of the sequence."""
    assert shape.heads
    width = 2 * head_width(shape)  # queries times keys, and probabilities times values
    if shape.qk_nope and shape.qk_rope and shape.v_head:
        width = shape.qk_nope + shape.qk_rope + shape.v_head
    return flops.score_flop(tokens=sequence, sequence_length=sequence, hidden=shape.heads * width) / (2 * sequence)


def matrices(shape: Shape) -> int:
    """Matrices of one MLP."""
    return 3 if shape.mlp == "swiglu3" else 2


def mlp(shape: Shape) -> float:
    """FLOP of all layers' MLPs for a token: in a mixture, of the experts that it passes and of the shared one."""
    assert shape.layers and shape.hidden
    expert_layers = shape.moe_layers or 0
    width = expert_layers * ((shape.top_k or 0) * (shape.expert_ffn or 0) + shape.shared_expert_ffn)
    width += (shape.layers - expert_layers) * (shape.ffn or 4 * shape.hidden)
    return flops.mlp_flop(tokens=1, hidden=shape.hidden, ffn_hidden=width, mlp_matrices=matrices(shape))


def parameters(shape: Shape, sequence: int | None = None) -> float:
    """All parameters: as printed, or counted from the shape."""
    if shape.params_b:
        return shape.params_b * 1e9
    whole = count(shape, sequence or 1)
    assert shape.hidden
    return whole.weights / 2 + embedding(shape) * (not shape.tied)


def embedding(shape: Shape) -> float:
    """Parameters of the input embedding."""
    assert shape.hidden
    return float((shape.vocab or GPT_VOCABULARY) * shape.hidden)
