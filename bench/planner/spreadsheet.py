"""The baseline: the hardware's FLOP over a utilisation, and the pipeline's bubble. A spreadsheet has no more."""

from __future__ import annotations

from solutions.pipeline.pipeline import bubble_overhead

from . import counts
from .predictions import Prediction, Row


def predict(row: Row) -> Prediction:
    """Predict at a utilisation of 1; constants.scaled makes it the utilisation that chips reach."""
    return Prediction(step_s=ideal_s(row))


def ideal_s(row: Row) -> float:
    """Seconds a step at the chip's peak, bubble included.

        step = hardware FLOP of the step · (1 + bubble overhead) / (chips · peak)

    Hardware FLOP are those of the shape, attention counted in full, and the layers once more where all are recomputed.
    """
    chip, layout = row.chip, row.setting
    peak = (chip.fp8 or chip.bf16_or_fp16) if layout.precision in ("fp8", "fp4") else chip.bf16_or_fp16
    one = counts.count(row.shape, layout.sequence)
    flop = 3 * (one.layers + one.output) + (one.layers if layout.recompute == "full" else 0)
    tokens = layout.global_batch * layout.sequence
    return flop * tokens * (1 + bubble(row)) / (row.run.chips * peak * 1e12)


def bubble(row: Row) -> float:
    """Bubble overhead of 1F1B, over the ideal time; none of it with the zero-bubble schedules."""
    layout = row.setting
    if layout.pp == 1 or layout.schedule.startswith(("zb", "dualpipe")):
        return 0.0
    return bubble_overhead(stages=layout.pp, micro_batches=layout.micro_batches, virtual_stages=layout.virtual_stages)
