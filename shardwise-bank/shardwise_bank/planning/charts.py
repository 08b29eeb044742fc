"""Charts and figures of a plan as plain data: bars of memory and of peak FLOP/s, the layouts of a search, and key figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shardwise.units import show_number
from shardwise_bank.planning.plans import ranges
from shardwise_bank.planning.words import BUCKETS, fit_line, layout_line, part_name, range_words, short_amount
from shardwise_bank.solutions.planner.judging import Plan

Drawing = dict[str, Any]
MEMORY = {  # each part: its label, its colour, and the planner's buckets in it
    "weights": ("weights", "blue", ("weights",)),
    "gradients": ("gradients", "orange", ("gradients",)),
    "optimizer": ("optimizer states", "green", ("optimizer",)),
    "activations": ("activations", "purple", ("activations",)),
    "passing": (
        "temporary: working tensors, logits, gathered weights, update",
        "red",
        ("working", "logits", "gathered", "update"),
    ),
    "context": ("CUDA context and NCCL buffers", "grey", ("context",)),
}
LOST = {  # what takes a share of the step time besides compute
    "recompute": ("recomputation", "purple", ("recompute",)),
    "bubble": ("pipeline bubble", "orange", ("bubble",)),
    "communication": (
        "exposed communication",
        "red",
        ("tensor_parallel", "context_parallel", "expert_parallel", "pipeline_parallel", "data_parallel"),
    ),
    "rest": ("stragglers, optimizer step and offload", "green", ("stragglers", "optimizer", "offload")),
}
USED, BELOW = ("MFU", "blue"), ("kernels below peak FLOP/s", "grey")
COLUMNS, ROWS = 24, 25  # grid cells of a scatter chart, along memory and along MFU from 0 to 1


def memory_bars(plan: Plan) -> Drawing:
    """Return the bars of peak memory per GPU against GPU memory capacity."""
    room, size = plan.cluster.memory_bytes, short_amount(plan.memory_bytes, "GB")
    ends = [end / 1e9 for end in plan.memory_range]
    return {
        "title": f"Peak memory per GPU: {size} ({range_words(plan.memory_range, 'GB')}) of {short_amount(room, 'GB')}",
        "axis": {"label": "GB"},
        "kinds": {kind: {"name": name, "colour": colour} for kind, (name, colour, _) in MEMORY.items()},
        "rows": [{"name": "", "text": "", "parts": _grouped(MEMORY, plan.memory, 1e9), "range": ends}],
        "limit": {"at": room / 1e9, "text": f"capacity, {short_amount(room, 'GB')}"},
    }


def peak_bar(plan: Plan) -> Drawing:
    """Return a bar of the peak FLOP/s: the share that is MFU, and where the rest goes."""
    shares = {part: seconds / plan.step_s * 100 for part, seconds in plan.step.items()}
    below = shares["compute"] - plan.mfu * 100
    used = {"used": plan.mfu * 100, "below": below} if below >= 0 else {"used": shares["compute"]}
    parts = [{"kind": kind, "size": size, "text": f"{size:.0f}%"} for kind, size in used.items()]
    name = USED[0] if below >= 0 else "compute, faster than the BF16 peak that MFU refers to"
    return {
        "title": f"MFU {plan.mfu:.1%}, and where the rest of the peak goes",
        "axis": {"label": "% of step time", "high": 100},
        "kinds": {
            "used": {"name": name, "colour": USED[1]}, "below": {"name": BELOW[0], "colour": BELOW[1]},
            **{kind: {"name": words, "colour": colour} for kind, (words, colour, _) in LOST.items()},
        },
        "rows": [{"name": "", "text": "", "parts": [*parts, *_grouped(LOST, shares, 1)]}],
    }  # fmt: skip


def _grouped(groups: Mapping[str, Any], sizes: Mapping[str, float], scale: float) -> list[dict[str, Any]]:
    sums = {kind: sum(sizes[part] for part in parts) / scale for kind, (_, _, parts) in groups.items()}
    unit = "%" if scale == 1 else ""
    return [{"kind": kind, "size": size, "text": f"{size:.0f}{unit}"} for kind, size in sums.items() if size]


def thinned(plans: Sequence[Plan], front: Sequence[Plan], room_bytes: float) -> list[Plan]:
    """Return the fastest layout in each cell of a grid, and the Pareto front: a search finds thousands, a chart shows hundreds."""
    best = set(map(id, front))
    cells: dict[tuple[int, int], Plan] = {}
    for plan in plans:
        if id(plan) not in best:
            cells.setdefault((int(plan.memory_bytes / room_bytes * COLUMNS), int(plan.mfu * ROWS)), plan)
    return [*cells.values(), *front]


def layouts_scatter(plans: Sequence[Plan], front: Sequence[Plan], room_bytes: float) -> Drawing:
    """Return a scatter chart of layouts by memory and MFU, with the Pareto front as a line."""
    best = set(map(id, front))
    points = [
        {
            "x": plan.memory_bytes / 1e9,
            "y": plan.mfu * 100,
            "text": f"{layout_line(plan.layout)}: {short_amount(plan.memory_bytes, 'GB')}{' (tight)' if plan.fit == 'tight' else ''}, MFU {plan.mfu:.1%}",
            "open": plan.fit == "tight",
            "colour": "orange" if id(plan) in best else "grey",
            "name": "on the Pareto front" if id(plan) in best else "not on the front",
        }
        for plan in plans
    ]
    high = max((plan.mfu * 100 for plan in plans), default=0)
    return {
        "title": f"{len(points)} layouts: peak memory per GPU against MFU",
        "x": {"label": "peak memory per GPU, GB", "low": 0, "high": room_bytes / 1e9},
        "y": {"label": "MFU, %", "low": 0, "high": 5 * (high // 5 + 1)},
        "points": points,
        "front": [[plan.memory_bytes / 1e9, plan.mfu * 100] for plan in front],
        "frontName": "Pareto front",
        "openName": "tight",
        "marks": [{"x": room_bytes / 1e9, "text": f"capacity, {short_amount(room_bytes, 'GB')}"}],
    }


def parts_of_step(plan: Plan) -> list[dict[str, str]]:
    """Return each part of the step time: its seconds and its share."""
    return _shares({part_name(part): seconds for part, seconds in plan.step.items()}, "s", plan.step_s)


def parts_of_memory(plan: Plan) -> list[dict[str, str]]:
    """Return each bucket of memory: its size and its share of GPU memory capacity."""
    sizes = {BUCKETS.get(part, part): size for part, size in plan.memory.items()}
    return _shares(sizes, "GB", plan.cluster.memory_bytes)


def _shares(parts: Mapping[str, float], unit: str, whole: float) -> list[dict[str, str]]:
    return [
        {"name": name, "amount": short_amount(size, unit), "share": f"{size / whole:.1%}"}
        for name, size in parts.items()
        if size
    ]


def key_figures(plan: Plan, costs: Mapping[str, float]) -> list[dict[str, str]]:
    """Return the key results of a plan, each with its label, value, range and note. The bubble has no range."""
    room, ends = plan.cluster.memory_bytes, ranges(plan, costs)
    found = [
        ("peak memory per GPU", short_amount(plan.memory_bytes, "GB"), range_words(ends["memory_bytes"], "GB"),
         f"of {short_amount(room, 'GB')}; {fit_line(plan)}"),
        ("step time", short_amount(plan.step_s, "s"), range_words(ends["step_s"], "s"),
         f"{show_number(plan.tokens_per_s_per_gpu, 3)} tokens/s per GPU"),
        ("MFU", f"{plan.mfu:.1%}", range_words(ends["mfu"], "%"), f"HFU {plan.hfu:.1%}"),
    ]  # fmt: skip
    if plan.layout.pp > 1:
        bubble = f"{plan.bubble_idle_fraction:.1%}"
        found.append(
            ("pipeline bubble", bubble, "", f"idle fraction of the pipeline; overhead {plan.bubble_overhead:.1%}")
        )
    if "days" in costs:
        words = f"for {show_number(costs['tokens'] / 1e12, 3)}T training tokens, excluding failures"
        found.append(("training time", f"{show_number(costs['days'], 3)} days", range_words(ends["days"]), words))
    if "dollars" in costs:
        words = f"{_millions(costs['gpu_hours'])} GPU-hours at ${costs['price']:g}"
        between = " to ".join(f"${_millions(end, ends['dollars'][1])}" for end in ends["dollars"])
        found.append(("cost", f"${_millions(costs['dollars'])}", between, words))
    return [{"name": name, "value": value, "range": between, "note": note} for name, value, between, note in found]


def _millions(amount: float, largest: float = 0) -> str:
    """Return an amount as text, in millions if it or the largest of its range reaches a million."""
    return f"{show_number(amount / 1e6, 3)}M" if max(amount, largest) >= 1e6 else f"{amount:,.0f}"
