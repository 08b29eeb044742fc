"""Delayed scaling in FP8: rounding and saturation with a scale from earlier steps."""

from __future__ import annotations

from ..facts.arguments import require_positive, require_whole


def kept_after_delayed_scaling(
    *, older_amax: float, newer_amax: float, margin: int, value: float, largest: float, smallest: float
) -> float:
    """Return the value after an FP8 cast whose scale comes from the largest magnitudes of two earlier steps.

        scale = L / max(amaxes) / 2^margin        kept = 0 if |value · scale| ≤ smallest/2, else clip(value · scale, -L, L) / scale

    Rounding between the smallest and the largest number is omitted.

    Units:   magnitudes; smallest and largest are the format's positive numbers at both ends; margin is a count.
    Raises:  ValueError if a magnitude or a limit is not positive, or the margin is negative.
    Source:  Transformer Engine, DelayedScaling(margin, amax_history_len, amax_compute_algo="max").

    >>> tensor = {"older_amax": 2.0, "newer_amax": 4.0, "largest": 448.0, "smallest": 2.0**-9}
    >>> [kept_after_delayed_scaling(**tensor, margin=margin, value=6.0) for margin in (0, 1)]    # it grew to more than 4
    [4.0, 6.0]
    """
    require_positive(older_amax=older_amax, newer_amax=newer_amax, largest=largest, smallest=smallest)
    require_whole(margin=margin)
    known_amax = max(older_amax, newer_amax)
    scale = largest / known_amax / 2.0**margin
    scaled = value * scale
    if abs(scaled) <= smallest / 2:
        return 0.0
    clipped = max(-largest, min(scaled, largest))
    return clipped / scale
