"""Advice about a layout: where its step time and memory go, and which single changes help. Each change was tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil

from .changes import Change, changes
from .constants import constant
from .memory import STATES, gradient_width
from .plan import Plan
from .recompute import recompute_phrase
from .shapes import Batch, Layout
from .stages import micro_batches, stage_layers
from .time import work_of_stages

LARGE_SHARE = 0.1  # of the step time, above which a part is worth a remark
UNEVEN = 0.05  # excess of the slowest stage over the average, above which it is worth a remark
IDLE_MEMORY = 0.6  # share of GPU memory capacity in use, below which memory can be traded for time
WORTH_IT = 1.01  # factor in MFU that a change must gain to be recommended
MOST_NAMED = 3  # changes in one remark
BATCH_CHANGE = "global batch size"
FITS = ("yes", "tight", "no")  # from the most headroom to none
PARTS = {  # of the step time, as a remark names them
    "tensor_parallel": "exposed communication of tensor parallelism (TP {tp})",
    "context_parallel": "exposed communication of keys and values (CP {cp})",
    "expert_parallel": "exposed all-to-alls of expert parallelism (EP {ep})",
    "data_parallel": "exposed communication of gradients and weights (DP {dp}, ZeRO {zero})",
    "pipeline_parallel": "communication between {pp} pipeline stages",
    "bubble": "the pipeline bubble ({passes} micro-batches, {pp} stages)",
    "recompute": "{recomputation}",
}
Tried = tuple[Change, Plan]  # a change, and the plan that results


def advice(plan: Plan, planned: Callable[[Layout, Batch], Plan]) -> tuple[str, ...]:
    """Return remarks about a layout, with numbers. A change is named only where it runs, together with its effect.

    `planned` plans another layout of the same model on the same cluster.

    >>> from .judging import Cluster, named_model, plan
    >>> model, cluster = named_model("Llama-3-8B"), Cluster("H100-80GB", 64)
    >>> slow = plan(model, cluster, Layout(tp=2, dp=32, recompute="full"), Batch(256, 8192))
    >>> advice(slow, lambda layout, batch: plan(model, cluster, layout, batch))[0][:70]
    '23% of the step time goes to full recomputation: try no recomputation '
    """
    tried = [
        (change, planned(change.layout, change.batch))
        for change in changes(plan.model, plan.cluster, plan.layout, plan.batch)
    ]
    if not plan.step:
        return (_fix(plan, tried),)
    room = {"yes": _idle, "tight": _tight, "no": _too_much}[plan.fit](plan, tried)
    return (*_over_nodes(plan, tried), *_parts(plan, tried), *_uneven(plan), *room)


def _fix(plan: Plan, tried: Sequence[Tried]) -> str:
    """Return the nearest changes that let a layout run that breaks a constraint, or that at least satisfy every constraint."""
    if fitting := [one for one in tried if one[1].fits]:
        return f"this layout runs with {_either(_named(fitting, _mfu))}"
    what_next = "search for a layout that does"
    if needed := _gpus_needed(plan):
        what_next = (
            f"the model states alone, at {_bytes_of_states(plan)} bytes per parameter, need at least {needed:,} GPUs"
        )
    if not tried:
        return f"no single change makes it run: {what_next}"
    ways = _either(_named(_leanest(tried), _need, in_order=True))
    return f"{ways} would satisfy every other constraint, but not fit in memory: {what_next}"


def _over_nodes(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """Return changes that keep tensor parallelism inside a node, for a layout that runs although its TP spans nodes."""
    if not any(fault.constraint == "node" for fault in plan.faults):
        return []
    fitting = [one for one in tried if one[1].fits]
    ways = _named(fitting, _mfu) or _named(tried, _need)
    return [
        f"to keep TP inside a node, try {_either(ways)}"
        if ways
        else "no single change that the planner tried keeps TP inside a node"
    ]


def _parts(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    names = vars(plan.layout) | {"passes": micro_batches(plan.layout, plan.batch)}
    names["recomputation"] = recompute_phrase(plan.layout.recompute)
    found = []
    for part, words in PARTS.items():
        share = plan.step[part] / plan.step_s
        if share > LARGE_SHARE:
            better = [
                one
                for one in tried
                if one[0].part in ("", part)
                and _is_better(plan, one[1])
                and _seconds_per_token(one[1], part) < _seconds_per_token(plan, part)
            ]
            helps = (
                f"try {_either(_named(better, _mfu))}; MFU is now {plan.mfu:.1%}"
                if better
                else "no single change that the planner tried reduces it, fits, and raises MFU by 1% or more"
            )
            found.append(f"{share:.0%} of the step time goes to {words.format(**names)}: {helps}")
    return found


def _uneven(plan: Plan) -> list[str]:
    work = work_of_stages(plan.model, plan.cluster, plan.layout.local, plan.batch)
    if work.over_average <= UNEVEN:
        return []
    layers = stage_layers(plan.model, plan.layout)
    fewest, most = min(layers), max(layers)
    count = f"{fewest} to {most}" if fewest < most else f"{most}"
    return [
        f"stage {work.place + 1} of {plan.layout.pp} takes {work.over_average:.0%} longer than the average stage, and the others "
        f"wait for it: each stage has {count} of the {plan.model.layers} layers, and the last one also has the output layer"
    ]


def _too_much(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """Return what takes most of the memory, and which changes make the layout fit."""
    states = sum(plan.memory[bucket] for bucket in STATES)
    largest = max(plan.memory, key=lambda bucket: plan.memory[bucket])
    what = f"the largest part of peak memory is {largest}, {_gigabytes(plan.memory[largest])}"
    if states > 0.8 * plan.cluster.memory_bytes:
        what = f"the model states alone take {_gigabytes(states)} per GPU"
        if needed := _gpus_needed(plan):
            return [
                f"{what}: they would not fit even if divided evenly over the whole cluster; use at least {needed:,} GPUs"
            ]
    fitting = [one for one in tried if one[1].fits]
    if fitting:
        return [f"{what}: the layout fits with {_either(_named(fitting, _mfu))}"]
    leaner = _leanest(one for one in tried if one[1].memory_bytes < plan.memory_bytes)
    if not leaner:
        return [f"{what}: no single change reduces peak memory; use more GPUs"]
    return [
        f"{what}: no single change is enough, not even {_either(_named(leaner, _need, in_order=True))}; search for layouts that fit"
    ]


def _tight(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """Name the changes that bring the whole range of a tight layout's memory within capacity."""
    what = f"the memory range reaches {_gigabytes(plan.memory_range[1])}, beyond capacity"
    roomy = [one for one in tried if one[1].fit == "yes"]
    return [
        f"{what}: try {_either(_named(roomy, _mfu))}"
        if roomy
        else f"{what}: no single change brings all of it within capacity"
    ]


def _gpus_needed(plan: Plan) -> int:
    """Return the number of GPUs on which the model states just fit when divided evenly; 0 where the cluster has enough."""
    states = _bytes_of_states(plan) * plan.model.parameters
    needed = ceil(states / (plan.cluster.memory_bytes - constant("context_bytes")))
    return needed if needed > plan.cluster.gpus else 0


def _bytes_of_states(plan: Plan) -> int:
    """Return the bytes per parameter: 2 for the weight, the optimizer states, and the gradient."""
    kept = 0 if plan.layout.offload == "optimizer" else plan.layout.state_bytes
    return 2 + kept + gradient_width(plan.layout)


def _idle(plan: Plan, tried: Sequence[Tried]) -> list[str]:
    """Suggest less recomputation where memory is free, unless a remark about the step time suggests it already."""
    used = plan.memory_bytes / plan.cluster.memory_bytes
    if used >= IDLE_MEMORY or plan.step["recompute"] > LARGE_SHARE * plan.step_s:
        return []
    less = [one for one in tried if one[1].layout.recompute != plan.layout.recompute and _is_better(plan, one[1])]
    return (
        [f"{1 - used:.0%} of GPU memory is free: try {_either(_named(less, _mfu))}; MFU is now {plan.mfu:.1%}"]
        if less
        else []
    )


def _is_better(plan: Plan, other: Plan) -> bool:
    """Return whether another plan has a higher MFU and fits at least as well, or needs no more memory than this one."""
    return other.mfu > WORTH_IT * plan.mfu and (
        (other.fits and FITS.index(other.fit) <= FITS.index(plan.fit)) or other.memory_bytes <= plan.memory_bytes
    )


def _seconds_per_token(plan: Plan, part: str) -> float:
    return plan.step[part] / plan.batch.tokens


def _leanest(tried: Iterable[Tried]) -> list[Tried]:
    return sorted(tried, key=lambda one: one[1].memory_bytes)


def _named(tried: Iterable[Tried], note: Callable[[Plan], str], *, in_order: bool = False) -> list[str]:
    """Return the best few changes, each with a note. Changes of the layout come first: another global batch size is another run."""
    ranked = (
        list(tried)
        if in_order
        else sorted(tried, key=lambda one: (one[0].words.startswith(BATCH_CHANGE), one[1].fit == "tight", -one[1].mfu))
    )
    return [f"{change.words} {note(plan)}" for change, plan in ranked[:MOST_NAMED]]


def _mfu(plan: Plan) -> str:
    return f"(MFU {plan.mfu:.1%}{', tight' if plan.fit == 'tight' else ''})"


def _need(plan: Plan) -> str:
    return f"(needs {_gigabytes(plan.memory_bytes)})"


def _gigabytes(size: float) -> str:
    return f"{size / 1e9:,.1f} GB"


def _either(ways: Sequence[str]) -> str:
    """Join alternatives into one phrase.

    >>> _either(["more TP"]), _either(["more TP", "more CP", "more PP"])
    ('more TP', 'more TP, more CP or more PP')
    """
    return " or ".join(filter(None, (", ".join(ways[:-1]), ways[-1])))
