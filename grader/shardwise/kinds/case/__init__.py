"""The kind case: several parts about one situation, in which later parts can build on earlier results."""

from __future__ import annotations

from shardwise.kinds.case.kind import KIND

__all__ = ["KIND"]
