"""The kind formula: an expression in named symbols, equal to ours everywhere, however it is written."""

from __future__ import annotations

from shardwise.kinds.formula.kind import KIND

__all__ = ["KIND"]
