"""The kind layout: a value for each axis of parallelism; every combination that meets the constraints is right."""

from __future__ import annotations

from shardwise_bank.kinds.layout.kind import KIND

__all__ = ["KIND"]
