"""The figures of the capstone lesson."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ..capstone import mixture, mixture_step
from ..cost.run_costs import mfu_from_gpu_time, mfu_with_attention, training_seconds_at_mfu, wall_clock_seconds
from ..facts.hardware import memory_bytes, peak_flop_per_s
from ..interactive.first_stage import STAGES, held
from ..oracles.pipeline.pipeline import bubble_idle_fraction as played_idle_fraction
from ..oracles.pipeline.pipeline import bubble_overhead as played_overhead
from ..pipeline.pipeline import bubble_idle_fraction, bubble_overhead
from ..shapes.layer_parameters import layer_parameters
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, name_rows, note, numbers, write_in, x_axis, y_axis

CHAPTER = "16-capstone-405b"

LAYERS, HIDDEN, FFN_HIDDEN, HEADS, KV_HEADS = (
    126,
    16384,
    53248,
    128,
    8,
)  # Llama Team 2024, arXiv:2407.21783, Table 3
VOCABULARY = 128256  # Llama 3.1 as released, July 2024
PARAMETERS, TOKENS, GPUS = 405e9, 15.6e12, 16384  # Llama Team 2024, sections 3.2 and 3.3
TP, CONTEXT = 8, 8192  # Llama Team 2024, Table 4
CARD_GPU_HOURS = 30.84e6  # Llama 3.1 model card, July 2024
REPORTED_MFU = (0.41, 0.43)  # Llama Team 2024, Table 4, at 8,192 tokens; includes core attention
DAY_S = 86400.0


def where_405_billion_are() -> Figure:
    """The weights of the 405B model by part, with grouped attention and with 4d² for attention."""
    mlp = 3 * HIDDEN * FFN_HIDDEN
    rows = {
        f"{KV_HEADS} key/value heads\n(as trained)": KV_HEADS,
        f"{HEADS} key/value heads\n(attention as 4d²)": HEADS,
    }
    figure, axis = chart(7.0, 2.2)
    for place, kv_heads in enumerate(rows.values()):
        layer = layer_parameters(hidden=HIDDEN, ffn_hidden=FFN_HIDDEN, heads=HEADS, kv_heads=kv_heads)
        parts = {
            "MLP": (LAYERS * mlp / 1e9, BLUE),
            "attention": (LAYERS * (layer - mlp) / 1e9, ORANGE),
            "embedding and output head": (2 * VOCABULARY * HIDDEN / 1e9, GREY),
        }
        left = 0.0
        for name, (billions, colour) in parts.items():
            axis.barh(place, billions, left=left, color=colour, height=0.6, edgecolor="none")
            if billions > 20:
                write_in(axis, left + billions / 2, place, f"{billions:.0f}")
            if place == 0:
                start = {"MLP": left, "attention": left, "embedding and output head": left + 24}[name]
                axis.text(start, -0.4, name, color=colour, va="bottom")
            left += billions
        axis.text(left + 6, place, f"{left:.0f} billion", va="center")
    x_axis(axis, "weights in billions", (0, 560))
    name_rows(axis, rows)
    axis.spines["left"].set_visible(False)
    return figure


def what_the_first_stage_holds() -> Figure:
    """Peak memory per GPU of the first stage against the number of stages, with the capacity for comparison."""
    figure, axis = chart(7.0, 2.9)
    card = memory_bytes(accelerator="H100-80GB") / 1e9
    colours = {"activations": ORANGE, "weights": BLUE, "states": GREEN}
    for place, stages in enumerate(STAGES):
        sizes = held(stages=stages, gpus=GPUS, tp=TP, sharded=2, recomputed=False)
        top = 0.0
        for kind, colour in colours.items():
            axis.bar(place, sizes[kind] / 1e9, bottom=top, color=colour, width=0.6, edgecolor="none")
            top += sizes[kind] / 1e9
        axis.text(place, max(top, card) + 2, f"{top:.1f}", ha="center")  # clear of the dashed line
    axis.axhline(card, color=GREY, lw=1, ls="--")
    axis.text(5.4, card + 3, f"an H100:\n{card:.0f} GB", color=GREY, va="bottom")
    axis.text(1.6, 165, "gradients and optimizer, sharded over all GPUs", color=GREEN)
    axis.text(1.6, 150, "BF16 weights, divided over TP and PP", color=BLUE)
    axis.text(1.6, 135, "activations, divided over TP", color=ORANGE)
    x_axis(
        axis,
        f"pipeline stages (TP {TP}, micro-batches of {CONTEXT:,} tokens, 1F1B)",
        (-0.6, 6.3),
        dict(enumerate(map(str, STAGES))),
    )
    y_axis(axis, "GB per GPU of the first stage", (0, 190))
    return figure


def one_bubble_two_names() -> Figure:
    """Overhead and idle fraction of a 16-stage pipeline against micro-batches: formulas as lines, a simulation as dots."""
    stages = 16
    grid, dots = np.arange(2, 65), (4, 8, 16, 32, 64)
    figure, axis = chart(7.0, 2.9)
    overhead = [100 * bubble_overhead(stages=stages, micro_batches=int(m)) for m in grid]
    idle = [100 * bubble_idle_fraction(stages=stages, micro_batches=int(m)) for m in grid]
    axis.plot(grid, overhead, color=ORANGE, lw=2)
    axis.plot(grid, idle, color=BLUE, lw=2)
    axis.plot(dots, [100 * played_overhead(stages=stages, micro_batches=m) for m in dots], "o", color=ORANGE)
    axis.plot(dots, [100 * played_idle_fraction(stages=stages, micro_batches=m) for m in dots], "o", color=BLUE)
    axis.axhline(100, color=GREY, lw=0.8, ls=":")
    axis.text(64, 106, "100 %", color=GREY, ha="right")
    axis.text(6.5, 290, "overhead: bubble / compute time", color=ORANGE)
    axis.text(3, 12, "idle fraction: bubble / step time", color=BLUE)
    x_axis(axis, f"micro-batches per step ({stages} stages, 1F1B)", (1, 66), [4, 8, 16, 32, 48, 64])
    y_axis(axis, limits=(0, 400), ticks=numbers(0, 100, 200, 300, 400, unit=" %"))
    return figure


def days_against_utilisation() -> Figure:
    """Days that the 405B run takes on 16,384 GPUs against MFU, with three numbers that are quoted for it."""
    figure, axis = chart(7.0, 2.9)
    attention = mfu_with_attention(mfu=1, parameters=PARAMETERS, layers=LAYERS, hidden=HIDDEN, sequence_length=CONTEXT)
    low, high = (100 * share / attention for share in REPORTED_MFU)
    axis.axvspan(low, high, color=GREEN, alpha=0.15, lw=0)
    caption(axis, (low + high) / 2, 94.5, "reported 41 to 43 %,\nwithout attention", GREEN, ha="center", va="top")
    axis.plot(*_curve(np.linspace(0.30, 0.55, 100)), color=BLUE, lw=2)
    card_days = wall_clock_seconds(gpu_time_s=CARD_GPU_HOURS * 3600, gpus=GPUS) / DAY_S
    marks = {
        f"{card_days:.1f} days: the card's GPU-hours": _share(card_days),
        f"{_days(0.40):.1f} days: at 40 % without interruptions": 0.40,
        f"54 days: needs {100 * _share(54):.1f} %": _share(54),
    }
    for text, mfu in marks.items():
        axis.plot(100 * mfu, _days(mfu), "o", color=ORANGE)
        note(axis, text, (100 * mfu, _days(mfu)), (8, 5), ORANGE)
    x_axis(
        axis,
        "MFU, averaged over the run, 6 FLOP per parameter and token",
        (30, 58),
        {percent: f"{percent} %" for percent in range(30, 60, 5)},
    )
    y_axis(axis, f"days on {GPUS:,} H100", (45, 95))
    return figure


def where_a_mixtures_step_goes() -> Figure:
    """Draw the step time of DeepSeek-V3's run by part, for 1F1B without overlap and for DualPipe, at the lesson's rates."""
    stages, micro_batches, tokens = 16, 15360 // 128, 15360 * 4096  # DeepSeek-AI 2024, arXiv:2412.19437, section 3.2
    compute_s = mixture.two_rate_seconds(
        active_parameters=36.62e9, tokens=tokens, layers=61, sequence_length=4096, heads=128, score_dim=192,
        value_dim=128, gpus=2048, weight_flop_per_s=525e12, attention_flop_per_s=375e12,
    )  # fmt: skip
    exchange_s = (
        58
        / stages
        * mixture_step.limited_exchange_seconds(tokens=4096, hidden=7168, node_limit=4, nodes=8, port_bytes_per_s=45e9)
    )
    sync_s = mixture_step.two_ring_sync_seconds(
        parameters=671.03e9, routed_parameters=653.91e9, stages=stages, dp=128, ep=64, port_bytes_per_s=45e9
    )
    work_s = compute_s / micro_batches
    plain = (micro_batches * exchange_s, (stages - 1) * (work_s + exchange_s))
    bubble_s = mixture_step.dualpipe_bubble_seconds(work_s=work_s, exchange_s=exchange_s, stages=stages)
    rows = {"1F1B without overlap": plain, "DualPipe": ((stages + 1) * exchange_s, bubble_s)}
    figure, axis = chart(7.0, 2.0)
    for place, (exposed_s, waiting_s) in enumerate(rows.values()):
        left = 0.0
        for name, seconds, colour in (
            ("compute", compute_s, BLUE), ("exchange", exposed_s, ORANGE), ("bubble", waiting_s, GREY),
            ("gradients", sync_s, GREEN),
        ):  # fmt: skip
            axis.barh(place, seconds, left=left, color=colour, height=0.6, edgecolor="none")
            if seconds > 1.5:
                write_in(axis, left + seconds / 2, place, f"{seconds:.1f}")
            if place == 0:
                axis.text(left, -0.4, name, color=colour, va="bottom")
            left += seconds
        axis.text(left + 0.3, place, f"{left:.1f} s", va="center")
    x_axis(axis, "seconds per step", (0, 32))
    name_rows(axis, rows)
    axis.spines["left"].set_visible(False)
    return figure


def _days(mfu: float) -> float:
    run = training_seconds_at_mfu(
        parameters=PARAMETERS,
        tokens=TOKENS,
        gpus=GPUS,
        peak_flop_per_s=peak_flop_per_s(accelerator="H100-80GB"),
        mfu=mfu,
    )
    return run / DAY_S


def _share(days: float) -> float:
    """Return the MFU of a run that takes this many days on all GPUs."""
    return mfu_from_gpu_time(
        parameters=PARAMETERS,
        tokens=TOKENS,
        gpu_time_s=days * DAY_S * GPUS,
        peak_flop_per_s=peak_flop_per_s(accelerator="H100-80GB"),
    )


def _curve(shares: np.ndarray) -> tuple[list[float], list[float]]:
    return [100 * float(mfu) for mfu in shares], [_days(float(mfu)) for mfu in shares]
