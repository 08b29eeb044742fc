"""Layouts laid out by hand: matrices dealt to GPUs one by one, kernels timed one by one, a pipeline played event by event."""

from __future__ import annotations

from fractions import Fraction

from ...facts import hardware
from ...planner.constants import attention_share, chip, constant, kernels, software
from ...planner.shapes import EIGHT_BITS, Batch, Cluster, Layout, Model
from ..pipeline.pipeline import play_orders
from ..pipeline.schedules import gpipe, schedule

Matrix = tuple[int, int]


def layer_matrices(model: Model) -> list[Matrix]:
    """The matrices of a dense layer, or of a layer with experts, each as rows and columns."""
    width, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim
    found: list[Matrix] = []
    if model.kv_rank:
        queries, positions = model.query_rank, model.rope_head_width
        found += [(model.hidden, queries), (1, queries), (queries, model.heads * (model.head_dim + positions))]
        found += [(model.hidden, model.kv_rank + positions), (1, model.kv_rank), (model.kv_rank, 2 * width)]
        found += [(width, model.hidden)]
    else:
        found += [(model.hidden, width), (model.hidden, kv), (model.hidden, kv), (width, model.hidden)]
    return found


def mlp_matrices(hidden: int, inner: int, count: int) -> list[Matrix]:
    """Gate, up and down, or up and down."""
    return [(hidden, inner)] * (count - 1) + [(inner, hidden)]


def stage_parameters(model: Model, layout: Layout, stage: int) -> float:
    """Deal layers to stages, matrices over TP and experts over EP, and count what one GPU of a stage gets."""
    stages: list[list[int]] = [[] for _ in range(layout.pp)]
    full, short = divmod(model.layers, layout.pp)
    lengths = [full + (short > 0)] * layout.pp
    order = [place for pair in zip(range(layout.pp - 1, -1, -1), range(layout.pp), strict=True) for place in pair]
    for place in order[: (layout.pp - short) if short else 0]:
        lengths[place] -= 1
    layer = 0
    for place, length in enumerate(lengths):
        for _ in range(length):
            stages[place].append(layer)
            layer += 1
    held = Fraction(0)
    for layer in stages[stage]:
        held += sum(Fraction(rows * columns, layout.tp) for rows, columns in layer_matrices(model)) + 2 * model.hidden
        if model.experts and layer >= model.dense_layers:
            one = mlp_matrices(model.hidden, model.expert_ffn_hidden, model.mlp_matrices)
            expert = sum(rows * columns for rows, columns in one)
            held += Fraction(model.experts, layout.ep) * Fraction(expert, layout.expert_tp)
            held += Fraction(model.shared_experts * expert, layout.tp) + model.hidden * model.experts
        else:
            one = mlp_matrices(model.hidden, model.ffn_hidden, model.mlp_matrices)
            held += sum(Fraction(rows * columns, layout.tp) for rows, columns in one)
    embedding = Fraction(model.vocabulary * model.hidden, layout.tp)
    if stage == 0:
        held += embedding
    if stage == layout.pp - 1 and not (model.tied and layout.pp == 1):
        held += embedding
    return float(held)


def state_bytes(parameters: float, layout: Layout, *, gradient_bytes: int) -> dict[str, float]:
    """Hold weights, gradients and the optimizer's three FP32 numbers, each whole or as one GPU's shard of it."""
    whole = {"weights": 2 * parameters, "gradients": gradient_bytes * parameters, "optimizer": (4 + 4 + 4) * parameters}
    sharded = {"optimizer": layout.zero >= 1, "gradients": layout.zero >= 2, "weights": layout.zero >= 3}
    return {name: size / (layout.dp * layout.cp if sharded[name] else 1) for name, size in whole.items()}


def peak_micro_batches(layout: Layout, micro_batches: int, stage: int) -> float:
    """Play the schedule, and follow what a stage holds."""
    ticks = [{"F": 1, "B": 2}] * layout.pp
    chunks = layout.virtual_stages
    if layout.schedule == "gpipe":
        orders = [gpipe(rank, layout.pp, micro_batches) for rank in range(layout.pp)]
    else:
        orders = [schedule(rank, layout.pp, micro_batches, chunks) for rank in range(layout.pp)]
    return play_orders(orders, ticks).peak_held(stage) / chunks


def pipeline_seconds(stages: list[float], layout: Layout, micro_batches: int) -> float:
    """Play a step whose stages take so long for one micro-batch, a third of it forward."""
    chunks = layout.virtual_stages
    ticks = [{"F": Fraction(s) / 3 / chunks, "B": Fraction(s) * 2 / 3 / chunks} for s in stages]
    orders = [schedule(rank, layout.pp, micro_batches, chunks) for rank in range(layout.pp)]
    return float(play_orders(orders, [dict(each) for each in ticks]).ticks)


def dense_layer_seconds(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> float:
    """Start the kernels of one dense layer with fused attention, forward, and add up how long each of them takes."""
    card, stack = cluster.accelerator, software(layout.software)
    memory = hardware.hbm_bytes_per_s(accelerator=card) * constant("hbm")
    narrow = layout.precision in EIGHT_BITS
    rate = chip(card)["fp8" if narrow else "matmul"]
    rate *= hardware.peak_flop_per_s(accelerator=card, number_format="fp8" if narrow else "bf16")
    tokens = layout.micro_batch * batch.sequence // layout.cp
    heads, kv_heads = model.heads // layout.tp, model.kv_heads // layout.tp
    inner = model.ffn_hidden // layout.tp
    seconds = 0.0
    gates = model.mlp_matrices - 1
    for rows, columns in [
        (model.hidden, (heads + 2 * kv_heads) * model.head_dim), (heads * model.head_dim, model.hidden),
        (model.hidden, gates * inner), (inner, model.hidden),
    ]:  # fmt: skip
        tensors = [(tokens, rows), (rows, columns), (tokens, columns)]
        slow = constant("misaligned") if rows % 64 or columns % 64 else 1.0
        seconds += 2 * tokens * rows * columns / rate / slow
        seconds += constant("product_memory") * sum(2 * a * b for a, b in tensors) / memory
    pairs = batch.sequence / 2 * tokens  # the mask leaves half
    reached = batch.sequence / (batch.sequence + constant("attention_length"))
    peak = hardware.peak_flop_per_s(accelerator=card, number_format="bf16")
    products = 2 * 2 * heads * model.head_dim * pairs
    seconds += products / (peak * attention_share(card, stack["attention"]) * reached)
    around = tokens * model.hidden / (layout.tp if layout.sequence_parallel else 1)
    kind = kernels(stack["kernels"])
    rotated = 2 * tokens * (2 * heads + 2 * kv_heads) * model.head_dim
    activated = 2 * tokens * (gates + 1) * inner
    seconds += (around * kind["norm_bytes"] + (rotated + activated) * kind["inside"]) / memory
    if narrow:
        cast = [around, tokens * heads * model.head_dim, around, tokens * inner]
        seconds += sum(4 * elements for elements in cast) / memory
    return seconds + kind["launch_s"]
