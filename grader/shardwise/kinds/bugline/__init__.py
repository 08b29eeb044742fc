"""The kind bugline: a hunt for one wrong line in a listing, a different line for each student."""

from __future__ import annotations

from shardwise.kinds.bugline.kind import KIND

__all__ = ["KIND"]
