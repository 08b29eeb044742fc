"""Matrix multiplications of one layer for one micro-batch on one GPU: their time, and the elements that pass between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from .blocks import RECURRENT
from .constants import constant
from .rates import product_seconds
from .shapes import Batch, Block, Cluster, Layout, Model, local_tokens


@dataclass(frozen=True)
class Products:
    """Seconds of a layer's matrix multiplications in a forward pass, and elements of their inputs and outputs."""

    attention_s: float  # projections of the mixer
    mlp_s: float  # the MLP, or router and experts
    latent_s: float  # share of `attention_s`: up-projections of latent attention
    shared_s: float  # share of `mlp_s`: shared experts
    heads: float  # elements of queries, keys, values and outputs of all heads
    attended: float  # elements of the outputs alone
    inner: float  # elements inside the MLP
    copies: float  # elements of tokens sent to experts

    @property
    def seconds(self) -> float:
        """Return the sum of both."""
        return self.attention_s + self.mlp_s


def layer_products(model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block) -> Products:
    """Return the matrix multiplications of a layer, with the model's sizes at that kind of layer (Model.at).

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> found = layer_products(llama, Cluster("H100-80GB", 8), Layout(dp=8), Batch(8, 8192), Block())
    >>> found.mlp_s > 3 * found.attention_s, found.attended / 8192, found.copies
    (True, 4096.0, 0.0)
    """
    tokens, tp = local_tokens(layout, batch), layout.tp
    attention, latent, width, kv_width = _projections(model, cluster, layout, tokens, block)
    mlp, shared, inner, copies = _mlp(model, cluster, layout, tokens, block)
    return Products(
        attention, mlp, latent, shared, heads=tokens * 2 * (width + kv_width) / tp, attended=tokens * width / tp,
        inner=inner, copies=copies,
    )  # fmt: skip


def _projections(
    model: Model, cluster: Cluster, layout: Layout, tokens: int, block: Block
) -> tuple[float, float, int, int]:
    """Return seconds of a mixer's projections and of latent up-projections, and the width of all queries and of all keys."""
    product = partial(product_seconds, cluster.accelerator, layout.precision, tokens=tokens)
    tp, hidden = layout.tp, model.hidden
    width = model.heads * model.value_dim
    if block.mixer == "none":
        return 0.0, 0.0, 0, 0
    if block.mixer == "latent":
        down = model.query_rank + model.kv_rank + model.rope_head_width
        latent = product(inputs=model.kv_rank, outputs=model.heads * (model.head_dim + model.value_dim) / tp)
        queries = model.heads * (model.head_dim + model.rope_head_width) / tp
        latent += product(inputs=model.query_rank or hidden, outputs=queries)
        seconds = product(inputs=hidden, outputs=down) + product(inputs=width / tp, outputs=hidden) + latent
        return seconds, latent, width, width
    if block.mixer in RECURRENT:  # queries, keys, values, output gate, and the small gates of each head
        heads = model.heads_of_recurrence
        width, kv_width = heads.values, heads.keys
        outputs = 2 * kv_width + 2 * width + heads.gates * heads.value_heads
    else:
        kv_width = model.kv_heads * model.head_dim
        queries = model.heads * model.head_dim + model.gated * width
        outputs = queries + model.kv_heads * (model.head_dim + model.value_dim)
    seconds = product(inputs=hidden, outputs=outputs / tp) + product(inputs=width / tp, outputs=hidden)
    return seconds, 0.0, width, kv_width


def _mlp(
    model: Model, cluster: Cluster, layout: Layout, tokens: int, block: Block
) -> tuple[float, float, float, float]:
    """Return seconds of an MLP and of its shared experts, and the elements inside it and those sent to experts."""
    product = partial(product_seconds, cluster.accelerator, layout.precision)
    tp, hidden, gates = layout.tp, model.hidden, model.mlp_matrices - 1
    if block.mlp == "none":
        return 0.0, 0.0, 0.0, 0.0
    if not block.is_mixture:
        inner = model.ffn_hidden / tp
        seconds = product(tokens=tokens, inputs=hidden, outputs=gates * inner)
        return seconds + product(tokens=tokens, inputs=inner, outputs=hidden), 0.0, tokens * inner, 0.0
    copies = tokens * model.experts_per_token / tp * layout.expert_tp
    local = max(1.0, model.experts / layout.ep)
    inner, shared = model.expert_ffn_hidden / layout.expert_tp, model.shared_experts * model.expert_ffn_hidden / tp
    wide = model.expert_input or hidden
    routed = partial(product, tokens=copies / local, copies=local)
    grouped = routed(inputs=wide, outputs=gates * inner) + routed(inputs=inner, outputs=wide)
    seconds = grouped / constant("grouped") + product(tokens=tokens / tp, inputs=hidden, outputs=model.experts)
    if model.expert_input:
        seconds += product(tokens=tokens / tp, inputs=hidden, outputs=wide)
        seconds += product(tokens=tokens / tp, inputs=wide, outputs=hidden)
    shared_s = 0.0
    if shared:
        shared_s = product(tokens=tokens, inputs=hidden, outputs=gates * shared)
        shared_s += product(tokens=tokens, inputs=shared, outputs=hidden)
    return seconds + shared_s, shared_s, copies * inner + tokens * shared, copies * wide
