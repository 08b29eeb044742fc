"""The spreadsheet baseline: hardware FLOP at a fitted utilisation, and the pipeline bubble."""

from __future__ import annotations

from solutions.pipeline.pipeline import bubble_overhead

from . import counts
from .predictions import Prediction, Row


def predict(row: Row) -> Prediction:
    """Return a prediction at a utilisation of 1, which constants.scaled fits."""
    return Prediction(step_s=ideal_s(row))


def ideal_s(row: Row) -> float:
    """Return the step time at the chip's peak, with the pipeline bubble.

        step = hardware FLOP of the step · (1 + bubble overhead) / (chips · peak)

    Hardware FLOP count attention over all pairs of tokens. Full recomputation adds another forward pass of the layers.
    """
    chip, layout = row.chip, row.setting
    peak = (chip.fp8 or chip.bf16_or_fp16) if layout.precision in ("fp8", "fp4") else chip.bf16_or_fp16
    one = counts.count(row.shape, layout.sequence)
    flop = 3 * (one.layers + one.output) + (one.layers if layout.recompute == "full" else 0)
    tokens = layout.global_batch * layout.sequence
    return flop * tokens * (1 + bubble(row)) / (row.run.chips * peak * 1e12)


def bubble(row: Row) -> float:
    """Return the bubble overhead of 1F1B relative to the ideal time, and 0 for zero-bubble schedules."""
    layout = row.setting
    if layout.pp == 1 or layout.schedule.startswith(("zb", "dualpipe")):
        return 0.0
    return bubble_overhead(stages=layout.pp, micro_batches=layout.micro_batches, virtual_stages=layout.virtual_stages)
