"""Pipelines whose stages are not equal: what the output head weighs, where layers should go, and the step of the slowest."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts.arguments import require_counts, require_not_negative, require_positive
from ..shapes.layer_parameters import layer_parameters


def head_in_layers(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int) -> float:
    """How many decoder layers take as much computing as the output head, when attention scores are omitted.

        layers = V · d / (2·d²·(1 + k/a) + 3·d·f)

    Each parameter of a matrix product costs 2 FLOP per token forward and 4 backward, in the head as in a layer. The input
    embedding is a look-up: it takes memory and next to no computing.

    Units:   every argument is a count. Result as a number of layers, hardly ever a whole one.
    Raises:  ValueError if an argument is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Kaplan et al. 2020, arXiv:2001.08361, section 2.1 (2 FLOP per parameter and token); Llama Team 2024,
             arXiv:2407.21783, section 3.3.2 (the head makes the last stage slow).

    >>> round(head_in_layers(hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256), 2)   # Llama-3-8B
    2.41
    >>> round(head_in_layers(hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8, vocabulary=128256), 2)   # 405B
    0.66
    """
    require_counts(vocabulary=vocabulary)
    return vocabulary * hidden / layer_parameters(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)


def unequal_step_seconds(*, stage_seconds: Sequence[float], micro_batches: int) -> float:
    """Time of a step when stages take unequally long.

        seconds = Σ tᵢ + (m - 1) · max tᵢ

    The first micro-batch passes every stage, and each further one comes out after the slowest. This is exact for GPipe,
    and for 1F1B when no stage is slower than the last; backward passes take the same multiple of the forward pass everywhere.

    Units:   stage_seconds: forward and backward pass of one micro-batch, one number a stage. Result in seconds.
    Raises:  ValueError if there is no stage, a time is not positive, or micro_batches is below 1.
    Source:  counted on the schedule of Huang et al. 2019, arXiv:1811.06965, Figure 2.

    >>> unequal_step_seconds(stage_seconds=(1.0, 1.0, 1.0, 1.3), micro_batches=12)     # 30 % slower, one stage is
    18.6
    """
    require_counts(micro_batches=micro_batches, stages=len(stage_seconds))
    for seconds in stage_seconds:
        require_positive(stage_seconds=seconds)
    return sum(stage_seconds) + (micro_batches - 1) * max(stage_seconds)


def slowest_stage_layers(*, layers: int, stages: int, last_stage_layers: int, head_layers: float) -> float:
    """The slowest stage, in layers, when the last stage has the head and the others share the rest evenly.

        slowest = max(⌈(layers - x)/(p - 1)⌉, x + head)

    Units:   head_layers is the head's computing in layers; the rest are counts, x layers on the last stage.
    Raises:  ValueError if layers or stages is below 1, there is one stage, the last stage has less than none or leaves some
             other stage empty, or head_layers is negative.
    Source:  counting; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> slowest_stage_layers(layers=32, stages=4, last_stage_layers=8, head_layers=2.4)
    10.4
    >>> slowest_stage_layers(layers=32, stages=4, last_stage_layers=6, head_layers=2.4)
    9
    """
    require_counts(layers=layers, stages=stages)
    require_not_negative(head_layers=head_layers, last_stage_layers=last_stage_layers)
    others = stages - 1
    if others == 0 or layers - last_stage_layers < others:
        raise ValueError(
            f"{last_stage_layers} layers on the last of {stages} stages leave one of {layers} layers empty"
        )
    fullest_other = -(-(layers - last_stage_layers) // others)
    return max(fullest_other, last_stage_layers + head_layers)


def best_last_stage(*, layers: int, stages: int, head_layers: float) -> int:
    """How many layers the last stage should have next to the head, so that the slowest stage is as quick as can be.

    Of two numbers that are equally good the larger is returned: it leaves less on the others.

    Units:   head_layers is the head's computing in layers; the rest are counts. Result is a count of layers.
    Raises:  ValueError as `slowest_stage_layers`.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (one layer fewer on the last stage).

    >>> best_last_stage(layers=32, stages=4, head_layers=2.4)          # 26 are left for three stages: 9, 9 and 8
    6
    >>> best_last_stage(layers=126, stages=16, head_layers=0.66)       # Llama 3.1 405B: 119 for fifteen stages
    7
    """
    require_counts(layers=layers, stages=stages)
    candidates = range(layers - stages + 2) if stages > 1 else range(0)
    if not candidates:
        raise ValueError(f"{layers} layers are too few for {stages} stages, or there is one stage")

    def slowest(last_stage_layers: int) -> tuple[float, int]:
        seconds = slowest_stage_layers(
            layers=layers, stages=stages, last_stage_layers=last_stage_layers, head_layers=head_layers
        )
        return seconds, -last_stage_layers

    return min(candidates, key=slowest)


def gain_of_the_best_split(*, layers: int, stages: int, head_layers: float) -> float:
    """How much more a full pipeline processes with the best split of its layers than with the even one.

        gain = (layers/p + head) / best pace - 1

    Once the pipeline is full, a micro-batch comes out whenever the slowest stage has done one.

    Units:   head_layers is the head's computing in layers; the rest are counts. Result as a ratio of rates, less 1.
    Raises:  ValueError as `best_last_stage`, or if the stages do not divide the layers.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> round(gain_of_the_best_split(layers=32, stages=4, head_layers=2.41), 3)      # Llama-3-8B: 10.41 layers or 9
    0.157
    """
    require_counts(layers=layers, stages=stages)
    if layers % stages:
        raise ValueError(f"{layers} layers are not dealt evenly to {stages} stages")
    even = layers / stages + head_layers
    last = best_last_stage(layers=layers, stages=stages, head_layers=head_layers)
    best = slowest_stage_layers(layers=layers, stages=stages, last_stage_layers=last, head_layers=head_layers)
    return even / best - 1
