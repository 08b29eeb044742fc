"""Time of one layer for one micro-batch on one GPU: matmuls, attention, small kernels, and communication of TP, CP and EP."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from ..facts import hardware
from ..facts.arguments import require_positive
from ..roofline import flops
from ..tensor_and_context import context_parallel, tensor_parallel
from .constants import attention_share, chip, constant, kernels, software
from .links import dispatch_seconds, exposed_seconds, hop_seconds, phase_seconds
from .shapes import EIGHT_BITS, Batch, Block, Cluster, Layout, Model

BACKWARD_CORE = 2.5  # fused attention: five matmuls backward for two forward (Dao 2023, arXiv:2307.08691, section 3.1)
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
    expert: float

    @property
    def compute(self) -> float:
        """Compute time in seconds."""
        return self.products + self.core + self.small


@cache
def hbm_bytes_per_s(accelerator: str) -> float:
    """Achieved memory bandwidth of a chip.

    >>> hbm_bytes_per_s("H100-80GB") < 3.35e12
    True
    """
    return hardware.hbm_bytes_per_s(accelerator=accelerator) * constant("hbm")


@cache
def peak_flop_per_s(accelerator: str, precision: str = "bf16") -> float:
    """Dense peak FLOP/s for a precision; a chip without it uses the next wider one, and FP16 before Ampere.

    >>> peak_flop_per_s("A100-80GB", "fp8") == peak_flop_per_s("A100-80GB")
    True
    """
    return hardware.peak_flop_per_s(accelerator=accelerator, number_format=_computed_in(accelerator, precision))


@cache
def _computed_in(accelerator: str, precision: str) -> str:
    narrow = {"nvfp4": ("fp4", "fp8"), "mxfp8": ("fp8",), "fp8": ("fp8",)}.get(precision, ())
    known = hardware.number_formats(accelerator=accelerator)
    return next(name for name in (*narrow, "bf16", "fp16") if name in known)


@lru_cache(maxsize=1 << 14)
def product_seconds(
    accelerator: str, precision: str, *, tokens: float, inputs: float, outputs: float, copies: float = 1
) -> float:
    """Time of `copies` matrix multiplications of (tokens, inputs) by (inputs, outputs).

        seconds = FLOP / (share · peak) + product_memory · bytes / bandwidth

    The second term makes thin matrices slow: they move more bytes per FLOP. A dimension that is not a multiple of 64 leaves
    tensor-core tiles partly empty.

    Units:   counts, on one GPU. Result in seconds.
    Raises:  ValueError if a size is not positive, or the chip unknown.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785; NVIDIA, Matrix Multiplication Background
             User's Guide, section 3 (tile quantization); the shares are in planner/constants.yaml.

    >>> wide = product_seconds("H100-80GB", "bf16", tokens=8192, inputs=8192, outputs=8192)
    >>> 2 * 8192**3 / wide / 989e12 < 0.75
    True
    """
    require_positive(tokens=tokens, inputs=inputs, outputs=outputs, copies=copies)
    row = chip(accelerator)
    rate: float = peak_flop_per_s(accelerator, precision) * row.get(_computed_in(accelerator, precision), row["matmul"])
    if inputs % 64 or outputs % 64:
        rate *= constant("misaligned")
    moved = 2 * (tokens * inputs + inputs * outputs + tokens * outputs)
    waited = constant("product_memory") * moved / hbm_bytes_per_s(accelerator)
    return copies * (2 * tokens * inputs * outputs / rate + waited)


@lru_cache(maxsize=1 << 16)
def layer_passes(model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block) -> tuple[Pass, Pass]:
    """Forward and backward pass of one kind of layer.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> forward, backward = layer_passes(llama, Cluster("H100-80GB", 8), Layout(dp=8), Batch(8, 8192), Block())
    >>> forward.compute < backward.compute < 3 * forward.compute
    True
    """
    model, stack = model.at(block), software(layout.software)
    attention, mlp, elements = _products(model, cluster, layout, batch, block)
    core, back_core = _attention_core(model, cluster, layout, batch, stack)
    small = _small_seconds(model, cluster, layout, batch, stack, elements)
    started = kernels(stack["kernels"])["launch_s"]
    forward_small, backward_small = small + started, BACKWARD_SMALL * small + 2 * started
    if block.is_mixture:  # with so many small kernels, the host may not launch them fast enough
        host = constant("mixture_host_s")
        forward_small = max(forward_small, host - attention - mlp - core)
        backward_small = max(backward_small, 2 * host - 2 * (attention + mlp) - back_core)
    expert = 2 * _dispatch(model, cluster, layout, batch) if block.is_mixture else 0.0
    forward_sent = _sent(model, cluster, layout, batch, stack, core, attention + mlp, block, values=2)
    backward_sent = _sent(model, cluster, layout, batch, stack, back_core, 2 * (attention + mlp), block, values=4)
    return (
        Pass(attention + mlp, mlp, core, forward_small, *forward_sent, expert),
        Pass(2 * (attention + mlp), 2 * mlp, back_core, backward_small, *backward_sent, expert),
    )


def _local_tokens(layout: Layout, batch: Batch) -> int:
    return layout.micro_batch * batch.sequence // layout.cp


def _products(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block
) -> tuple[float, float, dict[str, float]]:
    """Forward seconds of the attention and MLP matmuls, and the elements that small kernels read and write."""
    tokens, tp, hidden = _local_tokens(layout, batch), layout.tp, model.hidden
    width, kv_width = model.heads * model.head_dim, model.kv_heads * model.head_dim
    gates = model.mlp_matrices - 1

    def product(inputs: float, outputs: float, rows: float = tokens, copies: float = 1) -> float:
        return product_seconds(
            cluster.accelerator, layout.precision, tokens=rows, inputs=inputs, outputs=outputs, copies=copies
        )

    if model.kv_rank:
        down = model.query_rank + model.kv_rank + model.rope_head_width
        attention = product(hidden, down) + product(width / tp, hidden) + product(model.kv_rank, 2 * width / tp)
        attention += product(model.query_rank, model.heads * (model.head_dim + model.rope_head_width) / tp)
        kv_width = width
    else:
        attention = product(hidden, (width + 2 * kv_width) / tp) + product(width / tp, hidden)
    elements = {"heads": tokens * 2 * (width + kv_width) / tp, "attended": tokens * width / tp, "copies": 0.0}
    if not block.is_mixture:
        inner = model.ffn_hidden / tp
        return attention, product(hidden, gates * inner) + product(inner, hidden), elements | {"inner": tokens * inner}
    copies = tokens * model.experts_per_token / tp * layout.expert_tp
    local = max(1.0, model.experts / layout.ep)
    inner, shared = model.expert_ffn_hidden / layout.expert_tp, model.shared_experts * model.expert_ffn_hidden / tp
    grouped = product(hidden, gates * inner, copies / local, local) + product(inner, hidden, copies / local, local)
    mlp = grouped / constant("grouped") + product(hidden, model.experts, tokens / tp)
    if shared:
        mlp += product(hidden, gates * shared) + product(shared, hidden)
    return attention, mlp, elements | {"inner": copies * inner + tokens * shared, "copies": copies * hidden}


def _attention_core(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any]
) -> tuple[float, float]:
    """Seconds of core attention, forward and backward."""
    tokens, width = layout.micro_batch * batch.sequence, model.heads * model.head_dim
    if model.kv_rank:
        width += model.heads * model.rope_head_width // 2  # queries and keys are wider than values
    written = stack["attention"] == "written"
    whole = flops.score_flop(tokens=tokens, sequence_length=batch.sequence, hidden=width, causal=not written)
    flop = whole / (layout.tp * layout.cp)
    peak = peak_flop_per_s(cluster.accelerator)
    if not written:
        length = batch.sequence / (batch.sequence + constant("attention_length"))
        forward = flop / (peak * attention_share(cluster.accelerator, stack["attention"]) * length)
        return forward, BACKWARD_CORE * forward
    scores = model.heads / layout.tp * batch.sequence * tokens / layout.cp
    passed_over = scores * constant("written_score_bytes") / hbm_bytes_per_s(cluster.accelerator)
    forward = flop / (peak * chip(cluster.accelerator)["matmul"]) + passed_over
    return forward, 2 * forward


def _small_seconds(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any], elements: dict[str, float]
) -> float:
    """Seconds of a forward pass in memory-bound kernels."""
    kind = kernels(stack["kernels"])
    outside = _local_tokens(layout, batch) * model.hidden / (layout.tp if layout.sequence_parallel else 1)
    moved = outside * kind["norm_bytes"]
    moved += (2 * elements["heads"] + 2 * model.mlp_matrices * elements["inner"]) * kind["inside"]
    moved += elements["copies"] * constant("permuted_bytes")
    if layout.precision in EIGHT_BITS:  # per matmul input: read 16 bits, write 8 bits and 8 bits transposed
        moved += 4 * (2 * outside + elements["attended"] + elements["inner"])
    return moved / hbm_bytes_per_s(cluster.accelerator)


def _dispatch(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> float:
    return dispatch_seconds(
        cluster, tokens=_local_tokens(layout, batch) / layout.tp, hidden=model.hidden, experts=model.experts,
        experts_per_token=model.experts_per_token, ep=layout.ep, stride=layout.expert_tp,
    )  # fmt: skip


def _sent(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any], core: float, products: float,
    block: Block, values: int,
) -> tuple[float, float]:  # fmt: skip
    """Exposed seconds of tensor and context parallelism in one pass; CP sends K and V, and their gradients backward."""
    tokens = _local_tokens(layout, batch)
    reductions = tensor_parallel.all_reduces(layers=1, span="forward")
    phases = reductions if block.is_mixture and layout.expert_tp == 1 else 2 * reductions
    message = 2 * tokens * model.hidden
    tensor = phases * phase_seconds(cluster, message_bytes=message, size=layout.tp, stride=1)
    if stack["overlap"] == "all":
        tensor = exposed_seconds(tensor, products)
    context = 0.0
    if layout.cp > 1:
        kv_heads = max(1, model.kv_heads // layout.tp)
        sent = layout.micro_batch * values / 2 * context_parallel.exchange_bytes(
            tokens=batch.sequence, kv_heads=kv_heads, head_width=model.head_dim, cp=layout.cp
        )  # fmt: skip
        away = layout.tp * layout.cp > cluster.gpus_per_node
        hops = layout.cp - 1
        one = hop_seconds(cluster, message_bytes=sent / hops, stride=cluster.gpus_per_node if away else 1)
        context = exposed_seconds(hops * one, core)
    return tensor, context
