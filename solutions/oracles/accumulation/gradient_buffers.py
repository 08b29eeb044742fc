"""Counts that confirm gradient_buffers.py: shards in ZeRO's table, reduce-scatters that are played, tokens that are averaged.

No count uses the formula that it confirms, so a mistake in a formula shows as a difference.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..zero.zero import Elements, Ledger, Tensor, held, state_bytes_per_gpu

SHARDED = 2  # the first stage that shards gradients


def _gradient_elements(parameters: float, gpus: int, stage: int) -> Elements:
    """How many gradients each GPU holds under a stage."""
    return held(Tensor("gradient", 1, SHARDED), elements=round(parameters), ranks=gpus, stage=stage)


def held_state_bytes(*, parameters: float, gpus: int) -> float:
    """The table of ZeRO-1, with gradients that are four bytes wide."""
    return state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=1, bytes_per_gradient=4)


def counted_deferred_traffic(
    *, parameters: float, gpus: int, accumulation_steps: int, bytes_per_gradient: int
) -> float:
    """Play a step twice, with a reduce-scatter after every micro-batch and after the last, and compare what was sent."""
    every, last = Ledger(gpus), Ledger(gpus)
    for micro_batch in range(accumulation_steps):
        every.reduce_scatter(round(parameters), bytes_per_gradient)
        if micro_batch == accumulation_steps - 1:
            last.reduce_scatter(round(parameters), bytes_per_gradient)
    return float((every.sent - last.sent).mean())


def counted_deferred_memory(*, parameters: float, gpus: int, bytes_per_gradient: int) -> float:
    """Gradients that GPUs hold where they are whole, less those that they hold where they are sharded."""
    others = _gradient_elements(parameters, gpus, SHARDED - 1) - _gradient_elements(parameters, gpus, SHARDED)
    return float(bytes_per_gradient * others.mean())


def allocated_deferral(*, parameters: float, gpus: int, bytes_per_gradient: int, free_bytes: float) -> str:
    """Allocate the other GPUs' shards one after the other, until memory is full or all are there."""
    left = Fraction(free_bytes)
    for shard in _gradient_elements(parameters, gpus, SHARDED)[1:]:
        left -= bytes_per_gradient * int(shard)
        if left < 0:
            return "too large"
    return "fits"


def moved_by_one_token(*, micro_batch_tokens: int, batch_tokens: int, accumulation_steps: int) -> float:
    """Average a batch in which one token of the micro-batch has a gradient of 1, in both ways, and compare."""
    gradients = np.zeros(batch_tokens)
    gradients[0] = 1.0
    means = np.zeros(accumulation_steps)  # no token of the other micro-batches has a gradient, and so no mean of theirs
    means[0] = gradients[:micro_batch_tokens].mean()
    return float(means.mean() / gradients.mean())
