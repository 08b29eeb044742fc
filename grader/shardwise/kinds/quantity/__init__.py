"""The kind quantity: a number with a unit, right within a tolerance."""

from __future__ import annotations

from shardwise.kinds.quantity.kind import KIND

__all__ = ["KIND"]
