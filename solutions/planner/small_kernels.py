"""Time of the memory-bound kernels of one layer in a forward pass, for one micro-batch on one GPU."""

from __future__ import annotations

from dataclasses import dataclass

from .constants import constant, kernels, software
from .products import Products
from .rates import hbm_bytes_per_s
from .shapes import EIGHT_BITS, Batch, Block, Cluster, Layout, Model, local_tokens


@dataclass(frozen=True)
class Small:
    """Seconds in memory-bound kernels."""

    norms: float  # norms, with residual additions
    activation: float  # the activation function
    others: float  # kernels inside attention, permutation of tokens, biases and casts

    @property
    def seconds(self) -> float:
        """Return the sum of all three."""
        return self.norms + self.activation + self.others


def small_kernels(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block, products: Products
) -> Small:
    """Return the time of a layer's memory-bound kernels, between its matrix multiplications.

    >>> from .products import layer_products
    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> case = (llama, Cluster("H100-80GB", 8), Layout(dp=8), Batch(8, 8192), Block())
    >>> small = small_kernels(*case, layer_products(*case))
    >>> 0 < small.norms < small.activation < small.seconds
    True
    """
    stack, rate = software(layout.software), hbm_bytes_per_s(cluster.accelerator)
    kind = kernels(stack["kernels"])
    outside = local_tokens(layout, batch) * model.hidden / (layout.tp if layout.sequence_parallel else 1)
    norms = outside * kind["norm_bytes"] * block.halves / 2
    activation = 2 * model.mlp_matrices * products.inner * kind["inside"]
    moved = 2 * products.heads * kind["inside"]
    if not (block.is_mixture and stack.get("fused_experts")):  # else dispatch, combine and the grouped product do these
        moved += products.copies * constant("permuted_bytes")
    if block.is_mixture and model.expert_biases:  # added to what gate, up and down give: 16 bits read and written
        wide = model.expert_input or model.hidden
        width = (model.mlp_matrices - 1) * model.expert_ffn_hidden / layout.expert_tp + wide
        moved += 4 * width * products.copies / wide
    if layout.precision in EIGHT_BITS:  # per matmul input: read 16 bits, write 8 bits and 8 bits transposed
        moved += 4 * (block.halves * outside + products.attended + products.inner)
    return Small(norms / rate, activation / rate, moved / rate)
