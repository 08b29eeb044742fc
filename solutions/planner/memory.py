"""Peak memory per GPU under a layout, by bucket, on the most loaded stage of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..activations import gpt_activations, loss_memory
from ..zero import fsdp
from .activations import layer_bytes
from .constants import constant, software
from .pieces import directions, holds_output
from .shapes import Batch, Cluster, Layout, Model
from .stages import held_micro_batches, layer_kinds, stage_parts

STATES = ("weights", "gradients", "optimizer")
MOVING = ("activations", "working", "logits", "gathered", "update")  # buckets that change within a step
BUCKETS = (*STATES, *MOVING, "context")


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
    """Return the share of one GPU; `layout` keeps only the settings that matter for it (Layout.local).

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
    """Return peak memory per GPU on one stage, by bucket.

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
    """Return whether a GPU keeps all gradients of its stage until the end of the step, and under ZeRO-3 all its weights.

    PyTorch's FSDP does so in a pipeline, since gathering anew for every micro-batch would take as long as computing.

    Source:  pytorch/torchtitan, distributed/fsdp.py, get_fsdp_reshard_after_forward_policy ("default" follows "not pp"); PyTorch,
             distributed/pipelining/stage.py, backward_maybe_with_nosync. Megatron-FSDP gathers and reduces for every micro-batch.

    >>> [keeps_whole(Layout(pp=pp, zero=3, software="fsdp-compiled")) for pp in (1, 2)]
    [False, True]
    """
    return layout.zero >= 2 and layout.pp > 1 and bool(software(layout.software).get("keeps_whole"))


def gradient_width(layout: Layout) -> int:
    """Return the bytes per stored gradient.

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
    """Return weights, gradients and optimizer states. Do not modify the result: it is cached."""
    return {
        "weights": 2 * parameters / (shards if stage == 3 else 1),
        "gradients": width * parameters / (1 if is_whole else shards),
        "optimizer": state_bytes * parameters / (shards if stage else 1),
    }


def cache_bytes(cluster: Cluster, held: dict[str, float]) -> float:
    """Return the freed memory that the allocator caches, as far as there is room; it is visible from outside and released when needed.

    >>> cache_bytes(Cluster("H100-80GB", 8), {"activations": 10e9}) > 0
    True
    """
    moving = sum(held.get(name, 0.0) for name in MOVING)
    return max(0.0, min(cluster.memory_bytes - sum(held.values()), constant("cache") * moving))


def memory(model: Model, layout: Layout, batch: Batch) -> dict[str, float]:
    """Return peak memory per GPU by bucket, on the most loaded stage.

    That is the first, the last, or the second if it has more layers than the first; where layers differ, it can be any.

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
