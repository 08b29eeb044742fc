"""Orders of samples, played: positions are counted up, ranks read their parts, and a buffer loses its samples draw by draw."""

from __future__ import annotations

from functools import lru_cache
from math import lcm

import numpy as np

from ..search import smallest


@lru_cache(maxsize=65536)
def sample_position(*, step: int, rank: int, slot: int, ranks: int, global_batch: int, samples: int) -> int:
    """Lay out the numbers of the step, cut them into the ranks' parts, and look."""
    first = sum(global_batch for _ in range(step)) if step < 1000 else step * global_batch
    numbers = [number % samples for number in range(first, first + global_batch)]
    if global_batch % ranks:
        raise ValueError("unequal parts")
    share = len(numbers) // ranks
    if not 0 <= rank < ranks or not 0 <= slot < share:
        raise ValueError("no such slot")
    return numbers[rank * share : (rank + 1) * share][slot]


def epoch_of_step(*, step: int, global_batch: int, samples: int) -> int:
    """Take whole epochs off the samples that came before, as long as they last."""
    before, epoch = step * global_batch, 0
    while before >= samples:
        before, epoch = before - samples, epoch + 1
    return epoch


@lru_cache(maxsize=4096)
def repeated_share(*, seen_share: float, ranks_before: int, ranks_after: int) -> float:
    """Number samples finely, mark those that the old ranks read, and let the new ranks go on."""
    cells = lcm(ranks_before, ranks_after) * 1000
    ids = np.arange(cells)

    def read(ranks: int) -> np.ndarray:
        part = cells // ranks
        return np.asarray(ids % part + 0.5 < seen_share * part)

    return float(np.mean(read(ranks_before) & ~read(ranks_after)))


@lru_cache(maxsize=65536)
def still_buffered(*, buffer_samples: int, draws: int) -> float:
    """Add up the chances of leaving at each of the draws, and see what is left."""
    staying = np.concatenate(([1.0], np.full(draws, 1 - 1 / buffer_samples))).cumprod()
    return float(1 - (staying[:-1] / buffer_samples).sum())


@lru_cache(maxsize=4096)
def buffer_for_spread(*, draws: int, share: float) -> int:
    """Enlarge the buffer until enough is left in it."""
    return smallest(
        lambda size: still_buffered(buffer_samples=size, draws=draws) >= share * (1 - 1e-11), largest=10**12
    )


def earliest_draw(*, place: int, buffer_samples: int) -> int:
    """Fill the buffer, draw until the sample is in it, and draw it."""
    last_read = min(buffer_samples, 10**15)
    draw = 1
    if place > last_read:
        draw += place - last_read
    return draw
