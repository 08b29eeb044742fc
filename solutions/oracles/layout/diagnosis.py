"""Diagnosis by playing the step: one GPU's clock is filled segment by segment, and segments are taken out again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from ..pipeline.pipeline import BACKWARD_TICKS, FORWARD_TICKS, play

FORWARDS = 3  # a step is three forward passes; with recomputation, four


@dataclass(frozen=True)
class Run:
    """A step as a trace shows it."""

    micro_batch_s: float
    micro_batches: int
    stages: int
    virtual_stages: int
    sync_s: float = 0.0
    loader_s: float = 0.0


@lru_cache(maxsize=2048)
def _ticks(stages: int, micro_batches: int, virtual_stages: int) -> float:
    """Length of a played pipeline, in micro-batches of one stage."""
    if virtual_stages > 1 and micro_batches % stages:
        whole = _ticks(stages, micro_batches // stages * stages or stages, virtual_stages)
        return whole + micro_batches - (micro_batches // stages * stages or stages)
    return float(play(stages, micro_batches, virtual_stages).ticks) / (FORWARD_TICKS + BACKWARD_TICKS) / virtual_stages


def _segments(run: Run) -> list[tuple[str, float]]:
    """What one GPU's step consists of, in seconds."""
    length = _ticks(run.stages, run.micro_batches, run.virtual_stages) * run.micro_batch_s
    busy = [("computing", run.micro_batch_s) for _ in range(run.micro_batches)]
    waiting = [("waiting", length - run.micro_batches * run.micro_batch_s)]
    return [*busy, *waiting, ("sync", run.sync_s), ("loader", run.loader_s)]


def _length(run: Run) -> float:
    return sum(seconds for _, seconds in _segments(run))


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
    """Fill the step with what the pipeline does; then do its FLOP at the best rate, pass by pass, with and without the second forward."""
    run = Run(micro_batch_s, micro_batches, stages, virtual_stages)
    waiting = sum(seconds for name, seconds in _segments(run) if name == "waiting")
    passes = FORWARDS + 1 if recomputed else FORWARDS
    slow = fast = repeated = 0.0
    for _ in range(micro_batches):
        for number in range(passes):
            work = micro_batch_s / passes * kernel_efficiency  # in seconds at the peak
            slow += micro_batch_s / passes
            fast += work / best_efficiency
            if number >= FORWARDS:
                repeated += work / best_efficiency
    return {
        "bubble": waiting,
        "exposed": step_s - _length(run),
        "recomputation": repeated,
        "slow kernels": slow - fast,
    }[part]


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
    """Sort the losses, and name the last."""
    losses = [
        (
            lost_seconds(
                part=part, step_s=step_s, micro_batch_s=micro_batch_s, micro_batches=micro_batches, stages=stages,
                virtual_stages=virtual_stages, recomputed=recomputed, kernel_efficiency=kernel_efficiency,
                best_efficiency=best_efficiency,
            ),
            part,
        )
        for part in ("bubble", "exposed", "recomputation", "slow kernels")
    ]  # fmt: skip
    return sorted(losses)[-1][1]


def _changed(run: Run, change: str, score_share: float) -> Run:
    if change == "selective":  # four passes become three and the scores of one
        kept = 4 * run.micro_batch_s / 4 - run.micro_batch_s / 4 * (1 - score_share)
        return replace(run, micro_batch_s=kept)
    return {
        "none": run,
        "interleave": replace(run, virtual_stages=run.virtual_stages + run.virtual_stages),
        "overlap": replace(run, sync_s=0.0),
        "loader": replace(run, loader_s=0.0),
    }[change]


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
    """Change the run, and add up the segments of its step."""
    run = Run(micro_batch_s, micro_batches, stages, virtual_stages, sync_s, loader_s)
    return _length(_changed(run, change, score_share))


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
    """Try all four, and cross out those whose memory is not there."""
    tried = []
    for change in ("interleave", "selective", "overlap", "loader"):
        left = free_bytes
        if change == "interleave":
            left -= interleave_bytes
        if change == "selective":
            left -= selective_bytes
        if left >= 0:
            seconds = seconds_after(
                change=change, micro_batch_s=micro_batch_s, micro_batches=micro_batches, stages=stages,
                virtual_stages=virtual_stages, score_share=score_share, sync_s=sync_s, loader_s=loader_s,
            )  # fmt: skip
            tried.append((seconds, change))
    return min(tried)[1]
