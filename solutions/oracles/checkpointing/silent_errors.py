"""Silent errors played: intervals tried until one passes its check."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .checkpoint_interval import lowest


@lru_cache(maxsize=4096)
def check_interval_seconds(*, check_s: float, mtbf_s: float) -> float:
    """Repeat each interval until no error struck in it, weighed over the number of tries, and look for the cheapest one."""

    def cost(interval: complex) -> complex:
        clean = np.exp(-interval / mtbf_s)
        tries, left = 0j, 1 + 0j
        attempt = 0
        while abs(left) > 1e-18:
            attempt += 1
            tries += attempt * left * clean
            left *= 1 - clean
        return complex(tries * (interval + check_s) / interval)

    return lowest(cost, mtbf_s * 1e-4, mtbf_s)
