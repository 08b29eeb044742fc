"""The pictures of the ZeRO lesson."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ..oracles.zero import Tensor, adam_tensors, held, play_step
from ..zero import WHOLE_BYTES, state_bytes_per_gpu
from . import BLUE, GREEN, ORANGE

CHAPTER = "02-zero"
STAGES = ("plain", "ZeRO-1", "ZeRO-2", "ZeRO-3")
PARAMETERS, GPUS = 7 * 10**9, 64


def _gb(rows: list[Tensor], stage: int) -> float:
    """What some rows of the ownership table take on a GPU, in GB."""
    return sum(r.width * float(held(r, elements=PARAMETERS, ranks=GPUS, stage=stage).mean()) for r in rows) / 1e9


def states_by_stage() -> Figure:
    """What each of 64 GPUs holds of a 7B model, by kind of state, from the ownership table."""
    figure = Figure(figsize=(7, 2.6))
    axis = figure.subplots()
    tensors = adam_tensors()
    kinds = (
        ("weights", BLUE, [row for row in tensors if row.name == "weight"]),
        ("gradients", ORANGE, [row for row in tensors if row.name == "gradient"]),
        ("optimizer states", GREEN, [row for row in tensors if row.sharded_from == 1]),
    )
    places = range(len(STAGES))
    left = np.zeros(len(STAGES))
    for name, colour, rows in kinds:
        sizes = np.array([_gb(rows, stage) for stage in range(len(STAGES))])
        axis.barh(places, sizes, left=left, color=colour, height=0.62, label=name, edgecolor="none")
        left += sizes
    for place, total in zip(places, left, strict=True):
        axis.text(total + 1.2, place, f"{total:.4g} GB", va="center")
    axis.set_yticks(places, STAGES)
    axis.invert_yaxis()
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(0, 128)
    axis.set_xlabel("GB on each GPU (7B parameters, 64 GPUs)")
    axis.legend(frameon=False, loc="lower right")
    return figure


def floors_of_the_stages() -> Figure:
    """States on a GPU against the number of GPUs, for 30B parameters."""
    figure = Figure(figsize=(7, 2.9))
    axis = figure.subplots()
    parameters = 30 * 10**9
    gpus = np.unique(np.geomspace(1, 1024, 80).astype(int))
    for stage, colour in ((1, ORANGE), (2, GREEN), (3, BLUE)):
        sizes = [state_bytes_per_gpu(parameters=parameters, gpus=int(n), stage=stage) / 1e9 for n in gpus]
        axis.loglog(gpus, sizes, color=colour, lw=2)
        axis.text(1150, sizes[-1], STAGES[stage], color=colour, va="center")
        floor = WHOLE_BYTES[stage] * parameters / 1e9
        if floor:
            axis.axhline(floor, color=colour, lw=0.8, ls=":")
            axis.text(1.05, floor * 0.93, f"floor at {floor:.0f} GB", color=colour, va="top", fontsize=8)
    axis.set_xticks([1, 8, 64, 512], ["1", "8", "64", "512"])
    axis.set_yticks([1, 10, 100], ["1 GB", "10 GB", "100 GB"])
    axis.minorticks_off()
    axis.set_xlim(1, 1024)
    axis.set_xlabel("GPUs")
    axis.set_ylabel("states on each GPU")
    return figure


def traffic_by_stage() -> Figure:
    """What each of 64 GPUs sends in a step of a 7B model, collective by collective, from steps that were played."""
    figure = Figure(figsize=(7, 2.6))
    axis = figure.subplots()
    named: set[str] = set()
    for stage in range(len(STAGES)):
        left = 0.0
        for label, colour, size in _collectives(stage):
            axis.barh(stage, size, left=left, color=colour, height=0.62, edgecolor="none",
                      label=label if label not in named else None)  # fmt: skip
            axis.text(left + size / 2, stage, f"{size:.1f}", ha="center", va="center", color="white")
            named.add(label)
            left += size
        axis.text(left + 0.5, stage, f"{left:.1f} GB", va="center")
    axis.set_yticks(range(len(STAGES)), STAGES)
    axis.invert_yaxis()
    axis.tick_params(axis="y", length=0)
    axis.set_xlim(0, 47)
    axis.set_xlabel("GB that each GPU sends in a step (7B parameters, 64 GPUs)")
    axis.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=3)
    return figure


def _collectives(stage: int) -> list[tuple[str, str, float]]:
    """The collectives of a played step, those of all layers together: label, colour, and GB that a GPU sends."""
    sizes: dict[tuple[str, str], float] = {}
    for entry in play_step(PARAMETERS, GPUS, stage).entries:
        sizes[entry.name, entry.when] = sizes.get((entry.name, entry.when), 0.0) + entry.sent_bytes / 1e9
    gathers = [size for (name, _), size in sizes.items() if name == "all-gather"]
    rows = [("reduce-scatter", ORANGE, size) for (name, _), size in sizes.items() if name == "reduce-scatter"]
    rows.append(("all-gather", BLUE, gathers[0]))
    rows += [("second all-gather, the extra", GREEN, size) for size in gathers[1:]]
    return rows


FIGURES = (states_by_stage, floors_of_the_stages, traffic_by_stage)
