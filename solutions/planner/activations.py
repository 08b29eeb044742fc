"""Activation memory of one layer for one micro-batch on one GPU, tensor by tensor, under each kind of recomputation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .constants import kernels, software
from .shapes import EIGHT_BITS, Batch, Block, Layout, Model


@dataclass(frozen=True)
class Kept:
    """Bytes per token in one layer: replicated in a TP group (`outside`), or sharded over it (`inside`)."""

    outside: float
    inside: float

    def __add__(self, other: Kept) -> Kept:
        return Kept(self.outside + other.outside, self.inside + other.inside)

    def __mul__(self, share: float) -> Kept:
        return Kept(self.outside * share, self.inside * share)


@lru_cache(maxsize=65536)
def layer_bytes(model: Model, layout: Layout, batch: Batch, block: Block | None = None, recompute: str = "") -> float:
    """Bytes that one layer, the first unless `block` says another kind, keeps for one micro-batch on one GPU.

        tokens · (outside / (TP with sequence parallelism, else 1) + inside / TP)

    Equal to tensor_parallel.kept_bytes for a Llama and to gpt_activations.layer_bytes for a GPT (tests compare them).

    Units:   shapes and layout in counts. Result in bytes.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, sections 4.1 to 4.2.2, counted for the kernels of each software.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> layer_bytes(llama, Layout(tp=1), Batch(1, 8192)) / 1e9, layer_bytes(llama, Layout(recompute="full"), Batch(1, 8192)) / 1e9
    (1.140850688, 0.067108864)
    """
    block = block or model.blocks[0]
    word = recompute or layout.recompute
    share = layout.recomputed_layers / model.layers
    if word == "partial":
        kept = _kept(model, layout, batch, block, "full") * share
        kept += _kept(model, layout, batch, block, "none") * (1 - share)
    else:
        kept = _kept(model, layout, batch, block, word)
    tokens = layout.micro_batch * batch.sequence / layout.cp
    return tokens * (kept.outside / (layout.tp if layout.sequence_parallel else 1) + kept.inside / layout.tp)


def _kept(model: Model, layout: Layout, batch: Batch, block: Block, word: str) -> Kept:
    model = model.at(block)
    width, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim
    eight = layout.precision in EIGHT_BITS
    product = 1 if eight else 2  # bytes per element that only a matrix multiplication reads again
    layer_input = Kept(2 * model.hidden, 0)
    if word == "full":
        return layer_input
    queries, keys_values, attended = 2 * width, 4 * kv, 2 * width + (width if eight else 0)
    if model.kv_rank:
        queries = 2 * model.heads * (model.head_dim + model.rope_head_width)
        keys_values = queries + 2 * width + 2 * (model.query_rank + model.kv_rank + model.rope_head_width)
    attention = Kept(product * model.hidden, queries + keys_values + attended)
    if word == "mlp":
        return layer_input + attention
    if word == "operators":
        first = model.expert_ffn_hidden * model.experts_per_token if block.is_mixture else model.ffn_hidden
        return layer_input + Kept(2 * model.hidden, 4 * width + 2 * kv + 2 * first)
    if (
        word == "selective" and block.is_mixture
    ):  # norms, activation functions and the latent up-projections are recomputed
        queries, keys_values = (
            (queries, keys_values) if not model.kv_rank else (0, 2 * (model.query_rank + model.kv_rank))
        )
        thin = Kept(2 * model.hidden, queries + keys_values + attended)
        return layer_input + thin + _mlp(model, layout, block, 0)
    norms = Kept((2 + product) * model.hidden, 0)
    masks = Kept(2 * model.hidden if model.biases else 0, 0)
    kept = layer_input + attention + norms + masks + _mlp(model, layout, block, product)
    if software(layout.software)["attention"] == "written" and word == "none":
        kept += Kept(0, (5 if model.biases else 4) * model.heads * batch.sequence)
    return kept


def _mlp(model: Model, layout: Layout, block: Block, product: int) -> Kept:
    before: float = 2 * (model.mlp_matrices - 1)
    if model.mlp_matrices == 3 and product:  # an activation function in a separate kernel keeps its output too
        before += kernels(software(layout.software)["kernels"])["gate_bytes"]
    if not block.is_mixture:
        return Kept(0, (before + product) * model.ffn_hidden)
    copies = model.experts_per_token
    routed = copies * (product * model.hidden + (before + product) * model.expert_ffn_hidden)
    shared = (before + product) * model.shared_experts * model.expert_ffn_hidden
    return Kept(0, routed + shared)
