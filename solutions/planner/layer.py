"""Time of one layer for one micro-batch on one GPU: matmuls, attention, small kernels, and communication of TP, CP and EP."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from ..facts import hardware
from ..facts.arguments import require_positive
from ..tensor_and_context import context_parallel, tensor_parallel
from .activations import scores_are_written
from .constants import attention_share, chip, constant, kernels, software
from .decoder import RECURRENT
from .flops import score_width
from .links import all_to_all_seconds, dispatch_seconds, exposed_seconds, hop_seconds, phase_seconds
from .shapes import EIGHT_BITS, Batch, Block, Cluster, Layout, Model

NARROW = 64  # head width up to which fused attention waits for exponentials instead of products
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
    expert: float  # dispatch and combine
    norms: float = 0.0  # share of `small`
    activation: float = 0.0  # share of `small`: the activation function
    latent: float = 0.0  # share of `products`: up-projections of latent attention
    shared: float = 0.0  # share of `mlp`: shared experts

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
    attention, mlp, elements, parts = _products(model, cluster, layout, batch, block)
    core, back_core = _core(model, cluster, layout, batch, stack, block)
    small = _small_seconds(model, cluster, layout, batch, stack, elements, block)
    graph = stack.get("whole_graph", False)
    started = 0.0 if graph else kernels(stack["kernels"])["launch_s"] * block.halves / 2
    forward_small, backward_small = small + started, BACKWARD_SMALL * small + 2 * started
    if block.is_mixture and not graph:  # with so many small kernels, the host may not launch them fast enough
        host = constant("mixture_host_s")
        forward_small = max(forward_small, host - attention - mlp - core)
        backward_small = max(backward_small, 2 * host - 2 * (attention + mlp) - back_core)
    expert = _expert_seconds(model, cluster, layout, batch, stack) if block.is_mixture else 0.0
    parts |= _parts_of_small(model, cluster, layout, batch, stack, elements, block)
    products = attention + mlp
    forward_sent = _sent(model, cluster, layout, batch, stack, core, products, forward_small, block, values=2)
    backward_sent = _sent(
        model, cluster, layout, batch, stack, back_core, 2 * products, backward_small, block, values=4
    )
    return (
        Pass(attention + mlp, mlp, core, forward_small, *forward_sent, expert, **parts),
        Pass(2 * (attention + mlp), 2 * mlp, back_core, backward_small, *backward_sent, expert),
    )


def _local_tokens(layout: Layout, batch: Batch) -> int:
    return layout.micro_batch * batch.sequence // layout.cp


def _products(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block
) -> tuple[float, float, dict[str, float], dict[str, float]]:
    """Forward seconds of the attention and MLP matmuls, the elements that small kernels read and write, and parts of the seconds."""
    tokens, tp, hidden = _local_tokens(layout, batch), layout.tp, model.hidden
    width, kv_width = model.heads * model.value_dim, model.kv_heads * model.head_dim
    gates = model.mlp_matrices - 1

    def product(inputs: float, outputs: float, rows: float = tokens, copies: float = 1) -> float:
        return product_seconds(
            cluster.accelerator, layout.precision, tokens=rows, inputs=inputs, outputs=outputs, copies=copies
        )

    parts = {"latent": 0.0, "shared": 0.0}
    if block.mixer == "none":
        attention, width, kv_width = 0.0, 0, 0
    elif block.mixer == "latent":
        down = model.query_rank + model.kv_rank + model.rope_head_width
        parts["latent"] = product(model.kv_rank, model.heads * (model.head_dim + model.value_dim) / tp)
        queries = model.heads * (model.head_dim + model.rope_head_width) / tp
        parts["latent"] += product(model.query_rank or hidden, queries)
        attention = product(hidden, down) + product(width / tp, hidden) + parts["latent"]
        kv_width = width
    elif block.mixer in RECURRENT:  # queries, keys, values, output gate, and the small gates of each head
        heads = model.heads_of_recurrence
        width, kv_width = heads.values, heads.keys
        small = heads.gates * heads.value_heads
        attention = product(hidden, (2 * kv_width + 2 * width + small) / tp) + product(width / tp, hidden)
    else:
        queries = model.heads * model.head_dim + model.gated * width
        attention = product(hidden, (queries + model.kv_heads * (model.head_dim + model.value_dim)) / tp)
        attention += product(width / tp, hidden)
    elements = {"heads": tokens * 2 * (width + kv_width) / tp, "attended": tokens * width / tp, "copies": 0.0}
    if block.mlp == "none":
        return attention, 0.0, elements | {"inner": 0.0}, parts
    if not block.is_mixture:
        inner = model.ffn_hidden / tp
        elements["inner"] = tokens * inner
        return attention, product(hidden, gates * inner) + product(inner, hidden), elements, parts
    copies = tokens * model.experts_per_token / tp * layout.expert_tp
    local = max(1.0, model.experts / layout.ep)
    inner, shared = model.expert_ffn_hidden / layout.expert_tp, model.shared_experts * model.expert_ffn_hidden / tp
    wide = model.expert_input or hidden
    grouped = product(wide, gates * inner, copies / local, local) + product(inner, wide, copies / local, local)
    mlp = grouped / constant("grouped") + product(hidden, model.experts, tokens / tp)
    if model.expert_input:
        mlp += product(hidden, wide, tokens / tp) + product(wide, hidden, tokens / tp)
    if shared:
        parts["shared"] = product(hidden, gates * shared) + product(shared, hidden)
    elements |= {"inner": copies * inner + tokens * shared, "copies": copies * wide}
    return attention, mlp + parts["shared"], elements, parts


def _core(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any], block: Block
) -> tuple[float, float]:
    """Seconds of what a mixer does between its projections, forward and backward.

    A window of w tokens has the pairs of a causal sequence of 2·w, and its kernel reaches the speed of that length: it reads
    and starts as many tiles besides the pairs that count.
    """
    if block.mixer == "none":
        return 0.0, 0.0
    if block.mixer in RECURRENT:
        forward = _recurrence_seconds(model, cluster, layout, batch)
        return forward, BACKWARD_CORE * forward
    tokens, written = layout.micro_batch * batch.sequence, scores_are_written(model, stack)
    span = (2 if block.mixer == "window" else 1) * block.span or batch.sequence
    span = min(batch.sequence, span)
    keys = batch.sequence if written else span / 2  # a kernel that writes the scores computes those that the mask drops
    flop = tokens * keys * 2 * score_width(model, block) / (layout.tp * layout.cp)
    peak = peak_flop_per_s(cluster.accelerator)
    if not written:
        length = span / (span + constant("attention_length"))
        share = attention_share(cluster.accelerator, stack["attention"]) * length
        if block.mixer != "latent" and model.head_dim <= NARROW and stack["attention"] != "flash":
            share *= constant("narrow_heads")
        forward = flop / (peak * share)
        return forward, BACKWARD_CORE * forward
    scores = model.heads / layout.tp * batch.sequence * tokens / layout.cp
    passed_over = scores * constant("written_score_bytes") / hbm_bytes_per_s(cluster.accelerator)
    forward = flop / (peak * chip(cluster.accelerator)["matmul"]) + passed_over
    return forward, 2 * forward


def _recurrence_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> float:
    """Forward seconds of a recurrence in chunks of C tokens, which is causal attention within a chunk plus a state per chunk.

        FLOP per token and head = 2·C·(k + v) + 4·k·v, and for the delta rule 2·C·(2·k + v) more
        bytes per token and head = 4·k·v / C for the states, read and written in 16 bits, and 2·(2·k + 2·v)

    Kernels in Triton reach the speed of flash attention that is not tuned to the chip.
    Source:  Yang et al. 2024, arXiv:2312.06635, section 3; delta rule: Yang et al. 2024, arXiv:2406.06484, section 3;
             Mamba-2: Dao & Gu 2024, arXiv:2405.21060, section 6. Chunks are those of the kernels: flash-linear-attention 64,
             mamba-ssm and lightning attention 256.
    """
    heads = model.heads_of_recurrence
    is_delta = heads.gates == 2 or heads.gate_rank > 0
    chunk = 64 if is_delta else 256
    keys, values = heads.key_width, heads.value_width
    flop = 2 * chunk * (keys + values) + 4 * keys * values + (2 * chunk * (2 * keys + values) if is_delta else 0)
    moved = 4 * keys * values / chunk + 2 * (2 * keys + 2 * values)
    tokens = _local_tokens(layout, batch) * heads.value_heads / layout.tp
    rate = peak_flop_per_s(cluster.accelerator) * attention_share(cluster.accelerator, "flash")
    return tokens * (flop / rate + moved / hbm_bytes_per_s(cluster.accelerator))


def _small_seconds(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any], elements: dict[str, float],
    block: Block,
) -> float:  # fmt: skip
    """Seconds of a forward pass in memory-bound kernels."""
    parts = _parts_of_small(model, cluster, layout, batch, stack, elements, block)
    moved = 2 * elements["heads"] * kernels(stack["kernels"])["inside"]
    if not (block.is_mixture and stack.get("fused_experts")):  # else dispatch, combine and the grouped product do these
        moved += elements["copies"] * constant("permuted_bytes")
    if block.is_mixture and model.expert_biases:  # added to what gate, up and down give: 16 bits read and written
        width = (model.mlp_matrices - 1) * model.expert_ffn_hidden / layout.expert_tp + (
            model.expert_input or model.hidden
        )
        moved += 4 * width * elements["copies"] / (model.expert_input or model.hidden)
    if layout.precision in EIGHT_BITS:  # per matmul input: read 16 bits, write 8 bits and 8 bits transposed
        moved += 4 * (block.halves * _outside(model, layout, batch) + elements["attended"] + elements["inner"])
    return sum(parts.values()) + moved / hbm_bytes_per_s(cluster.accelerator)


def _parts_of_small(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any], elements: dict[str, float],
    block: Block,
) -> dict[str, float]:  # fmt: skip
    """Forward seconds of norms, with residual additions, and of the activation function."""
    kind, rate = kernels(stack["kernels"]), hbm_bytes_per_s(cluster.accelerator)
    activation = 2 * model.mlp_matrices * elements["inner"] * kind["inside"]
    norms = _outside(model, layout, batch) * kind["norm_bytes"] * block.halves / 2
    return {"norms": norms / rate, "activation": activation / rate}


def _outside(model: Model, layout: Layout, batch: Batch) -> float:
    """Elements of one hidden state on a GPU, outside tensor parallelism."""
    return _local_tokens(layout, batch) * model.hidden / (layout.tp if layout.sequence_parallel else 1)


def _expert_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any]) -> float:
    """Seconds of a dispatch, which some software sends in FP8, and of a combine in BF16."""

    def sent(width: float) -> float:
        return dispatch_seconds(
            cluster, tokens=_local_tokens(layout, batch) / layout.tp, hidden=model.expert_input or model.hidden, experts=model.experts,
            experts_per_token=model.experts_per_token, ep=layout.ep, stride=layout.expert_tp,
            node_limit=model.node_limit, bytes_per_element=width, port_share=stack.get("exchange_port", 0.0),
            once=stack.get("sends_once", False), in_turn=stack.get("experts_in_turn", False),
        )  # fmt: skip

    return sent(stack.get("dispatch_bytes", 2)) + sent(2)


def _sent(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, stack: dict[str, Any], core: float, products: float,
    small: float, block: Block, values: int,
) -> tuple[float, float]:  # fmt: skip
    """Exposed seconds of tensor and context parallelism in one pass; CP sends K and V, and their gradients backward.

    What each rank adds to a collective (`rank_s`) is exposed between nodes, where each step of a ring waits for the network. Inside a
    node, compute that is already launched hides it. With sequence parallelism, the backward pass gathers the inputs of both
    column-parallel products again.
    """
    tokens = _local_tokens(layout, batch)
    reductions = tensor_parallel.all_reduces(layers=1, span="forward") * block.halves // 2
    phases = 2 * reductions - (2 if block.is_mixture and layout.expert_tp == 1 else 0)
    message = 2 * tokens * model.hidden
    near = replace(cluster, rank_s=0.0)
    tensor = phases * phase_seconds(near, message_bytes=message, size=layout.tp, stride=1)
    if stack["overlap"] == "all":
        tensor = exposed_seconds(tensor, products)
    if cluster.rank_s:
        calls = phases + (block.halves if values > 2 and layout.sequence_parallel else 0)
        late = calls * (layout.tp - 1) * cluster.rank_s
        crosses = layout.tp > cluster.gpus_per_node
        tensor = tensor + late if crosses else max(tensor, late - core - products - small)
    return tensor, _context_seconds(model, cluster, layout, batch, core, values, block) if layout.cp > 1 else 0.0


def _context_seconds(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, core: float, values: int, block: Block
) -> float:
    """Exposed seconds of context parallelism in one pass: a ring behind core attention, and Ulysses' all-to-alls before and after it.

    A recurrent mixer sends the state of all tokens before from rank to rank.
    """
    if block.mixer == "none":
        return 0.0
    away = layout.tp * layout.cp > cluster.gpus_per_node
    stride = cluster.gpus_per_node if away else 1
    if block.mixer in RECURRENT:
        heads = model.heads_of_recurrence
        state = 4 * layout.micro_batch * heads.values * heads.key_width / layout.tp
        return (layout.cp - 1) * hop_seconds(cluster, message_bytes=state, stride=stride)
    ring, ulysses = layout.ring, layout.ulysses
    query_heads, kv_heads = (max(1, count // layout.tp) for count in (model.heads, model.kv_heads))
    kv_heads = max(kv_heads, ulysses) if ulysses > 1 else kv_heads  # copied where a rank would have less than one
    exposed = 0.0
    if ring > 1:
        sent = layout.micro_batch * values / 2 * context_parallel.exchange_bytes(
            tokens=batch.sequence, kv_heads=kv_heads // ulysses, head_width=model.head_dim, cp=ring
        )  # fmt: skip
        hops = ring - 1
        one = hop_seconds(cluster, message_bytes=sent / hops, stride=stride)
        exposed += exposed_seconds(hops * one, core)
    if ulysses > 1:
        sent = layout.micro_batch * context_parallel.all_to_all_bytes(
            tokens=batch.sequence // ring, heads=query_heads, kv_heads=kv_heads, head_width=model.head_dim, cp=ulysses
        )  # fmt: skip
        exposed += all_to_all_seconds(cluster, sent_bytes=sent, size=ulysses, stride=layout.tp, calls=2)
    return exposed
