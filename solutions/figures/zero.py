"""The pictures of the ZeRO lesson."""

from __future__ import annotations

from functools import partial

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..facts.hardware import link_bytes_per_s
from ..interactive.zero import STAGES, held_bytes, kinds
from ..oracles.zero.fsdp import played_forward
from ..oracles.zero.zero import adam_tensors, held, play_step
from ..shapes.models import layers, parameters
from ..zero.zero import WHOLE_BYTES, state_bytes_per_gpu
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, middles, name_rows, numbers, stack_rows, write_in, x_axis, y_axis

CHAPTER = "02-zero"
MODEL, GPUS = "Llama-3-8B", 64
PARAMETERS, LAYERS = parameters(model=MODEL), layers(model=MODEL)
FLOP_PER_S = 400e12  # of one GPU, as long as it does not wait
BUS_BYTES_PER_S = 0.9 * 8 * link_bytes_per_s(link="NDR")  # what gathers reach over eight ports


def states_by_stage() -> Figure:
    """What each of 64 GPUs holds of Llama 3 8B, by kind of state, from the ownership table."""
    figure, axis = chart(7, 2.6)
    stages = range(len(STAGES))
    sizes = [
        (name, colour, [held_bytes(rows, model=MODEL, gpus=GPUS, stage=stage) / 1e9 for stage in stages])
        for (name, (_, rows)), colour in zip(kinds().items(), (BLUE, ORANGE, GREEN), strict=True)
    ]
    stack_rows(axis, STAGES, sizes, total="{:.4g} GB", gap=1.2)
    x_axis(axis, "GB per GPU (Llama 3 8B, 64 GPUs)", (0, 150))
    axis.legend(frameon=False, loc="lower right")
    return figure


def floors_of_the_stages() -> Figure:
    """States on a GPU against the number of GPUs, for 30B parameters."""
    figure, axis = chart(7, 2.9)
    large = 30 * 10**9
    gpus = np.unique(np.geomspace(1, 1024, 80).astype(int))
    for stage, colour in ((1, ORANGE), (2, GREEN), (3, BLUE)):
        sizes = [state_bytes_per_gpu(parameters=large, gpus=int(n), stage=stage) / 1e9 for n in gpus]
        axis.loglog(gpus, sizes, color=colour, lw=2)
        axis.text(1150, sizes[-1], STAGES[stage], color=colour, va="center")
        floor = WHOLE_BYTES[stage] * large / 1e9
        if floor:
            axis.axhline(floor, color=colour, lw=0.8, ls=":")
            caption(axis, 1.05, floor * 0.93, f"floor at {floor:.0f} GB", colour, va="top")
    x_axis(axis, "GPUs", (1, 1024), numbers(1, 8, 64, 512))
    y_axis(axis, "model states per GPU", ticks=numbers(1, 10, 100, unit=" GB"))
    return figure


def traffic_by_stage() -> Figure:
    """What each of 64 GPUs sends in a step of Llama 3 8B, collective by collective, from steps that were played."""
    figure, axis = chart(7, 2.6)
    named: set[str] = set()
    for stage in range(len(STAGES)):
        left = 0.0
        for label, colour, size in _collectives(stage):
            axis.barh(stage, size, left=left, color=colour, height=0.62, edgecolor="none",
                      label=label if label not in named else None)  # fmt: skip
            write_in(axis, left + size / 2, stage, f"{size:.1f}")
            named.add(label)
            left += size
        axis.text(left + 0.5, stage, f"{left:.1f} GB", va="center")
    x_axis(axis, "GB that each GPU sends per step (Llama 3 8B, 64 GPUs)", (0, 54))
    name_rows(axis, STAGES)
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
    rows += [("second all-gather (extra)", GREEN, size) for size in gathers[1:]]
    return rows


def who_owns_what() -> Figure:
    """The ownership table of four GPUs: what each holds of every tensor, stage by stage."""
    ranks, elements = 4, 4
    tensors = adam_tensors()
    colours = [BLUE, ORANGE, GREEN, GREEN, GREEN]
    figure = Figure(figsize=(7.6, 1.9))
    for stage, axis in enumerate(figure.subplots(1, len(STAGES))):
        for column, (tensor, colour) in enumerate(zip(tensors, colours, strict=True)):
            mine = held(tensor, elements=elements, ranks=ranks, stage=stage)
            box = partial(Rectangle, height=0.72, edgecolor=colour, lw=0.8)
            for rank in range(ranks):
                share = mine[rank] / elements
                left = column + 0.1 + (0.8 * rank / ranks if share < 1 else 0)
                axis.add_patch(box((column + 0.1, rank + 0.14), 0.8, facecolor="none"))
                axis.add_patch(box((left, rank + 0.14), 0.8 * share, facecolor=colour))
        ranks_named = [f"GPU {rank}" if stage == 0 else "" for rank in range(ranks)]
        x_axis(axis, limits=(0, len(tensors)), ticks=middles("wgcmv"), fontsize=8)
        y_axis(axis, limits=(ranks, 0), ticks=middles(ranks_named), fontsize=8)
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        axis.set_title(STAGES[stage], fontsize=9)
    figure.text(0.2, -0.1, "w weights", color=BLUE, fontsize=9, ha="center")
    figure.text(0.36, -0.1, "g gradients", color=ORANGE, fontsize=9, ha="center")
    figure.text(0.68, -0.1, "c master copy, m mean, v mean of squares", color=GREEN, fontsize=9, ha="center")
    return figure


def gathers_beside_the_computation() -> Figure:
    """A forward pass under ZeRO-3 with enough tokens and with too few: what computes, and what the network gathers."""
    shown = 6
    layer_parameters = PARAMETERS / LAYERS  # embedding and head count with the layers
    gather_s = 2 * layer_parameters * (GPUS - 1) / GPUS / BUS_BYTES_PER_S
    figure = Figure(figsize=(7.6, 2.7))
    for axis, tokens in zip(figure.subplots(2, 1, sharex=True), (2048, 512), strict=True):
        compute_s = 2 * layer_parameters * tokens / FLOP_PER_S
        for segment in played_forward(layers=shown, gather_s=gather_s, compute_s=compute_s):
            place = ("computation", "network").index(segment.lane)
            colour = (GREEN, BLUE)[place]
            axis.barh(place, (segment.end - segment.start) * 1e3, left=segment.start * 1e3, height=0.7, color=colour, edgecolor="none")  # fmt: skip
            write_in(axis, (segment.start + segment.end) / 2 * 1e3, place, str(segment.layer))
        axis.set_yticks([0, 1], ["compute", "all-gather"])
        axis.invert_yaxis()
        axis.tick_params(axis="y", length=0)
        axis.set_title(f"{tokens:,} tokens per GPU", loc="left", fontsize=9, color=GREY)
    axis.set_xlabel("time since the first all-gather began, ms; numbers are layers")
    figure.subplots_adjust(hspace=0.55)
    return figure
