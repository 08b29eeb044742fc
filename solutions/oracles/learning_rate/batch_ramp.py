"""Runs with a growing batch, walked through stage by stage or step by step."""

from __future__ import annotations

from ..accumulation.accumulation import counted_optimizer_steps


def walked_ramp_steps(*, tokens: float, first_batch: float, last_batch: float, stage_tokens: float) -> float:
    """Train stage after stage, double the batch after each, and give the last batch all tokens that are left."""
    left, batch, steps = tokens, first_batch, 0.0
    while batch < last_batch:
        steps += counted_optimizer_steps(tokens=stage_tokens, batch_tokens=batch)
        left -= stage_tokens
        batch *= 2
    if batch != last_batch or left < 0:
        raise ValueError("the doublings miss the last batch, or outlast the tokens")
    return steps + counted_optimizer_steps(tokens=left, batch_tokens=batch)


def walked_doubling_steps(*, tokens: int, first_batch: int, first_mark: int, second_mark: int) -> int:
    """Take one step after the other; before each, look at how many marks are behind."""
    seen, steps = 0, 0
    while seen < tokens:
        batch = first_batch
        for mark in (first_mark, second_mark):
            if seen >= mark:
                batch += batch
        seen += batch
        steps += 1
    return steps
