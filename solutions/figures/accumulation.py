"""The pictures of the lesson on gradient accumulation."""

from __future__ import annotations

from matplotlib.figure import Figure

from ..accumulation import plan_seconds
from ..accumulation_time import communication_overhead, communication_share
from ..oracles.accumulation_time import walk
from . import BLUE, GREY, ORANGE

CHAPTER = "03-gradient-accumulation"

MICRO_BATCH_S, ALL_REDUCE_S = 0.120, 0.050  # the times that the lesson works with
FORWARD_S, BACKWARD_S, FIXED_S = 0.010, 0.020, 0.060  # a sequence's passes, and a fixed cost of every micro-batch


def one_all_reduce_or_many() -> Figure:
    """Two timelines of the same batch: an all-reduce after each micro-batch, and one at the end."""
    rows = {"after each\nmicro-batch": True, "after\nthe last": False}
    figure = Figure(figsize=(7.0, 1.9))
    axis = figure.subplots()
    for place, every_pass in enumerate(rows.values()):
        events = walk(
            passes=6, micro_batch=4, dp=8, micro_batch_s=MICRO_BATCH_S, all_reduce_s=ALL_REDUCE_S, every_pass=every_pass
        )
        for event in events:
            colour = BLUE if event.what == "micro-batch" else ORANGE
            axis.barh(place, event.seconds * 1e3, left=event.start_s * 1e3, color=colour, height=0.55, edgecolor="none")
        end_ms = events[-1].end_s * 1e3
        axis.text(end_ms + 8, place, f"{end_ms:.0f} ms", va="center", color=GREY)
    axis.set_yticks(range(len(rows)), list(rows))
    axis.invert_yaxis()
    axis.set_xlim(0, 1130)
    axis.set_xlabel("time of a batch of six micro-batches, ms")
    for name, colour in (("forward and backward", BLUE), ("all-reduce", ORANGE)):
        axis.barh(0, 0, color=colour, label=name)
    axis.legend(loc="upper center", bbox_to_anchor=(0.45, 1.32), ncols=2, frameon=False)
    return figure


def share_and_overhead() -> Figure:
    """The all-reduce as a share of the step, and as an overhead over its compute, by accumulation steps."""
    steps = [2**power for power in range(8)]
    case = {"micro_batch_s": MICRO_BATCH_S, "all_reduce_s": ALL_REDUCE_S}
    share = [100 * communication_share(accumulation_steps=count, **case) for count in steps]
    overhead = [100 * communication_overhead(accumulation_steps=count, **case) for count in steps]
    figure = Figure(figsize=(7.0, 3.0))
    axis = figure.subplots()
    axis.plot(steps, overhead, color=ORANGE, marker="s", linestyle="--", label="overhead: of the compute alone")
    axis.plot(steps, share, color=BLUE, marker="o", label="share: of the total step")
    for place in (0, 6):
        axis.annotate(
            f"{share[place]:.2g} %" if share[place] < 1 else f"{share[place]:.1f} %",
            (steps[place], share[place]), textcoords="offset points", xytext=(0, -17),
            ha="center", color=BLUE,
        )  # fmt: skip
    axis.annotate(f"{overhead[0]:.1f} %", (1, overhead[0]), textcoords="offset points", xytext=(8, 0), color=ORANGE)
    axis.set_xscale("log", base=2)
    axis.set_xticks(steps, [str(count) for count in steps])
    axis.set_xlim(0.75, 170)
    axis.set_ylim(-5, 47)
    axis.set_xlabel("accumulation steps")
    axis.set_ylabel("all-reduce, %")
    axis.legend(frameon=False)
    return figure


def two_plans() -> Figure:
    """Step time by micro-batch, with and without checkpointing, when a micro-batch has a fixed cost."""
    sizes = [1, 2, 4, 8, 16, 32]
    fits = 4  # the largest micro-batch of this example that needs no checkpointing
    plans = {"without checkpointing": (False, BLUE, "o"), "with checkpointing": (True, ORANGE, "s")}
    figure = Figure(figsize=(7.0, 3.0))
    axis = figure.subplots()
    for name, (recomputed, colour, marker) in plans.items():
        times = [
            plan_seconds(
                target_batch=2048, micro_batch=size, dp=8, sample_forward_s=FORWARD_S, sample_backward_s=BACKWARD_S,
                fixed_s=FIXED_S, recomputed=recomputed,
            )
            for size in sizes
        ]  # fmt: skip
        held = len(sizes) if recomputed else sizes.index(fits) + 1
        axis.plot(
            sizes[held - 1 :], times[held - 1 :], color=colour, linestyle=":", marker=marker, markerfacecolor="none"
        )
        axis.plot(sizes[:held], times[:held], color=colour, marker=marker, label=name)
    axis.annotate(
        "dotted: does not fit",
        (16, 8.6), textcoords="offset points", xytext=(0, -16), ha="center", color=GREY,
    )  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.set_ylim(0, None)
    axis.set_xlabel("micro-batch, sequences")
    axis.set_ylabel("compute of a step, s")
    axis.legend(frameon=False)
    return figure


FIGURES = (one_all_reduce_or_many, share_and_overhead, two_plans)
