"""Sums over the inputs of a layer, and the elements of orthogonal matrices."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..search import bisect

_NARROW = 64


def mup_factor(*, setting: str, width_factor: float) -> float:
    """Return the factor with which an output of the wide layer is as large, or moves as far, as one of the narrow layer."""
    aligned: Callable[[float], float] = lambda inputs: inputs  # noqa: E731  updates of one sign add up
    crossing: Callable[[float], float] = lambda inputs: math.sqrt(sum([1.0] * round(inputs)))  # noqa: E731  random signs
    one: Callable[[float], float] = lambda inputs: 1.0  # noqa: E731  a token has one row of the embedding
    total = {
        "hidden learning rate": aligned,
        "hidden standard deviation": crossing,
        "vector learning rate": one,
        "logit multiplier": aligned,
    }[setting]
    wide, narrow = total(_NARROW * width_factor), total(_NARROW)
    return bisect(lambda factor: factor * wide - narrow, 0.0, 1.0 + narrow)


def muon_scale(*, rows: int, columns: int, rms: float) -> float:
    """Scale a matrix with ones on its diagonal, whose singular values are all 1, to the chosen root mean square."""
    ones = sum(1 for _ in zip(range(rows), range(columns), strict=False))
    mean_square = ones / rows / columns
    return bisect(lambda factor: factor * factor * mean_square - rms * rms, 0.0, 1.0 + rms * rows * columns)
