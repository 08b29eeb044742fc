"""The kind schedule: the order of forward and backward passes on each stage of a pipeline, simulated and compared with a target."""

from __future__ import annotations

from shardwise_bank.kinds.schedule.kind import KIND

__all__ = ["KIND"]
