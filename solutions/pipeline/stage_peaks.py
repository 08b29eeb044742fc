"""Peak number of micro-batches on a stage under schedules from GPipe to DualPipe, and the order of operations of 1F1B."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_index
from .pipeline import in_flight, warm_up_forwards

PEAKS = ("GPipe", "1F1B", "ZB-H1", "ZB-H2", "DualPipe")


def stage_peak_micro_batches(*, schedule: str, stages: int, stage: int, micro_batches: int) -> int:
    """Return the peak number of micro-batches that a GPU holds, each with 1/p of the layers.

        GPipe m,  1F1B p - i,  ZB-H1 p,  ZB-H2 2p - 1,  DualPipe p + 1

    1F1B frees more on every later stage. ZB-H1 spends that memory: a stage keeps a micro-batch until its weight gradient is
    done, and later stages postpone more of them. DualPipe gives each GPU two stages, one from either end, so all hold the same.

    Units:   stage is i, counted from 0; the rest are counts. Result is a count.
    Raises:  ValueError for an unknown schedule, a stage that does not exist, fewer than 2p micro-batches, or an odd p or m
             under DualPipe.
    Source:  Qi et al. 2024, arXiv:2401.10241, section 2.3; DeepSeek-AI 2024, arXiv:2412.19437, Table 2, and
             deepseek-ai/DualPipe, README (bubbles and memory).

    >>> [stage_peak_micro_batches(schedule=name, stages=8, stage=7, micro_batches=32) for name in PEAKS]    # the last GPU
    [32, 1, 8, 15, 9]
    """
    require_counts(stages=stages, micro_batches=micro_batches)
    require_index(below=stages, stage=stage)
    if schedule not in PEAKS:
        raise ValueError(f"schedule must be one of {', '.join(PEAKS)}, not {schedule!r}")
    if micro_batches < 2 * stages:
        raise ValueError(f"micro_batches must be at least {2 * stages}, not {micro_batches}")
    if schedule == "DualPipe" and (stages % 2 or micro_batches % 2):
        raise ValueError(f"DualPipe needs even numbers, not {stages} stages and {micro_batches} micro-batches")
    if schedule == "1F1B":
        return in_flight(stages=stages, stage=stage, micro_batches=micro_batches)
    return {"GPipe": micro_batches, "ZB-H1": stages, "ZB-H2": 2 * stages - 1, "DualPipe": stages + 1}[schedule]


def one_f_one_b_line(*, stages: int, stage: int, micro_batches: int) -> tuple[int, ...]:
    """Return the operations of one stage under 1F1B: k is the forward pass of micro-batch k, and -k its backward pass.

        min(m, p - 1 - i) forward passes, then a forward and a backward pass in turn, then the remaining backward passes

    Units:   stage is i, counted from 0; micro-batches are counted from 1.
    Raises:  ValueError if a count is below 1 or the stage does not exist.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1; Megatron-LM,
             megatron/core/pipeline_parallel/schedules.py (forward_backward_pipelining_without_interleaving).

    >>> one_f_one_b_line(stages=3, stage=0, micro_batches=4)
    (1, 2, 3, -1, 4, -2, -3, -4)
    >>> one_f_one_b_line(stages=3, stage=2, micro_batches=4)
    (1, -1, 2, -2, 3, -3, 4, -4)
    """
    warm_up = warm_up_forwards(stages=stages, stage=stage, micro_batches=micro_batches)
    line = list(range(1, warm_up + 1))
    for micro_batch in range(warm_up + 1, micro_batches + 1):
        line += [micro_batch, warm_up - micro_batch]
    line += range(warm_up - micro_batches - 1, -micro_batches - 1, -1)
    return tuple(line)
