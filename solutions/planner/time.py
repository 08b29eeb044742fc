"""Step time under a layout, part by part: compute, bubble, exposed communication, and optimizer step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from ..pipeline import pipeline_balance, pipeline_traffic, zero_bubble
from .activations import layer_bytes
from .constants import constant, software
from .data import data_seconds
from .host import host_link_bytes_per_s
from .layer import layer_passes
from .links import exposed_seconds, hop_seconds
from .pieces import directions, holds_output
from .rates import hbm_bytes_per_s, product_seconds
from .repeated import recomputed
from .shapes import PAIRED, Batch, Block, Cluster, Layout, Model
from .stages import held_micro_batches, layer_kinds, micro_batches, stage_parameters
from .update import update_seconds

PARTS = (
    "compute", "recompute", "stragglers", "tensor_parallel", "context_parallel", "expert_parallel",
    "pipeline_parallel", "bubble", "data_parallel", "optimizer", "offload",
)  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """One micro-batch, forward and backward, on one stage of the pipeline: seconds by part."""

    compute: float
    recompute: float
    tensor: float
    context: float
    expert: float
    forward: float = 0.0  # the forward pass's share of all these
    unpaired: float = 0.0  # what `expert` lacks of the all-to-alls while no other micro-batch hides them
    offload: float = 0.0

    @property
    def whole(self) -> float:
        """Return the sum of all parts."""
        return self.compute + self.recompute + self.tensor + self.context + self.expert + self.offload

    @property
    def backward(self) -> float:
        """Return the seconds of the backward pass, with recomputation."""
        return self.whole - self.forward


def step(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> dict[str, float]:
    """Return step time in seconds, by part. Parts inside the pipeline are those of its slowest stage.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> parts = step(llama, Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> set(parts) == set(PARTS), parts["bubble"]
    (True, 0.0)
    """
    m, work = micro_batches(layout, batch), work_of_stages(model, cluster, layout.local, batch)
    stage = work.slowest
    parameters = work.parameters
    alone = min(m, held_micro_batches(layout, batch, work.place))  # micro-batches of fill and drain
    computing = m * (stage.compute + stage.recompute)
    return {
        "compute": m * stage.compute,
        "recompute": m * stage.recompute,
        "stragglers": computing * constant("straggling") * math.log2(max(1.0, cluster.gpus / 8)),
        "tensor_parallel": m * stage.tensor,
        "context_parallel": m * stage.context,
        "expert_parallel": m * stage.expert + alone * stage.unpaired,
        "pipeline_parallel": _hops(model, cluster, layout, batch, m, stage.whole),
        "bubble": _bubble(layout, work.waited_s),
        "data_parallel": data_seconds(
            cluster, layout, parameters=parameters, layers=work.layers, micro_batches=m, micro_batch_s=stage.whole
        ),
        "optimizer": constant("step_s") + update_seconds(cluster, layout, parameters / directions(layout)),
        "offload": m * stage.offload,
    }


@dataclass(frozen=True)
class Work:
    """One micro-batch in a pipeline: its slowest stage, and how long that stage waits during fill and drain."""

    slowest: Stage
    place: int
    layers: int
    parameters: float  # of the slowest stage, on one GPU
    waited_s: float
    over_average: float


@lru_cache(maxsize=1 << 14)
def work_of_stages(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> Work:
    """Return the work of the pipeline stages for one micro-batch; `layout` keeps only the settings that matter (Layout.local)."""
    stages = stage_seconds(model, cluster, layout, batch)
    # where the output layer counts, a stage can have nothing to do
    seconds = [max(stage.whole, 1e-9) for stage in stages]
    place = seconds.index(max(seconds))
    whole = pipeline_balance.unequal_step_seconds(stage_seconds=seconds, micro_batches=1)
    layers = max(1, sum(layer_kinds(model, layout, place).values()))  # a stage can be the output layer alone
    over = seconds[place] * layout.pp / whole - 1
    parameters = stage_parameters(model, layout, place)
    return Work(stages[place], place, layers, parameters, whole - seconds[place], over)


def stage_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> list[Stage]:
    """Return the seconds of each stage for one micro-batch; the last one also computes output layer and loss.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> first, last = stage_seconds(llama, Cluster("H100-80GB", 2), Layout(pp=2), Batch(64, 8192))
    >>> last.compute > first.compute
    True
    """
    alike: dict[tuple[tuple[Block, int], ...], Stage] = {}
    found = []
    head = head_seconds(model, cluster, layout, batch)
    each = 1 / directions(layout)
    for place in range(layout.pp):
        kinds = tuple(layer_kinds(model, layout, place).items())
        if kinds not in alike:
            alike[kinds] = _stage(model, cluster, layout, batch, {kind: each * count for kind, count in kinds})
        stage = alike[kinds]
        if holds_output(layout, place):
            stage = replace(stage, compute=stage.compute + each * head, forward=stage.forward + each * head / 3)
        found.append(stage)
    return found


def _stage(model: Model, cluster: Cluster, layout: Layout, batch: Batch, kinds: Mapping[Block, float]) -> Stage:
    stack = software(layout.software)
    hides, hidden = stack.get("hides_experts"), stack.get("hidden_share", 1.0)
    if layout.schedule in PAIRED:
        hides, hidden = "between", 1.0
    parts = dict.fromkeys(
        ("compute", "recompute", "tensor", "context", "expert", "forward", "unpaired", "offload"), 0.0
    )
    for block, count in kinds.items():
        forward, backward = layer_passes(model, cluster, layout, batch, block)
        again = recomputed(forward, model, layout, block)
        parts["compute"] += count * (forward.compute + backward.compute)
        parts["recompute"] += count * again.compute
        parts["tensor"] += count * (forward.tensor * (1 + again.tensor) + backward.tensor)
        parts["context"] += count * (forward.context * (1 + again.context) + backward.context)
        there, back = forward.expert, (again.expert * forward.expert) + backward.expert
        if hides == "inside":
            there, back = exposed_seconds(there, forward.compute), exposed_seconds(back, backward.compute)
        elif hides == "between":
            sent = there + back
            paired = (1 - hidden) * sent + exposed_seconds(
                hidden * sent, forward.compute + again.compute + backward.compute
            )
            parts["unpaired"] += count * (sent - paired)
            there, back = paired / 3, 2 * paired / 3
        parts["expert"] += count * (there + back)
        parts["forward"] += count * (forward.compute + forward.tensor + forward.context + there)
        if layout.offload == "activations":
            moved_s = layer_bytes(model, layout, batch, block) / host_link_bytes_per_s(cluster)
            leaving = exposed_seconds(moved_s, forward.compute)
            parts["offload"] += count * (leaving + exposed_seconds(moved_s, backward.compute))
            parts["forward"] += count * leaving
    return Stage(**parts)


def head_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> float:
    """Return the seconds of output layer and loss for one micro-batch, forward and backward, in BF16; for each token that is predicted.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> one, two = (head_seconds(llama, Cluster("H100-80GB", 8), Layout(tp=tp), Batch(64, 8192)) for tp in (1, 2))
    >>> two < one
    True
    """
    tokens = layout.micro_batch * batch.sequence / layout.cp
    outputs = model.vocabulary / layout.tp
    one = product_seconds(cluster.accelerator, "bf16", tokens=tokens, inputs=model.hidden, outputs=outputs)
    once = 3 * one + constant("loss_bytes") * tokens * outputs / hbm_bytes_per_s(cluster.accelerator)
    if not model.mtp_layers:
        return once
    joined = product_seconds(
        cluster.accelerator, "bf16", tokens=tokens, inputs=2 * model.hidden, outputs=model.hidden / layout.tp
    )
    return once + model.mtp_layers * (once + 3 * joined)


def _bubble(layout: Layout, waited_s: float) -> float:
    """Return the seconds that the slowest stage waits during fill and drain.

    Under DualPipe, a backward pass that runs alone also waits for its exchange, as capstone.mixture_step counts it. That is omitted
    here: with DeepSeek-V3's run it is 1 % of a step.
    """
    if layout.pp == 1:
        return 0.0
    if layout.schedule in PAIRED:  # (pieces/2 - 1) (F&B + B - 3W), for F = W and B = 2F: deepseek-ai/DualPipe, README
        fewer = layout.pp - 2 if layout.schedule == "dualpipe" else layout.pp - 1
        return waited_s * fewer / (3 * (layout.pp - 1))
    split = {"zb-h1": "ZB-H1", "zb-h2": "ZB-H2", "zb-v": "ZB-H2"}.get(layout.schedule)
    if not split:
        return waited_s / layout.virtual_stages
    thirds = partial(
        zero_bubble.bubble_seconds, stages=layout.pp, forward_s=1.0, input_backward_s=1.0, weight_backward_s=1.0
    )
    return waited_s * thirds(schedule=split) / thirds(schedule="1F1B")


def _hops(model: Model, cluster: Cluster, layout: Layout, batch: Batch, m: int, stage_s: float) -> float:
    """Return the exposed seconds of communication between pipeline stages."""
    if layout.pp == 1:
        return 0.0
    stack = software(layout.software)
    tokens = layout.micro_batch * batch.sequence // layout.cp
    parts = layout.tp if layout.sequence_parallel or stack["sends_parts"] else 1
    message = pipeline_traffic.boundary_message_bytes(tokens=tokens, hidden=model.hidden, tp=parts)
    hop = hop_seconds(cluster, message_bytes=message, stride=max(1, cluster.gpus // layout.pp))
    if layout.virtual_stages == 1:
        return pipeline_traffic.one_f_one_b_hop_seconds(stages=layout.pp, micro_batches=m, hop_seconds=hop)
    all_messages = 2 * layout.virtual_stages * m * hop
    return exposed_seconds(all_messages, stage_s * m) if stack["overlap"] == "all" else all_messages
