"""Repairs, simulated: checkpoints, alarms and failures are processed one by one."""

from __future__ import annotations

from math import fsum

from ..search import bisect


def rollback_step(*, spike_step: int, every: int, margin_steps: int = 100) -> int:
    """Search all checkpoints from the first one, and return the last that is old enough."""
    kept = 0
    for step in range(0, spike_step + 1, every):
        if spike_step - step >= margin_steps:
            kept = step
    return kept


def alarm_seconds_saved(*, alarms: int, true_alarms: int, failure_s: float, swap_s: float) -> float:
    """Process the alarms one by one: add the time of the avoided failure, and subtract the cost of the replacement."""
    without = [failure_s if place < true_alarms else 0.0 for place in range(alarms)]
    return fsum([*without, *(-swap_s for _ in without)])


def restart_first_share(*, restart_s: float, test_s: float, return_s: float) -> float:
    """Add up both procedures for a cured and an uncured failure, and solve for the share with equal cost."""
    swap_s = 120.0  # replacing the node, which both do

    def restart_first(cured: bool) -> float:
        return restart_s if cured else fsum((restart_s, return_s, test_s, swap_s, restart_s))

    def test_first(cured: bool) -> float:
        return fsum((test_s, restart_s) if cured else (test_s, swap_s, restart_s))

    def gained(share: float) -> float:
        return fsum(
            part * (test_first(cured) - restart_first(cured)) for cured, part in ((True, share), (False, 1 - share))
        )

    return bisect(gained, 0.0, 1.0)
