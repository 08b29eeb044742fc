"""Single changes of a plan on the same GPUs that satisfy every constraint: the nearest of each kind, with a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from .constants import software
from .faults import faults_before_running
from .shapes import PAIRED, SCHEDULES, Batch, Cluster, Layout, Model, divisors

MICRO_BATCHES, CHUNKS, STAGES_OF_ZERO = (1, 2, 4, 8, 16), range(1, 9), range(4)
RECOMPUTE = ("none", "selective", "full")  # what frameworks offer for whole layers
MOST_CP = 64
CHUNKED = ("1f1b", "interleaved")  # schedules that differ only in the number of chunks per stage
HIDES, HIDES_EXPERTS = "megatron-2024", "megatron-paired-2025"  # software that overlaps communication with compute


@dataclass(frozen=True)
class Change:
    """A plan that differs in one setting, with a label; `part` names the only part of the step time that it targets, if any."""

    words: str
    layout: Layout
    batch: Batch
    part: str = ""


def changes(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> Iterator[Change]:
    """Yield, for each setting of a layout, the nearest other value in each direction that satisfies every constraint; and another batch.

    DP follows from the other axes, so that the number of GPUs stays the same. Memory is not checked here.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> near = changes(llama, Cluster("H100-80GB", 8), Layout(tp=8), Batch(8, 8192))
    >>> [change.words for change in near][:4]
    ['TP 4', 'micro-batch size 2', 'ZeRO 0', 'ZeRO 2']
    """
    of_layout = chain(_axes(model, cluster, layout), _numbers(layout), _words(layout))
    singles = chain(_batches(layout, batch), _software(model, layout, batch))
    for ladder in chain(([Change(*change, batch) for change in ladder] for ladder in of_layout), singles):
        for change in ladder:
            if not faults_before_running(model, cluster, change.layout, change.batch):
                yield change
                break


Ladder = list[tuple[str, Layout]]  # changes of one number in one direction, the nearest first


def _both_ways(values: Iterable[int], now: int) -> tuple[list[int], list[int]]:
    """Return the values below a number and those above it, the nearest first."""
    ordered = sorted(values)
    return [value for value in reversed(ordered) if value < now], [value for value in ordered if value > now]


def _axes(model: Model, cluster: Cluster, layout: Layout) -> Iterator[Ladder]:
    gpus = cluster.gpus
    left = _on_all(gpus, layout)
    if left.dp != layout.dp:
        yield [(f"DP {left.dp}", left)]
    offered = {
        "tp": divisors(gpus, cluster.gpus_per_node), "pp": divisors(gpus, model.layers), "cp": divisors(gpus, MOST_CP)
    }  # fmt: skip
    for axis, degrees in offered.items():
        for direction in _both_ways(degrees, getattr(layout, axis)):
            yield [(f"{axis.upper()} {degree}", _on_all(gpus, layout, **{axis: degree})) for degree in direction]
    if model.experts:
        for direction in _both_ways(divisors(model.experts, model.experts), layout.ep):
            yield [(f"EP {degree}", replace(layout, ep=degree)) for degree in direction]


def _on_all(gpus: int, layout: Layout, *, tp: int = 0, cp: int = 0, pp: int = 0) -> Layout:
    """Return a layout with other degrees and the DP that follows from them; without a pipeline, it has no virtual stages."""
    changed = replace(layout, tp=tp or layout.tp, cp=cp or layout.cp, pp=pp or layout.pp)
    if changed.pp == 1:
        changed = replace(changed, virtual_stages=1, schedule="1f1b")
    return replace(changed, dp=max(1, gpus // (changed.tp * changed.cp * changed.pp)))


def _numbers(layout: Layout) -> Iterator[Ladder]:
    for direction in _both_ways(MICRO_BATCHES, layout.micro_batch):
        yield [(f"micro-batch size {size}", replace(layout, micro_batch=size)) for size in direction]
    for direction in _both_ways(CHUNKS, layout.virtual_stages):
        yield [(_chunks(count), _in_chunks(layout, count)) for count in direction]
    for direction in _both_ways(STAGES_OF_ZERO, layout.zero):
        yield [(f"ZeRO {stage}", replace(layout, zero=stage)) for stage in direction]


def _chunks(count: int) -> str:
    return f"{count} virtual stages" if count > 1 else "no virtual stages"


def _in_chunks(layout: Layout, count: int) -> Layout:
    schedule = CHUNKED[count > 1] if layout.schedule in CHUNKED else layout.schedule
    return replace(layout, virtual_stages=count, schedule=schedule)


def _words(layout: Layout) -> Iterator[Ladder]:
    for word in RECOMPUTE:
        if word != layout.recompute:
            how = "no" if word == "none" else word
            yield [(f"{how} recomputation", replace(layout, recompute=word))]
    usual = CHUNKED[layout.virtual_stages > 1]
    if layout.schedule != usual:
        yield [(f"the schedule {SCHEDULES[usual]}", replace(layout, schedule=usual))]
    if layout.precision != "bf16":
        yield [("BF16", replace(layout, precision="bf16"))]


def _software(model: Model, layout: Layout, batch: Batch) -> Iterator[list[Change]]:
    """Yield software that overlaps more communication; nothing on TPUs."""
    stack = software(layout.software)
    if layout.software == "xla":
        return
    if layout.tp > 1 and stack["overlap"] != "all":
        words = f"software that overlaps TP communication, such as {HIDES}"
        yield [Change(words, replace(layout, software=HIDES), batch, "tensor_parallel")]
    if model.experts and layout.ep > 1 and not stack.get("hides_experts") and layout.schedule not in PAIRED:
        words = f"software that hides the all-to-alls, such as {HIDES_EXPERTS}"
        yield [Change(words, replace(layout, software=HIDES_EXPERTS), batch, "expert_parallel")]


def _batches(layout: Layout, batch: Batch) -> Iterator[list[Change]]:
    """Yield the next smaller and next larger batch that divide evenly, where this one does not; otherwise twice the batch."""
    unit = layout.dp * layout.micro_batch * (layout.pp if layout.virtual_stages > 1 else 1)
    whole, rest = divmod(batch.global_batch, unit)
    for size in (whole * unit, (whole + 1) * unit) if rest else (2 * batch.global_batch,):
        if size:
            yield [Change(f"global batch size {size:,}", layout, replace(batch, global_batch=size))]
