"""Activation memory of one layer for one micro-batch on one GPU, tensor by tensor, under each kind of recomputation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .blocks import ATTENTION, RECURRENT
from .constants import kernels, software
from .recompute import WHOLE, recomputed_modules
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
    """Return the bytes that one layer keeps for one micro-batch on one GPU. Without `block`, it is the model's first layer.

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
    if block.mixer in RECURRENT:  # queries, keys and values; their output is as wide as the values
        width, kv = model.heads_of_recurrence.values, model.heads_of_recurrence.keys
    if block.mixer == "none":
        width = kv = 0
    eight = layout.precision in EIGHT_BITS
    product = 1 if eight else 2  # bytes per element that only a matrix multiplication reads again
    layer_input = Kept(2 * model.hidden, 0)
    if word == "operators":
        first = {
            "mixture": model.expert_ffn_hidden * model.experts_per_token, "dense": model.ffn_hidden, "none": 0
        }[block.mlp]  # fmt: skip
        return layer_input + Kept(2 * model.hidden, 4 * width + 2 * kv + 2 * first)
    again = recomputed_modules(word, block)
    if WHOLE in again:
        return layer_input
    queries, keys_values, attended = 2 * width, 4 * kv, 2 * width + (width if eight else 0)
    if block.mixer == "latent":
        values = 2 * model.heads * model.value_dim
        queries = 2 * model.heads * (model.head_dim + model.rope_head_width)
        attended = values * (3 if eight else 2) // 2
        keys_values = queries + values + 2 * (model.query_rank + model.kv_rank + model.rope_head_width)
        if "mla_up_proj" in again:
            queries, keys_values = 0, 2 * (model.query_rank + model.kv_rank)
    if block.mixer in RECURRENT or (model.gated and block.mixer != "none"):
        attended += 4 * width  # the gate, and the output that it multiplies
    if block.mixer == "delta":  # what enters and leaves the convolution; Mamba-2's kernel recomputes the latter
        queries, keys_values = 2 * queries, 2 * keys_values
    normed = 0 if "layernorm" in again else product * model.hidden
    norms = Kept(normed + (2 * model.hidden + normed if block.halves == 2 else 0), 0)
    masks = Kept(2 * model.hidden if model.biases else 0, 0)
    kept = layer_input + norms + masks + Kept(0, queries + keys_values + attended)
    kept += _mlp(model, layout, block, product, again)
    if scores_are_written(model, software(layout.software)) and "core_attn" not in again and block.mixer in ATTENTION:
        kept += Kept(0, (5 if model.biases else 4) * model.heads * batch.sequence)
    return kept


def scores_are_written(model: Model, stack: dict[str, Any]) -> bool:
    """Return whether attention materialises its scores: in old software, and with sinks in software that cannot fuse them yet.

    Fused attention with sinks came to Transformer Engine 2.8 with cuDNN 9.13.1 (September 2025); flash attention lacks it.
    Source:  NVIDIA/TransformerEngine pull request 2148; Dao-AILab/flash-attention issue 1895.

    >>> model = Model("m", 1, 64, 256, 4, 4, 1000, sinks=True)
    >>> [scores_are_written(model, software(name)) for name in ("megatron-2024", "nemo-2025")]
    [True, False]
    """
    knows_sinks = stack.get("sinks", stack["attention"] == "latest")
    return bool(stack["attention"] == "written" or (model.sinks and not knows_sinks))


def _mlp(model: Model, layout: Layout, block: Block, product: int, again: frozenset[str]) -> Kept:
    if block.mlp == "none" or not again.isdisjoint(("mlp", "moe")):
        return Kept(0, 0)
    before: float = 2 * (model.mlp_matrices - 1)
    gate = kernels(software(layout.software)["kernels"])["gate_bytes"] if model.mlp_matrices == 3 else 0
    inner = before + gate + product  # an activation function in a separate kernel keeps its output too
    if not block.is_mixture:
        return Kept(0, inner * model.ffn_hidden)
    routed: float = product * (model.expert_input or model.hidden)
    routed += (before if "moe_act" in again else inner) * model.expert_ffn_hidden
    shared = 0 if "shared_experts" in again else inner * model.shared_experts * model.expert_ffn_hidden
    return Kept(0, model.experts_per_token * routed + shared)
