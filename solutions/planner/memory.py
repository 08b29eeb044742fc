"""Peak memory per GPU under a layout, by bucket, on the most loaded stage of the pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from ..activations import gpt_activations, loss_memory
from ..layout.layout import layers_per_stage
from ..pipeline import pipeline, zero_bubble
from ..zero import fsdp
from .activations import layer_bytes
from .constants import constant, software
from .pieces import directions, held_pieces, holds_output, require_stage
from .shapes import Batch, Block, Cluster, Layout, Model

BUCKETS = (
    "weights", "gradients", "optimizer", "activations", "working", "logits", "gathered", "update", "context",
)  # fmt: skip


def stage_layers(model: Model, layout: Layout) -> tuple[int, ...]:
    """Layers on each stage; if they do not divide evenly, the end stages have fewer.

    >>> stage_layers(Model("m", 10, 64, 256, 4, 4, 1000), Layout(pp=4))
    (2, 3, 3, 2)
    """
    return _layers_of_pieces(model, layout, layout.pp)


def _layers_of_pieces(model: Model, layout: Layout, count: int) -> tuple[int, ...]:
    """Layers of each piece; some software counts the output layer as what it costs in layers."""
    if not software(layout.software).get("counts_output"):
        return _dealt(model.layers, count)
    one = model.at(model.blocks[-1])
    layer = one.mixer_parameters(model.blocks[-1]) + one.mlp_parameters
    return _dealt_with_output(model.layers, count, model.vocabulary * model.hidden / layer)


@cache
def _dealt(layers: int, stages: int) -> tuple[int, ...]:
    return layers_per_stage(layers=layers, stages=stages)


@cache
def _dealt_with_output(layers: int, stages: int, output: float) -> tuple[int, ...]:
    """Layers per stage, where a stage ends with the first layer that exceeds its part of all layers and the output."""
    each = (layers + output) / stages
    found, stage = [0] * stages, 0
    for layer in range(1, layers + 1):
        found[stage] += 1
        if layer > (stage + 1) * each:
            stage += 1
    return tuple(found)


def layer_kinds(model: Model, layout: Layout, stage: int) -> Mapping[Block, int]:
    """Numbers of layers on a GPU of a stage, by kind. The last stage has the layers of multi-token prediction as well.

    >>> mixture = Model("m", 10, 64, 256, 4, 4, 1000, experts=8, dense_layers=3)
    >>> {block.mlp: count for block, count in layer_kinds(mixture, Layout(pp=2), 0).items()}
    {'dense': 3, 'mixture': 2}
    """
    found: Counter[Block] = Counter()
    for piece, count in held_pieces(layout, stage):
        layers = _layers_of_pieces(model, layout, count)
        first = sum(layers[:piece])
        found.update(model.blocks[first : first + layers[piece]])
    if model.mtp_layers and holds_output(layout, stage):
        found[model.mtp_block or model.blocks[-1]] += model.mtp_layers
    return found


def micro_batches(layout: Layout, batch: Batch) -> int:
    """Number of micro-batches per replica in a step.

    >>> micro_batches(Layout(dp=16, micro_batch=2), Batch(256, 8192))
    8
    """
    return max(1, batch.global_batch // (layout.dp * layout.micro_batch))


def stage_parts(model: Model, layout: Layout, stage: int) -> tuple[float, float]:
    """Parameters of one stage on one GPU: those that every data-parallel rank holds, and its routed experts.

    >>> toy = Model("toy", 4, 64, 0, 4, 4, 1000, experts=8, experts_per_token=2, expert_ffn_hidden=128)
    >>> stage_parts(toy, Layout(pp=2, ep=4), 1)
    (98048.0, 98304.0)
    """
    kinds = layer_kinds(model, layout, stage)
    has_input = any(piece == 0 for piece, _ in held_pieces(layout, stage))
    ends = has_input + (holds_output(layout, stage) and not (model.tied and has_input))
    dense = ends * model.vocabulary * model.hidden / layout.tp
    if model.mtp_layers and holds_output(layout, stage):
        dense += model.mtp_layers * 2 * model.hidden**2 / layout.tp
    mixed = sum(count for block, count in kinds.items() if block.is_mixture)
    for block, count in kinds.items():
        dense += count * (model.mixer_parameters(block) / layout.tp + block.halves * model.hidden)
        dense += count * (model.at(block).mlp_parameters if block.mlp == "dense" else 0) / layout.tp
    dense += mixed * (model.common_parameters / layout.tp + model.hidden * model.experts)
    return dense, mixed * model.experts * model.expert_parameters / (layout.ep * layout.expert_tp)


def stage_parameters(model: Model, layout: Layout, stage: int) -> float:
    """Parameters of one stage on one GPU of its tensor-parallel group.

    >>> toy = Model("toy", 4, 64, 0, 4, 4, 1000, experts=8, experts_per_token=2, expert_ffn_hidden=128)
    >>> stage_parameters(toy, Layout(pp=2, ep=4), 1)
    196352.0
    """
    return sum(stage_parts(model, layout, stage))


def held_micro_batches(layout: Layout, batch: Batch, stage: int) -> float:
    """Micro-batches whose activations a stage holds at its peak, each in all layers of that stage.

    >>> [held_micro_batches(Layout(pp=4, virtual_stages=chunks), Batch(64, 2048), 0) for chunks in (1, 2)]
    [4, 5.5]
    """
    require_stage(layout, stage)
    return _held(layout.schedule, layout.pp, layout.virtual_stages, micro_batches(layout, batch), stage)


@lru_cache(maxsize=1 << 14)
def _held(schedule: str, stages: int, chunks: int, m: int, stage: int) -> float:
    if schedule == "gpipe":
        return m
    if schedule == "dualpipe" and stages > 1:  # from both ends (DeepSeek-AI 2024, arXiv:2412.19437, Table 2: PP + 1)
        return min(m, stages + 1)
    if schedule == "dualpipev" and stages > 1:  # 2·PP + 1 of its 2·PP pieces (deepseek-ai/DualPipe, README)
        return min(m, stages + 0.5)
    if schedule == "zb-h2":
        return zero_bubble.peak_micro_batches(schedule="ZB-H2", stages=stages, micro_batches=m)
    if schedule == "zb-v":
        return min(m, zero_bubble.v_schedule_peak_micro_batches(schedule="V-ZB", stages=stages))
    if chunks > 1 and m % stages == 0:
        held = pipeline.interleaved_chunks_in_flight(stages=stages, stage=stage, micro_batches=m, virtual_stages=chunks)
        return held / chunks
    return pipeline.in_flight(stages=stages, stage=stage, micro_batches=m)


@dataclass(frozen=True)
class Share:
    """The parameters of one GPU of a stage, and its memory per micro-batch."""

    dense: float  # parameters that every data-parallel rank holds
    routed: float  # parameters of its experts
    layers: int
    kept: float  # bytes that the layers keep for one micro-batch
    largest: float  # bytes that one layer keeps, at most
    output: float  # bytes of the stage's output for one micro-batch
    working: float  # bytes that the backward pass of one layer holds at once
    logits: float  # bytes of logits and their copies


@lru_cache(maxsize=1 << 16)
def share_of_stage(model: Model, layout: Layout, batch: Batch, stage: int) -> Share:
    """The share of one GPU; `layout` keeps only the settings that matter for it (Layout.local).

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> first, last = (share_of_stage(llama, Layout(pp=4).local, Batch(4, 8192), stage) for stage in (0, 3))
    >>> first.layers == last.layers, first.logits, last.logits > 0
    (True, 0.0, True)
    """
    kinds = layer_kinds(model, layout, stage)
    dense, routed = stage_parts(model, layout, stage)
    tokens = layout.micro_batch * batch.sequence // layout.cp
    each = {kind: layer_bytes(model, layout, batch, kind) for kind in kinds}
    whole = max((layer_bytes(model, layout, batch, kind, "none") for kind in kinds), default=0.0)
    largest = max(each.values(), default=0.0)
    again = whole - (0.0 if layout.recompute == "full" else largest)
    output = logits = 0.0
    if layout.pp > 1:
        output = gpt_activations.stage_output_bytes(
            micro_batch=1, sequence=tokens, hidden=model.hidden, in_flight=1
        ) / (layout.tp if layout.sequence_parallel else 1)  # fmt: skip
    if holds_output(layout, stage):
        one_copy = {"copies_16": 0, "copies_32": 1}  # 4 bytes per logit
        logits = loss_memory.loss_bytes(tokens=tokens, vocabulary=model.vocabulary, tp=layout.tp, **one_copy)
        logits *= (1 + model.mtp_layers) * software(layout.software)["logit_bytes"] / 4
    kept = sum(count * each[kind] for kind, count in kinds.items())
    return Share(
        dense, routed, sum(kinds.values()), kept / directions(layout), largest, output,
        max(0.0, again) + constant("working") * whole, logits,
    )  # fmt: skip


def stage_memory(model: Model, layout: Layout, batch: Batch, stage: int) -> dict[str, float]:
    """Peak memory per GPU on one stage, by bucket.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> first, last = (stage_memory(llama, Layout(pp=2), Batch(64, 8192), stage) for stage in (0, 1))
    >>> first["activations"] > last["activations"], first["logits"] < last["logits"]
    (True, True)
    """
    return _stage_memory(layout, batch, stage, share_of_stage(model, layout.local, batch, stage))


def _stage_memory(layout: Layout, batch: Batch, stage: int, share: Share) -> dict[str, float]:
    stack = software(layout.software)
    width, state_bytes = gradient_width(layout), 0 if layout.offload == "optimizer" else layout.state_bytes
    expert_shards = max(1, layout.shards * layout.tp // (layout.ep * layout.expert_tp))
    copies = directions(layout)  # of each stage, over which ZeRO shards as well
    sizes = ((share.dense, copies * layout.shards), (share.routed, copies * expert_shards))
    is_whole = layout.zero < 2 or keeps_whole(layout)
    parts = [_states(size, shards, layout.zero, width, state_bytes, is_whole) for size, shards in sizes]
    held = {name: sum(part[name] for part in parts) for name in parts[0]}
    parameters = share.dense + share.routed
    in_flight = held_micro_batches(layout, batch, stage)
    layers = share.kept * in_flight
    if layout.offload == "activations":  # one layer's tensors leave while the next layer's are made
        layers = min(layers, 2 * share.largest)
    held["activations"] = layers + share.output * in_flight
    held["working"], held["logits"] = share.working, share.logits
    held["gathered"] = 0.0
    if layout.zero == 3 and keeps_whole(layout):
        held["gathered"] = sum(2 * size for size, shards in sizes if shards > 1)
    elif layout.zero == 3:
        peak = fsdp.gather_peak_bytes(
            parameters=parameters, layers=share.layers, gpus=layout.shards, prefetched=min(1, share.layers - 1)
        )
        held["gathered"] = peak - 16 * parameters / layout.shards
    moving = held["activations"] + held["working"] + held["logits"] + held["gathered"]
    updated = 0 if layout.offload == "optimizer" else parameters / (layout.shards if layout.zero else 1)
    held["update"] = max(0.0, stack["update_bytes"] * updated - moving)
    groups = sum(degree > 1 for degree in (layout.tp, layout.cp, layout.pp, layout.dp, layout.ep))
    held["context"] = constant("context_bytes") + groups * constant("group_bytes")
    return held


def keeps_whole(layout: Layout) -> bool:
    """Whether a GPU keeps the gradients of its stage whole until the end of the step, and under ZeRO-3 its weights gathered.

    PyTorch's FSDP does so in a pipeline, since gathering anew for every micro-batch would take as long as computing.

    Source:  pytorch/torchtitan, distributed/fsdp.py, get_fsdp_reshard_after_forward_policy ("default" follows "not pp"); PyTorch,
             distributed/pipelining/stage.py, backward_maybe_with_nosync. Megatron-FSDP gathers and reduces for every micro-batch.

    >>> [keeps_whole(Layout(pp=pp, zero=3, software="fsdp-compiled")) for pp in (1, 2)]
    [False, True]
    """
    return layout.zero >= 2 and layout.pp > 1 and bool(software(layout.software).get("keeps_whole"))


def gradient_width(layout: Layout) -> int:
    """Bytes per stored gradient.

    >>> gradient_width(Layout()), gradient_width(Layout(zero=3))
    (4, 2)
    """
    stack = software(layout.software)
    width = 2 if layout.zero == 3 and not keeps_whole(layout) else layout.gradient_bytes or stack["gradient_bytes"]
    return int(stack.get("bf16_gradient_bytes", width) if layout.precision == "bf16" else width)


@lru_cache(maxsize=1 << 14)
def _states(
    parameters: float, shards: int, stage: int, width: int, state_bytes: int, is_whole: bool
) -> Mapping[str, float]:
    """Weights, gradients and optimizer states. Do not modify the result: it is cached."""
    return {
        "weights": 2 * parameters / (shards if stage == 3 else 1),
        "gradients": width * parameters / (1 if is_whole else shards),
        "optimizer": state_bytes * parameters / (shards if stage else 1),
    }


def cache_bytes(cluster: Cluster, held: dict[str, float]) -> float:
    """Freed memory that the allocator caches, as far as there is room; it is visible from outside and released when needed.

    >>> cache_bytes(Cluster("H100-80GB", 8), {"activations": 10e9}) > 0
    True
    """
    moving = sum(held.get(name, 0.0) for name in ("activations", "working", "logits", "gathered", "update"))
    return max(0.0, min(cluster.memory_bytes - sum(held.values()), constant("cache") * moving))


def memory(model: Model, layout: Layout, batch: Batch) -> dict[str, float]:
    """Peak memory per GPU by bucket, on the most loaded stage: the first, the last, or the second if it has more layers; any
    where layers differ.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> held = memory(llama, Layout(tp=2, dp=32), Batch(512, 8192))
    >>> tuple(held) == BUCKETS, sum(held.values()) < 80e9
    (True, True)
    """
    local = layout.local
    layers = [sum(layer_kinds(model, local, stage).values()) for stage in (0, min(1, layout.pp - 1))]
    stages = {0, layout.pp - 1} | ({1} if layers[-1] > layers[0] else set())
    if model.pattern:
        stages = set(range(layout.pp))
    return max(
        (_stage_memory(layout, batch, i, share_of_stage(model, local, batch, i)) for i in sorted(stages)),
        key=lambda held: sum(held.values()),
    )
