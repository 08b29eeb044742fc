"""Why a layout cannot run: each constraint that it breaks, with what was seen, what is allowed, and words with the numbers."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import hardware
from ..facts.arguments import require_not_negative
from ..zero import zero
from .shapes import PRECISIONS, RECOMPUTE, SCHEDULES, Batch, Cluster, Layout, Model

BITS = {"nvfp4": 4, "fp8": 8, "mxfp8": 8, "bf16": 16, "fp16": 16}
ENDS = 2  # embedding and output layer may stand in the place of a layer each, on the first and the last stage


@dataclass(frozen=True)
class Fault:
    """One broken constraint. `seen` and `limit` are in base units: bytes for memory, counts elsewhere."""

    constraint: str
    seen: float
    limit: float
    words: str


def faults_before_running(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> tuple[Fault, ...]:
    """All that keeps a layout from running, memory aside; TP beyond the node, which only makes it slow, is told here too.

    Raises:  ValueError for a schedule, a recomputation, a precision or a ZeRO stage that is unknown.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> case = llama, Cluster("H100-80GB", 64), Layout(tp=2, pp=2, dp=15), Batch(64, 8192)
    >>> [fault.constraint for fault in faults_before_running(*case)]
    ['product', 'batch']
    """
    found = [
        *_words(layout),
        *precision_faults(cluster, layout.precision),
        *_product(cluster, layout),
        *_heads(model, layout),
        *_layers(model, layout),
        *_batch(layout, batch),
        *_context(layout, batch),
        *_experts(model, layout),
        *_shares(model, layout),
    ]
    if layout.tp > cluster.gpus_per_node:
        found.append(
            Fault("node", layout.tp, cluster.gpus_per_node,
                  f"TP {layout.tp} reaches over nodes: only {cluster.gpus_per_node} GPUs share fast links")
        )  # fmt: skip
    return tuple(found)


def memory_fault(cluster: Cluster, memory_bytes: float) -> tuple[Fault, ...]:
    """The fault of a layout that does not fit, or none.

    Units:   bytes.
    Raises:  ValueError if memory_bytes is negative.

    >>> memory_fault(Cluster("H100-80GB", 8), memory_bytes=91.3e9)[0].words
    'needs 91.3 GB on the fullest GPU, and it has 85.5 GB'
    """
    require_not_negative(memory_bytes=memory_bytes)
    room = cluster.memory_bytes
    if memory_bytes <= room:
        return ()
    words = f"needs {memory_bytes / 1e9:.1f} GB on the fullest GPU, and it has {room / 1e9:.1f} GB"
    return (Fault("memory", memory_bytes, room, words),)


def _words(layout: Layout) -> list[Fault]:
    if layout.schedule not in SCHEDULES:
        raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {layout.schedule!r}")
    if layout.recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be one of {', '.join(RECOMPUTE)}, not {layout.recompute!r}")
    if layout.precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {layout.precision!r}")
    zero.require_stage(layout.zero)
    return []


def precision_faults(cluster: Cluster, precision: str) -> list[Fault]:
    """The fault of a format that the chip does not compute in, or none: bf16 needs an Ampere, 8 bits a Hopper, blocks of them and 4 bits a Blackwell.

    Raises:  ValueError for an accelerator that is unknown.
    Source:  the number formats in hardware.yaml.

    >>> precision_faults(Cluster("A100-80GB", 8), "fp8")[0].words
    'A100-80GB has no matrix products in FP8: it computes in BF16'
    """
    known = hardware.number_formats(accelerator=cluster.accelerator)
    needed = {"fp8": "fp8", "mxfp8": "fp4", "nvfp4": "fp4", "bf16": "bf16"}.get(precision)
    if needed is None or needed in known:
        return []
    words = f"{cluster.accelerator} has no matrix products in {precision.upper()}: it computes in {', '.join(known).upper()}"
    return [Fault("precision", BITS[precision], BITS["fp16"], words)]


def _product(cluster: Cluster, layout: Layout) -> list[Fault]:
    product = layout.tp * layout.cp * layout.pp * layout.dp
    if product == cluster.gpus:
        return []
    words = (
        f"TP {layout.tp} × CP {layout.cp} × PP {layout.pp} × DP {layout.dp} = {product:,} GPUs, "
        f"and the cluster has {cluster.gpus:,}"
    )
    return [Fault("product", product, cluster.gpus, words)]


def _heads(model: Model, layout: Layout) -> list[Fault]:
    found = []
    if model.heads % layout.tp:
        found.append(Fault("heads", layout.tp, model.heads, f"TP {layout.tp} does not divide {model.heads} heads"))
    if model.kv_heads % layout.tp and layout.tp % model.kv_heads:
        words = f"TP {layout.tp} and {model.kv_heads} key/value heads do not divide one another"
        found.append(Fault("kv_heads", layout.tp, model.kv_heads, words))
    if model.ffn_hidden % layout.tp:
        words = f"TP {layout.tp} does not divide the {model.ffn_hidden:,} columns of the MLP"
        found.append(Fault("mlp", layout.tp, model.ffn_hidden, words))
    return found


def _experts(model: Model, layout: Layout) -> list[Fault]:
    if layout.ep == 1:
        return []
    if not model.experts:
        return [Fault("experts", layout.ep, 1, f"EP {layout.ep} deals out experts, and {model.name} has none")]
    found = []
    if model.experts % layout.ep:
        words = f"EP {layout.ep} does not divide {model.experts} experts"
        found.append(Fault("experts", layout.ep, model.experts, words))
    ranks = layout.tp * layout.cp * layout.dp
    if ranks % (layout.ep * layout.expert_tp):
        words = f"EP {layout.ep} must divide the {ranks} ranks of a stage (TP × CP × DP)"
        found.append(Fault("experts", layout.ep, ranks, words))
    return found


def _shares(model: Model, layout: Layout) -> list[Fault]:
    found = []
    ranks = layout.dp * layout.cp
    if layout.shard_group and ranks % layout.shard_group:
        words = f"shards over {layout.shard_group:,} ranks do not divide the {ranks:,} ranks that hold a copy (DP × CP)"
        found.append(Fault("product", layout.shard_group, ranks, words))
    if layout.recomputed_layers > model.layers:
        words = f"{layout.recomputed_layers:,} layers cannot be recomputed of {model.layers}"
        found.append(Fault("layers", layout.recomputed_layers, model.layers, words))
    return found


def _layers(model: Model, layout: Layout) -> list[Fault]:
    chunks = layout.pp * layout.virtual_stages
    if layout.virtual_stages > 1 and layout.pp == 1:
        return [Fault("layers", layout.virtual_stages, 1, "virtual stages need a pipeline, and PP is 1")]
    if layout.virtual_stages > 1 and layout.schedule not in ("1f1b", "interleaved"):
        words = f"the schedule {layout.schedule_name} has no virtual stages, and {layout.virtual_stages} are asked for: interleaving has"
        return [Fault("layers", layout.virtual_stages, 1, words)]
    if layout.virtual_stages == 1 and layout.schedule == "interleaved" and layout.pp > 1:
        return [Fault("layers", 1, 2, "interleaving wants at least 2 virtual stages, and there is 1, which is 1F1B")]
    if layout.pp <= model.layers and chunks <= model.layers + ENDS:
        return []
    words = f"{layout.pp} stages"
    if layout.virtual_stages > 1:
        words += f" of {layout.virtual_stages} chunks are {chunks}"
    words += f", and the model has {model.layers} layers"
    return [Fault("layers", chunks, model.layers, words)]


def _batch(layout: Layout, batch: Batch) -> list[Fault]:
    at_once = layout.dp * layout.micro_batch
    if batch.global_batch % at_once:
        words = (
            f"a batch of {batch.global_batch:,} sequences does not divide by DP {layout.dp} × "
            f"micro-batch {layout.micro_batch} = {at_once:,}"
        )
        return [Fault("batch", at_once, batch.global_batch, words)]
    passes = batch.global_batch // at_once
    if layout.virtual_stages > 1 and passes % layout.pp:
        words = f"interleaving wants a multiple of {layout.pp} micro-batches, and there are {passes}"
        return [Fault("batch", passes, layout.pp, words)]
    return []


def _context(layout: Layout, batch: Batch) -> list[Fault]:
    chunks = 2 * layout.cp if layout.cp > 1 else 1
    if batch.sequence % chunks == 0:
        cut = layout.cp * layout.tp
        if layout.sequence_parallel and batch.sequence % cut:
            words = f"a sequence of {batch.sequence:,} tokens does not divide by CP {layout.cp} × TP {layout.tp}, which sequence parallelism wants"
            return [Fault("context", cut, batch.sequence, words)]
        return []
    words = f"a sequence of {batch.sequence:,} tokens does not divide into 2 × CP {layout.cp} = {chunks} chunks"
    return [Fault("context", chunks, batch.sequence, words)]
