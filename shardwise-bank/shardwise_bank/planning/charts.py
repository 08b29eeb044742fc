"""Pictures of a plan as plain data: bars of memory and of the peak, the pipeline's operations, a search's layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from shardwise.units import show_amount, show_number
from shardwise_bank.pipelines.named import NAMED, SPLIT
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, WEIGHT, Pipeline
from shardwise_bank.pipelines.simulate import Run, simulate
from shardwise_bank.planning.words import layout_line
from shardwise_bank.solutions.planner.judging import Layout, Plan
from shardwise_bank.solutions.planner.memory import micro_batches
from shardwise_bank.solutions.planner.time import stage_seconds

Drawing = dict[str, Any]
MEMORY = {  # what a part is called, its colour, and the planner's buckets in it
    "weights": ("weights", "blue", ("weights",)),
    "gradients": ("gradients", "orange", ("gradients",)),
    "optimizer": ("optimizer", "green", ("optimizer",)),
    "activations": ("activations", "purple", ("activations",)),
    "passing": ("for a moment: working, logits, gathered, update", "red", ("working", "logits", "gathered", "update")),
    "context": ("context and buffers of collectives", "grey", ("context",)),
}
LOST = {  # of the peak, beside what computing makes of it
    "recompute": ("computing again", "purple", ("recompute",)),
    "bubble": ("the bubble", "orange", ("bubble",)),
    "communication": (
        "communication that shows",
        "red",
        ("tensor_parallel", "context_parallel", "expert_parallel", "pipeline_parallel", "data_parallel"),
    ),
    "rest": ("stragglers and the optimizer", "green", ("stragglers", "optimizer")),
}
USED, BELOW = ("MFU", "blue"), ("kernels below the peak", "grey")
MOST_DRAWN = 2048  # operations
COLUMNS, ROWS = 24, 25  # cells of a scatter's grid: of the memory, and of MFU from 0 to 1
NOT_DRAWN = {  # schedules that the simulator does not have, and why
    "zb-v": "each GPU has two pieces of the model, one on the way down the stages and one on the way up again",
    "dualpipe": "micro-batches enter at both ends of the pipeline, and two of them meet on every GPU",
}
COLOURS = {FORWARD: ("forward", "blue"), BACKWARD: ("backward", "orange"), WEIGHT: ("weight gradient", "green")}


def memory_bars(plan: Plan) -> Drawing:
    """Memory of the fullest GPU against what it has."""
    room = plan.cluster.memory_bytes
    return {
        "title": f"{show_amount(plan.memory_bytes, 'GB', digits=3)} on the fullest GPU, which has {show_amount(room, 'GB', digits=3)}",
        "axis": {"label": "GB"},
        "kinds": {kind: {"name": name, "colour": colour} for kind, (name, colour, _) in MEMORY.items()},
        "rows": [
            {"name": "", "text": "", "parts": _grouped(MEMORY, plan.memory, 1e9)},
        ],
        "limit": {"at": room / 1e9, "text": f"{show_amount(room, 'GB', digits=3)} of the GPU"},
    }


def peak_bar(plan: Plan) -> Drawing:
    """What becomes of the GPUs' peak: the part that is MFU, and what takes the rest."""
    shares = {part: seconds / plan.step_s * 100 for part, seconds in plan.step.items()}
    below = shares["compute"] - plan.mfu * 100
    used = {"used": plan.mfu * 100, "below": below} if below >= 0 else {"used": shares["compute"]}
    name = USED[0] if below >= 0 else "computing, faster than the BF16 peak that MFU stands over"
    return {
        "title": f"MFU {plan.mfu:.1%}, and what takes the rest of the peak",
        "axis": {"label": "% of the step", "high": 100},
        "kinds": {
            "used": {"name": name, "colour": USED[1]}, "below": {"name": BELOW[0], "colour": BELOW[1]},
            **{kind: {"name": words, "colour": colour} for kind, (words, colour, _) in LOST.items()},
        },
        "rows": [
            {
                "name": "",
                "text": "",
                "parts": [
                    *({"kind": kind, "size": size, "text": f"{size:.0f}%"} for kind, size in used.items()),
                    *_grouped(LOST, shares, 1),
                ],
            }
        ],
    }  # fmt: skip


def _grouped(groups: Mapping[str, Any], sizes: Mapping[str, float], scale: float) -> list[dict[str, Any]]:
    sums = {kind: sum(sizes[part] for part in parts) / scale for kind, (_, _, parts) in groups.items()}
    unit = "%" if scale == 1 else ""
    return [{"kind": kind, "size": size, "text": f"{size:.0f}{unit}"} for kind, size in sums.items() if size]


def pipeline_bars(plan: Plan) -> Drawing | str:
    """What each stage does when, as the simulator of schedules has it; a sentence where there is nothing to draw.

    Of many micro-batches the first few are drawn, since all of them are too many for a picture.
    """
    layout = plan.layout
    if layout.pp == 1:
        return "There is no pipeline: PP is 1."
    name = "interleaved" if layout.virtual_stages > 1 else layout.schedule
    if name in NOT_DRAWN:
        return f"{layout.schedule_name} is not drawn: {NOT_DRAWN[name]}. Its bubble and its memory are those that its authors give."
    whole = micro_batches(layout, plan.batch)
    count = _drawn(layout, whole)
    if not count:
        return f"{layout.pp} stages of {layout.virtual_stages} chunks are too many to draw."
    stages = stage_seconds(plan.model, plan.cluster, layout.local, plan.batch)
    run = _simulated(
        name, count, layout.virtual_stages, tuple((_slots(stage.forward, layout), _slots(stage.backward, layout)) for stage in stages)
    )  # fmt: skip
    few = f"{count} of {whole:,}" if count < whole else f"{whole}"
    return {
        "title": f"{layout.pp} stages at work on {few} micro-batches, {layout.schedule_name}",
        "rows": [f"stage {stage + 1}" for stage in range(layout.pp)],
        "axis": {"label": "ms", "low": 0, "high": run.makespan / 1e3},
        "kinds": {letter: {"name": name, "colour": colour} for letter, (name, colour) in COLOURS.items()},
        "spans": [
            {
                "row": place,
                "kind": span.operation.letter,
                "from": span.start / 1e3,
                "to": span.end / 1e3,
                "text": str(span.operation.micro_batch),
            }
            for place, line in enumerate(run.spans)
            for span in line
        ],
    }


def _drawn(layout: Layout, whole: int) -> int:
    """How many micro-batches are drawn: a fully loaded pipeline and a little more, as far as there is room; or none."""
    group: int = layout.pp if layout.virtual_stages > 1 else 1
    most = MOST_DRAWN // (layout.pp * layout.virtual_stages * (3 if layout.schedule in SPLIT else 2))
    count: int = min(whole, 2 * layout.pp, most)
    return count - count % group


def _slots(seconds: float, layout: Layout) -> int:
    """Seconds of a stage in microseconds of one of its chunks."""
    chunk_us: float = seconds * 1e6 / layout.virtual_stages
    return max(1, round(chunk_us))


@lru_cache(maxsize=64)
def _simulated(name: str, count: int, chunks: int, slots: tuple[tuple[int, int], ...]) -> Run:
    is_split = name in SPLIT
    pipeline = Pipeline(
        stages=len(slots),
        micro_batches=count,
        forward=tuple(forward for forward, _ in slots),
        backward=tuple(max(1, backward // 2) if is_split else backward for _, backward in slots),
        weight=tuple(max(1, backward - backward // 2) for _, backward in slots) if is_split else (),
        chunks=chunks,
    )
    return simulate(pipeline, NAMED[name](pipeline))


def thinned(plans: Sequence[Plan], front: Sequence[Plan], room_bytes: float) -> list[Plan]:
    """The quickest layout in each cell of a grid, and the front above them: a search finds thousands, a picture shows hundreds."""
    best = set(map(id, front))
    cells: dict[tuple[int, int], Plan] = {}
    for plan in plans:
        if id(plan) not in best:
            cells.setdefault((int(plan.memory_bytes / room_bytes * COLUMNS), int(plan.mfu * ROWS)), plan)
    return [*cells.values(), *front]


def layouts_scatter(plans: Sequence[Plan], front: Sequence[Plan], room_bytes: float) -> Drawing:
    """Layouts by memory and MFU, and the line of those to which no other is both quicker and leaner."""
    best = set(map(id, front))
    points = [
        {
            "x": plan.memory_bytes / 1e9,
            "y": plan.mfu * 100,
            "text": f"{layout_line(plan.layout)}: {show_amount(plan.memory_bytes, 'GB', digits=3)}, MFU {plan.mfu:.1%}",
            "colour": "orange" if id(plan) in best else "grey",
            "name": "not beaten in both" if id(plan) in best else "beaten in both",
        }
        for plan in plans
    ]
    high = max((plan.mfu * 100 for plan in plans), default=0)
    return {
        "title": f"{len(points)} layouts: memory of the fullest GPU against MFU",
        "x": {"label": "memory of the fullest GPU, GB", "low": 0, "high": room_bytes / 1e9},
        "y": {"label": "MFU, %", "low": 0, "high": 5 * (high // 5 + 1)},
        "points": points,
        "front": [[plan.memory_bytes / 1e9, plan.mfu * 100] for plan in front],
        "frontName": "the best for each memory",
        "marks": [{"x": room_bytes / 1e9, "text": f"{show_amount(room_bytes, 'GB', digits=3)} of a GPU"}],
    }


def parts_of_step(plan: Plan) -> list[dict[str, str]]:
    """Each part of a step: its seconds, and its share."""
    return [
        {"name": _name(part), "amount": show_amount(seconds, "s", digits=3), "share": f"{seconds / plan.step_s:.1%}"}
        for part, seconds in plan.step.items()
        if seconds
    ]


def parts_of_memory(plan: Plan) -> list[dict[str, str]]:
    """Each bucket of memory: its bytes, and its share of what the GPU has."""
    return [
        {
            "name": _name(part),
            "amount": show_amount(size, "GB", digits=3),
            "share": f"{size / plan.cluster.memory_bytes:.1%}",
        }
        for part, size in plan.memory.items()
        if size
    ]


def key_figures(plan: Plan, costs: Mapping[str, float]) -> list[dict[str, str]]:
    """What a plan comes to, a figure and a remark each."""
    room = plan.cluster.memory_bytes
    found = [
        ("memory of the fullest GPU", show_amount(plan.memory_bytes, "GB", digits=3),
         f"{plan.memory_bytes / room:.0%} of {show_amount(room, 'GB', digits=3)}"),
        ("a step", show_amount(plan.step_s, "s", digits=3), f"{show_number(plan.tokens_per_s_per_gpu, 3)} tokens/s a GPU"),
        ("MFU", f"{plan.mfu:.1%}", f"HFU {plan.hfu:.1%}"),
    ]  # fmt: skip
    if plan.layout.pp > 1:
        idle = f"{plan.bubble_idle_fraction:.1%}"
        found.append(("the pipeline is idle", idle, f"a bubble of {plan.bubble_overhead:.1%} over its computing"))
    if "days" in costs:
        words = f"for {show_number(costs['tokens'] / 1e12, 3)}T tokens, with nothing lost to failures"
        found.append(("the run", f"{show_number(costs['days'], 3)} days", words))
    if "dollars" in costs:
        words = f"{_millions(costs['gpu_hours'])} GPU-hours at {costs['price']:g} dollars"
        found.append(("its price", f"${_millions(costs['dollars'])}", words))
    return [{"name": name, "value": value, "note": note} for name, value, note in found]


def _millions(amount: float) -> str:
    return f"{show_number(amount / 1e6, 3)}M" if amount >= 1e6 else f"{amount:,.0f}"


def _name(part: str) -> str:
    return part.replace("_", " ")
