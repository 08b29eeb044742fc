"""Communication inside one layer for one micro-batch: tensor, context and expert parallelism."""

from __future__ import annotations

from dataclasses import replace

from ..facts.arguments import require_not_negative
from ..tensor_and_context import context_parallel, tensor_parallel
from .blocks import RECURRENT
from .constants import software
from .links import all_to_all_seconds, dispatch_seconds, exposed_seconds, hop_seconds, phase_seconds
from .shapes import Batch, Block, Cluster, Layout, Model, local_tokens


def tensor_seconds(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block, *, products_s: float, rest_s: float,
    is_backward: bool,
) -> float:  # fmt: skip
    """Return exposed seconds of tensor parallelism in one pass, whose matrix multiplications take `products_s` and its other kernels `rest_s`.

    What each rank adds to a collective (`rank_s`) is exposed between nodes, where each step of a ring waits for the network. Inside a
    node, compute that is already launched hides it. With sequence parallelism, the backward pass gathers the inputs of both
    column-parallel products again.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> case = (llama, Cluster("H100-80GB", 8), Layout(tp=8), Batch(8, 8192), Block())
    >>> bare, hidden = (tensor_seconds(*case, products_s=seconds, rest_s=0.0, is_backward=False) for seconds in (0.0, 1.0))
    >>> 0 < hidden < bare / 2
    True
    """
    require_not_negative(products_s=products_s, rest_s=rest_s)
    reductions = tensor_parallel.all_reduces(layers=1, span="forward") * block.halves // 2
    phases = 2 * reductions - (2 if block.is_mixture and layout.expert_tp == 1 else 0)
    message = 2 * local_tokens(layout, batch) * model.hidden
    near = replace(cluster, rank_s=0.0)
    tensor = phases * phase_seconds(near, message_bytes=message, size=layout.tp, stride=1)
    if software(layout.software)["overlap"] == "all":
        tensor = exposed_seconds(tensor, products_s)
    if not cluster.rank_s:
        return tensor
    calls = phases + (block.halves if is_backward and layout.sequence_parallel else 0)
    late = calls * (layout.tp - 1) * cluster.rank_s
    crosses = layout.tp > cluster.gpus_per_node
    return tensor + late if crosses else max(tensor, late - rest_s - products_s)


def context_seconds(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, block: Block, *, core_s: float, is_backward: bool
) -> float:
    """Return exposed seconds of context parallelism in one pass: a ring behind core attention, and Ulysses' all-to-alls around it.

    The forward pass sends keys and values, and the backward pass also their gradients. A recurrent mixer sends the state of all
    tokens before from rank to rank.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> case = (llama, Cluster("H100-80GB", 8), Layout(cp=8), Batch(8, 8192), Block())
    >>> context_seconds(*case, core_s=0.0, is_backward=False) < context_seconds(*case, core_s=0.0, is_backward=True)
    True
    """
    require_not_negative(core_s=core_s)
    if layout.cp == 1 or block.mixer == "none":
        return 0.0
    away = layout.tp * layout.cp > cluster.gpus_per_node
    stride = cluster.gpus_per_node if away else 1
    if block.mixer in RECURRENT:
        heads = model.heads_of_recurrence
        state = 4 * layout.micro_batch * heads.values * heads.key_width / layout.tp
        return (layout.cp - 1) * hop_seconds(cluster, message_bytes=state, stride=stride)
    ring, ulysses = layout.ring, layout.ulysses
    query_heads, kv_heads = (max(1, count // layout.tp) for count in (model.heads, model.kv_heads))
    kv_heads = max(kv_heads, ulysses)  # copied where a rank would have less than one
    values, exposed = 4 if is_backward else 2, 0.0
    if ring > 1:
        sent = layout.micro_batch * values / 2 * context_parallel.exchange_bytes(
            tokens=batch.sequence, kv_heads=kv_heads // ulysses, head_width=model.head_dim, cp=ring
        )  # fmt: skip
        hops = ring - 1
        one = hop_seconds(cluster, message_bytes=sent / hops, stride=stride)
        exposed += exposed_seconds(hops * one, core_s)
    if ulysses > 1:
        sent = layout.micro_batch * context_parallel.all_to_all_bytes(
            tokens=batch.sequence // ring, heads=query_heads, kv_heads=kv_heads, head_width=model.head_dim, cp=ulysses
        )  # fmt: skip
        exposed += all_to_all_seconds(cluster, sent_bytes=sent, size=ulysses, stride=layout.tp, calls=2)
    return exposed


def expert_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> float:
    """Return seconds of a dispatch, which some software sends in FP8, and of a combine in BF16.

    >>> mixture = Model("m", 4, 4096, 0, 32, 8, 1000, experts=64, experts_per_token=8, expert_ffn_hidden=2048)
    >>> near, far = (expert_seconds(mixture, Cluster("H100-80GB", 64), Layout(dp=64, ep=ep), Batch(64, 4096)) for ep in (8, 64))
    >>> near < far
    True
    """
    stack = software(layout.software)

    def sent(width: float) -> float:
        return dispatch_seconds(
            cluster, tokens=local_tokens(layout, batch) / layout.tp, hidden=model.expert_input or model.hidden, experts=model.experts,
            experts_per_token=model.experts_per_token, ep=layout.ep, stride=layout.expert_tp,
            node_limit=model.node_limit, bytes_per_element=width, port_share=stack.get("exchange_port", 0.0),
            once=stack.get("sends_once", False), in_turn=stack.get("experts_in_turn", False),
        )  # fmt: skip

    return sent(stack.get("dispatch_bytes", 2)) + sent(2)
