"""The pictures of the lesson on gradient accumulation."""

from __future__ import annotations

from matplotlib.figure import Figure

from ..accumulation.accumulation import plan_seconds
from ..accumulation.accumulation_time import communication_overhead, communication_share
from ..accumulation.gradient_buffers import token_pull
from ..activations.activations import peak_activation_bytes
from ..oracles.accumulation.accumulation_time import walk
from ..ring.ring import all_reduce_seconds
from ..shapes import models
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, note, stack_rows, x_axis, y_axis

CHAPTER = "03-gradient-accumulation"

GPUS, TOKENS, PASSES = 64, 8192, 8  # Llama 3 8B on 64 H100, a sequence at a time, 4M tokens per step
PARAMETERS = models.parameters(model="Llama-3-8B")
MICRO_BATCH_S = 8 * PARAMETERS * TOKENS / 400e12  # at 400 TFLOP/s, with every forward pass repeated
ALL_REDUCE_S = all_reduce_seconds(message_bytes=4 * PARAMETERS, gpus=GPUS, bandwidth_bytes_per_s=360e9, latency_s=0)
FORWARD_S, BACKWARD_S, FIXED_S = 0.010, 0.020, 0.060  # a short sequence's passes, and a fixed cost of every micro-batch
ANSWERS = (200, 1500, 1000, 1300)  # tokens in the loss of four micro-batches


def weight_of_a_token() -> Figure:
    """What a token of each micro-batch weighs, under a mean over all tokens and under a mean of four means."""
    figure, axis = chart(7.0, 2.6)
    all_tokens, start = sum(ANSWERS), 0
    for number, tokens in enumerate(ANSWERS):
        pull = token_pull(micro_batch_tokens=tokens, batch_tokens=all_tokens, accumulation_steps=len(ANSWERS))
        axis.bar(start, pull, width=tokens - 12, align="edge", color=ORANGE, edgecolor="none")
        high = pull > 2
        axis.text(
            start + (tokens + 30 if high else tokens / 2), pull - 0.3 if high else pull / 2,
            f"{'ABCD'[number]}: {pull:.2g} ×", ha="left" if high else "center", va="center",
            color=ORANGE if high else "white",
        )  # fmt: skip
        start += tokens
    axis.plot([0, all_tokens], [1, 1], color=BLUE, lw=2)
    axis.text(all_tokens + 40, 1, "mean over\nall tokens", color=BLUE, va="center")
    x_axis(axis, "tokens in the loss, micro-batch after micro-batch", (-60, all_tokens + 560))
    y_axis(axis, "weight of a token\nin a mean of means", (0, 5.9))
    return figure


def one_all_reduce_or_many() -> Figure:
    """Two timelines of the same batch: an all-reduce after each micro-batch, and one at the end."""
    rows = {"after each\nmicro-batch": True, "after\nthe last": False}
    figure, axis = chart(7.0, 1.9)
    for place, every_pass in enumerate(rows.values()):
        events = walk(
            passes=PASSES, micro_batch=1, dp=GPUS, micro_batch_s=MICRO_BATCH_S, all_reduce_s=ALL_REDUCE_S,
            every_pass=every_pass,
        )  # fmt: skip
        for event in events:
            waits = event.what == "all-reduce"
            gap = 0 if waits else 0.03
            axis.barh(place, event.seconds - gap, left=event.start_s, color=ORANGE if waits else BLUE, height=0.55)
        axis.text(events[-1].end_s + 0.1, place, f"{events[-1].end_s:.1f} s", va="center", color=GREY)
    axis.invert_yaxis()
    x_axis(axis, "time, s", (0, 13.2))
    y_axis(axis, ticks=dict(enumerate(rows)))
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
    figure, axis = chart(7.0, 3.0)
    axis.plot(steps, overhead, color=ORANGE, marker="s", linestyle="--", label="overhead: relative to compute")
    axis.plot(steps, share, color=BLUE, marker="o", label="share: of the step time")
    for place, below in ((0, -26), (3, -16)):
        note(axis, f"{share[place]:.1f} %", (steps[place], share[place]), (-4, below), BLUE, ha="center")
    note(axis, f"{overhead[0]:.1f} %", (1, overhead[0]), (8, 0), ORANGE)
    x_axis(axis, "accumulation steps", (0.66, 170), {count: str(count) for count in steps}, log=2)
    y_axis(axis, "all-reduce, %", (-1.7, 15.5))
    axis.legend(frameon=False)
    return figure


def memory_while_waiting() -> Figure:
    """What a GPU holds between two micro-batches and at the peak of one, under three designs."""
    shape = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 128256}
    kept, recomputed = (
        peak_activation_bytes(tokens=TOKENS, recomputed_layers=layers, **shape, tp=1) for layers in (0, 32)
    )
    weights, gradient, states = 2 * PARAMETERS, 4 * PARAMETERS, 12 * PARAMETERS / GPUS
    designs = {
        "ZeRO-1, all layers\ncheckpointed": (weights, gradient, states, recomputed),
        "FSDP, reduced after\neach micro-batch": (weights / GPUS, gradient / GPUS, states, kept),
        "FSDP, reduced after\nthe last": (weights / GPUS, gradient, states, kept),
    }
    figure, axis = chart(7.0, 2.6)
    groups = zip(
        ("weights", "accumulated gradients", "optimizer states", "activations and logits"),
        (GREY, ORANGE, GREEN, BLUE),
        zip(*designs.values(), strict=True),
        strict=True,
    )
    kinds = [(name, colour, [size / 1e9 for size in sizes]) for name, colour, sizes in groups]
    stack_rows(axis, designs, kinds, total="{:.0f} GB", gap=1, height=0.6)
    axis.axvline(75, color=GREY, lw=1.2, ls=":")
    caption(axis, 75.5, -0.62, "75 GB", GREY, va="center")
    x_axis(axis, "GB per GPU (64 GPUs)", (0, 92))
    axis.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.42, 1.24), ncols=4, fontsize=8)
    return figure


def two_plans() -> Figure:
    """Step time by micro-batch, with and without checkpointing, when a micro-batch has a fixed cost."""
    sizes = [1, 2, 4, 8, 16, 32]
    fits = 4  # the largest micro-batch of this example that needs no checkpointing
    plans = {"without checkpointing": (False, BLUE, "o"), "with checkpointing": (True, ORANGE, "s")}
    figure, axis = chart(7.0, 3.0)
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
    note(axis, "dotted: does not fit", (16, 8.6), (0, -16), GREY, ha="center")
    x_axis(axis, "micro-batch size, sequences", ticks={size: str(size) for size in sizes}, log=2)
    y_axis(axis, "compute time per step, s", (0, None))
    axis.legend(frameon=False)
    return figure
