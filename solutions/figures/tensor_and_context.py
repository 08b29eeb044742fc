"""The figures of the lesson on tensor, sequence and context parallelism."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..interactive import layer_shape
from ..oracles.tensor_and_context.context_parallel import play_ring
from ..shapes import models
from ..shapes.layer_parameters import layer_parameters
from ..tensor_and_context.context_parallel import all_to_all_bytes, exchange_bytes
from ..tensor_and_context.tensor_parallel import phase_bytes, shard_shape
from ..tensor_and_context.tensor_parallel_time import overhead_of_compute
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import chart, charts, middles, numbers, percents, write_in, x_axis, y_axis

CHAPTER = "08-tensor-and-context-parallelism"
COLOURS = (BLUE, ORANGE, GREEN, GREY)


def columns_then_rows() -> Figure:
    """Draw an MLP of Llama 3 8B on four GPUs: the first matrix split by columns, the second by rows."""
    figure, axis = chart(7, 2.7)
    tp, hidden, inner = 4, models.hidden(model="Llama-3-8B"), models.ffn_hidden(model="Llama-3-8B")
    first = shard_shape(inputs=hidden, outputs=inner, tp=tp, cut="columns")
    second = shard_shape(inputs=inner, outputs=hidden, tp=tp, cut="rows")
    _block(axis, 0.0, 0.6, 0.9, 2.0, GREY, "X", "all tokens,\nin full on each GPU")
    for gpu, colour in enumerate(COLOURS):
        _block(axis, 1.7 + 0.45 * gpu, 0.6, 0.4, 2.0, colour, str(gpu))
        _block(axis, 4.3 + 0.32 * gpu, 0.6, 0.28, 2.0, colour, str(gpu))
        _block(axis, 6.4, 2.15 - 0.5 * gpu, 1.9, 0.45, colour, str(gpu))
        _block(axis, 9.0 + 0.12 * gpu, 0.95 - 0.12 * gpu, 0.9, 2.0, colour, "", alpha=0.75)
    axis.text(2.58, 2.75, "gate/up, by columns", ha="center")
    axis.text(2.58, 0.1, f"{first[0]} × {first[1]}\non each GPU", ha="center", va="center", fontsize=8)
    axis.text(4.92, 2.75, "activation", ha="center")
    axis.text(4.92, 0.1, "local to each GPU,\nnothing is sent", ha="center", va="center", fontsize=8)
    axis.text(7.35, 2.75, "down, by rows", ha="center")
    axis.text(7.35, 0.1, f"{second[0]} × {second[1]}\non each GPU", ha="center", va="center", fontsize=8)
    axis.text(9.7, 3.1, "partial sums", ha="center")
    axis.text(9.7, 0.1, "all-reduce\nadds them up", ha="center", va="center", fontsize=8)
    for left in (1.12, 3.75, 5.85, 8.5):
        axis.annotate("", (left + 0.4, 1.6), (left, 1.6), arrowprops={"arrowstyle": "->", "color": GREY})
    axis.set_xlim(-0.3, 10.6)
    axis.set_ylim(-0.3, 3.4)
    axis.axis("off")
    return figure


def _block(
    axis: Axes, left: float, bottom: float, width: float, height: float, colour: str, name: str, under: str = "",
    alpha: float = 1.0,
) -> None:  # fmt: skip
    axis.add_patch(Rectangle((left, bottom), width, height, facecolor=colour, edgecolor="none", alpha=alpha))
    write_in(axis, left + width / 2, bottom + height / 2, name)
    if under:
        axis.text(left + width / 2, bottom - 0.5, under, ha="center", va="center", fontsize=8)


def overhead_against_degree() -> Figure:
    """Draw the overhead of tensor parallelism in a layer's forward pass, within a node of 8 GPUs and beyond it."""
    figure, axis = chart(7, 3.2)
    for model, colour in (("Llama-3-8B", ORANGE), ("Llama-3-70B", BLUE), ("Llama-3-405B", GREEN)):
        inside = [(tp, _overhead(model, tp, 450e9)) for tp in (2, 4, 8)]
        rails = [inside[-1], *((tp, _overhead(model, tp, 400e9)) for tp in (16, 32))]
        one_port = [inside[-1], *((tp, _overhead(model, tp, 50e9)) for tp in (16, 32))]
        axis.plot(*zip(*inside, strict=True), color=colour, lw=2, marker="o", ms=4)
        axis.plot(*zip(*rails, strict=True), color=colour, lw=2, marker="o", ms=4, ls="--")
        axis.plot(*zip(*one_port, strict=True), color=colour, lw=1.2, marker="o", ms=3, ls=":")
        axis.text(1.9, inside[0][1], model.replace("-", " "), color=colour, ha="right", va="center")
    axis.axvspan(8, 16, color=GREY, alpha=0.15, lw=0)
    axis.text(11.3, 0.03, "node\nboundary", ha="center", fontsize=8)
    axis.text(33, _overhead("Llama-3-70B", 32, 50e9), "one port\nof 50 GB/s", va="center", fontsize=8)
    axis.text(33, _overhead("Llama-3-70B", 32, 400e9), "eight ports,\n400 GB/s", va="center", fontsize=8)
    axis.axhline(1, color=GREY, lw=0.8, ls=":")
    axis.text(1.05, 1.08, "equal to compute time", fontsize=8)
    x_axis(axis, "tensor-parallel degree", (1, 32), numbers(2, 4, 8, 16, 32), log=2)
    y_axis(axis, "communication over compute", ticks=percents(0.03, 0.1, 0.3, 1, 3, 10), log=10)
    return figure


def _overhead(model: str, tp: int, bandwidth: float) -> float:
    """Return the overhead at 500 TFLOP/s, which an H100 can reach in matrix multiplications."""
    shape = layer_shape(model)
    return overhead_of_compute(
        hidden=shape["hidden"],
        layer_parameters=layer_parameters(**shape),
        tp=tp,
        flop_per_s=500e12,
        bus_bandwidth_bytes_per_s=bandwidth,
    )


def ring_hops() -> Figure:
    """Draw the pairs that each of four ranks computes per hop of a causal ring, for both assignments of chunks."""
    figure, axes = charts(7, 2.7, 1, 2)
    tokens, ranks = 512, 4
    block = (tokens // ranks) ** 2
    for axis, layout, title in zip(
        axes, ("contiguous", "head and tail"), ("contiguous chunks", "chunks i and 7 - i of 8"), strict=True
    ):
        played = play_ring(tokens, 1, 1, ranks, layout)
        for rank, by_hop in enumerate(played.pairs):
            for hop, pairs in enumerate(by_hop):
                share = pairs / block
                axis.add_patch(Rectangle((hop, rank + 0.08), 0.94, 0.84, facecolor="none", edgecolor=GREY, lw=0.8))
                axis.add_patch(
                    Rectangle((hop, rank + 0.08), 0.94 * share, 0.84, facecolor=COLOURS[(rank - hop) % ranks])
                )
            axis.text(4.15, rank + 0.5, f"{sum(by_hop) / block:.2g}", va="center")
        axis.text(4.15, -0.25, "blocks", va="center", fontsize=8)
        axis.set_title(title, fontsize=9)
        axis.tick_params(length=0)
        x_axis(axis, limits=(0, 4.9), ticks={hop + 0.47: f"hop {hop}" if hop else "own" for hop in range(ranks)})
        y_axis(axis, limits=(ranks, -0.5), ticks=middles(f"rank {rank}" for rank in range(ranks)))
        for side in ("left", "bottom"):
            axis.spines[side].set_visible(False)
    return figure


def bytes_by_axis() -> Figure:
    """Draw what one of eight GPUs sends in a layer's forward pass of Llama 3 8B and 70B, for 32,768 tokens."""
    figure, axes = charts(7, 3.1, 1, 2, sharex=True, sharey=True)
    tokens, gpus = 32_768, 8
    names = ("TP", "TP with SP", "CP, ring", "CP, all-to-all")
    for axis, model in zip(axes, ("Llama-3-8B", "Llama-3-70B"), strict=True):
        hidden, heads, kv_heads = (getattr(models, name)(model=model) for name in ("hidden", "heads", "kv_heads"))
        chunk = {"tokens": tokens, "kv_heads": kv_heads, "head_width": hidden // heads, "cp": gpus}
        phase = phase_bytes(tokens=tokens, hidden=hidden, tp=gpus) / 1e6
        bars = (
            [("all-reduce", BLUE, 2 * phase)] * 2,
            [("all-gather", GREEN, phase), ("reduce-scatter", ORANGE, phase)] * 2,
            [("keys and values", GREY, exchange_bytes(**chunk) / 1e6)],
            [("all-to-all", GREY, all_to_all_bytes(heads=heads, **chunk) / 1e6)],
        )
        for place, parts in enumerate(bars):
            left = 0.0
            for _, colour, size in parts:
                axis.barh(place, size, left=left, color=colour, height=0.6, edgecolor="none")
                left += size * 1.004
            axis.text(left + 30, place, f"{sum(size for *_, size in parts):.0f} MB", va="center")
        axis.set_title(model.replace("-", " "), fontsize=9)
        axis.tick_params(axis="y", length=0)
        x_axis(axis, "MB sent per GPU and layer", (0, 2 * phase * 2 * 1.35))
        y_axis(axis, ticks=dict(enumerate(names)))
    axes[0].invert_yaxis()
    for label, colour in (
        ("all-reduce", BLUE),
        ("reduce-scatter", ORANGE),
        ("all-gather", GREEN),
        ("between chunks", GREY),
    ):
        axes[0].barh(0, 0, color=colour, label=label)
    figure.legend(
        *axes[0].get_legend_handles_labels(), frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, -0.17)
    )
    return figure
