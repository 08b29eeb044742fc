"""The kind match: items, each of which belongs to one of the options."""

from __future__ import annotations

from shardwise.kinds.match.kind import KIND

__all__ = ["KIND"]
