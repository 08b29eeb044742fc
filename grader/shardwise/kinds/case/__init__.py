"""The kind case: several parts about one situation, of which later ones continue with the results of earlier ones."""

from __future__ import annotations

from shardwise.kinds.case.kind import KIND

__all__ = ["KIND"]
