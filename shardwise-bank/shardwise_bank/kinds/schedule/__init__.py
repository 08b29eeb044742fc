"""The kind schedule: the order of forwards and backwards on each stage of a pipeline, simulated and held to a target."""

from __future__ import annotations

from shardwise_bank.kinds.schedule.kind import KIND

__all__ = ["KIND"]
