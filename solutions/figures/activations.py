"""The figures of the lesson on activation memory."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..activations.activations import layer_activation_bytes
from ..activations.gpt_activations import first_stage_bytes
from ..activations.loss_memory import loss_bytes
from ..interactive import layer_shape
from ..oracles.activations.activations import BF16_BYTES, kept_widths
from ..oracles.activations.gpt_activations import saved_tensors
from ..oracles.activations.stage_memory import stage_bytes
from ..oracles.activations.step_memory import Allocator, play_step
from ..shapes import models
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, charts, kilos, stack_rows, x_axis, y_axis

CHAPTER = "06-activation-memory"
GROUPS = (("norms", GREY), ("attention", BLUE), ("MLP", ORANGE), ("scores", GREEN))
TOKENS = 8192
EVENT_WIDTHS = {"forward": 1.0, "loss": 5.0, "update": 4.0, "gradients freed": 0.02}  # their widths on the axis of time


def _gpt_parts(model: str, sequence: int, recompute: str) -> dict[str, float]:
    """Return the bytes per token and channel that a GPT layer keeps, by group."""
    hidden, heads = models.hidden(model=model), models.heads(model=model)
    parts = dict.fromkeys((name for name, _ in GROUPS), 0.0)
    for row in saved_tensors(1, sequence, hidden, heads, recompute=recompute):
        group = "attention"
        if "norm" in row.operation or row.tensor.startswith("normed"):
            group = "norms"
        elif "MLP" in row.operation or row.operation == "GELU":
            group = "MLP"
        elif row.dimensions[-1] == row.dimensions[-2]:
            group = "scores"
        parts[group] += row.size / (sequence * hidden)
    return parts


def _llama_parts(model: str) -> dict[str, float]:
    """Return the same for a Llama-style layer with fused attention."""
    shape = layer_shape(model)
    parts = dict.fromkeys((name for name, _ in GROUPS), 0.0)
    for name, width in kept_widths(**shape).items():
        group = "norms" if name in ("input", "normed input", "middle", "normed middle") else "attention"
        parts["MLP" if name in ("gate", "up", "gated") else group] += BF16_BYTES * width / shape["hidden"]
    return parts


def what_a_layer_keeps() -> Figure:
    """Bytes per token and channel in one layer, by group of tensors, from the lists of saved tensors."""
    figure, axis = chart(7, 2.6)
    rows = (
        ("GPT-3, 2,048 tokens", _gpt_parts("GPT-3-175B", 2048, "none")),
        ("GPT-3, no scores kept", _gpt_parts("GPT-3-175B", 2048, "selective")),
        ("Llama-3-8B", _llama_parts("Llama-3-8B")),
        ("Llama-3-70B", _llama_parts("Llama-3-70B")),
    )
    kinds = [(group, colour, [parts[group] for _, parts in rows]) for group, colour in GROUPS]
    stack_rows(axis, (name for name, _ in rows), kinds, total="{:.4g}", gap=1)
    x_axis(axis, "bytes that one layer keeps per element", (0, 125))
    axis.legend(frameon=False, loc="lower right")
    return figure


def scores_against_length() -> Figure:
    """What GPT-3's first stage keeps against the sequence length, for three ways to recompute."""
    figure, axis = chart(7, 3)
    lengths = np.unique(np.geomspace(512, 131072, 60).astype(int))
    shape = {"hidden": 12288, "heads": 96, "layers": 96, "stages": 8, "tp": 8, "micro_batch": 1}
    for recompute, label, colour in (
        ("none", "everything kept", GREEN),
        ("selective", "scores recomputed", BLUE),
        ("full", "layer inputs only", ORANGE),
    ):
        sizes = [
            first_stage_bytes(sequence=int(s), sequence_parallel=True, recompute=recompute, **shape) / 1e9
            for s in lengths
        ]
        axis.loglog(lengths, sizes, color=colour, lw=2)
        axis.text(140000, sizes[-1], label, color=colour, va="center")
    axis.axhline(80, color=GREY, lw=1, ls=":")
    caption(axis, 540, 88, "80 GB, the GPU memory", GREY, va="bottom")
    x_axis(
        axis,
        "sequence length (GPT-3, TP 8 with sequence parallelism)",
        (512, 131072),
        kilos(512, 2048, 8192, 32768, 131072),
    )
    y_axis(
        axis,
        "kept per GPU, first stage",
        ticks={1: "1 GB", 10: "10 GB", 100: "100 GB", 1000: "1 TB", 10000: "10 TB", 100000: "100 TB"},
    )
    return figure


def _played(recomputed: bool) -> Allocator:
    """A step of Llama-3-8B under ZeRO-1 on 64 GPUs, one sequence of 8,192 tokens on each."""
    parameters, layers = models.parameters(model="Llama-3-8B"), models.layers(model="Llama-3-8B")
    shape = layer_shape("Llama-3-8B")
    whole = layer_activation_bytes(tokens=TOKENS, **shape, tp=1)
    kept = 2.0 * TOKENS * shape["hidden"] if recomputed else whole
    return play_step(
        layers=layers, kept_layer_bytes=kept, recomputed_layer_bytes=whole - kept,
        layer_gradient_bytes=2 * parameters / layers,
        loss_bytes=loss_bytes(tokens=TOKENS, vocabulary=models.vocabulary(model="Llama-3-8B")),
        lasting_bytes=2 * parameters + 12 * parameters / 64,
    )  # fmt: skip


def memory_through_a_step() -> Figure:
    """Memory after every event of a played step, with nothing recomputed and with all layers recomputed."""
    figure, panels = charts(7, 3.2, 1, 2, sharey=True)
    kinds = (
        ("states", GREY, ("states",)),
        ("gradients", GREEN, ("gradients",)),
        ("activations", BLUE, ("activations", "recomputed")),
        ("logits", ORANGE, ("logits",)),
    )
    for axis, recomputed, title in zip(
        panels, (False, True), ("nothing recomputed", "all layers recomputed"), strict=True
    ):
        log = _played(recomputed).log
        widths = [EVENT_WIDTHS.get(moment, 0.5) for moment, _, _ in log]
        steps = np.concatenate([[0.0], np.cumsum(widths)[:-1]])
        sizes = np.array([[sum(held.get(name, 0.0) for name in names) / 1e9 for _, _, held in log]
                          for _, _, names in kinds])  # fmt: skip
        axis.stackplot(steps, sizes, colors=[colour for _, colour, _ in kinds], labels=[name for name, _, _ in kinds],
                       step="post", edgecolor="none")  # fmt: skip
        totals = sizes.sum(axis=0)
        peak = int(totals.argmax())
        axis.text(steps[peak] + widths[peak] / 2, totals[peak] + 1.5, f"{totals[peak]:.1f} GB", ha="center")
        _mark_phases(axis, [moment for moment, _, _ in log], steps)
        axis.set_title(title, fontsize=9)
        axis.set_xlim(0, steps[-1] + widths[-1])
        axis.set_ylim(0, 80)
    panels[0].set_ylabel("GB per GPU")
    panels[1].legend(frameon=False, loc="upper right", fontsize=8)
    return figure


def _mark_phases(axis: Axes, moments: list[str], steps: np.ndarray) -> None:
    labels = ("forward", "loss", "backward", "update")
    middles = [
        float(np.mean([step for step, moment in zip(steps, moments, strict=True) if moment.startswith(label)]))
        for label in labels
    ]
    axis.set_xticks([middles[0] - 2, middles[1] + 3, middles[2], middles[3] + 3], list(labels))
    axis.tick_params(axis="x", length=0)


def both_ends_of_a_pipeline() -> Figure:
    """What the stages of a 1F1B pipeline hold: an 8B model on four stages, with nothing and with everything recomputed."""
    figure, panels = charts(7, 3, 1, 2, sharey=True)
    stages, tp, shape = 4, 1, layer_shape("Llama-3-8B")
    layers, vocabulary = models.layers(model="Llama-3-8B"), models.vocabulary(model="Llama-3-8B")
    ends = 6 * vocabulary * shape["hidden"] / tp
    logits = loss_bytes(tokens=TOKENS, vocabulary=vocabulary, tp=tp)
    whole = layer_activation_bytes(tokens=TOKENS, **shape, tp=tp)
    for axis, layer, title in zip(
        panels,
        (whole, 2 * TOKENS * shape["hidden"] / tp),
        ("nothing recomputed", "all layers recomputed"),
        strict=True,
    ):
        kept = layers / stages * layer
        places = range(stages)
        flying = [stage_bytes(stages=stages, stage=stage, micro_batches=32, kept_bytes=kept, first_stage_bytes=0,
                              last_stage_bytes=0) / 1e9 for stage in places]  # fmt: skip
        axis.bar(places, flying, color=BLUE, width=0.7, label="activations in flight")
        besides = [ends / 1e9 if stage in (0, stages - 1) else 0.0 for stage in places]
        axis.bar(places, besides, bottom=flying, color=GREY, width=0.7, label="embedding, output layer")
        top = flying[-1] + besides[-1]
        axis.bar([stages - 1], [logits / 1e9], bottom=[top], color=ORANGE, width=0.7, label="logits")
        for stage, held in ((0, flying[0] + besides[0]), (stages - 1, top + logits / 1e9)):
            axis.text(stage, held, f"{held:.1f} GB", ha="center", va="bottom", fontsize=8)
        axis.set_title(title, fontsize=9)
        x_axis(axis, "stage", ticks={0: "first", stages - 1: "last"})
    panels[0].set_ylabel("GB per GPU, without layer states")
    panels[0].legend(frameon=False, loc="upper right", bbox_to_anchor=(1.05, 0.95), fontsize=8)
    return figure
