"""The kind code: a function to be written, run on edges and drawn inputs."""

from __future__ import annotations

from shardwise.kinds.code.kind import KIND

__all__ = ["KIND"]
