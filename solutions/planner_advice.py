"""What a planner would remark about a layout that runs: where its time and memory go, and what to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from . import hardware
from .planner_constants import software
from .planner_faults import faults_before_running
from .planner_memory import gradient_width, micro_batches, stage_layers, stage_memory
from .planner_memory import memory as layout_memory
from .planner_shapes import Batch, Cluster, Layout, Model
from .planner_time import work_of_stages

LARGE_SHARE = 0.1  # of a step, from which a part is worth a remark
IDLE_MEMORY = 0.6  # share of a GPU's memory below which there is room to trade for time
WORTH_IT = 0.9  # of what it was; what leaves more is no remedy
STATES = ("weights", "gradients", "optimizer")
WORDS = {  # of a part that takes much of a step; what is true of some layouts only stands in `_remedies`
    "tensor_parallel": "to the all-reduces of TP {tp}: a smaller TP{overlap}",
    "context_parallel": "to the keys and values of CP {cp}: a smaller CP, or longer sequences, which compute more for each of them",
    "expert_parallel": "to the all-to-alls of EP {ep}: {near}software that hides them",
    "data_parallel": "to the gradients and weights of DP {dp} with ZeRO-{zero}: {larger}{stage}",
    "pipeline_parallel": "to the tensors between {pp} stages: {chunks}, or a larger TP to send parts",
    "recompute": "to computing again what {recompute} recomputation did not keep",
}


def advice(
    model: Model, cluster: Cluster, layout: Layout, batch: Batch, memory: dict[str, float], step: dict[str, float]
) -> tuple[str, ...]:
    """Remarks about a layout, in words with their numbers.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> layout, batch = Layout(tp=2, pp=2, dp=16), Batch(64, 8192)
    >>> held = {"weights": 4e9, "gradients": 8e9, "optimizer": 2e9}
    >>> seconds = {"compute": 0.7, "bubble": 0.3} | dict.fromkeys(WORDS, 0.0)
    >>> advice(llama, Cluster("H100-80GB", 64), layout, batch, memory=held, step=seconds)[0][:68]
    'the bubble takes 30% of the step: 4 micro-batches for 2 stages; more'
    """
    return (*_pipeline(model, cluster, layout, batch, step), *_parts(cluster, layout, step),
            *_memory(model, cluster, layout, batch, memory))  # fmt: skip


def conventions(cluster: Cluster, layout: Layout) -> tuple[str, ...]:
    """How a plan counts memory and MFU, in words, with what other conventions would count.

    >>> conventions(Cluster("H100-80GB", 64), Layout(dp=64))[0]
    'the room is what the driver reports of a H100-80GB, 85.5 GB; the lessons count 80'
    """
    room, named = cluster.memory_bytes / 1e9, hardware.memory_bytes(accelerator=cluster.accelerator) / 1e9
    width = gradient_width(layout)
    said = []
    if abs(room - named) > 0.05:
        said.append(
            f"the room is what the driver reports of a {cluster.accelerator}, {room:.1f} GB; the lessons count {named:g}"
        )
    if width != 2:
        said.append(
            f"gradients take {width} bytes, as {layout.software} keeps them; 16 bytes a parameter, as in the lessons, have 2"
        )
    if layout.zero == 2 and layout.pp > 1:
        said.append("under ZeRO-2 a pipeline reduces its gradients once a step, and a GPU's share of them is counted")
    said.append("MFU counts all pairs of attention's scores, masked ones too, and stands over the dense BF16 peak")
    return tuple(said)


def _pipeline(model: Model, cluster: Cluster, layout: Layout, batch: Batch, step: dict[str, float]) -> list[str]:
    if layout.pp == 1:
        return []
    found = []
    layers, m = stage_layers(model, layout), micro_batches(layout, batch)
    if min(layers) != max(layers):
        found.append(f"{model.layers} layers on {layout.pp} stages: some have {max(layers)}, some {min(layers)}")
    share = step["bubble"] / sum(step.values())
    if share > LARGE_SHARE:
        ways = ["more micro-batches", "fewer stages"]
        if _breaks_nothing(model, cluster, layout, batch, replace(layout, virtual_stages=2 * layout.virtual_stages)):
            ways.append(f"more virtual stages than {layout.virtual_stages}")
        found.append(
            f"the bubble takes {share:.0%} of the step: {m} micro-batches for {layout.pp} stages; {_either(ways)} shorten it"
        )
    work = work_of_stages(model, cluster, layout.local, batch)
    if work.over_average > LARGE_SHARE / 2:
        found.append(
            f"stage {work.place + 1} of {layout.pp} takes {work.over_average:.0%} longer than the average, and the "
            "others wait for it"
        )
    return found


def _parts(cluster: Cluster, layout: Layout, step: dict[str, float]) -> list[str]:
    whole = sum(step.values())
    names = vars(layout) | _remedies(cluster, layout)
    return [
        f"{step[part] / whole:.0%} of the step goes {words.format(**names)}"
        for part, words in WORDS.items()
        if step[part] > LARGE_SHARE * whole
    ]


def _remedies(cluster: Cluster, layout: Layout) -> dict[str, str]:
    """What helps under this layout, and would be no news under another."""
    node = cluster.gpus_per_node
    return {
        "overlap": ", or software that overlaps them" if software(layout.software)["overlap"] != "all" else "",
        "near": f"an EP that stays within {node} GPUs, or "
        if layout.ep * layout.expert_tp > node
        else "a smaller EP, or ",
        # stage 3 sends the same again for every micro-batch, the others mostly once a step
        "larger": "a larger micro-batch" if layout.zero == 3 else "a larger batch a GPU",
        "stage": ", or a lower stage" if layout.zero == 3 else "",  # stages 0 to 2 send the same
        "chunks": "fewer virtual stages" if layout.virtual_stages > 1 else "fewer stages",
    }


def _memory(model: Model, cluster: Cluster, layout: Layout, batch: Batch, memory: dict[str, float]) -> list[str]:
    used = sum(memory.values()) / cluster.memory_bytes
    if used < IDLE_MEMORY and layout.recompute != "none":
        least = _least_recomputation(model, cluster, layout, batch)
        if least == layout.recompute:
            return []
        how = "without recomputation" if least == "none" else f"with {least} recomputation"
        return [f"{1 - used:.0%} of the memory is free: {how} it fits as well, and takes less time"]
    if used <= 1:
        return []
    states = sum(memory[bucket] for bucket in STATES)
    if states > 0.8 * cluster.memory_bytes:
        ways = _leaner(model, cluster, layout, batch, STATES)
        remedy = f"shard them further ({_either(ways)})" if ways else "that takes more GPUs"
        return [f"the model states alone take {states / 1e9:.1f} GB: {remedy}"]
    largest = max(memory, key=lambda bucket: memory[bucket])
    if largest in ("activations", "logits"):
        ways = _leaner(model, cluster, layout, batch, (largest,)) or ["a shorter sequence"]
        return [
            f"the {largest} take the most, {memory[largest] / 1e9:.1f} GB: {_either(ways)} leaves less of them on a GPU"
        ]
    return []


def _least_recomputation(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> str:
    """The least that has to be computed again for a layout to fit."""
    for word in ("none", "selective") if layout.recompute == "full" else ("none",):
        held = layout_memory(model, replace(layout, recompute=word), batch)
        if sum(held.values()) <= cluster.memory_bytes:
            return word
    return layout.recompute


def _leaner(model: Model, cluster: Cluster, layout: Layout, batch: Batch, buckets: Sequence[str]) -> list[str]:
    """The changes of a layout that leave clearly less in these buckets on the stage that has most of them.

    Each is tried, on the same GPUs with the same batch.
    """
    half = max(1, layout.dp // 2)
    changes = {
        "recomputation": replace(layout, recompute="full"),
        "a smaller micro-batch": replace(layout, micro_batch=max(1, layout.micro_batch // 2)),
        "the schedule 1f1b": replace(layout, schedule="1f1b"),
        "more TP": replace(layout, tp=2 * layout.tp, dp=half),
        "more CP": replace(layout, cp=2 * layout.cp, dp=half),
        "more PP": replace(layout, pp=2 * layout.pp, dp=half),
        "more EP": replace(layout, ep=2 * layout.ep),
        "a higher stage of ZeRO": replace(layout, zero=min(3, layout.zero + 1)),
    }

    def held(tried: Layout) -> float:
        stages = (stage_memory(model, tried, batch, stage) for stage in range(tried.pp))
        return max(sum(memory[bucket] for bucket in buckets) for memory in stages)

    now = held(layout)
    return [
        words
        for words, changed in changes.items()
        if _breaks_nothing(model, cluster, layout, batch, changed) and held(changed) < WORTH_IT * now
    ]


def _breaks_nothing(model: Model, cluster: Cluster, layout: Layout, batch: Batch, changed: Layout) -> bool:
    """Whether a changed layout keeps every constraint that the layout keeps."""
    now, then = (
        {fault.constraint for fault in faults_before_running(model, cluster, one, batch)} for one in (layout, changed)
    )
    return then <= now


def _either(ways: Sequence[str]) -> str:
    """Some ways in one phrase.

    >>> _either(["more TP"]), _either(["more TP", "more CP", "more PP"])
    ('more TP', 'more TP, more CP or more PP')
    """
    return " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
