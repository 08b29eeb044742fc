"""The kind estimate: a number before it is computed, and how sure the student is of it."""

from __future__ import annotations

from shardwise.kinds.estimate.kind import KIND

__all__ = ["KIND"]
