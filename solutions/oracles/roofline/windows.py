"""Keys counted query by query, and FLOP counted for a whole sequence."""

from __future__ import annotations

import numpy as np


def mean_keys(*, sequence_length: int, window: int) -> float:
    """Average the number of keys over all queries."""
    return float(np.minimum(np.arange(1, sequence_length + 1), window).mean())


def windowed_utilisation(
    *, active_parameters: float, full_layers: int, windowed_layers: int, window: int, attention_width: int, sequence_length: int,
    tokens_per_s_per_gpu: float, peak_flop_per_s: float,
) -> float:  # fmt: skip
    """Add up the FLOP of a sequence layer by layer, three passes each, and divide by the peak FLOP in its time."""
    flop = 0.0
    for seen in [sequence_length] * full_layers + [window] * windowed_layers:
        keys = mean_keys(sequence_length=sequence_length, window=seen)
        for _ in ("forward", "gradient of one input", "gradient of the other"):
            flop += 2 * 2 * attention_width * keys * sequence_length  # two matmuls, two FLOP per pair and channel
    flop += 3 * 2 * active_parameters * sequence_length
    return flop / (sequence_length / tokens_per_s_per_gpu * peak_flop_per_s)
