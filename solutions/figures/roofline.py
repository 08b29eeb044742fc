"""Figures of the lesson on the roofline, FLOPs and MFU."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..facts import hardware
from ..oracles.roofline.flop_rules import six_n_over_count as traced_ratio
from ..oracles.roofline.roofline import attainable_flop_per_s as played_rate
from ..roofline import flops
from ..roofline.flop_rules import exact_length, six_n_over_count
from ..roofline.layer_kernels import layer_kernels, memory_bound_share
from ..roofline.mfu import mfu_from_profile
from ..roofline.roofline import attainable_flop_per_s, decode_intensity, ridge_point
from ..shapes import models
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, kilos, mark, note, percents, write_in, x_axis, y_axis

CHAPTER = "10-roofline-and-mfu"

RUNNING_MODEL, TOKENS = "Llama-3-8B", 8192
CHIPS = {"A100-80GB": ("A100", ORANGE), "H100-80GB": ("H100", BLUE)}
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)
SHAPE = ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")


def _shape(model: str, *names: str) -> dict[str, Any]:
    return {name: getattr(models, name)(model=model) for name in names or SHAPE}


def _chip(name: str) -> dict[str, Any]:
    return {
        "peak_flop_per_s": hardware.peak_flop_per_s(accelerator=name),
        "memory_bytes_per_s": hardware.hbm_bytes_per_s(accelerator=name),
    }


def roofline_of_a_layer() -> Figure:
    """Draw the rooflines of two chips, the kernels of a layer of the running model, and a decoding step."""
    figure, axis = chart(7.2, 3.6)
    grid = np.logspace(-1, 4, 200)
    for name, (label, colour) in CHIPS.items():
        chip = _chip(name)
        rates = [attainable_flop_per_s(intensity=float(i), **chip) / 1e12 for i in grid]
        axis.plot(grid, rates, color=colour, lw=2)
        ridge = ridge_point(**chip)
        played = played_rate(intensity=ridge, **chip) / 1e12
        mark(axis, ridge, played, colour)
        axis.text(11000, rates[-1] * 0.82, f"{label}: ridge at {ridge:.0f}", color=colour, ha="right", va="top")
    shape = _shape(RUNNING_MODEL, "hidden", "ffn_hidden", "heads", "kv_heads")
    kernels = {kernel.name: kernel for kernel in layer_kernels(tokens=TOKENS, sequence_length=TOKENS, **shape)}
    decoding = decode_intensity(parameters=models.parameters(model=RUNNING_MODEL), sequences=64)
    marks = {
        "residual addition": (kernels["first residual sum"].intensity, (36, -4), "left"),
        "RMSNorm": (kernels["first norm"].intensity, (-4, 12), "right"),
        "decoding, 64 sequences, weights only": (decoding, (-8, 8), "right"),
        "keys": (kernels["keys"].intensity, (0, 14), "center"),
        "gate, up": (kernels["gate"].intensity, (0, 14), "center"),
        "attention": (kernels["attention"].intensity, (4, 14), "center"),
    }
    for name, (intensity, offset, side) in marks.items():
        rate = attainable_flop_per_s(intensity=intensity, **_chip("H100-80GB")) / 1e12
        axis.plot(intensity, rate, "s", color=BLUE, ms=5)
        note(axis, name, (intensity, rate), offset, GREY, ha=side, va="center", fontsize=8)
    x_axis(axis, "FLOP per byte of memory traffic", (0.1, 12000), log=10)
    y_axis(axis, "attainable TFLOP/s, BF16", (0.25, 4000), log=10)
    return figure


def share_of_flop() -> Figure:
    """Draw each part's share of a step's FLOP against the sequence length, for a small and a large model."""
    figure, (small, large) = charts(7.2, 3.0, 1, 2, sharey=True)
    for axis, model in ((small, RUNNING_MODEL), (large, "Llama-3-405B")):
        _stack(axis, model)
        axis.set_title(model, color=GREY, fontsize=9)
        axis.set_xlabel("sequence length")
    y_axis(small, "share of a step's FLOP", ticks=percents(0, 0.25, 0.5, 0.75, 1))
    for y, text in ((0.35, "MLP"), (0.82, "attention\nprojections")):
        caption(small, 600, y, text, "white", va="center")
    write_in(small, 60000, 0.6, "core\nattention", fontsize=8)
    caption(figure, 0.5, -0.06, "grey, at the top: the output layer", GREY, ha="center")
    return figure


def _stack(axis: Axes, model: str) -> None:
    shape = _shape(model)
    layers, hidden = shape["layers"], shape["hidden"]
    rows: dict[str, list[float]] = {"mlp": [], "projections": [], "scores": [], "output": []}
    for length in LENGTHS:
        parts = {
            "mlp": layers * flops.mlp_flop(tokens=length, hidden=hidden, ffn_hidden=shape["ffn_hidden"]),
            "projections": layers
            * flops.projection_flop(tokens=length, hidden=hidden, heads=shape["heads"], kv_heads=shape["kv_heads"]),
            "scores": layers * flops.score_flop(tokens=length, sequence_length=length, hidden=hidden),
            "output": flops.output_flop(tokens=length, hidden=hidden, vocabulary=shape["vocabulary"]),
        }
        for name, value in parts.items():
            rows[name].append(value / sum(parts.values()))
    axis.stackplot(LENGTHS, *rows.values(), colors=(BLUE, GREEN, ORANGE, GREY), lw=0)
    x_axis(axis, limits=(512, 131072), ticks=kilos(512, 2048, 8192, 32768, 131072), log=2)
    y_axis(axis, limits=(0, 1))


def six_n_against_the_count() -> Figure:
    """Draw 6·N over the counted FLOP per token, for three models, against the sequence length."""
    figure, axis = chart(7.2, 3.0)
    for model, colour in ((RUNNING_MODEL, BLUE), ("Llama-3-70B", GREEN), ("Llama-3-405B", ORANGE)):
        case = {"parameters": models.parameters(model=model), **_shape(model)}
        axis.plot(LENGTHS, [six_n_over_count(sequence_length=length, **case) for length in LENGTHS], color=colour, lw=2)
        dots = LENGTHS[::2]
        mark(axis, dots, [traced_ratio(sequence_length=length, **case) for length in dots], colour)
        end = six_n_over_count(sequence_length=LENGTHS[-1], **case)
        caption(axis, LENGTHS[-1] * 1.08, end, model, colour, va="center")
    right = exact_length(**_shape(RUNNING_MODEL, "vocabulary", "layers", "hidden"))
    axis.axhline(1, color=GREY, lw=0.8, ls=":")
    note(axis, f"exact for {RUNNING_MODEL}\nat {right:,.0f} tokens", (right, 1), (6, 14), BLUE, fontsize=8)
    x_axis(
        axis,
        "sequence length, core attention with all pairs",
        (450, 131072 * 3.4),
        kilos(512, 2048, 8192, 32768, 131072),
        log=2,
    )
    y_axis(axis, "6·N over counted FLOP", (0, 1.25))
    return figure


def from_the_peak_to_the_mfu() -> Figure:
    """Draw what is left of an H100's peak in a step of the running model, loss by loss; two shares are assumed."""
    peak = hardware.peak_flop_per_s(accelerator="H100-80GB") / 1e12
    efficiency = hardware.matmul_flop_per_s(accelerator="H100-80GB") / 1e12 / peak
    shape = _shape(RUNNING_MODEL, "hidden", "ffn_hidden", "heads", "kv_heads")
    waiting = round(memory_bound_share(tokens=TOKENS, sequence_length=TOKENS, **shape, **_chip("H100-80GB")), 2)
    network, ratio = 0.15, 1.315  # assumed; full recomputation as counted by flops.step_flop
    steps = {
        "dense BF16 peak": 1.0,
        "best matmul": efficiency,
        f"memory-bound\nkernels: {100 * waiting:.0f} %": mfu_from_profile(
            kernel_efficiency=efficiency, step_shares_lost=[waiting]
        ),
        f"exposed commu-\nnication: {100 * network:.0f} %": mfu_from_profile(
            kernel_efficiency=efficiency, step_shares_lost=[waiting, network]
        ),
        "recomputation\n(HFU becomes MFU)": mfu_from_profile(
            kernel_efficiency=efficiency, step_shares_lost=[waiting, network], recompute_ratio=ratio
        ),
    }
    figure, axis = chart(7.2, 3.0)
    before = 1.0
    for place, (name, share) in enumerate(steps.items()):
        last = place == len(steps) - 1
        axis.bar(place, share * peak, color=ORANGE if last else BLUE, width=0.62, edgecolor="none")
        axis.bar(
            place, (before - share) * peak, bottom=share * peak, color=GREY, alpha=0.25, width=0.62, edgecolor="none"
        )
        caption(
            axis, place, share * peak - 30, f"{share * peak:.0f}\n{100 * share:.0f} %", "white", ha="center", va="top"
        )
        before = share
        steps[name] = share
    x_axis(axis, ticks=dict(enumerate(steps)), fontsize=8)
    y_axis(axis, "TFLOP/s on an H100", (0, 1050))
    axis.tick_params(axis="x", length=0)
    return figure
