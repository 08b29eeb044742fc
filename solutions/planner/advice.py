"""What a planner would remark about a layout: where its time and memory go, and which single changes help, each of them tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil

from ..facts import hardware
from .changes import Change, changes
from .constants import constant
from .memory import gradient_width, micro_batches, stage_layers
from .plan import Plan
from .shapes import Batch, Cluster, Layout
from .time import work_of_stages

LARGE_SHARE = 0.1  # of a step, from which a part is worth a remark
UNEVEN = 0.05  # by which the slowest stage is longer than the average, from which it is worth one
IDLE_MEMORY = 0.6  # share of a GPU's memory below which there is room to trade for time
WORTH_IT = 1.01  # times the MFU; what gives less is no remedy
MOST_NAMED = 3  # changes in one remark
STATES = ("weights", "gradients", "optimizer")
PARTS = {  # of a step, when they take much of it
    "tensor_parallel": "to the all-reduces of TP {tp}",
    "context_parallel": "to the keys and values of CP {cp}",
    "expert_parallel": "to the all-to-alls of EP {ep}",
    "data_parallel": "to the gradients and weights of DP {dp} with ZeRO {zero}",
    "pipeline_parallel": "to the tensors between {pp} stages",
    "bubble": "to the bubble of {passes} micro-batches on {pp} stages",
    "recompute": "to computing again what {recompute} recomputation did not keep",
}
Tried = tuple[Change, Plan]  # a change, and the plan that it makes


def advice(plan: Plan, planned: Callable[[Layout, Batch], Plan]) -> tuple[str, ...]:
    """Remarks about a layout, in words with their numbers. A change is named only where it runs, and with what it gives.

    `planned` plans another layout of the same model on the same cluster.

    >>> from .judging import named_model, plan
    >>> model, cluster = named_model("Llama-3-8B"), Cluster("H100-80GB", 64)
    >>> slow = plan(model, cluster, Layout(tp=2, dp=32, recompute="full"), Batch(256, 8192))
    >>> advice(slow, lambda layout, batch: plan(model, cluster, layout, batch))[0][:70]
    '22% of the step goes to computing again what full recomputation did no'
    """
    tried = [
        (change, planned(change.layout, change.batch))
        for change in changes(plan.model, plan.cluster, plan.layout, plan.batch)
    ]
    if not plan.step:
        return (_mended(plan, tried),)
    room = _idle(plan, tried) if plan.fits else _too_much(plan, tried)
    return (*_over_nodes(plan, tried), *_parts(plan, tried), *_uneven(plan), *room)


def conventions(cluster: Cluster, layout: Layout) -> tuple[str, ...]:
    """How a plan counts memory and MFU, in words, with what other conventions would count.

    >>> conventions(Cluster("H100-80GB", 64), Layout(dp=64))[0]
    'the room is what the driver reports of a H100-80GB, 85.5 GB; the lessons count 80'
    """
    room, named = cluster.memory_bytes, hardware.memory_bytes(accelerator=cluster.accelerator)
    width = gradient_width(layout)
    said = []
    if room != named:
        said.append(
            f"the room is what the driver reports of a {cluster.accelerator}, {_gigabytes(room)}; the lessons count {named / 1e9:g}"
        )
    if width != 2:
        said.append(
            f"gradients take {width} bytes, as {layout.software} keeps them; 16 bytes a parameter, as in the lessons, have 2"
        )
    if layout.zero == 2 and layout.pp > 1:
        said.append("under ZeRO-2 a pipeline reduces its gradients once a step, and a GPU's share of them is counted")
    said.append("MFU counts all pairs of attention's scores, masked ones too, and stands over the dense BF16 peak")
    return tuple(said)


def _mended(plan: Plan, tried: Sequence[Tried]) -> str:
    """For a layout that breaks a constraint: the nearest changes that let it run, or at least break no rule, as a remark."""
    if fitting := [one for one in tried if one[1].fits]:
        return f"it runs with {_either(_named(fitting, _mfu))}"
    what_next = "a search tells whether another layout does"
    if needed := _gpus_needed(plan):
        what_next = (
            f"the model states alone, at {_bytes_of_states(plan)} bytes a parameter, fill at least {needed:,} GPUs"
        )
    if not tried:
        return f"no single change makes it run: {what_next}"
    ways = _either(_named(_leanest(tried), _need, in_order=True))
    return f"with {ways} it breaks no rule, but does not fit: {what_next}"


def _over_nodes(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """What keeps tensor parallelism inside a node, where a layout that can be planned all the same takes it out."""
    if not any(fault.constraint == "node" for fault in plan.faults):
        return []
    fitting = [one for one in tried if one[1].fits]
    ways = _named(fitting, _mfu) or _named(tried, _need)
    return [
        f"TP stays inside a node with {_either(ways)}"
        if ways
        else "no single change that was tried keeps TP inside a node"
    ]


def _parts(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    names = vars(plan.layout) | {"passes": micro_batches(plan.layout, plan.batch)}
    found = []
    for part, words in PARTS.items():
        share = plan.step[part] / plan.step_s
        if share > LARGE_SHARE:
            better = [
                one
                for one in tried
                if one[0].part in ("", part)
                and _is_better(plan, one[1])
                and _of_a_token(one[1], part) < _of_a_token(plan, part)
            ]
            helps = (
                f"{_either(_named(better, _mfu))}, instead of {plan.mfu:.1%}"
                if better
                else "no single change that was tried makes that less, raises the MFU by 1% or more, and fits"
            )
            found.append(f"{share:.0%} of the step goes {words.format(**names)}: {helps}")
    return found


def _uneven(plan: Plan) -> list[str]:
    work = work_of_stages(plan.model, plan.cluster, plan.layout.local, plan.batch)
    if work.over_average <= UNEVEN:
        return []
    layers = stage_layers(plan.model, plan.layout)
    fewest, most = min(layers), max(layers)
    dealt = f"{fewest} to {most}" if fewest < most else f"{most}"
    return [
        f"stage {work.place + 1} of {plan.layout.pp} takes {work.over_average:.0%} longer than the average, and the others wait for "
        f"it: stages have {dealt} of the {plan.model.layers} layers, and the last one the output layer as well"
    ]


def _too_much(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """What takes the room, and what leaves enough of it."""
    states = sum(plan.memory[bucket] for bucket in STATES)
    largest = max(plan.memory, key=lambda bucket: plan.memory[bucket])
    what = f"the largest part of the memory is {largest}, {_gigabytes(plan.memory[largest])}"
    if states > 0.8 * plan.cluster.memory_bytes:
        what = f"the model states alone take {_gigabytes(states)}"
        if needed := _gpus_needed(plan):
            return [
                f"{what}: shared evenly by all GPUs of the cluster they would still not fit, it takes at least {needed:,}"
            ]
    fitting = [one for one in tried if one[1].fits]
    if fitting:
        return [f"{what}: it fits with {_either(_named(fitting, _mfu))}"]
    leaner = _leanest(one for one in tried if one[1].memory_bytes < plan.memory_bytes)
    if not leaner:
        return [f"{what}: no single change leaves less, it takes more GPUs"]
    return [
        f"{what}: {_either(_named(leaner, _need, in_order=True))}, and no single change is enough: a search tells which layouts fit"
    ]


def _gpus_needed(plan: Plan) -> int:
    """GPUs over which the model states just fit, divided evenly; 0 where those of the cluster are enough."""
    states = _bytes_of_states(plan) * plan.model.parameters
    needed = ceil(states / (plan.cluster.memory_bytes - constant("context_bytes")))
    return needed if needed > plan.cluster.gpus else 0


def _bytes_of_states(plan: Plan) -> int:
    """Of a parameter: 2 for the weight, 12 for the optimizer, and its gradient."""
    return 14 + gradient_width(plan.layout)


def _idle(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """Where much memory is free: recomputation that is not needed. Where it takes much of the step that is said already."""
    used = plan.memory_bytes / plan.cluster.memory_bytes
    if used >= IDLE_MEMORY or plan.step["recompute"] > LARGE_SHARE * plan.step_s:
        return []
    less = [one for one in tried if one[1].layout.recompute != plan.layout.recompute and _is_better(plan, one[1])]
    return (
        [f"{1 - used:.0%} of the memory is free: {_either(_named(less, _mfu))}, instead of {plan.mfu:.1%}"]
        if less
        else []
    )


def _is_better(plan: Plan, other: Plan) -> bool:
    """Whether another plan uses the GPUs better, and fits; of one that does not fit it is enough to need no more."""
    return other.mfu > WORTH_IT * plan.mfu and (other.fits or other.memory_bytes <= plan.memory_bytes)


def _of_a_token(plan: Plan, part: str) -> float:
    return plan.step[part] / plan.batch.tokens


def _leanest(tried: Iterable[Tried]) -> list[Tried]:
    return sorted(tried, key=lambda one: one[1].memory_bytes)


def _named(tried: Iterable[Tried], figure: Callable[[Plan], str], *, in_order: bool = False) -> list[str]:
    """The best few, each with a figure: changes of the layout first, since another batch is another run."""
    ranked = list(tried) if in_order else sorted(tried, key=lambda one: (one[0].words.endswith("a step"), -one[1].mfu))
    return [f"{change.words} {figure(plan)}" for change, plan in ranked[:MOST_NAMED]]


def _mfu(plan: Plan) -> str:
    return f"(MFU {plan.mfu:.1%})"


def _need(plan: Plan) -> str:
    return f"(needs {_gigabytes(plan.memory_bytes)})"


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:.1f} GB"


def _either(ways: Sequence[str]) -> str:
    """Some ways in one phrase.

    >>> _either(["more TP"]), _either(["more TP", "more CP", "more PP"])
    ('more TP', 'more TP, more CP or more PP')
    """
    return " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
