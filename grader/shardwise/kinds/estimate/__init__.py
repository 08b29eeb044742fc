"""The kind estimate: an order of magnitude without computing, and a confidence."""

from __future__ import annotations

from shardwise.kinds.estimate.kind import KIND

__all__ = ["KIND"]
