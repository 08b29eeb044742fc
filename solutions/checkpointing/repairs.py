"""Repairs: rollback after a loss spike, node replacement on an alarm, and the first step after a crash."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive, require_whole


def rollback_step(*, spike_step: int, every: int, margin_steps: int = 100) -> int:
    """Return the step of the newest checkpoint that is older than the start of a loss spike by at least a margin.

        step = ⌊(spike - margin) / every⌋ · every

    The last steps before a spike may have brought the weights to where it happens, so a margin is kept.

    Units:   counts of steps; checkpoints are taken after every `every` steps. Result in steps, 0 for the start of the run.
    Raises:  ValueError if spike_step or every is not a whole number of at least 1, or the margin is negative or reaches
             back beyond the start.
    Source:  Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, section 5.1 (about 100 steps before the spike).

    >>> rollback_step(spike_step=10_040, every=500)
    9500
    """
    require_counts(spike_step=spike_step, every=every)
    require_whole(margin_steps=margin_steps)
    if margin_steps > spike_step:
        raise ValueError(f"margin_steps must be at most spike_step {spike_step}, not {margin_steps!r}")
    return (spike_step - margin_steps) // every * every


def alarm_seconds_saved(*, alarms: int, true_alarms: int, failure_s: float, swap_s: float) -> float:
    """Return the time that a job saves when it replaces a node at every alarm instead of waiting for a failure.

        saved = true · failure - alarms · swap

    Every alarm costs a planned replacement, and every true one saves an unplanned failure.

    Units:   counts; seconds that the job loses per failure and per planned replacement. Result in seconds, below 0 where
             the alarms cost more than they save.
    Raises:  ValueError if a count is negative or broken, more alarms are true than there are, or a time is not positive.
    Source:  arithmetic; Wan et al. 2025 (ByteRobust), arXiv:2509.16293 (isolating suspected nodes early).

    >>> alarm_seconds_saved(alarms=40, true_alarms=20, failure_s=2400, swap_s=300) / 3600   # hours
    10.0
    """
    require_whole(alarms=alarms, true_alarms=true_alarms)
    require_positive(failure_s=failure_s, swap_s=swap_s)
    if true_alarms > alarms:
        raise ValueError(f"true_alarms must be at most {alarms}, not {true_alarms!r}")
    return true_alarms * failure_s - alarms * swap_s


def restart_first_share(*, restart_s: float, test_s: float, return_s: float) -> float:
    """Return the share of failures that a plain restart must cure to be a better first step than testing all nodes.

        share = (W + R) / (W + R + T)

    Restart first: every failure costs R, and an uncured one also W, T and R again. Test first: every failure costs T and R.
    Replacing a bad node costs the same either way.

    Units:   seconds: R until training runs again, T for the test, W until an uncured failure returns. Result as a fraction.
    Raises:  ValueError if a time is not positive.
    Source:  arithmetic; Wan et al. 2025 (ByteRobust), arXiv:2509.16293 (reattempt in place before stop-time checks).

    >>> restart_first_share(restart_s=240, test_s=900, return_s=60)
    0.25
    """
    require_positive(restart_s=restart_s, test_s=test_s, return_s=return_s)
    wasted_s = return_s + restart_s
    return wasted_s / (wasted_s + test_s)
