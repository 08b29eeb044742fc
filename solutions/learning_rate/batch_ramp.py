"""Batch ramps: how many steps a run has whose batch grows on the way."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_positive


def ramped_steps(*, tokens: float, first_batch: float, last_batch: float, stage_tokens: float) -> float:
    """Steps of a run whose batch doubles after every stage until it has grown to its last size.

        S = 2 · D/B_1 · (1 - B_1/B_n) + (T - D · log2(B_n/B_1)) / B_n

    Every stage but the last sees D tokens. Its steps halve from stage to stage, a geometric series: that is the 2.

    Units:   tokens, all four. Result in steps.
    Raises:  ValueError if an argument is not positive, the batches are not a whole doublings apart, or tokens run out.
    Source:  geometric series; ramps as in Llama Team 2024, arXiv:2407.21783, section 3.4.1.

    >>> ramped_steps(tokens=1.5e12, first_batch=1e6, last_batch=4e6, stage_tokens=50e9)   # 375,000 without a ramp
    425000.0
    """
    require_positive(tokens=tokens, first_batch=first_batch, last_batch=last_batch, stage_tokens=stage_tokens)
    require_doublings(tokens=tokens, first_batch=first_batch, last_batch=last_batch, stage_tokens=stage_tokens)
    doublings = math.log2(last_batch / first_batch)
    tokens_left = tokens - doublings * stage_tokens
    ramp_steps = 2 * stage_tokens / first_batch * (1 - first_batch / last_batch)
    steady_steps = tokens_left / last_batch
    return ramp_steps + steady_steps


def require_doublings(*, tokens: float, first_batch: float, last_batch: float, stage_tokens: float) -> None:
    """Raise ValueError unless whole doublings lead from the first batch to the last, before the tokens run out.

    >>> require_doublings(tokens=1e12, first_batch=4e6, last_batch=16e6, stage_tokens=1e10)
    >>> require_doublings(tokens=1e12, first_batch=4e6, last_batch=15e6, stage_tokens=1e10)
    Traceback (most recent call last):
    ValueError: last_batch must be first_batch doubled 0, 1, 2, ... times, not 3.75 times first_batch
    """
    doublings = math.log2(last_batch / first_batch)
    if doublings < 0 or doublings != int(doublings):
        ratio = last_batch / first_batch
        raise ValueError(f"last_batch must be first_batch doubled 0, 1, 2, ... times, not {ratio:g} times first_batch")
    if doublings * stage_tokens > tokens:
        raise ValueError(f"tokens must suffice for {int(doublings)} stages of {stage_tokens:g}, not {tokens:g}")


def doubling_steps(*, tokens: int, first_batch: int, first_mark: int, second_mark: int) -> int:
    """Whole steps of a run whose batch doubles at two numbers of tokens.

    A step that begins before a mark keeps its batch to its end; the next one is larger. A batch is never cut, so a stage
    may run past its mark, and the last step past the last token.

    Units:   tokens, all of them. Result is a count.
    Raises:  ValueError if an argument is below 1.
    Source:  counting; the ramp of Llama Team 2024, arXiv:2407.21783, section 3.4.1.

    >>> doubling_steps(tokens=100, first_batch=4, first_mark=10, second_mark=40)   # 3 of 4, 4 of 8, 4 of 16
    11
    >>> doubling_steps(tokens=15_600_000, first_batch=4, first_mark=252, second_mark=2_870_000)   # Llama 3, in millions
    1154407
    """
    require_counts(tokens=tokens, first_batch=first_batch, first_mark=first_mark, second_mark=second_mark)
    steps, seen, batch = 0, 0, first_batch
    for mark in [*sorted((first_mark, second_mark)), tokens]:
        stage_tokens = max(0, min(mark, tokens) - seen)
        stage_steps = -(-stage_tokens // batch)
        steps += stage_steps
        seen += stage_steps * batch
        batch *= 2
    return steps
