"""Errors that nobody sees at once: how often to check for them."""

from __future__ import annotations

from math import sqrt

from ..facts.arguments import require_positive


def check_interval_seconds(*, check_s: float, mtbf_s: float) -> float:
    """Best training time between two checks that find silent errors, each followed by a checkpoint.

        T = (√(V² + 4·V·M) - V) / 2  ≈  √(V · M)

    An error is seen at the end of its interval only, so the whole interval is lost, and not half of it: no 2 under the root.
    T minimises the expected time (T + V) · e^(T/M) / T.

    Units:   seconds; check_s for the check and the checkpoint together; mtbf_s between silent errors. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Herault & Robert 2015, Fault-Tolerance Techniques for High-Performance Computing, chapter 1, on silent errors.

    >>> round(check_interval_seconds(check_s=120, mtbf_s=216 * 3600) / 3600, 2)   # 6 errors in 54 days
    2.67
    """
    require_positive(check_s=check_s, mtbf_s=mtbf_s)
    return (sqrt(check_s * check_s + 4 * check_s * mtbf_s) - check_s) / 2
