"""The layers, parameters and micro-batches that a GPU of each pipeline stage holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

from ..layout.layout import layers_per_stage
from ..pipeline import pipeline, zero_bubble
from .constants import software
from .pieces import held_pieces, holds_output, require_stage
from .shapes import Batch, Block, Layout, Model


def stage_layers(model: Model, layout: Layout) -> tuple[int, ...]:
    """Return the layers on each stage; if they do not divide evenly, the end stages have fewer.

    >>> stage_layers(Model("m", 10, 64, 256, 4, 4, 1000), Layout(pp=4))
    (2, 3, 3, 2)
    """
    return _layers_of_pieces(model, layout, layout.pp)


def _layers_of_pieces(model: Model, layout: Layout, count: int) -> tuple[int, ...]:
    """Return the layers of each piece. Some software counts the output layer as layers, in proportion to its parameters."""
    if not software(layout.software).get("counts_output"):
        return _dealt(model.layers, count)
    one = model.at(model.blocks[-1])
    layer = one.mixer_parameters(model.blocks[-1]) + one.mlp_parameters
    return _dealt_with_output(model.layers, count, model.vocabulary * model.hidden / layer)


@cache
def _dealt(layers: int, stages: int) -> tuple[int, ...]:
    return layers_per_stage(layers=layers, stages=stages)


@cache
def _dealt_with_output(layers: int, stages: int, output: float) -> tuple[int, ...]:
    """Return the layers per stage, where a stage ends with the first layer that exceeds its part of all layers and the output."""
    each = (layers + output) / stages
    found, stage = [0] * stages, 0
    for layer in range(1, layers + 1):
        found[stage] += 1
        if layer > (stage + 1) * each:
            stage += 1
    return tuple(found)


def layer_kinds(model: Model, layout: Layout, stage: int) -> Mapping[Block, int]:
    """Return the number of layers on a GPU of a stage, by kind. The last stage also has the layers of multi-token prediction.

    >>> mixture = Model("m", 10, 64, 256, 4, 4, 1000, experts=8, dense_layers=3)
    >>> {block.mlp: count for block, count in layer_kinds(mixture, Layout(pp=2), 0).items()}
    {'dense': 3, 'mixture': 2}
    """
    found: Counter[Block] = Counter()
    for piece, count in held_pieces(layout, stage):
        layers = _layers_of_pieces(model, layout, count)
        first = sum(layers[:piece])
        found.update(model.blocks[first : first + layers[piece]])
    if model.mtp_layers and holds_output(layout, stage):
        found[model.mtp_block or model.blocks[-1]] += model.mtp_layers
    return found


def micro_batches(layout: Layout, batch: Batch) -> int:
    """Return the number of micro-batches per replica in a step.

    >>> micro_batches(Layout(dp=16, micro_batch=2), Batch(256, 8192))
    8
    """
    return max(1, batch.global_batch // (layout.dp * layout.micro_batch))


def stage_parts(model: Model, layout: Layout, stage: int) -> tuple[float, float]:
    """Return the parameters of one stage on one GPU: those that every data-parallel rank holds, and its routed experts.

    >>> toy = Model("toy", 4, 64, 0, 4, 4, 1000, experts=8, experts_per_token=2, expert_ffn_hidden=128)
    >>> stage_parts(toy, Layout(pp=2, ep=4), 1)
    (98048.0, 98304.0)
    """
    kinds = layer_kinds(model, layout, stage)
    has_input = any(piece == 0 for piece, _ in held_pieces(layout, stage))
    ends = has_input + (holds_output(layout, stage) and not (model.tied and has_input))
    dense = ends * model.vocabulary * model.hidden / layout.tp
    if model.mtp_layers and holds_output(layout, stage):
        dense += model.mtp_layers * 2 * model.hidden**2 / layout.tp
    mixed = sum(count for block, count in kinds.items() if block.is_mixture)
    for block, count in kinds.items():
        dense += count * (model.mixer_parameters(block) / layout.tp + block.halves * model.hidden)
        dense += count * (model.at(block).mlp_parameters if block.mlp == "dense" else 0) / layout.tp
    dense += mixed * (model.common_parameters / layout.tp + model.hidden * model.experts)
    return dense, mixed * model.experts * model.expert_parameters / (layout.ep * layout.expert_tp)


def stage_parameters(model: Model, layout: Layout, stage: int) -> float:
    """Return the parameters of one stage on one GPU of its tensor-parallel group.

    >>> toy = Model("toy", 4, 64, 0, 4, 4, 1000, experts=8, experts_per_token=2, expert_ffn_hidden=128)
    >>> stage_parameters(toy, Layout(pp=2, ep=4), 1)
    196352.0
    """
    return sum(stage_parts(model, layout, stage))


def held_micro_batches(layout: Layout, batch: Batch, stage: int) -> float:
    """Return the micro-batches whose activations a stage holds at its peak, each in all layers of that stage.

    >>> [held_micro_batches(Layout(pp=4, virtual_stages=chunks), Batch(64, 2048), 0) for chunks in (1, 2)]
    [4, 5.5]
    """
    require_stage(layout, stage)
    return _held(layout.schedule, layout.pp, layout.virtual_stages, micro_batches(layout, batch), stage)


@lru_cache(maxsize=1 << 14)
def _held(schedule: str, stages: int, chunks: int, m: int, stage: int) -> float:
    if schedule == "gpipe":
        return m
    if schedule == "dualpipe" and stages > 1:  # from both ends (DeepSeek-AI 2024, arXiv:2412.19437, Table 2: PP + 1)
        return min(m, stages + 1)
    if schedule == "dualpipev" and stages > 1:  # 2·PP + 1 of its 2·PP pieces (deepseek-ai/DualPipe, README)
        return min(m, stages + 0.5)
    if schedule == "zb-h2":
        return zero_bubble.peak_micro_batches(schedule="ZB-H2", stages=stages, micro_batches=m)
    if schedule == "zb-v":
        return min(m, zero_bubble.v_schedule_peak_micro_batches(schedule="V-ZB", stages=stages))
    if chunks > 1 and m % stages == 0:
        held = pipeline.interleaved_chunks_in_flight(stages=stages, stage=stage, micro_batches=m, virtual_stages=chunks)
        return held / chunks
    return pipeline.in_flight(stages=stages, stage=stage, micro_batches=m)
