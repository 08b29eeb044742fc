"""Forward and backward passes of different micro-batches, merged so that their all-to-alls are hidden."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive


def plain_step_seconds(*, micro_batches: int, forward_s: float, backward_s: float, exchange_s: float) -> float:
    """Return the step time when all all-to-alls are exposed.

        seconds = m · (F + c + B + c)

    Units:   seconds of one micro-batch: computation forward and backward, and the all-to-alls of each pass (exchange_s, c).
             Result in seconds.
    Raises:  ValueError if micro_batches is below 1, a computation is not positive, or exchange_s is negative.
    Source:  NVIDIA, Megatron Core documentation, Combined 1F1B: Expert-Parallel All-to-All Overlap (motivation).

    >>> round(plain_step_seconds(micro_batches=8, forward_s=0.03, backward_s=0.06, exchange_s=0.02), 3)
    1.04
    """
    require_counts(micro_batches=micro_batches)
    require_positive(forward_s=forward_s, backward_s=backward_s)
    require_not_negative(exchange_s=exchange_s)
    return micro_batches * (forward_s + backward_s + 2 * exchange_s)


def merged_step_seconds(*, micro_batches: int, forward_s: float, backward_s: float, exchange_s: float) -> float:
    """Return the step time when each backward pass runs together with the forward pass of the next micro-batch.

        seconds = (F + c) + (m - 1) · max(F + B, 2·c) + (B + c)

    In a merged pair one micro-batch communicates while the other computes. The first forward and the last backward pass have
    nobody to pair with.

    Units:   as in plain_step_seconds. Result in seconds.
    Raises:  ValueError as plain_step_seconds.
    Source:  NVIDIA, Megatron Core documentation, Combined 1F1B: Expert-Parallel All-to-All Overlap
             (combined_1f1b_schedule_for_no_pipelining); the same pairing: DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.1.

    >>> round(merged_step_seconds(micro_batches=8, forward_s=0.03, backward_s=0.06, exchange_s=0.02), 3)
    0.76
    """
    require_counts(micro_batches=micro_batches)
    require_positive(forward_s=forward_s, backward_s=backward_s)
    require_not_negative(exchange_s=exchange_s)
    pair_s = max(forward_s + backward_s, 2 * exchange_s)
    return forward_s + exchange_s + (micro_batches - 1) * pair_s + backward_s + exchange_s


def gain_of_merging(*, micro_batches: int, forward_s: float, backward_s: float, exchange_s: float) -> float:
    """Return the relative gain in throughput from merged passes.

        gain = plain step / merged step - 1

    Units:   as in plain_step_seconds. Result is a fraction.
    Raises:  ValueError as plain_step_seconds.
    Source:  as in merged_step_seconds.

    >>> round(gain_of_merging(micro_batches=8, forward_s=0.03, backward_s=0.06, exchange_s=0.02), 3)
    0.368
    """
    times = {"forward_s": forward_s, "backward_s": backward_s, "exchange_s": exchange_s}
    return (
        plain_step_seconds(micro_batches=micro_batches, **times)
        / merged_step_seconds(micro_batches=micro_batches, **times)
        - 1
    )
