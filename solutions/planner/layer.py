"""Time of one layer for one micro-batch on one GPU: compute, and communication of TP, CP and EP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from .constants import constant, kernels, software
from .exchange import context_seconds, expert_seconds, tensor_seconds
from .mixing import core_seconds
from .products import layer_products
from .shapes import Batch, Block, Cluster, Layout, Model
from .small_kernels import small_kernels

BACKWARD_SMALL = 1.6  # tensors read and written, backward to forward: a norm 3 to 2, a SwiGLU product 5 to 3


@dataclass(frozen=True)
class Pass:
    """One layer in one direction, for one micro-batch: seconds of each part."""

    products: float
    mlp: float  # share of `products` that is the MLP or the experts
    core: float  # core attention
    small: float  # norms, sums, activation functions, casts, and kernel launches
    tensor: float
    context: float
    expert: float  # dispatch and combine
    norms: float = 0.0  # share of `small`
    activation: float = 0.0  # share of `small`: the activation function
    latent: float = 0.0  # share of `products`: up-projections of latent attention
    shared: float = 0.0  # share of `mlp`: shared experts

    @property
    def compute(self) -> float:
        """Return compute time in seconds."""
        return self.products + self.core + self.small


@lru_cache(maxsize=1 << 16)
def layer_passes(model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block) -> tuple[Pass, Pass]:
    """Return the forward and backward pass of one kind of layer.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> forward, backward = layer_passes(llama, Cluster("H100-80GB", 8), Layout(dp=8), Batch(8, 8192), Block())
    >>> forward.compute < backward.compute < 3 * forward.compute
    True
    """
    case, stack = (model.at(block), cluster, layout, batch, block), software(layout.software)
    products = layer_products(*case)
    small = small_kernels(*case, products)
    is_graph = stack.get("whole_graph", False)
    launches_s = 0.0 if is_graph else kernels(stack["kernels"])["launch_s"] * block.halves / 2
    expert_s = expert_seconds(*case[:-1]) if block.is_mixture else 0.0

    def in_direction(core_s: float, small_s: float, *, is_backward: bool) -> Pass:
        times = 2 if is_backward else 1  # gradients of inputs and of weights
        products_s = times * products.seconds
        if block.is_mixture and not is_graph:  # with so many small kernels, the host may not launch them fast enough
            small_s = max(small_s, times * constant("mixture_host_s") - products_s - core_s)
        tensor_s = tensor_seconds(*case, products_s=products_s, rest_s=core_s + small_s, is_backward=is_backward)
        context_s = context_seconds(*case, core_s=core_s, is_backward=is_backward)
        return Pass(products_s, times * products.mlp_s, core_s, small_s, tensor_s, context_s, expert_s)

    core_s, back_core_s = core_seconds(*case)
    forward = in_direction(core_s, small.seconds + launches_s, is_backward=False)
    backward = in_direction(back_core_s, BACKWARD_SMALL * small.seconds + 2 * launches_s, is_backward=True)
    shares = {"norms": small.norms, "activation": small.activation}
    return replace(forward, latent=products.latent_s, shared=products.shared_s, **shares), backward
