"""64 GPUs in 8 nodes, numbered in six axis orders: which ranks one of them communicates with, over which links, for how long."""

from __future__ import annotations

from typing import Any

from ..communication.axis_traffic import cp_step_bytes, dp_step_bytes, tp_step_bytes
from ..cost.run_costs import training_seconds_at_rate
from ..facts.hardware import link_bytes_per_s, nvlink_bytes_per_s
from ..layout.rank_grid import group, place
from ..pipeline.pipeline_traffic import boundary_message_bytes
from ..shapes import models
from . import buttons, choice, in_bytes, in_time, layer_shape, slider, written

CHAPTER = "15-layout"
STILL = "ranks-in-two-orders"
TITLE = "Rank order, and which links each axis uses"
MODEL = "Llama-3-8B"
GPUS, SERVER = 64, 8
SEQUENCE, TOKENS = (
    8192,
    512 * 8192,
)  # tokens per GPU and per step, as in the lesson; with CP, sequences are longer and fewer
ACHIEVED_FLOP_PER_S = 400e12  # of an H100 while it computes, as in the lesson
RATES = {  # bytes/s of an H100 in one direction
    "NVLink": nvlink_bytes_per_s(accelerator="H100-80GB") / 2,
    "port": link_bytes_per_s(link="NDR"),
}
SHAPE = layer_shape(MODEL)
AXES = ("tp", "cp", "pp", "dp")
LAYOUTS = [
    dict(zip(AXES, degrees, strict=True))
    for degrees in ((2, 1, 4, 8), (4, 1, 4, 4), (8, 1, 4, 2), (8, 1, 2, 4), (4, 2, 2, 4), (2, 4, 2, 4))
]
ORDERS = ("tp-cp-pp-dp", "tp-cp-dp-pp", "dp-tp-cp-pp", "pp-tp-cp-dp", "dp-pp-tp-cp", "pp-dp-tp-cp")
CONTROLS = {
    "rank": slider("rank", range(GPUS), start="0"),
    "degrees": slider(
        "layout",
        LAYOUTS,
        start="TP 4, CP 1, PP 4, DP 4",
        words=lambda at: ", ".join(f"{axis.upper()} {at[axis]}" for axis in AXES),
    ),
    "order": buttons(
        "axis order, innermost first",
        ORDERS,
        start="TP, CP, PP, DP",
        words=lambda order: order.upper().replace("-", ", "),
    ),
}


def members(rank: int, axis: str, grid: dict[str, Any]) -> list[int]:
    """The group of a rank on an axis, including itself. Gradients are reduced over CP and DP together."""
    found = [rank] if axis != "dp" else group(rank=rank, axis="cp", **grid)
    return sorted(other for one in found for other in group(rank=one, axis=axis, **grid))


def neighbours(rank: int, grid: dict[str, Any]) -> tuple[list[int], list[int]]:
    """A rank with the next stage, and with the previous stage; alone at the ends of the pipeline."""
    line = members(rank, "pp", grid)
    stage = line.index(rank)
    return line[stage : stage + 2], line[max(0, stage - 1) : stage + 1]


def link_of(ranks: list[int]) -> str:
    """The slowest link among ranks: a ring across nodes runs at the speed of their network ports."""
    return "NVLink" if len({rank // SERVER for rank in ranks}) == 1 else "port"


def traffic(rank: int, grid: dict[str, Any]) -> dict[str, list[tuple[str, float]]]:
    """Bytes that a rank sends per step on each axis larger than 1, with the link that carries them."""
    tp, cp, pp, dp = (grid[axis] for axis in AXES)
    layers, micro_batches = models.layers(model=MODEL) // pp, TOKENS // (SEQUENCE * cp * dp)
    step = {
        "micro_batches": micro_batches,
        "sequence_length": SEQUENCE * cp,
        "cp": cp,
        "tp": tp,
        "stage_layers": layers,
    }
    hidden, head_width = SHAPE["hidden"], SHAPE["hidden"] // SHAPE["heads"]
    message = boundary_message_bytes(tokens=SEQUENCE, hidden=hidden, tp=tp)
    sent = {
        "tp": [(members(rank, "tp", grid), tp_step_bytes(**step, hidden=hidden))],
        "cp": [(members(rank, "cp", grid), cp_step_bytes(**step, kv_heads=SHAPE["kv_heads"], head_width=head_width))],
        "pp": [(those, micro_batches * message) for those in neighbours(rank, grid) if len(those) > 1],
        "dp": [(members(rank, "dp", grid), dp_step_bytes(stage_layers=layers, tp=tp, cp=cp, dp=dp, **SHAPE))],
    }
    return {axis: [(link_of(those), size) for those, size in parts] for axis, parts in sent.items() if grid[axis] > 1}


def seconds(parts: list[tuple[str, float]]) -> float:
    """Seconds to send the bytes of an axis, ignoring latency."""
    return sum(size / RATES[link] for link, size in parts)


def show(*, rank: int, degrees: dict[str, int], order: str) -> dict[str, Any]:
    """The nodes, with the communicating ranks at each moment of a step, and the communication time of each axis."""
    grid = {"order": order, **degrees}
    sent = traffic(rank, grid)
    servers = {
        "drawing": "servers",
        "each": SERVER,
        "kinds": [f"stage {stage}" for stage in range(degrees["pp"])],
        "gpus": [
            {
                "kind": place(rank=one, axis="pp", order=order, **degrees),
                "text": str(place(rank=one, axis="dp", order=order, **degrees)),
            }
            for one in range(GPUS)
        ],
        "numbers": "replica",
        "rank": rank,
    }
    computed_s = training_seconds_at_rate(
        parameters=models.parameters(model=MODEL), tokens=TOKENS, gpus=GPUS, achieved_flop_per_s=ACHIEVED_FLOP_PER_S
    )
    rows = [
        {
            "name": f"{axis.upper()} {grid[axis]}",
            "text": f"{in_bytes(sum(size for _, size in parts))}, {in_time(seconds(parts))}",
            "parts": [{"kind": link, "size": seconds([(link, size)])} for link, size in parts],
        }
        for axis, parts in sent.items()
    ]
    bars = {
        "drawing": "bars",
        "title": f"Communication time of rank {rank} per step, by axis",
        "axis": {"label": "seconds per step"},
        "kinds": {
            "NVLink": {"name": "over NVLink", "colour": "purple"},
            "port": {"name": "over network ports", "colour": "red"},
        },
        "rows": rows,
        "limit": {"at": computed_s, "text": f"compute takes {in_time(computed_s)}"},
    }
    total = ("all axes, in sequence", in_time(sum(map(seconds, sent.values()))))
    return {"panels": [servers, bars], "frames": [_frame(*moment, rank, total) for moment in _moments(rank, grid)]}


def _moments(rank: int, grid: dict[str, Any]) -> list[tuple[str, str, list[int]]]:
    """The communication of a step in order: when, on which axis, and in which group."""
    on, back = neighbours(rank, grid)
    inside = [(axis.upper(), members(rank, axis, grid)) for axis in ("tp", "cp") if grid[axis] > 1]
    return [
        *(("forward, in every layer", axis, those) for axis, those in inside),
        ("forward, after the stage", "PP", on),
        *(("backward, in every layer", axis, those) for axis, those in reversed(inside)),
        ("backward, after the stage", "PP", back),
        ("once per step, gradients", "DP" if grid["cp"] == 1 else "CP and DP", members(rank, "dp", grid)),
    ]


def _frame(when: str, axis: str, those: list[int], rank: int, total: tuple[str, str]) -> dict[str, Any]:
    """One moment: the group, and the links that it uses."""
    others = [str(one) for one in those if one != rank]
    named = (
        ("rank " if len(others) == 1 else "ranks ") + ", ".join(others) if others else "no rank: the pipeline ends here"
    )
    link, count = link_of(those), len({one // SERVER for one in those})
    where = f"network ports of {count} nodes" if count > 1 else "NVLink in one node"
    title = f"{GPUS} GPUs in {GPUS // SERVER} nodes; {when}: on {axis}, rank {rank} communicates with {named}"
    return {
        "panels": [{"title": title, "text": f"{when}: {axis}", "group": those}, {}],
        "facts": [
            (f"on {axis}, rank {rank} communicates with", named),
            ("over", f"{where}, {in_bytes(RATES[link])}/s" if others else "no link"),
            total,
        ],
    }


def predict() -> dict[str, Any]:
    """How communication time changes when the gradients get the fastest links."""
    usual, turned = (
        traffic(0, {"order": order, "tp": 4, "cp": 1, "pp": 4, "dp": 4}) for order in ("tp-cp-pp-dp", "dp-tp-cp-pp")
    )
    ratio = sum(map(seconds, turned.values())) / sum(map(seconds, usual.values()))
    tp, dp = (in_bytes(usual[axis][0][1]) for axis in ("tp", "dp"))
    return {
        "ask": f"64 H100 train Llama 3 8B with TP 4, PP 4 and DP 4, a global batch size of {TOKENS // SEQUENCE} and a sequence length of {SEQUENCE:,}. TP is the "
        "innermost axis. Now someone makes DP the innermost axis, so that gradients stay inside a node and TP crosses nodes. By what factor does the communication time per step change?",
        **choice(f"× {round(ratio)}", ("× 1/5", "× 1", "× 2", "× 9")),
        "why": f"Gradients are sent once per step, {dp}. TP communicates in every layer for every micro-batch, {tp} in total, and NVLink is "
        f"{written(RATES['NVLink'] / RATES['port'])} times as fast as a network port.",
    }  # fmt: skip
