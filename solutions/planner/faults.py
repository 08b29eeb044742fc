"""Reasons why a layout cannot run: each constraint that it breaks, with the value seen, the limit, and a message."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import hardware
from ..facts.arguments import require_not_negative
from ..zero import zero
from .pieces import piece_count
from .recompute import require_recompute
from .shapes import OFFLOAD, PAIRED, PRECISIONS, SCHEDULES, Batch, Cluster, Layout, Model

BITS = {"nvfp4": 4, "fp8": 8, "mxfp8": 8, "bf16": 16, "fp16": 16}
ENDS = 2  # embedding and output layer may each take the place of a layer, on the first and the last stage


@dataclass(frozen=True)
class Fault:
    """One broken constraint. `seen` and `limit` are in base units: bytes for memory, counts elsewhere."""

    constraint: str
    seen: float
    limit: float
    words: str


def faults_before_running(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> tuple[Fault, ...]:
    """Return all faults but memory that keep a layout from running; also TP beyond the node, which only makes it slow.

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
        *_schedule(layout, batch),
        *_ulysses(model, layout),
        *_host(cluster, layout),
    ]
    if layout.tp > cluster.gpus_per_node:
        found.append(
            Fault("node", layout.tp, cluster.gpus_per_node,
                  f"TP {layout.tp} spans several nodes: only {cluster.gpus_per_node} GPUs share fast links")
        )  # fmt: skip
    return tuple(found)


def memory_fault(cluster: Cluster, memory_bytes: float) -> tuple[Fault, ...]:
    """Return the fault of a layout that does not fit, or nothing.

    Units:   bytes.
    Raises:  ValueError if memory_bytes is negative.

    >>> memory_fault(Cluster("H100-80GB", 8), memory_bytes=91.3e9)[0].words
    'needs 91.3 GB per GPU at peak, but each GPU has 85.5 GB'
    """
    require_not_negative(memory_bytes=memory_bytes)
    room = cluster.memory_bytes
    if memory_bytes <= room:
        return ()
    words = f"needs {memory_bytes / 1e9:,.1f} GB per GPU at peak, but each GPU has {room / 1e9:.1f} GB"
    return (Fault("memory", memory_bytes, room, words),)


def _words(layout: Layout) -> list[Fault]:
    if layout.schedule not in SCHEDULES:
        raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {layout.schedule!r}")
    require_recompute(layout.recompute)
    if layout.offload not in OFFLOAD:
        raise ValueError(f"offload must be one of {', '.join(OFFLOAD)}, not {layout.offload!r}")
    if layout.precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {layout.precision!r}")
    zero.require_stage(layout.zero)
    return []


def precision_faults(cluster: Cluster, precision: str) -> list[Fault]:
    """Return the fault of a number format that the chip lacks, or nothing: BF16 needs Ampere, FP8 Hopper, MXFP8 and NVFP4 Blackwell.

    Raises:  ValueError for an accelerator that is unknown.
    Source:  the number formats in hardware.yaml.

    >>> precision_faults(Cluster("A100-80GB", 8), "fp8")[0].words
    'A100-80GB does not multiply matrices in FP8: it supports BF16'
    """
    known = hardware.number_formats(accelerator=cluster.accelerator)
    needed = {"fp8": "fp8", "mxfp8": "fp4", "nvfp4": "fp4", "bf16": "bf16"}.get(precision)
    if needed is None or needed in known:
        return []
    words = f"{cluster.accelerator} does not multiply matrices in {precision.upper()}: it supports {', '.join(known).upper()}"
    return [Fault("precision", BITS[precision], BITS["fp16"], words)]


def _product(cluster: Cluster, layout: Layout) -> list[Fault]:
    product = layout.tp * layout.cp * layout.pp * layout.dp
    if product == cluster.gpus:
        return []
    words = (
        f"TP {layout.tp} × CP {layout.cp} × PP {layout.pp} × DP {layout.dp} = {product:,} GPUs, "
        f"but the cluster has {cluster.gpus:,}"
    )
    return [Fault("product", product, cluster.gpus, words)]


def _heads(model: Model, layout: Layout) -> list[Fault]:
    found = []
    if model.heads % layout.tp:
        found.append(
            Fault("heads", layout.tp, model.heads, f"TP {layout.tp} does not divide the {model.heads} attention heads")
        )
    if model.kv_heads % layout.tp and layout.tp % model.kv_heads:
        words = f"TP {layout.tp} neither divides the {model.kv_heads} key/value heads nor is a multiple of them"
        found.append(Fault("kv_heads", layout.tp, model.kv_heads, words))
    if model.recurrence and (model.recurrence.key_heads % layout.tp or model.recurrence.value_heads % layout.tp):
        few = min(model.recurrence.key_heads, model.recurrence.value_heads)
        words = f"TP {layout.tp} does not divide the {few} heads (or groups) of the recurrent layers"
        found.append(Fault("heads", layout.tp, few, words))
    if model.ffn_hidden % layout.tp:
        words = f"TP {layout.tp} does not divide the MLP width of {model.ffn_hidden:,}"
        found.append(Fault("mlp", layout.tp, model.ffn_hidden, words))
    return found


def _experts(model: Model, layout: Layout) -> list[Fault]:
    if layout.ep == 1:
        return []
    if not model.experts:
        return [Fault("experts", layout.ep, 1, f"EP {layout.ep} needs experts, but {model.name} has none")]
    found = []
    if model.experts % layout.ep:
        words = f"EP {layout.ep} does not divide the {model.experts} experts"
        found.append(Fault("experts", layout.ep, model.experts, words))
    ranks = layout.tp * layout.cp * layout.dp
    if ranks % (layout.ep * layout.expert_tp):
        words = f"EP {layout.ep} does not divide the {ranks} ranks of a stage (TP × CP × DP)"
        found.append(Fault("experts", layout.ep, ranks, words))
    return found


def _schedule(layout: Layout, batch: Batch) -> list[Fault]:
    """Return what violates the requirements of DualPipe and DualPipeV (deepseek-ai/DualPipe, the assertions of `step`)."""
    if layout.pp == 1 or layout.schedule not in PAIRED:
        return []
    passes, found = batch.global_batch // (layout.dp * layout.micro_batch), []
    if passes < 2 * layout.pp:
        words = f"{layout.schedule_name} needs at least 2 × PP {layout.pp} = {2 * layout.pp} micro-batches, but there are {passes}"
        found.append(Fault("batch", passes, 2 * layout.pp, words))
    if layout.schedule == "dualpipe" and layout.pp % 2:
        found.append(Fault("layers", layout.pp, 2, f"DualPipe needs an even number of stages, but PP is {layout.pp}"))
    elif layout.schedule == "dualpipe" and passes % 2:
        words = f"DualPipe needs an even number of micro-batches, half from each end, but there are {passes}"
        found.append(Fault("batch", passes, 2, words))
    return found


def _ulysses(model: Model, layout: Layout) -> list[Fault]:
    """Return the ranks and heads that the all-to-alls of Ulysses do not divide; if there are fewer KV heads, they are copied."""
    found, heads, kv_heads = [], model.heads // layout.tp, max(1, model.kv_heads // layout.tp)
    if layout.cp % layout.ulysses:
        words = f"Ulysses over {layout.ulysses} ranks does not divide CP {layout.cp}, of which it is a part"
        found.append(Fault("context", layout.ulysses, layout.cp, words))
    if heads % layout.ulysses:
        words = f"Ulysses over {layout.ulysses} ranks does not divide the {heads} heads that TP {layout.tp} leaves per rank: use a ring for the rest of CP"
        found.append(Fault("heads", layout.ulysses, heads, words))
    if kv_heads % layout.ulysses and layout.ulysses % kv_heads:
        words = f"Ulysses over {layout.ulysses} ranks neither divides the {kv_heads} key/value heads per rank nor is a multiple of them"
        found.append(Fault("kv_heads", layout.ulysses, kv_heads, words))
    return found


def _host(cluster: Cluster, layout: Layout) -> list[Fault]:
    if layout.offload == "none" or hardware.has_host(accelerator=cluster.accelerator):
        return []
    words = f"cannot plan offload of {layout.offload} on {cluster.accelerator}, because the bandwidth to its host is not known"
    return [Fault("offload", 0, 0, words)]


def _shares(model: Model, layout: Layout) -> list[Fault]:
    found = []
    ranks = layout.dp * layout.cp
    if layout.shard_group and not layout.zero:
        words = f"a shard group of {layout.shard_group:,} needs ZeRO 1, 2 or 3, since ZeRO 0 shards nothing"
        found.append(Fault("product", layout.shard_group, 0, words))
    elif layout.shard_group and ranks % layout.shard_group:
        words = f"a shard group of {layout.shard_group:,} ranks does not divide the {ranks:,} ranks that hold a copy (DP × CP)"
        found.append(Fault("product", layout.shard_group, ranks, words))
    if layout.recomputed_layers > model.layers:
        words = f"cannot recompute {layout.recomputed_layers:,} layers, because the model has {model.layers}"
        found.append(Fault("layers", layout.recomputed_layers, model.layers, words))
    return found


def _layers(model: Model, layout: Layout) -> list[Fault]:
    chunks = piece_count(layout)
    if layout.virtual_stages > 1 and layout.pp == 1:
        return [Fault("layers", layout.virtual_stages, 1, "virtual stages need a pipeline, but PP is 1")]
    if layout.virtual_stages > 1 and layout.schedule not in ("1f1b", "interleaved"):
        words = f"the schedule {layout.schedule_name} does not support virtual stages, but {layout.virtual_stages} are requested: use interleaved 1F1B"
        return [Fault("layers", layout.virtual_stages, 1, words)]
    if layout.virtual_stages == 1 and layout.schedule == "interleaved" and layout.pp > 1:
        return [Fault("layers", 1, 2, "interleaving needs at least 2 virtual stages: with 1 it is plain 1F1B")]
    if layout.pp <= model.layers and chunks <= model.layers + ENDS:
        return []
    words = f"{layout.pp} stages"
    if layout.virtual_stages > 1:
        words += f" with {layout.virtual_stages} virtual stages each make {chunks} chunks"
    elif chunks > layout.pp:
        words += f" with 2 pieces each make {chunks} pieces"
    words += f", but the model has only {model.layers} layers"
    return [Fault("layers", chunks, model.layers, words)]


def _batch(layout: Layout, batch: Batch) -> list[Fault]:
    at_once = layout.dp * layout.micro_batch
    if batch.global_batch % at_once:
        words = (
            f"the global batch size of {batch.global_batch:,} is not divisible by DP {layout.dp} × "
            f"micro-batch size {layout.micro_batch} = {at_once:,}"
        )
        return [Fault("batch", at_once, batch.global_batch, words)]
    passes = batch.global_batch // at_once
    if layout.virtual_stages > 1 and passes % layout.pp:
        words = f"interleaving needs a multiple of {layout.pp} micro-batches, but there are {passes}"
        return [Fault("batch", passes, layout.pp, words)]
    return []


def _context(layout: Layout, batch: Batch) -> list[Fault]:
    chunks = layout.cp * (2 if layout.ring > 1 else 1)
    if batch.sequence % chunks == 0:
        cut = layout.cp * layout.tp
        if layout.sequence_parallel and batch.sequence % cut:
            words = f"the sequence length of {batch.sequence:,} is not divisible by CP {layout.cp} × TP {layout.tp}, as sequence parallelism requires"
            return [Fault("context", cut, batch.sequence, words)]
        return []
    twice = "2 × " if layout.ring > 1 else ""
    words = f"the sequence length of {batch.sequence:,} is not divisible into {twice}CP {layout.cp} = {chunks} chunks"
    return [Fault("context", chunks, batch.sequence, words)]
