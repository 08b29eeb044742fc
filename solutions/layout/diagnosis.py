"""Diagnosis of a step: where its time goes, by a trace, and which change gains most."""

from __future__ import annotations

from functools import partial

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive
from ..pipeline.pipeline import step_seconds

PARTS = ("bubble", "exposed", "recomputation", "slow kernels")
CHANGES = ("interleave", "selective", "overlap", "loader")


def lost_seconds(
    *,
    part: str,
    step_s: float,
    micro_batch_s: float,
    micro_batches: int,
    stages: int,
    virtual_stages: int,
    recomputed: bool,
    kernel_efficiency: float,
    best_efficiency: float,
) -> float:
    """Seconds of a step that one cause takes away from matrix products at their best rate.

        bubble         (p-1)/v · t
        exposed        step - (m + (p-1)/v) · t
        recomputation  m · t/4 · e/e_best        where every layer's forward pass runs twice
        slow kernels   m · t · (1 - e/e_best)

    t is the time of one micro-batch on one stage, forward and backward, what is computed again included. e is the share of the peak
    that the products reach in that time, and e_best what they could reach. A repeated forward pass is a quarter of the work.

    Units:   seconds; shares of the peak as fractions; the rest are counts. Result in seconds.
    Raises:  ValueError if a count is below 1, a time not positive, a share not a fraction, kernel_efficiency above best_efficiency,
             the step shorter than its pipeline, or the part unknown.
    Source:  pipeline.step_seconds; Narayanan et al. 2021, arXiv:2104.04473, section 2.2; Chowdhery et al. 2022,
             arXiv:2204.02311, appendix B.

    >>> trace = {"step_s": 6.0, "micro_batch_s": 0.2, "micro_batches": 16, "stages": 8, "virtual_stages": 1,
    ...          "recomputed": True, "kernel_efficiency": 0.6, "best_efficiency": 0.75}
    >>> [round(lost_seconds(part=part, **trace), 2) for part in PARTS]
    [1.4, 1.4, 0.64, 0.64]
    """
    require_positive(step_s=step_s, micro_batch_s=micro_batch_s)
    require_fraction(kernel_efficiency=kernel_efficiency, best_efficiency=best_efficiency)
    pipeline_s = step_seconds(
        stages=stages, micro_batches=micro_batches, micro_batch_seconds=micro_batch_s, virtual_stages=virtual_stages
    )
    if kernel_efficiency > best_efficiency:
        raise ValueError(f"kernel_efficiency {kernel_efficiency} is above best_efficiency {best_efficiency}")
    if step_s < pipeline_s:
        raise ValueError(f"a step of {step_s} s is shorter than its pipeline's {pipeline_s} s")
    busy_s = micro_batches * micro_batch_s
    at_best_s = busy_s * kernel_efficiency / best_efficiency
    lost = {
        "bubble": pipeline_s - busy_s,
        "exposed": step_s - pipeline_s,
        "recomputation": at_best_s / 4 if recomputed else 0.0,
        "slow kernels": busy_s - at_best_s,
    }
    if part not in lost:
        raise ValueError(f"part must be one of {', '.join(PARTS)}, not {part!r}")
    return lost[part]


def largest_loss(
    *,
    step_s: float,
    micro_batch_s: float,
    micro_batches: int,
    stages: int,
    virtual_stages: int,
    recomputed: bool,
    kernel_efficiency: float,
    best_efficiency: float,
) -> str:
    """The part of PARTS that takes most of a step's time away.

    Units:   as lost_seconds.
    Raises:  ValueError as lost_seconds does.
    Source:  as lost_seconds.

    >>> trace = {"step_s": 6.0, "micro_batches": 16, "stages": 8, "virtual_stages": 2, "recomputed": False,
    ...          "kernel_efficiency": 0.6, "best_efficiency": 0.75}
    >>> [largest_loss(micro_batch_s=seconds, **trace) for seconds in (0.3, 0.2)]
    ['bubble', 'exposed']
    """
    lost_to = partial(
        lost_seconds, step_s=step_s, micro_batch_s=micro_batch_s, micro_batches=micro_batches, stages=stages,
        virtual_stages=virtual_stages, recomputed=recomputed, kernel_efficiency=kernel_efficiency,
        best_efficiency=best_efficiency,
    )  # fmt: skip
    lost = {part: lost_to(part=part) for part in PARTS}
    return max(PARTS, key=lambda part: lost[part])


def seconds_after(
    *,
    change: str,
    micro_batch_s: float,
    micro_batches: int,
    stages: int,
    virtual_stages: int,
    score_share: float,
    sync_s: float,
    loader_s: float,
) -> float:
    """Time of a step after one change to a run that recomputes every layer.

        before      (m + (p-1)/v) · t + sync + loader
        interleave  twice the virtual stages: v becomes 2v
        selective   the scores alone are computed again: t becomes (3 + q)/4 · t
        overlap     sync becomes 0        loader   loader becomes 0

    A forward pass is one of four equal parts of the work while everything is computed twice; q is the share of a forward pass
    that the scores are. The change "none" leaves all as it is.

    Units:   seconds; score_share as a ratio from 0 to 1; the rest are counts. Result in seconds.
    Raises:  ValueError if a count is below 1, a time negative, the share above 1, or the change unknown.
    Source:  pipeline.step_seconds; Korthikanti et al. 2022, arXiv:2205.05198, section 5 (selective recomputation).

    >>> run = {"micro_batch_s": 0.2, "micro_batches": 16, "stages": 8, "virtual_stages": 1, "score_share": 0.12,
    ...        "sync_s": 0.5, "loader_s": 0.2}
    >>> [round(seconds_after(change=change, **run), 3) for change in ("none", *CHANGES)]
    [5.3, 4.6, 4.288, 4.8, 5.1]
    """
    require_counts(virtual_stages=virtual_stages)
    require_positive(micro_batch_s=micro_batch_s)
    require_not_negative(sync_s=sync_s, loader_s=loader_s, score_share=score_share)
    if score_share > 1:
        raise ValueError(f"score_share must be at most 1, not {score_share}")
    if change not in ("none", *CHANGES):
        raise ValueError(f"change must be none or one of {', '.join(CHANGES)}, not {change!r}")
    if change == "interleave":
        virtual_stages *= 2
    if change == "selective":
        micro_batch_s *= (3 + score_share) / 4
    if change == "overlap":
        sync_s = 0.0
    if change == "loader":
        loader_s = 0.0
    pipeline_s = step_seconds(
        stages=stages, micro_batches=micro_batches, micro_batch_seconds=micro_batch_s, virtual_stages=virtual_stages
    )
    return pipeline_s + sync_s + loader_s


def best_change(
    *,
    micro_batch_s: float,
    micro_batches: int,
    stages: int,
    virtual_stages: int,
    score_share: float,
    sync_s: float,
    loader_s: float,
    free_bytes: float,
    interleave_bytes: float,
    selective_bytes: float,
) -> str:
    """The change of CHANGES that fits into the free memory and leaves the shortest step.

    Units:   as seconds_after; bytes that are free, and that interleaving and selective recomputation would add.
    Raises:  ValueError as seconds_after does, or if a number of bytes is negative.
    Source:  as seconds_after.

    >>> run = {"micro_batch_s": 0.2, "micro_batches": 16, "stages": 8, "virtual_stages": 1, "score_share": 0.12, "sync_s": 0.5,
    ...        "loader_s": 0.2, "interleave_bytes": 4e9, "selective_bytes": 30e9}
    >>> [best_change(free_bytes=free, **run) for free in (40e9, 10e9, 0)]
    ['selective', 'interleave', 'overlap']
    """
    require_not_negative(free_bytes=free_bytes, interleave_bytes=interleave_bytes, selective_bytes=selective_bytes)
    seconds = partial(
        seconds_after, micro_batch_s=micro_batch_s, micro_batches=micro_batches, stages=stages,
        virtual_stages=virtual_stages, score_share=score_share, sync_s=sync_s, loader_s=loader_s,
    )  # fmt: skip
    added = {"interleave": interleave_bytes, "selective": selective_bytes}
    after = {c: seconds(change=c) for c in CHANGES if added.get(c, 0) <= free_bytes}
    return min(after, key=lambda change: after[change])
